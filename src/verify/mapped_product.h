#pragma once
// A product with its mapping, as the checker sees it: sizes, what one item asks of a core, and what
// all of it costs. Inside verify/product only.

#include <algorithm>
#include <cstdint>

#include "plan/product.h"

namespace phaze::verify {

inline constexpr double kSumBytes = 4;  // of a partial sum

inline double real(std::int64_t value) { return static_cast<double>(value); }
inline std::int64_t parts_of(std::int64_t whole, std::int64_t part) {
  return whole / part + (whole % part != 0 ? 1 : 0);
}
inline std::int64_t padded(std::int64_t length, std::int64_t step) {
  return parts_of(length, step) * step;
}

enum class Axis { kM, kN, kK };

class MappedProduct {
 public:
  // What one item asks of a core.
  struct Load {
    double cycles = 0;
    double local = 0;  // bytes in and out of its buffer
    double port = 0;   // bytes to and from the global buffer
  };

  MappedProduct(const plan::ProductProblem& problem, const plan::TensorMachine& machine,
                const plan::ProductMapping& mapping);

  const plan::ProductProblem& problem() const { return problem_; }
  const plan::TensorMachine& machine() const { return machine_; }
  const plan::ProductMapping& mapping() const { return mapping_; }

  double bytes_a() const { return real(problem_.a_element.value()); }  // bytes of an element
  double bytes_b() const { return real(problem_.b_element.value()); }
  double bytes_c() const { return real(problem_.c_element.value()); }
  std::int64_t splits() const { return mapping_.k_splits; }
  std::int64_t share() const { return parts_of(problem_.k, splits()); }
  std::int64_t tiles_m() const { return parts_of(problem_.m, mapping_.tile_m); }
  std::int64_t tiles_n() const { return parts_of(problem_.n, mapping_.tile_n); }
  double items() const {
    return real(problem_.batch) * real(tiles_m()) * real(tiles_n()) * real(splits());
  }
  double elements_a() const { return real(problem_.batch) * real(problem_.m) * real(problem_.k); }
  double elements_b() const { return real(problem_.batch) * real(problem_.k) * real(problem_.n); }
  double elements_c() const { return real(problem_.batch) * real(problem_.m) * real(problem_.n); }
  double macs() const { return elements_c() * real(problem_.k); }
  double sums() const { return elements_c() * real(splits()) * kSumBytes; }
  double global_half() const { return real(machine_.global_buffer.value()) / 2; }
  bool spills() const { return splits() > 1 && sums() > global_half(); }

  // Elements of the array along a dimension: 1 where it streams.
  std::int64_t side(Axis axis) const;
  // Tiles are multiples of whole arrays and of the machine's step.
  std::int64_t step(Axis axis) const { return padded(side(axis), machine_.tile_step); }
  // Of k in the local buffer at a time: what the array holds, or a few where k streams.
  std::int64_t slice() const { return std::min(deepest(), share()); }

  // What an item of this size takes; pass by pass of the array where there are few.
  Load load_of(std::int64_t m, std::int64_t n, std::int64_t k) const;
  double seconds_of(const Load& load) const;
  // HBM bytes by what is fetched, block by block.
  double walk_hbm() const;

  plan::ProductCost price() const;
  // Seconds of one part of a price.
  double part_of(plan::Bound bound, const plan::ProductCost& cost) const;

 private:
  bool has_outputs() const { return streams_ == Axis::kK; }
  std::int64_t deepest() const;
  double depth() const { return real(machine_.rows) * machine_.rate; }
  double cycles_of(std::int64_t k) const;
  Load walk_outputs(std::int64_t m, std::int64_t n, std::int64_t k) const;
  Load walk_operands(std::int64_t m, std::int64_t n, std::int64_t k) const;
  double fill() const;
  double hbm_operands() const;
  plan::Bound largest(const plan::ProductCost& cost, const Load& item) const;

  const plan::ProductProblem& problem_;
  const plan::TensorMachine& machine_;
  const plan::ProductMapping& mapping_;
  Axis rows_ = Axis::kM, columns_ = Axis::kN, streams_ = Axis::kK;  // of the array
};

}  // namespace phaze::verify
