#pragma once
// What layers and a whole training step cost on one device.

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/units.h"
#include "graph/layer.h"
#include "plan/operator_cost.h"

namespace phaze::plan {

struct PassCost {
  Seconds time;
  Joules energy;
  std::int64_t launches = 0;  // operators that take time
};

struct LayerCost {
  IdVector<graph::OpId, OperatorCost> operators;
  PassCost forward;
  PassCost backward;  // recomputation included
  PassCost recompute;
  PassCost optimizer;
};

struct StepCost {
  std::vector<LayerCost> layers;                     // as the model's
  PassCost forward, backward, recompute, optimizer;  // repeats included
  Seconds total;                                     // of the device
  Seconds host;                // to launch forward and backward, operator by operator
  bool is_host_bound = false;  // the host needs longer than the device
};

}  // namespace phaze::plan
