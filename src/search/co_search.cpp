// Chips that no other dominates are bounded and sorted. From the top, in batches of a fixed size,
// those that have none get a close bound and find their place anew, the others are evaluated, all
// of a batch against the best value before it, until the highest bound is below the best. A batch
// does not depend on how many threads work on it, so neither do the counts.
//
// Ties: a chip that is dominated by the best may be worth the same with a smaller rank. Values only
// fall on the way down, so that below a chip that is worth less there is no tie: what the best
// chips dominate is looked at from the top, leaving out what such a chip dominates.
#include "search/co_search.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <unordered_map>

namespace phaze::search {
namespace {

constexpr std::size_t kBatch = 16;
constexpr std::size_t kCloseBatch = 64;

bool has_no_less(const ChipPlace& more, const ChipPlace& less) {
  return more.group == less.group &&
         std::equal(more.amounts.begin(), more.amounts.end(), less.amounts.begin(),
                    [](std::int64_t a, std::int64_t b) { return a >= b; });
}

class Search {
 public:
  Search(const CoSearchProblem& problem, const CoSearchOptions& options)
      : problem_(problem), options_(options) {
    answer_.outcomes.resize(problem.chips.size());
    is_settled_.assign(problem.chips.size(), false);
  }

  CoSearchAnswer run() {
    std::vector<std::size_t> dominators(problem_.chips.size());
    std::iota(dominators.begin(), dominators.end(), 0);
    if (options_.use_dominance) {
      dominators =
          problem_.dominators.empty() ? find_dominators(problem_.chips) : problem_.dominators;
    }
    std::vector<std::size_t> open;
    for (std::size_t chip = 0; chip < dominators.size(); ++chip) {
      if (dominators[chip] == chip) {
        open.push_back(chip);
      }
    }
    evaluate_all(open);
    if (options_.use_dominance && answer_.is_complete) {
      look_for_ties(dominators);
      for (std::size_t chip = 0; chip < dominators.size(); ++chip) {
        if (!is_settled_[chip]) {
          ChipOutcome& outcome = answer_.outcomes[chip];
          outcome.state = ChipState::kDominated;
          outcome.dominator = dominators[chip];
          const ChipOutcome& above = answer_.outcomes[outcome.dominator];
          outcome.value = std::max(above.value, above.most);
        }
      }
    }
    for (std::size_t chip = 0; chip < answer_.outcomes.size(); ++chip) {
      const ChipState state = answer_.outcomes[chip].state;
      answer_.evaluated += state == ChipState::kEvaluated ? 1 : 0;
      answer_.excluded += state == ChipState::kExcluded && is_settled_[chip] ? 1 : 0;
      answer_.dominated += state == ChipState::kDominated ? 1 : 0;
    }
    // What is dominated is worth no more than what dominates it, whatever is not known.
    answer_.bound = std::max(answer_.bound, best_value());
    for (std::size_t chip = 0; chip < answer_.outcomes.size(); ++chip) {
      const ChipOutcome& outcome = answer_.outcomes[chip];
      if (is_settled_[chip]) {
        answer_.bound = std::max(answer_.bound, std::max(outcome.value, outcome.most));
      }
    }
    return std::move(answer_);
  }

 private:
  double best_value() const { return answer_.best ? answer_.outcomes[*answer_.best].value : 0; }

  void take(std::size_t chip, const ChipOutcome& outcome) {
    answer_.outcomes[chip] = outcome;
    is_settled_[chip] = true;
    ++settled_;
    if (outcome.state != ChipState::kEvaluated || outcome.value <= 0) {
      return;
    }
    const auto is_better = [&](const ChipOutcome& a, std::size_t a_chip, const ChipOutcome& b,
                               std::size_t b_chip) {
      return a.value != b.value ? a.value > b.value
             : a.rank != b.rank ? a.rank < b.rank
                                : a_chip < b_chip;
    };
    if (!answer_.best || is_better(outcome, chip, answer_.outcomes[*answer_.best], *answer_.best)) {
      answer_.best = chip;
    }
  }

  static ChipOutcome outcome_of(const Worth& worth) {
    return {worth.is_exact ? ChipState::kEvaluated : ChipState::kExcluded, worth.value,
            std::max(worth.value, worth.most), worth.rank, 0};
  }

  // All of them, each exactly where it is worth at least `enough`.
  void evaluate_batch(const std::vector<std::size_t>& chips, double enough) {
    std::vector<ChipOutcome> outcomes(chips.size());
    tbb::parallel_for(std::size_t{0}, chips.size(), [&](std::size_t i) {
      outcomes[i] = outcome_of(problem_.evaluate(chips[i], enough));
    });
    for (std::size_t i = 0; i < chips.size(); ++i) {
      take(chips[i], outcomes[i]);
    }
  }

  bool is_cancelled(double open) {
    if (options_.is_cancelled && options_.is_cancelled(settled_, best_value(), open)) {
      answer_.is_complete = false;
      answer_.bound = open;
      return true;
    }
    return false;
  }

