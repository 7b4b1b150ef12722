#pragma once
// Fields of a sweep and their values: "chip.hbm.bandwidth=2TB/s:4TB/s:5", "devices=64,128,256".

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"

namespace phaze::cli {

struct SweepValue {
  std::string text;              // as the command takes it
  std::optional<double> number;  // of it, without its unit
};

struct SweepField {
  std::string name;
  std::string unit;  // of all values, where they have the same
  std::vector<SweepValue> values;
};

inline constexpr std::size_t kMostSweepValues = 10'000;

// FIELD=a:b:n, n values from a to b, evenly; FIELD=v1,v2,... Nothing after a fault.
std::optional<SweepField> parse_sweep_field(const std::string& text, Diagnostics& diagnostics);

// Is it a field of the chip or the cluster, which --set changes? Others are options.
bool is_setting(const SweepField& field);

// What the value adds to a command.
std::vector<std::string> words_of(const SweepField& field, const SweepValue& value);

}  // namespace phaze::cli
