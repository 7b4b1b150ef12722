// What one mapping costs (docs/models.md, section 10).
#include <limits>

#include "cost/product.h"
#include "cost/product_model.h"

namespace phaze::cost {

using plan::Bound;
using plan::ProductCost;
using plan::ProductMapping;
using plan::ProductProblem;
using plan::Stationary;
using plan::TensorMachine;

namespace {

double as_double(std::int64_t value) { return static_cast<double>(value); }

// The largest part names the bound.
Bound bound_of(const Parts& parts, const CoreSeconds& core) {
  const double largest = std::max({parts.core, parts.power, parts.global, parts.hbm});
  if (parts.fixed() > largest) {
    return Bound::kLaunch;
  }
  if (largest == parts.core) {
    if (core.compute >= std::max(core.local, core.port)) {
      return Bound::kCompute;
    }
    return core.local >= core.port ? Bound::kLocal : Bound::kPort;
  }
  if (largest == parts.power) {
    return Bound::kPower;
  }
  return largest == parts.hbm ? Bound::kHbm : Bound::kGlobal;
}

// At most what 64 bits hold: kMostMacs keeps all but the smallest arrays far from it.
Bytes to_bytes(double bytes) {
  constexpr double kLimit = 0x1p63;
  return Bytes(bytes < kLimit ? static_cast<std::int64_t>(bytes)
                              : std::numeric_limits<std::int64_t>::max());
}

bool is_tile(std::int64_t tile, std::int64_t whole, std::int64_t step) {
  return tile == whole || (tile > 0 && tile < whole && tile % step == 0);
}

bool is_panel(std::int64_t panel, std::int64_t tile, std::int64_t whole, double held) {
  return (panel == whole || (panel > 0 && panel < whole && panel % tile == 0)) &&
         as_double(panel) <= held;
}

// Whether a mapping belongs to the space that is searched, capacities included.
bool is_possible(const ProductProblem& problem, const TensorMachine& machine,
                 const ProductMapping& mapping, const Sizes& sizes, const ArrayShape& array,
                 const Item& item) {
  switch (mapping.global) {
    case Stationary::kC: {
      const std::int64_t most = std::max<std::int64_t>(1, machine.cores / mapping.k_splits);
      const bool is_single = mapping.group_m == 1 && mapping.group_n == 1;
      if (!is_single &&
          (mapping.group_m < 1 || mapping.group_n < 1 || mapping.group_m > most ||
           mapping.group_n > most / mapping.group_m ||
           !group_fits(mapping.group_m, mapping.group_n, item, array, sizes, machine))) {
        return false;
      }
      break;
    }
    case Stationary::kA:
      if (!is_panel(mapping.panel, mapping.tile_m, problem.m,
                    held_rows(sizes.k, sizes.a, machine))) {
        return false;
      }
      break;
    case Stationary::kB:
      if (!is_panel(mapping.panel, mapping.tile_n, problem.n,
                    held_rows(sizes.k, sizes.b, machine))) {
        return false;
      }
      break;
  }
  return fits(mapping.local, item, array, sizes, machine);
}

}  // namespace

std::optional<ProductCost> evaluate_product(const ProductProblem& problem,
                                            const TensorMachine& machine,
                                            const ProductMapping& mapping) {
  const Sizes sizes = sizes_of(problem);
  const ArrayShape array = shape_of(mapping.dataflow, machine);
  if (!machine.dataflows[static_cast<std::size_t>(mapping.dataflow)] ||
      !is_tile(mapping.tile_m, problem.m, array.step_m) ||
      !is_tile(mapping.tile_n, problem.n, array.step_n) || mapping.k_splits < 1 ||
      mapping.k_splits > most_splits(problem, machine)) {
    return std::nullopt;
  }
  Item item{};
  item.tile_m = mapping.tile_m;
  item.tile_n = mapping.tile_n;
  item.count_m = divide_up(problem.m, mapping.tile_m);
  item.count_n = divide_up(problem.n, mapping.tile_n);
  item.k_share = divide_up(problem.k, mapping.k_splits);
  item.splits = mapping.k_splits;
  if (!is_possible(problem, machine, mapping, sizes, array, item)) {
    return std::nullopt;
  }
  double operands = 0;
  switch (mapping.global) {
    case Stationary::kC:
      operands = group_bytes(mapping.group_m, mapping.group_n, item, sizes);
      break;
    case Stationary::kA:
      operands = sizes.a_bytes + sizes.b_bytes * as_double(divide_up(problem.m, mapping.panel));
      break;
    case Stationary::kB:
      operands = sizes.b_bytes + sizes.a_bytes * as_double(divide_up(problem.n, mapping.panel));
      break;
  }
  const double hbm_bytes = operands + c_to_hbm(sizes, item.splits, machine) + sizes.extra;
  const double reads = sizes.a_bytes * as_double(item.count_n) +
                       sizes.b_bytes * as_double(item.count_m) + c_to_global(sizes, item.splits) +
                       sizes.extra;
  const double items = item_count(item, sizes);
  const double waves = wave_count(items, machine);
  const ItemCost cost = item_cost(item, array, sizes, machine);
  const CoreSeconds core = core_seconds(waves, cost, machine);
  Parts parts{};
  parts.launch = machine.launch.value();
  parts.fill = fill_seconds(array, sizes, machine);
  parts.core = core.all();
  parts.power = 2 * sizes.macs / machine.sustained.value();
  parts.hbm = hbm_bytes / machine.hbm_bandwidth.value();
  parts.global = (reads + hbm_bytes) / machine.global_bandwidth.value();
  parts.reduction = reduction_seconds(sizes, item.splits, machine);

  ProductCost answer;
  answer.time = Seconds(parts.time());
  answer.launch = Seconds(parts.launch);
  answer.fill = Seconds(parts.fill);
  answer.core = Seconds(parts.core);
  answer.power = Seconds(parts.power);
  answer.global = Seconds(parts.global);
  answer.hbm = Seconds(parts.hbm);
  answer.reduction = Seconds(parts.reduction);
  answer.bound = bound_of(parts, core);
  answer.utilisation = 2 * sizes.macs / (parts.time() * machine.peak.value());
  answer.waves = static_cast<std::int64_t>(waves);
  answer.local_bytes = to_bytes(cost.local * items);
  // All that passes HBM passes the global buffer too.
  const double reduced = reduction_to_hbm(sizes, item.splits, machine);
  answer.global_bytes =
      to_bytes(reads + hbm_bytes + (reduction_to_cores(sizes, item.splits) + reduced));
  answer.hbm_bytes = to_bytes(hbm_bytes + reduced);
  return answer;
}

}  // namespace phaze::cost
