#include "cost/group.h"

#include "base/check.h"

namespace phaze::cost {

std::int64_t group_size(const Group& group) {
  std::int64_t size = 1;
  for (const Span& span : group.spans) {
    size = checked_multiply(size, span.members);
  }
  return size;
}

std::optional<Group> place_group(const hw::Cluster& cluster, std::int64_t size, std::int64_t stride,
                                 Company company) {
  CHECK(size >= 1 && stride >= 1, "a group has devices and a stride");
  Group group;
  std::int64_t left = size;  // members that are still to be placed
  std::int64_t inside = 1;   // members in one part of the level
  std::int64_t part = 1;     // devices of one part
  for (std::size_t i = 0; i < cluster.levels.size() && left > 1; ++i) {
    const hw::Level& level = cluster.levels[i];
    // A level of any size is as large as this group needs it.
    const std::int64_t unit =
        level.members ? checked_multiply(part, *level.members) : checked_multiply(left, stride);
    if (stride >= unit) {
      if (stride % unit != 0) {
        return std::nullopt;
      }
    } else {
      if (stride % part != 0 || unit % stride != 0) {
        return std::nullopt;
      }
      Span& span = group.spans[i];
      span.members = std::min(left, unit / stride);
      span.stride = stride / part;
      if (left % span.members != 0 || unit % (span.members * stride) != 0) {
        return std::nullopt;
      }
      if (company == Company::kAll) {
        span.sharing = hw::has_neighbours_only(level.kind) ? span.stride : part / inside;
      }
      inside *= span.members;
      left /= span.members;
      stride = unit;
    }
    part = unit;
  }
  return left == 1 ? std::optional(group) : std::nullopt;
}

Group place_pair(const hw::Cluster& cluster, std::int64_t distance) {
  CHECK(distance >= 1, "two devices are not one");
  Group group;
  std::int64_t part = 1;  // devices of one part
  for (std::size_t i = 0; i < cluster.levels.size(); ++i) {
    const hw::Level& level = cluster.levels[i];
    const std::int64_t parts = level.members.value_or(distance / part + 1);
    if (distance / part < parts) {
      group.spans[i] = {2, distance / part, 1};
      return group;
    }
    part *= parts;
  }
  CHECK(false, "a cluster has the devices of a plan");
}

}  // namespace phaze::cost
