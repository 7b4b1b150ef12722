// What plans ask of a cluster.
#include "search/cluster_costs.h"

#include <gtest/gtest.h>

#include "cost/collective.h"
#include "support/clusters.h"

namespace phaze::search {
namespace {

using cost::Collective;
using cost::Company;

class Costs : public ::testing::Test {
 protected:
  Costs() {
    // Nodes of four with quick links, slow ones between them.
    cluster_ = tests::cluster_of({tests::switch_of(4, 1e11, 1e-6), tests::switch_of(8, 1e9, 1e-6)});
    request_.cluster = &cluster_;
    strategy_.tensor = 4;
    strategy_.pipeline = 8;
  }

  Seconds sent(Bytes bytes) const {
    return cost::compute_collective(cluster_, Collective::kPointToPoint, bytes,
                                    *cost::place_group(cluster_, 8, 4, Company::kAll))
        .time;
  }

  hw::Cluster cluster_;
  ProfileRequest request_;
  plan::Strategy strategy_;
};

TEST_F(Costs, DevicesThatHoldTheSameSendAShareEach) {
  ClusterCosts costs(request_, {4});
  const Seconds gathered =
      cost::compute_collective(cluster_, Collective::kAllGather, Bytes(4'000'000),
                               *cost::place_group(cluster_, 4, 1, Company::kAll))
          .time;
  EXPECT_EQ(costs.transfer(strategy_, Bytes(4'000'000)), sent(Bytes(1'000'000)) + gathered);
}

TEST_F(Costs, ASmallMessageIsSentWhole) {
  ClusterCosts costs(request_, {4});
  EXPECT_EQ(costs.transfer(strategy_, Bytes(8)), sent(Bytes(8)));
}

TEST_F(Costs, SequenceParallelDevicesSendTheirOwn) {
  ClusterCosts costs(request_, {4});
  strategy_.sequence_parallel = true;
  EXPECT_EQ(costs.transfer(strategy_, Bytes(4'000'000)), sent(Bytes(4'000'000)));
}

}  // namespace
}  // namespace phaze::search
