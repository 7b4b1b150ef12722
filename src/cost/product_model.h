#pragma once
// The formulas of docs/models.md, section 10, in plain doubles, shared by the search and the
// evaluation of one mapping.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "plan/product.h"

namespace phaze::cost {

inline constexpr double kAccumulator = 4;        // bytes of a partial sum
inline constexpr std::int64_t kOutputSlice = 4;  // of k, where the array holds outputs

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t step) {
  return divide_up(a, step) * step;
}

// What a dataflow asks of tiles.
struct ArrayShape {
  plan::Dataflow dataflow;
  std::int64_t step_m = 1, step_n = 1;  // tiles are multiples
  std::int64_t side_m = 1, side_n = 1;  // processing elements along m and n; 1 where it streams
  std::int64_t slice = 1;               // of k in the local buffers at a time
};

ArrayShape shape_of(plan::Dataflow dataflow, const plan::TensorMachine& machine);

// A product in doubles.
struct Sizes {
  double batch, m, n, k, a, b, c;                // a, b, c: bytes of an element
  double a_bytes, b_bytes, c_bytes, c_elements;  // of all batches
  double extra;                                  // bytes of an epilogue
  double macs;
  std::int64_t k_size;  // k as a whole number
};
Sizes sizes_of(const plan::ProductProblem& problem);

// One item: a tile of C over a share of k.
struct Item {
  std::int64_t tile_m, tile_n;    // of true rows and columns at most
  std::int64_t count_m, count_n;  // tiles along m and n
  std::int64_t k_share;           // ceil(k / splits)
  std::int64_t splits;
};

struct ItemCost {
  double cycles;       // of the array
  double local, port;  // bytes of a core's buffer and of its port
};

// Cycles of the array on one item.
double item_cycles(const Item& item, const ArrayShape& array, const plan::TensorMachine& machine);
ItemCost item_cost(const Item& item, const ArrayShape& array, const Sizes& sizes,
                   const plan::TensorMachine& machine);

// Of all items; those of the busiest core.
double item_count(const Item& item, const Sizes& sizes);
double wave_count(double items, const plan::TensorMachine& machine);

// Seconds of the busiest core. Waves multiply first: while cycles and bytes are whole numbers below
// 2^53 no other order of the same work comes out smaller by rounding.
struct CoreSeconds {
  double compute, local, port, start;
  double all() const { return std::max({compute, local, port}) + start; }
};
CoreSeconds core_seconds(double waves, const ItemCost& cost, const plan::TensorMachine& machine);

// The parts of a product's time.
struct Parts {
  double launch, fill, core, power, global, hbm, reduction;
  double fixed() const { return launch + fill + reduction; }
  double time() const { return fixed() + std::max({core, power, global, hbm}); }
};

// The operand that can stay in a local buffer, the first that fits of C, A, B.
std::optional<plan::Stationary> fitting(const Item& item, const ArrayShape& array,
                                        const Sizes& sizes, const plan::TensorMachine& machine);
bool fits(plan::Stationary stationary, const Item& item, const ArrayShape& array,
          const Sizes& sizes, const plan::TensorMachine& machine);

// Shares of k: one a core, a step of it at least.
std::int64_t most_splits(const plan::ProductProblem& problem, const plan::TensorMachine& machine);

// Partial sums stay in the global buffer when they take no more than half of it.
bool sums_spill(const Sizes& sizes, std::int64_t splits, const plan::TensorMachine& machine);
// Seconds to add the partial sums of split k, the launch of that included; zero for one split.
double reduction_seconds(const Sizes& sizes, std::int64_t splits,
                         const plan::TensorMachine& machine);
// Bytes that this moves: sums to the cores and C back, and what of it passes HBM.
double reduction_to_cores(const Sizes& sizes, std::int64_t splits);
double reduction_to_hbm(const Sizes& sizes, std::int64_t splits,
                        const plan::TensorMachine& machine);
// Bytes of C that the main phase hands to the global buffer, and on to HBM.
double c_to_global(const Sizes& sizes, std::int64_t splits);
double c_to_hbm(const Sizes& sizes, std::int64_t splits, const plan::TensorMachine& machine);

// Filling and draining the array, with its first operands on their way in and its last results on
// their way out: the same for all tiles.
double fill_seconds(const ArrayShape& array, const Sizes& sizes,
                    const plan::TensorMachine& machine);

// Rows of A (columns of B) that half the global buffer holds over all of k.
double held_rows(double k, double element, const plan::TensorMachine& machine);
// Those of a panel: all of them, or as many whole tiles as are held; 0 where not one tile is.
std::int64_t panel_of(std::int64_t most, std::int64_t tile, double held);

// HBM traffic of A and B when groups of tiles run side by side on the same slices, which take no
// more than half of the global buffer; a single tile is always a group.
struct TileGroup {
  std::int64_t m = 1, n = 1;
  double bytes = 0;
};
bool group_fits(std::int64_t m, std::int64_t n, const Item& item, const ArrayShape& array,
                const Sizes& sizes, const plan::TensorMachine& machine);
double group_bytes(std::int64_t m, std::int64_t n, const Item& item, const Sizes& sizes);
TileGroup best_group(const Item& item, const ArrayShape& array, const Sizes& sizes,
                     const plan::TensorMachine& machine);

}  // namespace phaze::cost
