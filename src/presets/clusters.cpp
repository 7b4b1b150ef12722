#include "presets/clusters.h"

#include <algorithm>
#include <filesystem>

#include "embedded/clusters.h"
#include "io/cluster_reader.h"
#include "io/document.h"
#include "io/overlay.h"
#include "presets/find.h"

namespace phaze::presets {
namespace {

io::Value* find_member(io::Value& map, const std::string& key) {
  const auto member =
      std::ranges::find_if(map.members, [&key](const auto& each) { return each.first == key; });
  return member == map.members.end() ? nullptr : &member->second;
}

// A path that starts with a level's name means a field of that level.
void apply(io::Value& document, std::string setting, Diagnostics& diagnostics) {
  constexpr std::string_view kPrefix = "cluster.";
  if (setting.starts_with(kPrefix)) {
    setting.erase(0, kPrefix.size());
  }
  const std::string path = setting.substr(0, setting.find('='));
  const std::size_t dot = path.find('.');
  if (dot == std::string::npos) {
    io::apply_setting(document, setting, "cluster", diagnostics);
    return;
  }
  const std::string name = path.substr(0, dot);
  std::vector<std::string> names;
  if (io::Value* levels = find_member(document, "levels")) {
    for (io::Value& level : levels->items) {
      const io::Value* found = find_member(level, "name");
      if (found != nullptr && found->text == name) {
        io::apply_setting(level, setting, name, diagnostics);
        return;
      }
      if (found != nullptr) {
        names.push_back(found->text);
      }
    }
  }
  diagnostics.error({"command line", 0, 0, "--set " + path},
                    "the cluster has no level " + name + did_you_mean(name, names));
}

}  // namespace

std::vector<std::string> cluster_names() { return names_of(embedded::clusters()); }

std::optional<hw::Cluster> load_cluster(const std::string& name_or_file,
                                        const std::vector<std::string>& settings,
                                        Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  std::optional<io::Value> document =
      find_document(embedded::clusters(), name_or_file, "cluster", diagnostics);
  if (!document) {
    return std::nullopt;
  }
  for (const std::string& setting : settings) {
    apply(*document, setting, diagnostics);
  }
  if (diagnostics.error_count() > before) {
    return std::nullopt;
  }
  const std::vector<std::string> names = cluster_names();
  const bool is_built_in = std::ranges::find(names, name_or_file) != names.end();
  return io::read_cluster(
      *document, is_built_in ? name_or_file : std::filesystem::path(name_or_file).stem().string(),
      diagnostics);
}

}  // namespace phaze::presets
