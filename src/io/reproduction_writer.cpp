#include <nlohmann/json.hpp>
#include <utility>

#include "io/reproduction_json.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;
using plan::ReproducedRun;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json chip_json(const plan::ReproducedChip& of) {
  const hw::Chip& chip = of.chip;
  return {{"chip", of.name},
          {"tensor_cores",
           {{"count", chip.tensor.count},
            {"rows", chip.tensor.rows},
            {"columns", chip.tensor.columns},
            {"local_buffer_bytes", chip.tensor.local_buffer.value()}}},
          {"vector_cores",
           {{"count", chip.vector.count},
            {"lanes", chip.vector.lanes},
            {"local_buffer_bytes", chip.vector.local_buffer.value()}}},
          {"global_buffer_bytes", chip.global.size.value()},
          {"global_buffer_bytes_per_cycle", chip.global.bytes_per_cycle},
          {"hbm_bytes", hw::hbm_capacity(chip).value()},
          {"area_mm2", of.area.value()},
          {"area_share", of.area_share},
          {"vector_cores_area_share", of.vector_share},
          {"tdp_w", of.power.value()}};
}

Json counts_json(const plan::SearchCounts& counts) {
  return {{"total", counts.total},
          {"evaluated", counts.evaluated},
          {"excluded_by_bound", counts.excluded},
          {"excluded_by_dominance", counts.dominated}};
}

Json split_json(const plan::GainSplit& split) {
  return {{"total", split.product()},
          {"placement", split.placement},
          {"chip", split.chip},
          {"hbm", split.memory},
          {"interaction", split.interaction}};
}

Json run_json(const plan::ReproducedModel& model, ReproducedRun which) {
  const std::optional<plan::TrainingPlan>& plan = model.run(which);
  if (!plan) {
    return {{"fits", false}, {"relative", nullptr}};
  }
  return {{"fits", plan->fits},
          {"relative", or_null(plan::relative(model, which))},
          {"throughput_sequences_per_s", or_null(plan::throughput_of(plan))},
          {"iteration_s", plan->iteration.value()},
          {"tensor", plan->strategy.tensor},
          {"sequence_parallel", plan->strategy.sequence_parallel},
          {"pipeline", plan->strategy.pipeline},
          {"data", plan->strategy.data},
          {"microbatch", plan->strategy.microbatch},
          {"recompute", plan::recompute_of(*plan)},
          {"zero", plan->strategy.zero},
          {"interleave", plan->strategy.interleave},
          {"peak_memory_bytes", plan::peak_memory(*plan).value()},
          {"capacity_bytes", plan->capacity.value()}};
}

Json model_json(const plan::ReproducedModel& model) {
  const plan::ReproductionBase base = plan::base_of(model);
  Json json = {{"model", model.model},
               {"relative_to", to_string(base.run)},
               {"base_sequences_per_s", or_null(base.throughput)},
               {"runs", Json::object()}};
  for (std::size_t i = 0; i < plan::kReproducedRuns; ++i) {
    const auto which = static_cast<ReproducedRun>(i);
    json["runs"][std::string(to_string(which))] = run_json(model, which);
  }
  Json architecture = chip_json(model.architecture.chip);
  architecture["tensor_width"] = model.architecture.width;
  architecture["microbatch"] = model.architecture.microbatch;
  architecture["sequence_parallel"] = model.architecture.sequence_parallel;
  architecture["latency_s"] = model.architecture.latency.value();
  architecture["chips"] = counts_json(model.architecture.counts);
  json["architecture_only"] = std::move(architecture);
  json["own"] = model.own ? chip_json(*model.own) : Json();
  if (model.own) {
    json["own"]["chips"] = counts_json(model.own_counts);
  }
  json["gain"] = model.split ? split_json(*model.split) : Json();
  if (!model.no_split.empty()) {
    json["gain_missing"] = model.no_split;
  }
  return json;
}

Json space_json(const plan::ReproducedSpace& space) {
  Json memories = Json::array();
  for (const Bytes memory : space.memories) {
    memories.push_back(memory.value());
  }
  const plan::UndominatedChips& undominated = space.undominated;
  return {{"name", space.name},
          {"chips", space.chips},
          {"area_budget_mm2", space.area_budget.value()},
          {"power_budget_w", space.power_budget ? Json(space.power_budget->value()) : Json()},
          {"hbm_bytes", std::move(memories)},
          {"undominated",
           {{"chips", undominated.chips},
            {"large_tensor_cores", undominated.large_cores},
            {"many_vector_cores", undominated.many_vectors},
            {"least_area_share", undominated.least_area_share},
            {"least_area_chip", undominated.least_area_chip},
            {"median_area_share", undominated.median_area_share},
            {"most_elements_large_tensor_cores", undominated.most_elements_large},
            {"most_elements_small_tensor_cores", undominated.most_elements_small}}}};
}

Json column_json(const plan::ReproducedColumn& column) {
  Json json = {{"name", column.name},
               {"assumptions", column.assumptions},
               {"description", column.words},
               {"space", space_json(column.space)},
               {"cluster", column.cluster},
               {"link_bytes_per_s", column.link.value()},
               {"reference", chip_json(column.reference)},
               {"models", Json::array()},
               {"common", column.common ? chip_json(*column.common) : Json()}};
  if (column.common) {
    json["common"]["chips"] = counts_json(column.common_counts);
  }
  for (const plan::ReproducedModel& model : column.models) {
    json["models"].push_back(model_json(model));
  }
  json["averages"] = Json::object();
  for (std::size_t i = 0; i < plan::kReproducedRuns; ++i) {
    const auto which = static_cast<ReproducedRun>(i);
    const std::optional<plan::Averages> averages = plan::average(column, which);
    json["averages"][std::string(to_string(which))] =
        averages ? Json({{"arithmetic", averages->arithmetic},
                         {"geometric", averages->geometric},
                         {"models", averages->models}})
                 : Json();
  }
  const std::optional<plan::GainSplit> split = plan::average_split(column);
  json["gain"] = split ? split_json(*split) : Json();
  return json;
}

}  // namespace

std::string write_reproduction(const plan::Reproduction& of) {
  Json json = {{"schema", 2},
               {"devices", of.devices},
               {"global_batch", of.global_batch},
               {"paper",
                {{"own", plan::kPaperOwn},
                 {"common", plan::kPaperCommon},
                 {"area_share", plan::kPaperAreaShare}}},
               {"columns", Json::array()}};
  for (const plan::ReproducedColumn& column : of.columns) {
    json["columns"].push_back(column_json(column));
  }
  return json.dump(2) + "\n";
}

}  // namespace phaze::io
