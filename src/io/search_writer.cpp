#include <nlohmann/json.hpp>
#include <utility>

#include "hw/area.h"
#include "hw/cost.h"
#include "io/chip_json.h"
#include "io/plan_json.h"
#include "io/search_json.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;
using plan::SearchRecord;
using plan::SearchResult;

Json counts_json(const plan::SearchCounts& counts) {
  return {{"total", counts.total},
          {"evaluated", counts.evaluated},
          {"excluded", counts.excluded + counts.dominated},
          {"excluded_by_bound", counts.excluded},
          {"excluded_by_dominance", counts.dominated}};
}

// As `phaze chip` writes it.
Json described(const hw::Chip& chip, const hw::ChipFigures& figures) {
  Json json = Json::parse(write_chip(chip, figures));
  json.erase("schema");
  return json;
}

Json chip_json(const SearchResult& result) {
  const hw::Chip& chip = result.described;
  const hw::ChipFigures& figures = result.figures;
  return {{"chip", result.chip},
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
          {"hbm_bytes", hw::hbm_capacity(chip).value()},
          {"hbm_bytes_per_s", hw::hbm_bandwidth(chip).value()},
          {"clock_hz", chip.clock.value()},
          {"area_mm2", figures.area.value()},
          {"tdp_w", figures.tdp.value()},
          {"build_cost_usd", hw::total(figures.cost).value()},
          {"embodied_carbon_kg", hw::total(figures.carbon).value()},
          {"description", described(chip, figures)}};
}

Json axes_json(const std::vector<plan::SearchAxis>& axes) {
  Json list = Json::array();
  for (const plan::SearchAxis& axis : axes) {
    list.push_back({{"field", axis.field},
                    {"letter", axis.letter},
                    {"unit", axis.unit},
                    {"codes", axis.codes},
                    {"values", axis.values}});
  }
  return list;
}

Json progress_json(const std::vector<plan::SearchMoment>& moments) {
  Json list = Json::array();
  for (const plan::SearchMoment& moment : moments) {
    list.push_back({{"stage", moment.stage},
                    {"elapsed_s", moment.seconds},
                    {"settled", moment.settled},
                    {"best", moment.best},
                    {"bound", moment.bound}});
  }
  return list;
}

Json robustness_json(const plan::Robustness& robustness) {
  Json json = {{"of", robustness.name},
               {"chip", robustness.chip},
               {"seed", robustness.seed},
               {"draws", robustness.draws},
               {"asked", robustness.asked},
               {"constants", Json::array()},
               {"stays_best", robustness.stays},
               {"undecided", robustness.undecided},
               {"mean_loss", robustness.mean_loss},
               {"worst_loss", robustness.worst_loss},
               {"chips_looked_at", robustness.looked_at},
               {"chips_left_out", robustness.left_out},
               {"whole_space", robustness.is_whole_space},
               {"rivals", Json::array()}};
  for (const plan::UncertainConstant& constant : robustness.constants) {
    json["constants"].push_back({{"name", constant.name},
                                 {"time_ratio_low", constant.low},
                                 {"time_ratio_high", constant.high}});
  }
  for (const plan::RobustRival& rival : robustness.rivals) {
    json["rivals"].push_back({{"chip", rival.chip},
                              {"wins", rival.wins},
                              {"mean_gain", rival.mean_gain},
                              {"most_gain", rival.most_gain}});
  }
  return json;
}

