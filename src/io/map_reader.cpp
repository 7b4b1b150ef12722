#include "io/map_reader.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace phaze::io {
namespace {

bool is_within(double value, const Bounds& bounds) {
  return value <= bounds.most &&
         (bounds.least_allowed ? value >= bounds.least : value > bounds.least);
}

std::string range_text(const Bounds& bounds) {
  std::string text = bounds.least_allowed ? "at least " + shortest(bounds.least)
                                          : "above " + shortest(bounds.least);
  if (bounds.most < Bounds{}.most) {
    text += " and at most " + shortest(bounds.most);
  }
  return text;
}

bool is_number(const Value& value) {
  return value.kind == ValueKind::kInteger || value.kind == ValueKind::kNumber;
}

}  // namespace

MapReader::MapReader(const Value& map, Diagnostics& diagnostics)
    : map_(map), diagnostics_(diagnostics) {
  if (map.kind != ValueKind::kMap) {
    report(map, "expected a map, found " + describe(map));
  }
}

void MapReader::report(const Value& value, const std::string& message) {
  faulty_.push_back(value.where.key);
  diagnostics_.error(value.where, message);
}

Location MapReader::place_of(const std::string& key) const {
  if (const Value* value = map_.find(key)) {
    return value->where;
  }
  Location where = map_.where;
  where.key += (where.key.empty() ? "" : ".") + key;
  return where;
}

bool MapReader::is_sound(const std::string& key) const {
  return map_.kind == ValueKind::kMap &&
         std::ranges::find(faulty_, place_of(key).key) == faulty_.end();
}

void MapReader::error(const std::string& key, const std::string& message) {
  if (!is_sound(key)) {
    return;
  }
  const Location where = place_of(key);
  faulty_.push_back(where.key);
  diagnostics_.error(where, message);
  if (!has(key)) {
    of_missing_.push_back(diagnostics_.all().back());
  }
}

// The key is there after all, misspelt: its other fault is taken back. Of very many faults none is:
// they are more than anybody reads.
void MapReader::drop_missing(const std::string& key) {
  constexpr std::size_t kMost = 1000;
  const std::string path = place_of(key).key;
  const auto is_of_it = [&path](const Diagnostic& fault) {
    const std::string& at = fault.where.key;  // of a quantity without its unit
    return path == at || (path.starts_with(at) && path.substr(at.size()).starts_with("_"));
  };
  const auto found = std::ranges::find_if(of_missing_, is_of_it);
  if (found == of_missing_.end() || diagnostics_.all().size() > kMost) {
    return;
  }
  Diagnostics kept;
  for (const Diagnostic& fault : diagnostics_.all()) {
    if (fault == *found) {
      continue;
    }
    if (fault.severity == Severity::kError) {
      kept.error(fault.where, fault.message);
    } else {
      kept.warning(fault.where, fault.message);
    }
  }
  diagnostics_ = std::move(kept);
  of_missing_.erase(found);
}

std::string MapReader::joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + name;
  }
  return list;
}

const Value* MapReader::find(const std::string& key) {
  asked_.push_back(key);
  return map_.find(key);
}

std::int64_t MapReader::count(const std::string& key, std::optional<std::int64_t> fallback,
                              std::int64_t least, std::int64_t most) {
  const Value* value = find(key);
  const auto range = [&] {
    return "expected a whole number from " + std::to_string(least) + " to " + std::to_string(most);
  };
  if (value == nullptr) {
    if (!fallback) {
      error(key, "this key is required: " + range());
    }
    return fallback.value_or(least);
  }
  if (value->kind != ValueKind::kInteger || value->integer < least || value->integer > most) {
    report(*value, range() + ", found " + describe(*value));
    return least;
  }
  return value->integer;
}

double MapReader::number(const std::string& key, std::optional<double> fallback, Bounds bounds) {
  const Value* value = find(key);
  const auto range = [&] { return "expected a number " + range_text(bounds); };
  if (value == nullptr) {
    if (!fallback) {
      error(key, "this key is required: " + range());
    }
    return fallback.value_or(bounds.least);
  }
  if (!is_number(*value) || !is_within(value->number, bounds)) {
    report(*value, range() + ", found " + describe(*value));
    return fallback.value_or(bounds.least);
  }
  return value->number;
}

