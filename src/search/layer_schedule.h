#pragma once
// Schedules of a model's layers on a chip: operators priced, the problem built, the best share of
// what cores share. docs/models.md, section 16.

#include <utility>
#include <vector>

#include "cost/operator.h"
#include "graph/layer.h"
#include "plan/schedule.h"
#include "search/busy_cores.h"

namespace phaze::search {

// The operators of one pass that take time, and what each waits for, as data flows; nothing here
// depends on a chip.
struct LayerTasks {
  std::vector<graph::OpId> operators;
  std::vector<plan::TaskUnit> units;
  std::vector<std::pair<plan::TaskId, plan::TaskId>> edges;
};
LayerTasks find_tasks(const graph::Layer& layer, plan::LayerPass pass);

// No schedule of the pass takes less: the longest way through its operators, each as fast as it can
// be, the work of each kind of core spread evenly, and the bytes of each level over its bandwidth.
// Much quicker than a schedule. Without a network its operators take no time. To the rounding of
// durations (kDurationRounding).
Seconds bound_pass(const cost::CostContext& context, const graph::Layer& layer,
                   const LayerTasks& tasks);

// The same by its collectives alone, at next to no cost.
Seconds bound_network(const cost::CostContext& context, const graph::Layer& layer,
                      const LayerTasks& tasks);

// The operators of one pass of a layer as tasks, when at most `busy_cores` of a kind are busy at
// once and share what is shared; edges as data flows. Operators that take no time are left out.
// Needs a layer without obstacles (cost::find_obstacle).
plan::ScheduleProblem make_problem(const cost::CostContext& context, const graph::Layer& layer,
                                   plan::LayerPass pass, std::int64_t busy_cores,
                                   bool exclusive_wide);

// A pass with each of the numbers of busy cores 1, 2, 4, ... all that can be in use, durations
// rounded; what is known of it before it is scheduled: its floor, the bytes that pass the global
// buffer and HBM over their bandwidths. More cores are left out where a schedule of fewer ends
// before the floor. On chips without concurrent operators they follow one another.
struct PricedPass {
  plan::LayerSchedule frame;
  std::vector<BusyCores> choices;
};
PricedPass price_pass(const cost::CostContext& context, const graph::Layer& layer,
                      plan::LayerPass pass, bool exclusive_wide);

// The best over all numbers of busy cores, shown on all cores of the chip; never below the floor.
// `solve` may see several problems, on fewer cores than the chip has.
plan::LayerSchedule schedule_priced(const PricedPass& priced, const hw::Chip& chip,
                                    const Solver& solve);
plan::LayerSchedule schedule_layer(const cost::CostContext& context, const graph::Layer& layer,
                                   plan::LayerPass pass, bool exclusive_wide, const Solver& solve);

}  // namespace phaze::search
