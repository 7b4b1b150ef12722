#include "plan/study.h"

#include <cmath>

#include "base/names.h"

namespace phaze::plan {
namespace {

constexpr std::array kStates = {
    NameOf<ChipState>{ChipState::kEvaluated, "evaluated"},
    NameOf<ChipState>{ChipState::kExcluded, "excluded"},
    NameOf<ChipState>{ChipState::kDominated, "dominated"},
};
static_assert(is_in_order(kStates));

}  // namespace

std::string_view to_string(ChipState state) { return name_in(kStates, state); }

std::optional<ChipState> parse_chip_state(std::string_view name) { return find_in(kStates, name); }

std::optional<double> figure_of(const ChipRow& row, const std::string& name) {
  if (name == "value") {
    return row.value;
  }
  const auto found = row.metrics.find(name);
  return found == row.metrics.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> gap_of(const StudyRecord& record, const StudySummary& summary) {
  if (!summary.best || !summary.bound) {
    return std::nullopt;
  }
  const double value = record.chips[*summary.best].value.value_or(0);
  return value == 0 ? std::nullopt : std::optional((*summary.bound - value) / std::abs(value));
}

}  // namespace phaze::plan
