#pragma once
// The best cut of a chain into the stages of a pipeline, each with its way to recompute.

#include <cstdint>
#include <optional>
#include <vector>

#include "place/stage_table.h"

namespace phaze::place {

// Layers begin .. end - 1 of the flat chain, in one or (interleaved) several pieces.
struct StageCut {
  std::vector<std::pair<std::size_t, std::size_t>> ranges;
  plan::Recompute recompute = plan::Recompute::kNone;
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
  double late_s = 0;  // of it, after the last backward, before the optimiser
};

// A given cut under the closed form, whether it fits or not.
Partition evaluate(const StageTable& table, std::vector<StageCut> stages);

// The best under the closed form (docs/models.md, section 18) among those that take less than
// `limit_s` and fit; nothing when there is none. 1F1B and GPipe.
std::optional<Partition> solve_partition(const StageTable& table, double limit_s);

// The even cut into chunks that interleaving needs; nothing when layers do not divide, or it does
// not fit.
std::optional<Partition> cut_interleaved(const StageTable& table);

}  // namespace phaze::place
