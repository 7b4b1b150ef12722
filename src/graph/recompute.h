#pragma once
// Trading memory for work: which forward results backward may not keep, and runs again instead.

#include <optional>
#include <string>
#include <string_view>

#include "graph/layer.h"

namespace phaze::graph {

// none: everything that backward reads is kept. full: nothing but the layer's input is, and the
// whole layer runs again. Otherwise a choice of regions: the attention core runs again as a whole
// from q, k and v, its result is kept; results of norms and activations are dropped and each made
// again from its own input.
struct RecomputePolicy {
  bool full = false;
  bool attention = false;
  bool norms = false;
  bool activations = false;

  bool operator==(const RecomputePolicy&) const = default;
};

// "none", "full", "selective" (= "attention"), or parts joined by "+", such as "norms+activations".
std::optional<RecomputePolicy> parse_recompute_policy(std::string_view text);
std::string to_string(const RecomputePolicy& policy);

// A layer that has its backward operators, with `recompute` operators put before the first
// backward operator that reads what they make again. Sequence-parallel gathers (Region::kRegather)
// are always made again, as in Korthikanti et al. 2022, section 4.2.2. O(operators log operators).
Layer apply_recompute(const Layer& layer, const RecomputePolicy& policy);

}  // namespace phaze::graph
