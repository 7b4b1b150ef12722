#include "study/summary.h"

#include <algorithm>
#include <set>

#include "study/excluded.h"

namespace phaze::study {
namespace {

using plan::ChipRow;
using plan::ChipState;
using plan::StudyRecord;

// Rows that lie in ranges; both are by number.
std::int64_t count_covered(const StudyRecord& record) {
  std::int64_t covered = 0;
  auto range = record.excluded.begin();
  for (const ChipRow& row : record.chips) {
    while (range != record.excluded.end() && range->last < row.chip) {
      ++range;
    }
    covered += range != record.excluded.end() && range->first <= row.chip ? 1 : 0;
  }
  return covered;
}

plan::StudyCounts count(const StudyRecord& record) {
  plan::StudyCounts counts;
  counts.total = record.question.chips_total;
  for (const ChipRow& row : record.chips) {
    switch (row.state) {
      case ChipState::kEvaluated:
        ++counts.evaluated;
        counts.without_plan += row.value ? 0 : 1;
        break;
      case ChipState::kExcluded:
        ++counts.excluded;
        break;
      case ChipState::kDominated:
        ++counts.dominated;
        break;
    }
  }
  for (const plan::ExcludedChips& range : record.excluded) {
    counts.excluded += range.last - range.first + 1;
  }
  counts.excluded -= count_covered(record);
  counts.settled = counts.evaluated + counts.excluded + counts.dominated;
  return counts;
}

// The best `top` chips with a value.
std::vector<std::size_t> rank(const std::vector<ChipRow>& rows, std::size_t top) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].state == ChipState::kEvaluated && rows[i].value) {
      order.push_back(i);
    }
  }
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(std::min(top, order.size()));
  std::partial_sort(order.begin(), middle, order.end(), [&](std::size_t a, std::size_t b) {
    return *rows[a].value != *rows[b].value ? *rows[a].value > *rows[b].value : a < b;
  });
  order.erase(middle, order.end());
  return order;
}

std::optional<std::size_t> find_chip(const std::vector<ChipRow>& rows, std::int64_t chip) {
  const auto found = std::ranges::lower_bound(rows, chip, {}, &ChipRow::chip);
  return found != rows.end() && found->chip == chip
             ? std::optional(static_cast<std::size_t>(found - rows.begin()))
             : std::nullopt;
}

// Every chip is below its value, its bound or its witness, which is one of the others.
std::optional<double> bound_of(const StudyRecord& record, const plan::StudySummary& summary) {
  if (record.answer && record.answer->bound) {
    return record.answer->bound;
  }
  std::optional<double> bound;
  if (summary.counts.settled < summary.counts.total) {
    if (!record.open_bound) {
      return std::nullopt;
    }
    bound = record.open_bound;
  }
  for (const ChipRow& row : record.chips) {
    if (row.state != ChipState::kDominated) {
      bound = common_bound(bound, row.state == ChipState::kEvaluated ? row.value : row.bound);
    }
  }
  for (const plan::ExcludedChips& range : record.excluded) {
    bound = common_bound(bound, range.bound);
  }
  return bound;
}

std::vector<std::size_t> front_of(const std::vector<ChipRow>& rows, const plan::FrontAxes& axes) {
  struct Point {
    double first, second;  // less is better
    std::size_t row;
  };
  std::vector<Point> points;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto first = plan::figure_of(rows[i], axes[0].name);
    const auto second = plan::figure_of(rows[i], axes[1].name);
    if (rows[i].state == ChipState::kEvaluated && rows[i].value && first && second) {
      points.push_back(
          {axes[0].is_maximised ? -*first : *first, axes[1].is_maximised ? -*second : *second, i});
    }
  }
  std::ranges::sort(points, [](const Point& a, const Point& b) {
    return a.first != b.first     ? a.first < b.first
           : a.second != b.second ? a.second < b.second
                                  : a.row < b.row;
  });
  std::vector<std::size_t> front;
  std::optional<double> least;
  for (const Point& point : points) {
    if (!least || point.second < *least) {
      least = point.second;
      front.push_back(point.row);
    }
  }
  return front;
}

}  // namespace

plan::StudySummary summarize(const StudyRecord& record, std::size_t top,
                             const std::optional<plan::FrontAxes>& axes) {
  plan::StudySummary summary;
  summary.counts = count(record);
  summary.top = rank(record.chips, std::max<std::size_t>(top, 1));
  if (!summary.top.empty()) {
    summary.best = summary.top[0];
  }
  if (record.answer && record.answer->chip) {
    const auto found = find_chip(record.chips, *record.answer->chip);
    summary.best = found ? found : summary.best;
  }
  summary.bound = bound_of(record, summary);
  summary.axes = axes;
  if (axes) {
    summary.front = front_of(record.chips, *axes);
  }
  return summary;
}

plan::DataTable table_of(const std::vector<ChipRow>& rows, const std::string& unit) {
  std::set<std::string> names;
  for (const ChipRow& row : rows) {
    for (const auto& [name, value] : row.metrics) {
      names.insert(name);
    }
  }
  plan::DataTable table;
  const std::string suffix = unit.empty() ? "" : "_" + unit;
  table.columns = {"chip", "id", "state", "value" + suffix, "bound" + suffix, "witness"};
  table.columns.insert(table.columns.end(), names.begin(), names.end());
  const auto put = [](const auto& value, std::vector<plan::DataCell>& cells) {
    if (value) {
      cells.emplace_back(*value);
    } else {
      cells.emplace_back();
    }
  };
  for (const ChipRow& row : rows) {
    std::vector<plan::DataCell> cells;
    cells.reserve(table.columns.size());
    cells.emplace_back(row.chip);
    cells.emplace_back(row.id);
    cells.emplace_back(std::string(to_string(row.state)));
    put(row.value, cells);
    put(row.bound, cells);
    put(row.witness, cells);
    for (const std::string& name : names) {
      put(plan::figure_of(row, name), cells);
    }
    table.rows.push_back(std::move(cells));
  }
  return table;
}

}  // namespace phaze::study
