#pragma once
// Counts with their nouns, for people: "1 device", "1,024 devices".

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"

namespace phaze {

// `many` where it is not `one` and an s: counted(n, "pass", "passes"). Either may go on with what
// agrees with it: counted(n, "device is idle", "devices are idle").
std::string counted(std::integral auto count, std::string_view one, std::string_view many = "") {
  std::string text = with_thousands(static_cast<std::int64_t>(count)) + " ";
  text += count == 1 || many.empty() ? one : many;
  return count != 1 && many.empty() ? text + "s" : text;
}

}  // namespace phaze
