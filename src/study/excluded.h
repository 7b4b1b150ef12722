#pragma once
// Chips that a bound excludes, as ranges: ten million of them take a few rows.

#include <vector>

#include "plan/study.h"

namespace phaze::study {

// The same chips in as few ranges as possible, by number: those that touch or overlap are joined,
// with the larger bound. O(n log n).
std::vector<plan::ExcludedChips> join_ranges(std::vector<plan::ExcludedChips> ranges);

// The bound that holds for the chips of both.
std::optional<double> common_bound(const std::optional<double>& a, const std::optional<double>& b);

}  // namespace phaze::study
