#include "io/cluster_reader.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "io/map_reader.h"

namespace phaze::io {
namespace {

// Far beyond what has been built or will be soon; they catch slips with units and digits.
constexpr std::int64_t kMostMembers = 1'000'000;
constexpr std::int64_t kMostDevices = 16'777'216;
constexpr Bounds kBandwidths{1e3, 1e16};
constexpr Bounds kLatencies{0, 1};
constexpr Bounds kShares{0, 1, false};
constexpr Bounds kOversubscriptions{1, 1000};

bool is_name(const std::string& text) {
  return !text.empty() && text.find_first_not_of(
                              "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == std::string::npos;
}

// Options that a kind of level does not have are asked for, so that they are known keys, and
// refused.
bool refuse(MapReader& map, const std::string& key, const std::string& why) {
  if (!map.has(key)) {
    return false;
  }
  map.find(key);
  map.error(key, why);
  return true;
}

std::optional<std::int64_t> read_members(MapReader& map, hw::LevelKind kind, bool is_outermost) {
  const bool is_line = hw::has_neighbours_only(kind);
  const Value* value = map.find("members");
  if (value != nullptr && value->kind == ValueKind::kText && value->text == "any") {
    if (!is_outermost) {
      map.error("members", "only the outermost level may have any number of members");
      return 1;
    }
    if (is_line) {
      map.error("members", "a " + std::string(hw::to_string(kind)) +
                               " closes only at a known number of members, found any");
      return 2;
    }
    return std::nullopt;
  }
  // A dimension of one has no links.
  return map.count("members", std::nullopt, is_line ? 2 : 1, kMostMembers);
}

hw::Patterns read_patterns(MapReader& map, bool is_line, Diagnostics& diagnostics) {
  if (!map.has("algorithms")) {
    return {!is_line, !is_line};
  }
  bool has_ring = false;
  hw::Patterns patterns{false, false};
  const std::vector<std::string> names =
      is_line ? std::vector<std::string>{"ring"}
              : std::vector<std::string>{"ring", "tree", "halving_doubling"};
  const std::string expected =
      is_line ? "ring, the only way between neighbours" : "ring, tree or halving_doubling";
  const std::size_t before = diagnostics.error_count();
  for (const Value& item : map.list("algorithms", "a list such as [ring, tree]")) {
    if (std::ranges::find(names, item.text) == names.end()) {
      diagnostics.error(item.where, "expected " + expected + ", found " + describe(item) +
                                        did_you_mean(item.text, names));
    }
    has_ring = has_ring || item.text == "ring";
    patterns.tree = patterns.tree || item.text == "tree";
    patterns.halving_doubling = patterns.halving_doubling || item.text == "halving_doubling";
  }
  if (!has_ring && diagnostics.error_count() == before) {
    map.error("algorithms", "expected ring among them: not every collective has another way");
  }
  return patterns;
}

hw::Level read_level(const Value& value, bool is_outermost, Diagnostics& diagnostics) {
  MapReader map(value, diagnostics);
  hw::Level level;
  level.name = map.text("name", std::nullopt);
  if (map.has("name") && !is_name(level.name)) {
    map.error("name", "expected letters, digits, - and _, found \"" + level.name + "\"");
  }
  const std::size_t before = diagnostics.error_count();
  level.kind =
      map.choice<hw::LevelKind>("kind", std::nullopt, hw::parse_level_kind, hw::level_kind_names());
  const bool is_known = diagnostics.error_count() == before;
  const std::string kind(hw::to_string(level.kind));
  const bool is_line = hw::has_neighbours_only(level.kind);
  level.members = read_members(map, level.kind, is_outermost);
  level.bandwidth = BytesPerSecond(
      map.quantity("bandwidth", Dimension::kBytesPerSecond, std::nullopt, kBandwidths));
  level.latency = Seconds(map.quantity("latency", Dimension::kSeconds, std::nullopt, kLatencies));
  level.efficiency = map.number("efficiency", 1, kShares);
  if (level.kind == hw::LevelKind::kFatTree || !is_known) {
    level.oversubscription = map.number("oversubscription", 1, kOversubscriptions);
    level.crossing_share = map.number("crossing_share", 1, kShares);
  } else {
    refuse(map, "crossing_share", "means nothing for a " + kind + "; a fat_tree has one");
    refuse(map, "oversubscription", "means nothing for a " + kind + "; a fat_tree has one");
  }
  if (is_line || !is_known) {
    level.wraparound = map.flag("wraparound", true);
  } else {
    refuse(map, "wraparound", "means nothing for a " + kind);
  }
  const std::string only_switches = "means nothing for a " + kind + ", which has no switches";
  if (is_line && is_known) {
    refuse(map, "in_network_reduction", only_switches);
    refuse(map, "in_network_efficiency", only_switches);
  } else if (map.flag("in_network_reduction", false)) {
    level.in_network_efficiency = map.number("in_network_efficiency", level.efficiency, kShares);
  } else if (!map.is_sound("in_network_reduction")) {
    map.number("in_network_efficiency", level.efficiency, kShares);
  } else {
    refuse(map, "in_network_efficiency", "means nothing without in_network_reduction: true");
  }
  level.patterns = read_patterns(map, is_line && is_known, diagnostics);
  map.finish();
  return level;
}

void check_whole(const hw::Cluster& cluster, MapReader& map) {
  std::set<std::string> names;
  std::int64_t devices = 1;
  for (const hw::Level& level : cluster.levels) {
    if (!level.name.empty() && !names.insert(level.name).second) {
      map.error("levels", "two levels are called " + level.name);
    }
    devices *= level.members.value_or(1);
    if (devices > kMostDevices) {
      map.error("levels", "expected at most " + with_thousands(kMostDevices) +
                              " devices in all, found more than that");
      return;
    }
  }
}

}  // namespace

std::optional<hw::Cluster> read_cluster(const Value& document, const std::string& name,
                                        Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  MapReader map(document, diagnostics);
  hw::Cluster cluster;
  cluster.name = name;
  cluster.title = map.text("title", name);
  cluster.source = map.text("source", "");
  cluster.calibration = map.text("calibration", "");
  cluster.start = Seconds(map.quantity("start", Dimension::kSeconds, 0, kLatencies));
  if (const auto copy =
          map.optional_quantity("copy_bandwidth", Dimension::kBytesPerSecond, kBandwidths)) {
    cluster.copy_bandwidth = BytesPerSecond(*copy);
  }
  cluster.hierarchical = map.flag("hierarchical", true);
  const std::vector<Value>& levels = map.list("levels", "a list of levels, the innermost first");
  for (std::size_t i = 0; i < std::min(levels.size(), hw::kMaxLevels); ++i) {
    cluster.levels.push_back(read_level(levels[i], i + 1 == levels.size(), diagnostics));
  }
  if (levels.size() > hw::kMaxLevels || (levels.empty() && diagnostics.error_count() == before)) {
    map.error("levels", "expected one to " + std::to_string(hw::kMaxLevels) + " levels, found " +
                            std::to_string(levels.size()));
  }
  check_whole(cluster, map);
  map.finish();
  return diagnostics.error_count() > before ? std::nullopt : std::optional(cluster);
}

}  // namespace phaze::io
