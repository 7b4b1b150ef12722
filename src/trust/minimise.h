#pragma once
// The least of a function of a few numbers, without derivatives.

#include <cstddef>
#include <functional>
#include <vector>

namespace phaze::trust {

struct Variable {
  double start = 0, low = 0, high = 0;
  double step = 0;  // that is tried first
};

struct Minimum {
  std::vector<double> at;
  double value = 0;
  std::size_t evaluations = 0;
};

// Pattern search (Hooke and Jeeves 1961): a step along each variable, then once more along the
// whole move as long as that helps; steps halve where a round gains less than a thousandth,
// `halvings` times at most. Stays within the bounds, never ends above the start, and goes the same
// way every time.
Minimum minimise(const std::vector<Variable>& variables,
                 const std::function<double(const std::vector<double>&)>& function,
                 int halvings = 4);

}  // namespace phaze::trust
