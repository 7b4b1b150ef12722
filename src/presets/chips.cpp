#include "presets/chips.h"

#include <algorithm>
#include <filesystem>

#include "embedded/chips.h"
#include "io/chip_reader.h"
#include "io/document.h"
#include "io/overlay.h"
#include "presets/find.h"

namespace phaze::presets {
namespace {

constexpr int kMostGenerations = 16;

// A parent named in a file is a built-in chip or a file beside it.
std::string parent_of(const std::string& parent, const std::string& child) {
  const std::vector<std::string> names = chip_names();
  if (std::ranges::find(names, parent) != names.end()) {
    return parent;
  }
  const std::filesystem::path beside = std::filesystem::path(child).parent_path() / parent;
  std::error_code error;
  const bool is_name = !beside.has_extension() && !std::filesystem::exists(beside, error);
  return is_name ? parent : beside.string();
}

// What is said of one chip and not of another that differs from it.
void drop(io::Value& document, const std::vector<std::string>& keys) {
  std::erase_if(document.members, [&keys](const auto& member) {
    return std::ranges::any_of(keys, [&](const std::string& key) {
      return member.first == key || member.first.starts_with(key + "_");
    });
  });
}

// The clock of a chip is the one that its voltage is made for: one that changes it does not change
// that.
void keep_nominal_clock(io::Value& document) {
  for (const auto& [key, value] : document.members) {
    if ((key == "clock" || key == "clock_hz") && document.find("nominal_" + key) == nullptr) {
      document.members.emplace_back("nominal_" + key, io::Value(value));
      return;
    }
  }
}

std::optional<io::Value> resolve(const std::string& name, Diagnostics& diagnostics, int generation);

// The document, which stands in the file `name`, with all that it derives from underneath.
std::optional<io::Value> resolve(const std::optional<io::Value>& document, const std::string& name,
                                 Diagnostics& diagnostics, int generation) {
  const io::Value* derive = document ? document->find("derive") : nullptr;
  if (derive == nullptr) {
    return document;
  }
  if (derive->kind != io::ValueKind::kText || generation >= kMostGenerations) {
    diagnostics.error(derive->where,
                      generation >= kMostGenerations
                          ? "derives from itself, or through too many files"
                          : "expected a chip's name or file, found " + io::describe(*derive));
    return std::nullopt;
  }
  Diagnostics inner;
  std::optional<io::Value> parent = resolve(parent_of(derive->text, name), inner, generation + 1);
  if (!parent) {
    for (const Diagnostic& item : inner.all()) {
      const bool is_name = item.where.source == "command line";
      diagnostics.error(is_name ? derive->where : item.where, item.message);
    }
    return std::nullopt;
  }
  drop(*parent, {"title", "source", "note", "published_area", "published_tdp"});
  keep_nominal_clock(*parent);
  return io::merged(*parent, *document);
}

std::optional<io::Value> resolve(const std::string& name, Diagnostics& diagnostics,
                                 int generation) {
  return resolve(find_document(embedded::chips(), name, "chip", diagnostics), name, diagnostics,
                 generation);
}

}  // namespace

std::vector<std::string> chip_names() { return names_of(embedded::chips()); }

std::optional<hw::Chip> load_chip(const std::string& name_or_file,
                                  const std::vector<std::string>& settings,
                                  Diagnostics& diagnostics, hw::Technology technology) {
  std::optional<io::Value> document = resolve(name_or_file, diagnostics, 0);
  if (!document) {
    return std::nullopt;
  }
  if (!settings.empty()) {
    drop(*document, {"published_area", "published_tdp"});
    keep_nominal_clock(*document);
  }
  for (const std::string& setting : settings) {
    io::apply_setting(*document, setting, "chip", diagnostics);
  }
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  const bool is_built_in = std::ranges::count(chip_names(), name_or_file) > 0;
  const std::string name =
      is_built_in ? name_or_file : std::filesystem::path(name_or_file).stem().string();
  std::optional<hw::Chip> chip = io::read_chip(*document, name, technology, diagnostics);
  if (chip && is_built_in && settings.empty()) {
    chip->machine = name;
  }
  return chip;
}

std::optional<hw::Chip> load_chip_inside(const io::Value& value, const std::string& file,
                                         hw::Technology technology, Diagnostics& diagnostics) {
  if (value.kind == io::ValueKind::kMap) {
    const std::optional<io::Value> document = resolve(std::optional(value), file, diagnostics, 0);
    return document
               ? io::read_chip(*document, std::filesystem::path(file).stem().string() + "-base",
                               technology, diagnostics)
               : std::nullopt;
  }
  Diagnostics inner;
  std::optional<hw::Chip> chip = load_chip(parent_of(value.text, file), {}, inner, technology);
  for (const Diagnostic& item : inner.all()) {
    const bool is_name = item.where.source == "command line";
    diagnostics.error(is_name ? value.where : item.where, item.message);
  }
  return chip;
}

}  // namespace phaze::presets
