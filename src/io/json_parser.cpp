#include "io/json_parser.h"

#include <algorithm>
#include <utility>

#include "io/document_parts.h"
#include "io/document_text.h"

namespace phaze::io {
namespace {

constexpr std::size_t kUsualMembers = 8;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Is this a number by JSON's grammar, which is stricter than YAML's?
bool is_number(std::string_view text) {
  std::size_t at = 0;
  const auto skip = [&](std::string_view one_of) {
    const bool is_there = at < text.size() && one_of.find(text[at]) != std::string_view::npos;
    at += is_there ? 1 : 0;
    return is_there;
  };
  const auto skip_digits = [&] {
    const std::size_t before = at;
    while (at < text.size() && is_digit(text[at])) {
      ++at;
    }
    return at > before;
  };
  skip("-");
  if (!skip("0") && !skip_digits()) {
    return false;
  }
  if (skip(".") && !skip_digits()) {
    return false;
  }
  if (skip("eE")) {
    skip("+-");
    if (!skip_digits()) {
      return false;
    }
  }
  return at == text.size();
}

bool has_equal_keys(const std::vector<Member>& members) {
  std::vector<std::string_view> keys;
  keys.reserve(members.size());
  for (const Member& member : members) {
    keys.emplace_back(member.first);
  }
  std::ranges::sort(keys);
  return std::ranges::adjacent_find(keys) != keys.end();
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  std::optional<Value> parse() {
    Value value;
    skip_space();
    // Only lists and maps: a document that is a scalar may be YAML's.
    const bool is_json = (peek() == '{' || peek() == '[') && parse_value(value);
    skip_space();
    return is_json && at_ == text_.size() ? std::optional(std::move(value)) : std::nullopt;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool skip(char c) {
    const bool is_there = peek() == c;
    at_ += is_there ? 1 : 0;
    return is_there;
  }

  void skip_space() {
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        line_start_ = at_ + 1;
      } else if (c != ' ' && c != '\t' && !(c == '\r' && text_.substr(at_ + 1).starts_with('\n'))) {
        return;
      }
    }
  }

  // All false returns mean: leave the document to the other reader. `value` knows its path.
  bool parse_value(Value& value) {
    value.where.source = source_;
    value.where.line = line_;
    value.where.column = static_cast<int>(at_ - line_start_) + 1;
    if (++count_ > kMaxValues || depth_ >= kMaxDepth) {
      return false;
    }
    switch (peek()) {
      case '{':
        return parse_map(value);
      case '[':
        return parse_list(value);
      case '"':
        value.kind = ValueKind::kText;
        return parse_text(value.text);
      default:
        return parse_plain(value);
    }
  }

  bool parse_map(Value& map) {
    map.kind = ValueKind::kMap;
    ++at_;
    ++depth_;
    skip_space();
    if (!skip('}')) {
      map.members.reserve(kUsualMembers);
      do {
        std::string key;
        skip_space();
        if (peek() != '"' || !parse_text(key)) {
          return false;
        }
        skip_space();
        if (!skip(':')) {
          return false;
        }
        skip_space();
        Member& member = map.members.emplace_back(std::move(key), Value{});
        member.second.where.key = member_path(map, member.first);
        if (!parse_value(member.second)) {
          return false;
        }
        skip_space();
      } while (skip(','));
      if (!skip('}')) {
        return false;
      }
    }
    --depth_;
    return !has_equal_keys(map.members);
  }

  bool parse_list(Value& list) {
    list.kind = ValueKind::kList;
    ++at_;
    ++depth_;
    skip_space();
    if (!skip(']')) {
      do {
        skip_space();
        Value& item = list.items.emplace_back();
        item.where.key = item_path(list, list.items.size() - 1);
        if (!parse_value(item)) {
          return false;
        }
        skip_space();
      } while (skip(','));
      if (!skip(']')) {
        return false;
      }
    }
    --depth_;
    return true;
  }

  bool parse_text(std::string& text) {
    const std::size_t start = ++at_;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') {
        text.assign(text_.substr(start, at_ - start));
        ++at_;
        return true;
      }
      if (c < ' ' || c > '~' || c == '\\') {
        return false;
      }
    }
    return false;
  }

  bool parse_plain(Value& value) {
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (is_digit(peek()) || (peek() >= 'a' && peek() <= 'z') || peek() == '-' ||
            peek() == '+' || peek() == '.' || peek() == 'E')) {
      ++at_;
    }
    value.text.assign(text_.substr(start, at_ - start));
    value.kind = ValueKind::kText;  // of a number that no double holds
    if (value.text == "null") {
      value.kind = ValueKind::kNull;
      value.text.clear();
      return true;
    }
    if (value.text != "true" && value.text != "false" && !is_number(value.text)) {
      return false;
    }
    read_plain(value);
    return true;
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::size_t line_start_ = 0;
  std::size_t count_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

std::optional<Value> parse_plain_json(std::string_view text, const std::string& source) {
  return Parser(text, source).parse();
}

}  // namespace phaze::io
