#include <nlohmann/json.hpp>

#include "io/space_json.h"
#include "space/monotone.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;
using space::FieldUnit;
using space::Space;

// Values in base units, but for generations, which have names.
Json value_json(space::Field field, double value) {
  switch (space::traits(field).unit) {
    case FieldUnit::kCount:
    case FieldUnit::kBytes:
      return static_cast<std::int64_t>(value);
    case FieldUnit::kGeneration:
      return space::value_text(field, value);
    case FieldUnit::kNumber:
    case FieldUnit::kHertz:
    case FieldUnit::kBytesPerSecond:
      return value;
  }
  return {};
}

std::string_view unit_name(space::Field field) {
  switch (space::traits(field).unit) {
    case FieldUnit::kBytes:
      return "bytes";
    case FieldUnit::kHertz:
      return "hz";
    case FieldUnit::kBytesPerSecond:
      return "bytes_per_s";
    case FieldUnit::kCount:
      return "count";
    case FieldUnit::kNumber:
      return "number";
    case FieldUnit::kGeneration:
      return "name";
  }
  return "";
}

Json budgets_json(const space::Budgets& budgets) {
  Json json = Json::object();
  if (budgets.area) {
    json["area_mm2"] = budgets.area->value();
  }
  if (budgets.least_area) {
    json["least_area_share"] = budgets.least_area->share;
  }
  if (budgets.power) {
    json["power_w"] = budgets.power->value();
  }
  if (budgets.die_cost) {
    json["die_cost_usd"] = budgets.die_cost->value();
  }
  return json;
}

Json training_json(const space::TrainingChoices& training) {
  Json recompute = Json::array();
  for (const space::Recompute choice : training.recompute) {
    recompute.push_back(space::to_string(choice));
  }
  const auto sizes = [](const std::vector<Bytes>& list) {
    Json json = Json::array();
    for (const Bytes size : list) {
      json.push_back(size.value());
    }
    return json;
  };
  Json json = {{"microbatches", training.microbatches},
               {"recompute", recompute},
               {"tensor_widths", training.tensor_widths}};
  if (!training.hbm_capacities.empty()) {
    json["hbm_capacity_bytes"] = sizes(training.hbm_capacities);
  }
  if (!training.hbm_stack_capacities.empty()) {
    json["hbm_stack_capacity_bytes"] = sizes(training.hbm_stack_capacities);
  }
  return json;
}

Json headline_json(const Space& space) {
  return {{"name", space.name},
          {"title", space.title},
          {"base", space.base.name},
          {"technology", hw::to_string(space.technology)},
          {"combinations", space::combinations(space)},
          {"budgets", budgets_json(space.budgets)},
          {"training", training_json(space.training)}};
}

}  // namespace

std::string write_space_count(const Space& space, const space::SpaceCount& count) {
  Json json = {{"schema", 1}};
  json.update(headline_json(space));
  json["chips"] = count.chips;
  Json removed = Json::object();
  for (std::size_t i = 0; i < space::kLimits; ++i) {
    removed[std::string(space::to_string(static_cast<space::Limit>(i)))] = count.removed[i];
  }
  json["removed"] = removed;
  Json axes = Json::array();
  for (std::size_t i = 0; i < space.axes.size(); ++i) {
    const space::Axis& axis = space.axes[i];
    Json values = Json::array();
    for (const double value : axis.values) {
      values.push_back(value_json(axis.field, value));
    }
    const space::Growth growth = space::growth_of(space, axis);
    axes.push_back({{"field", space::traits(axis.field).path},
                    {"unit", unit_name(axis.field)},
                    {"values", values},
                    {"chips", count.by_value[i]},
                    {"never_slower", growth.never_slower},
                    {"reason", growth.reason}});
  }
  json["axes"] = axes;
  json["source"] = space.source;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string write_spaces(const std::vector<Space>& spaces) {
  Json list = Json::array();
  for (const Space& space : spaces) {
    Json json = headline_json(space);
    json["source"] = space.source;
    list.push_back(json);
  }
  return list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace phaze::io
