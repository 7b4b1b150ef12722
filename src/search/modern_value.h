#pragma once
// How fast a model trains on one chip after another, under modern assumptions: plans as find_plan
// makes them, with graphs that all chips share and only those widths and micro-batches priced that
// can reach what is enough. docs/models.md, section 23.

#include <cstdint>
#include <memory>
#include <vector>

#include "place/plan_problem.h"
#include "search/chain_bounds.h"
#include "search/chip_value.h"
#include "search/memo_pool.h"

namespace phaze::search {

class ModernOnChips : public ChipValuer {
 public:
  explicit ModernOnChips(const PlanSetting& setting);

  double bound(const hw::Chip& chip) const override;
  double most(const hw::Chip& chip, Bytes memory, double enough) const override;
  std::vector<double> shape_bounds(const hw::Chip& chip) const override;
  ChipValue evaluate(const hw::Chip& chip, const std::vector<Bytes>& memories,
                     const ValueLimits& limits) const override;
  std::unique_ptr<const ChipValuer> on_cluster(const hw::Cluster& cluster) const override;

 private:
  // A tensor width, sequence parallelism and micro-batch.
  struct Shape {
    std::int64_t tensor = 1;
    bool sequence_parallel = false;
    std::int64_t microbatch = 1;
    ChainGraphs graphs;
    GraphTasks tasks;
    double matrix_flops = 0;  // of a device for the micro-batch
  };
  class OnChip;

  // An iteration takes at least what its micro-batches take on all devices at once.
  double at_most(const Shape& shape, Seconds of_one_microbatch) const;

  static std::vector<Shape> make_shapes(const PlanSetting& setting);
  ModernOnChips(const PlanSetting& setting, std::shared_ptr<const std::vector<Shape>> shapes);
  const std::vector<Shape>& shapes() const { return *shapes_; }

  PlanSetting setting_;
  std::shared_ptr<const std::vector<Shape>> shapes_;
  mutable MemoPool memos_;
};

}  // namespace phaze::search
