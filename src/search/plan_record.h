#pragma once
// A plan with the figures that follow from its model, chip and cluster.

#include "hw/chip.h"
#include "plan/plan_record.h"

namespace phaze::search {

// `chain`: the one that the plan was made from. `bound`: no plan that was allowed is faster. Names
// are the caller's.
plan::PlanRecord make_record(const plan::TrainingPlan& plan, const plan::Chain& chain,
                             const hw::Chip& chip, FlopsPerSecond peak, Seconds bound,
                             bool is_proved);

// Time of stages beyond that of their layers is the gathering of sharded weights (ZeRO 3) and the
// scattering of gradients (ZeRO 2 and 3): it counts as communication between data-parallel devices.
// Does nothing where it does already.
plan::IterationParts count_gathers(const plan::TrainingPlan& plan, const plan::Chain& chain);

}  // namespace phaze::search
