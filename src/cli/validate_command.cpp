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
#include "report/validation_report.h"
#include "trust/validate.h"

namespace phaze::cli {
namespace {

struct ValidateOptions : CommonOptions {
  std::string file, plot;
  bool has_plot = false;
  bool all = false;
  std::vector<std::string> settings;
};

std::optional<std::vector<plan::MeasuredRun>> load_runs(const std::string& path,
                                                        Diagnostics& diagnostics) {
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

int run_validate(const ValidateOptions& options) {
  Diagnostics diagnostics;
  if (options.has_plot) {
    if (const auto why = find_output_fault(options.plot, {{"runs", options.file}})) {
      diagnostics.error({"command line", 0, 0, "--plot"}, *why);
    } else {
      io::check_writable(options.plot, diagnostics);
    }
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
  command
      ->add_option("FILE", options->file,
                   "Measured runs as CSV, see docs/formats.md; - for standard input")
      ->required();
  command->add_flag("--all", options->all, "Show every row of a long file, not only the worst");
  const CLI::Option* plot =
      command->add_option("--plot", options->plot,
                          "Also draw predicted against measured times, as SVG (default: none)");
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
