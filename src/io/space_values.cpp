#include "io/space_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/check.h"
#include "base/text.h"
#include "hw/technology.h"
#include "io/map_reader.h"

namespace phaze::io {

using space::Axis;
using space::Comparison;
using space::Field;
using space::FieldUnit;
using space::Filter;
using space::Tie;
using space::TieKind;

namespace {

constexpr std::size_t kMostValues = 10'000;

// What a value of a field looks like, for messages.
std::string expected_of(Field field) {
  switch (space::traits(field).unit) {
    case FieldUnit::kCount:
      return "a whole number";
    case FieldUnit::kNumber:
      return "a number";
    case FieldUnit::kBytes:
      return std::string(example(Dimension::kBytes));
    case FieldUnit::kHertz:
      return std::string(example(Dimension::kFrequency));
    case FieldUnit::kBytesPerSecond:
      return std::string(example(Dimension::kBytesPerSecond));
    case FieldUnit::kGeneration:
      return "hbm2, hbm2e, hbm3 or hbm3e";
  }
  CHECK(false, "unknown unit");
}

// The value, whatever its size; nothing when it is of another kind.
std::optional<double> parse_value(Field field, const Value& value) {
  const bool is_integer = value.kind == ValueKind::kInteger;
  const bool is_text = value.kind == ValueKind::kText;
  const auto quantity = [&](Dimension dimension) {
    return is_text ? parse_quantity(value.text, dimension) : std::nullopt;
  };
  switch (space::traits(field).unit) {
    case FieldUnit::kCount:
      return is_integer ? std::optional(value.number) : std::nullopt;
    case FieldUnit::kNumber:
      return is_integer || value.kind == ValueKind::kNumber ? std::optional(value.number)
                                                            : std::nullopt;
    case FieldUnit::kBytes: {
      const std::optional<double> bytes = quantity(Dimension::kBytes);
      return bytes ? std::optional(std::round(*bytes)) : std::nullopt;
    }
    case FieldUnit::kHertz:
      return quantity(Dimension::kFrequency);
    case FieldUnit::kBytesPerSecond:
      return quantity(Dimension::kBytesPerSecond);
    case FieldUnit::kGeneration: {
      const auto generation = hw::parse_hbm_generation(value.text);
      return generation ? std::optional(static_cast<double>(*generation)) : std::nullopt;
    }
  }
  CHECK(false, "unknown unit");
}

bool is_whole(Field field) {
  const FieldUnit unit = space::traits(field).unit;
  return unit == FieldUnit::kCount || unit == FieldUnit::kBytes;
}

// {from, to, times} or {from, to, step}.
std::vector<double> read_range(Field field, const Value& value, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  MapReader map(value, diagnostics);
  const auto end = [&](const char* key) {
    const Value* given = map.find(key);
    if (given == nullptr) {
      map.error(key, "this key is required: expected " + expected_of(field));
    }
    return given != nullptr ? read_field_value(field, *given, diagnostics) : std::nullopt;
  };
  const std::optional<double> from = end("from");
  const std::optional<double> to = end("to");
  const bool has_times = map.has("times");
  double factor = 1;
  double step = 0;
  if (has_times == map.has("step")) {
    map.error(has_times ? "step" : "times", "expected either times, a factor above 1, or step");
    static_cast<void>(map.find("times"));
    static_cast<void>(map.find("step"));
  } else if (has_times) {
    factor = map.number("times", std::nullopt, Bounds{1, 1e6, false});
  } else if (const Value* given = map.find("step")) {
    const std::optional<double> parsed = parse_value(field, *given);
    if (!parsed || *parsed <= 0 || space::traits(field).unit == FieldUnit::kGeneration) {
      diagnostics.error(given->where, "expected a step above zero: " + expected_of(field) +
                                          ", found " + describe(*given));
    }
    step = parsed.value_or(1);
  }
  map.finish();
  if (diagnostics.error_count() > before) {
    return {};
  }
  if (*from > *to) {
    diagnostics.error(value.where, "an empty range: from " + space::value_text(field, *from) +
                                       " to " + space::value_text(field, *to));
    return {};
  }
  constexpr double kRounding = 1 + 1e-12;
  std::vector<double> values;
  for (double next = *from; next <= *to * kRounding;) {
    if (values.size() == kMostValues) {
      diagnostics.error(value.where, "more than " + std::to_string(kMostValues) + " values");
      return {};
    }
    if (is_whole(field) && next != std::round(next)) {
      diagnostics.error(value.where, "expected whole numbers, found " + shortest(next));
      return {};
    }
    values.push_back(next);
    // Not by adding up: 0.1 ten times is not 1.
    next = has_times ? next * factor : *from + step * static_cast<double>(values.size());
  }
  return values;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = text.find_first_not_of(' '); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(' ', end);
  }
  return words;
}

std::optional<double> parse_factor(const std::string& text) {
  double factor = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, factor);
  const bool is_good = error == std::errc() && end == last && std::isfinite(factor) && factor > 0;
  return is_good ? std::optional(factor) : std::nullopt;
}

