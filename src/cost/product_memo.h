#pragma once
// Products that were solved before. The layers of a model have few different ones, and ways to
// train it share most of them.

#include <cstddef>
#include <optional>
#include <unordered_map>

#include "cost/product.h"

namespace phaze::cost {

// Not for two threads at once.
class ProductMemo {
 public:
  // As solve_product.
  std::optional<ProductAnswer> solve(const plan::ProductProblem& problem,
                                     const plan::TensorMachine& machine);

  std::size_t size() const { return answers_.size(); }

 private:
  struct Key {
    plan::ProductProblem problem;
    plan::TensorMachine machine;

    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };

  std::unordered_map<Key, std::optional<ProductAnswer>, Hash> answers_;
};

}  // namespace phaze::cost
