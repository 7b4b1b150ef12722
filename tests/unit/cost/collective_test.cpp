// Closed forms of docs/models.md, section 9, on networks small enough to add them up by hand.
#include "cost/collective.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/clusters.h"

namespace phaze::cost {
namespace {

using tests::cluster_of;
using tests::group_of;
using tests::level_of;
using tests::switch_of;
using tests::time_by;
using tests::time_of;
using tests::torus_of;

constexpr std::int64_t kBytes = 1'000'000'000;
constexpr double kRate = 100e9;
constexpr double kNear = 1e-12;

// Without latency nothing is left but bytes over links.
hw::Cluster one_switch(std::int64_t members) { return cluster_of({switch_of(members, kRate, 0)}); }

TEST(Collective, NothingToDoTakesNoTime) {
  const hw::Cluster cluster = one_switch(8);
  const CollectiveCost alone =
      compute_collective(cluster, Collective::kAllReduce, Bytes(kBytes), group_of({1}));
  EXPECT_EQ(alone.time, Seconds(0));
  EXPECT_EQ(alone.bound, Bound::kNothing);
  EXPECT_EQ(time_of(cluster, Collective::kAllGather, 0, group_of({8})), 0);
}

TEST(Collective, RingMovesTwoPassesOfTheOthersShares) {
  const hw::Cluster cluster = one_switch(8);
  const double whole = static_cast<double>(kBytes) / kRate;
  const Group group = group_of({8});
  EXPECT_NEAR(time_by(Algorithm::kRing, cluster, Collective::kAllReduce, kBytes, group),
              2 * 7 / 8.0 * whole, kNear);
  EXPECT_NEAR(time_by(Algorithm::kRing, cluster, Collective::kAllGather, kBytes, group),
              7 / 8.0 * whole, kNear);
  EXPECT_NEAR(time_by(Algorithm::kRing, cluster, Collective::kReduceScatter, kBytes, group),
              7 / 8.0 * whole, kNear);
  EXPECT_NEAR(time_by(Algorithm::kRing, cluster, Collective::kBroadcast, kBytes, group), whole,
              kNear);
}

TEST(Collective, RingsOfSeveralDevicesANodeCross) {
  hw::Cluster cluster = cluster_of({switch_of(8, 10 * kRate, 0), switch_of(8, kRate, 0)});
  const auto ratio = [&](const Group& group) {
    cluster.levels[1].crossing_share = 1;
    const double straight = time_of(cluster, Collective::kAllReduce, kBytes, group);
    cluster.levels[1].crossing_share = 0.25;
    return time_of(cluster, Collective::kAllReduce, kBytes, group) / straight;
  };
  EXPECT_EQ(ratio(group_of({1, 8})), 1);  // each stays on its port
  EXPECT_EQ(ratio(group_of({8, 2})), 1);  // out and back
  EXPECT_EQ(ratio(group_of({8, 1})), 1);  // does not leave the node
  EXPECT_NEAR(ratio(group_of({2, 4})), 4, 1e-9);
}

TEST(Collective, StepsOfEachAlgorithmByLatency) {
  // A byte is all latency: what remains are the steps.
  constexpr double kStep = 1.0;
  const hw::Cluster cluster = cluster_of({switch_of(8, 1e15, kStep)});
  const Group group = group_of({8});
  const auto steps = [&](Algorithm algorithm, Collective collective) {
    return compute_collective(cluster, collective, Bytes(1), group, AlgorithmSet::only(algorithm))
        .value()
        .latency.value();
  };
  EXPECT_EQ(steps(Algorithm::kRing, Collective::kAllReduce), 14);
  EXPECT_EQ(steps(Algorithm::kRing, Collective::kAllGather), 7);
  EXPECT_EQ(steps(Algorithm::kRing, Collective::kBroadcast), 7);
  EXPECT_EQ(steps(Algorithm::kTree, Collective::kAllReduce), 6);
  EXPECT_EQ(steps(Algorithm::kTree, Collective::kBroadcast), 3);
  EXPECT_EQ(steps(Algorithm::kHalvingDoubling, Collective::kAllReduce), 6);
  EXPECT_EQ(steps(Algorithm::kHalvingDoubling, Collective::kReduceScatter), 3);
  EXPECT_EQ(steps(Algorithm::kHalvingDoubling, Collective::kAllToAll), 3);
  EXPECT_EQ(steps(Algorithm::kDirect, Collective::kAllToAll), 7);
  EXPECT_EQ(steps(Algorithm::kDirect, Collective::kPointToPoint), 1);
}

TEST(Collective, TreeSendsTwiceTheBuffer) {
  const double whole = static_cast<double>(kBytes) / kRate;
  const auto tree = [&](std::int64_t members) {
    return time_by(Algorithm::kTree, one_switch(members), Collective::kAllReduce, kBytes,
                   group_of({members}));
  };
  EXPECT_NEAR(tree(3), 1.5 * whole, kNear);
  EXPECT_NEAR(tree(4), 2 * whole, kNear);
  EXPECT_NEAR(tree(100), 2 * whole, kNear);
  // Each of two nodes is the root of one tree and the leaf of the other.
  const hw::Cluster nodes = cluster_of({switch_of(4, kRate, 0), switch_of(2, kRate / 100, 0)});
  EXPECT_NEAR(time_by(Algorithm::kTree, nodes, Collective::kAllReduce, kBytes, group_of({4, 2})),
              whole * 100 / 4, kNear);
  EXPECT_FALSE(compute_collective(one_switch(2), Collective::kAllReduce, Bytes(kBytes),
                                  group_of({2}), AlgorithmSet::only(Algorithm::kTree)));
}

TEST(Collective, HalvingNeedsAPowerOfTwoOrTwoMoreTransfers) {
  const double whole = static_cast<double>(kBytes) / kRate;
  EXPECT_NEAR(time_by(Algorithm::kHalvingDoubling, one_switch(8), Collective::kAllReduce, kBytes,
                      group_of({8})),
              1.75 * whole, kNear);
  EXPECT_NEAR(time_by(Algorithm::kHalvingDoubling, one_switch(6), Collective::kAllReduce, kBytes,
                      group_of({6})),
              (1.5 + 2) * whole, kNear);
  EXPECT_FALSE(compute_collective(one_switch(6), Collective::kAllGather, Bytes(kBytes),
                                  group_of({6}), AlgorithmSet::only(Algorithm::kHalvingDoubling)));
}

TEST(Collective, AllToAllSendsEachPartOnce) {
  EXPECT_NEAR(
      time_by(Algorithm::kDirect, one_switch(8), Collective::kAllToAll, kBytes, group_of({8})),
      7 / 8.0 * kBytes / kRate, kNear);
  EXPECT_NEAR(time_by(Algorithm::kHalvingDoubling, one_switch(8), Collective::kAllToAll, kBytes,
                      group_of({8})),
              3 / 2.0 * kBytes / kRate, kNear);
}

TEST(Collective, PointToPointIsOneMessage) {
  hw::Cluster cluster = cluster_of({switch_of(8, kRate, 0), switch_of(4, kRate / 10, 0)});
  EXPECT_NEAR(time_of(cluster, Collective::kPointToPoint, kBytes, group_of({2, 1})), kBytes / kRate,
              kNear);
  EXPECT_NEAR(time_of(cluster, Collective::kPointToPoint, kBytes, group_of({1, 2})),
              kBytes / kRate * 10, kNear);
}

TEST(Collective, SmallMessagesGetLessOfTheBandwidth) {
  const hw::Cluster cluster = cluster_of({switch_of(2, kRate, 10e-6)});
  const auto rate = [&](std::int64_t bytes) {
    return static_cast<double>(bytes) /
           time_of(cluster, Collective::kPointToPoint, bytes, group_of({2}));
  };
  EXPECT_LT(rate(100'000), 0.1 * kRate);
  EXPECT_LT(rate(10'000'000), 0.65 * kRate);
  EXPECT_GT(rate(10'000'000'000), 0.98 * kRate);
  EXPECT_LT(rate(10'000'000'000), kRate);
}

TEST(Collective, EfficiencyIsAShareOfTheBandwidth) {
  hw::Cluster cluster = one_switch(4);
  const double full = time_of(cluster, Collective::kAllReduce, kBytes, group_of({4}));
  cluster.levels[0].efficiency = 0.5;
  EXPECT_NEAR(time_of(cluster, Collective::kAllReduce, kBytes, group_of({4})), 2 * full, kNear);
}

TEST(Collective, StartAndOwnPassCountOnce) {
  hw::Cluster cluster = one_switch(4);
  cluster.start = Seconds(0.25);
  cluster.copy_bandwidth = BytesPerSecond(1e9);
  const CollectiveCost cost =
      compute_collective(cluster, Collective::kAllReduce, Bytes(kBytes), group_of({4}));
  EXPECT_EQ(cost.start, Seconds(0.25));
  EXPECT_NEAR(cost.copy.value(), 0.25, kNear);  // a quarter of the buffer at 1 GB/s
  EXPECT_NEAR(cost.time.value(), 0.5 + 1.5 * kBytes / kRate, kNear);
}

TEST(Collective, SwitchesThatReduceSendTheBufferAndAShare) {
  hw::Cluster cluster = one_switch(8);
  cluster.levels[0].in_network_efficiency = 0.5;
  const double whole = kBytes / (0.5 * kRate);
  const auto by_switch = [&](Collective collective) {
    return time_by(Algorithm::kInNetwork, cluster, collective, kBytes, group_of({8}));
  };
  EXPECT_NEAR(by_switch(Collective::kAllReduce), 1.125 * whole, kNear);
  EXPECT_NEAR(by_switch(Collective::kAllGather), 0.875 * whole, kNear);
  EXPECT_NEAR(by_switch(Collective::kBroadcast), whole, kNear);
  EXPECT_FALSE(compute_collective(cluster, Collective::kAllToAll, Bytes(kBytes), group_of({8}),
                                  AlgorithmSet::only(Algorithm::kInNetwork)));
  EXPECT_FALSE(compute_collective(one_switch(8), Collective::kAllReduce, Bytes(kBytes),
                                  group_of({8}), AlgorithmSet::only(Algorithm::kInNetwork)));
}

TEST(Collective, ARingHasHalfTheBandwidthWhereItsEndsDoNotMeet) {
  const hw::Cluster closed = cluster_of({level_of(hw::LevelKind::kRing, 8, kRate, 0)});
  hw::Cluster open = closed;
  open.levels[0].wraparound = false;
  const double whole = kBytes / kRate;
  EXPECT_NEAR(time_of(closed, Collective::kAllGather, kBytes, group_of({8})), 7 / 8.0 * whole,
              kNear);
  EXPECT_NEAR(time_of(open, Collective::kAllGather, kBytes, group_of({8})), 2 * 7 / 8.0 * whole,
              kNear);
  // A part of a closed ring is a line.
  EXPECT_NEAR(time_of(closed, Collective::kAllGather, kBytes, group_of({4})), 2 * 3 / 4.0 * whole,
              kNear);
}

TEST(Collective, MembersAtADistanceOnARingShareItsLinks) {
  const hw::Cluster ring = cluster_of({level_of(hw::LevelKind::kRing, 8, kRate, 1e-3)});
  Group spread = group_of({4});
  spread.spans[0].stride = 2;
  const CollectiveCost alone =
      compute_collective(ring, Collective::kAllGather, Bytes(kBytes), spread);
  EXPECT_EQ(alone.latency, Seconds(2 * 2e-3));  // two steps each way, two links each
  spread.spans[0].sharing = 2;
  const CollectiveCost both =
      compute_collective(ring, Collective::kAllGather, Bytes(kBytes), spread);
  EXPECT_GT(both.transfer, alone.transfer);
}

TEST(Collective, TorusUsesAllDimensionsAtOnce) {
  const hw::Cluster torus =
      cluster_of({torus_of(4, kRate, 0), torus_of(4, kRate, 0), torus_of(4, kRate, 0)});
  const Group all = group_of({4, 4, 4});
  EXPECT_NEAR(time_by(Algorithm::kTorus, torus, Collective::kAllReduce, kBytes, all),
              2 * 63 / 64.0 * kBytes / (3 * kRate), kNear);
  EXPECT_EQ(compute_collective(torus, Collective::kAllReduce, Bytes(kBytes), all).algorithm,
            Algorithm::kTorus);
}

TEST(Collective, AllToAllOnARingIsBoundByItsMiddle) {
  // Half of the data of four devices crosses the middle, two links each way.
  const hw::Cluster ring = cluster_of({level_of(hw::LevelKind::kRing, 8, kRate, 0)});
  EXPECT_NEAR(time_of(ring, Collective::kAllToAll, kBytes, group_of({8})), 4 * 0.5 * kBytes / kRate,
              kNear);
}

TEST(Collective, LevelByLevelMovesLessOverTheOuterLinks) {
  const hw::Cluster nodes = cluster_of({switch_of(8, kRate, 0), switch_of(4, kRate / 20, 0)});
  const Group all = group_of({8, 4});
  // Outside: two passes of three quarters of an eighth of the buffer.
  EXPECT_NEAR(time_by(Algorithm::kHierarchical, nodes, Collective::kAllReduce, kBytes, all),
              2 * 0.75 / 8 * kBytes / (kRate / 20), kNear);
  // A ring around all: 31/32 in place of 3/4.
  EXPECT_NEAR(time_by(Algorithm::kRing, nodes, Collective::kAllReduce, kBytes, all),
              2 * (31 / 32.0) / 8 * kBytes / (kRate / 20), kNear);
}

TEST(Collective, EightRingsOutOfANodeShareItsWayOut) {
  // Four adapters for eight devices: one ring has an adapter for itself, eight have half of one.
  hw::Cluster nodes =
      cluster_of({switch_of(8, 10 * kRate, 0), level_of(hw::LevelKind::kFatTree, 4, kRate, 0)});
  nodes.levels[1].oversubscription = 2;
  Group group = group_of({1, 4});
  const double alone = time_of(nodes, Collective::kAllReduce, kBytes, group);
  EXPECT_NEAR(alone, 1.5 * kBytes / kRate, kNear);
  group.spans[1].sharing = 4;
  EXPECT_NEAR(time_of(nodes, Collective::kAllReduce, kBytes, group), alone, kNear);
  group.spans[1].sharing = 8;
  EXPECT_NEAR(time_of(nodes, Collective::kAllReduce, kBytes, group), 2 * alone, kNear);
}

TEST(Collective, SaysWhatBoundsIt) {
  hw::Cluster nodes = cluster_of({switch_of(8, kRate, 1e-6), switch_of(4, kRate / 20, 10e-6)});
  const auto cost = [&](std::int64_t bytes) {
    return compute_collective(nodes, Collective::kAllReduce, Bytes(bytes), group_of({8, 4}));
  };
  EXPECT_EQ(cost(kBytes).bound, Bound::kBandwidth);
  EXPECT_EQ(cost(kBytes).level, 1U);
  EXPECT_EQ(cost(100).bound, Bound::kLatency);
  EXPECT_EQ(cost(100).level, 1U);
  nodes.start = Seconds(1);
  EXPECT_EQ(cost(100).bound, Bound::kStart);
  nodes.start = Seconds(0);
  nodes.levels[1].bandwidth = BytesPerSecond(kRate);
  EXPECT_EQ(cost(kBytes).level, 0U);
  nodes.copy_bandwidth = BytesPerSecond(1e6);
  EXPECT_EQ(cost(kBytes).bound, Bound::kCopy);
}

TEST(Collective, PatternsThatTheLibraryLacksAreNotUsed) {
  hw::Cluster cluster = cluster_of({switch_of(8, kRate, 1e-3)});
  cluster.levels[0].patterns = {false, false};
  const CollectiveCost cost =
      compute_collective(cluster, Collective::kAllReduce, Bytes(8), group_of({8}));
  EXPECT_EQ(cost.algorithm, Algorithm::kRing);
  EXPECT_EQ(cost.latency, Seconds(14e-3));
}

TEST(Collective, TreesBetweenNodesAreChainsInside) {
  hw::Cluster nodes = cluster_of({switch_of(8, kRate, 1), switch_of(16, kRate, 100)});
  nodes.levels[0].patterns = {false, false};
  EXPECT_EQ(compute_collective(nodes, Collective::kAllReduce, Bytes(8), group_of({8, 16}),
                               AlgorithmSet::only(Algorithm::kTree))
                .value()
                .latency,
            Seconds(2 * (7 + 4 * 100)));
}

TEST(Collective, GroupsThatDoNotFitTheClusterAreABug) {
  EXPECT_THROW(time_of(one_switch(4), Collective::kAllReduce, 1, group_of({8})), std::logic_error);
  Group group = group_of({2});
  group.spans[0].stride = 4;
  EXPECT_THROW(time_of(one_switch(4), Collective::kAllReduce, 1, group), std::logic_error);
}

TEST(Collective, OfOperators) {
  EXPECT_EQ(collective_of(graph::OpKind::kAllReduce), Collective::kAllReduce);
  EXPECT_EQ(collective_of(graph::OpKind::kAllToAll), Collective::kAllToAll);
  EXPECT_EQ(collective_of(graph::OpKind::kAdd), std::nullopt);
  EXPECT_EQ(collective_of(graph::OpKind::kEnterTensorParallel), std::nullopt);
}

TEST(Collective, Names) {
  for (const std::string& name : algorithm_names()) {
    EXPECT_EQ(to_string(parse_algorithm(name).value()), name);
  }
  EXPECT_EQ(parse_algorithm("rings"), std::nullopt);
  EXPECT_EQ(to_string(Collective::kReduceScatter), "reduce_scatter");
}

}  // namespace
}  // namespace phaze::cost
