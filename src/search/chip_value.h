#pragma once
// How fast a model trains on one chip after another, under the original's assumptions: exactly, or
// only as far as is needed to know that another chip is better. docs/models.md, section 23.

#include <cstdint>
#include <optional>
#include <vector>

#include "search/original_plan.h"
#include "search/plan_setting.h"

namespace phaze::search {

// Sequences a second.
struct ChipValue {
  double throughput = 0;  // the best of all plans; 0: none fits
  bool is_exact = true;   // otherwise no plan is better than `throughput`
  // Where it is exact: no plan is better than this, however the operators of layers are scheduled.
  // The same as `throughput` where their schedules are proved best.
  double most = 0;
  Bytes memory;  // of the smallest HBM with which it is reached
};

// A model on a cluster, for many chips. Safe for several threads.
class ModelOnChips {
 public:
  // `setting.chip` does not matter.
  explicit ModelOnChips(const PlanSetting& setting);

  // No plan on the chip is better, whatever its memory. Costs next to nothing.
  double bound(const hw::Chip& chip) const;

  // Memories: capacities of HBM to choose from, ascending, at least one. Exact where it is at least
  // `enough`.
  ChipValue evaluate(const hw::Chip& chip, const std::vector<Bytes>& memories, double enough) const;

 private:
  struct Shape {
    const OriginalGraphs::Shape* graphs = nullptr;
    std::vector<LayerTasks> forward, backward;  // by layer
    double matrix_flops = 0;                    // of a device for the micro-batch
  };
  struct Candidate {
    const Shape* shape;
    cost::CostContext context;
    double bound;  // sequences a second
  };

  // An iteration takes at least what its micro-batches take on all devices at once.
  double at_most(const Shape& shape, Seconds of_one_microbatch) const;
  // Shapes that the chip can run, those with the highest bounds first.
  std::vector<Candidate> list_candidates(const cost::CostContext& context,
                                         const hw::Cluster& cluster) const;
  double throughput(const OriginalPlanAnswer& found) const;

  PlanSetting setting_;
  OriginalGraphs graphs_;
  std::vector<Shape> shapes_;
};

}  // namespace phaze::search
