#include "cli/sweep_fields.h"

#include <charconv>
#include <cmath>

#include "base/text.h"
#include "cli/value_lists.h"

namespace phaze::cli {
namespace {

struct Amount {
  double number = 0;
  std::string unit;
};

// A number and what follows it.
std::optional<Amount> parse_amount(std::string_view text) {
  const bool has_plus = text.starts_with("+");
  text.remove_prefix(has_plus ? 1 : 0);
  Amount amount;
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, amount.number);
  if (error != std::errc() || !std::isfinite(amount.number)) {
    return std::nullopt;
  }
  const char* unit = last;
  while (unit < end && *unit == ' ') {
    ++unit;
  }
  amount.unit = std::string(unit, end);
  return amount;
}

std::string amount_text(double number, const std::string& unit) {
  // Relative ones are told by their sign.
  const std::string sign = unit == "%" && number >= 0 ? "+" : "";
  return sign + shortest(number) + (unit.empty() || unit == "%" ? unit : " " + unit);
}

bool is_whole(double number) { return number == std::round(number) && std::abs(number) < 1e15; }

}  // namespace

bool is_setting(const SweepField& field) { return field.name.find('.') != std::string::npos; }

std::optional<SweepField> parse_sweep_field(const std::string& text, Diagnostics& diagnostics) {
  const std::size_t equals = text.find('=');
  SweepField field;
  field.name = text.substr(0, equals);
  const Location where{"command line", 0, 0, field.name.empty() ? text : field.name};
  const auto fault = [&](const std::string& message) -> std::optional<SweepField> {
    diagnostics.error(where, message);
    return std::nullopt;
  };
  while (field.name.starts_with("-")) {
    field.name.erase(0, 1);
  }
  if (equals == std::string::npos || field.name.empty() || equals + 1 == text.size()) {
    return fault("expected FIELD=a:b:n or FIELD=v1,v2,..., found \"" + text + "\"");
  }
  const std::string values = text.substr(equals + 1);
  const std::size_t first = values.find(':');
  if (first == std::string::npos) {
    for (const std::string& part : split_list(values)) {
      const auto amount = parse_amount(part);
      if (part.empty()) {
        return fault("expected a value between commas, found nothing");
      }
      field.values.push_back({part, amount ? std::optional(amount->number) : std::nullopt});
    }
    return field;
  }
  const std::size_t second = values.find(':', first + 1);
  if (second == std::string::npos || values.find(':', second + 1) != std::string::npos) {
    return fault("expected a:b:n, found \"" + values + "\"");
  }
  auto from = parse_amount(values.substr(0, first));
  const auto to = parse_amount(values.substr(first + 1, second - first - 1));
  const auto count = parse_amount(values.substr(second + 1));
  if (!from || !to) {
    return fault("expected numbers at both ends, found \"" + values + "\"");
  }
  from->unit = from->unit.empty() ? to->unit : from->unit;
  if (from->unit != to->unit) {
    return fault("expected both ends in one unit, found \"" + values + "\"");
  }
  if (!count || !count->unit.empty() || !is_whole(count->number) || count->number < 2 ||
      count->number > static_cast<double>(kMostSweepValues)) {
    return fault("expected from 2 to " + std::to_string(kMostSweepValues) + " values, found \"" +
                 values.substr(second + 1) + "\"");
  }
  const auto steps = static_cast<std::size_t>(count->number) - 1;
  // Options count things: between whole ends all are whole.
  const bool rounds = !is_setting(field) && is_whole(from->number) && is_whole(to->number);
  field.unit = to->unit;
  for (std::size_t i = 0; i <= steps; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(steps);
    double number = i == steps ? to->number : from->number + (to->number - from->number) * share;
    number = rounds ? std::round(number) : number;
    const std::string value = amount_text(number, to->unit);
    if (field.values.empty() || field.values.back().text != value) {
      field.values.push_back({value, number});
    }
  }
  return field;
}

std::vector<std::string> words_of(const SweepField& field, const SweepValue& value) {
  if (is_setting(field)) {
    return {"--set", field.name + "=" + value.text};
  }
  return {"--" + field.name, value.text};
}

}  // namespace phaze::cli
