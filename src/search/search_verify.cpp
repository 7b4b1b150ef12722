#include "search/search_verify.h"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "base/check.h"
#include "base/plural.h"
#include "search/plan_search.h"
#include "space/chips.h"
#include "space/limits.h"
#include "space/monotone.h"

namespace phaze::search {
namespace {

// Sequences a second of the best plan, found for this chip alone.
double plan_again(const SearchModel& model, const hw::Chip& chip,
                  const std::vector<Bytes>& memories) {
  PlanSetting setting = model.setting;
  setting.chip = with_memory(chip, memories.back());
  const PlanAnswer found = find_plan(setting);
  return found.has_fitting() ? plan::throughput(found.plans.front()) : 0;
}

// Of chips that another one dominates.
constexpr std::size_t kSample = 100;

// And the same of what can make a model slower.
bool has_no_less(const SearchQuestion& question, std::int64_t more, std::int64_t less) {
  const std::vector<space::FieldValue> a = space::field_values(question.space, more);
  const std::vector<space::FieldValue> b = space::field_values(question.space, less);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool is_never_slower =
        space::growth_of(question.space, question.space.axes[i]).never_slower;
    if (a[i].value < b[i].value || (!is_never_slower && a[i].value != b[i].value)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::string> verify_search(const SearchQuestion& question, const SearchAnswer& answer) {
  std::vector<std::string> lines;
  const auto check = [&](const CoSearchAnswer& found, const std::vector<std::size_t>& models,
                         const std::string& name) {
    if (!found.best || !found.is_complete) {
      return;
    }
    const double best = found.outcomes[*found.best].value;
    constexpr double kRounding = 1e-9;
    std::vector<std::size_t> excluded, dominated;
    for (std::size_t i = 0; i < found.outcomes.size(); ++i) {
      const ChipOutcome& outcome = found.outcomes[i];
      if (outcome.state == ChipState::kExcluded) {
        excluded.push_back(i);
      } else if (outcome.state == ChipState::kDominated) {
        const std::int64_t index = answer.chips[i].index;
        const std::int64_t other = answer.chips[outcome.dominator].index;
        CHECK(has_no_less(question, other, index), "a chip was excluded by one that has less");
        CHECK(!space::judge(question.space, space::make_chip(question.space, other)).limit,
              "a chip was excluded by one outside the space");
        dominated.push_back(i);
      }
    }
    const auto value_of = [&](const SearchChip& chip) {
      const hw::Chip made = make_chip(question, chip);
      std::vector<double> throughput;
      throughput.reserve(models.size());
      for (const std::size_t model : models) {
        throughput.push_back(plan_again(question.models[model], made, memories_of(question, chip)));
      }
      return (models.size() == 1
                  ? throughput.front()
                  : combine_throughputs(question, scale_of(question, answer), throughput)) /
             price_of(question, made);
    };
    tbb::parallel_for(std::size_t{0}, excluded.size(), [&](std::size_t k) {
      const double value = value_of(answer.chips[excluded[k]]);
      CHECK(value <= best * (1 + kRounding), "an excluded chip is better");
      CHECK(value <= found.outcomes[excluded[k]].value * (1 + kRounding), "a bound does not hold");
    });
    const std::size_t sampled = std::min(dominated.size(), kSample);
    tbb::parallel_for(std::size_t{0}, sampled, [&](std::size_t k) {
      const double value = value_of(answer.chips[dominated[k * dominated.size() / sampled]]);
      CHECK(value <= found.bound * (1 + kRounding), "a dominated chip is above the bound");
    });
    lines.push_back("verified " + name + ": " + counted(excluded.size(), "chip") +
                    " excluded by bounds planned from scratch, none is better; " +
                    counted(dominated.size(), "has no more of anything than its witness",
                            "have no more of anything than their witness") +
                    ", and of " + std::to_string(sampled) +
                    " of them planned from scratch none is better");
  };
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < question.models.size(); ++i) {
    all.push_back(i);
    if (i < answer.own.size()) {
      check(answer.own[i], {i}, question.models[i].name);
    }
  }
  if (answer.common) {
    check(*answer.common, all, "the common chip");
  }
  return lines;
}

}  // namespace phaze::search
