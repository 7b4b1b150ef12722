// Why bounds hold: with s stages of t devices and d pipelines, s t d <= devices, the slowest stage
// takes at least the mean over stages and G / (d b) micro-batches pass it, so that an iteration
// takes at least G t (forward and backward of all layers at width t) / (b devices). Layers take at
// least their matrix FLOPs over what the chip sustains, and at least their longest path, here
// without the network, which may have other groups.
#include "search/modern_value.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "cost/estimate.h"
#include "place/planner.h"
#include "search/schedule_gap.h"

namespace phaze::search {
namespace {

constexpr double kRounding = 1e-9;
constexpr double kNoLimit = std::numeric_limits<double>::infinity();

bool allows(const std::vector<std::int64_t>& values, std::int64_t value) {
  return values.empty() || std::ranges::find(values, value) != values.end();
}

std::vector<std::int64_t> microbatches_of(const PlanSetting& setting) {
  std::vector<std::int64_t> all;
  for (std::int64_t size = 1; size <= setting.global_batch; ++size) {
    if (setting.global_batch % size == 0 && allows(setting.limits.microbatch, size)) {
      all.push_back(size);
    }
  }
  return all;
}

// Costs on one chip, from graphs that are there.
class SharedGraphCosts : public ClusterCosts {
 public:
  SharedGraphCosts(const ProfileRequest& request, std::int64_t width, const ChainGraphs& graphs)
      : ClusterCosts(request, {width}), graphs_(graphs) {}

 protected:
  ChainOrReason make_chain(const ChainShape& shape) override {
    return price_chain(request(), shape, graphs_);
  }

 private:
  const ChainGraphs& graphs_;
};

}  // namespace

// One chip: what its shapes could reach, and their best plans.
class ModernOnChips::OnChip {
 public:
  OnChip(const ModernOnChips& all, const hw::Chip& chip, std::int64_t nodes = 0,
         PassMemo* passes = nullptr)
      : all_(all), setting_(all.setting_) {
    setting_.chip = chip;
    cluster_ = network_of(setting_);
    request_ = make_profile_request(setting_, cluster_);
    // Products see the chip by its machine; all formats and shares follow from that.
    machine_ = cost::tensor_machine(setting_.chip, hw::NumberFormat::kBf16);
    memo_ = all_.memos_.take(machine_);
    request_.context.products = memo_.get();
    request_.scheduling.work_limit = nodes > 0 ? nodes : request_.scheduling.work_limit;
    request_.scheduling.memo = passes;
  }
  OnChip(const OnChip&) = delete;
  OnChip& operator=(const OnChip&) = delete;
  ~OnChip() { all_.memos_.give_back(machine_, std::move(memo_)); }

  struct Candidate {
    const Shape* shape;
    double bound;  // sequences a second
    std::unique_ptr<BoundCosts> bounds;
    std::unique_ptr<SharedGraphCosts> costs;
  };

  // Shapes that the chip can run, those with the highest bounds first. `left_out`: the most that
  // shapes which are known to be below what is enough could reach.
  std::vector<Candidate> list_candidates(const ValueLimits& limits, double& left_out) {
    std::vector<Candidate> candidates;
    for (std::size_t k = 0; k < all_.shapes().size(); ++k) {
      const Shape& shape = all_.shapes()[k];
      const double known = known_bound(limits, k);
      if (known < limits.enough) {
        left_out = std::max(left_out, known);
        continue;
      }
      cost::CostContext context = request_.context;
      context.kernels =
          shape.graphs.has_library_kernels ? cost::Kernels::kLibrary : cost::Kernels::kTuned;
      const std::optional<Seconds> least = bound_microbatch(context, shape.graphs, shape.tasks);
      if (least) {
        candidates.push_back({&shape, all_.at_most(shape, *least), nullptr, nullptr});
      }
    }
    std::ranges::stable_sort(candidates, std::greater(), &Candidate::bound);
    return candidates;
  }

  struct Solved {
    double iteration_s = kNoLimit;  // of the best plan that takes less than was asked for
    std::int64_t strategies = 0;
  };
  // With layer times as they were found, or with the least that they could be.
  Solved solve(Candidate& candidate, Bytes memory, double below_s, bool with_least) {
    place::PlanProblem problem = problem_of(candidate, memory);
    if (candidate.costs == nullptr) {
      candidate.costs = std::make_unique<SharedGraphCosts>(request_, candidate.shape->tensor,
                                                           candidate.shape->graphs);
    }
    place::PlannerOptions options;
    options.below_s = below_s;
    LeastCosts least(*candidate.costs);
    place::PlanCosts& costs = with_least ? static_cast<place::PlanCosts&>(least) : *candidate.costs;
    const place::PlannerAnswer found = place::solve_plan(problem, costs, options);
    return {found.plans.empty() ? kNoLimit : found.plans.front().iteration.value(),
            found.strategies};
  }

