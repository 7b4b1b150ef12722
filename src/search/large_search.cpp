// First the chips that no step up leads out of (all of them where more costs more), by sets. Then,
// for throughput, ties: a chip that is worth as much as the best one has no more than one of the
// chips that were found to have that value, be it a chip or what bounds a set. Of all these the one
// with the least memory is searched, then the least area: again by sets, 1 / area being the value
// where the best throughput is reached and 0 elsewhere.
#include "search/large_search.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "hw/cost.h"
#include "hw/figures.h"
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
    spread_outcomes(answer);
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
      look_for_ties(subject, how, sets);
      values_.keep();
    }
    CoSearchAnswer found;
    found.bound = sets.bound;
    found.is_complete = sets.is_complete;
    std::set<std::int64_t> seen;  // sets may have points that were looked at before
    for (const PointOutcome& outcome : sets.outcomes) {
      found.evaluated += outcome.is_exact ? 1 : 0;
      seen.insert(outcome.index);
    }
    for (const ExcludedSet& set : sets.excluded) {
      found.excluded += set.bound <= best_of(sets) ? count_not_in(seen, sets, set) : 0;
    }
    found.dominated = static_cast<std::size_t>(within_.count()) - found.evaluated - found.excluded -
                      open_in(sets, seen);
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
    for (const std::int64_t nodes : kMoreNodes) {
      const double best = best_of(sets);
      std::vector<std::size_t> open;
      for (std::size_t i = 0; i < sets.outcomes.size(); ++i) {
        const PointOutcome& outcome = sets.outcomes[i];
        if (outcome.most >= best && (!outcome.is_exact || outcome.most > outcome.value)) {
          open.push_back(i);
        }
      }
      if (!sets.best || !sets.is_complete || open.empty() || open.size() > kMostDeepened) {
        return;
      }
      tbb::parallel_for(std::size_t{0}, open.size(), [&](std::size_t i) {
        values_.deepen(subject, sets.outcomes[open[i]].index, best, nodes);
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
      const bool is_better = outcome.value != best.value ? outcome.value > best.value
                             : outcome.rank != best.rank ? outcome.rank < best.rank
                                                         : outcome.index < best.index;
      if (outcome.is_exact && is_better) {
        sets.best = i;
      }
    }
    for (const ExcludedSet& set : sets.excluded) {
      sets.bound = std::max(sets.bound, set.bound);
    }
  }

  static double best_of(const SetSearchAnswer& sets) {
    return sets.best ? sets.outcomes[*sets.best].value : 0;
  }
  static std::size_t count_not_in(const std::set<std::int64_t>& seen, const SetSearchAnswer& sets,
                                  const ExcludedSet& set) {
    std::size_t count = set.end - set.begin;
    for (std::size_t i = set.begin; i < set.end; ++i) {
      count -= seen.contains(sets.order[i]) ? 1U : 0U;
    }
    return count;
  }
  // Points whose fate is not known: a bound is above the best.
  static std::size_t open_in(const SetSearchAnswer& sets, const std::set<std::int64_t>& seen) {
    std::size_t open = 0;
    for (const ExcludedSet& set : sets.excluded) {
      open += set.bound <= best_of(sets) ? 0 : count_not_in(seen, sets, set);
    }
    for (const PointOutcome& outcome : sets.outcomes) {
      open += outcome.is_exact ? 0 : 1;
    }
    return open;
  }

  // Is the chip worth as much as the best with so much memory?
  bool is_tied(const LargeValues::Subject& subject, std::int64_t index,
               const std::vector<Bytes>& memories, double best) {
    const Worth worth = values_.evaluate_with(subject, index, memories, best);
    return worth.is_exact && worth.value >= best;
  }

  using Positions = std::vector<std::int64_t>;

  // All chips within that have no more than one of some tops, which are the same on axes that do
  // not grow.
  void add_below(const std::vector<Positions>& tops, std::vector<std::int64_t>& all) const {
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
  std::vector<std::int64_t> list_below_ties(const SetSearchAnswer& sets) const {
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

  void look_for_ties(const LargeValues::Subject& subject, const SetSearchOptions& how,
                     SetSearchAnswer& sets) {
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
  void step_down(const LargeValues::Subject& subject, const SetSearchOptions& how,
                 SetSearchAnswer& sets) {
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
      if (!smallest || (how.is_cancelled &&
                        how.is_cancelled(static_cast<std::int64_t>(points_.size()), best, best))) {
        return;
      }
      take_tied(subject, below[*smallest], best, sets);
    }
  }

  // Of chips with a size of memory, the one with the least area, then cost, that is tied.
  std::optional<std::int64_t> smallest_tied(const LargeValues::Subject& subject,
                                            const SetSearchOptions& how, Bytes memory,
                                            const std::vector<std::int64_t>& points, double best,
                                            bool& is_complete) {
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
      return how.is_cancelled &&
             how.is_cancelled(static_cast<std::int64_t>(points_.size()), best, best);
    };
    const SetSearchAnswer found = set_search(std::move(problem), quietly);
    is_complete = found.is_complete;
    return found.best ? std::optional(found.outcomes[*found.best].index) : std::nullopt;
  }

  hw::ChipFigures figures_of(std::int64_t index, Bytes memory) const {
    return hw::compute_figures(with_memory(space::make_chip(question_.space, index), memory),
                               question_.space.technology)
        .value();
  }

  void take_tied(const LargeValues::Subject& subject, std::int64_t index, double best,
                 SetSearchAnswer& sets) {
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

  // Its chip is a place in the outcomes until spread_outcomes().
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

  // One list of chips for all searches, and their outcomes by it.
  void spread_outcomes(SearchAnswer& answer) const {
    std::map<std::pair<std::int64_t, Bytes>, std::size_t> places;
    const auto place_of = [&](const PointOutcome& outcome) {
      const Bytes memory =
          has_prices_ ? Bytes(static_cast<std::int64_t>(outcome.rank.front())) : Bytes();
      const auto [place, is_new] = places.try_emplace({outcome.index, memory}, answer.chips.size());
      if (is_new) {
        answer.chips.push_back({outcome.index, has_prices_ ? std::optional(memory) : std::nullopt});
      }
      return place->second;
    };
    for (std::size_t i = 0; i < answer.sets.size(); ++i) {
      const bool is_own = i < question_.models.size();
      CoSearchAnswer& found = is_own ? answer.own[i] : *answer.common;
      std::optional<FoundChip>& best = is_own ? answer.own_best[i] : answer.common_best;
      for (std::size_t k = 0; k < answer.sets[i].outcomes.size(); ++k) {
        const PointOutcome& outcome = answer.sets[i].outcomes[k];
        if (!outcome.is_exact || outcome.value <= 0) {
          continue;
        }
        const std::size_t place = place_of(outcome);
        found.outcomes.resize(std::max(found.outcomes.size(), place + 1));
        found.outcomes[place] = {ChipState::kEvaluated, outcome.value, outcome.most, outcome.rank,
                                 0};
        if (best && answer.sets[i].best == k) {
          found.best = best->chip = place;
        }
      }
    }
    for (CoSearchAnswer& found : answer.own) {
      found.outcomes.resize(answer.chips.size());
    }
    if (answer.common) {
      answer.common->outcomes.resize(answer.chips.size());
    }
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
