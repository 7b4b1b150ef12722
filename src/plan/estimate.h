#pragma once
// The answers of `phaze estimate`.

#include <optional>
#include <string>
#include <vector>

#include "graph/layer.h"
#include "graph/memory.h"
#include "hw/chip.h"
#include "plan/step_cost.h"

namespace phaze::plan {

// A model's training step on one device.
struct Estimate {
  graph::Model model;  // of the training step
  hw::Chip chip;
  StepCost step;
  graph::PeakMemory memory;
  double tokens = 0;                         // of a step
  Flops model_flops;                         // of a step, as papers count
  Flops run_flops;                           // that run, recomputation included
  FlopsPerSecond peak;                       // dense, of the number format that most products use
  std::int64_t interpolated = 0, exact = 0;  // operators that took a measured table's time
  Seconds pace;  // of a step: the device's time, or the host's where it is the limit
  // What was asked for, for people.
  std::vector<std::string> chip_settings;
  std::string cluster;
  bool has_table = false;
};

// Another way to run a product, and what it takes.
struct ProductAlternative {
  std::string what;
  std::optional<ProductMapping> mapping;  // nothing: it does not fit
  Seconds time;
};

// One matrix product on an idle chip.
struct ProductEstimate {
  ProductProblem problem;
  hw::Chip chip;
  hw::NumberFormat format = hw::NumberFormat::kBf16;
  TensorMachine machine;
  ProductMapping mapping;
  ProductCost cost;
  Seconds time;  // alone: with what an idle chip takes to start
  // The same when rows that are no multiple of the chip's alignment are not padded; nothing where
  // there are none.
  std::optional<Seconds> unpadded;
  Joules energy;
  std::int64_t candidates = 0;
  std::vector<ProductAlternative> alternatives;  // that lost
  std::vector<ProductAlternative> changes;       // of the chip: twice a resource
};

}  // namespace phaze::plan
