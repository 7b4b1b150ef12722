#include "space/limits.h"

#include <algorithm>

#include "base/check.h"
#include "base/names.h"
#include "hw/memory.h"
#include "space/chips.h"

namespace phaze::space {
namespace {

constexpr std::array kNames = {
    NameOf<Limit>{Limit::kFilters, "filters"}, NameOf<Limit>{Limit::kParts, "parts"},
    NameOf<Limit>{Limit::kArea, "area"},       NameOf<Limit>{Limit::kLeastArea, "least_area"},
    NameOf<Limit>{Limit::kReticle, "reticle"}, NameOf<Limit>{Limit::kMemoryEdge, "memory_edge"},
    NameOf<Limit>{Limit::kPower, "power"},     NameOf<Limit>{Limit::kDieCost, "die_cost"},
};
constexpr std::array kDescriptions = {
    NameOf<Limit>{Limit::kFilters, "what a filter leaves out"},
    NameOf<Limit>{Limit::kParts, "parts that do not go together"},
    NameOf<Limit>{Limit::kArea, "more area than the budget"},
    NameOf<Limit>{Limit::kLeastArea, "less area than the space asks for"},
    NameOf<Limit>{Limit::kReticle, "a die larger than a reticle (858 mm2)"},
    NameOf<Limit>{Limit::kMemoryEdge, "no room for the HBM stacks along the edges"},
    NameOf<Limit>{Limit::kPower, "more design power than the budget"},
    NameOf<Limit>{Limit::kDieCost, "dearer dies than the budget"},
};
static_assert(is_in_order(kNames) && is_in_order(kDescriptions) && kNames.size() == kLimits);

bool holds(const Filter& filter, const hw::Chip& chip) {
  const double left = get_field(chip, filter.left);
  const double right = filter.right ? filter.value * get_field(chip, *filter.right) : filter.value;
  switch (filter.comparison) {
    case Comparison::kBelow:
      return left < right;
    case Comparison::kAtMost:
      return left <= right;
    case Comparison::kEqual:
      return left == right;
    case Comparison::kAtLeast:
      return left >= right;
    case Comparison::kAbove:
      return left > right;
  }
  CHECK(false, "unknown comparison");
}

// Budgets are printed with nine decimals of a square millimetre: equal must stay equal.
constexpr SquareMillimetres kTolerance(1e-8);

bool is_too_small(const Budgets& budgets, const hw::Chip& chip, SquareMillimetres area) {
  if (!budgets.least_area || !budgets.area) {
    return false;
  }
  const LeastArea& least = *budgets.least_area;
  const bool is_excused = std::ranges::any_of(
      least.unless_one, [&chip](Field field) { return get_field(chip, field) == 1; });
  return !is_excused && area < *budgets.area * least.share;
}

}  // namespace

std::string_view to_string(Limit limit) { return name_in(kNames, limit); }
std::string_view described(Limit limit) { return name_in(kDescriptions, limit); }

bool is_sound(const Space& space, const hw::Chip& chip) {
  const bool has_memory = std::ranges::any_of(
      space.training.hbm_stack_capacities,
      [&chip](Bytes each) { return each <= hw::most_stack_capacity(chip.hbm.generation); });
  return chip.tensor.local_buffer <= chip.global.size && !hw::is_beyond_generation(chip.hbm) &&
         chip.tensor.count % chip.dies == 0 && chip.vector.count % chip.dies == 0 &&
         (has_memory || space.training.hbm_stack_capacities.empty());
}

Verdict judge(const Space& space, const hw::Chip& chip) {
  Verdict verdict;
  const auto out = [&verdict](Limit limit) {
    verdict.limit = limit;
    return verdict;
  };
  if (!std::ranges::all_of(space.filters, [&chip](const Filter& f) { return holds(f, chip); })) {
    return out(Limit::kFilters);
  }
  if (!is_sound(space, chip)) {
    return out(Limit::kParts);
  }
  const hw::Node& node = *hw::find_node(chip.node_nm);
  const bool is_modern = space.technology == hw::Technology::kModern;
  const hw::AreaBreakdown area =
      is_modern ? hw::compute_area(chip, node) : hw::compute_area_phaze22(chip);
  verdict.area = hw::total(area);
  const Budgets& budgets = space.budgets;
  if (budgets.area && verdict.area > *budgets.area + kTolerance) {
    return out(Limit::kArea);
  }
  if (is_too_small(budgets, chip, verdict.area)) {
    return out(Limit::kLeastArea);
  }
  if (is_modern) {
    const SquareMillimetres die(verdict.area.value() / static_cast<double>(chip.dies));
    if (die > hw::kReticle) {
      return out(Limit::kReticle);
    }
    if (chip.hbm.sites > hw::most_stacks(die, chip.dies)) {
      return out(Limit::kMemoryEdge);
    }
  }
  if (budgets.power &&
      hw::total(hw::compute_power(chip, node, area, hw::Activity{})) > *budgets.power) {
    return out(Limit::kPower);
  }
  if (budgets.die_cost) {
    const double yield = hw::compute_yield(chip, node, area);
    if (hw::compute_cost(chip, node, area, yield).logic > *budgets.die_cost) {
      return out(Limit::kDieCost);
    }
  }
  return verdict;
}

}  // namespace phaze::space
