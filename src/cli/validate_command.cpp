#include <tbb/task_arena.h>

#include <cmath>
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "io/document.h"
#include "io/error_table.h"
#include "io/file_writer.h"
#include "io/measured_runs.h"
#include "io/validation_json.h"
#include "presets/chips.h"
#include "presets/measured.h"
#include "report/validation_document.h"
#include "report/validation_report.h"
#include "trust/h200_rows.h"
#include "trust/range.h"
#include "trust/validate.h"

namespace phaze::cli {
namespace {

struct ValidateOptions : CommonOptions {
  std::vector<std::string> files;  // none: what is built in
  std::string plot, folder, errors;
  bool has_plot = false;
  bool all = false;
  std::vector<std::string> settings;
};

using Runs = std::vector<plan::MeasuredRun>;

void append(std::optional<Runs> found, Runs& runs) {
  if (found) {
    runs.insert(runs.end(), found->begin(), found->end());
  }
}

void add_built_in(const std::vector<presets::MeasuredFile>& files, Runs& runs,
                  Diagnostics& diagnostics) {
  for (const presets::MeasuredFile& file : files) {
    const std::string name(file.name);
    append(io::read_measured_runs(file.text, name, name, diagnostics), runs);
  }
}

void add_file(const std::string& path, Runs& runs, Diagnostics& diagnostics) {
  const bool is_input = path == "-";
  const std::string source = is_input ? "standard input" : path;
  const auto text = is_input ? io::read_text(std::cin, source, diagnostics)
                             : io::read_text_file(path, diagnostics);
  const std::string group = is_input ? "runs" : std::filesystem::path(path).stem().string();
  if (text) {
    append(io::read_measured_runs(*text, source, group, diagnostics), runs);
  }
}

// Files that are to be written must not be those that are read.
void check_output(const std::string& option, const std::string& path,
                  const ValidateOptions& options, Diagnostics& diagnostics) {
  Inputs inputs;
  for (const std::string& file : options.files) {
    inputs.emplace_back("table", file);
  }
  if (const auto why = find_output_fault(path, inputs)) {
    diagnostics.error({"command line", 0, 0, option}, *why);
  } else {
    io::check_writable(path, diagnostics);
  }
}

bool write_plot(const ValidateOptions& options, const plan::Validation& validation,
                Diagnostics& diagnostics) {
  const std::vector<report::ScatterSeries> series = report::validation_series(validation);
  if (series.empty()) {
    diagnostics.error({"command line", 0, 0, "--plot"}, "there are no iteration times to draw");
    return false;
  }
  const HoldInterrupts hold;
  return io::write_text_file(options.plot, report::scatter_svg("Iterations", "s", series),
                             diagnostics);
}

bool add_own(const ValidateOptions& options, plan::Validation& validation,
             Diagnostics& diagnostics) {
  const auto chip = presets::load_chip("h200", options.settings, diagnostics);
  if (chip) {
    trust::H200Comparison own = trust::compare_h200(*chip);
    validation.own = std::move(own.groups);
    validation.own_host_bound = own.host_bound;
  }
  return chip.has_value();
}

bool add_held_out(const ValidateOptions& options, plan::Validation& validation,
                  Diagnostics& diagnostics) {
  Runs runs;
  add_built_in(presets::held_out_runs(), runs, diagnostics);
  const auto settings = trust::make_run_settings(runs, options.settings, diagnostics);
  if (settings) {
    validation.held_out = trust::validate(*settings).groups;
  }
  return settings.has_value();
}

bool write_document(const ValidateOptions& options, const plan::Validation& validation,
                    Diagnostics& diagnostics) {
  std::error_code error;
  std::filesystem::create_directories(options.folder + "/validation", error);
  const HoldInterrupts hold;
  for (const report::DocumentFile& file : report::validation_document(validation)) {
    const std::string path = options.folder + "/" + file.path;
    if (!io::write_text_file(path, file.text, diagnostics)) {
      return false;
    }
    report_note("wrote " + path);
  }
  return true;
}

bool write_errors(const ValidateOptions& options, const plan::Validation& validation,
                  Diagnostics& diagnostics) {
  const std::vector<plan::ErrorSample> samples = trust::make_samples(validation);
  std::string sources;
  for (const plan::GroupSummary& group : validation.groups) {
    if (group.measure == plan::Measure::kIteration) {
      sources += group.group + " (" + std::to_string(group.errors.count) + "), ";
    }
  }
  const std::vector<std::string> notes = {
      "Measured over predicted times by machine and regime: 80 % of runs lie between low and high.",
      "Written by phaze validate --write-errors (docs/models.md, section 27) from " + sources +
          "steps on one H200",
      "(data/h200). " +
          std::to_string(std::lround(100 * trust::cross_validated_coverage(samples))) +
          " % of the " + std::to_string(samples.size()) +
          " lie in the range that the others give them."};
  const HoldInterrupts hold;
  return io::write_text_file(
      options.errors, io::write_error_table(trust::make_quantiles(samples), notes), diagnostics);
}

int run_validate(const ValidateOptions& options) {
  Diagnostics diagnostics;
  if (options.has_plot) {
    check_output("--plot", options.plot, options, diagnostics);
  }
  if (!options.errors.empty()) {
    check_output("--write-errors", options.errors, options, diagnostics);
    if (options.errors == options.plot) {
      diagnostics.error({"command line", 0, 0, "--write-errors"}, "is --plot's own file");
    }
  }
  // Errors are those of all that is known.
  const bool is_built_in = options.files.empty() || !options.errors.empty();
  if (!options.folder.empty() && !options.files.empty()) {
    diagnostics.error({"command line", 0, 0, "--write"},
                      "the document is that of what is built in: expected no FILE");
  }
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  Runs runs;
  if (is_built_in) {
    add_built_in(presets::published_runs(), runs, diagnostics);
  }
  for (const std::string& file : options.files) {
    add_file(file, runs, diagnostics);
  }
  const auto settings = diagnostics.has_errors()
                            ? std::nullopt
                            : trust::make_run_settings(runs, options.settings, diagnostics);
  if (!settings) {
    return report_bad_input(diagnostics);
  }
  plan::Validation validation;
  {
    Progress progress;
    progress.show("pricing " + counted(settings->size(), "run"));
    tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
    bool is_priced = true;
    arena.execute([&] {
      validation = trust::validate(*settings);
      is_priced = !is_built_in || add_held_out(options, validation, diagnostics);
    });
    if (!is_priced || (is_built_in && !add_own(options, validation, diagnostics))) {
      return report_bad_input(diagnostics);
    }
  }
  if (!options.folder.empty()) {
    return write_document(options, validation, diagnostics) ? kAnswer
                                                            : report_bad_input(diagnostics);
  }
  if (!options.errors.empty() && !write_errors(options, validation, diagnostics)) {
    return report_bad_input(diagnostics);
  }
  if (options.has_plot && !write_plot(options, validation, diagnostics)) {
    return report_bad_input(diagnostics);
  }
  const int exit_code =
      print(options.json ? io::write_validation(validation)
                         : for_people(report::validation_text(validation, options.all)));
  if (validation.unpriced == validation.runs.size()) {
    return std::max(exit_code,
                    report_no_answer("no row could be priced: " + validation.runs.front().reason));
  }
  return exit_code;
}

}  // namespace

void add_validate_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "validate", "Predictions against measured training runs: errors, regret and noise");
  const auto options = std::make_shared<ValidateOptions>();
  command->add_option("FILE", options->files,
                      "Measured runs as CSV, see docs/formats.md; - for standard input (default: "
                      "what is built in, published runs and measurements of one H200)");
  command->add_flag("--all", options->all, "Show every row of a long file, not only the worst");
  const CLI::Option* plot =
      command->add_option("--plot", options->plot,
                          "Also draw predicted against measured times, as SVG (default: none)");
  command->add_option("--write-errors", options->errors,
                      "Also write the quantiles of errors that ranges of predictions come from, of "
                      "what is built in and of FILE (default: none)");
  command->add_option("--write", options->folder,
                      "Write validation.md and its plots to this folder instead of an answer "
                      "(default: none)");
  command
      ->add_option(
          "--set", options->settings,
          "FIELD=VALUE of every chip, absolute or relative, such as sustained.hbm=-5%; may "
          "be given several times")
      ->allow_extra_args(false);
  add_common_options(*command, *options);
  command->callback([options, plot, &action] {
    options->has_plot = plot->count() > 0;
    action = [options] { return run_validate(*options); };
  });
}

}  // namespace phaze::cli