bool MapReader::flag(const std::string& key, std::optional<bool> fallback) {
  const Value* value = find(key);
  if (value == nullptr) {
    if (!fallback) {
      error(key, "this key is required: expected true or false");
    }
    return fallback.value_or(false);
  }
  if (value->kind != ValueKind::kBoolean) {
    report(*value, "expected true or false, found " + describe(*value));
  }
  return value->boolean;
}

std::string MapReader::text(const std::string& key, const std::optional<std::string>& fallback) {
  const Value* value = find(key);
  if (value == nullptr) {
    if (!fallback) {
      error(key, "this key is required: expected text");
    }
    return fallback.value_or("");
  }
  const bool is_scalar = value->kind != ValueKind::kList && value->kind != ValueKind::kMap &&
                         value->kind != ValueKind::kNull;
  if (!is_scalar) {
    report(*value, "expected text, found " + describe(*value));
    return "";
  }
  return value->text;
}

std::optional<double> MapReader::optional_quantity(const std::string& name, Dimension dimension,
                                                   Bounds bounds) {
  const std::string suffixed = name + std::string(key_suffix(dimension));
  const Value* with_unit = find(name);
  const Value* plain = find(suffixed);
  if (with_unit != nullptr && plain != nullptr) {
    report(*plain, "given twice: as " + name + " and as " + suffixed);
    return std::nullopt;
  }
  const Value* value = with_unit != nullptr ? with_unit : plain;
  if (value == nullptr) {
    return std::nullopt;
  }
  std::optional<double> found;
  if (plain != nullptr && is_number(*plain)) {
    found = plain->number;
  } else if (with_unit != nullptr && value->kind != ValueKind::kList &&
             value->kind != ValueKind::kMap) {
    found = parse_quantity(with_unit->text, dimension);
  }
  if (!found) {
    const std::string expected = plain != nullptr ? "a number" : std::string(example(dimension));
    report(*value, "expected " + expected + ", found " + describe(*value));
    return std::nullopt;
  }
  if (!is_within(*found, bounds)) {
    const std::string unit(key_suffix(dimension).substr(1));
    report(*value, "expected " + std::string(example(dimension)) + ", " + range_text(bounds) + " " +
                       unit + ", found " + describe(*value));
    return std::nullopt;
  }
  return found;
}

double MapReader::quantity(const std::string& name, Dimension dimension,
                           std::optional<double> fallback, Bounds bounds) {
  const std::optional<double> found = optional_quantity(name, dimension, bounds);
  const std::string suffixed = name + std::string(key_suffix(dimension));
  if (!found && !fallback && !has(name) && !has(suffixed)) {
    error(name, "this key is required: expected " + std::string(example(dimension)));
  }
  return found.value_or(fallback.value_or(1));
}

const std::vector<Value>& MapReader::list(const std::string& key, const std::string& expected) {
  static const std::vector<Value> none;
  const Value* value = find(key);
  if (value == nullptr) {
    return none;
  }
  if (value->kind != ValueKind::kList) {
    report(*value, "expected " + expected + ", found " + describe(*value));
    return none;
  }
  return value->items;
}

const std::vector<Value>& MapReader::full_list(const std::string& key, const std::string& expected,
                                               const std::string& item) {
  const std::vector<Value>& items = list(key, expected);
  const Value* value = map_.find(key);
  if (items.empty() && (value == nullptr || value->kind == ValueKind::kList)) {
    error(key, "expected a list of at least one " + item);
  }
  return items;
}

const Value* MapReader::child(const std::string& key) {
  const Value* value = find(key);
  if (value != nullptr && value->kind != ValueKind::kMap) {
    report(*value, "expected a map, found " + describe(*value));
    return nullptr;
  }
  return value;
}

void MapReader::ignore(const std::vector<std::string>& keys) {
  ignored_.insert(ignored_.end(), keys.begin(), keys.end());
}

void MapReader::finish() {
  for (const auto& [key, value] : map_.members) {
    const auto has_key = [&key = key](const std::vector<std::string>& list) {
      return std::ranges::find(list, key) != list.end();
    };
    if (!has_key(asked_) && !has_key(ignored_)) {
      const std::string meant = nearest_name(key, asked_);
      if (!meant.empty()) {
        drop_missing(meant);
      }
      report(value, "unknown key" + did_you_mean(key, asked_));
    }
  }
}

}  // namespace phaze::io
