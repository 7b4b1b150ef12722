#include "cli/search_table.h"

#include <algorithm>

#include "hw/cost.h"
#include "hw/figures.h"
#include "space/chips.h"

namespace phaze::cli {
namespace {

using plan::DataCell;
using search::Combination;
using search::Objective;
using search::SearchQuestion;

std::string unit_suffix(space::FieldUnit unit) {
  switch (unit) {
    case space::FieldUnit::kBytes:
      return "_bytes";
    case space::FieldUnit::kHertz:
      return "_hz";
    case space::FieldUnit::kBytesPerSecond:
      return "_bytes_per_s";
    case space::FieldUnit::kCount:
    case space::FieldUnit::kNumber:
    case space::FieldUnit::kGeneration:
      break;
  }
  return "";
}

// "tensor_cores_count", "global_buffer_size_bytes".
std::string axis_column(const space::Axis& axis) {
  std::string name(space::traits(axis.field).path);
  std::ranges::replace(name, '.', '_');
  return name + unit_suffix(space::traits(axis.field).unit);
}

// How a search settled a chip.
struct Settled {
  std::string state = "open";
  std::optional<double> value, bound;
  std::string dominator;
};

Settled settled_of(const SearchQuestion& question, const search::SearchAnswer& answer,
                   const search::CoSearchAnswer& found, std::size_t chip) {
  const search::ChipOutcome& outcome = found.outcomes[chip];
  switch (outcome.state) {
    case search::ChipState::kEvaluated:
      return {"evaluated", outcome.value, std::max(outcome.value, outcome.most), ""};
    case search::ChipState::kExcluded:
      return {"excluded", std::nullopt, outcome.value, ""};
    case search::ChipState::kDominated: {
      const search::ChipOutcome& above = found.outcomes[outcome.dominator];
      return {"dominated", std::nullopt, std::max(above.value, above.most),
              search_chip_id(question, answer.chips[outcome.dominator])};
    }
  }
  return {};
}

// A chip with what each search says of it: first the one that the answer is of, then the models'
// own where there are several.
struct Row {
  search::SearchChip chip;
  std::size_t number = 0;  // in the known values
  std::vector<Settled> settled;
};

std::vector<const search::CoSearchAnswer*> searches_of(const SearchQuestion& question,
                                                       const search::SearchAnswer& answer) {
  std::vector<const search::CoSearchAnswer*> all;
  if (question.models.size() > 1) {
    all.push_back(answer.common ? &*answer.common : nullptr);
  }
  for (std::size_t i = 0; i < question.models.size(); ++i) {
    all.push_back(i < answer.own.size() ? &answer.own[i] : nullptr);
  }
  return all;
}

std::vector<Row> rows_of_listed(const SearchQuestion& question,
                                const search::SearchAnswer& answer) {
  std::vector<Row> rows;
  const auto searches = searches_of(question, answer);
  for (std::size_t i = 0; i < answer.chips.size(); ++i) {
    Row row{answer.chips[i], i, {}};
    for (const search::CoSearchAnswer* found : searches) {
      // What a search that was stopped has not settled looks like what it excluded.
      const bool is_known =
          found != nullptr &&
          (found->is_complete || found->outcomes[i].state == search::ChipState::kEvaluated);
      row.settled.push_back(is_known ? settled_of(question, answer, *found, i) : Settled());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Of a large space: points that were looked at one by one.
std::vector<Row> rows_of_large(const SearchQuestion& question, const search::SearchAnswer& answer) {
  std::map<std::pair<std::int64_t, Bytes>, Row> rows;
  const std::size_t count = question.models.size() + (question.models.size() > 1 ? 1 : 0);
  const bool has_prices = question.objective != Objective::kThroughput;
  for (std::size_t i = 0; i < answer.sets.size(); ++i) {
    const bool is_common = i == question.models.size();
    const std::size_t column = count == 1 || is_common ? 0 : i + 1;
    for (const search::PointOutcome& outcome : answer.sets[i].outcomes) {
      const Bytes memory(has_prices && !outcome.rank.empty()
                             ? static_cast<std::int64_t>(outcome.rank.front())
                             : 0);
      Row& row = rows[{outcome.index, memory}];
      row.chip = {outcome.index, memory > Bytes() ? std::optional(memory) : std::nullopt};
      row.number = static_cast<std::size_t>(outcome.index);
      row.settled.resize(count);
      row.settled[column] = outcome.is_exact ? Settled{"evaluated", outcome.value,
                                                       std::max(outcome.value, outcome.most), ""}
                                             : Settled{"excluded", std::nullopt, outcome.most, ""};
    }
  }
  std::vector<Row> list;
  list.reserve(rows.size());
  for (auto& [key, row] : rows) {
    list.push_back(std::move(row));
  }
  return list;
}

using Cells = std::vector<DataCell>;

template <class Value>
void put(Cells& cells, const std::optional<Value>& value) {
  if (value) {
    cells.emplace_back(*value);
  } else {
    cells.emplace_back();
  }
}
void put(Cells& cells, const std::string& text) {
  put(cells, text.empty() ? std::nullopt : std::optional(text));
}

std::vector<std::string> columns_of(const SearchQuestion& question) {
  std::vector<std::string> columns = {"chip", "index"};
  for (const space::Axis& axis : question.space.axes) {
    columns.push_back(axis_column(axis));
  }
  const std::string unit =
      value_unit(question.objective, question.combination, question.models.size());
  for (const std::string& name :
       {std::string("hbm_bytes"), std::string("area_mm2"), std::string("tdp_w"),
        std::string("build_cost_usd"), std::string("embodied_carbon_kg"), std::string("state"),
        "value_" + unit, "bound_" + unit, std::string("dominated_by")}) {
    columns.push_back(name);
  }
  for (const search::SearchModel& model : question.models) {
    if (question.models.size() > 1) {
      columns.push_back("state_" + model.name);
      columns.push_back("dominated_by_" + model.name);
    }
    columns.push_back(throughput_key(model.name));
    columns.push_back(bound_key(model.name));
    columns.push_back(memory_key(model.name));
  }
  return columns;
}

void add_chip(const SearchQuestion& question, const Row& row, Bytes memory, Cells& cells) {
  cells.emplace_back(search_chip_id(question, row.chip));
  cells.emplace_back(row.chip.index);
  std::int64_t stride = space::combinations(question.space);
  for (const space::Axis& axis : question.space.axes) {
    const auto size = static_cast<std::int64_t>(axis.values.size());
    stride /= size;
    const double value = axis.values[static_cast<std::size_t>(row.chip.index / stride % size)];
    if (space::traits(axis.field).unit == space::FieldUnit::kGeneration) {
      cells.emplace_back(space::value_text(axis.field, value));
    } else {
      cells.emplace_back(value);
    }
  }
  hw::Chip made = make_chip(question, row.chip);
  if (memory > Bytes() && !row.chip.memory) {
    made = search::with_memory(made, memory);
  }
  const bool has_memory = memory > Bytes() || row.chip.memory;
  const hw::ChipFigures figures = hw::compute_figures(made, question.space.technology).value();
  const auto where_known = [&](auto value) {
    return has_memory ? std::optional(value) : std::nullopt;
  };
  put(cells, where_known(hw::hbm_capacity(made).value()));
  cells.emplace_back(figures.area.value());
  cells.emplace_back(figures.tdp.value());
  put(cells, where_known(hw::total(figures.cost).value()));
  put(cells, where_known(hw::total(figures.carbon).value()));
}

}  // namespace

plan::DataTable make_search_table(const SearchQuestion& question,
                                  const search::SearchAnswer& answer, const KnownValues& values) {
  plan::DataTable table;
  table.columns = columns_of(question);
  const bool is_large = !answer.sets.empty();
  const bool has_several = question.models.size() > 1;
  for (const Row& row :
       is_large ? rows_of_large(question, answer) : rows_of_listed(question, answer)) {
    const auto known = values.find(row.number);
    const auto value_of = [&](std::size_t model) {
      return known != values.end() ? known->second[model] : std::optional<search::ChipValue>();
    };
    Bytes memory;  // that all plans on the chip take, where they are known
    for (std::size_t i = 0; i < question.models.size(); ++i) {
      const auto value = value_of(i);
      memory = std::max(memory, value && value->is_exact ? value->memory : Bytes());
    }
    Cells cells;
    add_chip(question, row, memory, cells);
    const Settled& first = row.settled.front();
    cells.emplace_back(first.state);
    put(cells, first.value);
    put(cells, first.bound);
    put(cells, first.dominator);
    for (std::size_t i = 0; i < question.models.size(); ++i) {
      if (has_several) {
        cells.emplace_back(row.settled[i + 1].state);
        put(cells, row.settled[i + 1].dominator);
      }
      const std::optional<search::ChipValue> value = value_of(i);
      const bool is_exact = value && value->is_exact;
      if (!value && !has_several && first.value) {  // large spaces with prices keep no more of it
        const double price = price_of(question, make_chip(question, row.chip));
        put(cells, std::optional(*first.value * price));
        put(cells, std::optional(first.bound.value() * price));
        put(cells, std::optional(hw::hbm_capacity(make_chip(question, row.chip)).value()));
        continue;
      }
      put(cells, is_exact ? std::optional(value->throughput) : std::nullopt);
      put(cells, value ? std::optional(value->most) : std::nullopt);
      put(cells, is_exact && value->memory > Bytes() ? std::optional(value->memory.value())
                                                     : std::nullopt);
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace phaze::cli
