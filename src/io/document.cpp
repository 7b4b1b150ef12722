#include "io/document.h"

#include <filesystem>
#include <fstream>

#include "base/text.h"

namespace phaze::io {

constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

const Value* Value::find(std::string_view key) const {
  for (const auto& [name, value] : members) {
    if (name == key) {
      return &value;
    }
  }
  return nullptr;
}

std::string describe(const Value& value) {
  switch (value.kind) {
    case ValueKind::kNull:
      return "null";
    case ValueKind::kBoolean:
    case ValueKind::kInteger:
    case ValueKind::kNumber:
      return shortened(value.text);
    case ValueKind::kText:
      return "the text \"" + shortened(value.text, 40) + "\"";
    case ValueKind::kList:
      return "a list of " + std::to_string(value.items.size());
    case ValueKind::kMap:
      return "a map of " + std::to_string(value.members.size());
  }
  return "";
}

std::optional<std::string> read_text(std::istream& stream, const std::string& source,
                                     Diagnostics& diagnostics) {
  const Location where{source, 0, 0, ""};
  std::string text;
  std::vector<char> chunk(std::size_t{1} << 16);
  while (stream && text.size() <= kMaxFileBytes) {
    stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    text.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (text.size() > kMaxFileBytes) {
    diagnostics.error(where, "is larger than 64 MiB");
    return std::nullopt;
  }
  if (!stream.eof()) {
    diagnostics.error(where, "cannot be read");
    return std::nullopt;
  }
  return text;
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
  return read_text(file, path, diagnostics);
}

}  // namespace phaze::io
