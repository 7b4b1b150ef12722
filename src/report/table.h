#pragma once
// Text tables whose columns line up.

#include <string>
#include <vector>

namespace phaze::report {

enum class Align { kLeft, kRight };

class Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  // As many cells as there are columns; missing ones at the end are empty. What a terminal would
  // not print (control characters in names from a file) is spelt out.
  void add_row(std::vector<std::string> cells);
  void add_rule() { rows_.push_back({}); }

  // Each line starts with `indent` spaces and has none at its end.
  std::string to_string(std::size_t indent) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;  // an empty one is a rule
};

}  // namespace phaze::report
