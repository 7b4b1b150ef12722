#include "search/plan_setting.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "cost/machine.h"
#include "schedule/exact.h"

namespace phaze::search {
namespace {

plan::StateBytes states_of(const graph::TrainingOptions& training, models::Execution execution) {
  plan::StateBytes states;
  states.weight = Bytes(graph::bytes_per_element(graph::weight_type(training.precision)));
  states.gradient = Bytes(graph::bytes_per_element(graph::gradient_type(training.precision)));
  states.optimizer = graph::state_per_parameter(training.precision, training.optimizer) -
                     states.weight - states.gradient;
  // Stacks reduce gradients in the weights' format: Megatron-LM's of fp16 training are kept in it,
  // later ones cast them (NeMo's grad_sync_dtype).
  states.reduced = execution == models::Execution::kEager ? states.gradient : states.weight;
  return states;
}

bool allows(const std::vector<plan::Recompute>& ways, plan::Recompute way) {
  return ways.empty() || std::ranges::find(ways, way) != ways.end();
}

}  // namespace

Scheduling quick_scheduling() {
  constexpr std::int64_t kMostNodes = 500;
  Scheduling scheduling;
  scheduling.work_limit = kMostNodes;
  return scheduling;
}

std::int64_t sequence_of(const PlanSetting& setting) {
  const auto* spec = std::get_if<models::ModelSpec>(&setting.model);
  return setting.build.sequence > 0 ? setting.build.sequence
         : spec != nullptr          ? spec->default_sequence
                                    : std::get<graph::Model>(setting.model).sequence;
}

std::optional<std::int64_t> chain_length(const PlanSetting& setting, Diagnostics& diagnostics) {
  std::optional<graph::Model> model;
  if (const auto* spec = std::get_if<models::ModelSpec>(&setting.model)) {
    models::BuildOptions build = setting.build;
    build.microbatch = build.tensor_width = 1;
    build.sequence_parallel = false;
    model = models::build_model(*spec, build, diagnostics);
  } else {
    model = std::get<graph::Model>(setting.model);
  }
  if (!model) {
    return std::nullopt;
  }
  std::int64_t length = 0;
  for (const graph::Layer& layer : model->layers) {
    length += layer.repeat;
  }
  return length;
}

std::vector<std::int64_t> possible_widths(const PlanSetting& setting) {
  const auto* spec = std::get_if<models::ModelSpec>(&setting.model);
  if (spec == nullptr) {
    return {std::get<graph::Model>(setting.model).tensor_width};
  }
  std::vector<std::int64_t> widths = models::tensor_widths(*spec, setting.build.pads_vocabulary);
  if (is_original(setting.assumptions) && setting.limits.tensor.empty()) {
    std::erase_if(widths, [](std::int64_t width) {
      return std::ranges::find(kOriginalWidths, width) == std::end(kOriginalWidths);
    });
  }
  return widths;
}

std::vector<std::int64_t> original_microbatches(const PlanSetting& setting) {
  std::vector<std::int64_t> all = setting.limits.microbatch;
  if (all.empty()) {
    all.assign(std::begin(kOriginalMicrobatches), std::end(kOriginalMicrobatches));
  }
  std::erase_if(all, [&setting](std::int64_t size) { return setting.global_batch % size != 0; });
  return all;
}

std::optional<FlopsPerSecond> peak_of(const PlanSetting& setting) {
  const auto format =
      cost::matrix_format(setting.chip, graph::weight_type(setting.training.precision));
  return format ? std::optional(hw::peak_flops(setting.chip, *format)) : std::nullopt;
}

hw::Cluster network_of(const PlanSetting& setting) {
  return with_assumed_links(
      setting.chip.links.count > 0
          ? hw::with_link_limit(setting.cluster, hw::link_bandwidth(setting.chip))
          : setting.cluster,
      setting.assumptions);
}

bool has_experts(const PlanSetting& setting) {
  const auto* spec = std::get_if<models::ModelSpec>(&setting.model);
  return spec != nullptr && std::ranges::any_of(spec->stacks, [](const models::Stack& stack) {
           return std::ranges::any_of(stack.runs, [](const models::Run& run) {
             return run.block.feed_forward.experts > 1;
           });
         });
}

place::PlanProblem make_plan_problem(const PlanSetting& setting) {
  place::PlanProblem problem;
  problem.devices = setting.devices;
  problem.global_batch = setting.global_batch;
  problem.capacity = hw::hbm_capacity(setting.chip);
  problem.other = setting.chip.reserved + setting.chip.workspace;
  problem.states = states_of(setting.training, setting.build.execution);
  problem.overlap = setting.overlap;
  problem.limits = setting.limits;
  return problem;
}

OriginalTerms make_original_terms(const PlanSetting& setting) {
  const hw::Cluster cluster = network_of(setting);
  CHECK(cluster.levels.size() == 1, "the original knows one link for everything");
  OriginalTerms terms;
  terms.devices = setting.devices;
  terms.global_batch = setting.global_batch;
  terms.memory = hw::hbm_capacity(setting.chip);
  terms.bandwidth = cluster.levels.front().bandwidth * cluster.levels.front().efficiency;
  terms.parameter = states_of(setting.training, setting.build.execution).weight;
  terms.optimizer = setting.training.optimizer == graph::OptimizerKind::kAdam
                        ? plan::OriginalOptimizer::kAdam
                        : plan::OriginalOptimizer::kSgd;
  terms.store = allows(setting.limits.recompute, plan::Recompute::kNone);
  terms.recompute = allows(setting.limits.recompute, plan::Recompute::kFull);
  const place::PlanLimits& limits = setting.limits;
  if (limits.pipeline.size() == 1 && limits.data.size() == 1 && limits.tensor.size() == 1) {
    terms.fixed =
        plan::FixedStrategy{limits.pipeline.front(), limits.tensor.front(), limits.data.front(), 0};
  }
  return terms;
}

SettingCosts::SettingCosts(const PlanSetting& setting)
    : cluster_(network_of(setting)),
      request_(make_profile_request(setting, cluster_)),
      costs_(request_, possible_widths(setting)) {}

ProfileRequest make_profile_request(const PlanSetting& setting, const hw::Cluster& cluster) {
  ProfileRequest request;
  request.model = &setting.model;
  request.build = setting.build;
  request.training = setting.training;
  request.context = cost::make_context(setting.chip);
  request.cluster = &cluster;
  request.scheduling = setting.scheduling;
  request.scheduling.exclusive_wide = has_exclusive_wide(setting.assumptions);
  request.scheduling.overlaps_sequence = setting.build.execution == models::Execution::kFused;
  return request;
}

OriginalGraphsRequest make_original_request(const PlanSetting& setting) {
  OriginalGraphsRequest request;
  request.model = &setting.model;
  request.build = setting.build;
  request.training = setting.training;
  for (const std::int64_t width : possible_widths(setting)) {
    const std::vector<std::int64_t>& asked = setting.limits.tensor;
    if (asked.empty() || std::ranges::find(asked, width) != asked.end()) {
      request.widths.push_back(width);
    }
  }
  request.microbatches = original_microbatches(setting);
  request.weight_gradients = has_weight_gradients(setting.assumptions);
  return request;
}

OriginalChains make_original_chains(const PlanSetting& setting) {
  const OriginalGraphs graphs = make_original_graphs(make_original_request(setting));
  Scheduling scheduling = setting.scheduling;
  scheduling.exclusive_wide = has_exclusive_wide(setting.assumptions);
  OriginalChains chains = price_original_graphs(graphs, cost::make_context(setting.chip),
                                                network_of(setting), scheduling);
  if (chains.chains.empty() && chains.reason.empty()) {
    chains.reason = graphs.reason;
  }
  return chains;
}

}  // namespace phaze::search
