#include <nlohmann/json.hpp>
#include <utility>

#include "io/document.h"
#include "io/map_reader.h"
#include "io/plan_json.h"
#include "io/report_json.h"

namespace phaze::io {
namespace {

// The plans of a search's best chip; a search that was stopped before there is one has none.
void read_search_plans(const Value& document, std::vector<ReportPlan>& plans,
                       Diagnostics& diagnostics) {
  MapReader map(document, diagnostics);
  map.count("schema", std::nullopt, 1, 1);
  const Value* best = document.find("best");
  if (best->kind == ValueKind::kNull) {
    const Value* reason = document.find("reason");
    map.error("best", "the search found no chip" +
                          (reason != nullptr ? ": " + reason->text : std::string()));
    return;
  }
  MapReader found(*best, diagnostics);
  const Value* named = found.child("plans");
  if (named == nullptr) {
    if (best->kind == ValueKind::kMap) {
      found.error("plans", "this key is required");
    }
    return;
  }
  for (const Member& member : named->members) {
    if (auto record = read_plan(member.second, diagnostics)) {
      plans.push_back({member.first, *std::move(record)});
    }
  }
}

}  // namespace

std::optional<ReportAnswer> read_report_answer(const std::string& text, const std::string& source,
                                               Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  const std::optional<Value> document = parse_document(text, source, diagnostics);
  if (!document) {
    return std::nullopt;
  }
  if (!nlohmann::json::accept(text)) {
    diagnostics.error(document->where, "expected JSON, found YAML");
    return std::nullopt;
  }
  ReportAnswer answer;
  answer.json = text;
  answer.is_search = document->find("best") != nullptr && document->find("models") != nullptr;
  if (answer.is_search) {
    read_search_plans(*document, answer.plans, diagnostics);
  } else if (document->find("stages") != nullptr) {
    if (auto record = read_plan(*document, diagnostics)) {
      std::string name = record->model;
      answer.plans.push_back({std::move(name), *std::move(record)});
    }
  } else {
    diagnostics.error(document->where,
                      "expected a study or the JSON of phaze search, or a plan of phaze place: " +
                          std::string("neither \"best\" and \"models\" nor \"stages\" are there"));
  }
  return diagnostics.error_count() > before ? std::nullopt : std::optional(std::move(answer));
}

}  // namespace phaze::io
