#include "cli/search_rows.h"

#include <algorithm>
#include <utility>

#include "hw/cost.h"
#include "hw/figures.h"

namespace phaze::cli {

std::string throughput_key(const std::string& model) {
  return "throughput_" + model + "_sequences_per_s";
}
std::string bound_key(const std::string& model) { return "bound_" + model + "_sequences_per_s"; }
std::string most_key(const std::string& model) { return "most_" + model + "_sequences_per_s"; }
std::string memory_key(const std::string& model) { return "hbm_" + model + "_bytes"; }
std::string nodes_key(const std::string& model) { return "schedules_" + model + "_nodes"; }
std::string tensor_key(const std::string& model) { return "tensor_" + model + "_devices"; }
std::string microbatch_key(const std::string& model) {
  return "microbatch_" + model + "_sequences";
}

std::string value_unit(search::Objective objective, search::Combination combination,
                       std::size_t models) {
  const bool is_relative = models > 1 && combination != search::Combination::kRaw;
  std::string amount = !is_relative                                 ? "sequences"
                       : combination == search::Combination::kWorst ? "share_of_own_best"
                                                                    : "times_reference";
  switch (objective) {
    case search::Objective::kThroughput:
      return amount + (is_relative ? "" : "_per_s");
    case search::Objective::kPerWatt:
      return amount + (is_relative ? "_per_w" : "_per_joule");
    case search::Objective::kPerDollar:
      return amount + (is_relative ? "_per_usd_per_s" : "_per_usd");
    case search::Objective::kPerCarbon:
      return amount + (is_relative ? "_per_kg_per_s" : "_per_kg");
  }
  return amount;
}

ChipValues line_up(const KnownValues& known, const search::SearchQuestion& question,
                   const search::SearchAnswer& answer, bool is_large) {
  ChipValues values;
  for (std::size_t i = 0; i < answer.chips.size(); ++i) {
    const auto found = known.find(is_large ? static_cast<std::size_t>(answer.chips[i].index) : i);
    values.push_back(found != known.end() ? found->second
                                          : ChipValues::value_type(question.models.size()));
  }
  return values;
}

plan::ChipRow row_of(const search::SearchQuestion& question, const search::SearchChip& chip,
                     std::size_t number,
                     const std::vector<std::optional<search::ChipValue>>& values) {
  plan::ChipRow row;
  row.chip = static_cast<std::int64_t>(number);
  row.id = search::search_chip_id(question, chip);
  bool is_exact = true;
  for (std::size_t i = 0; i < question.models.size(); ++i) {
    const std::string& name = question.models[i].name;
    const std::optional<search::ChipValue>& value = values[i];
    if (!value) {
      is_exact = false;
    } else if (value->is_exact) {
      row.metrics[throughput_key(name)] = value->throughput;
      row.metrics[most_key(name)] = value->most;
      row.metrics[memory_key(name)] = static_cast<double>(value->memory.value());
      if (value->nodes > 0) {
        row.metrics[nodes_key(name)] = static_cast<double>(value->nodes);
        row.metrics[tensor_key(name)] = static_cast<double>(value->tensor);
        row.metrics[microbatch_key(name)] = static_cast<double>(value->microbatch);
      }
    } else {
      row.metrics[bound_key(name)] = value->throughput;
      is_exact = false;
    }
  }
  // With the memory that the plans take, where they are known.
  Bytes memory;
  for (const std::optional<search::ChipValue>& value : values) {
    memory = std::max(memory, value && value->is_exact ? value->memory : Bytes());
  }
  hw::Chip made = search::make_chip(question, chip);
  const double price = search::price_of(question, made);
  if (is_exact && memory > Bytes() && !chip.memory) {
    made = search::with_memory(made, memory);
  }
  const hw::ChipFigures figures = hw::compute_figures(made, question.space.technology).value();
  row.metrics["area_mm2"] = figures.area.value();
  row.metrics["tdp_w"] = figures.tdp.value();
  row.metrics["build_cost_usd"] = hw::total(figures.cost).value();
  row.state = is_exact ? plan::ChipState::kEvaluated : plan::ChipState::kExcluded;
  if (question.models.size() == 1 && values[0]) {
    const double value = values[0]->throughput / price;
    if (is_exact && value > 0) {
      row.value = value;
    } else if (!is_exact) {
      row.bound = value;
    }
  }
  return row;
}

std::vector<plan::ChipRow> settled_rows(const search::SearchQuestion& question,
                                        const std::vector<search::SearchChip>& chips,
                                        const ChipValues& values,
                                        const search::CoSearchAnswer& found) {
  std::vector<plan::ChipRow> rows;
  for (std::size_t chip = 0; chip < found.outcomes.size(); ++chip) {
    const search::ChipOutcome& outcome = found.outcomes[chip];
    plan::ChipRow row = row_of(question, chips[chip], chip, values[chip]);
    switch (outcome.state) {
      case search::ChipState::kEvaluated:
        row.state = plan::ChipState::kEvaluated;
        row.value = outcome.value > 0 ? std::optional(outcome.value) : std::nullopt;
        row.bound.reset();
        break;
      case search::ChipState::kExcluded:
        row.state = plan::ChipState::kExcluded;
        row.value.reset();
        row.bound = outcome.value;
        break;
      case search::ChipState::kDominated:
        row.state = plan::ChipState::kDominated;
        row.value.reset();
        row.bound = outcome.value;
        row.witness = static_cast<std::int64_t>(outcome.dominator);
        break;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace phaze::cli
