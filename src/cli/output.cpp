#include "cli/output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "cli/commands.h"
#include "report/wrap.h"

namespace phaze::cli {

namespace {

CaptureOutput* capture = nullptr;

// Of a terminal; nothing: it is none.
std::optional<std::size_t> columns_of(int stream) {
  if (isatty(stream) != 1) {
    return std::nullopt;
  }
  if (const char* text = std::getenv("COLUMNS")) {
    std::size_t columns = 0;
    const char* end = text + std::strlen(text);
    if (std::from_chars(text, end, columns).ptr == end && columns > 0) {
      return columns;
    }
  }
  winsize size{};
  return ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
             ? std::optional<std::size_t>(size.ws_col)
             : std::nullopt;
}

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
  const std::optional<std::size_t> columns = columns_of(STDOUT_FILENO);
  return columns ? std::clamp<std::size_t>(*columns > kLabels ? *columns - kLabels : 0, 40, 200)
                 : kElsewhere;
}

std::string for_people(std::string text) {
  const auto columns = capture == nullptr ? columns_of(STDOUT_FILENO) : std::nullopt;
  return columns ? report::wrapped(text, *columns) : std::move(text);
}

void report_text(const std::string& text) {
  if (capture != nullptr) {
    capture->messages += text;
  } else {
    const std::optional<std::size_t> columns = columns_of(STDERR_FILENO);
    std::fputs(columns ? report::wrapped(text, *columns).c_str() : text.c_str(), stderr);
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
