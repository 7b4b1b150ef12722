#pragma once
// How fast a model trains on one chip after another, under the original's assumptions.
// docs/models.md, section 23.

#include <memory>
#include <vector>

#include "search/chip_value.h"
#include "search/original_plan.h"

namespace phaze::search {

class OriginalOnChips : public ChipValuer {
 public:
  explicit OriginalOnChips(const PlanSetting& setting);

  double bound(const hw::Chip& chip) const override;
  double most(const hw::Chip& chip, Bytes memory, double enough) const override;
  std::vector<double> shape_bounds(const hw::Chip& chip) const override;
  ChipValue evaluate(const hw::Chip& chip, const std::vector<Bytes>& memories,
                     const ValueLimits& limits) const override;
  std::unique_ptr<const ChipValuer> on_cluster(const hw::Cluster& cluster) const override;

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
  // Shapes that the chip can run, those with the highest bounds first. `left_out`: the most that
  // shapes which are known to be below what is enough could reach.
  std::vector<Candidate> list_candidates(const cost::CostContext& context,
                                         const hw::Cluster& cluster, const ValueLimits& limits,
                                         double& left_out) const;
  double throughput(const OriginalPlanAnswer& found) const;

  // Nothing here depends on a chip or a network.
  struct Graphs {
    OriginalGraphs graphs;
    std::vector<Shape> shapes;  // of these
  };
  static std::shared_ptr<const Graphs> make_graphs(const PlanSetting& setting);
  OriginalOnChips(const PlanSetting& setting, std::shared_ptr<const Graphs> graphs);
  const std::vector<Shape>& shapes() const { return graphs_->shapes; }

  PlanSetting setting_;
  std::shared_ptr<const Graphs> graphs_;
};

}  // namespace phaze::search
