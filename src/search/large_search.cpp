// First the chips that no step up leads out of (all of them where more costs more), by sets; then,
// for throughput, more work on schedules that leave the best open, and ties (large_ties.h).
#include "search/large_search.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <numeric>

#include "search/large_outcomes.h"
#include "search/large_ties.h"
#include "search/large_value.h"
#include "space/chips.h"
#include "space/maximal.h"
#include "space/monotone.h"

namespace phaze::search {
namespace {

Grid grid_of(const space::Space& space) {
  Grid grid;
  for (const space::Axis& axis : space.axes) {
    grid.sizes.push_back(static_cast<std::int64_t>(axis.values.size()));
  }
  grid.grows = space::never_slower_axes(space);
  return grid;
}

double best_of(const SetSearchAnswer& sets) {
  return sets.best ? sets.outcomes[*sets.best].value : 0;
}

class Search {
 public:
  Search(const SearchQuestion& question, const SearchOptions& options)
      : question_(question),
        options_(options),
        grid_(grid_of(question.space)),
        values_(question, options),
        within_(question.space, tbb::this_task_arena::max_concurrency()) {
    has_prices_ = question.objective != Objective::kThroughput;
    list_points();
  }

  SearchAnswer run() {
    SearchAnswer answer;
    answer.total = within_.count();
    for (std::size_t i = 0; i < question_.models.size(); ++i) {
      answer.reference.push_back(
          values_.model(i)
              .evaluate(question_.reference, {hw::hbm_capacity(question_.reference)}, 0)
              .throughput);
    }
    for (std::size_t i = 0; i < question_.models.size() && answer.is_complete; ++i) {
      search_for({{i}, Judge(question_, {})}, question_.models[i].name, answer);
    }
    if (question_.models.size() > 1 && answer.is_complete) {
      std::vector<std::size_t> all(question_.models.size());
      std::iota(all.begin(), all.end(), std::size_t{0});
      search_for({all, Judge(question_, scale_of(question_, answer))}, "common", answer);
    }
    spread_outcomes(question_, answer);
    return answer;
  }

 private:
  void list_points() {
    if (options_.use_dominance && !has_prices_) {
      points_ =
          space::list_maximal(question_.space, within_, tbb::this_task_arena::max_concurrency());
    } else {
      for (std::int64_t index = 0; index < within_.combinations(); ++index) {
        if (within_.has(index)) {
          points_.push_back(index);
        }
      }
    }
    if (!has_prices_) {
      return;
    }
    prices_.resize(points_.size());
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, points_.size(), std::size_t{1} << 14),
                      [&](const tbb::blocked_range<std::size_t>& range) {
                        space::ChipMaker maker(question_.space);
                        for (std::size_t i = range.begin(); i < range.end(); ++i) {
                          prices_[i] = values_.least_price(maker.at(points_[i]));
                        }
                      });
  }

  // Adds what was found to the answer.
  void search_for(const LargeValues::Subject& subject, const std::string& stage,
                  SearchAnswer& answer) {
    SetSearchProblem problem;
    problem.grid = grid_;
    problem.points = points_;
    problem.prices = prices_;
    problem.bound = [&](std::int64_t index) { return values_.bound(subject, index); };
    problem.most = [&](std::int64_t index, double enough) {
      return values_.most(subject, index, enough);
    };
    problem.evaluate = [&](std::int64_t index, double enough) {
      return values_.evaluate(subject, index, enough);
    };
    const auto dominated = within_.count() - static_cast<std::int64_t>(points_.size());
    SetSearchOptions how;
    how.use_bounds = options_.use_bounds;
    how.looks_at_ties = dominated == 0;
    how.is_cancelled = [&](std::int64_t settled, double best, double open) {
      values_.keep();
      return options_.is_cancelled &&
             options_.is_cancelled({stage, settled + dominated, within_.count(), best, open});
    };
    SetSearchAnswer sets = set_search(std::move(problem), how);
    values_.keep();
    if (options_.deepens && !has_prices_) {
      deepen(subject, sets);
    }
    if (sets.best && sets.is_complete && dominated > 0) {
      const LargeTies ties(question_, grid_, within_, points_.size(), values_);
      ties.settle(subject, how, sets);
      values_.keep();
    }
    CoSearchAnswer found = count_outcomes(sets, within_.count());
    std::optional<FoundChip> best = found_in(subject, sets);
    answer.is_complete = sets.is_complete;
    if (subject.models.size() == 1) {
      answer.own.push_back(std::move(found));
      answer.own_best.push_back(std::move(best));
    } else {
      answer.common = std::move(found);
      answer.common_best = std::move(best);
    }
    answer.sets.push_back(std::move(sets));
  }

