// Why bounds hold: with s stages on s t devices and d pipelines, s t d <= devices, the slowest
// stage takes at least the mean over stages, and ceil(M / d) micro-batches pass it, so that an
// iteration takes at least M x t x (forward and backward of all layers at width t) / devices.
// Layers take at least their matrix FLOPs over the chip's peak, and at least their longest path
// (bound_pass). The best plan with these least times in place of the layers' own takes no longer
// than any, as every time of a plan only grows with its layers': that bound knows transfers,
// gradients, bubbles and memory too. So bounds of a shape come closer step by step, and only the
// shape with the highest bound takes the next step; schedules come last.
// Where schedules of layers are not proved best, all times could be shorter by their gap at most,
// and so could an iteration.
#include "search/original_value.h"

#include <algorithm>
#include <limits>

#include "base/check.h"
#include "cost/estimate.h"
#include "search/schedule_gap.h"

namespace phaze::search {

std::shared_ptr<const OriginalOnChips::Graphs> OriginalOnChips::make_graphs(
    const PlanSetting& setting) {
  auto made = std::make_shared<Graphs>();
  made->graphs = make_original_graphs(make_original_request(setting));
  for (const OriginalGraphs::Shape& graphs : made->graphs.shapes) {
    if (graphs.width > setting.devices || setting.global_batch % graphs.microbatch != 0) {
      continue;
    }
    Shape shape;
    shape.graphs = &graphs;
    for (std::size_t i = 0; i < graphs.model.layers.size(); ++i) {
      const graph::Layer& layer = graphs.model.layers[i];
      shape.forward.push_back(find_tasks(layer, plan::LayerPass::kForward));
      shape.backward.push_back(find_tasks(layer, plan::LayerPass::kBackward));
      const graph::LayerSummary& summary = graphs.summaries[i];
      shape.matrix_flops += (summary.forward_flops + summary.backward_flops).value() *
                            static_cast<double>(layer.repeat);
    }
    made->shapes.push_back(std::move(shape));
  }
  return made;
}

OriginalOnChips::OriginalOnChips(const PlanSetting& setting)
    : OriginalOnChips(setting, make_graphs(setting)) {}

OriginalOnChips::OriginalOnChips(const PlanSetting& setting, std::shared_ptr<const Graphs> graphs)
    : setting_(setting), graphs_(std::move(graphs)) {
  setting_.scheduling.exclusive_wide = has_exclusive_wide(setting_.assumptions);
}

std::unique_ptr<const ChipValuer> OriginalOnChips::on_cluster(const hw::Cluster& cluster) const {
  PlanSetting setting = setting_;
  setting.cluster = cluster;
  return std::unique_ptr<const ChipValuer>(new OriginalOnChips(setting, graphs_));
}

double OriginalOnChips::at_most(const Shape& shape, Seconds of_one_microbatch) const {
  const double devices =
      static_cast<double>(setting_.devices) / static_cast<double>(shape.graphs->width);
  return static_cast<double>(shape.graphs->microbatch) * devices / of_one_microbatch.value() *
         (1 + kDurationRounding);
}

double OriginalOnChips::bound(const hw::Chip& chip) const {
  const auto format = cost::matrix_format(chip, graph::weight_type(setting_.training.precision));
  if (!format) {
    return 0;
  }
  const double peak = hw::peak_flops(chip, *format).value();
  double best = 0;
  for (const Shape& shape : shapes()) {
    best = std::max(best, at_most(shape, Seconds(shape.matrix_flops / peak)));
  }
  return best;
}

// One chip: what its shapes could reach, and their best plans.
class OriginalOnChips::OnChip {
 public:
  OnChip(const OriginalOnChips& all, const hw::Chip& chip, const ValueLimits& limits)
      : all_(all), setting_(all.setting_), limits_(limits) {
    setting_.chip = chip;
    Scheduling& scheduling = setting_.scheduling;
    scheduling.work_limit = limits.nodes > 0 ? limits.nodes : scheduling.work_limit;
    scheduling.memo = limits.memo != nullptr ? &limits.memo->passes : nullptr;
    cluster_ = network_of(setting_);
    terms_ = make_original_terms(setting_);
    context_ = cost::make_context(setting_.chip);
    // Products see the chip by its machine; all formats and shares follow from that.
    machine_ = cost::tensor_machine(setting_.chip, hw::NumberFormat::kBf16);
    products_ = all_.memos_.take(machine_);
    context_.products = products_.get();
  }
  OnChip(const OnChip&) = delete;
  OnChip& operator=(const OnChip&) = delete;
  ~OnChip() { all_.memos_.give_back(machine_, std::move(products_)); }

  struct Candidate {
    std::size_t index = 0;  // of the shapes
    double bound = 0;       // sequences a second
    Closeness closeness = Closeness::kFlops;
    std::optional<cost::CostContext> context;
    std::vector<LeastPasses> least;    // by layer, where passes were bounded
    std::vector<OriginalChain> chain;  // one, where it is priced
  };
  const Shape& shape_of(const Candidate& candidate) const { return all_.shapes()[candidate.index]; }

