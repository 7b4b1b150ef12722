#include "search/large_verify.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/text.h"
#include "search/plan_search.h"
#include "space/chips.h"
#include "space/maximal.h"
#include "space/monotone.h"

namespace phaze::search {
namespace {

constexpr double kRounding = 1e-9;
constexpr std::size_t kSample = 100;  // of chips that another one dominates

// Sequences a second of the best plan.
double plan_again(const SearchModel& model, const hw::Chip& chip) {
  PlanSetting setting = model.setting;
  setting.chip = chip;
  PlanSearchOptions options;
  options.bounds_layers = false;
  const PlanAnswer found = find_plan(setting, options);
  return found.has_fitting() ? plan::throughput(found.plans.front()) : 0;
}

class Verifier {
 public:
  Verifier(const SearchQuestion& question, const SearchAnswer& answer)
      : question_(question),
        answer_(answer),
        within_(question.space, tbb::this_task_arena::max_concurrency()),
        never_slower_(space::never_slower_axes(question.space)) {}

  std::string check(const SetSearchAnswer& sets, const std::vector<std::size_t>& models,
                    const std::string& name) const {
    const std::vector<std::int64_t> dominated = check_cover(sets);
    const double best = sets.outcomes[*sets.best].value;
    for (const ExcludedSet& set : sets.excluded) {
      CHECK(set.bound <= best, "a set is not excluded by its bound");
    }
    tbb::parallel_for(std::size_t{0}, sets.excluded.size(),
                      [&](std::size_t i) { check_set(sets, sets.excluded[i], models); });
    const std::size_t sampled = std::min(dominated.size(), kSample);
    tbb::parallel_for(std::size_t{0}, sampled, [&](std::size_t k) {
      const hw::Chip chip =
          space::make_chip(question_.space, dominated[k * dominated.size() / sampled]);
      const Bytes most = space::hbm_capacities(question_.space, chip).back();
      CHECK(value_of(with_memory(chip, most), models) <= sets.bound * (1 + kRounding),
            "a dominated chip is above the bound");
    });
    return "verified " + name + ": all " + with_thousands(within_.count()) +
           " chips are in one of " +
           with_thousands(static_cast<std::int64_t>(sets.excluded.size())) +
           " sets, evaluated, or below one of these (" +
           with_thousands(static_cast<std::int64_t>(dominated.size())) +
           "); the chips that bound the sets and " + std::to_string(sampled) +
           " of those below others were planned from scratch, none is better";
  }

 private:
  // Every chip within is in a set or evaluated, or has a step up to another one within: these last.
  std::vector<std::int64_t> check_cover(const SetSearchAnswer& sets) const {
    std::vector<std::int64_t> listed;
    for (const ExcludedSet& set : sets.excluded) {
      listed.insert(listed.end(), sets.order.begin() + static_cast<std::ptrdiff_t>(set.begin),
                    sets.order.begin() + static_cast<std::ptrdiff_t>(set.end));
    }
    for (const PointOutcome& outcome : sets.outcomes) {
      listed.push_back(outcome.index);
    }
    std::ranges::sort(listed);
    const space::StepsUp steps(question_.space);
    std::vector<std::int64_t> dominated;
    for (std::int64_t index = 0; index < within_.combinations(); ++index) {
      if (!within_.has(index) || std::ranges::binary_search(listed, index)) {
        continue;
      }
      CHECK(!has_prices() && steps.above(within_, index), "a chip was forgotten");
      dominated.push_back(index);
    }
    return dominated;
  }

  void check_set(const SetSearchAnswer& sets, const ExcludedSet& set,
                 const std::vector<std::size_t>& models) const {
    const std::vector<space::FieldValue> top = space::field_values(question_.space, set.top);
    double price = std::numeric_limits<double>::infinity();  // the least of all
    const hw::Chip bounding = space::make_chip(question_.space, set.top);
    const Bytes most = space::hbm_capacities(question_.space, bounding).back();
    double alone = 0;  // of a single chip, with each size of memory
    for (std::size_t i = set.begin; i < set.end; ++i) {
      const std::int64_t index = sets.order[i];
      const std::vector<space::FieldValue> values = space::field_values(question_.space, index);
      for (std::size_t a = 0; a < top.size(); ++a) {
        CHECK(never_slower_[a] ? values[a].value <= top[a].value : values[a].value == top[a].value,
              "a chip has more than what bounds it");
      }
      const hw::Chip chip = space::make_chip(question_.space, index);
      for (const Bytes memory : space::hbm_capacities(question_.space, chip)) {
        const hw::Chip made = with_memory(chip, memory);
        price = std::min(price, price_of(question_, made));
        if (set.end - set.begin == 1 && (memory == most || has_prices())) {
          alone = std::max(alone, value_of(made, models) / price_of(question_, made));
        }
      }
    }
    const double value =
        set.end - set.begin == 1 ? alone : value_of(with_memory(bounding, most), models) / price;
    CHECK(value <= set.bound * (1 + kRounding), "a bound does not hold");
  }

  bool has_prices() const { return question_.objective != Objective::kThroughput; }

  double value_of(const hw::Chip& chip, const std::vector<std::size_t>& models) const {
    std::vector<double> throughput;
    throughput.reserve(models.size());
    for (const std::size_t model : models) {
      throughput.push_back(plan_again(question_.models[model], chip));
    }
    return models.size() == 1
               ? throughput.front()
               : combine_throughputs(question_, scale_of(question_, answer_), throughput);
  }

  const SearchQuestion& question_;
  const SearchAnswer& answer_;
  const space::WithinChips within_;
  const std::vector<bool> never_slower_;
};

}  // namespace

std::vector<std::string> verify_large(const SearchQuestion& question, const SearchAnswer& answer) {
  std::vector<std::string> lines;
  if (!answer.is_complete) {
    return lines;
  }
  const Verifier verifier(question, answer);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < answer.sets.size(); ++i) {
    const bool is_own = i < question.models.size();
    if (is_own) {
      all.push_back(i);
    }
    if (answer.sets[i].best) {
      lines.push_back(verifier.check(answer.sets[i], is_own ? std::vector{i} : all,
                                     is_own ? question.models[i].name : "the common chip"));
    }
  }
  return lines;
}

}  // namespace phaze::search
