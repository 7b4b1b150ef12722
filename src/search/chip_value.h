#pragma once
// How fast a model trains on one chip after another: exactly, or only as far as is needed to know
// that another chip is better. docs/models.md, section 23.

#include <memory>
#include <vector>

#include "search/pass_memo.h"
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
  // Nodes of search for each schedule of a layer that it took, 0: the setting's; and the tensor
  // width and micro-batch of the best plan.
  std::int64_t nodes = 0, tensor = 0, microbatch = 0;
};

// What is known once more work has gone into schedules.
ChipValue merge(const ChipValue& known, const ChipValue& deeper);

// Of a bound over what is enough, above which it is not looked into further.
inline constexpr double kFarAbove = 1.1;

// How far a chip is looked into.
struct ValueLimits {
  double enough = 0;       // exact where the throughput is at least that
  std::int64_t nodes = 0;  // of search for each schedule of a layer, 0: the setting's
  // By shape, see ChipValuer::shape_bounds: what is known before. Shapes below `enough` are not
  // priced. Empty: nothing is.
  std::vector<double> shape_bounds;
  ChipMemo* memo = nullptr;  // of this chip and model, from earlier looks; may be none
};

// What is known of a shape before: no plan of it is better.
double known_bound(const ValueLimits& limits, std::size_t shape);

// A model on a cluster, for many chips. Safe for several threads.
class ChipValuer {
 public:
  virtual ~ChipValuer() = default;

  // No plan on the chip is better, whatever its memory. Costs next to nothing.
  virtual double bound(const hw::Chip& chip) const = 0;

  // No plan on the chip is better with so much memory: closer than bound(), and no more than
  // `enough` where the best plan is below that. Bounds far above it are not looked into further.
  virtual double most(const hw::Chip& chip, Bytes memory, double enough) const = 0;

  // No plan on the chip is better with so much memory: much closer than bound(), without schedules.
  // What was found of shapes is left in the memo.
  virtual double close_bound(const hw::Chip& chip, Bytes memory, ChipMemo& memo) const;

  // By shape (tensor width, micro-batch, sequence parallelism), in one order for all chips: no plan
  // of it on the chip is better, whatever its memory; 0: it cannot run.
  virtual std::vector<double> shape_bounds(const hw::Chip& chip) const = 0;

  // Memories: capacities of HBM to choose from, ascending, at least one.
  virtual ChipValue evaluate(const hw::Chip& chip, const std::vector<Bytes>& memories,
                             const ValueLimits& limits) const = 0;

  // The same with another network. Graphs are shared.
  virtual std::unique_ptr<const ChipValuer> on_cluster(const hw::Cluster& cluster) const = 0;
};

// Under the setting's assumptions; its chip does not matter.
class ModelOnChips {
 public:
  explicit ModelOnChips(const PlanSetting& setting);

  double bound(const hw::Chip& chip) const { return valuer_->bound(chip); }
  double most(const hw::Chip& chip, Bytes memory, double enough) const {
    return valuer_->most(chip, memory, enough);
  }
  double close_bound(const hw::Chip& chip, Bytes memory, ChipMemo& memo) const {
    return valuer_->close_bound(chip, memory, memo);
  }
  std::vector<double> shape_bounds(const hw::Chip& chip) const {
    return valuer_->shape_bounds(chip);
  }
  ChipValue evaluate(const hw::Chip& chip, const std::vector<Bytes>& memories, double enough,
                     std::int64_t nodes = 0) const {
    return valuer_->evaluate(chip, memories, {enough, nodes, {}});
  }
  ChipValue evaluate(const hw::Chip& chip, const std::vector<Bytes>& memories,
                     const ValueLimits& limits) const {
    return valuer_->evaluate(chip, memories, limits);
  }
  ModelOnChips on_cluster(const hw::Cluster& cluster) const {
    return ModelOnChips(valuer_->on_cluster(cluster));
  }

 private:
  explicit ModelOnChips(std::unique_ptr<const ChipValuer> valuer) : valuer_(std::move(valuer)) {}

  std::unique_ptr<const ChipValuer> valuer_;
};

}  // namespace phaze::search
