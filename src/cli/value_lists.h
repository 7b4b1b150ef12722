#pragma once
// Options that take several values: "4,8", "1:16", "1:4,8".

#include <cstdint>
#include <string>
#include <vector>

#include "base/diagnostics.h"

namespace phaze::cli {

// Whole numbers from `least` on, and ranges of them; none for an empty text. At most 100,000
// values.
std::vector<std::int64_t> parse_numbers(const std::string& option, const std::string& text,
                                        std::int64_t least, Diagnostics& diagnostics);

// The parts between commas.
std::vector<std::string> split_list(const std::string& text);

}  // namespace phaze::cli
