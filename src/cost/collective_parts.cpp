#include "cost/collective_parts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/check.h"

namespace phaze::cost::detail {
namespace {

Link make_link(const hw::Level& level, const Span& span, double part, double inside,
               AlgorithmSet allowed) {
  Link link;
  const auto members = static_cast<std::uint64_t>(span.members);
  link.members = static_cast<double>(members);
  link.log2_members = static_cast<double>(std::bit_width(members - 1));
  link.is_power_of_two = std::has_single_bit(members);
  link.inside = inside;
  link.is_line = hw::has_neighbours_only(level.kind);
  link.is_torus = level.kind == hw::LevelKind::kTorus;
  const double peak = level.bandwidth.value();
  const auto sharing = static_cast<double>(span.sharing);
  double share = 0;
  if (link.is_line) {
    link.is_closed = level.wraparound && span.members * span.stride == level.members;
    // The links of a line that is not closed are used in both directions by one ring, not by two.
    share = (link.is_closed ? 1.0 : 0.5) / sharing;
    link.neighbour_rate = 0.5 * peak / sharing * level.efficiency;
    link.latency = level.latency.value() * static_cast<double>(span.stride);
  } else {
    // A device has its own port, and its part a way out that all of its devices share.
    share = std::min(1.0, part / (level.oversubscription * sharing * inside));
    if (inside > 1 && span.members > 2) {
      share *= level.crossing_share;
    }
    const double alone = std::min(1.0, part / (level.oversubscription * sharing));
    link.neighbour_rate = alone * peak * level.efficiency;
    link.latency = level.latency.value();
    link.has_tree = level.patterns.tree && allowed.contains(Algorithm::kTree);
    link.has_halving =
        level.patterns.halving_doubling && allowed.contains(Algorithm::kHalvingDoubling);
    if (allowed.contains(Algorithm::kInNetwork)) {
      link.reducing_rate = share * peak * level.in_network_efficiency.value_or(0);
    }
  }
  link.rate = share * peak * level.efficiency;
  return link;
}

}  // namespace

Links make_links(const hw::Cluster& cluster, const Group& group, AlgorithmSet allowed) {
  Links links;
  double part = 1;
  for (std::size_t i = 0; i < cluster.levels.size(); ++i) {
    const hw::Level& level = cluster.levels[i];
    const Span& span = group.spans[i];
    CHECK(span.members >= 1 && span.stride >= 1 && span.sharing >= 1, "a span counts from 1");
    CHECK(!level.members || (span.members - 1) * span.stride < *level.members,
          "a group has more members at a level than the cluster");
    if (span.members > 1) {
      links.items[links.count] = make_link(level, span, part, links.size, allowed);
      links.items[links.count].level = i;
      ++links.count;
      links.size *= static_cast<double>(span.members);
    }
    part *= static_cast<double>(level.members.value_or(1));
  }
  double later = 1;
  for (std::size_t i = links.count; i-- > 0;) {
    links.items[i].later = later;
    later *= links.items[i].members;
  }
  return links;
}

double unhidden(double work, double overhead) {
  return work <= overhead ? work : 2 * std::sqrt(work * overhead) - overhead;
}

void Sum::add_latency(const Link& link, double seconds) {
  latency_ += seconds;
  overhead_ = std::max(overhead_, link.latency);
  if (seconds > most_latency_) {
    most_latency_ = seconds;
    latency_level_ = link.level;
  }
}

Estimate Sum::finish(double copied_bytes) const {
  const double hidden = stages_ - slowest_stage_ + fill_;
  Estimate estimate;
  estimate.latency = latency_;
  estimate.transfer = serial_ + std::max(concurrent_, slowest_stage_) + unhidden(hidden, overhead_);
  estimate.copied_bytes = copied_bytes;
  estimate.latency_level = latency_level_;
  estimate.transfer_level = transfer_level_;
  return estimate;
}

}  // namespace phaze::cost::detail
