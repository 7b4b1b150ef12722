// A value of several models is found model by model, each only as far as is needed: what a model
// must reach at least follows from the bounds of those that are not known yet. What is known of a
// model on a chip serves its own search and the common one.
#include "search/chip_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/names.h"
#include "hw/cost.h"
#include "hw/figures.h"
#include "space/chips.h"
#include "space/enumerate.h"
#include "space/monotone.h"

namespace phaze::search {
namespace {

constexpr double kSecondsPerYear = 365.25 * 24 * 3600;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

hw::ChipFigures figures_of(const SearchQuestion& question, const hw::Chip& chip) {
  return hw::compute_figures(chip, question.space.technology).value();
}

// What is known of each model on each chip, from any search.
class Knowledge {
 public:
  Knowledge(const SearchQuestion& question, const std::vector<SearchChip>& chips,
            const SearchOptions& options)
      : question_(question), chips_(chips), options_(options) {
    for (const SearchModel& model : question.models) {
      models_.emplace_back(model.setting);
      known_.emplace_back(chips.size());
    }
    for (const Known& known : options.known) {
      CHECK(known.model < known_.size() && known.chip < chips.size(), "what is known is of here");
      known_[known.model][known.chip] = known.value;
    }
  }

  const ModelOnChips& model(std::size_t i) const { return models_[i]; }

  double bound(std::size_t model, std::size_t chip) const {
    const std::optional<ChipValue>& known = known_[model][chip];
    return known ? known->throughput : models_[model].bound(make_chip(question_, chips_[chip]));
  }

  ChipValue evaluate(std::size_t model, std::size_t chip, double enough) {
    std::optional<ChipValue>& known = known_[model][chip];  // a chip has one thread at a time
    if (known && (known->is_exact || known->throughput < enough)) {
      return *known;
    }
    known = models_[model].evaluate(make_chip(question_, chips_[chip]),
                                    memories_of(question_, chips_[chip]), enough);
    const std::lock_guard lock(mutex_);
    found_.push_back({model, chip, *known});
    return *known;
  }

  // Hands on what was found since the last time, in one order.
  void keep() {
    std::vector<Known> found;
    {
      const std::lock_guard lock(mutex_);
      found = std::exchange(found_, {});
    }
    std::ranges::sort(found, [](const Known& a, const Known& b) {
      return std::pair(a.chip, a.model) < std::pair(b.chip, b.model);
    });
    if (options_.keep && !found.empty()) {
      options_.keep(found);
    }
  }

 private:
  const SearchQuestion& question_;
  const std::vector<SearchChip>& chips_;
  const SearchOptions& options_;
  std::vector<ModelOnChips> models_;
  std::vector<std::vector<std::optional<ChipValue>>> known_;  // by model and chip
  std::mutex mutex_;
  std::vector<Known> found_;
};

// The value of throughputs, and what one of them must be for a value, the others given.
class Judge {
 public:
  Judge(const SearchQuestion& question, std::vector<double> scale)
      : question_(question), scale_(std::move(scale)) {
    for (const SearchModel& model : question.models) {
      weights_ += model.weight;
    }
  }

  double value(const std::vector<double>& throughput) const {
    return combine_throughputs(question_, scale_, throughput);
  }

  // Below it the value is below `enough`, a little less for rounding.
  double needed(std::size_t model, double enough, const std::vector<double>& throughput) const {
    constexpr double kSafe = 1 - 1e-9;
    double sum = 0, product = 0;
    for (std::size_t i = 0; i < throughput.size(); ++i) {
      if (i != model) {
        const double weight = question_.models[i].weight / weights_;
        sum += weight * throughput[i] / scale_[i];
        product += weight * std::log(throughput[i] / scale_[i]);
      }
    }
    const double weight = question_.models[model].weight / weights_;
    double share = enough;
    if (question_.combination == Combination::kGeometric) {
      share = enough > 0 ? std::exp((std::log(enough) - product) / weight) : 0;
    } else if (question_.combination != Combination::kWorst) {
      share = (enough - sum) / weight;
    }
    return std::max(0.0, share * scale_[model] * kSafe);
  }