  // No plan of a shape takes less than this, or than what was asked for.
  double bound_plans(Candidate& candidate, Bytes memory, double below_s) {
    if (candidate.bounds == nullptr) {
      candidate.bounds = std::make_unique<BoundCosts>(
          request_, candidate.shape->tensor, candidate.shape->graphs, candidate.shape->tasks);
    }
    place::PlannerOptions options;
    options.below_s = below_s;
    const place::PlannerAnswer found =
        place::solve_plan(problem_of(candidate, memory), *candidate.bounds, options);
    return found.plans.empty() ? below_s : found.plans.front().iteration.value();
  }

 private:
  place::PlanProblem problem_of(const Candidate& candidate, Bytes memory) const {
    place::PlanProblem problem = make_plan_problem(setting_);
    problem.capacity = memory;
    problem.limits.tensor = {candidate.shape->tensor};
    problem.limits.microbatch = {candidate.shape->microbatch};
    if (candidate.shape->tensor > 1) {
      problem.limits.sequence_parallel = {candidate.shape->sequence_parallel};
    }
    return problem;
  }

  const ModernOnChips& all_;
  PlanSetting setting_;
  hw::Cluster cluster_;
  plan::TensorMachine machine_;
  std::unique_ptr<cost::ProductMemo> memo_;
  ProfileRequest request_;
};

ModernOnChips::ModernOnChips(const PlanSetting& setting)
    : ModernOnChips(setting, std::make_shared<const std::vector<Shape>>(make_shapes(setting))) {}

ModernOnChips::ModernOnChips(const PlanSetting& setting,
                             std::shared_ptr<const std::vector<Shape>> shapes)
    : setting_(setting), shapes_(std::move(shapes)) {}

std::unique_ptr<const ChipValuer> ModernOnChips::on_cluster(const hw::Cluster& cluster) const {
  PlanSetting setting = setting_;
  setting.cluster = cluster;
  return std::unique_ptr<const ChipValuer>(new ModernOnChips(setting, shapes_));
}

std::vector<ModernOnChips::Shape> ModernOnChips::make_shapes(const PlanSetting& setting) {
  std::vector<Shape> shapes;
  for (const std::int64_t width : possible_widths(setting)) {
    if (!allows(setting.limits.tensor, width) || width > setting.devices) {
      continue;
    }
    for (const bool sequence_parallel : {false, true}) {
      const std::vector<bool>& asked = setting.limits.sequence_parallel;
      const bool is_asked =
          asked.empty() || std::ranges::find(asked, sequence_parallel) != asked.end();
      if (sequence_parallel ? width == 1 || !is_asked : width > 1 && !is_asked) {
        continue;
      }
      for (const std::int64_t microbatch : microbatches_of(setting)) {
        GraphsOrReason made = make_chain_graphs({&setting.model, setting.build, setting.training,
                                                 width, sequence_parallel, microbatch});
        if (!made.graphs) {
          continue;
        }
        Shape shape{width, sequence_parallel, microbatch, *std::move(made.graphs), {}, 0};
        shape.tasks = find_graph_tasks(shape.graphs);
        for (std::size_t i = 0; i < shape.graphs.layers.size(); ++i) {
          const graph::Layer& layer = shape.graphs.model.layers[i];
          shape.matrix_flops +=
              shape.graphs.layers[i].run_flops.value() * static_cast<double>(layer.repeat);
        }
        shapes.push_back(std::move(shape));
      }
    }
  }
  return shapes;
}

double ModernOnChips::at_most(const Shape& shape, Seconds of_one_microbatch) const {
  const double devices = static_cast<double>(setting_.devices) / static_cast<double>(shape.tensor);
  return static_cast<double>(shape.microbatch) * devices / of_one_microbatch.value() *
         (1 + kDurationRounding);
}

double ModernOnChips::bound(const hw::Chip& chip) const {
  const auto format = cost::matrix_format(chip, graph::weight_type(setting_.training.precision));
  if (!format) {
    return 0;
  }
  const double sustained = cost::tensor_machine(chip, *format).sustained.value();
  double best = 0;
  for (const Shape& shape : shapes()) {
    best = std::max(best, at_most(shape, Seconds(shape.matrix_flops / sustained)));
  }
  return best;
}

double ModernOnChips::most(const hw::Chip& chip, Bytes memory, double enough) const {
  constexpr double kFarAbovePlans = 1.02;  // as kFarAbove, of bounds that know plans
  const auto batch = static_cast<double>(setting_.global_batch);
  OnChip on_chip(*this, chip);
  double left_out = 0;
  std::vector<OnChip::Candidate> candidates = on_chip.list_candidates({}, left_out);
  const double highest = candidates.empty() ? 0 : candidates.front().bound;
  if (highest < enough || highest > kFarAbove * enough) {
    return highest;
  }
  // What takes as long or longer is of no use.
  const double limit_s = batch / enough * (1 + kRounding);
  double least_s = limit_s;
  for (OnChip::Candidate& candidate : candidates) {
    if (candidate.bound < batch / least_s) {
      break;  // and so are the others
    }
    least_s = std::min(least_s, on_chip.bound_plans(candidate, memory, least_s));
  }
  const double bound = batch / least_s * (1 + kRounding / 4);
  return least_s == limit_s || bound > kFarAbovePlans * enough
             ? bound
             : std::min(bound, evaluate(chip, {memory}, {enough, 0, {}}).most);
}

std::vector<double> ModernOnChips::shape_bounds(const hw::Chip& chip) const {
  OnChip on_chip(*this, chip);
  std::vector<double> bounds(shapes().size());
  double left_out = 0;
  for (const OnChip::Candidate& candidate : on_chip.list_candidates({}, left_out)) {
    bounds[static_cast<std::size_t>(candidate.shape - shapes().data())] = candidate.bound;
  }
  return bounds;
}

ChipValue ModernOnChips::evaluate(const hw::Chip& chip, const std::vector<Bytes>& memories,
                                  const ValueLimits& limits) const {
  const double enough = limits.enough;
  const std::int64_t nodes = limits.nodes;
  const auto batch = static_cast<double>(setting_.global_batch);
  OnChip on_chip(*this, chip, nodes, limits.memo != nullptr ? &limits.memo->passes : nullptr);
  double left_out = 0;  // the most that shapes which were left out could reach
  std::vector<OnChip::Candidate> candidates = on_chip.list_candidates(limits, left_out);
  const double limit_s = enough > 0 ? batch / enough * (1 + kRounding) : kNoLimit;
  double best_s = kNoLimit, least_s = kNoLimit;
  const Shape* best = nullptr;
  for (OnChip::Candidate& candidate : candidates) {
    if (candidate.bound < std::max(enough, batch / best_s)) {
      left_out = std::max(left_out, candidate.bound);
      break;  // and so are the others
    }
    const double below_s = std::min(best_s, limit_s);
    if (on_chip.bound_plans(candidate, memories.back(), below_s) >= below_s) {
      left_out = std::max(left_out, batch / below_s);
      continue;
    }
    const double found_s = on_chip.solve(candidate, memories.back(), below_s, false).iteration_s;
    if (found_s < best_s) {
      best_s = found_s;
      best = candidate.shape;
    }
  }
  bool is_solved = false;
  for (OnChip::Candidate& candidate : candidates) {
    is_solved = is_solved || candidate.costs != nullptr;
    if (candidate.costs != nullptr && candidate.costs->largest_gap() > 0) {
      least_s = std::min(
          least_s,
          on_chip.solve(candidate, memories.back(), std::min({best_s, limit_s, least_s}), true)
              .iteration_s);
    }
  }
  ChipValue value;
  value.nodes = nodes;
  if (best != nullptr) {
    value.tensor = best->tensor;
    value.microbatch = best->microbatch;
  }
  value.is_exact = best_s < kNoLimit || enough <= 0;
  value.throughput = best_s < kNoLimit ? batch / best_s : 0;
  value.most = std::max({value.throughput, batch / least_s, left_out});
  if (!value.is_exact) {
    // Shapes that were looked at have no plan that is enough.
    value.throughput = value.most =
        std::max(value.most, is_solved ? enough * (1 - kRounding / 2) : 0);
    return value;
  }
  value.memory = memories.back();
  // The smallest memory that will do. Less memory is never faster.
  for (const Bytes memory : memories) {
    const auto is_enough = [&](OnChip::Candidate& candidate) {
      return candidate.costs != nullptr && candidate.bound >= value.throughput &&
             on_chip.solve(candidate, memory, std::nextafter(best_s, kNoLimit), false)
                     .iteration_s <= best_s;
    };
    if (value.throughput > 0 &&
        (memory == memories.back() || std::ranges::any_of(candidates, is_enough))) {
      value.memory = memory;
      break;
    }
  }
  return value;
}

}  // namespace phaze::search