  // All shapes, with what is known of them.
  std::vector<Candidate> list_candidates() const {
    const auto format =
        cost::matrix_format(setting_.chip, graph::weight_type(setting_.training.precision));
    std::vector<Candidate> candidates;
    for (std::size_t k = 0; format && k < all_.shapes().size(); ++k) {
      const Seconds flops(all_.shapes()[k].matrix_flops /
                          hw::peak_flops(setting_.chip, *format).value());
      const double bound = std::min(all_.at_most(all_.shapes()[k], flops), known_bound(limits_, k));
      candidates.push_back({k, bound, Closeness::kFlops, std::nullopt, {}, {}});
      if (limits_.memo != nullptr && k < limits_.memo->shapes.size()) {
        candidates.back().closeness =
            std::min(limits_.memo->shapes[k].closeness, Closeness::kPlans);
      }
    }
    return candidates;
  }

  // The one with the highest bound of those that are not priced, of equal ones the first.
  static Candidate* highest(std::vector<Candidate>& candidates) {
    Candidate* found = nullptr;
    for (Candidate& candidate : candidates) {
      if (candidate.closeness != Closeness::kSchedules &&
          (found == nullptr || candidate.bound > found->bound)) {
        found = &candidate;
      }
    }
    return found;
  }

  // One step closer, as far as plans.
  void bound_closer(Candidate& candidate, Bytes memory) {
    switch (candidate.closeness) {
      case Closeness::kFlops:
        bound_networks(candidate);
        return;
      case Closeness::kNetwork:
        bound_passes(candidate);
        return;
      case Closeness::kPasses:
        bound_plans(candidate, memory);
        return;
      case Closeness::kPlans:
      case Closeness::kSchedules:
        break;
    }
    CHECK(false, "there is a closer bound");
  }

  // To the least that passes take.
  void bound_passes(Candidate& candidate) {
    candidate.closeness = Closeness::kPasses;
    const Shape& shape = shape_of(candidate);
    if (!can_run(candidate)) {
      candidate.bound = 0;
      return;
    }
    Seconds sum;
    candidate.least.clear();
    for (std::size_t i = 0; i < shape.forward.size(); ++i) {
      const graph::Layer& layer = shape.graphs->model.layers[i];
      candidate.least.push_back({bound_pass(*candidate.context, layer, shape.forward[i]),
                                 bound_pass(*candidate.context, layer, shape.backward[i])});
      const LeastPasses& least = candidate.least.back();
      sum += (least.forward + least.backward) * static_cast<double>(layer.repeat);
    }
    candidate.bound = std::min(candidate.bound, all_.at_most(shape, sum));
  }

  // To its schedules. False: it cannot reach `enough`, or the chip cannot run it.
  bool price(Candidate& candidate, double enough) {
    candidate.closeness = Closeness::kSchedules;
    if (!can_run(candidate)) {
      candidate.bound = 0;
      return false;
    }
    const Shape& shape = shape_of(candidate);
    candidate.chain = {
        price_original_shape(*shape.graphs, *candidate.context, setting_.scheduling)};
    candidate.bound = std::min(
        candidate.bound,
        all_.at_most(shape, with_least_times(candidate.chain.front().chain).microbatch_time()));
    if (candidate.bound < enough) {
      candidate.chain.clear();
    }
    return !candidate.chain.empty();
  }

  double throughput(const std::vector<OriginalChain>& chain, Bytes memory) {
    terms_.memory = memory;
    const OriginalPlanAnswer found = solve_original_plan(chain, terms_);
    return found.best && found.best->plan.fits
               ? static_cast<double>(setting_.global_batch) / found.best->plan.iteration.value()
               : 0;
  }

  // However layers are scheduled.
  double most(const Candidate& candidate, Bytes memory) {
    std::vector<OriginalChain> least = candidate.chain;
    least.front().chain = with_least_times(std::move(least.front().chain));
    return throughput(least, memory);
  }

  // What was found, for later looks.
  void remember(const std::vector<Candidate>& candidates, ChipMemo& memo) const {
    memo.shapes.resize(all_.shapes().size());
    for (const Candidate& candidate : candidates) {
      memo.shapes[candidate.index] = {candidate.bound, candidate.closeness};
    }
  }

 private:
  bool has_place(Candidate& candidate) {
    if (!candidate.context) {
      candidate.context = shape_context(*shape_of(candidate).graphs, context_, cluster_);
    }
    return candidate.context.has_value();
  }
  bool can_run(Candidate& candidate) {
    return has_place(candidate) &&
           !cost::find_obstacle(*candidate.context, shape_of(candidate).graphs->model);
  }

  // To what collectives take.
  void bound_networks(Candidate& candidate) {
    candidate.closeness = Closeness::kNetwork;
    if (!has_place(candidate)) {
      candidate.bound = 0;
      return;
    }
    const Shape& shape = shape_of(candidate);
    Seconds sum;
    for (std::size_t i = 0; shape.graphs->width > 1 && i < shape.forward.size(); ++i) {
      const graph::Layer& layer = shape.graphs->model.layers[i];
      sum += (bound_network(*candidate.context, layer, shape.forward[i]) +
              bound_network(*candidate.context, layer, shape.backward[i])) *
             static_cast<double>(layer.repeat);
    }
    if (sum > Seconds()) {
      candidate.bound = std::min(candidate.bound, all_.at_most(shape, sum));
    }
  }

