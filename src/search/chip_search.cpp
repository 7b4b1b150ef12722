// A value of several models is found model by model, each only as far as is needed: what a model
// must reach at least follows from the bounds of those that are not known yet. What is known of a
// model on a chip serves its own search and the common one.
#include "search/chip_search.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "hw/cost.h"
#include "hw/figures.h"
#include "search/chip_knowledge.h"
#include "space/monotone.h"

namespace phaze::search {
namespace {

hw::ChipFigures figures_of(const SearchQuestion& question, const hw::Chip& chip) {
  return hw::compute_figures(chip, question.space.technology).value();
}

class Search {
 public:
  Search(const SearchQuestion& question, std::vector<SearchChip> chips,
         const SearchOptions& options)
      : question_(question),
        options_(options),
        chips_(std::move(chips)),
        knowledge_(question, chips_, options) {}

  SearchAnswer run() {
    SearchAnswer answer;
    answer.reference.resize(question_.models.size());
    tbb::parallel_for(std::size_t{0}, question_.models.size(), [&](std::size_t i) {
      answer.reference[i] =
          knowledge_.model(i)
              .evaluate(question_.reference, {hw::hbm_capacity(question_.reference)}, 0)
              .throughput;
    });
    for (const SearchChip& chip : chips_) {
      space::Standing standing = space::standing_of(question_.space, chip.index);
      problem_.chips.push_back({standing.group, std::move(standing.amounts)});
    }
    // What costs more is not worth more for having more.
    if (options_.use_dominance && question_.objective == Objective::kThroughput) {
      problem_.dominators = find_dominators(problem_.chips);
    }

    for (std::size_t i = 0; i < question_.models.size() && answer.is_complete; ++i) {
      answer.own.push_back(search_for({i}, Judge(question_, {}), question_.models[i].name));
      answer.own_best.push_back(found_in(answer.own.back(), {i}));
      answer.is_complete = answer.own.back().is_complete;
    }
    if (question_.models.size() > 1 && answer.is_complete) {
      const std::vector<double> scale = scale_of(question_, answer);
      std::vector<std::size_t> all(question_.models.size());
      std::iota(all.begin(), all.end(), 0);
      answer.common = search_for(all, Judge(question_, scale), "common");
      answer.common_best = found_in(*answer.common, all);
      answer.is_complete = answer.common->is_complete;
      count_known(all, Judge(question_, scale), *answer.common);
    }
    for (std::size_t i = 0; i < answer.own.size(); ++i) {
      count_known({i}, Judge(question_, {}), answer.own[i]);
    }
    answer.total = static_cast<std::int64_t>(chips_.size());
    answer.chips = std::move(chips_);
    return answer;
  }

 private:
  double combined(const Judge& judge, const std::vector<std::size_t>& models,
                  const std::vector<double>& throughput) const {
    return models.size() == 1 ? throughput.front() : judge.value(throughput);
  }

  std::vector<double> bounds_of(const std::vector<std::size_t>& models, std::size_t chip) {
    std::vector<double> bounds;
    bounds.reserve(models.size());
    for (const std::size_t model : models) {
      bounds.push_back(knowledge_.bound(model, chip));
    }
    return bounds;
  }

  double bound(const std::vector<std::size_t>& models, const Judge& judge, std::size_t chip) {
    return combined(judge, models, bounds_of(models, chip)) / price(chip);
  }

  double close_bound(const std::vector<std::size_t>& models, const Judge& judge, std::size_t chip) {
    for (const std::size_t model : models) {
      knowledge_.close_bound(model, chip);
    }
    return bound(models, judge, chip);
  }

