#include "presets/measured.h"

#include <algorithm>
#include <span>
#include <string>

#include "base/check.h"
#include "embedded/errors.h"
#include "embedded/held_out_runs.h"
#include "embedded/own_configs.h"
#include "embedded/own_tables.h"
#include "embedded/published_runs.h"

namespace phaze::presets {
namespace {

std::optional<std::string_view> find(std::span<const embedded::File> files, std::string_view name) {
  const auto file =
      std::ranges::find_if(files, [name](const embedded::File& each) { return each.name == name; });
  return file == files.end() ? std::nullopt : std::optional(file->contents);
}

std::vector<MeasuredFile> list(std::span<const embedded::File> files) {
  std::vector<MeasuredFile> all;
  for (const embedded::File& file : files) {
    all.push_back({file.name, file.contents});
  }
  return all;
}

}  // namespace

std::vector<MeasuredFile> published_runs() { return list(embedded::published_runs()); }

std::vector<MeasuredFile> held_out_runs() { return list(embedded::held_out_runs()); }

std::string_view error_table() { return embedded::errors().front().contents; }

std::string_view own_table(std::string_view name) {
  const auto found = find(embedded::own_tables(), name);
  CHECK(found.has_value(), "no table of measurements is named " + std::string(name));
  return *found;
}

std::optional<std::string_view> own_config(std::string_view name) {
  return find(embedded::own_configs(), name);
}

}  // namespace phaze::presets
