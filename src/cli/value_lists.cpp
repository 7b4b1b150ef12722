#include "cli/value_lists.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace phaze::cli {
namespace {

constexpr std::int64_t kMostValues = 100'000;

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

std::vector<std::int64_t> parse_numbers(const std::string& option, const std::string& text,
                                        std::int64_t least, Diagnostics& diagnostics) {
  std::vector<std::int64_t> values;
  if (text.empty()) {
    return values;
  }
  for (const std::string& part : split_list(text)) {
    const std::size_t colon = part.find(':');
    const auto first = parse_number(std::string_view(part).substr(0, colon));
    const auto last =
        colon == std::string::npos ? first : parse_number(std::string_view(part).substr(colon + 1));
    if (!first || !last || *first < least || *last < *first || *last - *first >= kMostValues) {
      diagnostics.error({"command line", 0, 0, option},
                        "expected whole numbers from " + std::to_string(least) +
                            " on and ranges of them, such as 4,8 or 1:16, found \"" + part + "\"");
      return {};
    }
    for (std::int64_t value = *first; value <= *last; ++value) {
      values.push_back(value);
    }
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace phaze::cli
