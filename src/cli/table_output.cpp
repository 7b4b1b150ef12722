#include "cli/table_output.h"

#include <algorithm>
#include <cmath>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "io/data_table.h"
#include "io/file_writer.h"
#include "report/study_report.h"

namespace phaze::cli {
namespace {

// Numbers to four significant digits, for people.
plan::DataTable rounded(plan::DataTable table) {
  constexpr int kDigits = 4;
  for (std::vector<plan::DataCell>& row : table.rows) {
    for (plan::DataCell& cell : row) {
      double* number = std::get_if<double>(&cell);
      if (number != nullptr && *number != 0 && std::isfinite(*number)) {
        const double scale = std::pow(10, kDigits - 1 - std::floor(std::log10(std::abs(*number))));
        // The smallest numbers have no such scale; they stay as they are.
        *number = std::isfinite(scale) ? std::round(*number * scale) / scale : *number;
      }
    }
  }
  return table;
}

}  // namespace

plan::DataTable without_empty_columns(const plan::DataTable& table) {
  plan::DataTable full;
  full.rows.resize(table.rows.size());
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const bool is_empty = std::ranges::all_of(table.rows, [column](const auto& row) {
      return std::holds_alternative<std::monostate>(row[column]);
    });
    if (!is_empty) {
      full.columns.push_back(table.columns[column]);
      for (std::size_t row = 0; row < table.rows.size(); ++row) {
        full.rows[row].push_back(table.rows[row][column]);
      }
    }
  }
  return full;
}

void check_output_files(const std::string& csv, const std::string& plot, const Inputs& inputs,
                        Diagnostics& diagnostics) {
  for (const auto& [option, path] : {std::pair("--csv", csv), std::pair("--plot", plot)}) {
    if (path.empty()) {
      continue;
    }
    if (const auto why = find_output_fault(path, inputs)) {
      diagnostics.error({"command line", 0, 0, option}, *why);
    } else {
      io::check_writable(path, diagnostics);
    }
  }
  if (!csv.empty() && csv == plot) {
    diagnostics.error({"command line", 0, 0, "--plot"}, "is --csv's own file");
  }
}

int show_table(const plan::DataTable& table, bool json, const std::string& csv) {
  if (!csv.empty()) {
    Diagnostics diagnostics;
    const HoldInterrupts hold;
    if (!io::write_text_file(csv, io::write_csv(table), diagnostics)) {
      return report_bad_input(diagnostics);
    }
  }
  return print(json ? io::write_table(table) : report::data_table_text(rounded(table)));
}

}  // namespace phaze::cli
