#pragma once
// Reads the keys of one map of a file of ours: typed, with defaults, each fault a diagnostic with
// its place. Keys that nobody asked for are faults when `finish` is called. One mistake is one
// fault: a key that has one gets no other, and a required key that is only misspelt does not count
// as missing too.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "io/document.h"
#include "io/quantity.h"

namespace phaze::io {

struct Bounds {
  double least = 0;
  double most = 1e30;
  bool least_allowed = true;  // is `least` itself allowed?
};

// Above zero: what a size, a rate or a time usually is.
inline constexpr Bounds kPositive{0, 1e30, false};

class MapReader {
 public:
  // A value that is no map is a fault, the only one: every key is then missing, and none is asked
  // for.
  MapReader(const Value& map, Diagnostics& diagnostics);

  bool has(const std::string& key) const { return map_.find(key) != nullptr; }

  // Without a fallback the key is required.
  std::int64_t count(const std::string& key, std::optional<std::int64_t> fallback,
                     std::int64_t least, std::int64_t most);
  double number(const std::string& key, std::optional<double> fallback, Bounds bounds);
  bool flag(const std::string& key, std::optional<bool> fallback);
  std::string text(const std::string& key, const std::optional<std::string>& fallback);

  // `name` with a value that carries its unit ("1.4 GHz"), or `name` + suffix ("clock_hz") with a
  // plain number; giving both is a fault.
  double quantity(const std::string& name, Dimension dimension, std::optional<double> fallback,
                  Bounds bounds = kPositive);
  // Nothing when neither key is there.
  std::optional<double> optional_quantity(const std::string& name, Dimension dimension,
                                          Bounds bounds = kPositive);

  // One of the names that `parse` knows.
  template <class T>
  T choice(const std::string& key, std::optional<T> fallback,
           const std::function<std::optional<T>(std::string_view)>& parse,
           const std::vector<std::string>& names) {
    const Value* value = find(key);
    if (value == nullptr) {
      if (!fallback) {
        error(key, "this key is required");
      }
      return fallback.value_or(T{});
    }
    const std::optional<T> parsed = parse(value->text);
    if (!parsed) {
      report(*value, "expected one of " + joined(names) + ", found " + describe(*value) +
                         did_you_mean(value->text, names));
    }
    return parsed.value_or(T{});
  }

  // A list; a missing one is empty.
  const std::vector<Value>& list(const std::string& key, const std::string& expected);
  // A list of at least one `item`; a missing or empty one is a fault.
  const std::vector<Value>& full_list(const std::string& key, const std::string& expected,
                                      const std::string& item);
  // A map inside; nothing when it is missing.
  const Value* child(const std::string& key);

  // The value of a key, which then counts as asked for.
  const Value* find(const std::string& key);
  // Keys that others write and we do not read.
  void ignore(const std::vector<std::string>& keys);
  void finish();

  // A fault at a key, or at the map where the key is not there; nothing when the key has one.
  void error(const std::string& key, const std::string& message);
  // Has the key no fault so far? What follows from the others needs no check of its own.
  bool is_sound(const std::string& key) const;

 private:
  void report(const Value& value, const std::string& message);
  void drop_missing(const std::string& key);
  static std::string joined(const std::vector<std::string>& names);
  Location place_of(const std::string& key) const;

  const Value& map_;
  Diagnostics& diagnostics_;
  std::vector<std::string> asked_;
  std::vector<std::string> ignored_;
  std::vector<std::string> faulty_;     // whole paths
  std::vector<Diagnostic> of_missing_;  // faults at keys that are not there
};

}  // namespace phaze::io