  struct Open {
    std::size_t chip = 0;
    double bound = 0;
    bool is_close = false;
  };

  void evaluate_all(const std::vector<std::size_t>& chips) {
    std::vector<Open> open(chips.size());
    tbb::parallel_for(std::size_t{0}, chips.size(), [&](std::size_t i) {
      open[i] = {chips[i], problem_.bound(chips[i]), false};
    });
    while (!open.empty()) {
      if (options_.use_bounds) {  // of equal bounds the first chip
        std::ranges::sort(open, [](const Open& a, const Open& b) {
          return a.bound != b.bound ? a.bound > b.bound : a.chip < b.chip;
        });
      }
      const double highest = std::ranges::max(open, {}, &Open::bound).bound;
      if (options_.use_bounds && highest < best_value()) {
        for (const Open& one : open) {
          take(one.chip, {ChipState::kExcluded, one.bound, 0, {}, 0});
        }
        return;
      }
      if (is_cancelled(highest)) {
        for (const Open& one : open) {
          answer_.outcomes[one.chip].value = one.bound;
        }
        return;
      }
      if (options_.use_bounds && problem_.close_bound && !open.front().is_close) {
        bound_batch(open);
      } else {
        const auto end = std::find_if(
            open.begin(), open.begin() + static_cast<std::ptrdiff_t>(std::min(kBatch, open.size())),
            [&](const Open& one) {
              return one.is_close != open.front().is_close ||
                     (options_.use_bounds && one.bound < best_value());
            });
        std::vector<std::size_t> batch;
        std::transform(open.begin(), end, std::back_inserter(batch), std::mem_fn(&Open::chip));
        evaluate_batch(batch, options_.use_bounds ? best_value() : 0);
        open.erase(open.begin(), end);
      }
    }
  }

  // Of chips that have none the highest get a close bound.
  void bound_batch(std::vector<Open>& open) {
    std::vector<Open*> batch;
    for (Open& one : open) {
      if (batch.size() < kCloseBatch && !one.is_close && one.bound >= best_value()) {
        batch.push_back(&one);
      }
    }
    tbb::parallel_for(std::size_t{0}, batch.size(), [&](std::size_t i) {
      batch[i]->bound = std::min(batch[i]->bound, problem_.close_bound(batch[i]->chip));
      batch[i]->is_close = true;
    });
  }

  void look_for_ties(const std::vector<std::size_t>& dominators) {
    if (!answer_.best) {
      return;
    }
    const double best = best_value();
    const auto is_tied = [&](std::size_t chip) {
      return answer_.outcomes[chip].state == ChipState::kEvaluated &&
             answer_.outcomes[chip].value == best;
    };
    std::vector<std::size_t> below;  // what chips that are worth as much dominate
    for (std::size_t chip = 0; chip < dominators.size(); ++chip) {
      if (dominators[chip] != chip && problem_.bound(chip) >= best) {
        below.push_back(chip);
      }
    }
    std::ranges::stable_sort(below, [&](std::size_t a, std::size_t b) {
      return problem_.chips[a].amounts > problem_.chips[b].amounts;
    });
    // A chip is tied only if all are that have no less.
    std::vector<std::size_t> worse;
    for (std::size_t chip = 0; chip < dominators.size(); ++chip) {
      if (dominators[chip] == chip && !is_tied(chip)) {
        worse.push_back(chip);
      }
    }
    for (const std::size_t chip : below) {
      const bool is_out = std::ranges::any_of(worse, [&](std::size_t other) {
        return has_no_less(problem_.chips[other], problem_.chips[chip]);
      });
      if (is_out) {
        continue;
      }
      if (is_cancelled(best)) {
        return;
      }
      evaluate_batch({chip}, best);
      if (!is_tied(chip)) {
        worse.push_back(chip);
      }
    }
  }

  const CoSearchProblem& problem_;
  const CoSearchOptions& options_;
  CoSearchAnswer answer_;
  std::vector<bool> is_settled_;
  std::size_t settled_ = 0;
};

}  // namespace

std::vector<std::size_t> find_dominators(const std::vector<ChipPlace>& chips) {
  std::vector<std::size_t> dominators(chips.size());
  std::vector<std::size_t> order(chips.size());
  std::iota(order.begin(), order.end(), 0);
  // Those with more first; of equal ones the first.
  std::ranges::stable_sort(order, [&chips](std::size_t a, std::size_t b) {
    return chips[a].amounts > chips[b].amounts;
  });
  std::unordered_map<std::int64_t, std::vector<std::size_t>> top;  // by group
  for (const std::size_t chip : order) {
    std::vector<std::size_t>& known = top[chips[chip].group];
    const auto above = std::ranges::find_if(
        known, [&](std::size_t other) { return has_no_less(chips[other], chips[chip]); });
    dominators[chip] = above == known.end() ? chip : *above;
    if (above == known.end()) {
      known.push_back(chip);
    }
  }
  return dominators;
}

CoSearchAnswer co_search(const CoSearchProblem& problem, const CoSearchOptions& options) {
  return Search(problem, options).run();
}

}  // namespace phaze::search
