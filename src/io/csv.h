#pragma once
// Comma-separated text line by line, cells with their places. Inside io/ only.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phaze::io {

struct CsvCell {
  std::string text;  // without quotes and the blanks around it
  int column = 0;    // of its first character, from 1
};

struct CsvFault {
  int column = 0;
  std::string message;
};

// Lines end with \n, \r\n or \r; blank ones and those that start with # are skipped. A cell in
// quotes may hold commas and doubled quotes; it ends on its line, and one that does not is the last
// thing that is read. The text is UTF-8 and must outlive this.
class CsvLines {
 public:
  explicit CsvLines(std::string_view text);

  // Goes to the next line that holds cells; false when there is none.
  bool next();

  int line() const { return line_; }  // from 1
  const std::vector<CsvCell>& cells() const { return cells_; }
  int end_column() const { return end_column_; }  // after the last character
  // What is wrong with the quotes of the line; its cells are then not all there.
  const std::optional<CsvFault>& fault() const { return fault_; }

 private:
  std::string_view take_line();
  void split(std::string_view line);

  std::string_view rest_;
  int line_ = 0;
  int end_column_ = 0;
  std::vector<CsvCell> cells_;
  std::optional<CsvFault> fault_;
};

}  // namespace phaze::io
