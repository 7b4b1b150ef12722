#include "support/documents.h"

#include <stdexcept>

namespace phaze::tests {

io::Value parse(const std::string& text, const std::string& source) {
  Diagnostics diagnostics;
  std::optional<io::Value> value = io::parse_document(text, source, diagnostics);
  if (!value) {
    throw std::runtime_error(to_string(diagnostics));
  }
  return std::move(*value);
}

std::vector<std::string> lines_of(const Diagnostics& diagnostics) {
  std::vector<std::string> lines;
  for (const Diagnostic& item : diagnostics.all()) {
    lines.push_back(to_string(item));
  }
  return lines;
}

std::vector<std::string> document_faults(const std::string& text) {
  Diagnostics diagnostics;
  const bool is_read = io::parse_document(text, "test.yaml", diagnostics).has_value();
  if (is_read == diagnostics.has_errors()) {
    throw std::runtime_error("a value and faults, or neither");
  }
  return lines_of(diagnostics);
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line + "\n";
  }
  return text;
}

}  // namespace phaze::tests
