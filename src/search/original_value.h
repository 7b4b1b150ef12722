#pragma once
// How fast a model trains on one chip after another, under the original's assumptions.
// docs/models.md, section 23.

#include <vector>

#include "search/chip_value.h"
#include "search/original_plan.h"

namespace phaze::search {

class OriginalOnChips : public ChipValuer {
 public:
  explicit OriginalOnChips(const PlanSetting& setting);

  double bound(const hw::Chip& chip) const override;
  double most(const hw::Chip& chip, Bytes memory, double enough) const override;
  ChipValue evaluate(const hw::Chip& chip, const std::vector<Bytes>& memories, double enough,
                     std::int64_t nodes) const override;

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
