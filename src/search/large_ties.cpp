#include "search/large_ties.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <functional>
#include <map>

#include "hw/cost.h"
#include "space/chips.h"

namespace phaze::search {
namespace {

double best_of(const SetSearchAnswer& sets) { return sets.outcomes[*sets.best].value; }

}  // namespace

// Is the chip worth as much as the best with so much memory?
bool LargeTies::is_tied(const LargeValues::Subject& subject, std::int64_t index,
                        const std::vector<Bytes>& memories, double best) const {
  const Worth worth = values_.evaluate_with(subject, index, memories, best);
  return worth.is_exact && worth.value >= best;
}

// All chips within that have no more than one of some tops, which are the same on axes that do
// not grow.
void LargeTies::add_below(const std::vector<Positions>& tops,
                          std::vector<std::int64_t>& all) const {
  Positions low = tops.front(), high = tops.front();
  for (std::size_t axis = 0; axis < low.size(); ++axis) {
    low[axis] = grid_.grows[axis] ? 0 : low[axis];
    for (const Positions& top : tops) {
      high[axis] = std::max(high[axis], top[axis]);
    }
  }
  const auto has_no_more = [](const Positions& at, const Positions& top) {
    return std::equal(at.begin(), at.end(), top.begin(), std::less_equal<>());
  };
  Positions at = low;
  for (;;) {
    const std::int64_t index = grid_.index_of(at);
    if (within_.has(index) &&
        std::ranges::any_of(tops, [&](const Positions& top) { return has_no_more(at, top); })) {
      all.push_back(index);
    }
    std::size_t axis = at.size();
    while (axis > 0 && at[axis - 1] == high[axis - 1]) {
      at[axis - 1] = low[axis - 1];
      --axis;
    }
    if (axis == 0) {
      return;
    }
    ++at[axis - 1];
  }
}

// Chips that may be worth as much as the best.
std::vector<std::int64_t> LargeTies::list_below_ties(const SetSearchAnswer& sets) const {
  const double best = best_of(sets);
  std::map<Positions, std::vector<Positions>> tops;  // by positions on axes that do not grow
  const auto add = [&](std::int64_t top) {
    Positions fixed = grid_.positions(top);
    for (std::size_t axis = 0; axis < fixed.size(); ++axis) {
      fixed[axis] = grid_.grows[axis] ? 0 : fixed[axis];
    }
    tops[fixed].push_back(grid_.positions(top));
  };
  for (const PointOutcome& outcome : sets.outcomes) {
    if (outcome.is_exact && outcome.value == best) {
      add(outcome.index);
    }
  }
  for (const ExcludedSet& set : sets.excluded) {
    if (set.bound >= best) {
      add(set.top);
    }
  }
  std::vector<std::int64_t> all;
  for (const auto& [fixed, of_group] : tops) {
    add_below(of_group, all);
  }
  std::ranges::sort(all);
  return all;
}

void LargeTies::settle(const LargeValues::Subject& subject, const SetSearchOptions& how,
                       SetSearchAnswer& sets) const {
  constexpr std::size_t kMostTied = 3'000;  // beyond them one way down is taken
  const double best = best_of(sets);
  const std::vector<std::int64_t> candidates = list_below_ties(sets);
  if (candidates.size() > kMostTied) {
    sets.tied = static_cast<std::int64_t>(candidates.size());
    step_down(subject, how, sets);
    return;
  }
  std::map<Bytes, std::vector<std::int64_t>> by_memory;
  for (const std::int64_t index : candidates) {
    for (const Bytes memory : memories_of(question_, {index, std::nullopt})) {
      by_memory[memory].push_back(index);
    }
  }
  for (const auto& [memory, points] : by_memory) {
    const std::optional<std::int64_t> smallest =
        smallest_tied(subject, how, memory, points, best, sets.is_complete);
    if (!sets.is_complete) {
      return;
    }
    if (smallest) {
      take_tied(subject, *smallest, best, sets);
      return;
    }
  }
}

// From the best chip down, each time the step that leaves the smallest rank, as long as the value
// stays.
void LargeTies::step_down(const LargeValues::Subject& subject, const SetSearchOptions& how,
                          SetSearchAnswer& sets) const {
  const double best = best_of(sets);
  for (;;) {
    const std::int64_t from = sets.outcomes[*sets.best].index;
    std::vector<std::int64_t> below;
    std::int64_t stride = 1;
    for (std::size_t axis = grid_.sizes.size(); axis-- > 0;) {
      if (grid_.grows[axis] && from / stride % grid_.sizes[axis] > 0 &&
          within_.has(from - stride)) {
        below.push_back(from - stride);
      }
      stride *= grid_.sizes[axis];
    }
    std::vector<Worth> worths(below.size());
    tbb::parallel_for(std::size_t{0}, below.size(), [&](std::size_t i) {
      worths[i] = values_.evaluate(subject, below[i], best);
    });
    values_.keep();
    std::optional<std::size_t> smallest;
    for (std::size_t i = 0; i < below.size(); ++i) {
      if (worths[i].is_exact && worths[i].value >= best &&
          (!smallest || worths[i].rank < worths[*smallest].rank)) {
        smallest = i;
      }
    }
    if (!smallest ||
        (how.is_cancelled && how.is_cancelled(static_cast<std::int64_t>(points_), best, best))) {
      return;
    }
    take_tied(subject, below[*smallest], best, sets);
  }
}

// Of chips with a size of memory, the one with the least area, then cost, that is tied.
std::optional<std::int64_t> LargeTies::smallest_tied(const LargeValues::Subject& subject,
                                                     const SetSearchOptions& how, Bytes memory,
                                                     const std::vector<std::int64_t>& points,
                                                     double best, bool& is_complete) const {
  SetSearchProblem problem;
  problem.grid = grid_;
  problem.points = points;
  for (const std::int64_t index : points) {
    problem.prices.push_back(figures_of(index, memory).area.value());
  }
  problem.bound = [&](std::int64_t index) {
    return values_.bound(subject, index) >= best ? 1.0 : 0.0;
  };
  problem.most = [&](std::int64_t index, double) {
    return is_tied(subject, index, {memory}, best) ? 1.0 : 0.0;
  };
  problem.evaluate = [&](std::int64_t index, double) {
    Worth worth;
    const hw::ChipFigures figures = figures_of(index, memory);
    worth.value = is_tied(subject, index, {memory}, best) ? 1 / figures.area.value() : 0;
    worth.rank = {hw::total(figures.cost).value()};
    return worth;
  };
  SetSearchOptions quietly = how;
  quietly.use_bounds = quietly.looks_at_ties = true;
  quietly.samples = 0;
  quietly.is_cancelled = [&](std::int64_t, double, double) {
    return how.is_cancelled && how.is_cancelled(static_cast<std::int64_t>(points_), best, best);
  };
  const SetSearchAnswer found = set_search(std::move(problem), quietly);
  is_complete = found.is_complete;
  return found.best ? std::optional(found.outcomes[*found.best].index) : std::nullopt;
}

hw::ChipFigures LargeTies::figures_of(std::int64_t index, Bytes memory) const {
  return hw::compute_figures(with_memory(space::make_chip(question_.space, index), memory),
                             question_.space.technology)
      .value();
}

void LargeTies::take_tied(const LargeValues::Subject& subject, std::int64_t index, double best,
                          SetSearchAnswer& sets) const {
  const auto known = std::ranges::find(sets.outcomes, index, &PointOutcome::index);
  if (known != sets.outcomes.end()) {
    sets.best = static_cast<std::size_t>(known - sets.outcomes.begin());
    return;
  }
  const Worth worth = values_.evaluate(subject, index, best);
  sets.outcomes.push_back({index, worth.value, true, worth.most, worth.rank});
  sets.best = sets.outcomes.size() - 1;
  sets.bound = std::max(sets.bound, worth.most);
}

}  // namespace phaze::search
