#include "io/measured_lines.h"

#include <algorithm>
#include <vector>

#include "base/plural.h"
#include "base/text.h"

namespace phaze::io {
namespace {

constexpr std::size_t kMaxRows = 1'000'000;
constexpr std::size_t kMostFaults = 20;

constexpr std::array<const char*, kColumns> kNames = {
    "kind", "pass",     "type", "shape",  "m",      "n",      "k",       "batch",  "rows",
    "cols", "kv_heads", "keys", "causal", "window", "time_s", "time_ms", "time_us"};

constexpr std::array<TimeUnit, 3> kTimeUnits = {
    {{Column::kTimeS, 1}, {Column::kTimeMs, 1e-3}, {Column::kTimeUs, 1e-6}}};

std::string unknown_column(const std::string& given) {
  if (given.empty()) {
    return "expected the name of a column, found nothing";
  }
  if (given.find_first_of(";\t|") != std::string::npos) {
    return "expected names of columns with commas between them, found " + quoted(given);
  }
  const std::vector<std::string> names(kNames.begin(), kNames.end());
  std::string hint = did_you_mean(given, names);
  if (hint.empty()) {
    for (const std::string& name : names) {
      hint += (hint.empty() ? "; known are " : ", ") + name;
    }
  }
  return "unknown column " + quoted(given) + hint;
}

}  // namespace

const char* name_of(Column column) { return kNames[static_cast<std::size_t>(column)]; }

std::string quoted(std::string_view text) {
  return text.empty() ? "nothing" : "\"" + shortened(text, 40) + "\"";
}

void MeasuredLines::fault(Place place, const std::string& key, const std::string& message) {
  if (++faults_ <= kMostFaults) {
    diagnostics_.error({source_, place.line, place.column, key}, message);
  }
}

void MeasuredLines::fault(Column column, const CsvCell& cell, const std::string& message) {
  fault({line(), cell.column}, name_of(column), message);
}

void MeasuredLines::fault_missing(Column column, const std::string& message) {
  fault({line(), 1}, name_of(column), message);
}

bool MeasuredLines::finish() {
  if (faults_ > kMostFaults) {
    diagnostics_.error(
        {source_, 0, 0, ""},
        counted(faults_ - kMostFaults, "more fault is not shown", "more faults are not shown"));
  }
  return faults_ == 0;
}

bool MeasuredLines::has_column(Column column) const {
  return position_[static_cast<std::size_t>(column)].has_value();
}

const CsvCell* MeasuredLines::cell(Column column) const {
  const std::optional<std::size_t> at = position_[static_cast<std::size_t>(column)];
  if (!at) {
    return nullptr;
  }
  const CsvCell& found = lines_.cells()[*at];
  return found.text.empty() ? nullptr : &found;
}

bool MeasuredLines::read_header() {
  if (!lines_.next()) {
    fault({1, 1}, "", "expected a header such as kind,shape,time_us, found nothing");
    return false;
  }
  header_line_ = line();
  if (lines_.fault()) {
    fault({line(), lines_.fault()->column}, "", lines_.fault()->message);
    return false;
  }
  header_cells_ = lines_.cells().size();
  for (std::size_t i = 0; i < header_cells_; ++i) {
    read_name(lines_.cells()[i], i);
  }
  return has_required_columns();
}

void MeasuredLines::read_name(const CsvCell& given, std::size_t at) {
  const auto found = std::ranges::find(kNames, given.text);
  if (found == kNames.end()) {
    fault({line(), given.column}, "", unknown_column(given.text));
    return;
  }
  auto& position = position_[static_cast<std::size_t>(found - kNames.begin())];
  if (position) {
    fault({line(), given.column}, given.text, "this column is there twice");
    return;
  }
  position = at;
}

void MeasuredLines::find_time() {
  bool is_found = false;
  for (const TimeUnit& unit : kTimeUnits) {
    if (!has_column(unit.column)) {
      continue;
    }
    if (is_found) {
      const std::size_t at = *position_[static_cast<std::size_t>(unit.column)];
      fault(unit.column, lines_.cells()[at],
            std::string("times are given twice: as ") + name_of(time_.column) + " and as " +
                name_of(unit.column));
      return;
    }
    time_ = unit;
    is_found = true;
  }
  if (!is_found) {
    fault({line(), 1}, "", "a column of times is required: expected time_s, time_ms or time_us");
  }
}

// Whether the columns are there; some without the others are a fault.
bool MeasuredLines::find_group(std::initializer_list<Column> columns) {
  const auto* const first =
      std::ranges::find_if(columns, [this](Column column) { return has_column(column); });
  if (first == columns.end()) {
    return false;
  }
  for (const Column column : columns) {
    if (!has_column(column)) {
      fault_missing(column, std::string("this column is required beside ") + name_of(*first));
    }
  }
  return true;
}

bool MeasuredLines::has_required_columns() {
  const std::size_t before = faults_;
  if (!has_column(Column::kKind)) {
    fault_missing(Column::kKind,
                  "this column is required: expected the name of an operator, such as product");
  }
  find_time();
  const bool has_products = find_group({Column::kM, Column::kN, Column::kK});
  const bool has_rows = find_group({Column::kRows, Column::kCols});
  if (!has_column(Column::kShape) && !has_products && !has_rows) {
    fault_missing(Column::kShape,
                  "this column is required, or m, n and k, or rows and cols instead");
  }
  return faults_ == before;
}

bool MeasuredLines::next_row() {
  while (lines_.next()) {
    if (++rows_ > kMaxRows) {
      fault({line(), 1}, "", "expected at most " + with_thousands(kMaxRows) + " rows, found more");
      return false;
    }
    if (lines_.fault()) {
      fault({line(), lines_.fault()->column}, "", lines_.fault()->message);
    } else if (has_all_cells()) {
      return true;
    }
  }
  if (rows_ == 0) {
    fault({header_line_, 1}, "",
          "expected rows of measured operators after the header, found none");
  }
  return false;
}

bool MeasuredLines::has_all_cells() {
  const std::vector<CsvCell>& cells = lines_.cells();
  if (cells.size() == header_cells_) {
    return true;
  }
  const bool has_more = cells.size() > header_cells_;
  fault({line(), has_more ? cells[header_cells_].column : lines_.end_column()}, "",
        "expected " + counted(header_cells_, "cell") + " as in the header on line " +
            std::to_string(header_line_) + ", found " + std::to_string(cells.size()));
  return false;
}

}  // namespace phaze::io
