#include "io/document.h"

#include <yaml-cpp/yaml.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace phaze::io {
namespace {

constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxValues = 20'000'000;
constexpr std::uintmax_t kMaxFileBytes = std::uintmax_t{256} << 20;

// Quoted scalars are text whatever they look like.
bool is_quoted(const YAML::Node& node) { return node.Tag() == "!"; }

template <class Number>
bool parse_whole(std::string_view text, Number& number) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

void read_scalar(const YAML::Node& node, Value& value) {
  value.text = node.Scalar();
  value.kind = ValueKind::kText;
  if (is_quoted(node)) {
    return;
  }
  const std::string& text = value.text;
  if (text == "null" || text == "~" || text.empty()) {
    value.kind = ValueKind::kNull;
  } else if (text == "true" || text == "True" || text == "false" || text == "False") {
    value.kind = ValueKind::kBoolean;
    value.boolean = text == "true" || text == "True";
  } else if (parse_whole(text, value.integer)) {
    value.kind = ValueKind::kInteger;
    value.number = static_cast<double>(value.integer);
  } else if (parse_whole(text, value.number) && std::isfinite(value.number)) {
    value.kind = ValueKind::kNumber;
  }
}

class Converter {
 public:
  Converter(const std::string& source, Diagnostics& diagnostics)
      : source_(source), diagnostics_(diagnostics) {}

  Value convert(const YAML::Node& node, const std::string& key, int depth) {
    Value value;
    const YAML::Mark mark = node.Mark();
    value.where = {source_, mark.line + 1, mark.column + 1, key};
    if (is_done_) {
      return value;
    }
    if (depth > kMaxDepth || ++count_ > kMaxValues) {
      diagnostics_.error(value.where, depth > kMaxDepth
                                          ? "nested deeper than " + std::to_string(kMaxDepth)
                                          : "holds too many values");
      is_done_ = true;
      return value;
    }
    if (node.IsScalar()) {
      read_scalar(node, value);
    } else if (node.IsSequence()) {
      value.kind = ValueKind::kList;
      for (std::size_t i = 0; i < node.size() && !is_done_; ++i) {
        value.items.push_back(convert(node[i], key + "[" + std::to_string(i) + "]", depth + 1));
      }
    } else if (node.IsMap()) {
      value.kind = ValueKind::kMap;
      convert_members(node, key, depth, value);
    }
    return value;
  }

 private:
  void convert_members(const YAML::Node& node, const std::string& key, int depth, Value& value) {
    std::set<std::string> seen;
    for (const auto& member : node) {
      if (is_done_) {
        return;
      }
      const YAML::Mark mark = member.first.Mark();
      const Location where{source_, mark.line + 1, mark.column + 1, key};
      if (!member.first.IsScalar()) {
        diagnostics_.error(where, "expected a key that is text");
        continue;
      }
      const std::string name = member.first.Scalar();
      const std::string path = key.empty() ? name : key + "." + name;
      if (!seen.insert(name).second) {
        diagnostics_.error({source_, where.line, where.column, path}, "this key is given twice");
        continue;
      }
      value.members.emplace_back(name, convert(member.second, path, depth + 1));
    }
  }

  const std::string& source_;
  Diagnostics& diagnostics_;
  std::size_t count_ = 0;
  bool is_done_ = false;
};

// JSON may be indented by tabs, which YAML forbids; a tab inside a JSON string is not legal.
std::string with_tabs_as_spaces(std::string_view text) {
  std::string copy(text);
  const std::size_t first = copy.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && (copy[first] == '{' || copy[first] == '[')) {
    for (char& c : copy) {
      c = c == '\t' ? ' ' : c;
    }
  }
  return copy;
}

}  // namespace

const Value* Value::find(std::string_view key) const {
  for (const auto& [name, value] : members) {
    if (name == key) {
      return &value;
    }
  }
  return nullptr;
}

std::string describe(const Value& value) {
  constexpr std::size_t kLongest = 40;
  switch (value.kind) {
    case ValueKind::kNull:
      return "null";
    case ValueKind::kBoolean:
    case ValueKind::kInteger:
    case ValueKind::kNumber:
      return value.text;
    case ValueKind::kText:
      return "the text \"" + value.text.substr(0, kLongest) +
             (value.text.size() > kLongest ? "...\"" : "\"");
    case ValueKind::kList:
      return "a list of " + std::to_string(value.items.size());
    case ValueKind::kMap:
      return "a map of " + std::to_string(value.members.size());
  }
  return "";
}

std::optional<Value> parse_document(std::string_view text, const std::string& source,
                                    Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  if (text.find('\0') != std::string_view::npos) {
    diagnostics.error({source, 0, 0, ""}, "expected text, found binary data");
    return std::nullopt;
  }
  try {
    std::istringstream stream(with_tabs_as_spaces(text));
    const std::vector<YAML::Node> documents = YAML::LoadAll(stream);
    if (documents.size() != 1) {
      diagnostics.error({source, 0, 0, ""},
                        documents.empty() ? "is empty" : "holds more than one document");
      return std::nullopt;
    }
    Value value = Converter(source, diagnostics).convert(documents[0], "", 0);
    if (diagnostics.error_count() > before) {
      return std::nullopt;
    }
    return value;
  } catch (const YAML::Exception& problem) {
    diagnostics.error({source, problem.mark.line + 1, problem.mark.column + 1, ""},
                      "not valid JSON or YAML: " + problem.msg);
    return std::nullopt;
  }
}

std::optional<std::string> read_text_file(const std::string& path, Diagnostics& diagnostics) {
  namespace fs = std::filesystem;
  const Location where{path, 0, 0, ""};
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    diagnostics.error(where, "no such file");
    return std::nullopt;
  }
  if (fs::is_directory(status)) {
    diagnostics.error(where, "is a folder, expected a file");
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  std::string text;
  std::vector<char> chunk(std::size_t{1} << 16);
  while (file && text.size() <= kMaxFileBytes) {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    text.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (text.size() > kMaxFileBytes) {
    diagnostics.error(where, "is larger than 256 MiB");
    return std::nullopt;
  }
  if (!file.eof()) {
    diagnostics.error(where, "cannot be read");
    return std::nullopt;
  }
  return text;
}

}  // namespace phaze::io
