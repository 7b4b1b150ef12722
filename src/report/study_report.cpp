#include "report/study_report.h"

#include <array>
#include <charconv>
#include <set>
#include <utility>
#include <variant>

#include "base/plural.h"
#include "base/text.h"
#include "report/schedule_lines.h"
#include "report/table.h"

namespace phaze::report {
namespace {

using plan::ChipRow;
using plan::StudyRecord;
using plan::StudySummary;

// Six significant digits.
std::string number_text(double value) {
  constexpr int kDigits = 6;
  std::array<char, 40> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                          std::chars_format::general, kDigits);
  return {digits.data(), end};
}

std::string maybe_number(const std::optional<double>& value) {
  return value ? number_text(*value) : "";
}

std::string state_line(const StudyRecord& record, const plan::StudyCounts& counts) {
  std::string text = record.answer             ? "finished: " + printable(record.answer->status)
                     : record.is_being_written ? "running"
                                               : "stopped";
  text +=
      ", " + with_thousands(counts.settled) + " of " + counted(counts.total, "chip") + " settled";
  if (counts.total > 0) {
    text += " (" +
            share_text(static_cast<double>(counts.settled) / static_cast<double>(counts.total)) +
            ")";
  }
  text += ": " + with_thousands(counts.evaluated) + " evaluated";
  if (counts.without_plan > 0) {
    text += " (" + with_thousands(counts.without_plan) + " without a plan)";
  }
  return text + ", " + with_thousands(counts.excluded) + " excluded by bounds, " +
         with_thousands(counts.dominated) + " dominated\n";
}

std::string question_text(const plan::StudyQuestion& question) {
  constexpr std::size_t kMost = 100;
  Table table({{"question"}, {""}});
  for (const auto& [part, text] : question.parts) {
    table.add_row({part, shortened(text, kMost)});
  }
  return question.parts.empty() ? "" : "\n" + table.to_string(2);
}

std::string best_text(const StudyRecord& record, const StudySummary& summary) {
  const std::string bound =
      summary.bound ? number_text(*summary.bound) : std::string("not known yet");
  if (!summary.best) {
    return "\nNo chip with a plan so far; bound " + bound + "\n";
  }
  const ChipRow& best = record.chips[*summary.best];
  std::string text = std::string(record.answer ? "\nBest" : "\nBest so far") + "  chip " +
                     with_thousands(best.chip) + ", " + printable(best.id) + ": " +
                     maybe_number(best.value) + "; bound " + bound;
  if (const auto gap = plan::gap_of(record, summary)) {
    text += *gap == 0 ? ", no chip is better" : ", at most " + share_text(*gap) + " better";
  }
  return text + "\n";
}

std::string rows_text(const StudyRecord& record, const std::vector<std::size_t>& rows) {
  std::set<std::string> names;
  for (const std::size_t row : rows) {
    for (const auto& [name, value] : record.chips[row].metrics) {
      names.insert(name);
    }
  }
  std::vector<Table::Column> columns = {
      {"chip", Align::kRight}, {"id", Align::kLeft}, {"value", Align::kRight}};
  for (const std::string& name : names) {
    columns.push_back({printable(name), Align::kRight});
  }
  Table table(std::move(columns));
  for (const std::size_t i : rows) {
    const ChipRow& row = record.chips[i];
    std::vector<std::string> cells = {std::to_string(row.chip), row.id, maybe_number(row.value)};
    for (const std::string& name : names) {
      cells.push_back(maybe_number(plan::figure_of(row, name)));
    }
    table.add_row(std::move(cells));
  }
  return table.to_string(2);
}

std::string front_text(const StudyRecord& record, const StudySummary& summary) {
  if (!summary.axes || summary.front.empty()) {
    return "";
  }
  std::string text = "\nFront of the evaluated chips,";
  for (const plan::FrontAxis& axis : *summary.axes) {
    text += std::string(text.back() == ',' ? "" : " and") +
            (axis.is_maximised ? " more " : " less ") + printable(axis.name);
  }
  text += " (chips that a bound on the value excludes are not looked at)\n";
  return text + rows_text(record, summary.front);
}

struct CellText {
  std::string operator()(std::monostate /*nothing*/) const { return ""; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return shortest(value); }
  std::string operator()(const std::string& text) const { return text; }
};

// Numbers line up at their ends.
Align alignment(const plan::DataTable& table, std::size_t column) {
  for (const std::vector<plan::DataCell>& row : table.rows) {
    if (std::holds_alternative<std::string>(row[column])) {
      return Align::kLeft;
    }
  }
  return Align::kRight;
}

}  // namespace

std::string study_text(const std::string& path, const StudyRecord& record,
                       const StudySummary& summary) {
  std::string text = printable(path) + ": " + state_line(record, summary.counts) +
                     question_text(record.question) + best_text(record, summary);
  if (!summary.top.empty()) {
    text += "\n" + rows_text(record, summary.top);
  }
  return text + front_text(record, summary);
}

std::string data_table_text(const plan::DataTable& table) {
  std::vector<Table::Column> columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    columns.push_back({printable(table.columns[i]), alignment(table, i)});
  }
  Table shown(std::move(columns));
  for (const std::vector<plan::DataCell>& row : table.rows) {
    std::vector<std::string> cells;
    cells.reserve(row.size());
    for (const plan::DataCell& cell : row) {
      cells.push_back(std::visit(CellText(), cell));
    }
    shown.add_row(std::move(cells));
  }
  return shown.to_string(0);
}

}  // namespace phaze::report
