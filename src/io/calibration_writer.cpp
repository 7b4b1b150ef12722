#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "io/calibration_json.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;

Json errors_json(const plan::ErrorSummary& errors) {
  return {{"count", errors.count},
          {"mean_error", errors.mean},
          {"median_error", errors.median},
          {"p90_error", errors.p90},
          {"bias", errors.bias}};
}

// Four digits are more than a fit knows.
std::string digits(double value) {
  char text[32];
  const auto written =
      std::to_chars(std::begin(text), std::end(text), value, std::chars_format::scientific, 3);
  double rounded = value;
  std::from_chars(text, written.ptr, rounded);
  return shortest(rounded);
}

// In quotes of YAML, which JSON's are.
std::string quoted_text(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string write_calibration(const plan::Calibration& calibration) {
  Json json = {{"schema", 1}, {"constants", Json::array()}, {"errors", Json::object()}};
  for (const plan::FittedConstant& one : calibration.constants) {
    const std::string unit = one.is_time ? "_s" : "";
    json["constants"].push_back({{"field", one.field},
                                 {"of", one.is_of_cluster ? "cluster" : "chip"},
                                 {"before" + unit, one.before},
                                 {"after" + unit, one.after},
                                 {"fitted", one.is_known}});
  }
  for (const plan::CalibrationErrors& one : calibration.errors) {
    json["errors"][one.what] = {{"before", errors_json(one.before)},
                                {"after", errors_json(one.after)},
                                {"cross_validated", errors_json(one.crossed)}};
  }
  json["folds"] = calibration.folds;
  json["evaluations"] = calibration.evaluations;
  return json.dump(2) + "\n";
}

std::string write_derived_chip(const std::string& parent, const std::string& title,
                               const std::string& source, const plan::Calibration& calibration) {
  std::string text = "derive: " + quoted_text(parent) + "\ntitle: " + quoted_text(title) +
                     "\nsource: " + quoted_text(source) + "\n";
  std::string shares;
  for (const plan::FittedConstant& one : calibration.constants) {
    constexpr std::string_view kSustained = "sustained.";
    if (one.is_of_cluster || !one.is_known) {
      continue;
    }
    if (one.field.starts_with(kSustained)) {
      shares += (shares.empty() ? "" : ", ") + one.field.substr(kSustained.size()) + ": " +
                digits(one.after);
    } else {
      text += one.field + (one.is_time ? "_s" : "") + ": " + digits(one.after) + "  # fitted\n";
    }
  }
  return text + (shares.empty() ? "" : "sustained: {" + shares + "}  # fitted\n");
}

std::string write_cluster_file(const hw::Cluster& cluster) {
  std::string text = "title: " + quoted_text(cluster.title) +
                     "\nsource: " + quoted_text(cluster.source) +
                     "\ncalibration: " + quoted_text(cluster.calibration) +
                     "\nstart_s: " + digits(cluster.start.value()) + "\n";
  if (cluster.start.value() == 0) {
    text = text.substr(0, text.rfind("start_s"));
  }
  if (cluster.copy_bandwidth) {
    text += "copy_bandwidth_bytes_per_s: " + shortest(cluster.copy_bandwidth->value()) + "\n";
  }
  text += std::string("hierarchical: ") + (cluster.hierarchical ? "true" : "false") + "\nlevels:\n";
  for (const hw::Level& level : cluster.levels) {
    const bool is_line = hw::has_neighbours_only(level.kind);
    text += "  - name: " + quoted_text(level.name) +
            "\n    kind: " + std::string(hw::to_string(level.kind)) +
            "\n    members: " + (level.members ? std::to_string(*level.members) : "any") +
            "\n    bandwidth_bytes_per_s: " + shortest(level.bandwidth.value()) +
            "\n    latency_s: " + shortest(level.latency.value()) +
            "\n    efficiency: " + digits(level.efficiency) + "\n";
    if (level.kind == hw::LevelKind::kFatTree) {
      text += "    oversubscription: " + shortest(level.oversubscription) + "\n";
      text += "    crossing_share: " + digits(level.crossing_share) + "\n";
    }
    if (is_line) {
      text += std::string("    wraparound: ") + (level.wraparound ? "true" : "false") + "\n";
    }
    if (level.in_network_efficiency) {
      text += "    in_network_reduction: true\n    in_network_efficiency: " +
              shortest(*level.in_network_efficiency) + "\n";
    }
    text += std::string("    algorithms: [ring") + (level.patterns.tree ? ", tree" : "") +
            (level.patterns.halving_doubling ? ", halving_doubling" : "") + "]\n";
  }
  return text;
}

}  // namespace phaze::io
