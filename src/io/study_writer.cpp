#include <nlohmann/json.hpp>
#include <utility>

#include "io/study_json.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;
using plan::ChipRow;

template <class T>
Json maybe(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// A document that a search stored; as text should it be none, null when there is nothing.
Json stored_json(const std::string& text) {
  if (text.empty()) {
    return nullptr;
  }
  Json parsed = Json::parse(text, nullptr, false);
  return parsed.is_discarded() ? Json(text) : parsed;
}

Json row_json(const ChipRow& row) {
  return {
      {"chip", row.chip}, {"id", row.id}, {"value", maybe(row.value)}, {"metrics", row.metrics}};
}

Json rows_json(const plan::StudyRecord& record, const std::vector<std::size_t>& rows) {
  Json list = Json::array();
  for (const std::size_t row : rows) {
    list.push_back(row_json(record.chips[row]));
  }
  return list;
}

Json front_json(const plan::StudyRecord& record, const plan::StudySummary& summary) {
  if (!summary.axes) {
    return nullptr;
  }
  Json axes = Json::array();
  for (const plan::FrontAxis& axis : *summary.axes) {
    axes.push_back({{"name", axis.name}, {"better", axis.is_maximised ? "more" : "less"}});
  }
  return {{"axes", std::move(axes)}, {"chips", rows_json(record, summary.front)}};
}

}  // namespace

std::string write_study(const plan::StudyRecord& record, const plan::StudySummary& summary,
                        const std::string& plans_json) {
  const plan::StudyCounts& counts = summary.counts;
  Json best = nullptr;
  if (summary.best) {
    best = row_json(record.chips[*summary.best]);
    best["plans"] = stored_json(plans_json);
  }
  Json answer = nullptr;
  if (record.answer) {
    answer = {{"status", record.answer->status},
              {"chip", maybe(record.answer->chip)},
              {"value", maybe(record.answer->value)},
              {"bound", maybe(record.answer->bound)},
              {"document", stored_json(record.answer->json)}};
  }
  const Json json = {{"schema", 1},
                     {"state", record.answer             ? "finished"
                               : record.is_being_written ? "running"
                                                         : "stopped"},
                     {"question", record.question.parts},
                     {"chips",
                      {{"total", counts.total},
                       {"settled", counts.settled},
                       {"evaluated", counts.evaluated},
                       {"excluded", counts.excluded},
                       {"dominated", counts.dominated},
                       {"without_plan", counts.without_plan}}},
                     {"best", std::move(best)},
                     {"bound", maybe(summary.bound)},
                     {"gap", maybe(plan::gap_of(record, summary))},
                     {"top", rows_json(record, summary.top)},
                     {"front", front_json(record, summary)},
                     {"answer", std::move(answer)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace phaze::io
