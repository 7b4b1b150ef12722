#pragma once
// How far predictions are from what was measured, in a few numbers.

#include <vector>

#include "plan/validation.h"

namespace phaze::trust {

// Of nothing 0.
double mean_of(const std::vector<double>& values);

// The value that a share of all are not above, between two of them as far as the share lies between
// their ranks; of nothing 0.
double quantile(std::vector<double> values, double share);

// `measured` and `predicted` above zero, as long as one another.
plan::ErrorSummary summarise(const std::vector<double>& measured,
                             const std::vector<double>& predicted);

// Spearman's: the correlation of ranks, equal values sharing the mean of theirs. Nothing for fewer
// than three values or where all of a side are equal.
std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace phaze::trust
