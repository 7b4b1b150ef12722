#pragma once
// One device as commands price a model on it.

#include <memory>
#include <optional>
#include <string>

#include "cost/operator.h"
#include "graph/layer.h"
#include "hw/chip.h"
#include "hw/cluster.h"
#include "search/assumptions.h"

namespace phaze::cli {

// Stays where it was made: the context points into it.
struct Device {
  hw::Chip chip;
  std::optional<hw::Cluster> cluster;  // of the tensor-parallel group; nothing for one device
  cost::CostContext context;
};

struct DeviceOrExit {
  std::unique_ptr<Device> device;
  int exit_code = 0;  // without a device, after it was said why
};

// The chip, with the network between tensor-parallel devices where the model has several, and the
// kernels that its operators were made for. `cluster` is a built-in name or a file.
DeviceOrExit make_device(const hw::Chip& chip, const std::string& cluster,
                         const graph::Model& model,
                         search::Assumptions assumptions = search::Assumptions::kModern);

}  // namespace phaze::cli
