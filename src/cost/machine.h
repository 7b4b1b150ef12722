#pragma once
// What an operator sees of a chip: rates in seconds, sustained fractions applied, for all cores or
// for one of several that are busy at once.

#include <cstdint>
#include <optional>

#include "graph/element_type.h"
#include "hw/chip.h"
#include "plan/product.h"

namespace phaze::cost {

// How much of the chip an operator gets. One of m busy cores has 1/m of everything that is shared.
struct Share {
  bool all_cores = true;
  std::int64_t busy_cores = 1;  // of its kind, with all_cores false

  bool operator==(const Share&) const = default;
};

// The format whose rate a product of such elements runs at; fp32 takes tf32 where the chip has no
// fp32 units. Nothing when the chip lacks it.
std::optional<hw::NumberFormat> matrix_format(const hw::Chip& chip, graph::ElementType type);

plan::TensorMachine tensor_machine(const hw::Chip& chip, hw::NumberFormat format,
                                   const Share& share = {});

// Lanes and bandwidths for vector operators.
struct VectorMachine {
  std::int64_t cores = 1;
  double lane_operations = 0;  // a second, of all lanes of these cores
  BytesPerSecond global_bandwidth;
  BytesPerSecond hbm_bandwidth;
  Seconds launch;
};

VectorMachine vector_machine(const hw::Chip& chip, const Share& share = {});

}  // namespace phaze::cost
