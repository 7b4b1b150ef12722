#pragma once
// Every mapping of a small matrix product, priced one by one; and random small products on odd
// machines to do so with.

#include <array>
#include <cstdint>
#include <functional>
#include <optional>

#include "plan/product.h"

namespace phaze::tests {

// What a mapping costs; nothing when it is none.
using ProductPricer = std::function<std::optional<plan::ProductCost>(const plan::ProductMapping&)>;

struct BruteForceAnswer {
  plan::ProductMapping mapping;
  plan::ProductCost cost;
  std::int64_t priced = 0;  // mappings that are possible
};

// What decides between equally fast mappings, lowest first: splits of k, dataflow, tiles along m,
// tiles along n.
using MappingOrder = std::array<std::int64_t, 4>;
MappingOrder order_of(const plan::ProductProblem& problem, const plan::ProductMapping& mapping);

// The fastest, the first of equals, of all dataflows, tiles of 1..m x 1..n, splits of k up to the
// number of cores, operands that stay, panels and groups; the pricer says which of them are
// possible. One thing is taken for granted: tiles that cannot run one by one cannot run in groups
// or beside a panel.
std::optional<BruteForceAnswer> solve_by_brute_force(const plan::ProductProblem& problem,
                                                     const plan::TensorMachine& machine,
                                                     const ProductPricer& price);

struct ProductCase {
  plan::ProductProblem problem;
  plan::TensorMachine machine;
};

// Sizes 1..64 with odd ones and primes, up to six cores of up to 8 x 8; buffers from too small for
// anything to larger than everything; any level may be the slow one. The same for the same seed,
// everywhere.
ProductCase random_product_case(std::uint64_t seed);

}  // namespace phaze::tests
