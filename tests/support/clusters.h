#pragma once
// Small clusters and groups, built in one line.

#include <initializer_list>

#include "cost/collective.h"
#include "cost/group.h"
#include "hw/cluster.h"

namespace phaze::tests {

inline constexpr double kMicro = 1e-6;
inline constexpr double kGiga = 1e9;

// Latencies in seconds, bandwidths in bytes a second.
inline hw::Level level_of(hw::LevelKind kind, std::int64_t members, double bandwidth,
                          double latency) {
  hw::Level level;
  level.name = "level";
  level.kind = kind;
  level.members = members;
  level.bandwidth = BytesPerSecond(bandwidth);
  level.latency = Seconds(latency);
  return level;
}

inline hw::Level switch_of(std::int64_t members, double bandwidth, double latency) {
  return level_of(hw::LevelKind::kSwitch, members, bandwidth, latency);
}

inline hw::Level torus_of(std::int64_t members, double bandwidth, double latency) {
  return level_of(hw::LevelKind::kTorus, members, bandwidth, latency);
}

inline hw::Cluster cluster_of(std::initializer_list<hw::Level> levels) {
  hw::Cluster cluster;
  cluster.name = "test";
  cluster.levels = levels;
  return cluster;
}

// Members at each level, next to one another and alone.
inline cost::Group group_of(std::initializer_list<std::int64_t> members) {
  cost::Group group;
  std::size_t i = 0;
  for (const std::int64_t count : members) {
    group.spans[i++].members = count;
  }
  return group;
}

inline double time_of(const hw::Cluster& cluster, cost::Collective collective, std::int64_t bytes,
                      const cost::Group& group) {
  return cost::compute_collective(cluster, collective, Bytes(bytes), group).time.value();
}

// By one algorithm alone; it must be able to.
inline double time_by(cost::Algorithm algorithm, const hw::Cluster& cluster,
                      cost::Collective collective, std::int64_t bytes, const cost::Group& group) {
  return cost::compute_collective(cluster, collective, Bytes(bytes), group,
                                  cost::AlgorithmSet::only(algorithm))
      .value()
      .time.value();
}

}  // namespace phaze::tests