  // To the best plan with these.
  void bound_plans(Candidate& candidate, Bytes memory) {
    candidate.closeness = Closeness::kPlans;
    if (candidate.least.empty() && candidate.bound > 0) {
      bound_passes(candidate);
      candidate.closeness = Closeness::kPlans;
    }
    if (candidate.bound > 0) {
      const double found =
          throughput({least_original_chain(*shape_of(candidate).graphs, candidate.least)}, memory);
      candidate.bound = std::min(candidate.bound, found * (1 + kDurationRounding));
    }
  }

  const OriginalOnChips& all_;
  PlanSetting setting_;
  const ValueLimits& limits_;
  hw::Cluster cluster_;
  OriginalTerms terms_;
  cost::CostContext context_;
  plan::TensorMachine machine_;
  std::unique_ptr<cost::ProductMemo> products_;
};

double OriginalOnChips::most(const hw::Chip& chip, Bytes memory, double enough) const {
  const std::vector<double> bounds = shape_bounds(chip);
  const double highest = bounds.empty() ? 0 : *std::ranges::max_element(bounds);
  return highest < enough || highest > kFarAbove * enough
             ? highest
             : evaluate(chip, {memory}, {enough, 0, {}}).most;
}

std::vector<double> OriginalOnChips::shape_bounds(const hw::Chip& chip) const {
  const ValueLimits limits;
  OnChip on_chip(*this, chip, limits);
  std::vector<double> bounds(shapes().size());
  for (OnChip::Candidate& candidate : on_chip.list_candidates()) {
    on_chip.bound_passes(candidate);
    bounds[candidate.index] = candidate.bound;
  }
  return bounds;
}

double OriginalOnChips::close_bound(const hw::Chip& chip, Bytes memory, ChipMemo& memo) const {
  const ValueLimits limits{0, 0, {}, &memo};
  OnChip on_chip(*this, chip, limits);
  std::vector<OnChip::Candidate> candidates = on_chip.list_candidates();
  double found = 0;
  while (OnChip::Candidate* highest = OnChip::highest(candidates)) {
    if (highest->bound <= 0 || highest->closeness == Closeness::kPlans) {
      found = highest->bound;
      break;
    }
    on_chip.bound_closer(*highest, memory);
  }
  on_chip.remember(candidates, memo);
  return found;
}

ChipValue OriginalOnChips::evaluate(const hw::Chip& chip, const std::vector<Bytes>& memories,
                                    const ValueLimits& limits) const {
  OnChip on_chip(*this, chip, limits);
  std::vector<OnChip::Candidate> candidates = on_chip.list_candidates();
  ChipValue value;
  value.nodes = limits.nodes;
  double skipped = 0;  // the best that what was left out could be
  while (OnChip::Candidate* highest = OnChip::highest(candidates)) {
    const double enough = std::max(value.throughput, limits.enough);
    if (highest->bound <= 0 || highest->bound < enough) {
      skipped = std::max(skipped, highest->bound);
      break;  // and so are the others
    }
    if (highest->closeness < Closeness::kPlans) {
      on_chip.bound_closer(*highest, memories.back());
    } else if (on_chip.price(*highest, enough)) {
      const double found = on_chip.throughput(highest->chain, memories.back());
      if (found > value.throughput) {
        value.throughput = found;
        value.tensor = shapes()[highest->index].graphs->width;
        value.microbatch = shapes()[highest->index].graphs->microbatch;
      }
      if (highest->chain.front().chain.schedule_gap == 0) {
        highest->bound = found;
      }
    } else {
      skipped = std::max(skipped, highest->bound);
    }
  }
  value.most = value.throughput;
  for (OnChip::Candidate& candidate : candidates) {
    if (!candidate.chain.empty() && candidate.bound > value.most) {
      candidate.bound = std::min(candidate.bound, on_chip.most(candidate, memories.back()));
      value.most = std::max(value.most, candidate.bound);
    }
  }
  if (limits.memo != nullptr) {
    on_chip.remember(candidates, *limits.memo);
  }
  if (skipped > value.throughput) {
    value.is_exact = false;
    value.throughput = value.most = std::max(skipped, value.most);
    return value;
  }
  // The smallest memory that will do. Less memory is never faster.
  value.memory = memories.back();
  const auto is_enough = [&](Bytes memory) {
    return std::ranges::any_of(candidates, [&](const OnChip::Candidate& candidate) {
      return !candidate.chain.empty() && candidate.bound >= value.throughput &&
             on_chip.throughput(candidate.chain, memory) == value.throughput;
    });
  };
  for (const Bytes memory : memories) {
    if (value.throughput > 0 && (memory == memories.back() || is_enough(memory))) {
      value.memory = memory;
      break;
    }
  }
  return value;
}

}  // namespace phaze::search
