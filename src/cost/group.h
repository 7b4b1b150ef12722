#pragma once
// Where the devices of a group sit on a cluster, and who else uses the network meanwhile. Groups of
// a kind are alike, so a group has no position: only how it spreads over the levels.

#include <array>
#include <cstdint>
#include <optional>

#include "hw/cluster.h"

namespace phaze::cost {

// At one level: of how many of its parts the group has devices, and how far apart they are.
struct Span {
  std::int64_t members = 1;
  std::int64_t stride = 1;  // in parts; matters on rings and torus dimensions only
  // Groups that use the same links at once, this one included: on switches and fat trees those that
  // send out of the same part, on rings and torus dimensions those whose paths lie over one
  // another.
  std::int64_t sharing = 1;

  bool operator==(const Span&) const = default;
};

struct Group {
  std::array<Span, hw::kMaxLevels> spans{};  // as the cluster's levels; further ones stay 1

  bool operator==(const Group&) const = default;
};

std::int64_t group_size(const Group& group);

enum class Company {
  kAlone,  // one group at a time
  kAll,    // every device is in such a group, and all of them communicate at once
};

// The group of devices 0, stride, 2 stride, ..., where devices are numbered from the innermost
// level out. Nothing when the cluster has too few devices, or when such groups would not all be
// alike (when a level's units are not filled evenly).
std::optional<Group> place_group(const hw::Cluster& cluster, std::int64_t size, std::int64_t stride,
                                 Company company);

// Device 0 and the one at a distance from it, by the level that joins them. The cluster must have
// so many devices.
Group place_pair(const hw::Cluster& cluster, std::int64_t distance);

}  // namespace phaze::cost
