#include "launch/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/text.h"

namespace phaze::launch {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The frame of a Bash array, and the script that a launcher starts: no one's values.
bool is_frame(const std::string& word) {
  return word.ends_with("=(") || word == ")" || word.ends_with(".py");
}

}  // namespace

std::vector<Word> split_words(std::string_view text, const std::string& source,
                              Diagnostics& diagnostics) {
  std::vector<Word> words;
  int line = 1, column = 1;
  std::optional<Word> word;
  char quote = 0;
  Location open;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const Location here{source, line, column, ""};
    const auto put = [&](std::string_view letters) {
      if (!word) {
        word = Word{"", here};
      }
      word->text += letters;
    };
    bool is_taken = false;  // the next one too
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else if (c == '\\' && quote == '"' && i + 1 < text.size()) {
        put(text.substr(i + 1, 1));
        is_taken = true;
      } else {
        put(text.substr(i, 1));
      }
    } else if (c == '\\' && i + 1 < text.size()) {
      if (text[i + 1] != '\n') {
        put(text.substr(i + 1, 1));
      }
      is_taken = true;
    } else if (c == '\'' || c == '"') {
      put("");
      quote = c;
      open = here;
    } else if (c == '#' && !word) {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      column += static_cast<int>(end - i);
      i = end - 1;
      continue;
    } else if (is_blank(c)) {
      if (word) {
        words.push_back(*std::exchange(word, std::nullopt));
      }
    } else {
      put(text.substr(i, 1));
    }
    for (const char passed : text.substr(i, is_taken ? 2 : 1)) {
      line += passed == '\n' ? 1 : 0;
      column = passed == '\n' ? 1 : column + 1;
    }
    i += is_taken ? 1 : 0;
  }
  if (word) {
    words.push_back(*std::move(word));
  }
  if (quote != 0) {
    diagnostics.error(open, "this quote has no end");
  }
  return words;
}

Arguments::Arguments(const std::vector<Word>& words, Diagnostics& diagnostics)
    : diagnostics_(diagnostics) {
  everything_.source = words.empty() ? "command line" : words.front().where.source;
  std::vector<Argument> read;
  for (const Word& word : words) {
    if (is_frame(word.text)) {
      continue;
    }
    if (word.text.starts_with("--")) {
      const std::size_t equals = word.text.find('=');
      Argument& argument = read.emplace_back();
      argument.name = word.text.substr(0, equals);
      argument.where = word.where;
      argument.where.key = argument.name;
      if (equals != std::string::npos) {
        argument.values.push_back({word.text.substr(equals + 1), word.where});
      }
    } else if (!read.empty()) {
      read.back().values.push_back(word);
    }
  }
  for (Argument& argument : read) {
    const auto before = std::ranges::find(all_, argument.name, &Argument::name);
    if (before == all_.end()) {
      all_.push_back(std::move(argument));
      continue;
    }
    const bool is_same =
        std::ranges::equal(before->values, argument.values, {}, &Word::text, &Word::text);
    if (!is_same) {
      diagnostics.error(argument.where, "is there twice with different values, first in line " +
                                            std::to_string(before->where.line) + ", column " +
                                            std::to_string(before->where.column));
    }
  }
}

const Argument* Arguments::find(const std::string& name) const {
  const auto found = std::ranges::find(all_, name, &Argument::name);
  return found == all_.end() ? nullptr : &*found;
}

const Word* Arguments::value(const std::string& name) {
  asked_.insert(name);
  const auto found = std::ranges::find(all_, name, &Argument::name);
  if (found == all_.end()) {
    return nullptr;
  }
  found->is_used = true;
  if (found->values.size() != 1) {
    diagnostics_.error(found->where,
                       "expected one value, found " + std::to_string(found->values.size()));
    return nullptr;
  }
  const Word& word = found->values.front();
  if (word.text.find('$') != std::string::npos) {
    diagnostics_.error(found->where, "expected a value, found the shell's variable \"" +
                                         shortened(word.text) + "\"; put its value in its place");
    return nullptr;
  }
  return &word;
}

bool Arguments::flag(const std::string& name) {
  asked_.insert(name);
  const auto found = std::ranges::find(all_, name, &Argument::name);
  if (found == all_.end()) {
    return false;
  }
  found->is_used = true;
  if (!found->values.empty()) {
    diagnostics_.error(found->where,
                       "takes no value, found \"" + shortened(found->values.front().text) + "\"");
  }
  return true;
}

std::optional<std::int64_t> Arguments::count(const std::string& name, std::int64_t most,
                                             std::int64_t least) {
  const Word* word = value(name);
  if (word == nullptr) {
    return std::nullopt;
  }
  std::int64_t number = 0;
  const char* end = word->text.data() + word->text.size();
  const auto [last, fault] = std::from_chars(word->text.data(), end, number);
  if (fault != std::errc() || last != end || number < least || number > most) {
    error(name, "expected a whole number from " + std::to_string(least) + " to " +
                    std::to_string(most) + ", found \"" + shortened(word->text) + "\"");
    return std::nullopt;
  }
  return number;
}

std::optional<double> Arguments::fraction(const std::string& name) {
  const Word* word = value(name);
  if (word == nullptr) {
    return std::nullopt;
  }
  double number = 0;
  const char* end = word->text.data() + word->text.size();
  const auto [last, fault] = std::from_chars(word->text.data(), end, number);
  if (fault != std::errc() || last != end || !(number >= 0 && number <= 1)) {
    error(name, "expected a number from 0 to 1, found \"" + shortened(word->text) + "\"");
    return std::nullopt;
  }
  return number;
}

std::optional<std::string> Arguments::text(const std::string& name) {
  const Word* word = value(name);
  return word == nullptr ? std::nullopt : std::optional(word->text);
}

Location Arguments::where(const std::string& name) const {
  const Argument* found = find(name);
  Location place = found == nullptr ? everything_ : found->where;
  place.key = name;
  return place;
}

void Arguments::error(const std::string& name, const std::string& message) {
  diagnostics_.error(where(name), message);
}

std::vector<std::string> Arguments::unused() const {
  std::vector<std::string> names;
  for (const Argument& argument : all_) {
    if (!argument.is_used) {
      names.push_back(argument.name);
    }
  }
  return names;
}

}  // namespace phaze::launch
