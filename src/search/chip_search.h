#pragma once
// The co-search: the best chip of a space for one model, and the best common one for several, with
// their plans. Every chip is evaluated or excluded with a proof. docs/models.md, section 23.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/chip_value.h"
#include "search/co_search.h"
#include "search/front.h"
#include "search/search_question.h"
#include "search/set_search.h"

namespace phaze::search {

// What is known of a model on a chip; sequences a second.
struct Known {
  std::size_t model = 0;
  std::size_t chip = 0;  // of list_search_chips; of large spaces the index in the space
  ChipValue value;
  // Of large spaces: one that bounds others and need not be within the limits of the space.
  bool is_top = false;
};

struct FoundChip {
  std::size_t chip = 0;
  double value = 0;  // of the objective
  Bytes memory;
  std::vector<double> throughput;  // by model; of a model's own chip only its own
  std::vector<ChipValue> values;   // that these are from
};

// Nodes of search for each schedule of a layer, step by step, where schedules that are not proved
// leave open which chip is the best; not where more chips than this are open.
inline constexpr std::int64_t kMoreNodes[] = {4'000, 20'000, 100'000, 500'000};
inline constexpr std::size_t kMostDeepened = 128;

struct SearchAnswer {
  std::vector<SearchChip> chips;  // all; of large spaces those that were looked at one by one
  std::int64_t total = 0;         // in the space
  // Of large spaces: by model, then of all together, how sets of chips were excluded.
  std::vector<SetSearchAnswer> sets;
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
  // Put more work into schedules that are not proved where they leave open which chip is the best.
  bool deepens = true;
  std::vector<Known> known;  // from an earlier run
  // Told what was found out, now and then, from one thread.
  std::function<void(const std::vector<Known>& found)> keep;
  // Told after each batch; stops the search when it says so. `stage`: a model's name, or "common".
  struct Progress {
    std::string stage;
    std::int64_t settled = 0, total = 0;
    double best = 0, bound = 0;
  };
  std::function<bool(const Progress&)> is_cancelled;
};

// What throughputs are divided by before they are combined, by model: what the reference chip
// reaches or, where the model does not fit on it, the model's own best chip.
std::vector<double> scale_of(const SearchQuestion& question, const SearchAnswer& answer);

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

}  // namespace phaze::search
