#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "io/report_json.h"
#include "io/simulation_json.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
Json maybe(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// A list for each figure: a fourth of the size of a map for each chip.
Json chips_json(const std::vector<plan::ChipRow>& rows) {
  Json chip = Json::array(), id = Json::array(), state = Json::array(), value = Json::array(),
       bound = Json::array(), witness = Json::array();
  std::set<std::string> names;
  for (const plan::ChipRow& row : rows) {
    chip.push_back(row.chip);
    id.push_back(row.id);
    state.push_back(plan::to_string(row.state));
    value.push_back(maybe(row.value));
    bound.push_back(maybe(row.bound));
    witness.push_back(maybe(row.witness));
    for (const auto& [name, figure] : row.metrics) {
      names.insert(name);
    }
  }
  Json metrics = Json::object();
  for (const std::string& name : names) {
    Json& column = metrics[name] = Json::array();
    for (const plan::ChipRow& row : rows) {
      const auto found = row.metrics.find(name);
      column.push_back(found != row.metrics.end() ? Json(found->second) : Json(nullptr));
    }
  }
  return {{"chip", std::move(chip)},      {"id", std::move(id)},
          {"state", std::move(state)},    {"value", std::move(value)},
          {"bound", std::move(bound)},    {"witness", std::move(witness)},
          {"metrics", std::move(metrics)}};
}

Json study_json(const plan::StudyRecord& record, const plan::StudySummary& summary) {
  const plan::StudyCounts& counts = summary.counts;
  Json ranges = Json::array();
  for (const plan::ExcludedChips& range : record.excluded) {
    ranges.push_back(
        {{"first_chip", range.first}, {"last_chip", range.last}, {"bound", maybe(range.bound)}});
  }
  return {{"state", record.answer             ? "finished"
                    : record.is_being_written ? "running"
                                              : "stopped"},
          {"question", record.question.parts},
          {"counts",
           {{"total", counts.total},
            {"settled", counts.settled},
            {"evaluated", counts.evaluated},
            {"excluded", counts.excluded},
            {"dominated", counts.dominated},
            {"without_plan", counts.without_plan}}},
          {"best", summary.best ? Json(record.chips[*summary.best].chip) : Json(nullptr)},
          {"bound", maybe(summary.bound)},
          {"gap", maybe(plan::gap_of(record, summary))},
          {"excluded_ranges", std::move(ranges)},
          {"chips", chips_json(record.chips)}};
}

Json passes_json(const std::vector<plan::SimulatedPass>& passes, Seconds until) {
  std::string kind;
  Json chunk = Json::array(), microbatch = Json::array(), start = Json::array(),
       end = Json::array();
  for (const plan::SimulatedPass& pass : passes) {
    if (pass.start > until) {
      continue;
    }
    kind += pass.kind == plan::PassKind::kForward ? 'f' : 'b';
    chunk.push_back(pass.chunk);
    microbatch.push_back(pass.microbatch);
    start.push_back(pass.start.value());
    end.push_back(pass.end.value());
  }
  return {{"kind", kind},
          {"chunk", std::move(chunk)},
          {"microbatch", std::move(microbatch)},
          {"start_s", std::move(start)},
          {"end_s", std::move(end)}};
}

// Until when passes and transfers are shown: the end, or where there are enough.
Seconds shown_until(const plan::SimulatedIteration& simulated) {
  std::vector<Seconds> starts;
  for (const plan::SimulatedStage& stage : simulated.stages) {
    for (const plan::SimulatedPass& run : stage.runs) {
      starts.push_back(run.start);
    }
  }
  if (static_cast<std::int64_t>(starts.size()) <= kMostShownPasses) {
    return simulated.iteration;
  }
  const auto last = starts.begin() + kMostShownPasses;
  std::nth_element(starts.begin(), last, starts.end());
  return *last;
}

Json simulation_json(const plan::PlanRecord& record, const plan::SimulatedIteration& simulated) {
  Json json = Json::parse(write_simulation(record, simulated, {}));
  json.erase("schema");
  const Seconds until = shown_until(simulated);
  json["shown_until_s"] = until.value();
  json["tied_start_s"] = simulated.tied_start.value();
  json["tied_end_s"] = simulated.tied_end.value();
  json["optimizer_start_s"] = simulated.optimizer_start.value();
  for (std::size_t i = 0; i < simulated.stages.size(); ++i) {
    json["stages"][i]["passes"] = passes_json(simulated.stages[i].runs, until);
    json["stages"][i]["sent"] = passes_json(simulated.stages[i].sent, until);
  }
  return json;
}

}  // namespace

std::string write_report(const Report& report) {
  const bool is_plan = report.answer && !report.answer->is_search;
  Json json = {{"schema", 1},
               {"kind", is_plan ? "plan" : "search"},
               {"program", report.program},
               {"source", report.source}};
  json[is_plan ? "plan" : "search"] = report.answer ? Json::parse(report.answer->json) : Json();
  if (report.study && report.summary) {
    json["study"] = study_json(*report.study, *report.summary);
  }
  json["simulations"] = Json::object();
  for (std::size_t i = 0; i < report.simulations.size(); ++i) {
    const ReportSimulation& each = report.simulations[i];
    json["simulations"][each.name] =
        each.simulated ? simulation_json(report.answer->plans.at(i).record, *each.simulated)
                       : Json(nullptr);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace phaze::io
