#pragma once
// The best of millions of points of a grid, proved, by bounding sets of them at once: of points
// that are the same on some axes, none has a larger amount than the point that has the most of each
// of them on the other axes, whether that one is among the points or not. Knows nothing of
// hardware. docs/models.md, section 23.

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "search/co_search.h"

namespace phaze::search {

// Points by index, positions on the axes as a mixed-radix number, the last axis fastest.
struct Grid {
  std::vector<std::int64_t> sizes;
  // With a higher position the amount is no smaller, all else equal.
  std::vector<bool> grows;

  std::vector<std::int64_t> positions(std::int64_t index) const;
  std::int64_t index_of(const std::vector<std::int64_t>& positions) const;
};

// A point is worth its amount over its price.
struct SetSearchProblem {
  Grid grid;
  std::vector<std::int64_t> points;  // to choose from, ascending
  std::vector<double> prices;        // of each, the least that it can be; none: 1
  // Cheap, and never below the amount; of any index of the grid.
  std::function<double(std::int64_t index)> bound;
  // The same, closer: no more than `enough` where the amount is below that.
  std::function<double(std::int64_t index, double enough)> most;
  // What a point is worth: exact where that is at least `enough`.
  std::function<Worth(std::int64_t index, double enough)> evaluate;
};

struct SetSearchOptions {
  bool use_bounds = true;  // false: every point is evaluated
  // Points that are worth as much as the best are looked at one by one, for their rank. False: sets
  // that are bounded by the best value are left as they are.
  bool looks_at_ties = true;
  std::size_t samples = 96;  // of points that are bounded first, for something to beat
  // Told after each batch: points settled, the best value and the highest bound that is open. Stops
  // the search when it says so.
  std::function<bool(std::int64_t settled, double best, double open)> is_cancelled;
};

struct PointOutcome {
  std::int64_t index = 0;
  double value = 0;  // exact, or a bound
  bool is_exact = true;
  double most = 0;  // see Worth
  std::vector<double> rank;
};

// Of exact ones: of equal values the smaller rank, then the smaller index.
bool is_better(const PointOutcome& a, const PointOutcome& b);

// Points order[begin] to order[end - 1]: none is worth more than the bound, nor has a larger amount
// than the top.
struct ExcludedSet {
  std::int64_t top = 0;
  double bound = 0;
  std::size_t begin = 0, end = 0;
};

struct SetSearchAnswer {
  std::optional<std::size_t> best;     // of `outcomes`
  std::vector<PointOutcome> outcomes;  // of points that were looked at one by one
  std::vector<std::int64_t> order;     // of all points
  // Apart from one another; points that were looked at early may be in one.
  std::vector<ExcludedSet> excluded;
  double bound = 0;       // no point is worth more
  std::int64_t tops = 0;  // sets whose top was bounded closely
  // Points that may be worth as much as the best and were not all looked at for the smallest rank.
  std::int64_t tied = 0;
  bool is_complete = true;
};

// The same answer whatever the number of threads (of the task arena it runs in). Of equal values
// the smaller rank wins, then the smaller index.
SetSearchAnswer set_search(SetSearchProblem problem, const SetSearchOptions& options = {});

}  // namespace phaze::search
