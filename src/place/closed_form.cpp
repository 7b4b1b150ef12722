// docs/models.md, 18.1; names of the text there. A stage i with w = min(p - 1 - i, m - 1) forwards
// before its first backward is passed in one of these ways, all of which are paths:
//   straight  to the last stage and back, with m - 1 more forwards, backwards or transfers;
//   loops     w forwards at i, or to the last stage and back (U); m - 2 - w passes in loops from i
//             to a stage near it, or to the last one, and back; w backwards at i, or to the last
//             stage and back (V);
//   turning   all of the stage's own passes.
// Those that go to the last stage and back in the end (through) pass all stages' last backwards,
// the others only those of stages up to i.
#include "place/closed_form.h"

#include <algorithm>

namespace phaze::place {

ClosedForm::ClosedForm(const StageTable& table)
    : table_(table),
      is_gpipe_(table.strategy().schedule == plan::PipelineSchedule::kGpipe),
      transfer_s_(table.transfer_s()),
      more_(static_cast<double>(table.microbatches() - 1)) {}

std::int64_t ClosedForm::left_for_loops(std::int64_t to_end) const {
  return table_.microbatches() - 2 - std::min(to_end - 1, table_.microbatches() - 1);
}

Suffix ClosedForm::extend_by(const Suffix& after, double loops_s, std::int64_t to_end,
                             const StageTimes& times, const StageSync& sync) const {
  const double own_s = times.total_s();
  const bool is_last = to_end == 1;
  // From the end of this stage's forward to the begin of its backward, by way of the last stage.
  const double around_s = is_last ? 0 : after.sum_s + 2 * transfer_s_;
  Suffix all;
  all.sum_s = own_s + around_s;
  all.late_s = is_last ? sync.exposed_s
                       : std::max(sync.exposed_s, after.late_s - times.backward_s - transfer_s_);
  all.optimizer_s = std::max(after.optimizer_s, sync.optimizer_s);
  if (is_gpipe_) {
    // Transfers to and from the stages behind it; the last one waits for none.
    const double between_s = is_last ? 0 : transfer_s_;
    all.forward_period_s = std::max({after.forward_period_s, times.forward_s, between_s});
    all.backward_period_s = std::max({after.backward_period_s, times.backward_s, between_s});
    // Backwards repeat at this stage or behind it.
    all.late_s = more_ * all.backward_period_s + sync.exposed_s;
    if (!is_last) {
      all.late_s = std::max(all.late_s, after.late_s - times.backward_s - transfer_s_);
    }
    return all;
  }
  const double ahead = std::min(static_cast<double>(to_end - 1), more_);
  const double longer_s = std::max(times.forward_s, times.backward_s);
  double through_s = all.sum_s + more_ * std::max(times.forward_s, transfer_s_);
  double turning_s = std::max(all.sum_s + more_ * times.backward_s,
                              own_s + ahead * own_s + (more_ - ahead) * longer_s);
  if (left_for_loops(to_end) >= 0) {
    const double until_last_s = 2 * own_s + std::max(around_s, ahead * times.forward_s) + loops_s;
    through_s = std::max(through_s, until_last_s + around_s);
    turning_s = std::max(turning_s, until_last_s + ahead * times.backward_s);
  }
  all.end_s = std::max(through_s, turning_s);
  all.ready_s = all.end_s + sync.exposed_s;
  if (!is_last) {
    const double before_s = after.end_s + own_s + 2 * transfer_s_;
    all.end_s = std::max(all.end_s, before_s);
    all.ready_s =
        std::max({all.end_s + sync.exposed_s, after.ready_s + times.forward_s + transfer_s_,
                  through_s + after.late_s - times.backward_s - transfer_s_});
  }
  return all;
}

Suffix ClosedForm::extend(const Suffix& after, Runs runs, std::int64_t to_end,
                          const StageTimes& times, const StageSync& sync) const {
  const std::int64_t left = left_for_loops(to_end);
  double longest_s = 0;
  if (!is_gpipe_ && left > 0) {
    const double own_s = times.total_s();
    const double joined_s = own_s + 2 * transfer_s_;
    const auto run_s = [&](std::int64_t stages) {
      return stages == 0   ? 0
             : stages == 1 ? own_s
                           : joined_s + runs[static_cast<std::size_t>(stages - 2)];
    };
    // Whole loops over few stages, and a shorter one for what is left.
    const auto few_s = [&](std::int64_t passes) {
      double most_s = 0;
      for (std::int64_t stages = 1; stages <= std::min(to_end, kLongestRun); ++stages) {
        const std::int64_t loops = passes / stages;
        most_s =
            std::max(most_s, static_cast<double>(loops) * run_s(stages) + run_s(passes % stages));
      }
      return most_s;
    };
    // Over all of them, and few for what is left.
    const std::int64_t loops = left / to_end;
    longest_s =
        std::max(few_s(left), static_cast<double>(loops) *
                                      (own_s + (to_end > 1 ? after.sum_s + 2 * transfer_s_ : 0)) +
                                  few_s(left % to_end));
  }
  return extend_by(after, longest_s, to_end, times, sync);
}

Suffix ClosedForm::extend_less(const Suffix& after, std::int64_t to_end, const StageTimes& times,
                               const StageSync& sync) const {
  const std::int64_t left = left_for_loops(to_end);
  double longest_s = 0;
  if (!is_gpipe_ && left > 0) {
    const double own_s = times.total_s();
    const double all_s = own_s + (to_end > 1 ? after.sum_s + 2 * transfer_s_ : 0);
    const std::int64_t loops = left / to_end;
    longest_s = std::max(static_cast<double>(left) * own_s,
                         static_cast<double>(loops) * all_s + (left % to_end > 0 ? own_s : 0));
  }
  return extend_by(after, longest_s, to_end, times, sync);
}

std::vector<double> ClosedForm::extend_runs(Runs runs, const StageTimes& times) const {
  std::vector<double> all;
  all.push_back(times.total_s());
  for (const double run_s : runs) {
    if (std::ssize(all) + 1 < kLongestRun) {
      all.push_back(times.total_s() + 2 * transfer_s_ + run_s);
    }
  }
  return all;
}

double ClosedForm::iteration_s(const Suffix& all) const {
  const double passes_s =
      is_gpipe_ ? all.sum_s + more_ * all.forward_period_s + all.late_s : all.ready_s;
  return passes_s + table_.tie_s() + all.optimizer_s;
}

double ClosedForm::late_s(const Suffix& all) const {
  return is_gpipe_ ? all.late_s - more_ * all.backward_period_s : all.ready_s - all.end_s;
}

double ClosedForm::bound_s(const Suffix& after, const Front& front) const {
  if (front.stages == 0) {
    return iteration_s(after);
  }
  // Transfers between the stages in front, and from them to the suffix where there is one.
  const std::int64_t boundaries = std::min(front.stages, table_.strategy().pipeline - 1);
  const double transfers_s = transfer_s_ * static_cast<double>(boundaries);
  const double sum_s = after.sum_s + front.sum_s + 2 * transfers_s;
  double passes_s = 0;
  if (is_gpipe_) {
    passes_s = sum_s + more_ * (after.forward_period_s + after.backward_period_s);
  } else {
    passes_s =
        std::max({after.end_s + front.sum_s + 2 * transfers_s,
                  after.ready_s + front.forward_s + transfers_s, (more_ + 1) * front.longest_s});
    const std::int64_t spare = table_.microbatches() - 1 - table_.strategy().pipeline;
    if (spare >= 0) {
      // Of the slowest stage in front, by way of the last one: others in front make up for no more
      // than they are shorter.
      passes_s = std::max(passes_s, sum_s + front.sum_s + after.sum_s +
                                        static_cast<double>(spare) * front.longest_s);
    }
  }
  return passes_s + table_.tie_s() + after.optimizer_s;
}

double least_one_by_one_s(double sum_s, double longest_s, double share, std::int64_t stages,
                          std::int64_t microbatches) {
  const auto count = static_cast<double>(microbatches);
  const double least_s = std::max(count * longest_s, sum_s + (count - 1) * share * longest_s);
  const std::int64_t spare = microbatches - 1 - stages;
  return spare < 0 ? least_s
                   : std::max(least_s, 2 * sum_s + static_cast<double>(spare) * longest_s);
}

}  // namespace phaze::place
