#pragma once
// A command line of another program as text: cut into words as a shell would, each with its place,
// and options with their values looked up by name.

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"

namespace phaze::launch {

struct Word {
  std::string text;
  Location where;
};

// Blanks and line ends part words; quotes and backslashes are taken off; what follows a # at the
// start of a word is a comment. An open quote is a fault.
std::vector<Word> split_words(std::string_view text, const std::string& source,
                              Diagnostics& diagnostics);

// An option as it is written: "--name value ..." or "--name=value".
struct Argument {
  std::string name;  // with its dashes
  std::vector<Word> values;
  Location where;
  bool is_used = false;
};

class Arguments {
 public:
  // Words before the first option belong to no one. Where an option comes twice the last one
  // counts, as everywhere; other values than before are a fault.
  Arguments(const std::vector<Word>& words, Diagnostics& diagnostics);

  // Options that were asked for count as used. Wrong values are faults, and count as missing.
  bool flag(const std::string& name);
  std::optional<std::int64_t> count(const std::string& name, std::int64_t most,
                                    std::int64_t least = 1);
  std::optional<double> fraction(const std::string& name);  // from 0 to 1
  std::optional<std::string> text(const std::string& name);

  bool has(const std::string& name) const { return find(name) != nullptr; }
  // The place of an option, or of all of them when it is not there.
  Location where(const std::string& name) const;
  void error(const std::string& name, const std::string& message);
  // Names that nobody asked for, in their order, each once.
  std::vector<std::string> unused() const;
  // Names that somebody asked for, there or not.
  std::vector<std::string> asked() const { return {asked_.begin(), asked_.end()}; }

 private:
  const Argument* find(const std::string& name) const;
  // Its only value; a fault when there is none or several.
  const Word* value(const std::string& name);

  std::vector<Argument> all_;
  std::set<std::string> asked_;
  Location everything_;
  Diagnostics& diagnostics_;
};

}  // namespace phaze::launch
