#include "schedule/ilp_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>

namespace phaze::schedule::ilp {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

constexpr std::chrono::milliseconds kBetweenLooks(100);

// When to wait for a copy no longer.
struct Deadline {
  SteadyTime end;
  const std::function<bool()>& is_cancelled;

  // To wait before the next look, none: it is over.
  std::chrono::milliseconds look() const {
    if (is_cancelled && is_cancelled()) {
      return {};
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        end - std::chrono::steady_clock::now());
    return std::min(left, kBetweenLooks);
  }
};

void write_all(int file, const void* data, std::size_t size) {
  const char* next = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t written = write(file, next, size);
    if (written < 0 && errno != EINTR) {
      return;
    }
    if (written > 0) {
      next += written;
      size -= static_cast<std::size_t>(written);
    }
  }
}

bool read_all(int file, void* data, std::size_t size, const Deadline& deadline) {
  char* next = static_cast<char*>(data);
  while (size > 0) {
    const std::chrono::milliseconds wait = deadline.look();
    if (wait.count() <= 0) {
      return false;
    }
    pollfd ready = {file, POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(wait.count()) + 1) < 0 && errno != EINTR) {
      return false;
    }
    if (ready.revents == 0) {
      continue;
    }
    const ssize_t got = read(file, next, size);
    if (got == 0 || (got < 0 && errno != EINTR)) {
      return false;
    }
    if (got > 0) {
      next += got;
      size -= static_cast<std::size_t>(got);
    }
  }
  return true;
}

// Never returns: a copy must not go on with what this process was doing, nor tidy up for it.
[[noreturn]] void work_in_copy(const std::function<std::vector<double>()>& work, int out,
                               [[maybe_unused]] pid_t parent) {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  while (getppid() != parent) {
    kill(getpid(), SIGKILL);  // it was gone before
  }
#endif
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) {
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    try {
      const std::vector<double> numbers = work();
      const auto count = static_cast<std::uint64_t>(numbers.size());
      write_all(out, &count, sizeof count);
      write_all(out, numbers.data(), numbers.size() * sizeof(double));
    } catch (const std::exception&) {
      // The other side sees that nothing came.
    }
  }
  while (true) {
    kill(getpid(), SIGKILL);
  }
}

std::optional<std::vector<double>> read_numbers(int file, const Deadline& deadline) {
  std::uint64_t count = 0;
  if (!read_all(file, &count, sizeof count, deadline)) {
    return std::nullopt;
  }
  std::vector<double> numbers(count);
  if (!read_all(file, numbers.data(), numbers.size() * sizeof(double), deadline)) {
    return std::nullopt;
  }
  return numbers;
}

}  // namespace

std::optional<std::vector<double>> run_apart(const std::function<std::vector<double>()>& work,
                                             Seconds time_limit,
                                             const std::function<bool()>& is_cancelled) {
  // Half a century at most: a time_point has its limits.
  const std::chrono::duration<double> limit(std::clamp(time_limit.value(), 0.0, 1.5e9));
  const SteadyTime end = std::chrono::steady_clock::now() +
                         std::chrono::duration_cast<std::chrono::steady_clock::duration>(limit);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    return std::nullopt;
  }
  const pid_t parent = getpid();
  const pid_t copy = fork();
  if (copy == 0) {
    close(ends[0]);
    work_in_copy(work, ends[1], parent);
  }
  close(ends[1]);
  std::optional<std::vector<double>> numbers;
  if (copy > 0) {
    numbers = read_numbers(ends[0], {end, is_cancelled});
    kill(copy, SIGKILL);
    while (waitpid(copy, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  return numbers;
}

}  // namespace phaze::schedule::ilp
