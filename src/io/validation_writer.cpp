#include <nlohmann/json.hpp>

#include "io/validation_json.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;
using plan::Measure;

template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json parts_json(const plan::IterationParts& parts) {
  return {{"compute_s", parts.compute.value()}, {"recompute_s", parts.recompute.value()},
          {"tensor_s", parts.tensor.value()},   {"pipeline_s", parts.pipeline.value()},
          {"data_s", parts.data.value()},       {"optimizer_s", parts.optimizer.value()},
          {"bubble_s", parts.bubble.value()}};
}

Json memory_json(const plan::StageMemory& memory) {
  return {{"weights_bytes", memory.weights.value()},
          {"gradients_bytes", memory.gradients.value()},
          {"optimizer_bytes", memory.optimizer.value()},
          {"activations_bytes", memory.activations.value()},
          {"transient_bytes", memory.transient.value()},
          {"other_bytes", memory.other.value()},
          {"total_bytes", memory.total().value()}};
}

Json pair_json(const plan::ValidatedRun& run, Measure measure) {
  const auto i = static_cast<std::size_t>(measure);
  return {{"measured", *run.run.measured[i]},
          {"predicted", run.prediction ? or_null(run.prediction->predicted[i]) : Json()},
          {"error", or_null(run.error(measure))}};
}

Json strategy_json(const plan::Strategy& s, const plan::MeasuredRun& run) {
  return {{"devices", run.devices},
          {"global_batch", run.global_batch},
          {"tensor", s.tensor},
          {"pipeline", s.pipeline},
          {"data", s.data},
          {"microbatch", s.microbatch},
          {"interleave", s.interleave},
          {"zero", s.zero},
          {"sequence_parallel", s.sequence_parallel}};
}

Json row_json(const plan::ValidatedRun& run, std::size_t number) {
  const plan::MeasuredRun& row = run.run;
  Json json = {{"row", number}, {"line", row.where.line}, {"group", row.group}};
  if (!row.source.empty()) {
    json["source"] = row.source;
  }
  json["quantity"] = to_string(run.measure());
  json.update(pair_json(run, run.measure()));
  if (!run.prediction) {
    json["reason"] = run.reason;
    return json;
  }
  const plan::RunPrediction& prediction = *run.prediction;
  json["fits"] = prediction.plan.fits;
  json["regime"] = to_string(prediction.regime);
  json["strategy"] = strategy_json(prediction.plan.strategy, row);
  json["strategy"]["recompute"] = prediction.recompute;
  json["parts"] = parts_json(prediction.plan.parts);
  json["memory"] = memory_json(prediction.memory);
  for (std::size_t i = 0; i < plan::kMeasures; ++i) {
    const auto measure = static_cast<Measure>(i);
    if (row.measured[i] && measure != run.measure()) {
      json["others"][std::string(to_string(measure))] = pair_json(run, measure);
    }
  }
  if (!prediction.notes.empty()) {
    json["notes"] = prediction.notes;
  }
  return json;
}

Json summary_json(const plan::ErrorSummary& errors) {
  return {{"count", errors.count},
          {"mean_error", errors.mean},
          {"median_error", errors.median},
          {"p90_error", errors.p90},
          {"worst_error", errors.worst},
          {"bias", errors.bias},
          {"rank_correlation", or_null(errors.rank_correlation)}};
}

Json groups_json(const std::vector<plan::GroupSummary>& groups) {
  Json json = Json::array();
  for (const plan::GroupSummary& one : groups) {
    Json group = {{"group", one.group}, {"quantity", to_string(one.measure)}};
    group.update(summary_json(one.errors));
    json.push_back(std::move(group));
  }
  return json;
}

}  // namespace

std::string write_validation(const plan::Validation& validation) {
  Json json = Json::object();
  // Of the first measure that there is: iteration times, where a file has them.
  if (!validation.overall.empty()) {
    json["quantity"] = to_string(validation.overall.front().measure);
    json.update(summary_json(validation.overall.front().errors));
  }
  json["regret"] = validation.regrets.empty() ? Json() : Json(validation.mean_regret);
  json["worst_regret"] = validation.regrets.empty() ? Json() : Json(validation.worst_regret);
  const plan::NoiseFloor& noise = validation.noise;
  const bool has_noise = noise.repeats + noise.neighbours > 0;
  json["noise_floor"] = {{"repeats", noise.repeats},
                         {"neighbours", noise.neighbours},
                         {"mean", has_noise ? Json(noise.mean) : Json()},
                         {"median", has_noise ? Json(noise.median) : Json()},
                         {"microbatches", noise.microbatches},
                         {"least_mean", noise.microbatches > 0 ? Json(noise.least_mean) : Json()}};
  json["does_not_fit"] = validation.unfit;
  json["not_priced"] = validation.unpriced;
  json["quantities"] = Json::object();
  for (const plan::GroupSummary& one : validation.overall) {
    json["quantities"][std::string(to_string(one.measure))] = summary_json(one.errors);
  }
  json["groups"] = groups_json(validation.groups);
  if (!validation.held_out.empty()) {
    json["held_out"] = groups_json(validation.held_out);
  }
  for (const plan::ComparedGroup& one : validation.own) {
    Json group = {{"group", one.name},
                  {"quantity", one.is_time ? "time_s" : "peak_memory_bytes"},
                  {"status", one.status}};
    group.update(summary_json(one.errors));
    json["one_device"].push_back(std::move(group));
  }
  json["regrets"] = Json::array();
  for (const plan::RegretCase& one : validation.regrets) {
    json["regrets"].push_back({{"case", one.name},
                               {"strategies", one.strategies},
                               {"chosen_row", one.chosen + 1},
                               {"best_row", one.best + 1},
                               {"regret", one.regret}});
  }
  json["rows"] = Json::array();
  for (std::size_t i = 0; i < validation.runs.size(); ++i) {
    json["rows"].push_back(row_json(validation.runs[i], i + 1));
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace phaze::io
