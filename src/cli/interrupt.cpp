#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <string_view>

namespace phaze::cli {
namespace {

// What the handler may touch.
std::atomic<bool> is_held{false};
std::atomic<bool> is_pending{false};
std::atomic<bool> is_noting{false};
std::atomic<bool> is_noted{false};
std::atomic<bool> is_terminal{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void write_line(std::string_view line) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

[[noreturn]] void leave() {
  // On a terminal the line of progress, and the terminal's ^C, make room.
  write_line(is_terminal ? "\r\x1b[Kphaze: interrupted\n" : "phaze: interrupted\n");
  _exit(kInterrupted);
}

extern "C" void on_interrupt(int /*signal*/) {
  if (is_held) {
    is_pending = true;
  } else if (is_noting && !is_noted) {
    is_noted = true;
    if (is_terminal) {  // in the place of progress; what is shown next takes it
      write_line("\r\x1b[Kstopping; again ends at once");
    }
  } else {
    leave();
  }
}

}  // namespace

void exit_on_interrupt() {
  struct sigaction action {};
  if (sigaction(SIGINT, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) {
    return;
  }
  is_terminal = isatty(STDERR_FILENO) == 1;
  action = {};
  action.sa_handler = on_interrupt;  // calls that wait end: what is held must not hang
  sigaction(SIGINT, &action, nullptr);
}

NoteInterrupts::NoteInterrupts() { is_noting = true; }

NoteInterrupts::~NoteInterrupts() { is_noting = false; }

bool was_interrupted() { return is_noted; }

HoldInterrupts::HoldInterrupts() { is_held = true; }

HoldInterrupts::~HoldInterrupts() {
  is_held = false;
  if (is_pending) {
    leave();
  }
}

}  // namespace phaze::cli
