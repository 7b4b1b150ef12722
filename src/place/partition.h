#pragma once
// The best cut of a chain into the stages of a pipeline, each with its way to recompute.

#include <cstdint>
#include <optional>
#include <vector>

#include "place/stage_table.h"

namespace phaze::place {

struct StageCut {
  LayerRanges ranges;  // several: interleaved
  plan::Recompute recompute = plan::Recompute::kNone;

  bool operator==(const StageCut&) const = default;
};

// Of a stage that is `to_end` stages from the last, the last being 1.
struct StageNumbers {
  StageTimes times;
  StageSync sync;
  std::int64_t in_flight = 1;
  plan::StageMemory memory;
};
StageNumbers compute_stage(const StageTable& table, const StageCut& cut, std::int64_t to_end);

struct Partition {
  std::vector<StageCut> stages;  // from the first on
  double iteration_s = 0;
  double late_s = 0;  // of it, between the last backward and the optimiser
};

// A given cut under the closed form, whether it fits or not.
Partition evaluate(const StageTable& table, std::vector<StageCut> stages);

// Rules that cut the search short; each keeps the best cut. They can be turned off to show it.
struct PartitionRules {
  bool drops_dominated = true;        // labels that are no better than others
  bool is_first_without_runs = true;  // a form that is never longer, and often the same
};

// The best under the closed form (docs/models.md, 18.1) among those that take less than
// `limit_s` and fit; nothing when there is none. 1F1B and GPipe.
std::optional<Partition> solve_partition(const StageTable& table, double limit_s,
                                         const PartitionRules& rules = {});

// The even cut into chunks that interleaving needs, recomputed in the best of these ways: every
// stage the least that fits it, or all stages alike. Nothing when layers do not divide, nothing
// fits, or it takes `limit_s` or more.
std::optional<Partition> cut_interleaved(const StageTable& table, double limit_s);

}  // namespace phaze::place
