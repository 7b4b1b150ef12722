#include "search/search_question.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/names.h"
#include "hw/cost.h"
#include "hw/figures.h"
#include "space/chips.h"
#include "space/enumerate.h"

namespace phaze::search {
namespace {

constexpr double kSecondsPerYear = 365.25 * 24 * 3600;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

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
         (chip.memory ? "-m" + space::bytes_code(*chip.memory) : "");
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
  const hw::ChipFigures figures = hw::compute_figures(chip, question.space.technology).value();
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

Judge::Judge(const SearchQuestion& question, std::vector<double> scale)
    : question_(question), scale_(std::move(scale)) {
  for (const SearchModel& model : question.models) {
    weights_ += model.weight;
  }
}

double Judge::needed(std::size_t model, double enough,
                     const std::vector<double>& throughput) const {
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

}  // namespace phaze::search
