#include <nlohmann/json.hpp>
#include <utility>

#include "io/plan_details_json.h"
#include "io/plan_json.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;
using plan::PlanStage;
using plan::TrainingPlan;

constexpr double kRangeShare = 0.8;  // of measured runs, in the range

Json memory_json(const plan::StageMemory& memory) {
  return {{"weights_bytes", memory.weights.value()},
          {"gradients_bytes", memory.gradients.value()},
          {"optimizer_bytes", memory.optimizer.value()},
          {"activations_bytes", memory.activations.value()},
          {"transient_bytes", memory.transient.value()},
          {"other_bytes", memory.other.value()},
          {"total_bytes", memory.total().value()}};
}

Json stage_json(const plan::PlanRecord& record, const PlanStage& stage) {
  const plan::Strategy& strategy = record.plan.strategy;
  Json layers = Json::array();
  for (const plan::StageLayers& run : stage.layers) {
    layers.push_back(
        {{"layer", run.layer}, {"name", record.layers.at(run.layer)}, {"count", run.count}});
  }
  Json json = {{"layers", std::move(layers)},
               {"devices", strategy.tensor * strategy.data},
               {"recompute", plan::to_string(stage.recompute)},
               {"forward_s", stage.forward.value()},
               {"backward_s", stage.backward.value()},
               {"network_s", stage.network.value()},
               {"recompute_s", stage.recomputation.value()},
               {"in_flight", stage.in_flight},
               {"saved_bytes", stage.saved.value()},
               {"memory", memory_json(stage.memory)},
               {"gradients_s", stage.gradients.value()},
               {"exposed_s", stage.exposed.value()},
               {"optimizer_s", stage.optimizer.value()}};
  for (const plan::PlanChunk& chunk : stage.chunks) {
    json["chunks"].push_back({{"forward_s", chunk.forward.value()},
                              {"backward_s", chunk.backward.value()},
                              {"saved_bytes", chunk.saved.value()}});
  }
  return json;
}

Json breakdown_json(const plan::IterationParts& parts) {
  return {{"compute_s", parts.compute.value()}, {"recompute_s", parts.recompute.value()},
          {"tensor_s", parts.tensor.value()},   {"pipeline_s", parts.pipeline.value()},
          {"data_s", parts.data.value()},       {"optimizer_s", parts.optimizer.value()},
          {"bubble_s", parts.bubble.value()}};
}

void append_figures(Json& json, const plan::PlanFigures& figures) {
  const plan::PlanUtilisation& busy = figures.utilisation;
  json["mfu"] = figures.mfu;
  json["hfu"] = figures.hfu;
  json["utilisation"] = {
      {"tensor", busy.tensor}, {"vector", busy.vector}, {"hbm", busy.hbm}, {"link", busy.link}};
  json["status"] = plan::to_string(figures.status);
  json["bound_s"] = figures.bound.value();
}

void append_strategy(Json& json, const TrainingPlan& plan) {
  const plan::Strategy& strategy = plan.strategy;
  json["tensor"] = strategy.tensor;
  json["sequence_parallel"] = strategy.sequence_parallel;
  json["pipeline"] = strategy.pipeline;
  json["data"] = strategy.data;
  json["microbatch"] = strategy.microbatch;
  json["interleave"] = strategy.interleave;
  json["recompute"] = plan::recompute_of(plan);
  json["zero"] = strategy.zero;
  json["schedule"] = plan::to_string(strategy.schedule);
  json["order"] = plan::to_string(strategy.order);
}

// What another plan takes, in the words of the best one.
Json alternative_json(const TrainingPlan& plan, const plan::PlanRecord& record) {
  const TrainingPlan& best = record.plan;
  Json json = {{"iteration_s", plan.iteration.value()},
               {"loss", plan::loss(plan, best)},
               {"throughput_sequences_per_s", plan::throughput(plan)}};
  if (record.range && record.range->low) {
    json["within_error"] = plan::loss(plan, best) < record.range->half_width();
  }
  append_strategy(json, plan);
  json["microbatches"] = plan.microbatches;
  json["peak_memory_bytes"] = plan::peak_memory(plan).value();
  json["breakdown"] = breakdown_json(plan.parts);
  return json;
}

Json run_json(const plan::TrainingRun& run) {
  const plan::RunPrices& prices = run.prices;
  const bool is_rented = prices.usd_per_device_hour.has_value();
  Json json = {{"tokens", run.tokens},
               {"iterations", run.iterations},
               {"days", run.days},
               {"devices", run.devices},
               {"idle_devices", run.idle_devices},
               {"device_power_w", run.device.value()},
               {"idle_device_power_w", run.idle_device.value()},
               {"host_power_w", run.host.value()},
               {"pue", prices.pue},
               {"energy_kwh", run.energy_kwh},
               {"usd_per_kwh", prices.usd_per_kwh},
               {"kg_per_kwh", prices.kg_per_kwh},
               {"life_years", prices.life_years},
               {"device_usd", run.device_price.value()}};
  json["usd_per_device_hour"] = is_rented ? Json(*prices.usd_per_device_hour) : Json();
  json["cost_usd"] = run.cost().value();
  json["cost_breakdown_usd"] = {{"electricity", run.electricity.value()},
                                {"devices", run.capital.value()},
                                {"rent", run.rent.value()}};
  json["carbon_kg"] = run.carbon().value();
  json["carbon_breakdown_kg"] = {{"electricity", run.operation.value()},
                                 {"devices", run.embodied.value()}};
  return json;
}

