#pragma once
// Everything a user can get wrong is a Diagnostic: where, what was expected, what was found.
// Readers collect all faults of a file in one Diagnostics and return nothing when there is one.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace phaze {

enum class Severity { kError, kWarning };

// A place in a user's input. Empty parts are unknown: a command-line option has no line.
struct Location {
  std::string source;  // a file's path, "standard input" or "command line"
  int line = 0;        // from 1; 0 = unknown
  int column = 0;      // from 1; 0 = unknown
  std::string key{};   // dotted path of the value within the source, such as layers[0].repeat

  bool operator==(const Location&) const = default;
};

struct Diagnostic {
  Severity severity = Severity::kError;
  Location where;
  std::string message;

  bool operator==(const Diagnostic&) const = default;
};

class Diagnostics {
 public:
  void error(Location where, std::string message);
  void warning(Location where, std::string message);

  const std::vector<Diagnostic>& all() const { return items_; }
  std::size_t error_count() const { return error_count_; }
  bool has_errors() const { return error_count_ > 0; }

 private:
  std::vector<Diagnostic> items_;
  std::size_t error_count_ = 0;
};

// "config.json:3:14: error: hidden_size: expected ..., found ..." on one line, fit for a terminal
// whatever a file or a command line held.
std::string to_string(const Diagnostic& diagnostic);

// All of them (of very many the first hundred), a line each, then the number of errors when there
// are several.
std::string to_string(const Diagnostics& diagnostics);

// The one of `names` that is nearest to `given` by edit distance (letters put in, left out,
// replaced or swapped with their neighbour; case does not count), when it is near enough to be a
// slip of the finger (a third of the length of `given`, at least one edit, no more than
// `most_edits`, something in common); otherwise empty. Ties: the first.
std::string nearest_name(std::string_view given, const std::vector<std::string>& names,
                         std::size_t most_edits = static_cast<std::size_t>(-1));

// "; did you mean NAME?" or nothing.
std::string did_you_mean(std::string_view given, const std::vector<std::string>& names);

}  // namespace phaze
