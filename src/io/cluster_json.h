#pragma once
// Clusters as JSON.

#include <string>
#include <vector>

#include "base/units.h"
#include "hw/cluster.h"

namespace phaze::io {

// The time of one collective, as an example of what the cluster does.
struct CollectiveSample {
  std::vector<std::int64_t> members;  // of the group, at each level
  Bytes bytes;
  Seconds time;
  std::string algorithm;
  std::string bound;
  std::string level;  // where the bound is
};

std::string write_cluster(const hw::Cluster& cluster,
                          const std::vector<CollectiveSample>& all_reduces);
std::string write_clusters(const std::vector<hw::Cluster>& clusters);

}  // namespace phaze::io