  // More work on schedules of chips that could be as good as the best one.
  void deepen(const LargeValues::Subject& subject, SetSearchAnswer& sets) {
    std::vector<std::size_t> steps(sets.outcomes.size(), 0);
    for (;;) {
      const double best = best_of(sets);
      std::vector<std::size_t> open;
      for (std::size_t i = 0; i < sets.outcomes.size(); ++i) {
        const PointOutcome& outcome = sets.outcomes[i];
        if (outcome.most >= best && (!outcome.is_exact || outcome.most > outcome.value) &&
            steps[i] < std::size(kMoreNodes)) {
          open.push_back(i);
        }
      }
      if (!sets.best || !sets.is_complete || open.empty() || open.size() > kMostDeepened) {
        return;
      }
      tbb::parallel_for(std::size_t{0}, open.size(), [&](std::size_t i) {
        values_.deepen(subject, sets.outcomes[open[i]].index, best, kMoreNodes[steps[open[i]]++]);
      });
      values_.keep();
      for (const std::size_t i : open) {
        PointOutcome& outcome = sets.outcomes[i];
        const Worth worth = values_.evaluate(subject, outcome.index, best);
        outcome = {outcome.index, worth.value, worth.is_exact, std::max(worth.value, worth.most),
                   worth.rank};
      }
      values_.keep();
      settle(sets);
    }
  }

  // The best and the bound of outcomes that have changed.
  static void settle(SetSearchAnswer& sets) {
    sets.bound = 0;
    for (std::size_t i = 0; i < sets.outcomes.size(); ++i) {
      const PointOutcome &outcome = sets.outcomes[i], &best = sets.outcomes[*sets.best];
      sets.bound = std::max(sets.bound, outcome.most);
      if (outcome.is_exact && is_better(outcome, best)) {
        sets.best = i;
      }
    }
    for (const ExcludedSet& set : sets.excluded) {
      sets.bound = std::max(sets.bound, set.bound);
    }
  }

  // Its chip is a place in the outcomes until spread_outcomes() (large_outcomes.h).
  std::optional<FoundChip> found_in(const LargeValues::Subject& subject,
                                    const SetSearchAnswer& sets) {
    if (!sets.best) {
      return std::nullopt;
    }
    const PointOutcome& best = sets.outcomes[*sets.best];
    FoundChip found{
        *sets.best, best.value, Bytes(static_cast<std::int64_t>(best.rank.front())), {}, {}};
    const std::vector<Bytes> memories = has_prices_
                                            ? std::vector{found.memory}
                                            : memories_of(question_, {best.index, std::nullopt});
    for (const std::size_t model : subject.models) {
      found.values.push_back(values_.value(model, best.index, memories, 0));
      found.throughput.push_back(found.values.back().throughput);
    }
    return found;
  }

  const SearchQuestion& question_;
  const SearchOptions& options_;
  const Grid grid_;
  LargeValues values_;
  space::WithinChips within_;
  bool has_prices_ = false;
  std::vector<std::int64_t> points_;
  std::vector<double> prices_;
};

}  // namespace

bool is_large(const space::Space& space) {
  constexpr std::int64_t kListed = 1'000'000;
  return space::combinations(space) > kListed;
}

SearchAnswer search_large(const SearchQuestion& question, const SearchOptions& options) {
  return Search(question, options).run();
}

}  // namespace phaze::search
