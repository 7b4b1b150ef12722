#include "report/reproduce_report.h"

#include "base/text.h"
#include "report/reproduce_sections.h"
#include "report/table.h"

namespace phaze::report {
namespace {

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) {
    text += " " + cell + " |";
  }
  return text + "\n";
}

std::string markdown_grid(const ReproductionSection& section) {
  std::string text = markdown_row(section.titles) + "|---|";
  for (std::size_t i = 1; i < section.titles.size(); ++i) {
    text += "---:|";
  }
  text += "\n";
  for (const std::vector<std::string>& row : section.rows) {
    text += markdown_row(row);
  }
  return text;
}

std::string table_of(const ReproductionSection& section) {
  std::vector<Table::Column> columns;
  for (const std::string& title : section.titles) {
    columns.push_back({title, columns.empty() ? Align::kLeft : Align::kRight});
  }
  Table table(columns);
  for (const std::vector<std::string>& row : section.rows) {
    table.add_row(row);
  }
  return table.to_string(2);
}

}  // namespace

std::string reproduction_text(const plan::Reproduction& reproduction) {
  std::string text;
  for (const ReproductionSection& section : make_sections(reproduction)) {
    text += (text.empty() ? "" : "\n") + section.heading + "\n";
    for (const std::string& paragraph : section.before) {
      text += paragraph + "\n";
    }
    if (!section.titles.empty()) {
      text += "\n" + table_of(section);
    }
    text += section.after.empty() ? "" : "\n";
    for (const std::string& line : section.after) {
      text += "  - " + line + "\n";
    }
  }
  return text;
}

std::string reproduction_markdown(const plan::Reproduction& reproduction) {
  std::string text =
      "# The paper's evaluation, run again\n\n"
      "Printed by `phaze reproduce --write FILE`; nothing here is typed by hand.\n";
  for (const ReproductionSection& section : make_sections(reproduction)) {
    text += "\n## " + section.heading + "\n";
    for (const std::string& paragraph : section.before) {
      text += "\n" + paragraph + "\n";
    }
    if (!section.titles.empty()) {
      text += "\n" + markdown_grid(section);
    }
    text += section.after.empty() ? "" : "\n";
    for (const std::string& line : section.after) {
      text += "- " + line + "\n";
    }
  }
  return text;
}

}  // namespace phaze::report
