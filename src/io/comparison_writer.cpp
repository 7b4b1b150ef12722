#include <nlohmann/json.hpp>

#include "io/comparison_json.h"
#include "io/plan_json.h"

namespace phaze::io {

using Json = nlohmann::ordered_json;

std::string write_comparison(const plan::Comparison& comparison) {
  Json json = {{"schema", 1},
               {"kind", comparison.kind},
               {"a", comparison.a},
               {"b", comparison.b},
               {"figures", Json::object()}};
  for (const plan::ComparedFigure& figure : comparison.figures) {
    json["figures"][figure.key] = {{"a", figure.a}, {"b", figure.b}};
  }
  if (comparison.plan_a && comparison.plan_b) {
    const plan::TrainingPlan& a = comparison.plan_a->plan;
    const plan::TrainingPlan& b = comparison.plan_b->plan;
    json["iteration_s"] = {{"a", a.iteration.value()},
                           {"b", b.iteration.value()},
                           {"difference", (b.iteration - a.iteration).value()}};
    json["tokens"] = {{"a", plan::tokens_of(*comparison.plan_a)},
                      {"b", plan::tokens_of(*comparison.plan_b)}};
    Json parts = Json::object();
    for (const plan::NamedPart& part : plan::named_parts()) {
      parts[part.key] = {{"a", (a.parts.*part.part).value()},
                         {"b", (b.parts.*part.part).value()},
                         {"difference", (b.parts.*part.part - a.parts.*part.part).value()}};
    }
    json["parts"] = std::move(parts);
    if (!comparison.causes.empty()) {
      json["causes"] = Json::array();
      for (const plan::Cause& cause : comparison.causes) {
        json["causes"].push_back({{"name", cause.name}, {"difference_s", cause.change.value()}});
      }
    }
    json["plans"] = {{"a", Json::parse(write_plan(*comparison.plan_a))},
                     {"b", Json::parse(write_plan(*comparison.plan_b))}};
  }
  if (!comparison.notes.empty()) {
    json["notes"] = comparison.notes;
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace phaze::io
