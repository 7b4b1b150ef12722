#include "cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <utility>

#include "base/text.h"
#include "cli/interrupt.h"

namespace phaze::cli {
namespace {

using std::chrono::steady_clock;
constexpr std::chrono::milliseconds kQuiet{2000};
constexpr std::chrono::milliseconds kRedraw{100};
constexpr std::chrono::milliseconds kPlainLine{10'000};

std::size_t terminal_columns() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kUsual;
}

// Without the locks of a stream, which a copy of the process (fork) would find closed.
void write_error(const std::string& text) {
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Progress::Progress() : is_terminal_(isatty(STDERR_FILENO) == 1) {
  thread_ = std::thread([this] { draw_until_done(); });
}

Progress::~Progress() {
  {
    const std::lock_guard lock(mutex_);
    is_done_ = true;
  }
  done_.notify_one();
  thread_.join();
  // That it is stopping stands there even where nothing was drawn yet.
  if (!drawn_.empty() || (is_terminal_ && was_interrupted())) {
    write_error("\r\x1b[K");
  }
}

void Progress::show(std::string text) {
  const std::lock_guard lock(mutex_);
  text_ = std::move(text);
}

void Progress::draw_until_done() {
  const auto start = steady_clock::now();
  auto next = start + (is_terminal_ ? kQuiet : kPlainLine);
  std::unique_lock lock(mutex_);
  while (!done_.wait_until(lock, next, [this] { return is_done_; })) {
    const std::string text = text_;
    lock.unlock();
    draw(text, steady_clock::now() - start);
    next = steady_clock::now() + (is_terminal_ ? kRedraw : kPlainLine);
    lock.lock();
  }
}

void Progress::draw(const std::string& text, std::chrono::duration<double> since) {
  const std::string seconds = std::to_string(static_cast<long>(since.count())) + " s";
  if (!is_terminal_) {
    write_error("phaze: " + printable(text) + "; " + seconds + "\n");
    return;
  }
  constexpr std::size_t kRoom = 8;  // for "...", two spaces and the last column
  const std::size_t columns = terminal_columns();
  const std::size_t most = columns > seconds.size() + kRoom ? columns - seconds.size() - kRoom : 0;
  const std::string line = shortened(printable(text), most) + "  " + seconds;
  if (line != drawn_) {
    write_error("\r\x1b[K" + line);
    drawn_ = line;
  }
}

}  // namespace phaze::cli
