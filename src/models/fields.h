#pragma once
// Typed access to the keys of a configuration, one diagnostic per fault.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "io/document.h"

namespace phaze::models {

class Fields {
 public:
  Fields(const io::Value& map, Diagnostics& diagnostics) : map_(map), diagnostics_(diagnostics) {}

  // The first of `names` that the file has decides, null counting as missing; none: `fallback`.
  // A value outside [1 (or `least`), most] is a fault, and then the fallback stands in so that
  // reading goes on and finds further faults.
  std::int64_t count(const std::vector<std::string>& names, std::int64_t fallback,
                     std::int64_t most, std::int64_t least = 1);
  std::optional<std::int64_t> optional_count(const std::vector<std::string>& names,
                                             std::int64_t most, std::int64_t least = 1);
  bool flag(const std::string& name, bool fallback);
  // A number in [0, 1].
  double fraction(const std::vector<std::string>& names, double fallback);
  std::string text(const std::vector<std::string>& names, const std::string& fallback);

  const io::Value* find(const std::vector<std::string>& names);
  // Is the key written, as null?
  bool is_null(const std::string& name) const;
  void error(const std::string& key, const std::string& message);
  // At the first of `names` that the file has; with none of them there, the first.
  void error_at_first(const std::vector<std::string>& names, const std::string& message);
  Location where(const std::string& key) const;
  Diagnostics& diagnostics() { return diagnostics_; }
  // Did no fallback take the place of a wrong count under one of these names? Of one that did,
  // nothing can be said of how it goes with others.
  bool are_sound(const std::vector<std::string>& names) const;

  // A key that was not asked for but is a slip of the finger away from one that was, and that the
  // file does not have, is a fault: its value would be lost in silence.
  void report_misspelt_keys();

 private:
  void wrong_type(const io::Value& value, const std::string& expected);

  const io::Value& map_;
  Diagnostics& diagnostics_;
  std::vector<std::string> asked_, wrong_counts_;
};

}  // namespace phaze::models
