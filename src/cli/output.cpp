#include "cli/output.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/text.h"
#include "cli/commands.h"

namespace phaze::cli {

int print(const std::string& text) {
  const bool is_written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  // A reader that has seen enough (`| head`) is no fault.
  if (is_written || errno == EPIPE) {
    return kAnswer;
  }
  std::fprintf(stderr, "phaze: cannot write the answer: %s\n", std::strerror(errno));
  return kBadInput;
}

int report_no_answer(const std::string& why) {
  std::fputs(("phaze: " + why + "\n").c_str(), stderr);
  return kNoAnswer;
}

void report_note(const std::string& note) {
  std::fputs(("phaze: " + printable(note) + "\n").c_str(), stderr);
}

int report_bad_input(const Diagnostics& diagnostics) {
  std::fputs(to_string(diagnostics).c_str(), stderr);
  return kBadInput;
}

}  // namespace phaze::cli
