#pragma once
// The co-search: the best chip of a space for one model, and the best common one for several, with
// their plans. Every chip is evaluated or excluded with a proof. docs/models.md, section 23.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan_record.h"
#include "search/chip_value.h"
#include "search/co_search.h"
#include "search/front.h"
#include "space/space.h"

namespace phaze::search {

enum class Objective {
  kThroughput,  // sequences a second
  kPerWatt,     // of design power, all devices
  kPerDollar,   // over a life: chips built and energy
  kPerCarbon,   // over a life: kilograms of CO2, chips built and energy
};
std::string_view to_string(Objective objective);
std::optional<Objective> parse_objective(std::string_view name);

// How a chip is judged that several models share; throughputs relative to the reference chip's.
enum class Combination {
  kMean,       // weighted arithmetic mean
  kGeometric,  // weighted geometric mean
  kRaw,        // the original's: the mean of throughputs themselves
  kWorst,      // the least share of what the model's own best chip would give
};
std::string_view to_string(Combination combination);
std::optional<Combination> parse_combination(std::string_view name);

struct SearchPrices {
  double usd_per_kwh = 0.08, pue = 1.1, kg_per_kwh = 0.369, life_years = 4;
};

struct SearchModel {
  std::string name;
  PlanSetting setting;  // its chip does not matter
  double weight = 1;
};

struct SearchQuestion {
  space::Space space;
  std::vector<SearchModel> models;  // at least one
  hw::Chip reference;               // with its own memory
  Objective objective = Objective::kThroughput;
  Combination combination = Combination::kMean;
  SearchPrices prices;
};

// A chip of the space that a search chooses from. Where memory costs (all objectives but
// throughput), each size of it makes another one.
struct SearchChip {
  std::int64_t index = 0;  // in the space
  std::optional<Bytes> memory;
};
hw::Chip make_chip(const SearchQuestion& question, const SearchChip& chip);
// Its id in the space, with the size of memory where it has one of its own: "t8-v2-m32G".
std::string search_chip_id(const SearchQuestion& question, const SearchChip& chip);
std::vector<Bytes> memories_of(const SearchQuestion& question, const SearchChip& chip);

// What is known of a model on a chip; sequences a second.
struct Known {
  std::size_t model = 0, chip = 0;  // chip: of `SearchAnswer::chips`
  ChipValue value;
};

struct FoundChip {
  std::size_t chip = 0;
  double value = 0;  // of the objective
  Bytes memory;
  std::vector<double> throughput;  // by model; of a model's own chip only its own
};

struct SearchAnswer {
  std::vector<SearchChip> chips;
  std::vector<double> reference;  // by model: throughput of the reference chip; 0: does not fit
  // By model, its own best chip; and the common one, where there are several models.
  std::vector<CoSearchAnswer> own;
  std::vector<std::optional<FoundChip>> own_best;
  std::optional<CoSearchAnswer> common;
  std::optional<FoundChip> common_best;
  bool is_complete = true;
};

struct SearchOptions {
  bool use_dominance = true, use_bounds = true;
  std::vector<Known> known;  // from an earlier run
  // Told what was found out, now and then, from one thread.
  std::function<void(const std::vector<Known>& found)> keep;
  // Told after each batch; stops the search when it says so. `stage`: a model's name, or "common".
  struct Progress {
    std::string stage;
    std::size_t settled = 0, total = 0;
    double best = 0, bound = 0;
  };
  std::function<bool(const Progress&)> is_cancelled;
};

// The chips of a space, within its limits.
std::vector<SearchChip> list_search_chips(const SearchQuestion& question);
// What the objective divides throughput by.
double price_of(const SearchQuestion& question, const hw::Chip& chip);

// What throughputs are divided by before they are combined, by model: what the reference chip
// reaches or, where the model does not fit on it, the model's own best chip.
std::vector<double> scale_of(const SearchQuestion& question, const SearchAnswer& answer);
// Of all models; 0 where one does not fit.
double combine_throughputs(const SearchQuestion& question, const std::vector<double>& scale,
                           const std::vector<double>& throughput);

// `chips`: those of list_search_chips.
SearchAnswer search_chips(const SearchQuestion& question, std::vector<SearchChip> chips,
                          const SearchOptions& options = {});

// Chips with a size of memory each, none of which is beaten in all objectives. Of one model.
struct SearchFront {
  std::vector<Objective> objectives;
  std::vector<SearchChip> chips;  // all that there are
  FrontAnswer answer;
};
SearchFront search_front(
    const SearchQuestion& question, const std::vector<Objective>& objectives,
    const std::function<bool(std::size_t settled, std::size_t total)>& is_cancelled = {});

// The chip with the memory that was found for it.
hw::Chip with_memory(const hw::Chip& chip, Bytes memory);

}  // namespace phaze::search
