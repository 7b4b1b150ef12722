#pragma once
// How fast a model trains on one chip after another, under the original's assumptions.
// docs/models.md, section 23.

#include <memory>
#include <vector>

#include "search/chip_value.h"
#include "search/memo_pool.h"
#include "search/original_plan.h"

namespace phaze::search {

class OriginalOnChips : public ChipValuer {
 public:
  explicit OriginalOnChips(const PlanSetting& setting);

  double bound(const hw::Chip& chip) const override;
  double most(const hw::Chip& chip, Bytes memory, double enough) const override;
  double close_bound(const hw::Chip& chip, Bytes memory, ChipMemo& memo) const override;
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
  class OnChip;

  // An iteration takes at least what its micro-batches take on all devices at once.
  double at_most(const Shape& shape, Seconds of_one_microbatch) const;

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
  mutable MemoPool memos_;
};

}  // namespace phaze::search
