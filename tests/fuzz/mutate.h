#pragma once
// Mutations that keep JSON nearly JSON, so that the fuzzers get past the parser: a value is
// replaced by another one of the file, by a word or a number that matters, or doubled, or taken
// out. One in four goes to libFuzzer's own.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace phaze::fuzz {

struct Span {
  std::size_t begin, end;
};

// Strings, numbers, words and bracketed groups.
inline std::vector<Span> find_values(const std::string& text) {
  std::vector<Span> values;
  std::vector<std::size_t> open;
  const std::string kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-";
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      const std::size_t end = text.find('"', at + 1);
      if (end == std::string::npos) {
        break;
      }
      values.push_back({at, end + 1});
      at = end;
    } else if (c == '{' || c == '[') {
      open.push_back(at);
    } else if ((c == '}' || c == ']') && !open.empty()) {
      values.push_back({open.back(), at + 1});
      open.pop_back();
    } else if (kPlain.find(c) != std::string::npos) {
      const std::size_t end = std::min(text.find_first_not_of(kPlain, at), text.size());
      values.push_back({at, end});
      at = end - 1;
    }
  }
  return values;
}

inline std::string mutate(std::string text, const std::vector<std::string>& words,
                          std::minstd_rand& random) {
  const std::vector<Span> values = find_values(text);
  if (values.empty()) {
    return text;
  }
  const auto pick = [&](std::size_t below) { return random() % below; };
  const Span at = values[pick(values.size())];
  const std::string old = text.substr(at.begin, at.end - at.begin);
  constexpr const char* kNumbers[] = {"0",
                                      "1",
                                      "2",
                                      "3",
                                      "4",
                                      "7",
                                      "8",
                                      "16",
                                      "-1",
                                      "65536",
                                      "1048576",
                                      "1073741824",
                                      "1125899906842624",
                                      "9223372036854775807",
                                      "1e",
                                      "0.5",
                                      "1e30",
                                      "1e400",
                                      "null",
                                      "true",
                                      "false"};
  switch (pick(5)) {
    case 0: {  // another value of the file
      const Span other = values[pick(values.size())];
      return text.replace(at.begin, old.size(), text.substr(other.begin, other.end - other.begin));
    }
    case 1:
      return text.replace(at.begin, old.size(), "\"" + words[pick(words.size())] + "\"");
    case 2:
      return text.replace(at.begin, old.size(), kNumbers[pick(std::size(kNumbers))]);
    case 3:  // twice
      return text.insert(at.begin, old + ",");
    default: {  // out, with the comma after it
      const bool has_comma = at.end < text.size() && text[at.end] == ',';
      return text.erase(at.begin, old.size() + (has_comma ? 1 : 0));
    }
  }
}

inline std::size_t mutate_in_place(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                   unsigned seed, const std::vector<std::string>& words) {
  std::minstd_rand random(seed);
  if (random() % 4 == 0) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  const std::string text =
      mutate({reinterpret_cast<const char*>(data), size}, words, random).substr(0, max_size);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

}  // namespace phaze::fuzz
