#include "presets/find.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace phaze::presets {

std::vector<std::string> names_of(std::span<const embedded::File> files) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const embedded::File& file : files) {
    names.emplace_back(file.name);
  }
  return names;
}

std::optional<io::Value> find_document(std::span<const embedded::File> files,
                                       const std::string& name, const std::string& kind,
                                       Diagnostics& diagnostics) {
  const auto file = std::ranges::find_if(
      files, [&name](const embedded::File& each) { return each.name == name; });
  if (file != files.end()) {
    return io::parse_document(file->contents, name, diagnostics);
  }
  std::error_code error;
  const bool looks_like_file = name.find('/') != std::string::npos || name.ends_with(".yaml") ||
                               name.ends_with(".yml") || name.ends_with(".json");
  if (!looks_like_file && !std::filesystem::exists(name, error)) {
    std::string argument = kind;
    for (char& c : argument) {
      c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    diagnostics.error({"command line", 0, 0, argument},
                      "no built-in " + kind + " and no file is called \"" + name + "\"" +
                          did_you_mean(name, names_of(files)) + " (`phaze " + kind +
                          "s` lists them)");
    return std::nullopt;
  }
  const std::optional<std::string> text = io::read_text_file(name, diagnostics);
  return text ? io::parse_document(*text, name, diagnostics) : std::nullopt;
}

}  // namespace phaze::presets
