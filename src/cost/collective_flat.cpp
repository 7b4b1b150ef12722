// Algorithms that treat all members alike, whatever level they are on.
// Ring: Patarasuk & Yuan 2009. Two trees: Sanders, Speck & Traeff 2009. Halving and doubling:
// Thakur, Rabenseifner & Gropp 2005. docs/models.md [9.4] to [9.7].
#include <algorithm>
#include <cmath>

#include "cost/collective_algorithms.h"

namespace phaze::cost::detail {
namespace {

// A message that goes along a chain of all members, in pieces.
Estimate chain_broadcast(const Links& links, double bytes) {
  Sum sum;
  for (const Link& link : links) {
    const double hops = (link.members - 1) * link.later;
    const double time = bytes / (link.inside * link.rate);
    sum.add_steps(link, hops);
    sum.add_concurrent(link.level, time);
    sum.add_fill(hops * time);
  }
  return sum.finish(0);
}

}  // namespace

double ring_steps(const Link& link) {
  // Around a closed line the data go both ways, each half of the way.
  return link.is_closed ? std::ceil((link.members - 1) / 2) : link.members - 1;
}

double exchange_time(const Link& link, double bytes) {
  if (link.is_line) {
    // Of the shortest ways around or along a line floor(m^2 / 4) / m links are taken on average.
    const double hops = std::floor(link.members * link.members / 4) / link.members;
    return bytes * hops / link.rate;
  }
  return bytes * (1 - 1 / link.members) / link.rate;
}

std::optional<Estimate> estimate_ring(Collective collective, const Links& links, double bytes) {
  if (collective == Collective::kBroadcast) {
    return chain_broadcast(links, bytes);
  }
  if (!gathers_or_scatters(collective)) {
    return std::nullopt;
  }
  Sum sum;
  const double share = bytes / links.size;
  const double sent = passes(collective) * (links.size - 1) * share;  // by the parts of any level
  double first = 0;
  for (const Link& link : links) {
    const double steps = links.count == 1 ? ring_steps(link) : (link.members - 1) * link.later;
    sum.add_steps(link, passes(collective) * steps);
    sum.add_concurrent(link.level, sent / (link.inside * link.rate));
    first = std::max(first, share / (link.inside * link.rate));
  }
  sum.add_fill(first);
  return sum.finish(share);
}

std::optional<Estimate> estimate_tree(Collective collective, const Links& links, double bytes) {
  const bool is_reduction = collective == Collective::kAllReduce;
  // Between two members a tree is a ring.
  if ((!is_reduction && collective != Collective::kBroadcast) || links.size == 2 ||
      std::ranges::none_of(links, [](const Link& link) { return link.has_tree; })) {
    return std::nullopt;
  }
  Sum sum;
  const double ways = is_reduction ? 2 : 1;  // up and down
  for (const Link& link : links) {
    // Where the library has no tree, a chain.
    const double depth = link.has_tree ? link.log2_members : link.members - 1;
    const double hop = bytes * (link.has_tree ? 0.5 : 1.0) / (link.inside * link.rate);
    // An inner member of one tree is a leaf of the other.
    const double most =
        link.has_tree ? std::min(2.0, link.members / 2) : (link.members > 2 ? 2.0 : 1.0);
    sum.add_steps(link, ways * depth);
    sum.add_concurrent(link.level, bytes * (is_reduction ? most : 1.0) / (link.inside * link.rate));
    sum.add_fill(ways * depth * hop);
  }
  return sum.finish(is_reduction ? bytes / links.size : 0);
}

std::optional<Estimate> estimate_halving(Collective collective, const Links& links, double bytes) {
  if (!std::ranges::all_of(links, [](const Link& link) { return link.has_halving; })) {
    return std::nullopt;
  }
  Sum sum;
  if (collective == Collective::kAllToAll) {  // Bruck et al. 1997
    for (const Link& link : links) {
      sum.add_steps(link, link.log2_members);
      sum.add_serial(link.level, link.log2_members * bytes / 2 / link.rate);
    }
    sum.add_fill(bytes / 2 / links.front().rate);
    return sum.finish(0);
  }
  const bool is_even =
      std::ranges::all_of(links, [](const Link& link) { return link.is_power_of_two; });
  const bool can_fold = collective == Collective::kAllReduce && links.count == 1;
  if (!gathers_or_scatters(collective) || (!is_even && !can_fold)) {
    return std::nullopt;
  }
  const double times = passes(collective);
  for (const Link& link : links) {
    const double steps = link.is_power_of_two ? link.log2_members : link.log2_members - 1;
    const double partners = std::exp2(steps);
    const double part = bytes / link.inside;
    sum.add_steps(link, times * steps);
    sum.add_serial(link.level, times * part * (1 - 1 / partners) / link.rate);
    if (!is_even) {  // members beyond the power of two hand their data to a partner and get the sum
      sum.add_steps(link, 2);
      sum.add_serial(link.level, 2 * part / link.rate);
    }
  }
  sum.add_fill(bytes / 2 / links.front().rate);
  return sum.finish(bytes / links.size);
}

std::optional<Estimate> estimate_direct(Collective collective, const Links& links, double bytes) {
  Sum sum;
  if (collective == Collective::kPointToPoint) {
    const Link& link = links.back();
    sum.add_steps(link, 1);
    sum.add_concurrent(link.level, bytes / link.neighbour_rate);
    sum.add_fill(bytes / link.neighbour_rate);
    return sum.finish(bytes / 2);  // one end reads, the other writes
  }
  if (collective != Collective::kAllToAll) {
    return std::nullopt;
  }
  double slowest_rate = links.front().rate;
  for (const Link& link : links) {
    // What goes further out leaves by the links of all levels on its way.
    const double away = bytes * (1 - link.inside / links.size);
    const double messages = link.is_line ? link.members - 1 : (link.members - 1) * link.inside;
    sum.add_steps(link, messages);
    sum.add_concurrent(link.level, link.is_line ? exchange_time(link, bytes) : away / link.rate);
    slowest_rate = std::min(slowest_rate, link.rate);
  }
  sum.add_fill(bytes / links.size / slowest_rate);
  return sum.finish(0);
}

}  // namespace phaze::cost::detail
