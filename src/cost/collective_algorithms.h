#pragma once
// One function an algorithm: its estimate, or nothing when it cannot do that collective on those
// links. Within this folder only; formulas in docs/models.md, section 9. Every function grows with
// the bytes and falls with the rates, whatever else is fixed, so that the best of them does.

#include <optional>

#include "cost/algorithm.h"
#include "cost/collective_parts.h"

namespace phaze::cost::detail {

std::optional<Estimate> estimate_ring(Collective collective, const Links& links, double bytes);
std::optional<Estimate> estimate_tree(Collective collective, const Links& links, double bytes);
std::optional<Estimate> estimate_halving(Collective collective, const Links& links, double bytes);
std::optional<Estimate> estimate_direct(Collective collective, const Links& links, double bytes);
std::optional<Estimate> estimate_torus(Collective collective, const Links& links, double bytes);
std::optional<Estimate> estimate_in_network(Collective collective, const Links& links,
                                            double bytes);

// The level-by-level algorithm leaves choices at each level; they are made for all levels alike.
struct LevelChoice {
  bool in_network = false;                           // wherever the switches reduce
  enum class Top { kRing, kTree } top = Top::kRing;  // how the outermost level reduces
};
std::optional<Estimate> estimate_hierarchical(Collective collective, const Links& links,
                                              double bytes, LevelChoice choice);

// Steps of a gather or a scatter around the members of a level.
double ring_steps(const Link& link);

// What a device sends per link capacity when everyone sends `bytes` in equal parts to the members
// of a level, in seconds.
double exchange_time(const Link& link, double bytes);

constexpr bool gathers_or_scatters(Collective collective) {
  return collective == Collective::kAllReduce || collective == Collective::kAllGather ||
         collective == Collective::kReduceScatter;
}
// An all-reduce is a reduce-scatter and an all-gather.
constexpr double passes(Collective collective) {
  return collective == Collective::kAllReduce ? 2 : 1;
}

}  // namespace phaze::cost::detail
