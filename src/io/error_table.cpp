#include "io/error_table.h"

#include <charconv>
#include <cmath>

#include "base/text.h"
#include "io/csv.h"

namespace phaze::io {
namespace {

constexpr const char* kHeader = "machine,regime,runs,largest_devices,low,median,high";
constexpr std::size_t kColumns = 7;
constexpr const char* kAll = "any";

template <class T>
bool parse(const std::string& text, T& value) {
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && last == end && value > 0;
}

// Five digits are more than the errors of few runs know.
std::string ratio_text(double value) { return shortest(std::round(value * 1e5) / 1e5); }

}  // namespace

std::string write_error_table(const std::vector<plan::ErrorQuantiles>& table,
                              const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) {
    text += "# " + note + "\n";
  }
  text += std::string(kHeader) + "\n";
  for (const plan::ErrorQuantiles& row : table) {
    text += row.machine + "," + (row.regime ? std::string(to_string(*row.regime)) : kAll) + "," +
            std::to_string(row.runs) + "," + std::to_string(row.largest_devices) + "," +
            ratio_text(row.low) + "," + ratio_text(row.median) + "," + ratio_text(row.high) + "\n";
  }
  return text;
}

std::optional<std::vector<plan::ErrorQuantiles>> read_error_table(std::string_view text,
                                                                  const std::string& source,
                                                                  Diagnostics& diagnostics) {
  CsvLines lines(text);
  const auto fault = [&](int column, const std::string& message) {
    diagnostics.error({source, std::max(1, lines.line()), column, ""}, message);
    return std::nullopt;
  };
  std::string header;
  if (lines.next()) {
    for (const CsvCell& cell : lines.cells()) {
      header += (header.empty() ? "" : ",") + cell.text;
    }
  }
  if (header != kHeader) {
    return fault(1, "expected the header " + std::string(kHeader));
  }
  std::vector<plan::ErrorQuantiles> table;
  while (lines.next()) {
    const std::vector<CsvCell>& cells = lines.cells();
    if (lines.fault() || cells.size() != kColumns) {
      return fault(1, "expected " + std::to_string(kColumns) + " cells");
    }
    plan::ErrorQuantiles row;
    row.machine = cells[0].text;
    row.regime = plan::parse_regime(cells[1].text);
    if (!row.regime && cells[1].text != kAll) {
      return fault(cells[1].column, "expected compute, memory, launch, network or any");
    }
    if (!parse(cells[2].text, row.runs) || !parse(cells[3].text, row.largest_devices) ||
        !parse(cells[4].text, row.low) || !parse(cells[5].text, row.median) ||
        !parse(cells[6].text, row.high) || row.low > row.median || row.median > row.high) {
      return fault(cells[2].column, "expected counts above 0 and ratios from low to high");
    }
    table.push_back(std::move(row));
  }
  return table;
}

}  // namespace phaze::io
