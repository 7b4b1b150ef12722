#include <tbb/task_arena.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/progress.h"
#include "io/calibration_json.h"
#include "io/document.h"
#include "io/file_writer.h"
#include "io/measured_reader.h"
#include "io/measured_runs.h"
#include "presets/chips.h"
#include "presets/clusters.h"
#include "report/calibration_report.h"
#include "trust/calibrate.h"

namespace phaze::cli {
namespace {

constexpr std::size_t kLeastMeasured = 8;

struct CalibrateOptions : CommonOptions {
  std::string chip, cluster, operators, runs, output, cluster_output;
};

void fault(Diagnostics& diagnostics, const std::string& option, const std::string& message) {
  diagnostics.error({"command line", 0, 0, option}, message);
}

void check_options(const CalibrateOptions& options, Diagnostics& diagnostics) {
  if (options.operators.empty() && options.runs.empty()) {
    fault(diagnostics, "--operators", "expected measurements: --operators, --runs or both");
  }
  if (!options.cluster.empty() && options.runs.empty()) {
    fault(diagnostics, "--cluster", "constants of a cluster are fitted to --runs");
  }
  if (!options.cluster_output.empty() && options.cluster.empty()) {
    fault(diagnostics, "--cluster-output", "means nothing without --cluster");
  }
  const Inputs inputs = {{"chip", options.chip},
                         {"operators", options.operators},
                         {"runs", options.runs},
                         {"cluster", options.cluster}};
  for (const auto& [option, path] : {std::pair("--output", &options.output),
                                     std::pair("--cluster-output", &options.cluster_output)}) {
    if (path->empty()) {
      continue;
    }
    if (const auto why = find_output_fault(*path, inputs)) {
      fault(diagnostics, option, *why);
    } else {
      io::check_writable(*path, diagnostics);
    }
  }
}

// Rows on the chip, and on the cluster where one is given. They point into `runs`.
std::vector<trust::RunSetting> choose_runs(const CalibrateOptions& options,
                                           const std::vector<plan::MeasuredRun>& runs,
                                           Diagnostics& diagnostics) {
  std::vector<trust::RunSetting> chosen;
  auto settings = trust::make_run_settings(runs, {}, diagnostics);
  if (!settings) {
    return chosen;
  }
  for (trust::RunSetting& setting : *settings) {
    const plan::MeasuredRun& run = *setting.run;
    const bool is_here =
        run.chip == options.chip && (options.cluster.empty() || run.cluster == options.cluster);
    if (is_here && run.measured[static_cast<std::size_t>(plan::Measure::kIteration)]) {
      chosen.push_back(std::move(setting));
    }
  }
  if (chosen.empty()) {
    fault(diagnostics, "--runs",
          "no row has an iteration on " + options.chip +
              (options.cluster.empty() ? "" : " and " + options.cluster));
  }
  return chosen;
}

// How the file of the new chip names the old one.
std::string parent_of(const CalibrateOptions& options) {
  const auto names = presets::chip_names();
  if (std::ranges::find(names, options.chip) != names.end()) {
    return options.chip;
  }
  std::error_code error;
  const auto folder = std::filesystem::absolute(options.output, error).parent_path();
  return std::filesystem::proximate(options.chip, folder, error).string();
}

bool write_files(const CalibrateOptions& options, const trust::CalibrationAnswer& answer,
                 const std::string& fitted_on, Diagnostics& diagnostics) {
  const HoldInterrupts hold;
  if (!options.output.empty() &&
      !io::write_text_file(
          options.output,
          io::write_derived_chip(parent_of(options), answer.chip.title + ", calibrated", fitted_on,
                                 answer.calibration),
          diagnostics)) {
    return false;
  }
  if (options.cluster_output.empty()) {
    return true;
  }
  hw::Cluster cluster = *answer.cluster;
  cluster.calibration = fitted_on;
  return io::write_text_file(options.cluster_output, io::write_cluster_file(cluster), diagnostics);
}

// No constants of this model explain errors as large as these.
void say_doubts(const plan::Calibration& calibration) {
  constexpr double kMostError = 0.5;
  for (const plan::CalibrationErrors& each : calibration.errors) {
    if (each.after.median > kMostError) {
      report_note("half of the " + each.what + " are predicted more than " +
                  std::to_string(std::lround(100 * kMostError)) +
                  " % off with the fitted constants: are their times of this chip, and in the "
                  "units of their columns?");
    }
  }
}

int run_calibrate(const CalibrateOptions& options) {
  Diagnostics diagnostics;
  check_options(options, diagnostics);
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  trust::CalibrationRequest request;
  std::vector<plan::MeasuredRun> runs;
  std::string fitted_on = "phaze calibrate, fitted on";
  const auto chip = presets::load_chip(options.chip, {}, diagnostics);
  if (!options.cluster.empty()) {
    request.cluster = presets::load_cluster(options.cluster, {}, diagnostics);
  }
  if (!options.operators.empty()) {
    const auto text = io::read_text_file(options.operators, diagnostics);
    const auto found =
        text ? io::read_measured(*text, options.operators, diagnostics) : std::nullopt;
    request.operators = found.value_or(std::vector<plan::MeasuredOperator>{});
    fitted_on += " " + counted(request.operators.size(), "operator") + " of " +
                 std::filesystem::path(options.operators).filename().string();
  }
  if (!options.runs.empty()) {
    const auto text = io::read_text_file(options.runs, diagnostics);
    auto found =
        text ? io::read_measured_runs(*text, options.runs, "runs", diagnostics) : std::nullopt;
    if (found) {
      runs = *std::move(found);
      request.runs = choose_runs(options, runs, diagnostics);
    }
    fitted_on += std::string(options.operators.empty() ? " " : " and ") +
                 counted(request.runs.size(), "run") + " of " +
                 std::filesystem::path(options.runs).filename().string();
  }
  if (!diagnostics.has_errors() &&
      request.operators.size() + request.runs.size() < kLeastMeasured) {
    fault(diagnostics, options.operators.empty() ? "--runs" : "--operators",
          "expected at least " + std::to_string(kLeastMeasured) + " measurements, found " +
              std::to_string(request.operators.size() + request.runs.size()));
  }
  if (!chip || diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  request.chip = *chip;
  trust::CalibrationAnswer answer;
  {
    Progress progress;
    progress.show("fitting");
    tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
    arena.execute([&] { answer = trust::calibrate(request); });
  }
  if (!write_files(options, answer, fitted_on, diagnostics)) {
    return report_bad_input(diagnostics);
  }
  say_doubts(answer.calibration);
  return print(options.json ? io::write_calibration(answer.calibration)
                            : for_people(report::calibration_text(answer.calibration)));
}

}  // namespace

void add_calibrate_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "calibrate", "Fit the few constants of a chip, or of its cluster, to your own measurements");
  const auto options = std::make_shared<CalibrateOptions>();
  command->add_option("--chip", options->chip, "Built-in name or YAML file to start from")
      ->required();
  command->add_option("--operators", options->operators,
                      "Measured operators as CSV, see docs/formats.md; python/measure_operators.py "
                      "measures them (default: none)");
  command->add_option("--runs", options->runs,
                      "Measured training runs as CSV; rows on the chip (and cluster) count "
                      "(default: none)");
  command->add_option("--cluster", options->cluster,
                      "Fit this cluster's constants too: built-in name or YAML file, as rows name "
                      "it (default: none)");
  command->add_option("-o,--output", options->output,
                      "Write a chip that derives from CHIP to this file (default: none)");
  command->add_option("--cluster-output", options->cluster_output,
                      "Write the cluster to this file (default: none)");
  add_common_options(*command, *options);
  command->callback([options, &action] { action = [options] { return run_calibrate(*options); }; });
}

}  // namespace phaze::cli
