#include "cli/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/check.h"
#include "base/text.h"
#include "cli/commands.h"

namespace phaze::cli {

namespace {

CaptureOutput* capture = nullptr;

}  // namespace

CaptureOutput::CaptureOutput() {
  CHECK(capture == nullptr, "outputs are captured one at a time");
  capture = this;
}
CaptureOutput::~CaptureOutput() { capture = nullptr; }

int print(const std::string& text) {
  if (capture != nullptr) {
    capture->answer += text;
    return kAnswer;
  }
  const bool is_written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  // A reader that has seen enough (`| head`) is no fault.
  if (is_written || errno == EPIPE) {
    return kAnswer;
  }
  std::fprintf(stderr, "phaze: cannot write the answer: %s\n", std::strerror(errno));
  return kBadInput;
}

std::size_t chart_width() {
  constexpr std::size_t kElsewhere = 100;
  constexpr std::size_t kLabels = 12;
  winsize size{};
  if (isatty(STDOUT_FILENO) != 1 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 ||
      size.ws_col == 0) {
    return kElsewhere;
  }
  const std::size_t columns = size.ws_col;
  return std::clamp<std::size_t>(columns > kLabels ? columns - kLabels : 0, 40, 200);
}

void report_text(const std::string& text) {
  if (capture != nullptr) {
    capture->messages += text;
  } else {
    std::fputs(text.c_str(), stderr);
  }
}

int report_no_answer(const std::string& why) {
  report_text("phaze: " + why + "\n");
  return kNoAnswer;
}

void report_note(const std::string& note) { report_text("phaze: " + printable(note) + "\n"); }

int report_bad_input(const Diagnostics& diagnostics) {
  report_text(to_string(diagnostics));
  return kBadInput;
}

}  // namespace phaze::cli
