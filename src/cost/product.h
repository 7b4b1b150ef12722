#pragma once
// The best mapping of a matrix product on tensor cores: exact for the cost model of docs/models.md,
// section 10. Pure functions, safe from any thread.

#include <cstdint>
#include <optional>

#include "plan/product.h"

namespace phaze::cost {

// Multiply-accumulates of one operator beyond which counts of bytes might not fit 64 bits.
inline constexpr double kMostMacs = 0x1p56;

// Rules that cut the search short. Each keeps the optimum and the mapping that is returned; they
// can be turned off to show it.
struct ProductRules {
  bool split_ranges = true;  // skip whole ranges of splits of k by their bounds
  bool bounds = true;        // skip tiles whose compute or traffic alone is too dear
  bool lazy_groups = true;   // look for groups of tiles only where HBM binds
};

struct ProductAnswer {
  plan::ProductMapping mapping;
  plan::ProductCost cost;
  std::int64_t candidates = 0;  // mappings that were priced
};

// Nothing when no tile fits the local buffers. Of equally fast mappings the first in the order
// splits of k, dataflow, fewest tiles along m, fewest along n.
std::optional<ProductAnswer> solve_product(const plan::ProductProblem& problem,
                                           const plan::TensorMachine& machine,
                                           const ProductRules& rules = {});

// What one mapping costs. Nothing when it does not fit.
std::optional<plan::ProductCost> evaluate_product(const plan::ProductProblem& problem,
                                                  const plan::TensorMachine& machine,
                                                  const plan::ProductMapping& mapping);

}  // namespace phaze::cost