 private:
  const SearchQuestion& question_;
  std::vector<double> scale_;
  double weights_ = 0;
};

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
    for (std::size_t i = 0; i < question_.models.size(); ++i) {
      const ChipValue value = knowledge_.model(i).evaluate(
          question_.reference, {hw::hbm_capacity(question_.reference)}, 0);
      answer.reference.push_back(value.throughput);
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
    }
    answer.chips = std::move(chips_);
    return answer;
  }

 private:
  double combined(const Judge& judge, const std::vector<std::size_t>& models,
                  const std::vector<double>& throughput) const {
    return models.size() == 1 ? throughput.front() : judge.value(throughput);
  }

  double bound(const std::vector<std::size_t>& models, const Judge& judge, std::size_t chip) {
    std::vector<double> throughput;
    for (const std::size_t model : models) {
      throughput.push_back(knowledge_.bound(model, chip));
    }
    return combined(judge, models, throughput) / price(chip);
  }

  Worth evaluate(const std::vector<std::size_t>& models, const Judge& judge, std::size_t chip,
                 double enough) {
    const double per = price(chip);
    std::vector<double> throughput;
    for (const std::size_t model : models) {
      throughput.push_back(knowledge_.bound(model, chip));
    }
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
    CoSearchProblem problem;
    for (const SearchChip& chip : chips_) {
      space::Standing standing = space::standing_of(question_.space, chip.index);
      problem.chips.push_back({standing.group, std::move(standing.amounts)});
    }
    problem.bound = [&](std::size_t chip) { return bound(models, judge, chip); };
    problem.evaluate = [&](std::size_t chip, double enough) {
      return evaluate(models, judge, chip, enough);
    };
    CoSearchOptions options;
    options.use_bounds = options_.use_bounds;
    // What costs more is not worth more for having more.
    options.use_dominance = options_.use_dominance && question_.objective == Objective::kThroughput;
    options.is_cancelled = [&](std::size_t settled, double best, double open) {
      knowledge_.keep();
      return options_.is_cancelled &&
             options_.is_cancelled({stage, settled, chips_.size(), best, open});
    };
    CoSearchAnswer answer = co_search(problem, options);
    knowledge_.keep();
    return answer;
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
      found.memory = std::max(found.memory, value.memory);
    }
    return found;
  }

  const SearchQuestion& question_;
  const SearchOptions& options_;
  std::vector<SearchChip> chips_;
  Knowledge knowledge_;
};

constexpr std::array<NameOf<Objective>, 4> kObjectives = {{{Objective::kThroughput, "throughput"},
                                                           {Objective::kPerWatt, "per-watt"},
                                                           {Objective::kPerDollar, "per-dollar"},
                                                           {Objective::kPerCarbon, "per-carbon"}}};
static_assert(is_in_order(kObjectives));
constexpr std::array<NameOf<Combination>, 4> kCombinations = {
    {{Combination::kMean, "mean"},
     {Combination::kGeometric, "geometric"},
     {Combination::kRaw, "raw"},
     {Combination::kWorst, "worst"}}};
static_assert(is_in_order(kCombinations));

}  // namespace

std::string_view to_string(Objective objective) { return name_in(kObjectives, objective); }
std::optional<Objective> parse_objective(std::string_view name) {
  return find_in(kObjectives, name);
}
std::string_view to_string(Combination combination) { return name_in(kCombinations, combination); }
std::optional<Combination> parse_combination(std::string_view name) {
  return find_in(kCombinations, name);
}

hw::Chip with_memory(const hw::Chip& chip, Bytes memory) {
  hw::Chip made = chip;
  made.hbm.stack_capacity = Bytes(memory.value() / made.hbm.stacks);
  return made;
}

hw::Chip make_chip(const SearchQuestion& question, const SearchChip& chip) {
  hw::Chip made = space::make_chip(question.space, chip.index);
  return chip.memory ? with_memory(made, *chip.memory) : made;
}

std::string search_chip_id(const SearchQuestion& question, const SearchChip& chip) {
  return space::chip_id(question.space, chip.index) +
         (chip.memory ? "-m" + std::to_string(chip.memory->value() >> 30) + "G" : "");
}

