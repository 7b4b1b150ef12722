#include "io/original_reader.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "io/map_reader.h"
#include "io/original_graphs.h"

namespace phaze::io {
namespace {

using plan::OriginalInstance;

constexpr Bounds kRates{1e-9};                       // what the original takes
constexpr std::int64_t kMostLayers = 1'000'000'000;  // that a fixed strategy speaks of

std::optional<std::int64_t> parse_width(const std::string& key) {
  std::int64_t width = 0;
  const char* end = key.data() + key.size();
  const auto [last, error] = std::from_chars(key.data(), end, width);
  const bool is_width = error == std::errc() && last == end && !key.starts_with('0') &&
                        width >= 1 && width <= kMostOriginalDevices;
  return is_width ? std::optional(width) : std::nullopt;
}

std::int64_t read_devices(MapReader& map) {
  constexpr Bounds kDevices{1, static_cast<double>(kMostOriginalDevices)};
  const double devices = map.number("maxDevices", std::nullopt, kDevices);
  if (devices != std::floor(devices)) {
    map.error("maxDevices", "expected a whole number, found " + shortest(devices));
  }
  return static_cast<std::int64_t>(devices);
}

// The original divides batch by micro-batch and drops the rest.
std::int64_t read_microbatches(MapReader& map) {
  constexpr Bounds kBatches{1, static_cast<double>(kMostOriginalMicrobatches)};
  return static_cast<std::int64_t>(map.number("mbsInBatch", std::nullopt, kBatches));
}

std::optional<plan::FixedStrategy> read_fixed(MapReader& map) {
  const bool is_given = map.has("fixedPP") || map.has("fixedTMPC") || map.has("fixedDP");
  const std::optional<std::int64_t> fallback =
      is_given ? std::nullopt : std::optional<std::int64_t>(1);
  plan::FixedStrategy fixed;
  fixed.stages = map.count("fixedPP", fallback, 1, kMostOriginalDevices);
  fixed.width = map.count("fixedTMPC", fallback, 1, kMostOriginalDevices);
  fixed.data_parallel = map.count("fixedDP", fallback, 1, kMostOriginalDevices);
  fixed.transformer_layers = map.count("numTransformerLayers", fallback, 0, kMostLayers);
  return is_given ? std::optional(fixed) : std::nullopt;
}

// A map from widths to lists; nothing with a fault.
const Value* read_widths(MapReader& map, const std::string& key, const std::string& item,
                         Diagnostics& diagnostics) {
  const Value* widths = map.child(key);
  const bool is_missing = widths == nullptr ? !map.has(key) : widths->members.empty();
  if (is_missing) {
    map.error(key, "expected a map from widths to lists such as {\"1\": [" + item + "]}");
  }
  if (is_missing || widths == nullptr) {
    return nullptr;
  }
  bool is_sound = true;
  for (const Member& width : widths->members) {
    if (!parse_width(width.first)) {
      diagnostics.error(width.second.where, "expected a tensor-parallel width from 1 to " +
                                                std::to_string(kMostOriginalDevices) +
                                                " as key, found \"" + shortened(width.first) +
                                                "\"");
      is_sound = false;
    } else if (width.second.kind != ValueKind::kList) {
      diagnostics.error(width.second.where, "expected a list, found " + describe(width.second));
      is_sound = false;
    }
  }
  return is_sound ? widths : nullptr;
}

std::vector<OriginalWidth> pair_widths(const Value& nodes, const Value& edges,
                                       Diagnostics& diagnostics) {
  for (const Member& width : edges.members) {
    if (nodes.find(width.first) == nullptr) {
      diagnostics.error(width.second.where, "nodes have no width " + width.first);
    }
  }
  std::vector<OriginalWidth> widths;
  for (const Member& width : nodes.members) {
    const Value* of_width = edges.find(width.first);
    if (of_width == nullptr) {
      diagnostics.error(width.second.where, "edges have no width " + width.first);
    } else {
      widths.push_back({parse_width(width.first).value_or(1), &width.second, of_width});
    }
  }
  std::ranges::sort(widths, {}, &OriginalWidth::width);
  return widths;
}

}  // namespace

std::optional<OriginalInstance> read_original_instance(const Value& document,
                                                       Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  MapReader map(document, diagnostics);
  OriginalInstance instance;
  instance.memory = plan::RealBytes(map.number("maxMemoryPerDevice", std::nullopt, kRates));
  instance.devices = read_devices(map);
  instance.bandwidth = BytesPerSecond(map.number("bandwidth", std::nullopt, kRates));
  instance.microbatches = read_microbatches(map);
  instance.recompute = map.flag("activationRecomputation", std::nullopt);
  instance.optimizer = map.choice<plan::OriginalOptimizer>(
      "optimizerAlgorithm", std::nullopt, plan::parse_original_optimizer, {"SGD", "Adam"});
  instance.fixed = read_fixed(map);
  const Value* nodes = read_widths(map, "nodes", "{\"id\": 0, ...}", diagnostics);
  const Value* edges =
      read_widths(map, "edges", "{\"sourceId\": 0, \"destId\": 1, ...}", diagnostics);
  map.finish();
  if (nodes != nullptr && edges != nullptr) {
    const std::size_t faults = diagnostics.error_count();
    const std::vector<OriginalWidth> widths = pair_widths(*nodes, *edges, diagnostics);
    if (diagnostics.error_count() == faults) {
      instance.graphs = read_original_graphs(widths, diagnostics);
    }
  }
  return diagnostics.error_count() > before ? std::nullopt : std::optional(std::move(instance));
}

}  // namespace phaze::io
