#pragma once
// The time of a collective on a group of devices of a cluster: the best of the known algorithms,
// which one it is, and what bounds it. Formulas and sources: docs/models.md, section 9. Pure,
// thread-safe, allocates nothing, takes well under a microsecond.

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/units.h"
#include "cost/algorithm.h"
#include "cost/group.h"
#include "hw/cluster.h"

namespace phaze::cost {

enum class Bound {
  kNothing,    // nothing is moved
  kStart,      // launching it
  kLatency,    // the number of steps
  kBandwidth,  // a level's links
  kCopy,       // passes over a device's own memory
};
std::string_view to_string(Bound bound);

struct CollectiveCost {
  Seconds time;  // the sum of the four below
  Seconds start;
  Seconds latency;
  Seconds transfer;  // at the bounding level, and what pipelining does not hide
  Seconds copy;
  Algorithm algorithm = Algorithm::kDirect;
  Bound bound = Bound::kNothing;  // the largest of the four
  std::size_t level = 0;          // of the cluster: where the bound is
};

// `bytes` is the full buffer: what is reduced, what a device has after gathering or had before
// scattering, all that a device sends to the others (its own part included), the message. A group
// of one device and an empty buffer take no time. Point to point: from one device to the next
// member of the group at its outermost level. Members must fit the cluster's levels.
CollectiveCost compute_collective(const hw::Cluster& cluster, Collective collective, Bytes bytes,
                                  const Group& group);

// The best of some algorithms; nothing when none of them can do it (ties: the first in the order of
// the enumeration).
std::optional<CollectiveCost> compute_collective(const hw::Cluster& cluster, Collective collective,
                                                 Bytes bytes, const Group& group,
                                                 AlgorithmSet allowed);

}  // namespace phaze::cost
