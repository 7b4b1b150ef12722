#pragma once
// What one execution of a layer takes on a device: the one layer time behind estimates, placement
// and search. On chips that run one operator at a time the sum of its operators; on others the best
// schedule of each pass.

#include "cost/operator.h"
#include "graph/layer.h"
#include "plan/training_plan.h"
#include "search/layer_schedule.h"
#include "search/pass_memo.h"

namespace phaze::search {

// How schedules are made on chips that run operators side by side.
struct Scheduling {
  bool exclusive_wide = false;
  // Where operators follow one another: gathering and scattering along the sequence runs beside the
  // product that it feeds or that feeds it, in as many parts as there are devices.
  bool overlaps_sequence = false;
  std::int64_t work_limit = 5'000'000;  // of the exact solver, for a problem
  Solver solve;                         // nothing: the exact one
  PassMemo* memo = nullptr;             // of the chip at hand, where there is one
};

struct PricedLayer {
  // Without the bytes that are saved and alive, which graph/layer_memory.h knows.
  plan::LayerWork work;
  Seconds optimizer;
  // Share of a pass that a better schedule could save at most; 0: both are proved best.
  double schedule_gap = 0;
};

// Needs a layer without obstacles (cost::find_obstacle). Passes take at least what the host needs
// to launch their operators. In a schedule the network's time is what runs beside no core's work,
// and recomputation (without its collectives) has its share of the operators' summed times; energy
// and bytes are those of operators on all cores. Cores are busy while an operator has them, all of
// a kind where one runs at a time.
PricedLayer price_layer(const cost::CostContext& context, const graph::Layer& layer,
                        const Scheduling& scheduling);

}  // namespace phaze::search
