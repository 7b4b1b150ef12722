#pragma once
// Faults of our own: CHECK throws std::logic_error with the place. Never used on user input, which
// gets a Diagnostic instead. Caught once, in main.

#include <stdexcept>
#include <string>

namespace phaze::detail {

[[noreturn]] inline void fail_check(const char* condition, const std::string& why, const char* file,
                                    int line) {
  throw std::logic_error(std::string(file) + ":" + std::to_string(line) + ": " + why + " (" +
                         condition + ")");
}

}  // namespace phaze::detail

#define CHECK(condition, why)                                             \
  do {                                                                    \
    if (!(condition)) {                                                   \
      ::phaze::detail::fail_check(#condition, (why), __FILE__, __LINE__); \
    }                                                                     \
  } while (false)
