#include "hw/cluster.h"

#include <gtest/gtest.h>

#include "support/clusters.h"

namespace phaze::hw {
namespace {

using tests::cluster_of;
using tests::level_of;
using tests::switch_of;
using tests::torus_of;

TEST(Cluster, CountsDevices) {
  Cluster cluster = cluster_of({switch_of(8, 1e9, 0), switch_of(4, 1e9, 0), switch_of(3, 1e9, 0)});
  EXPECT_EQ(devices_per_part(cluster, 0), 1);
  EXPECT_EQ(devices_per_part(cluster, 1), 8);
  EXPECT_EQ(devices_per_part(cluster, 2), 32);
  EXPECT_EQ(device_count(cluster), 96);
  cluster.levels.back().members = std::nullopt;
  EXPECT_EQ(device_count(cluster), std::nullopt);
  cluster.levels.front().members = std::nullopt;
  EXPECT_THROW(devices_per_part(cluster, 1), std::logic_error);
}

TEST(Cluster, BisectionOfSwitchesAndTrees) {
  Cluster cluster = cluster_of({switch_of(8, 100, 0), level_of(LevelKind::kFatTree, 5, 10, 0)});
  EXPECT_EQ(bisection_bandwidth(cluster, 0), BytesPerSecond(400));
  EXPECT_EQ(bisection_bandwidth(cluster, 1), BytesPerSecond(2 * 8 * 10));
  EXPECT_EQ(bisection_bandwidth(cluster), BytesPerSecond(160));
  cluster.levels[1].oversubscription = 4;
  EXPECT_EQ(bisection_bandwidth(cluster), BytesPerSecond(40));
  cluster.levels[1].members = std::nullopt;
  EXPECT_EQ(bisection_bandwidth(cluster), std::nullopt);
  EXPECT_EQ(bisection_bandwidth(cluster, 1), std::nullopt);
}

TEST(Cluster, BisectionOfATorusCutsItsLongestDimension) {
  // 4 x 8: across the eight lie four lines, across the four lie eight.
  Cluster torus = cluster_of({torus_of(4, 10, 0), torus_of(8, 10, 0)});
  EXPECT_EQ(bisection_bandwidth(torus), BytesPerSecond(4 * 10));
  EXPECT_EQ(bisection_bandwidth(torus, 0), BytesPerSecond(10));  // of one line of four
  torus.levels[0].wraparound = false;
  EXPECT_EQ(bisection_bandwidth(torus), BytesPerSecond(8 * 5));
  torus.levels[1].wraparound = false;
  EXPECT_EQ(bisection_bandwidth(torus), BytesPerSecond(4 * 5));
}

TEST(Cluster, LinksOfADeviceLimitTheInnermostNetwork) {
  const Cluster nodes = cluster_of({switch_of(8, 300, 0), switch_of(4, 25, 0)});
  const Cluster limited = with_link_limit(nodes, BytesPerSecond(100));
  EXPECT_EQ(limited.levels[0].bandwidth, BytesPerSecond(100));
  EXPECT_EQ(limited.levels[1].bandwidth, BytesPerSecond(25));
  EXPECT_EQ(with_link_limit(nodes, BytesPerSecond(300)), nodes);
}

TEST(Cluster, DimensionsOfATorusShareTheLinksOfADevice) {
  const Cluster torus =
      cluster_of({torus_of(4, 90, 0), torus_of(4, 90, 0), torus_of(4, 90, 0), switch_of(2, 6, 0)});
  const Cluster limited = with_link_limit(torus, BytesPerSecond(135));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(limited.levels[i].bandwidth, BytesPerSecond(45));
  }
  EXPECT_EQ(limited.levels[3].bandwidth, BytesPerSecond(6));
}

TEST(Cluster, KindsByName) {
  for (const std::string& name : level_kind_names()) {
    EXPECT_EQ(to_string(parse_level_kind(name).value()), name);
  }
  EXPECT_EQ(parse_level_kind("bus"), std::nullopt);
}

}  // namespace
}  // namespace phaze::hw
