#include "search/reproduce_latency.h"

#include <algorithm>
#include <memory>

#include "base/check.h"
#include "cost/estimate.h"
#include "hw/figures.h"
#include "search/chain_bounds.h"
#include "space/monotone.h"

namespace phaze::search {
namespace {

// One shape of a model on many chips. Safe for several threads.
class DeviceLatency {
 public:
  DeviceLatency() = default;
  DeviceLatency(const DeviceLatency&) = delete;
  DeviceLatency& operator=(const DeviceLatency&) = delete;
  virtual ~DeviceLatency() = default;

  // Passes a second; none has more.
  virtual double bound(const hw::Chip& chip) const = 0;
  // As CoSearchProblem::evaluate, without a rank.
  virtual Worth evaluate(const hw::Chip& chip, double enough) const = 0;
};

// What a chip is worth that needs at least so long; exact once the chain is priced.
Worth bounded_worth(Seconds least) {
  Worth worth;
  worth.is_exact = false;
  worth.value = 1 / least.value() * (1 + kDurationRounding);
  return worth;
}
Worth exact_worth(const plan::Chain& chain) {
  Worth worth;
  worth.value = 1 / chain.microbatch_time().value();
  worth.most = worth.value / (1 - chain.schedule_gap);
  return worth;
}

class OriginalLatency : public DeviceLatency {
 public:
  OriginalLatency(const SearchModel& model, const LatencyQuestion& asked)
      : setting_(model.setting) {
    setting_.scheduling.exclusive_wide = has_exclusive_wide(setting_.assumptions);
    setting_.limits.tensor = {asked.width};
    setting_.limits.microbatch = {asked.microbatch};
    graphs_ = make_original_graphs(make_original_request(setting_));
    CHECK(graphs_.shapes.size() == 1, "an expert's width and micro-batch are possible");
    for (std::size_t i = 0; i < shape().model.layers.size(); ++i) {
      const graph::Layer& layer = shape().model.layers[i];
      forward_.push_back(find_tasks(layer, plan::LayerPass::kForward));
      backward_.push_back(find_tasks(layer, plan::LayerPass::kBackward));
      const graph::LayerSummary& summary = shape().summaries[i];
      matrix_flops_ += (summary.forward_flops + summary.backward_flops).value() *
                       static_cast<double>(layer.repeat);
    }
  }

  double bound(const hw::Chip& chip) const override {
    const auto format = cost::matrix_format(chip, graph::weight_type(setting_.training.precision));
    return format ? hw::peak_flops(chip, *format).value() / matrix_flops_ * (1 + kDurationRounding)
                  : 0;
  }

  Worth evaluate(const hw::Chip& chip, double enough) const override {
    PlanSetting setting = setting_;
    setting.chip = chip;
    cost::ProductMemo memo;
    cost::CostContext device = cost::make_context(chip);
    device.products = &memo;
    const hw::Cluster cluster = network_of(setting);  // the context refers to it
    const auto context = shape_context(shape(), device, cluster);
    if (!context || cost::find_obstacle(*context, shape().model)) {
      return {};
    }
    Seconds least;
    for (std::size_t i = 0; i < forward_.size(); ++i) {
      const graph::Layer& layer = shape().model.layers[i];
      least +=
          (bound_pass(*context, layer, forward_[i]) + bound_pass(*context, layer, backward_[i])) *
          static_cast<double>(layer.repeat);
    }
    const Worth worth = bounded_worth(least);
    return worth.value < enough
               ? worth
               : exact_worth(price_original_shape(shape(), *context, setting.scheduling).chain);
  }

 private:
  const OriginalGraphs::Shape& shape() const { return graphs_.shapes.front(); }

