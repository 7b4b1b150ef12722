#pragma once
// The columns of a table of measured operators, and its rows as cells by column. Inside io/ only.

#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "io/csv.h"

namespace phaze::io {

enum class Column {
  kKind,
  kPass,
  kType,
  kShape,
  kM,
  kN,
  kK,
  kBatch,
  kRows,
  kCols,
  kKvHeads,
  kKeys,
  kCausal,
  kWindow,
  kTimeS,
  kTimeMs,
  kTimeUs,
};
inline constexpr std::size_t kColumns = 17;

const char* name_of(Column column);

struct TimeUnit {
  Column column = Column::kTimeS;
  double seconds = 1;
};

// "abc" in quotes, shortened; "nothing" for an empty text.
std::string quoted(std::string_view text);

class MeasuredLines {
 public:
  struct Place {
    int line = 0, column = 0;
  };

  MeasuredLines(std::string_view text, const std::string& source, Diagnostics& diagnostics)
      : lines_(text), source_(source), diagnostics_(diagnostics) {}

  // Whether rows can be read by it.
  bool read_header();
  // Goes to the next row that has as many cells as the header.
  bool next_row();
  // Whether there was no fault.
  bool finish();

  bool has_column(Column column) const;
  const TimeUnit& time() const { return time_; }

  int line() const { return lines_.line(); }
  // Of the row; nothing when it is empty or has no column.
  const CsvCell* cell(Column column) const;

  // All are counted, the first twenty reported.
  void fault(Place place, const std::string& key, const std::string& message);
  void fault(Column column, const CsvCell& cell, const std::string& message);
  // Of a value that is missing: at the beginning of the line.
  void fault_missing(Column column, const std::string& message);
  std::size_t faults() const { return faults_; }

 private:
  void read_name(const CsvCell& given, std::size_t at);
  bool has_required_columns();
  void find_time();
  bool find_group(std::initializer_list<Column> columns);
  bool has_all_cells();

  CsvLines lines_;
  std::string source_;
  Diagnostics& diagnostics_;
  std::size_t faults_ = 0;
  int header_line_ = 0;
  std::size_t header_cells_ = 0;
  std::size_t rows_ = 0;
  std::array<std::optional<std::size_t>, kColumns> position_;
  TimeUnit time_;
};

}  // namespace phaze::io
