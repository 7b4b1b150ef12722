#include <tbb/task_arena.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "io/document.h"
#include "io/file_writer.h"
#include "io/measured_runs.h"
#include "io/validation_json.h"
#include "presets/chips.h"
#include "presets/measured.h"
#include "report/validation_document.h"
#include "report/validation_report.h"
#include "trust/h200_rows.h"
#include "trust/validate.h"

namespace phaze::cli {
namespace {

struct ValidateOptions : CommonOptions {
  std::string file, plot, folder;  // no file: what is built in
  bool has_plot = false;
  bool all = false;
  std::vector<std::string> settings;
};

std::optional<std::vector<plan::MeasuredRun>> load_runs(const std::string& path,
                                                        Diagnostics& diagnostics) {
  if (path.empty()) {
    std::vector<plan::MeasuredRun> all;
    for (const presets::MeasuredFile& file : presets::published_runs()) {
      const std::string name(file.name);
      auto runs = io::read_measured_runs(file.text, name, name, diagnostics);
      if (runs) {
        all.insert(all.end(), runs->begin(), runs->end());
      }
    }
    return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(all));
  }
  const bool is_input = path == "-";
  const std::string source = is_input ? "standard input" : path;
  const auto text = is_input ? io::read_text(std::cin, source, diagnostics)
                             : io::read_text_file(path, diagnostics);
  const std::string group = is_input ? "runs" : std::filesystem::path(path).stem().string();
  return text ? io::read_measured_runs(*text, source, group, diagnostics) : std::nullopt;
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

int run_validate(const ValidateOptions& options) {
  Diagnostics diagnostics;
  if (options.has_plot) {
    if (const auto why = find_output_fault(options.plot, {{"runs", options.file}})) {
      diagnostics.error({"command line", 0, 0, "--plot"}, *why);
    } else {
      io::check_writable(options.plot, diagnostics);
    }
  }
  const bool is_built_in = options.file.empty();
  if (!options.folder.empty() && !is_built_in) {
    diagnostics.error({"command line", 0, 0, "--write"},
                      "the document is that of what is built in: expected no FILE");
  }
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  const auto runs = load_runs(options.file, diagnostics);
  const auto settings =
      runs ? trust::make_run_settings(*runs, options.settings, diagnostics) : std::nullopt;
  if (!settings) {
    return report_bad_input(diagnostics);
  }
  plan::Validation validation;
  {
    Progress progress;
    progress.show("pricing " + std::to_string(settings->size()) + " runs");
    tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
    arena.execute([&] { validation = trust::validate(*settings); });
    if (is_built_in && !add_own(options, validation, diagnostics)) {
      return report_bad_input(diagnostics);
    }
  }
  if (!options.folder.empty()) {
    return write_document(options, validation, diagnostics) ? kAnswer
                                                            : report_bad_input(diagnostics);
  }
  if (options.has_plot && !write_plot(options, validation, diagnostics)) {
    return report_bad_input(diagnostics);
  }
  const int exit_code = print(options.json ? io::write_validation(validation)
                                           : report::validation_text(validation, options.all));
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
  command->add_option("FILE", options->file,
                      "Measured runs as CSV, see docs/formats.md; - for standard input (default: "
                      "what is built in, published runs and measurements of one H200)");
  command->add_flag("--all", options->all, "Show every row of a long file, not only the worst");
  const CLI::Option* plot =
      command->add_option("--plot", options->plot,
                          "Also draw predicted against measured times, as SVG (default: none)");
  command->add_option("--write", options->folder,
                      "Write validation.md and its plots to this folder instead of an answer");
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
