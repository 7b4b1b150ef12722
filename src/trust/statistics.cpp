#include "trust/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace phaze::trust {
namespace {

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) {
      ++end;
    }
    const double shared = static_cast<double>(i + end - 1) / 2;
    for (; i < end; ++i) {
      ranks[order[i]] = shared;
    }
  }
  return ranks;
}

}  // namespace

double mean_of(const std::vector<double>& values) {
  return values.empty() ? 0
                        : std::accumulate(values.begin(), values.end(), 0.0) /
                              static_cast<double>(values.size());
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  const double at = std::clamp(share, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (values[high] - values[low]) * (at - static_cast<double>(low));
}

std::optional<double> rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  CHECK(a.size() == b.size(), "ranks are those of pairs");
  constexpr std::size_t kLeast = 3;
  if (a.size() < kLeast) {
    return std::nullopt;
  }
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double middle = mean_of(x);  // of y too
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - middle) * (x[i] - middle);
    yy += (y[i] - middle) * (y[i] - middle);
    xy += (x[i] - middle) * (y[i] - middle);
  }
  return xx > 0 && yy > 0 ? std::optional(xy / std::sqrt(xx * yy)) : std::nullopt;
}

plan::ErrorSummary summarise(const std::vector<double>& measured,
                             const std::vector<double>& predicted) {
  CHECK(measured.size() == predicted.size(), "errors are those of pairs");
  constexpr double kMedian = 0.5, kNinetieth = 0.9;
  std::vector<double> errors, sizes;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    CHECK(measured[i] > 0 && predicted[i] > 0, "times and bytes are above zero");
    errors.push_back(predicted[i] / measured[i] - 1);
    sizes.push_back(std::abs(errors.back()));
  }
  plan::ErrorSummary summary;
  summary.count = errors.size();
  summary.mean = mean_of(sizes);
  summary.median = quantile(sizes, kMedian);
  summary.p90 = quantile(sizes, kNinetieth);
  summary.worst = quantile(sizes, 1);
  summary.bias = mean_of(errors);
  summary.rank_correlation = rank_correlation(measured, predicted);
  return summary;
}

}  // namespace phaze::trust
