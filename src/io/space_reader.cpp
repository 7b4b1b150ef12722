#include "io/space_reader.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "io/map_reader.h"
#include "io/space_values.h"

namespace phaze::io {
namespace {

using space::Field;
using space::Space;

constexpr std::int64_t kMostCombinations = 1'000'000'000;  // all are looked at

class SpaceReader {
 public:
  SpaceReader(const Value& document, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), top_(document, diagnostics) {}

  Space read(const std::string& name, const BaseLoader& load_base) {
    space_.name = name;
    space_.title = top_.text("title", "");
    space_.source = top_.text("source", "");
    static_cast<void>(top_.text("note", ""));
    space_.technology = top_.choice<hw::Technology>("technology", hw::Technology::kModern,
                                                    hw::parse_technology, {"modern", "phaze22"});
    read_base(load_base);
    read_axes();
    read_ties();
    for (const Value& item : top_.list("filters", "a list of filters")) {
      if (const auto filter = read_filter(item, diagnostics_)) {
        space_.filters.push_back(*filter);
      }
    }
    read_budgets();
    read_training();
    top_.finish();
    return std::move(space_);
  }

 private:
  void read_base(const BaseLoader& load_base) {
    const Value* base = top_.find("base");
    if (base == nullptr) {
      top_.error("base", "this key is required: expected a chip's name, file or description");
      return;
    }
    if (base->kind != ValueKind::kText && base->kind != ValueKind::kMap) {
      diagnostics_.error(base->where,
                         "expected a chip's name, file or description, found " + describe(*base));
      return;
    }
    if (auto chip = load_base(*base, space_.technology)) {
      space_.base = std::move(*chip);
    }
  }

  void read_axes() {
    const Value* axes = top_.child("axes");
    if (axes == nullptr || axes->members.empty()) {
      if (axes != nullptr || !top_.has("axes")) {
        top_.error("axes", "expected at least one field with its values");
      }
      return;
    }
    double product = 1;
    for (const auto& [path, value] : axes->members) {
      const auto field = read_field(path, value.where, diagnostics_);
      std::vector<double> values;
      if (field) {
        values = read_axis_values(*field, value, diagnostics_);
      }
      if (!values.empty()) {
        product *= static_cast<double>(values.size());
        space_.axes.push_back({*field, std::move(values)});
      }
    }
    if (product > static_cast<double>(kMostCombinations)) {
      diagnostics_.error(axes->where, "more than " + with_thousands(kMostCombinations) + " chips");
    }
    check_once(Field::kHbmBandwidth, Field::kHbmStackBandwidth, *axes);
  }

  // Two axes that say the same.
  void check_once(Field one, Field other, const Value& axes) {
    if (space::find_axis(space_, one) != nullptr && space::find_axis(space_, other) != nullptr) {
      diagnostics_.error(axes.where, std::string(space::traits(one).path) + " and " +
                                         std::string(space::traits(other).path) +
                                         " say the same in two ways");
    }
  }

  void read_ties() {
    const Value* ties = top_.child("ties");
    if (ties == nullptr) {
      return;
    }
    for (const auto& [path, value] : ties->members) {
      const auto field = read_field(path, value.where, diagnostics_);
      if (!field) {
        continue;
      }
      if (space::find_axis(space_, *field) != nullptr) {
        diagnostics_.error(value.where, "is an axis already: it cannot follow another");
        continue;
      }
      if (const auto tie = read_tie(*field, value, space_.axes, diagnostics_)) {
        space_.ties.push_back(*tie);
      }
    }
  }

