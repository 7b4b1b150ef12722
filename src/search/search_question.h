#pragma once
// What a search over chips is asked: a space, models, what counts. docs/models.md, section 23.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/plan_setting.h"
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
  std::string schedules = "exact";        // of layers, whose solver is in the settings
  std::optional<Seconds> schedule_limit;  // for each of them, where its solver has one
  std::vector<std::string> notes;         // what was assumed
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

// The chips of a space, within its limits.
std::vector<SearchChip> list_search_chips(const SearchQuestion& question);
// What the objective divides throughput by.
double price_of(const SearchQuestion& question, const hw::Chip& chip);

// Of all models, over `scale`, by which throughputs are divided before they are combined; 0 where
// one does not fit.
double combine_throughputs(const SearchQuestion& question, const std::vector<double>& scale,
                           const std::vector<double>& throughput);

// The value of throughputs of all models, and what one of them must be for a value, the others
// given. The question must stay.
class Judge {
 public:
  Judge(const SearchQuestion& question, std::vector<double> scale);

  double value(const std::vector<double>& throughput) const {
    return combine_throughputs(question_, scale_, throughput);
  }
  // Below it the value is below `enough`, a little less for rounding.
  double needed(std::size_t model, double enough, const std::vector<double>& throughput) const;

 private:
  const SearchQuestion& question_;
  std::vector<double> scale_;
  double weights_ = 0;
};

// The chip with the memory that was found for it.
hw::Chip with_memory(const hw::Chip& chip, Bytes memory);

}  // namespace phaze::search
