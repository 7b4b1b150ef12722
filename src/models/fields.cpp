#include "models/fields.h"

#include <algorithm>

#include "base/text.h"

namespace phaze::models {

const io::Value* Fields::find(const std::vector<std::string>& names) {
  asked_.insert(asked_.end(), names.begin(), names.end());
  for (const std::string& name : names) {
    const io::Value* value = map_.find(name);
    if (value != nullptr && value->kind != io::ValueKind::kNull) {
      return value;
    }
  }
  return nullptr;
}

bool Fields::is_null(const std::string& name) const {
  const io::Value* value = map_.find(name);
  return value != nullptr && value->kind == io::ValueKind::kNull;
}

void Fields::wrong_type(const io::Value& value, const std::string& expected) {
  diagnostics_.error(value.where, "expected " + expected + ", found " + io::describe(value));
}

std::optional<std::int64_t> Fields::optional_count(const std::vector<std::string>& names,
                                                   std::int64_t most, std::int64_t least) {
  const io::Value* value = find(names);
  if (value == nullptr) {
    return std::nullopt;
  }
  const std::string range =
      "a whole number from " + with_thousands(least) + " to " + with_thousands(most);
  if (value->kind != io::ValueKind::kInteger || value->integer < least || value->integer > most) {
    wrong_type(*value, range);
    wrong_counts_.insert(wrong_counts_.end(), names.begin(), names.end());
    return std::nullopt;
  }
  return value->integer;
}

bool Fields::are_sound(const std::vector<std::string>& names) const {
  return std::ranges::find_first_of(names, wrong_counts_) == names.end();
}

std::int64_t Fields::count(const std::vector<std::string>& names, std::int64_t fallback,
                           std::int64_t most, std::int64_t least) {
  return optional_count(names, most, least).value_or(fallback);
}

bool Fields::flag(const std::string& name, bool fallback) {
  const io::Value* value = find({name});
  if (value == nullptr) {
    return fallback;
  }
  if (value->kind != io::ValueKind::kBoolean) {
    wrong_type(*value, "true or false");
    return fallback;
  }
  return value->boolean;
}

double Fields::fraction(const std::vector<std::string>& names, double fallback) {
  const io::Value* value = find(names);
  if (value == nullptr) {
    return fallback;
  }
  const bool is_number =
      value->kind == io::ValueKind::kInteger || value->kind == io::ValueKind::kNumber;
  if (!is_number || value->number < 0 || value->number > 1) {
    wrong_type(*value, "a number from 0 to 1");
    return fallback;
  }
  return value->number;
}

std::string Fields::text(const std::vector<std::string>& names, const std::string& fallback) {
  const io::Value* value = find(names);
  if (value == nullptr) {
    return fallback;
  }
  if (value->kind != io::ValueKind::kText) {
    wrong_type(*value, "text");
    return fallback;
  }
  return value->text;
}

Location Fields::where(const std::string& key) const {
  const io::Value* value = map_.find(key);
  if (value != nullptr) {
    return value->where;
  }
  return {map_.where.source, 0, 0, key};
}

void Fields::error(const std::string& key, const std::string& message) {
  diagnostics_.error(where(key), message);
}

void Fields::error_at_first(const std::vector<std::string>& names, const std::string& message) {
  const io::Value* value = find(names);
  diagnostics_.error(value != nullptr ? value->where : where(names.front()), message);
}

void Fields::report_misspelt_keys() {
  std::vector<std::string> missing;
  for (const std::string& name : asked_) {
    if (map_.find(name) == nullptr) {
      missing.push_back(name);
    }
  }
  constexpr std::size_t kShortest = 5;  // shorter keys are near to too many others
  for (const auto& [key, value] : map_.members) {
    if (key.size() < kShortest || std::ranges::find(asked_, key) != asked_.end()) {
      continue;
    }
    const std::string meant = nearest_name(key, missing, 2);
    if (!meant.empty()) {
      diagnostics_.error(value.where, "unknown key; did you mean " + meant + "?");
    }
  }
}

}  // namespace phaze::models
