#include "cost/group.h"

#include <gtest/gtest.h>

#include "support/clusters.h"

namespace phaze::cost {
namespace {

using tests::cluster_of;
using tests::switch_of;
using tests::torus_of;

hw::Cluster nodes_of_eight() {
  hw::Cluster cluster = cluster_of({switch_of(8, 1e9, 0), switch_of(4, 1e9, 0)});
  cluster.levels.back().members = std::nullopt;
  return cluster;
}

TEST(PlaceGroup, InsideANode) {
  const Group group = place_group(nodes_of_eight(), 8, 1, Company::kAll).value();
  EXPECT_EQ(group.spans[0], (Span{8, 1, 1}));
  EXPECT_EQ(group.spans[1], (Span{1, 1, 1}));
  EXPECT_EQ(group_size(group), 8);
}

TEST(PlaceGroup, OneDeviceOfEveryNodeSharesTheWayOutWithSevenOthers) {
  const Group group = place_group(nodes_of_eight(), 64, 8, Company::kAll).value();
  EXPECT_EQ(group.spans[0], (Span{1, 1, 1}));
  EXPECT_EQ(group.spans[1], (Span{64, 1, 8}));
}

TEST(PlaceGroup, AloneNobodyShares) {
  const Group group = place_group(nodes_of_eight(), 64, 8, Company::kAlone).value();
  EXPECT_EQ(group.spans[1], (Span{64, 1, 1}));
}

TEST(PlacePair, IsJoinedByTheLevelThatHoldsBoth) {
  const Group near = place_pair(nodes_of_eight(), 6);
  EXPECT_EQ(near.spans[0], (Span{2, 6, 1}));
  EXPECT_EQ(near.spans[1], (Span{1, 1, 1}));
  const Group far = place_pair(nodes_of_eight(), 20);  // no multiple of a node
  EXPECT_EQ(far.spans[0], (Span{1, 1, 1}));
  EXPECT_EQ(far.spans[1], (Span{2, 2, 1}));
}

TEST(PlaceGroup, EverySecondDevice) {
  const Group group = place_group(nodes_of_eight(), 16, 2, Company::kAll).value();
  EXPECT_EQ(group.spans[0], (Span{4, 2, 1}));
  EXPECT_EQ(group.spans[1], (Span{4, 1, 2}));
  EXPECT_EQ(group_size(group), 16);
}

TEST(PlaceGroup, WholeNodesAtADistance) {
  const Group group = place_group(nodes_of_eight(), 4, 32, Company::kAll).value();
  EXPECT_EQ(group.spans[1], (Span{4, 4, 8}));
}

TEST(PlaceGroup, StridesOfATorusLieOverOneAnother) {
  const hw::Cluster torus = cluster_of({torus_of(8, 1e9, 0), torus_of(4, 1e9, 0)});
  const Group group = place_group(torus, 4, 2, Company::kAll).value();
  EXPECT_EQ(group.spans[0], (Span{4, 2, 2}));
  const Group columns = place_group(torus, 4, 8, Company::kAll).value();
  EXPECT_EQ(columns.spans[1], (Span{4, 1, 1}));  // each column has links of its own
}

TEST(PlaceGroup, NothingWhenGroupsWouldNotBeAlike) {
  EXPECT_FALSE(place_group(nodes_of_eight(), 6, 1, Company::kAll));   // 6 of 8, then across
  EXPECT_FALSE(place_group(nodes_of_eight(), 12, 1, Company::kAll));  // a node and a half
  EXPECT_FALSE(place_group(nodes_of_eight(), 4, 3, Company::kAll));
  EXPECT_FALSE(place_group(nodes_of_eight(), 4, 12, Company::kAll));
}

TEST(PlaceGroup, NothingWhenThereAreTooFewDevices) {
  const hw::Cluster cluster = cluster_of({switch_of(8, 1e9, 0), switch_of(4, 1e9, 0)});
  EXPECT_TRUE(place_group(cluster, 32, 1, Company::kAll));
  EXPECT_FALSE(place_group(cluster, 64, 1, Company::kAll));
  EXPECT_FALSE(place_group(cluster, 8, 8, Company::kAll));
  EXPECT_FALSE(place_group(cluster, 2, 32, Company::kAll));
}

TEST(PlaceGroup, OneDeviceIsAlwaysThere) {
  EXPECT_EQ(place_group(nodes_of_eight(), 1, 7, Company::kAll), Group{});
}

TEST(PlaceGroup, OddNumbersOfNodesAndAnyNumberOfMembers) {
  hw::Cluster flat = cluster_of({switch_of(1, 1e9, 0)});
  flat.levels[0].members = std::nullopt;
  EXPECT_EQ(place_group(flat, 7, 1, Company::kAlone).value().spans[0], (Span{7, 1, 1}));
  EXPECT_EQ(place_group(flat, 7, 3, Company::kAlone).value().spans[0], (Span{7, 3, 1}));
  EXPECT_EQ(place_group(nodes_of_eight(), 24, 1, Company::kAll).value().spans[1], (Span{3, 1, 1}));
}

}  // namespace
}  // namespace phaze::cost
