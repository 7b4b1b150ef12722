#pragma once
// The best of many chips, proved: each is evaluated, or excluded by a bound or by a chip that has
// no less of anything. Knows nothing of hardware. docs/models.md, section 23.

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace phaze::search {

// Where a chip stands among others of its group: with no less of each amount, a chip of the same
// group is no slower.
struct ChipPlace {
  std::int64_t group = 0;
  std::vector<std::int64_t> amounts;
};

// What a chip is worth; of equal values the chip with the smaller rank wins.
struct Worth {
  double value = 0;
  bool is_exact = true;  // otherwise no more than `value`
  double most = 0;       // where it is exact: no more than this, were all known; at least `value`
  std::vector<double> rank;  // compared in order, where the value is exact
};

enum class ChipState { kEvaluated, kExcluded, kDominated };

struct ChipOutcome {
  ChipState state = ChipState::kExcluded;
  double value = 0;           // exact where evaluated, otherwise a bound
  double most = 0;            // where evaluated, see Worth
  std::vector<double> rank;   // where evaluated
  std::size_t dominator = 0;  // where dominated
};

// Of each chip one that has no less of anything; itself where there is none.
std::vector<std::size_t> find_dominators(const std::vector<ChipPlace>& chips);

struct CoSearchProblem {
  std::vector<ChipPlace> chips;
  std::vector<std::size_t> dominators;  // of these; empty: they are found
  // Cheap, and never below the value.
  std::function<double(std::size_t chip)> bound;
  // The same, closer and dearer, but far cheaper than the value; may be none. Called from several
  // threads at once, as are the others.
  std::function<double(std::size_t chip)> close_bound;
  // Exact where the value is at least `enough`.
  std::function<Worth(std::size_t chip, double enough)> evaluate;
};

struct CoSearchOptions {
  bool use_dominance = true;  // false where a chip with less can be worth more
  bool use_bounds = true;
  // Told after each batch: how many are settled, the best value and the highest bound that is open.
  // Stops the search when it says so.
  std::function<bool(std::size_t settled, double best, double open)> is_cancelled;
};

struct CoSearchAnswer {
  std::optional<std::size_t> best;    // none: no chip is worth anything
  std::vector<ChipOutcome> outcomes;  // by chip
  double bound = 0;                   // no chip is worth more
  bool is_complete = true;
  std::size_t evaluated = 0, excluded = 0, dominated = 0;
};

// The same answer whatever the number of threads (of the task arena it runs in).
CoSearchAnswer co_search(const CoSearchProblem& problem, const CoSearchOptions& options = {});

}  // namespace phaze::search
