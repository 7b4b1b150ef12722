#include "search/chip_value.h"

#include <algorithm>

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

ModelOnChips::ModelOnChips(const PlanSetting& setting) : valuer_(make_valuer(setting)) {}

}  // namespace phaze::search
