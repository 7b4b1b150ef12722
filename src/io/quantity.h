#pragma once
// Numbers with units as people write them: "1.05 GHz", "80 GiB", "1.2 TB/s", "400 Gb/s", "4 us".

#include <optional>
#include <string>
#include <string_view>

namespace phaze::io {

enum class Dimension {
  kFrequency,       // hertz
  kBytes,           // bytes; KiB, MiB, ... and kB, MB, ...
  kBytesPerSecond,  // also bits per second: Gb/s, Tb/s
  kSeconds,
  kPower,  // watts
  kArea,   // square millimetres
  kMoney,  // US dollars
};

// The value in the dimension's base unit; nothing when the text is no number with such a unit.
std::optional<double> parse_quantity(std::string_view text, Dimension dimension);

// What a key of this dimension ends in: "_hz", "_bytes", "_bytes_per_s", "_s", "_w", "_mm2",
// "_usd".
std::string_view key_suffix(Dimension dimension);

// An example for messages: "a frequency such as \"1.4 GHz\"".
std::string_view example(Dimension dimension);

}  // namespace phaze::io
