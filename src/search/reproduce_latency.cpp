#include "search/reproduce_latency.h"

#include "base/check.h"
#include "cost/estimate.h"
#include "hw/figures.h"
#include "space/monotone.h"

namespace phaze::search {
namespace {

// One shape of a model on many chips. Safe for several threads.
class DeviceLatency {
 public:
  DeviceLatency(const SearchModel& model, const LatencyQuestion& asked) : setting_(model.setting) {
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
  DeviceLatency(const DeviceLatency&) = delete;
  DeviceLatency& operator=(const DeviceLatency&) = delete;

  // Passes a second; none has more.
  double bound(const hw::Chip& chip) const {
    const auto format = cost::matrix_format(chip, graph::weight_type(setting_.training.precision));
    return format ? hw::peak_flops(chip, *format).value() / matrix_flops_ * (1 + kRounding) : 0;
  }

  // As CoSearchProblem::evaluate, without a rank.
  Worth evaluate(const hw::Chip& chip, double enough) const {
    Worth worth;
    PlanSetting setting = setting_;
    setting.chip = chip;
    cost::ProductMemo memo;
    cost::CostContext device = cost::make_context(chip);
    device.products = &memo;
    const hw::Cluster cluster = network_of(setting);  // the context refers to it
    const auto context = shape_context(shape(), device, cluster);
    if (!context || cost::find_obstacle(*context, shape().model)) {
      return worth;
    }
    Seconds least;
    for (std::size_t i = 0; i < forward_.size(); ++i) {
      const graph::Layer& layer = shape().model.layers[i];
      least +=
          (bound_pass(*context, layer, forward_[i]) + bound_pass(*context, layer, backward_[i])) *
          static_cast<double>(layer.repeat);
    }
    worth.value = 1 / least.value() * (1 + kDurationRounding);
    if (worth.value < enough) {
      worth.is_exact = false;
      return worth;
    }
    const OriginalChain priced = price_original_shape(shape(), *context, setting.scheduling);
    Seconds time;
    for (const plan::ChainLayer& layer : priced.chain.layers) {
      const plan::LayerWork& work = *layer.work[static_cast<std::size_t>(plan::Recompute::kNone)];
      time += (work.forward + work.backward) * static_cast<double>(layer.repeat);
    }
    worth.value = 1 / time.value();
    worth.most = worth.value / (1 - priced.chain.schedule_gap);
    return worth;
  }

 private:
  static constexpr double kRounding = 1e-9;

  const OriginalGraphs::Shape& shape() const { return graphs_.shapes.front(); }

  PlanSetting setting_;
  OriginalGraphs graphs_;
  std::vector<LayerTasks> forward_, backward_;  // by layer
  double matrix_flops_ = 0;
};

}  // namespace

LatencyAnswer find_least_latency(const SearchQuestion& question,
                                 const std::vector<SearchChip>& chips, const LatencyQuestion& asked,
                                 const SearchOptions& options) {
  const SearchModel& model = question.models[asked.model];
  const DeviceLatency latency(model, asked);
  CoSearchProblem problem;
  for (const SearchChip& chip : chips) {
    space::Standing standing = space::standing_of(question.space, chip.index);
    problem.chips.push_back({standing.group, std::move(standing.amounts)});
  }
  problem.bound = [&](std::size_t chip) { return latency.bound(make_chip(question, chips[chip])); };
  problem.evaluate = [&](std::size_t chip, double enough) {
    const hw::Chip made = make_chip(question, chips[chip]);
    Worth worth = latency.evaluate(made, enough);
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
