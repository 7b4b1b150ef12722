// Algorithms that use the shape of the network. Torus: the rotated bucket algorithm (Sack & Gropp
// 2015; Jain & Sabharwal 2010). Level by level: BlueConnect (Cho et al. 2019). Reduction in the
// switch: NVLink SHARP and its kin (Graham et al. 2016). docs/models.md [9.8] to [9.10].
#include <algorithm>
#include <array>
#include <cmath>

#include "cost/collective_algorithms.h"

namespace phaze::cost::detail {
namespace {

struct Stage {
  double steps_time = 0;
  double transfer = 0;
};

// A reduce-scatter or all-gather of `bytes` over several dimensions of a torus. The data are cut
// into as many parts as there are dimensions, and each part goes through them in another order, so
// that all links work in every phase. With dimensions of unequal length the sense of rotation
// matters.
Stage rotated_pass(const Link* first, std::size_t dimensions, double bytes, bool is_reversed) {
  Stage stage;
  std::array<double, hw::kMaxLevels> left{};  // of each part, after the phases so far
  left.fill(bytes / static_cast<double>(dimensions));
  for (std::size_t phase = 0; phase < dimensions; ++phase) {
    double slowest = 0;
    double steps = 0;
    for (std::size_t part = 0; part < dimensions; ++part) {
      const std::size_t turn = is_reversed ? dimensions - phase : phase;
      const Link& link = first[(part + turn) % dimensions];
      slowest = std::max(slowest, left[part] * (1 - 1 / link.members) / link.rate);
      steps = std::max(steps, ring_steps(link) * link.latency);
      left[part] /= link.members;
    }
    stage.transfer += slowest;
    stage.steps_time += steps;
  }
  return stage;
}

Stage torus_pass(const Link* first, std::size_t dimensions, double bytes) {
  const Stage one = rotated_pass(first, dimensions, bytes, false);
  const Stage other = rotated_pass(first, dimensions, bytes, true);
  return one.transfer <= other.transfer ? one : other;
}

// The dimensions that start at `first` and belong to one torus.
std::size_t torus_dimensions(const Link* first, const Link* end) {
  const Link* last = first;
  while (last != end && last->is_torus) {
    ++last;
  }
  return static_cast<std::size_t>(last - first);
}

const Link& farthest_of(const Link* first, std::size_t count) {
  return *std::max_element(first, first + count,
                           [](const Link& a, const Link& b) { return a.latency < b.latency; });
}

// What a level adds when its members reduce-scatter, gather or do both.
void add_level(const Link& link, Collective collective, double bytes, bool is_top,
               LevelChoice choice, Sum& sum) {
  const bool is_reduction = collective == Collective::kAllReduce;
  const double part = bytes / link.inside;
  const double times = passes(collective);
  if (choice.in_network && link.reducing_rate > 0) {
    // Sending to be reduced and receiving what was gathered go in opposite directions.
    const double share = is_reduction ? 1 + 1 / link.members : 1 - 1 / link.members;
    sum.add_steps(link, times);
    sum.add_stage(link.level, part * share / link.reducing_rate);
  } else if (is_reduction && is_top && choice.top == LevelChoice::Top::kTree) {
    sum.add_steps(link, 2 * link.log2_members);
    sum.add_stage(link.level, part * std::min(2.0, link.members / 2) / link.rate);
    sum.add_fill(2 * link.log2_members * part * (link.members > 2 ? 0.5 : 1.0) / link.rate);
  } else {
    const bool is_halving = link.has_halving && link.is_power_of_two;
    sum.add_steps(link, times * (is_halving ? link.log2_members : ring_steps(link)));
    sum.add_stage(link.level, times * part * (1 - 1 / link.members) / link.rate);
  }
}

}  // namespace

std::optional<Estimate> estimate_torus(Collective collective, const Links& links, double bytes) {
  if (links.count < 2 || torus_dimensions(links.begin(), links.end()) != links.count) {
    return std::nullopt;
  }
  Sum sum;
  if (collective == Collective::kBroadcast) {  // dimension by dimension, both ways around
    for (const Link& link : links) {
      sum.add_steps(link, link.members - 1);
      sum.add_concurrent(link.level, bytes / link.rate);
      sum.add_fill((link.members - 1) * bytes / link.rate);
    }
    return sum.finish(0);
  }
  if (!gathers_or_scatters(collective)) {
    return std::nullopt;
  }
  const Stage pass = torus_pass(links.begin(), links.count, bytes);
  const Link& slowest = *std::ranges::min_element(links, {}, &Link::rate);
  sum.add_latency(farthest_of(links.begin(), links.count), passes(collective) * pass.steps_time);
  sum.add_concurrent(slowest.level, passes(collective) * pass.transfer);
  sum.add_fill(bytes / links.size / slowest.rate);
  return sum.finish(bytes / links.size);
}

std::optional<Estimate> estimate_hierarchical(Collective collective, const Links& links,
                                              double bytes, LevelChoice choice) {
  if (links.count < 2) {
    return std::nullopt;
  }
  Sum sum;
  double first = 0;  // the smallest message at the slowest level
  if (collective == Collective::kAllToAll) {
    for (const Link& link : links) {
      sum.add_steps(link, link.members - 1);
      sum.add_stage(link.level, exchange_time(link, bytes));
      first = std::max(first, bytes / links.size / link.rate);
    }
    sum.add_fill(first);
    return sum.finish(0);
  }
  const bool is_top_tree = choice.top == LevelChoice::Top::kTree;
  if (!gathers_or_scatters(collective) ||
      (is_top_tree && (collective != Collective::kAllReduce || !links.back().has_tree))) {
    return std::nullopt;
  }
  const bool is_all_torus = torus_dimensions(links.begin(), links.end()) == links.count;
  for (const Link* link = links.begin(); link != links.end();) {
    const std::size_t dimensions = is_all_torus ? 1 : torus_dimensions(link, links.end());
    if (dimensions > 1) {
      const Stage pass = torus_pass(link, dimensions, bytes / link->inside);
      sum.add_latency(farthest_of(link, dimensions), passes(collective) * pass.steps_time);
      sum.add_stage(link->level, passes(collective) * pass.transfer);
    } else {
      add_level(*link, collective, bytes, link + 1 == links.end(), choice, sum);
    }
    first = std::max(first, bytes / links.size / link->rate);
    link += std::max<std::size_t>(dimensions, 1);
  }
  sum.add_fill(first);
  return sum.finish(bytes / links.size);
}

std::optional<Estimate> estimate_in_network(Collective collective, const Links& links,
                                            double bytes) {
  const Link& link = links.front();
  if (links.count != 1 || link.reducing_rate == 0 || collective == Collective::kAllToAll ||
      collective == Collective::kPointToPoint) {
    return std::nullopt;
  }
  Sum sum;
  double sent = bytes;
  double steps = 1;
  switch (collective) {
    case Collective::kAllReduce:  // all data up, one share of the sums to all
      sent = bytes * (1 + 1 / link.members);
      steps = 2;
      break;
    case Collective::kAllGather:
    case Collective::kReduceScatter:
      sent = bytes * (1 - 1 / link.members);
      break;
    case Collective::kBroadcast:
    case Collective::kAllToAll:
    case Collective::kPointToPoint:
      break;
  }
  sum.add_steps(link, steps);
  sum.add_concurrent(link.level, sent / link.reducing_rate);
  sum.add_fill(bytes / link.members / link.reducing_rate);
  return sum.finish(0);
}

}  // namespace phaze::cost::detail
