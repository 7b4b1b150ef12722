#include "hw/cluster.h"

#include <algorithm>

#include "base/check.h"

namespace phaze::hw {
namespace {

constexpr std::array<std::string_view, 4> kKinds = {"switch", "fat_tree", "ring", "torus"};

// The levels from `first` on that are dimensions of one torus; one past the last.
std::size_t end_of_torus(const Cluster& cluster, std::size_t first) {
  std::size_t end = first;
  while (end < cluster.levels.size() && cluster.levels[end].kind == LevelKind::kTorus) {
    ++end;
  }
  return end;
}

// What crosses the middle of one line of a ring in one direction: two of its links when it is
// closed, one otherwise; a device's bandwidth is that of two links.
double across_line(const Level& level) {
  return level.wraparound ? level.bandwidth.value() : level.bandwidth.value() / 2;
}

}  // namespace

std::string_view to_string(LevelKind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

std::optional<LevelKind> parse_level_kind(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name);
  return found == kKinds.end() ? std::nullopt
                               : std::optional(static_cast<LevelKind>(found - kKinds.begin()));
}

std::vector<std::string> level_kind_names() { return {kKinds.begin(), kKinds.end()}; }

std::int64_t devices_per_part(const Cluster& cluster, std::size_t level) {
  std::int64_t devices = 1;
  for (std::size_t i = 0; i < level; ++i) {
    CHECK(cluster.levels[i].members, "only the outermost level may have any number of members");
    devices = checked_multiply(devices, *cluster.levels[i].members);
  }
  return devices;
}

std::optional<std::int64_t> device_count(const Cluster& cluster) {
  return cluster.levels.back().members
             ? std::optional(devices_per_part(cluster, cluster.levels.size()))
             : std::nullopt;
}

std::optional<BytesPerSecond> bisection_bandwidth(const Cluster& cluster, std::size_t level) {
  const Level& cut = cluster.levels.at(level);
  if (!cut.members) {
    return std::nullopt;
  }
  const auto part = static_cast<double>(devices_per_part(cluster, level));
  if (has_neighbours_only(cut.kind)) {
    return BytesPerSecond(*cut.members > 1 ? part * across_line(cut) : 0);
  }
  const std::int64_t half = *cut.members / 2;
  return BytesPerSecond(static_cast<double>(half) * part * cut.bandwidth.value() /
                        cut.oversubscription);
}

std::optional<BytesPerSecond> bisection_bandwidth(const Cluster& cluster) {
  const std::optional<std::int64_t> devices = device_count(cluster);
  if (!devices) {
    return std::nullopt;
  }
  std::size_t first = cluster.levels.size() - 1;
  while (first > 0 && cluster.levels[first].kind == LevelKind::kTorus &&
         cluster.levels[first - 1].kind == LevelKind::kTorus) {
    --first;
  }
  std::optional<BytesPerSecond> least = bisection_bandwidth(cluster, cluster.levels.size() - 1);
  for (std::size_t i = first; i < end_of_torus(cluster, first); ++i) {
    const std::int64_t lines = *devices / *cluster.levels[i].members;
    least = std::min(*least,
                     BytesPerSecond(static_cast<double>(lines) * across_line(cluster.levels[i])));
  }
  return least;
}

Cluster with_link_limit(Cluster cluster, BytesPerSecond link_bandwidth) {
  std::vector<Level>& levels = cluster.levels;
  const std::size_t end = std::max(end_of_torus(cluster, 0), std::size_t{1});
  double sum = 0;
  for (std::size_t i = 0; i < end; ++i) {
    sum += levels[i].bandwidth.value();
  }
  for (std::size_t i = 0; i < end; ++i) {
    levels[i].bandwidth = levels[i].bandwidth * std::min(1.0, link_bandwidth.value() / sum);
  }
  return cluster;
}

}  // namespace phaze::hw