std::vector<Bytes> memories_of(const SearchQuestion& question, const SearchChip& chip) {
  return chip.memory
             ? std::vector{*chip.memory}
             : space::hbm_capacities(question.space, space::make_chip(question.space, chip.index));
}

std::vector<SearchChip> list_search_chips(const SearchQuestion& question) {
  std::vector<SearchChip> chips;
  for (const std::int64_t index : space::list_chips(question.space)) {
    if (question.objective == Objective::kThroughput) {
      chips.push_back({index, std::nullopt});
      continue;
    }
    for (const Bytes memory : memories_of(question, {index, std::nullopt})) {
      chips.push_back({index, memory});
    }
  }
  return chips;
}

double price_of(const SearchQuestion& question, const hw::Chip& chip) {
  const hw::ChipFigures figures = figures_of(question, chip);
  const SearchPrices& prices = question.prices;
  const auto devices = static_cast<double>(question.models.front().setting.devices);
  const double life_s = prices.life_years * kSecondsPerYear;
  constexpr double kJoulesPerKwh = 3.6e6;
  const double kwh = figures.tdp.value() * prices.pue * life_s / kJoulesPerKwh;
  switch (question.objective) {
    case Objective::kThroughput:
      return 1;
    case Objective::kPerWatt:
      return devices * figures.tdp.value();
    case Objective::kPerDollar:
      return devices * (hw::total(figures.cost).value() + kwh * prices.usd_per_kwh) / life_s;
    case Objective::kPerCarbon:
      return devices * (hw::total(figures.carbon).value() + kwh * prices.kg_per_kwh) / life_s;
  }
  CHECK(false, "unknown objective");
}

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

double combine_throughputs(const SearchQuestion& question, const std::vector<double>& scale,
                           const std::vector<double>& throughput) {
  double weights = 0;
  for (const SearchModel& model : question.models) {
    weights += model.weight;
  }
  double sum = 0, product = 0, least = kInfinity;
  for (std::size_t i = 0; i < throughput.size(); ++i) {
    const double share = throughput[i] / scale[i];
    const double weight = question.models[i].weight / weights;
    sum += weight * share;
    product += weight * std::log(share);
    least = std::min(least, share);
  }
  if (least <= 0) {
    return 0;  // a model does not fit
  }
  switch (question.combination) {
    case Combination::kMean:
    case Combination::kRaw:
      return sum;
    case Combination::kGeometric:
      return std::exp(product);
    case Combination::kWorst:
      return least;
  }
  CHECK(false, "unknown combination");
}

SearchAnswer search_chips(const SearchQuestion& question, std::vector<SearchChip> chips,
                          const SearchOptions& options) {
  return Search(question, std::move(chips), options).run();
}

SearchFront search_front(
    const SearchQuestion& question, const std::vector<Objective>& objectives,
    const std::function<bool(std::size_t settled, std::size_t total)>& is_cancelled) {
  CHECK(question.models.size() == 1, "a front is of one model");
  SearchFront front;
  front.objectives = objectives;
  SearchQuestion priced = question;
  priced.objective = Objective::kPerWatt;  // each size of memory by itself
  front.chips = list_search_chips(priced);
  FrontProblem problem;
  for (const SearchChip& chip : front.chips) {
    const hw::Chip made = make_chip(question, chip);
    std::vector<double>& prices = problem.prices.emplace_back();
    for (const Objective objective : objectives) {
      priced.objective = objective;
      prices.push_back(price_of(priced, made));
    }
  }
  const ModelOnChips model(question.models.front().setting);
  problem.bound = [&](std::size_t i) { return model.bound(make_chip(question, front.chips[i])); };
  problem.evaluate = [&](std::size_t i, double enough) {
    const ChipValue value = model.evaluate(make_chip(question, front.chips[i]),
                                           memories_of(question, front.chips[i]), enough);
    return Worth{value.throughput, value.is_exact, value.most, {}};
  };
  front.answer = find_front(problem, [&](std::size_t settled) {
    return is_cancelled && is_cancelled(settled, front.chips.size());
  });
  return front;
}

}  // namespace phaze::search
