#include "place/closed_form.h"

#include <algorithm>

namespace phaze::place {

Suffix ClosedForm::extend(const Suffix& after, std::int64_t to_end, const StageTimes& times,
                          const StageSync& sync) const {
  const double transfer_s = table_.transfer_s();
  Suffix all;
  all.sum_s = after.sum_s + times.total_s();
  if (table_.strategy().schedule == plan::PipelineSchedule::kGpipe) {
    all.period_s = std::max(after.period_s, times.forward_s);
    all.backward_period_s = std::max(after.backward_period_s, times.backward_s);
  } else {
    all.period_s = std::max(after.period_s, times.total_s());
    if (to_end < table_.microbatches()) {
      // No more than to_end micro-batches are between this stage's forward and backward.
      const auto stages = static_cast<double>(to_end);
      all.period_s = std::max(all.period_s, (all.sum_s + 2 * transfer_s * (stages - 1)) / stages);
    }
  }
  // Later stages are done with backward earlier.
  all.late_s = std::max(sync.exposed_s, after.late_s - times.backward_s - transfer_s);
  all.optimizer_s = std::max(after.optimizer_s, sync.optimizer_s);
  return all;
}

double ClosedForm::iteration_s(const Suffix& all) const {
  const auto stages = static_cast<double>(table_.strategy().pipeline);
  const auto more = static_cast<double>(table_.microbatches() - 1);
  return all.sum_s + 2 * table_.transfer_s() * (stages - 1) +
         more * (all.period_s + all.backward_period_s) + all.late_s + table_.tie_s() +
         all.optimizer_s;
}

double ClosedForm::bound_s(const Suffix& after, double sum_s, double longest_s) const {
  Suffix all = after;
  all.sum_s += sum_s;
  all.late_s = 0;
  if (table_.strategy().schedule != plan::PipelineSchedule::kGpipe) {
    all.period_s = std::max(all.period_s, longest_s);
  }
  return iteration_s(all);
}

double interleaved_s(const StageTable& table, double sum_s, double longest_s, double late_s,
                     double optimizer_s) {
  const plan::Strategy& strategy = table.strategy();
  const auto stages = static_cast<double>(strategy.pipeline);
  const auto chunks = static_cast<double>(strategy.interleave);
  const auto microbatches = static_cast<double>(table.microbatches());
  // Fill and drain pass all stages once with one chunk each.
  return sum_s / chunks + (microbatches - 1 / chunks) * longest_s +
         2 * table.transfer_s() * (stages * chunks - 1) + late_s + table.tie_s() + optimizer_s;
}

}  // namespace phaze::place
