#include "cli/place_setting.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/assumptions.h"
#include "cli/layer_schedules.h"
#include "cli/output_file.h"
#include "cli/place_limits.h"
#include "cli/report_file.h"
#include "graph/optimizer.h"
#include "io/file_writer.h"
#include "presets/chips.h"
#include "presets/clusters.h"

namespace phaze::cli {
namespace {

// "300e9", "300B", "15T", "2.5M".
std::optional<double> parse_tokens(std::string_view text) {
  double scale = 1;
  if (!text.empty()) {
    const char last = text.back();
    scale = last == 'k' || last == 'K'   ? 1e3
            : last == 'M'                ? 1e6
            : last == 'B' || last == 'G' ? 1e9
            : last == 'T'                ? 1e12
                                         : 1;
    text.remove_suffix(scale > 1 ? 1 : 0);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  const double tokens = value * scale;
  constexpr double kMostTokens = 1e18;
  return is_number && std::isfinite(tokens) && tokens >= 1 && tokens <= kMostTokens
             ? std::optional(tokens)
             : std::nullopt;
}

// What --set changes is part of what a chip and a cluster are called.
void name_changes(const std::vector<std::string>& settings, search::PlanSetting& setting) {
  std::string of_chip, of_cluster;
  for (const std::string& each : settings) {
    const bool is_cluster = each.starts_with("cluster.");
    const std::size_t begin = is_cluster || each.starts_with("chip.") ? each.find('.') + 1 : 0;
    std::string& list = is_cluster ? of_cluster : of_chip;
    list += (list.empty() ? " (" : ", ") + each.substr(begin);
  }
  setting.chip.name += of_chip.empty() ? "" : of_chip + ")";
  setting.cluster.name += of_cluster.empty() ? "" : of_cluster + ")";
}

}  // namespace

std::optional<search::PlanSetting> read_setting(const PlanOptions& options,
                                                Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  const auto has_errors = [&] { return diagnostics.error_count() > before; };
  const auto fault = [&diagnostics](const std::string& option, const std::string& message) {
    diagnostics.error({"command line", 0, 0, option}, message);
  };
  const std::optional<Assumptions> assumptions = parse_assumptions(options.assumptions);
  if (!assumptions) {
    fault("--assumptions", "expected modern, phaze2024 or phaze2024-released, found \"" +
                               options.assumptions + "\"");
  }
  if (options.chip.empty()) {
    fault("--chip", "a plan needs a chip");
  }
  search::PlanSetting setting;
  if (auto solve = read_layer_schedules("--layer-schedule", options.layer_schedule,
                                        options.ilp_time_limit_s, diagnostics)) {
    setting.scheduling.solve = *std::move(solve);
  }
  setting.limits = read_limits(options, diagnostics);
  apply_strategy(options, setting.limits, diagnostics);
  if (is_given(options, "--output")) {
    if (const auto why = find_output_fault(options.output, {{"model", options.model.model},
                                                            {"chip", options.chip},
                                                            {"cluster", options.cluster}})) {
      fault("--output", *why);
    } else if (!has_errors()) {
      io::check_writable(options.output, diagnostics);
    }
  }
  if (is_given(options, "--report") && !has_errors()) {
    check_report_file("--report", options.report,
                      {{"model", options.model.model},
                       {"chip", options.chip},
                       {"cluster", options.cluster},
                       {"plan", options.output}},
                      diagnostics);
  }
  if (has_errors()) {
    return std::nullopt;
  }
  setting.assumptions = *assumptions;
  ModelOptions model_options = options.model;
  assume(*assumptions, model_options);
  setting.devices = options.devices > 0 ? options.devices : search::default_devices(*assumptions);
  setting.global_batch =
      options.global_batch > 0 ? options.global_batch : search::default_global_batch(*assumptions);
  setting.overlap = !options.no_overlap;
  std::vector<std::string> settings = chip_settings(*assumptions);
  settings.insert(settings.end(), options.settings.begin(), options.settings.end());
  // Those of the cluster are told by their first word.
  const auto cluster_settings = std::ranges::stable_partition(
      settings, [](const std::string& each) { return !each.starts_with("cluster."); });
  const std::vector<std::string> of_cluster(cluster_settings.begin(), cluster_settings.end());
  settings.erase(cluster_settings.begin(), cluster_settings.end());
  const auto chip = presets::load_chip(options.chip, settings, diagnostics);
  const auto cluster = presets::load_cluster(
      is_given(options, "--cluster") ? options.cluster : default_cluster(*assumptions), of_cluster,
      diagnostics);
  auto workload = load_workload(model_options, diagnostics);
  if (!chip || !cluster || !workload) {
    return std::nullopt;
  }
  setting.chip = *chip;
  setting.cluster = *cluster;
  name_changes(options.settings, setting);
  setting.model = std::move(workload->model);
  setting.build = workload->build;
  setting.build.pads_vocabulary = !search::is_original(setting.assumptions);
  setting.training = workload->training;
  // Megatron-LM reduced gradients after the last backward.
  setting.overlap = setting.overlap && setting.build.execution != models::Execution::kMegatron;
  if (!search::peak_of(setting)) {
    fault("--precision",
          setting.chip.name + " has no matrix units for " +
              std::string(graph::to_string(graph::weight_type(setting.training.precision))));
    return std::nullopt;
  }
  check_limits(options, setting, diagnostics);
  if (has_errors()) {
    return std::nullopt;
  }
  return setting;
}

std::optional<RunRequest> read_run(const PlanOptions& options, Diagnostics& diagnostics) {
  RunRequest request;
  const auto take = [&](const char* name, double value, auto& price) {
    if (is_given(options, name)) {
      price = value;
      if (options.tokens.empty()) {
        diagnostics.error({"command line", 0, 0, name}, "means nothing without --tokens");
      }
    }
  };
  take("--pue", options.pue, request.prices.pue);
  take("--usd-per-kwh", options.usd_per_kwh, request.prices.usd_per_kwh);
  take("--kg-per-kwh", options.kg_per_kwh, request.prices.kg_per_kwh);
  take("--life-years", options.life_years, request.prices.life_years);
  take("--usd-per-device", options.usd_per_device, request.prices.usd_per_device);
  take("--usd-per-device-hour", options.usd_per_device_hour, request.prices.usd_per_device_hour);
  if (is_given(options, "--usd-per-device") && is_given(options, "--usd-per-device-hour")) {
    diagnostics.error({"command line", 0, 0, "--usd-per-device"},
                      "means nothing beside --usd-per-device-hour");
  }
  if (is_given(options, "--pue") && options.pue < 1) {
    diagnostics.error({"command line", 0, 0, "--pue"}, "expected 1 or more");
  }
  if (options.tokens.empty()) {
    return std::nullopt;
  }
  const auto tokens = parse_tokens(options.tokens);
  if (!tokens) {
    diagnostics.error({"command line", 0, 0, "--tokens"},
                      "expected a number from 1 to 1e18, such as 300e9, 300B or 15T, found \"" +
                          options.tokens + "\"");
    return std::nullopt;
  }
  request.tokens = *tokens;
  return request;
}

}  // namespace phaze::cli
