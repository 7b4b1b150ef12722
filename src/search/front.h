#pragma once
// The exact Pareto front of many candidates whose objectives are one value over different prices:
// throughput, throughput per watt, per dollar. docs/models.md, section 23.

#include <cstddef>
#include <functional>
#include <vector>

#include "search/co_search.h"

namespace phaze::search {

struct FrontProblem {
  // By candidate: what the value is divided by for each objective, all above 0.
  std::vector<std::vector<double>> prices;
  // As in CoSearchProblem, of the value itself.
  std::function<double(std::size_t candidate)> bound;
  std::function<Worth(std::size_t candidate, double enough)> evaluate;
};

struct FrontPoint {
  std::size_t candidate = 0;
  double value = 0;
  std::vector<double> objectives;
};

struct FrontAnswer {
  // No candidate is at least as good in all objectives and better in one. Of candidates that are
  // equal in all, the one that was evaluated first. By the first objective, the best first.
  std::vector<FrontPoint> points;
  std::size_t evaluated = 0, excluded = 0;
  // Of those that were evaluated: worth no more than shown as far as is known, but not proved, so
  // that they could be on the front, or further out on it.
  std::size_t open = 0;
  bool is_complete = true;
};

// The same whatever the number of threads. `is_cancelled` is told how many are settled.
FrontAnswer find_front(const FrontProblem& problem,
                       const std::function<bool(std::size_t settled)>& is_cancelled = {});

}  // namespace phaze::search
