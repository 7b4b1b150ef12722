#include "cli/device.h"

#include <utility>

#include "base/diagnostics.h"
#include "base/plural.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "presets/clusters.h"

namespace phaze::cli {
namespace {

// The first type of number that products of the model need and the chip cannot multiply.
std::optional<graph::ElementType> missing_format(const hw::Chip& chip, const graph::Model& model) {
  for (const graph::Layer& layer : model.layers) {
    for (const graph::Operator& op : layer.operators) {
      if (graph::traits(op.kind).unit == graph::Unit::kTensor) {
        const graph::ElementType type = layer.tensors[op.inputs[0]].type;
        if (!cost::matrix_format(chip, type)) {
          return type;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace

DeviceOrExit make_device(const hw::Chip& chip, const std::string& cluster,
                         const graph::Model& model, search::Assumptions assumptions) {
  Diagnostics diagnostics;
  if (const auto type = missing_format(chip, model)) {
    diagnostics.error(
        {"command line", 0, 0, "--precision"},
        chip.name + " has no matrix units for " + std::string(graph::to_string(*type)));
    return {nullptr, report_bad_input(diagnostics)};
  }
  auto device = std::make_unique<Device>();
  device->chip = chip;
  device->context = cost::make_context(device->chip);
  if (model.tensor_width > 1) {
    device->cluster = presets::load_cluster(cluster, {}, diagnostics);
    if (!device->cluster) {
      return {nullptr, report_bad_input(diagnostics)};
    }
    if (chip.links.count > 0) {
      device->cluster = hw::with_link_limit(*device->cluster, hw::link_bandwidth(chip));
    }
    device->cluster = search::with_assumed_links(*device->cluster, assumptions);
    const auto group =
        cost::place_group(*device->cluster, model.tensor_width, 1, cost::Company::kAll);
    if (!group) {
      return {nullptr,
              report_no_answer("cluster " + device->cluster->name + " has no place for groups of " +
                               counted(model.tensor_width, "device"))};
    }
    device->context.network = cost::Network{&*device->cluster, *group};
  }
  const auto fusion = model.settings.find("fusion");
  if (fusion != model.settings.end() && fusion->second == "none") {
    device->context.kernels = cost::Kernels::kLibrary;
  }
  return {std::move(device), kAnswer};
}

}  // namespace phaze::cli