  void read_budgets() {
    const Value* budgets = top_.child("budgets");
    if (budgets == nullptr) {
      return;
    }
    MapReader map(*budgets, diagnostics_);
    if (const auto area = map.optional_quantity("area", Dimension::kArea)) {
      space_.budgets.area = SquareMillimetres(*area);
    }
    if (const auto power = map.optional_quantity("power", Dimension::kPower)) {
      space_.budgets.power = Watts(*power);
    }
    if (const auto cost = map.optional_quantity("die_cost", Dimension::kMoney)) {
      space_.budgets.die_cost = Dollars(*cost);
    }
    if (const Value* least = map.child("least_area")) {
      if (!map.has("area") && !map.has("area_mm2")) {
        diagnostics_.error(least->where, "a share of the area budget, which is not given");
      }
      MapReader inner(*least, diagnostics_);
      space::LeastArea rule;
      rule.share = inner.number("share", std::nullopt, Bounds{0, 1, false});
      for (const Value& item : inner.list("unless_one", "a list of fields")) {
        if (const auto field = read_field(item.text, item.where, diagnostics_)) {
          rule.unless_one.push_back(*field);
        }
      }
      inner.finish();
      space_.budgets.least_area = rule;
    }
    map.finish();
  }

  // Ascending whole numbers; `otherwise` where they are left out.
  std::vector<std::int64_t> counts(MapReader& map, const std::string& key,
                                   std::vector<std::int64_t> otherwise) {
    constexpr std::int64_t kMost = 1 << 20;
    if (!map.has(key)) {
      static_cast<void>(map.find(key));
      return otherwise;
    }
    std::vector<std::int64_t> values;
    for (const Value& item : map.full_list(key, "a list of whole numbers", "whole number")) {
      const std::int64_t before = values.empty() ? 0 : values.back();
      if (item.kind != ValueKind::kInteger || item.integer <= before || item.integer > kMost) {
        diagnostics_.error(item.where, "expected ascending whole numbers from 1 to " +
                                           std::to_string(kMost) + ", found " + describe(item));
        return values;
      }
      values.push_back(item.integer);
    }
    return values;
  }

  std::vector<Bytes> sizes(MapReader& map, const std::string& key) {
    std::vector<Bytes> values;
    for (const Value& item : map.list(key, "a list of sizes")) {
      const auto bytes = item.kind == ValueKind::kText
                             ? parse_quantity(item.text, Dimension::kBytes)
                             : std::nullopt;
      const double before = values.empty() ? 0 : static_cast<double>(values.back().value());
      constexpr double kMost = 1e15;
      if (!bytes || *bytes <= before || *bytes > kMost) {
        diagnostics_.error(item.where,
                           "expected ascending sizes such as \"64 GiB\", found " + describe(item));
        return values;
      }
      values.push_back(Bytes(std::llround(*bytes)));
    }
    return values;
  }

  void read_training() {
    static const Value empty = [] {
      Value value;
      value.kind = ValueKind::kMap;
      return value;
    }();
    const Value* given = top_.child("training");
    MapReader map(given != nullptr ? *given : empty, diagnostics_);
    space::TrainingChoices& training = space_.training;
    training.microbatches = counts(map, "microbatches", {1, 2, 4, 8, 16, 32, 64});
    training.tensor_widths = counts(map, "tensor_widths", {1, 2, 4, 8});
    for (const Value& item : map.list("recompute", "a list of none, selective and full")) {
      const auto choice = space::parse_recompute(item.text);
      if (!choice || std::ranges::count(training.recompute, *choice) > 0) {
        diagnostics_.error(item.where, "expected none, selective or full, each once, found " +
                                           describe(item) +
                                           did_you_mean(item.text, {"none", "selective", "full"}));
        continue;
      }
      training.recompute.push_back(*choice);
    }
    if (training.recompute.empty()) {
      training.recompute = {space::Recompute::kNone, space::Recompute::kSelective,
                            space::Recompute::kFull};
    }
    training.hbm_capacities = sizes(map, "hbm_capacity");
    training.hbm_stack_capacities = sizes(map, "hbm_stack_capacity");
    if (!training.hbm_capacities.empty() && !training.hbm_stack_capacities.empty()) {
      map.error("hbm_capacity", "given twice: for each stack and for all");
    }
    map.finish();
  }

  Diagnostics& diagnostics_;
  MapReader top_;
  Space space_;
};

}  // namespace

std::optional<Space> read_space(const Value& document, const std::string& name,
                                const BaseLoader& load_base, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  Space space = SpaceReader(document, diagnostics).read(name, load_base);
  return diagnostics.error_count() == before ? std::optional(std::move(space)) : std::nullopt;
}

}  // namespace phaze::io
