#pragma once
// The time of an iteration from the times of its stages. Formulas: docs/models.md, 18.1. Each is
// the length of a path through passes and transfers, so that none is longer than the iteration
// itself.

#include <cstdint>
#include <span>
#include <vector>

#include "place/stage_table.h"

namespace phaze::place {

// Stages from the last one back to some stage: what the rest of the pipeline needs to know of them.
// Times are from the first forward of the first of them on.
struct Suffix {
  double sum_s = 0;    // of forward, backward and the transfers between these stages
  double end_s = 0;    // to its last backward's end; 1F1B
  double ready_s = 0;  // to the last gradient of any of them; 1F1B
  // From the first of them's last backward to the last gradient; GPipe: from when the last
  // micro-batch's backward could have ended, had it not waited for others.
  double late_s = 0;
  double optimizer_s = 0;                              // of the slowest
  double forward_period_s = 0, backward_period_s = 0;  // between passes; GPipe

  bool operator==(const Suffix&) const = default;
};

// Stages in front of a suffix, of which only this is known: how long they take at least.
struct Front {
  std::int64_t stages = 0;
  double sum_s = 0, forward_s = 0;
  double longest_s = 0;  // of one of them
};

// Of stages from some stage on, by their number: forward, backward and transfers between them.
using Runs = std::span<const double>;
// Loops are over so many stages, or over all to the last one. Longer ones add little: their period
// is that of full loops over slow neighbours to within two transfers in so many stages.
inline constexpr std::int64_t kLongestRun = 4;

// 1F1B and GPipe.
class ClosedForm {
 public:
  explicit ClosedForm(const StageTable& table);

  // With one more stage in front, `to_end` stages from the last (the last is 1). `runs`: of the
  // stages behind it, one entry for each number of stages below kLongestRun.
  Suffix extend(const Suffix& after, Runs runs, std::int64_t to_end, const StageTimes& times,
                const StageSync& sync) const;
  // The same without loops over several stages but all: no longer.
  Suffix extend_less(const Suffix& after, std::int64_t to_end, const StageTimes& times,
                     const StageSync& sync) const;
  // The runs that begin with the stage in front.
  std::vector<double> extend_runs(Runs runs, const StageTimes& times) const;

  // Of a whole pipeline; of a part, what it would take by itself.
  double iteration_s(const Suffix& all) const;
  // From the last backward to the last gradient.
  double late_s(const Suffix& all) const;
  // No pipeline takes less that ends with the suffix.
  double bound_s(const Suffix& after, const Front& front) const;

 private:
  Suffix extend_by(const Suffix& after, double loops_s, std::int64_t to_end,
                   const StageTimes& times, const StageSync& sync) const;
  // Passes of the first of `to_end` stages that are left for loops; none: less than 0.
  std::int64_t left_for_loops(std::int64_t to_end) const;

  const StageTable& table_;
  bool is_gpipe_;
  double transfer_s_;
  double more_;  // micro-batches but the first
};

// 1F1B, whatever the cut: no pipeline of so many stages takes less whose passes take `sum_s` in all
// and `longest_s` in the slowest stage at least, of which the longer pass takes `share` at least.
double least_one_by_one_s(double sum_s, double longest_s, double share, std::int64_t stages,
                          std::int64_t microbatches);

}  // namespace phaze::place