Json why_json(const plan::PlanWhy& why) {
  Json with = Json::array();
  for (const plan::Sensitivity& each : why.with) {
    Json row = {{"resource", each.resource}, {"with", each.what}, {"factor", each.factor}};
    row["iteration_s"] = each.iteration ? Json(each.iteration->value()) : Json();
    row["elasticity"] = each.iteration ? Json(each.elasticity) : Json();
    with.push_back(std::move(row));
  }
  return {{"binds", why.binds},
          {"words", why.words},
          {"with", std::move(with)},
          {"complete", why.is_complete}};
}

}  // namespace

std::string write_plan(const plan::PlanRecord& record, const plan::PlanDetails* details) {
  const TrainingPlan& plan = record.plan;
  const double throughput = plan::throughput(plan);
  Json json = {{"schema", 1},
               {"model", record.model},
               {"chip", record.chip},
               {"cluster", record.cluster},
               {"assumptions", record.assumptions},
               {"sequence", record.sequence}};
  if (record.workload) {
    json["workload"] = {{"precision", record.workload->precision},
                        {"optimizer", record.workload->optimizer},
                        {"attention", record.workload->attention},
                        {"execution", record.workload->execution},
                        {"overlap", record.workload->overlap}};
  }
  json["iteration_s"] = plan.iteration.value();
  json["throughput_sequences_per_s"] = throughput;
  json["tokens_per_s"] = throughput * static_cast<double>(record.sequence);
  if (record.range) {
    const plan::PredictionRange& range = *record.range;
    json["iteration_range_s"] =
        range.low ? Json({range.low->value(), range.high->value()}) : Json();
    json["range_share"] = range.low ? Json(kRangeShare) : Json();
    json["range_basis"] = range.basis;
    json["regime"] = to_string(range.regime);
  }
  if (record.figures) {
    append_figures(json, *record.figures);
  }
  append_strategy(json, plan);
  json["devices"] = plan.devices;
  json["global_batch"] = plan.global_batch;
  json["microbatches"] = plan.microbatches;
  json["peak_memory_bytes"] = plan::peak_memory(plan).value();
  json["capacity_bytes"] = plan.capacity.value();
  json["fits"] = plan.fits;
  json["breakdown"] = breakdown_json(plan.parts);
  json["transfer_s"] = plan.transfer.value();
  json["transfer_bytes"] = plan.transfer_bytes.value();
  json["tied_s"] = plan.tied.value();
  Json stages = Json::array();
  for (const PlanStage& stage : plan.stages) {
    stages.push_back(stage_json(record, stage));
  }
  json["stages"] = std::move(stages);
  if (!record.notes.empty()) {
    json["notes"] = record.notes;
  }
  if (record.proof) {
    json["layer_schedules"] = {{"proved", record.proof->largest_gap == 0},
                               {"largest_gap", record.proof->largest_gap},
                               {"plan_gap", record.proof->plan_gap}};
  }
  if (record.simulated) {
    json["simulated_s"] = record.simulated->value();
  }
  for (const TrainingPlan& other : record.alternatives) {
    json["alternatives"].push_back(alternative_json(other, record));
  }
  if (record.run) {
    json["training"] = run_json(*record.run);
  }
  if (record.why) {
    json["why"] = why_json(*record.why);
  }
  if (details != nullptr) {
    json["details"] = Json::parse(write_plan_details(*details));
  }
  if (record.question) {
    const plan::PlanQuestion& asked = *record.question;
    json["question"] = {{"question", asked.question}, {"answer", asked.answer},
                        {"words", asked.words},       {"least", asked.least},
                        {"most", asked.most},         {"step", asked.step},
                        {"solved", asked.solved}};
  }
  if (record.best) {
    json["best"] = alternative_json(*record.best, record);
    json["gain"] = plan.iteration.value() / record.best->iteration.value() - 1;
  }
  return json.dump(2) + "\n";
}

std::string write_no_plan(const std::string& why, std::optional<Bytes> needed_memory,
                          std::optional<std::int64_t> needed_devices) {
  Json json = {{"schema", 1}, {"status", "infeasible"}, {"reason", why}, {"stages", Json::array()}};
  if (needed_memory) {
    json["needed_memory_bytes"] = needed_memory->value();
  }
  if (needed_devices) {
    json["needed_devices"] = *needed_devices;
  }
  return json.dump(2) + "\n";
}

}  // namespace phaze::io
