#include "presets/spaces.h"

#include <algorithm>
#include <filesystem>

#include "embedded/spaces.h"
#include "io/space_reader.h"
#include "presets/chips.h"
#include "presets/find.h"

namespace phaze::presets {

std::vector<std::string> space_names() { return names_of(embedded::spaces()); }

std::optional<space::Space> load_space(const std::string& name_or_file, Diagnostics& diagnostics) {
  const std::optional<io::Value> document =
      find_document(embedded::spaces(), name_or_file, "space", diagnostics);
  if (!document) {
    return std::nullopt;
  }
  const std::vector<std::string> names = space_names();
  const bool is_built_in = std::ranges::find(names, name_or_file) != names.end();
  const std::string name =
      is_built_in ? name_or_file : std::filesystem::path(name_or_file).stem().string();
  return io::read_space(
      *document, name,
      [&](const io::Value& base, hw::Technology technology) {
        return load_chip_inside(base, name_or_file, technology, diagnostics);
      },
      diagnostics);
}

}  // namespace phaze::presets
