#include "io/overlay.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "io/quantity.h"

namespace phaze::io {
namespace {

constexpr std::array kDimensions = {
    Dimension::kFrequency, Dimension::kBytesPerSecond, Dimension::kBytes, Dimension::kSeconds,
    Dimension::kPower,     Dimension::kArea,           Dimension::kMoney};

// "bandwidth_bytes_per_s" -> "bandwidth".
std::string without_unit(const std::string& key) {
  for (const Dimension dimension : kDimensions) {
    const std::string_view suffix = key_suffix(dimension);
    if (key.size() > suffix.size() && key.ends_with(suffix)) {
      return key.substr(0, key.size() - suffix.size());
    }
  }
  return key;
}

// Do two keys say the same thing, in other units or for each part in place of all?
bool is_same(const std::string& a, const std::string& b) {
  const auto essence = [](const std::string& key) {
    std::string name = without_unit(key);
    constexpr std::string_view kEach = "stack_";
    if (name.starts_with(kEach)) {
      name.erase(0, kEach.size());
    }
    return name == "bytes_per_cycle" ? std::string("bandwidth") : name;
  };
  return a == b || essence(a) == essence(b);
}

Value* find_same(Value& map, const std::string& key) {
  for (auto& [name, value] : map.members) {
    if (name == key || without_unit(name) == without_unit(key)) {
      return &value;
    }
  }
  return nullptr;
}

void replace(Value& map, const std::string& key, Value value) {
  std::erase_if(map.members, [&key](const auto& m) { return is_same(m.first, key); });
  map.members.emplace_back(key, std::move(value));
}

Location command_line(const std::string& path) { return {"command line", 0, 0, "--set " + path}; }

// A scalar as the reader of files would make it.
Value scalar(const std::string& text, const std::string& path) {
  Diagnostics ignored;
  std::optional<Value> parsed = parse_document(text, "command line", ignored);
  Value value = parsed.value_or(Value{});
  if (!parsed || value.kind == ValueKind::kMap) {
    value = Value{};
    value.kind = ValueKind::kText;
    value.text = text;
  }
  value.where = command_line(path);
  for (Value& item : value.items) {
    item.where = value.where;
  }
  return value;
}

// A factor as a fraction, so that 20 % of 1.5 more is 1.8 and not 1.7999999999999998.
struct Factor {
  double numerator = 1;
  double denominator = 1;
};

// "+20%", "-5%", "x2": the factor; nothing for an absolute value.
std::optional<Factor> relative_factor(const std::string& text) {
  const bool is_share = text.ends_with('%') && (text.starts_with('+') || text.starts_with('-'));
  const bool is_factor = text.starts_with('x') && text.size() > 1;
  if (!is_share && !is_factor) {
    return std::nullopt;
  }
  const std::string digits =
      is_share ? text.substr(text[0] == '+' ? 1 : 0, text.size() - (text[0] == '+' ? 2 : 1))
               : text.substr(1);
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(number)) {
    return std::nullopt;
  }
  return is_share ? Factor{100 + number, 100} : Factor{number, 1};
}

// The number at the front of a value, multiplied; a unit behind it stays. Nothing when there is no
// number, or when a whole number would get a fraction.
std::optional<std::string> scaled(const Value& value, const Factor& factor) {
  double number = 0;
  const char* first = value.text.data();
  const char* last = first + value.text.size();
  const auto [end, error] = std::from_chars(first, last, number);
  if (error != std::errc()) {
    return std::nullopt;
  }
  const double result = number * factor.numerator / factor.denominator;
  if (value.kind == ValueKind::kInteger) {
    return result == std::floor(result) && std::abs(result) < 9e15
               ? std::optional(std::to_string(static_cast<std::int64_t>(result)))
               : std::nullopt;
  }
  return shortest(result) + std::string(end, last);
}

}  // namespace

Value merged(const Value& base, const Value& over) {
  if (base.kind != ValueKind::kMap || over.kind != ValueKind::kMap) {
    return over;
  }
  Value result = over;
  // What `over` says in two ways stays: the reader names it.
  for (auto& [key, value] : result.members) {
    const Value* below = base.find(key);
    if (below != nullptr && below->kind == ValueKind::kMap && value.kind == ValueKind::kMap) {
      value = merged(*below, value);
    }
  }
  std::vector<Member> kept;
  for (const auto& [key, value] : base.members) {
    const bool is_replaced = std::ranges::any_of(
        over.members, [&key = key](const auto& m) { return is_same(m.first, key); });
    if (!is_replaced) {
      kept.emplace_back(key, value);
    }
  }
  result.members.insert(result.members.begin(), kept.begin(), kept.end());
  return result;
}

void apply_setting(Value& document, const std::string& setting, const std::string& kind,
                   Diagnostics& diagnostics) {
  const std::size_t equals = setting.find('=');
  std::string path = setting.substr(0, equals);
  if (equals == std::string::npos || path.empty() || equals + 1 == setting.size()) {
    diagnostics.error(command_line(setting),
                      "expected FIELD=VALUE such as " + kind + ".hbm.bandwidth=+20%");
    return;
  }
  const std::string given = setting.substr(equals + 1);
  const std::string where = path;
  if (path.starts_with(kind + ".")) {
    path.erase(0, kind.size() + 1);
  }
  Value* map = &document;
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.')) {
    const std::string key = path.substr(0, dot);
    path.erase(0, dot + 1);
    Value* inner = find_same(*map, key);
    if (inner == nullptr) {
      Value empty;
      empty.kind = ValueKind::kMap;
      empty.where = command_line(where);
      map->members.emplace_back(key, empty);
      inner = &map->members.back().second;
    }
    if (inner->kind != ValueKind::kMap) {
      diagnostics.error(command_line(where), key + " has no fields inside");
      return;
    }
    map = inner;
  }
  const std::optional<Factor> factor = relative_factor(given);
  if (!factor) {
    replace(*map, path, scalar(given, where));
    return;
  }
  Value* current = find_same(*map, path);
  const std::optional<std::string> changed =
      current != nullptr ? scaled(*current, *factor) : std::nullopt;
  if (!changed) {
    diagnostics.error(command_line(where),
                      current == nullptr ? "the file gives no value to change; give an absolute one"
                                         : "cannot change " + describe(*current) + " by " + given);
    return;
  }
  const Value value = scalar(*changed, where);
  *current = value;
}

}  // namespace phaze::io
