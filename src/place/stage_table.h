#pragma once
// Times and bytes of any stage of a chain under one strategy: sums over a range of layers, from
// prefix sums.

#include <array>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "place/plan_problem.h"

namespace phaze::place {

// What gradients and weights cost a stage after its last backward.
struct StageSync {
  double gradients_s = 0;  // all of it
  double exposed_s = 0;    // not hidden
  double optimizer_s = 0;
};

struct StageTimes {
  double forward_s = 0, backward_s = 0;
  double total_s() const { return forward_s + backward_s; }
};

// Some ways to recompute.
class Ways {
 public:
  void add(plan::Recompute way) { ways_[count_++] = way; }
  bool empty() const { return count_ == 0; }
  auto begin() const { return ways_.begin(); }
  auto end() const { return ways_.begin() + static_cast<std::ptrdiff_t>(count_); }

 private:
  std::array<plan::Recompute, plan::kRecomputes> ways_{};
  std::size_t count_ = 0;
};

// Layers begin .. end - 1 of the flat chain, in one or several pieces.
using LayerRanges = std::vector<std::pair<std::size_t, std::size_t>>;

class StageTable {
 public:
  StageTable(const PlanProblem& problem, PlanCosts& costs, const plan::Strategy& strategy,
             const plan::Chain& chain);

  std::size_t length() const { return length_; }
  std::int64_t microbatches() const { return microbatches_; }
  Bytes capacity() const { return problem_.capacity; }
  double transfer_s() const { return transfer_s_; }
  double tie_s() const { return tie_s_; }
  const plan::Strategy& strategy() const { return strategy_; }
  const plan::Chain& chain() const { return chain_; }

  // Layers begin .. end - 1 of the flat chain. Needs a way to recompute that is offered.
  bool offers(plan::Recompute recompute) const {
    return is_offered_[static_cast<std::size_t>(recompute)];
  }
  StageTimes times(std::size_t begin, std::size_t end, plan::Recompute recompute) const;
  Bytes saved(std::size_t begin, std::size_t end, plan::Recompute recompute) const;
  std::int64_t parameters(std::size_t begin, std::size_t end) const;
  double optimizer_s(std::size_t begin, std::size_t end) const {
    return optimizer_s_[end] - optimizer_s_[begin];
  }
  const plan::LayerWork& work(std::size_t run, plan::Recompute recompute) const;
  StageSync sync(std::int64_t parameters, double optimizer_s, std::size_t layers,
                 const StageTimes& times) const;

  // Are gradients reduced with every micro-batch? Who keeps only a part of them has no place to add
  // up the whole.
  bool scatters_each_microbatch() const {
    return strategy_.data > 1 &&
           (strategy_.zero == 3 || (strategy_.zero == 2 && microbatches_ > 1));
  }

  // Micro-batches in flight at a stage that is `to_end` stages from the last, the last being 1.
  std::int64_t in_flight(std::int64_t to_end) const;
  // What no plan can use, and the constants of all layers there.
  Bytes other(const LayerRanges& ranges) const;
  plan::StageMemory memory(std::size_t begin, std::size_t end, plan::Recompute recompute,
                           std::int64_t in_flight) const;
  bool fits(std::size_t begin, std::size_t end, plan::Recompute recompute,
            std::int64_t in_flight) const {
    return memory(begin, end, recompute, in_flight).total() <= problem_.capacity;
  }

  // Ways to recompute that are offered and fit, the least first, without those that another one is
  // no slower than in either pass. Forward may be shorter where backward is longer: kernels need
  // not write what is not kept.
  Ways ways_for(std::size_t begin, std::size_t end, std::int64_t in_flight) const;
  // Of runs of equal layers, where each begins in the flat chain; the last entry is the length.
  const std::vector<std::size_t>& run_begins() const { return run_begins_; }

 private:
  struct Sums {
    std::vector<double> forward_s, backward_s;
    std::vector<std::int64_t> saved;
  };

  const PlanProblem& problem_;
  PlanCosts& costs_;
  const plan::Strategy strategy_;
  const plan::Chain& chain_;
  std::size_t length_ = 0;
  std::int64_t microbatches_ = 1;
  double transfer_s_ = 0, tie_s_ = 0;
  std::array<bool, plan::kRecomputes> is_offered_{};
  std::array<Sums, plan::kRecomputes> sums_;
  std::vector<std::int64_t> parameters_;
  std::vector<double> optimizer_s_;
  std::vector<std::size_t> run_begins_;
  // Reductions and gatherings by number of parameters.
  struct Sync {
    double reduce_s, gather_s;
  };
  mutable std::unordered_map<std::int64_t, Sync> syncs_;
};

}  // namespace phaze::place
