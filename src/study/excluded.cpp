#include "study/excluded.h"

#include <algorithm>

namespace phaze::study {

std::optional<double> common_bound(const std::optional<double>& a, const std::optional<double>& b) {
  return a && b ? std::max(*a, *b) : a ? a : b;  // none: no plan at all, below every bound
}

std::vector<plan::ExcludedChips> join_ranges(std::vector<plan::ExcludedChips> ranges) {
  std::ranges::sort(ranges, {}, &plan::ExcludedChips::first);
  std::vector<plan::ExcludedChips> joined;
  for (const plan::ExcludedChips& range : ranges) {
    if (!joined.empty() && range.first - 1 <= joined.back().last) {
      joined.back().last = std::max(joined.back().last, range.last);
      joined.back().bound = common_bound(joined.back().bound, range.bound);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

}  // namespace phaze::study