  Worth evaluate(const std::vector<std::size_t>& models, const Judge& judge, std::size_t chip,
                 double enough) {
    const double per = price(chip);
    std::vector<double> throughput = bounds_of(models, chip);
    Worth worth;
    Bytes memory;
    std::vector<double> most = throughput;
    for (std::size_t i = 0; i < models.size(); ++i) {
      const double needed =
          models.size() == 1 ? enough * per : judge.needed(i, enough * per, throughput);
      const ChipValue value = knowledge_.evaluate(models[i], chip, needed);
      throughput[i] = value.throughput;
      most[i] = value.most;
      memory = std::max(memory, value.memory);
      if (!value.is_exact) {
        worth.is_exact = false;
        break;
      }
    }
    worth.value = combined(judge, models, throughput) / per;
    worth.most = combined(judge, models, most) / per;
    if (worth.is_exact && worth.value > 0) {
      const hw::Chip made = with_memory(make_chip(question_, chips_[chip]), memory);
      const hw::ChipFigures figures = figures_of(question_, made);
      worth.rank = {static_cast<double>(memory.value()), figures.area.value(),
                    hw::total(figures.cost).value()};
    }
    return worth;
  }

  double price(std::size_t chip) const {
    return question_.objective == Objective::kThroughput
               ? 1
               : price_of(question_, make_chip(question_, chips_[chip]));
  }

  CoSearchAnswer search_for(const std::vector<std::size_t>& models, const Judge& judge,
                            const std::string& stage) {
    CoSearchProblem& problem = problem_;
    problem.bound = [&](std::size_t chip) { return bound(models, judge, chip); };
    problem.close_bound = [&](std::size_t chip) { return close_bound(models, judge, chip); };
    problem.evaluate = [&](std::size_t chip, double enough) {
      return evaluate(models, judge, chip, enough);
    };
    CoSearchOptions options;
    options.use_bounds = options_.use_bounds;
    options.use_dominance = !problem.dominators.empty();
    options.is_cancelled = [&](std::size_t settled, double best, double open) {
      knowledge_.keep();
      return options_.is_cancelled &&
             options_.is_cancelled({stage, static_cast<std::int64_t>(settled),
                                    static_cast<std::int64_t>(chips_.size()), best, open});
    };
    CoSearchAnswer answer = co_search(problem, options);
    std::vector<std::size_t> steps(chips_.size(), 0);  // of more work on a chip
    while (options_.deepens && answer.best && answer.is_complete) {
      std::vector<std::size_t> open = list_open(answer);
      std::erase_if(open, [&](std::size_t chip) { return steps[chip] == std::size(kMoreNodes); });
      if (open.empty() || open.size() > kMostDeepened) {
        break;
      }
      deepen(models, judge, open, answer.outcomes[*answer.best].value, steps);
      CoSearchAnswer again = co_search(problem, options);
      if (!again.is_complete) {
        answer.is_complete = false;  // what was known before is still there, and its bound
        settle(models, judge, answer);
        break;
      }
      answer = std::move(again);
    }
    knowledge_.keep();
    return answer;
  }

  // A chip whose value was found counts as evaluated, whichever search or earlier run found it,
  // also where the best one would have left it out.
  void count_known(const std::vector<std::size_t>& models, const Judge& judge,
                   CoSearchAnswer& answer) {
    for (std::size_t chip = 0; answer.is_complete && chip < answer.outcomes.size(); ++chip) {
      ChipOutcome& outcome = answer.outcomes[chip];
      const bool is_known = std::ranges::all_of(
          models, [&](std::size_t model) { return knowledge_.has_exact(model, chip); });
      if (outcome.state == ChipState::kEvaluated || !is_known) {
        continue;
      }
      --(outcome.state == ChipState::kDominated ? answer.dominated : answer.excluded);
      ++answer.evaluated;
      const Worth worth = evaluate(models, judge, chip, 0);
      outcome = {ChipState::kEvaluated, worth.value, std::max(worth.value, worth.most), worth.rank,
                 0};
    }
  }