// "FIELD" or "FACTOR x FIELD"; nothing when the words are neither.
struct Multiple {
  double factor;
  std::string path;
};
std::optional<Multiple> parse_multiple(const std::vector<std::string>& words) {
  if (words.size() == 1) {
    return Multiple{1, words[0]};
  }
  const std::optional<double> factor =
      words.size() == 3 && words[1] == "x" ? parse_factor(words[0]) : std::nullopt;
  return factor ? std::optional(Multiple{*factor, words[2]}) : std::nullopt;
}

std::optional<Comparison> parse_comparison(const std::string& text) {
  for (const Comparison each : {Comparison::kBelow, Comparison::kAtMost, Comparison::kEqual,
                                Comparison::kAtLeast, Comparison::kAbove}) {
    if (to_string(each) == text) {
      return each;
    }
  }
  return std::nullopt;
}

bool has_rule(Field field) {
  switch (field) {
    case Field::kTensorLocalBuffer:
    case Field::kTensorLocalBytesPerCycle:
    case Field::kTensorPortBytesPerCycle:
    case Field::kVectorLocalBuffer:
    case Field::kGlobalBytesPerCycle:
    case Field::kHbmStackBandwidth:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<Field> read_field(const std::string& path, const Location& where,
                                Diagnostics& diagnostics) {
  const std::optional<Field> field = space::parse_field(path);
  if (field) {
    return field;
  }
  if (const auto why = space::why_fixed(path)) {
    diagnostics.error(where, "cannot be varied: it " + std::string(*why));
  } else {
    diagnostics.error(where, "no field of chips that can be varied is called \"" + path + "\"" +
                                 did_you_mean(path, space::field_paths()));
  }
  return std::nullopt;
}

std::optional<double> read_field_value(Field field, const Value& value, Diagnostics& diagnostics) {
  const space::FieldTraits& row = space::traits(field);
  const std::optional<double> parsed = parse_value(field, value);
  const bool is_node = field == Field::kNode;
  if (!parsed) {
    diagnostics.error(value.where, "expected " + expected_of(field) + ", found " + describe(value));
    return std::nullopt;
  }
  if (is_node && hw::find_node(static_cast<int>(std::min(*parsed, 1e6))) == nullptr) {
    diagnostics.error(value.where, "expected one of 22, 16, 7, 5, 4, 3, found " + value.text);
    return std::nullopt;
  }
  if (*parsed < row.least || *parsed > row.most) {
    diagnostics.error(value.where, "expected from " + space::value_text(field, row.least) + " to " +
                                       space::value_text(field, row.most) + ", found " +
                                       describe(value));
    return std::nullopt;
  }
  return parsed;
}

std::vector<double> read_axis_values(Field field, const Value& value, Diagnostics& diagnostics) {
  if (value.kind == ValueKind::kMap) {
    return read_range(field, value, diagnostics);
  }
  if (value.kind != ValueKind::kList) {
    const std::optional<double> one = read_field_value(field, value, diagnostics);
    return one ? std::vector<double>{*one} : std::vector<double>();
  }
  if (value.items.empty() || value.items.size() > kMostValues) {
    diagnostics.error(value.where, "expected 1 to " + std::to_string(kMostValues) +
                                       " values, found " + describe(value));
    return {};
  }
  std::vector<double> values;
  bool is_good = true;
  for (const Value& item : value.items) {
    const std::optional<double> parsed = read_field_value(field, item, diagnostics);
    if (parsed && !values.empty() && *parsed <= values.back()) {
      diagnostics.error(item.where, "expected ascending values, found " + item.text + " after " +
                                        space::value_text(field, values.back()));
      return {};
    }
    is_good = is_good && parsed;
    values.push_back(parsed.value_or(0));
  }
  return is_good ? values : std::vector<double>();
}

std::optional<Tie> read_tie(Field field, const Value& value, const std::vector<Axis>& axes,
                            Diagnostics& diagnostics) {
  if (value.kind != ValueKind::kText) {
    diagnostics.error(value.where,
                      "expected an axis, a multiple of one such as \"2 x tensor_cores.columns\", "
                      "rule or base, found " +
                          describe(value));
    return std::nullopt;
  }
  if (value.text == "base") {
    return Tie{field, TieKind::kBase, 1, field};
  }
  if (value.text == "rule") {
    if (!has_rule(field)) {
      diagnostics.error(value.where,
                        "no rule says what " + std::string(space::traits(field).path) + " is");
      return std::nullopt;
    }
    return Tie{field, TieKind::kRule, 1, field};
  }
  std::vector<std::string> names;
  names.reserve(axes.size());
  for (const Axis& axis : axes) {
    names.emplace_back(space::traits(axis.field).path);
  }
  const std::optional<Multiple> multiple = parse_multiple(words_of(value.text));
  const auto axis = std::ranges::find_if(axes, [&](const Axis& each) {
    return multiple && space::traits(each.field).path == multiple->path;
  });
  if (axis == axes.end()) {
    diagnostics.error(value.where,
                      "expected an axis of this space, a multiple of one such as \"2 x "
                      "tensor_cores.columns\", rule or base, found " +
                          describe(value) +
                          did_you_mean(multiple ? multiple->path : value.text, names));
    return std::nullopt;
  }
  const space::FieldTraits& row = space::traits(field);
  for (const double each : axis->values) {
    const double tied = multiple->factor * each;
    if (tied < row.least || tied > row.most || (is_whole(field) && tied != std::round(tied)) ||
        row.unit == FieldUnit::kGeneration || field == Field::kNode) {
      diagnostics.error(value.where, "gives " + std::string(row.path) + " the value " +
                                         shortest(tied) + ", which it cannot have");
      return std::nullopt;
    }
  }
  return Tie{field, TieKind::kMultiple, multiple->factor, axis->field};
}

std::optional<Filter> read_filter(const Value& value, Diagnostics& diagnostics) {
  const std::vector<std::string> words =
      value.kind == ValueKind::kText ? words_of(value.text) : std::vector<std::string>();
  const std::optional<Comparison> comparison =
      words.size() >= 3 ? parse_comparison(words[1]) : std::nullopt;
  if (!comparison) {
    diagnostics.error(value.where,
                      "expected FIELD <, <=, ==, >= or > VALUE, FIELD or FACTOR x FIELD, found " +
                          describe(value));
    return std::nullopt;
  }
  const std::optional<Field> left = read_field(words[0], value.where, diagnostics);
  if (!left) {
    return std::nullopt;
  }
  Filter filter{*left, *comparison, std::nullopt, 1};
  const std::vector<std::string> rest(words.begin() + 2, words.end());
  const std::optional<Multiple> multiple = parse_multiple(rest);
  // A field's name starts with a letter, a value but for a generation with a digit.
  const bool is_name = multiple && std::isalpha(static_cast<unsigned char>(multiple->path[0])) &&
                       !hw::parse_hbm_generation(multiple->path);
  if (is_name) {
    filter.right = read_field(multiple->path, value.where, diagnostics);
    filter.value = multiple->factor;
    return filter.right ? std::optional(filter) : std::nullopt;
  }
  std::string text;
  for (const std::string& word : rest) {
    text += (text.empty() ? "" : " ") + word;
  }
  Diagnostics ignored;
  Value right = parse_document(text, value.where.source, ignored).value_or(Value{});
  right.where = value.where;
  const std::optional<double> parsed = read_field_value(*left, right, diagnostics);
  filter.value = parsed.value_or(0);
  return parsed ? std::optional(filter) : std::nullopt;
}

}  // namespace phaze::io
