#pragma once
// What an operator costs on a chip, whatever its kind.

#include <optional>
#include <string_view>

#include "base/units.h"
#include "plan/product.h"

namespace phaze::plan {

// Where a time comes from.
enum class CostSource { kModel, kExact, kInterpolated };
std::string_view to_string(CostSource source);

struct OperatorCost {
  Seconds time;
  Bound bound = Bound::kNothing;
  // Of the dense peak for matrix work; of the HBM bandwidth, or of the lanes where they bind, for
  // vector work; of the bounding level's links for the network.
  double utilisation = 0;
  Flops matrix_flops, vector_flops;
  Bytes local_bytes, global_bytes, hbm_bytes, network_bytes;
  Joules energy;  // of work and traffic; leakage and clocks are the chip's
  CostSource source = CostSource::kModel;
  bool spills = false;                    // fused attention whose tiles do not fit on chip
  std::optional<ProductMapping> mapping;  // products
};

}  // namespace phaze::plan