Json result_json(const SearchResult& result) {
  Json json = chip_json(result);
  json["value"] = result.value;
  json["bound"] = result.bound;
  json["status"] = result.is_proved() ? "optimal" : "feasible";
  json["chips"] = counts_json(result.counts);
  Json plans = Json::object(), speedups = Json::object();
  for (std::size_t i = 0; i < result.plans.size(); ++i) {
    const plan::PlanDetails* details = i < result.details.size() ? &result.details[i] : nullptr;
    plans[result.plans[i].model] = Json::parse(write_plan(result.plans[i], details));
    speedups[result.plans[i].model] = result.speedup[i] ? Json(*result.speedup[i]) : Json();
  }
  json["plans"] = std::move(plans);
  json["over_reference"] = std::move(speedups);
  json["rivals"] = Json::array();
  for (const plan::SearchRival& rival : result.rivals) {
    json["rivals"].push_back(
        {{"chip", rival.chip}, {"value", rival.value}, {"reason", rival.reason}});
  }
  json["steps"] = Json::array();
  for (const plan::SearchStep& step : result.steps) {
    Json row = {{"field", step.field}, {"from", step.from}, {"to", step.to}};
    if (step.value) {
      row["value"] = *step.value;
    } else {
      row["outside"] = step.outside;
    }
    json["steps"].push_back(std::move(row));
  }
  return json;
}

}  // namespace

std::string write_search(const SearchRecord& record) {
  // Of several models the common chip; none where the search was stopped before there was one.
  const SearchResult* best = record.common               ? &*record.common
                             : record.models.size() == 1 ? &record.own.front()
                                                         : nullptr;
  Json json = {{"schema", 1},
               {"space", record.space},
               {"assumptions", record.assumptions},
               {"objective", record.objective},
               {"models", record.models},
               {"schedule", record.schedules},
               {"devices", record.devices},
               {"cluster", record.cluster},
               {"global_batch", record.global_batch},
               {"status", best == nullptr     ? "limit"
                          : best->is_proved() ? "optimal"
                                              : "feasible"},
               {"is_complete", record.is_complete},
               {"bound", best != nullptr ? Json(best->bound) : Json()},
               {"chips", best != nullptr ? counts_json(best->counts) : Json()},
               {"best", best != nullptr ? result_json(*best) : Json()}};
  if (record.models.size() > 1) {
    json["combination"] = record.combination;
    json["weights"] = Json::object();
    for (std::size_t i = 0; i < record.models.size(); ++i) {
      json["weights"][record.models[i]] = record.weights[i];
    }
    json["own"] = Json::object();
    for (const SearchResult& own : record.own) {
      json["own"][own.name] = result_json(own);
    }
  }
  Json reference = {{"chip", record.reference}, {"throughput_sequences_per_s", Json::object()}};
  for (std::size_t i = 0; i < record.models.size(); ++i) {
    reference["throughput_sequences_per_s"][record.models[i]] =
        record.reference_throughput[i] ? Json(*record.reference_throughput[i]) : Json();
  }
  reference["description"] = record.reference_figures
                                 ? described(record.reference_described, *record.reference_figures)
                                 : Json();
  json["reference"] = std::move(reference);
  json["axes"] = axes_json(record.axes);
  json["pareto"] = Json::array();
  for (const plan::SearchFrontRow& row : record.front) {
    Json values = Json::object();
    for (std::size_t i = 0; i < row.objectives.size(); ++i) {
      values[record.front_objectives[i]] = row.objectives[i];
    }
    json["pareto"].push_back({{"chip", row.chip},
                              {"hbm_bytes", row.memory.value()},
                              {"throughput_sequences_per_s", row.throughput},
                              {"objectives", std::move(values)},
                              {"area_mm2", row.figures.area.value()},
                              {"tdp_w", row.figures.tdp.value()},
                              {"build_cost_usd", hw::total(row.figures.cost).value()}});
  }
  if (record.robustness) {
    json["robust"] = robustness_json(*record.robustness);
  }
  json["notes"] = record.notes;
  json["search_s"] = record.seconds;
  json["progress"] = progress_json(record.progress);
  return json.dump(2) + "\n";
}

std::string write_no_chip(const std::string& why) {
  return Json({{"schema", 1}, {"status", "infeasible"}, {"best", nullptr}, {"reason", why}})
             .dump(2) +
         "\n";
}

}  // namespace phaze::io
