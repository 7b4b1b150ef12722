#pragma once
// The time of an iteration from the times of its stages. Formulas: docs/models.md, section 18.

#include <cstdint>
#include <vector>

#include "place/stage_table.h"

namespace phaze::place {

// Stages from the last one back to some stage: what the rest of the pipeline needs to know of them.
struct Suffix {
  double sum_s = 0;              // of forward and backward
  double period_s = 0;           // 1F1B: between micro-batches; GPipe: between forwards
  double backward_period_s = 0;  // GPipe: between backwards
  double late_s = 0;             // from the first of them's last backward to its last gradient
  double optimizer_s = 0;        // of the slowest

  bool operator==(const Suffix&) const = default;
};

// The pipeline's ways to schedule have this form in common.
class ClosedForm {
 public:
  explicit ClosedForm(const StageTable& table) : table_(table) {}

  // With one more stage in front, `to_end` stages from the last (the last is 1).
  Suffix extend(const Suffix& after, std::int64_t to_end, const StageTimes& times,
                const StageSync& sync) const;
  // Of a whole pipeline; of a part, what it would take by itself.
  double iteration_s(const Suffix& all) const;
  // At least this: with stages in front of a suffix that take `sum_s` in all, and none of which is
  // shorter than `longest_s`.
  double bound_s(const Suffix& after, double sum_s, double longest_s) const;

 private:
  const StageTable& table_;
};

// 1F1B with `interleave` chunks on each device: all stages alike but for `longest_s`.
double interleaved_s(const StageTable& table, double sum_s, double longest_s, double late_s,
                     double optimizer_s);

}  // namespace phaze::place