  PlanSetting setting_;
  OriginalGraphs graphs_;
  std::vector<LayerTasks> forward_, backward_;  // by layer
  double matrix_flops_ = 0;
};

class ModernLatency : public DeviceLatency {
 public:
  ModernLatency(const SearchModel& model, const LatencyQuestion& asked)
      : setting_(model.setting),
        shape_{asked.width, asked.sequence_parallel, asked.microbatch, {}} {
    GraphsOrReason made =
        make_chain_graphs({&setting_.model, setting_.build, setting_.training, shape_.tensor,
                           shape_.sequence_parallel, shape_.microbatch});
    CHECK(made.graphs, "an expert's width and micro-batch are possible");
    graphs_ = *std::move(made.graphs);
    for (std::size_t i = 0; i < graphs_.layers.size(); ++i) {
      ChainGraphs::ChainLayer& layer = graphs_.layers[i];
      std::fill(layer.ways.begin() + 1, layer.ways.end(), std::nullopt);  // nothing is recomputed
      matrix_flops_ +=
          layer.run_flops.value() * static_cast<double>(graphs_.model.layers[i].repeat);
    }
    tasks_ = find_graph_tasks(graphs_);
  }

  double bound(const hw::Chip& chip) const override {
    const auto format = cost::matrix_format(chip, graph::weight_type(setting_.training.precision));
    return format ? cost::tensor_machine(chip, *format).sustained.value() / matrix_flops_ *
                        (1 + kDurationRounding)
                  : 0;
  }

  Worth evaluate(const hw::Chip& chip, double enough) const override {
    PlanSetting setting = setting_;
    setting.chip = chip;
    const hw::Cluster cluster = network_of(setting);
    ChainShape shape = shape_;
    const auto group = cost::place_group(cluster, shape.tensor, 1, cost::Company::kAll);
    if (!group) {
      return {};
    }
    shape.tensor_group = *group;
    ProfileRequest request = make_profile_request(setting, cluster);
    cost::ProductMemo memo;
    request.context.products = &memo;
    cost::CostContext alone = request.context;
    alone.kernels = graphs_.has_library_kernels ? cost::Kernels::kLibrary : cost::Kernels::kTuned;
    const std::optional<Seconds> least = bound_microbatch(alone, graphs_, tasks_);
    if (!least) {
      return {};
    }
    Worth worth = bounded_worth(*least);
    if (worth.value < enough) {
      return worth;
    }
    const ChainOrReason priced = price_chain(request, shape, graphs_);
    return priced.chain ? exact_worth(*priced.chain) : Worth();
  }

 private:
  PlanSetting setting_;
  ChainShape shape_;
  ChainGraphs graphs_;
  GraphTasks tasks_;
  double matrix_flops_ = 0;
};

std::unique_ptr<const DeviceLatency> make_latency(const SearchModel& model,
                                                  const LatencyQuestion& asked) {
  if (is_original(model.setting.assumptions)) {
    return std::make_unique<OriginalLatency>(model, asked);
  }
  return std::make_unique<ModernLatency>(model, asked);
}

}  // namespace

LatencyAnswer find_least_latency(const SearchQuestion& question,
                                 const std::vector<SearchChip>& chips, const LatencyQuestion& asked,
                                 const SearchOptions& options) {
  const SearchModel& model = question.models[asked.model];
  const std::unique_ptr<const DeviceLatency> latency = make_latency(model, asked);
  CoSearchProblem problem;
  for (const SearchChip& chip : chips) {
    space::Standing standing = space::standing_of(question.space, chip.index);
    problem.chips.push_back({standing.group, std::move(standing.amounts)});
  }
  problem.bound = [&](std::size_t chip) {
    return latency->bound(make_chip(question, chips[chip]));
  };
  problem.evaluate = [&](std::size_t chip, double enough) {
    const hw::Chip made = make_chip(question, chips[chip]);
    Worth worth = latency->evaluate(made, enough);
    if (worth.is_exact && worth.value > 0) {
      const hw::ChipFigures figures = hw::compute_figures(made, question.space.technology).value();
      worth.rank = {figures.area.value(), hw::total(figures.cost).value()};
    }
    return worth;
  };
  CoSearchOptions how;
  how.use_bounds = options.use_bounds;
  how.use_dominance = options.use_dominance;
  how.is_cancelled = [&](std::size_t settled, double best, double open) {
    return options.is_cancelled &&
           options.is_cancelled({model.name + ", one device's latency",
                                 static_cast<std::int64_t>(settled),
                                 static_cast<std::int64_t>(chips.size()), best, open});
  };
  LatencyAnswer answer{co_search(problem, how), Seconds()};
  if (answer.search.best) {
    answer.latency = Seconds(1 / answer.search.outcomes[*answer.search.best].value);
  }
  return answer;
}

}  // namespace phaze::search
