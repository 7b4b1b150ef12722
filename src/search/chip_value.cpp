#include "search/chip_value.h"

#include <algorithm>
#include <limits>

#include "search/modern_value.h"
#include "search/original_value.h"

namespace phaze::search {
namespace {

std::unique_ptr<const ChipValuer> make_valuer(const PlanSetting& setting) {
  if (is_original(setting.assumptions)) {
    return std::make_unique<OriginalOnChips>(setting);
  }
  return std::make_unique<ModernOnChips>(setting);
}

}  // namespace

ChipValue merge(const ChipValue& known, const ChipValue& deeper) {
  const bool is_better =
      deeper.is_exact && (!known.is_exact || deeper.throughput >= known.throughput);
  ChipValue merged = is_better ? deeper : known;
  merged.most = std::min(known.most, deeper.most);
  if (merged.is_exact) {
    merged.most = std::max(merged.most, merged.throughput);
  } else {
    merged.throughput = merged.most;
  }
  return merged;
}

double known_bound(const ValueLimits& limits, std::size_t shape) {
  double known = std::numeric_limits<double>::infinity();
  if (shape < limits.shape_bounds.size()) {
    known = limits.shape_bounds[shape];
  }
  if (limits.memo != nullptr && shape < limits.memo->shapes.size()) {
    known = std::min(known, limits.memo->shapes[shape].most);
  }
  return known;
}

double ChipValuer::close_bound(const hw::Chip& chip, Bytes, ChipMemo& memo) const {
  double highest = 0;
  for (const double bound : shape_bounds(chip)) {
    memo.shapes.push_back({bound, Closeness::kPasses});
    highest = std::max(highest, bound);
  }
  return highest;
}

ModelOnChips::ModelOnChips(const PlanSetting& setting) : valuer_(make_valuer(setting)) {}

}  // namespace phaze::search
