#pragma once
// What is not proved of layer times: schedules of operators may end at a limit of work with a gap
// to their bounds, and then a plan that is the best for these times need not be the best of all.
// docs/models.md, section 18.4.

#include <map>
#include <memory>

#include "place/plan_problem.h"
#include "plan/training_plan.h"

namespace phaze::search {

// The chain with layer times that no schedules beat: each pass is shorter by its slack.
plan::Chain with_least_times(plan::Chain chain);

// The same costs, with such chains. The best time that a planner finds with them is one that no
// plan beats, however its layers are scheduled.
class LeastCosts : public place::PlanCosts {
 public:
  explicit LeastCosts(place::PlanCosts& costs) : costs_(costs) {}

  std::vector<std::int64_t> tensor_widths() const override { return costs_.tensor_widths(); }
  bool has_place(const plan::Strategy& strategy) override { return costs_.has_place(strategy); }
  const plan::Chain* chain(const plan::Strategy& strategy) override;
  Seconds transfer(const plan::Strategy& strategy, Bytes bytes) override;
  Seconds all_reduce(const plan::Strategy& strategy, Bytes bytes) override;
  Seconds reduce_scatter(const plan::Strategy& strategy, Bytes bytes) override;
  Seconds all_gather(const plan::Strategy& strategy, Bytes bytes) override;
  Seconds tie(const plan::Strategy& strategy, Bytes bytes) override;

 private:
  place::PlanCosts& costs_;
  std::map<const plan::Chain*, std::unique_ptr<plan::Chain>> chains_;
};

}  // namespace phaze::search
