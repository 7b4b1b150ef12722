// Why bounds hold: with s stages on s t devices and d pipelines, s t d <= devices, the slowest
// stage takes at least the mean over stages, and ceil(M / d) micro-batches pass it, so that an
// iteration takes at least M x t x (forward and backward of all layers at width t) / devices.
// Layers take at least their matrix FLOPs over the chip's peak, and at least their longest path.
// Where schedules of layers are not proved best, all times could be shorter by their gap at most,
// and so could an iteration.
#include "search/original_value.h"

#include <algorithm>
#include <limits>

#include "cost/estimate.h"
#include "search/schedule_gap.h"

namespace phaze::search {
namespace {

Seconds work_of(const plan::Chain& chain) {
  Seconds sum;
  for (const plan::ChainLayer& layer : chain.layers) {
    const plan::LayerWork& work = *layer.work[static_cast<std::size_t>(plan::Recompute::kNone)];
    sum += (work.forward + work.backward) * static_cast<double>(layer.repeat);
  }
  return sum;
}

}  // namespace

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

std::vector<OriginalOnChips::Candidate> OriginalOnChips::list_candidates(
    const cost::CostContext& context, const hw::Cluster& cluster, const ValueLimits& limits,
    double& left_out) const {
  std::vector<Candidate> candidates;
  for (std::size_t k = 0; k < shapes().size(); ++k) {
    const Shape& shape = shapes()[k];
    if (k < limits.shape_bounds.size() && limits.shape_bounds[k] < limits.enough) {
      left_out = std::max(left_out, limits.shape_bounds[k]);
      continue;
    }
    const std::optional<cost::CostContext> own = shape_context(*shape.graphs, context, cluster);
    if (!own || cost::find_obstacle(*own, shape.graphs->model)) {
      continue;
    }
    Seconds least;
    for (std::size_t i = 0; i < shape.forward.size(); ++i) {
      const graph::Layer& layer = shape.graphs->model.layers[i];
      least +=
          (bound_pass(*own, layer, shape.forward[i]) + bound_pass(*own, layer, shape.backward[i])) *
          static_cast<double>(layer.repeat);
    }
    candidates.push_back({&shape, *own, at_most(shape, least)});
  }
  std::ranges::stable_sort(candidates, std::greater(), &Candidate::bound);
  return candidates;
}

double OriginalOnChips::throughput(const OriginalPlanAnswer& found) const {
  return found.best && found.best->plan.fits
             ? static_cast<double>(setting_.global_batch) / found.best->plan.iteration.value()
             : 0;
}

double OriginalOnChips::most(const hw::Chip& chip, Bytes memory, double enough) const {
  const std::vector<double> bounds = shape_bounds(chip);
  const double highest = bounds.empty() ? 0 : *std::ranges::max_element(bounds);
  return highest < enough || highest > kFarAbove * enough
             ? highest
             : evaluate(chip, {memory}, {enough, 0, {}}).most;
}

std::vector<double> OriginalOnChips::shape_bounds(const hw::Chip& chip) const {
  PlanSetting setting = setting_;
  setting.chip = chip;
  cost::ProductMemo memo;
  cost::CostContext context = cost::make_context(setting.chip);
  context.products = &memo;
  const hw::Cluster cluster = network_of(setting);
  std::vector<double> bounds(shapes().size());
  double left_out = 0;
  for (const Candidate& candidate : list_candidates(context, cluster, {}, left_out)) {
    bounds[static_cast<std::size_t>(candidate.shape - shapes().data())] = candidate.bound;
  }
  return bounds;
}

ChipValue OriginalOnChips::evaluate(const hw::Chip& chip, const std::vector<Bytes>& memories,
                                    const ValueLimits& limits) const {
  const double enough = limits.enough;
  const std::int64_t nodes = limits.nodes;
  PlanSetting setting = setting_;
  setting.chip = chip;
  setting.scheduling.work_limit = nodes > 0 ? nodes : setting.scheduling.work_limit;
  setting.scheduling.memo = limits.passes;
  cost::ProductMemo memo;
  cost::CostContext context = cost::make_context(chip);
  context.products = &memo;
  const hw::Cluster cluster = network_of(setting);
  OriginalTerms terms = make_original_terms(setting);
  terms.memory = memories.back();
  struct Priced {
    double bound;
    std::vector<OriginalChain> chain;  // one
  };
  std::vector<Priced> priced;
  ChipValue value;
  value.nodes = nodes;
  double skipped = 0;  // the best that what was left out could be
  for (const Candidate& candidate : list_candidates(context, cluster, limits, skipped)) {
    if (candidate.bound < std::max(value.throughput, enough)) {
      skipped = std::max(skipped, candidate.bound);
      break;  // and so are the others
    }
    OriginalChain chain =
        price_original_shape(*candidate.shape->graphs, candidate.context, setting.scheduling);
    const double bound = at_most(*candidate.shape, work_of(with_least_times(chain.chain)));
    if (bound < std::max(value.throughput, enough)) {
      skipped = std::max(skipped, bound);
      continue;
    }
    priced.push_back({bound, {std::move(chain)}});
    const double found = throughput(solve_original_plan(priced.back().chain, terms));
    if (found > value.throughput) {
      value.throughput = found;
      value.tensor = candidate.shape->graphs->width;
      value.microbatch = candidate.shape->graphs->microbatch;
    }
  }
  value.most = value.throughput;
  for (const Priced& one : priced) {
    if (one.chain.front().chain.schedule_gap > 0 && one.bound > value.most) {
      std::vector<OriginalChain> least = one.chain;
      least.front().chain = with_least_times(std::move(least.front().chain));
      value.most = std::max(value.most, throughput(solve_original_plan(least, terms)));
    }
  }
  if (skipped > value.throughput) {
    value.is_exact = false;
    value.throughput = value.most = std::max(skipped, value.most);
    return value;
  }
  // The smallest memory that will do. Less memory is never faster.
  value.memory = memories.back();
  const auto is_enough = [&](Bytes memory) {
    terms.memory = memory;
    return std::ranges::any_of(priced, [&](const Priced& one) {
      return one.bound >= value.throughput &&
             throughput(solve_original_plan(one.chain, terms)) == value.throughput;
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