  // Takes over what is known by now of chips that were evaluated.
  void settle(const std::vector<std::size_t>& models, const Judge& judge, CoSearchAnswer& answer) {
    for (std::size_t chip = 0; chip < answer.outcomes.size(); ++chip) {
      ChipOutcome& outcome = answer.outcomes[chip];
      if (outcome.state != ChipState::kEvaluated) {
        continue;
      }
      const Worth worth = evaluate(models, judge, chip, 0);
      outcome.value = worth.value;
      outcome.most = std::max(worth.value, worth.most);
      outcome.rank = worth.rank;
      const ChipOutcome& best = answer.outcomes[*answer.best];
      if (outcome.value > best.value || (outcome.value == best.value && outcome.rank < best.rank)) {
        answer.best = chip;
      }
    }
  }

  // Chips that could be as good as the best one with better schedules.
  static std::vector<std::size_t> list_open(const CoSearchAnswer& answer) {
    std::vector<std::size_t> open;
    for (std::size_t chip = 0; answer.best && chip < answer.outcomes.size(); ++chip) {
      const ChipOutcome& outcome = answer.outcomes[chip];
      const double best = answer.outcomes[*answer.best].value;
      const bool is_open = outcome.state == ChipState::kEvaluated
                               ? outcome.most >= best && outcome.most > outcome.value
                               : outcome.state == ChipState::kExcluded &&
                                     std::max(outcome.value, outcome.most) >= best;
      if (is_open) {
        open.push_back(chip);
      }
    }
    return open;
  }

  // Each model on each chip by itself, against what the others were known to reach before: the next
  // step of each chip.
  void deepen(const std::vector<std::size_t>& models, const Judge& judge,
              const std::vector<std::size_t>& chips, double best, std::vector<std::size_t>& steps) {
    struct Task {
      std::size_t model, chip;
      double enough;
      std::int64_t nodes;
    };
    std::vector<Task> tasks;
    for (const std::size_t chip : chips) {
      const std::int64_t nodes = kMoreNodes[steps[chip]++];
      const double enough = best * price(chip);
      const std::vector<double> most = bounds_of(models, chip);
      for (std::size_t i = 0; i < models.size(); ++i) {
        tasks.push_back(
            {models[i], chip, models.size() == 1 ? enough : judge.needed(i, enough, most), nodes});
      }
    }
    tbb::parallel_for(std::size_t{0}, tasks.size(), [&](std::size_t i) {
      knowledge_.deepen(tasks[i].model, tasks[i].chip, tasks[i].enough, tasks[i].nodes);
    });
  }

  std::optional<FoundChip> found_in(const CoSearchAnswer& answer,
                                    const std::vector<std::size_t>& models) {
    if (!answer.best) {
      return std::nullopt;
    }
    FoundChip found;
    found.chip = *answer.best;
    found.value = answer.outcomes[*answer.best].value;
    for (const std::size_t model : models) {
      const ChipValue value = knowledge_.evaluate(model, found.chip, 0);
      found.throughput.push_back(value.throughput);
      found.values.push_back(value);
      found.memory = std::max(found.memory, value.memory);
    }
    return found;
  }

  const SearchQuestion& question_;
  const SearchOptions& options_;
  std::vector<SearchChip> chips_;
  ChipKnowledge knowledge_;
  CoSearchProblem problem_;  // chips and their dominators are the same for all searches
};

}  // namespace

std::vector<double> scale_of(const SearchQuestion& question, const SearchAnswer& answer) {
  std::vector<double> scale(question.models.size(), 1);
  for (std::size_t i = 0; i < scale.size(); ++i) {
    double of = answer.reference[i];
    if (question.combination == Combination::kWorst) {
      of = answer.own_best[i] ? answer.own_best[i]->throughput.front() : 0;
    }
    if (of <= 0 && answer.own_best[i]) {
      of = answer.own_best[i]->throughput.front();  // the reference chip cannot train it
    }
    scale[i] = question.combination != Combination::kRaw && of > 0 ? of : 1;
  }
  return scale;
}

SearchAnswer search_chips(const SearchQuestion& question, std::vector<SearchChip> chips,
                          const SearchOptions& options) {
  return Search(question, std::move(chips), options).run();
}

}  // namespace phaze::search
