#include "io/file_writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace phaze::io {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kAnyone = 0666;  // less the user's umask

bool fail(const std::string& path, int error, Diagnostics& diagnostics) {
  diagnostics.error({path, 0, 0, ""}, std::string("cannot be written: ") + std::strerror(error));
  return false;
}

// 0, or the error.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0) {
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int write_and_close(int file, std::string_view text) {
  const int error = write_all(file, text);
  return ::close(file) != 0 && error == 0 ? errno : error;
}

// The file itself where the path is a link to one.
fs::path target_of(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? fs::path(path) : target;
}

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode) &&
         (!S_ISREG(status.st_mode) || path.starts_with("/dev/"));
}

}  // namespace

bool check_writable(const std::string& path, Diagnostics& diagnostics) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      return fail(path, EISDIR, diagnostics);
    }
    if (::access(path.c_str(), W_OK) != 0) {
      return fail(path, errno, diagnostics);
    }
    if (is_special(path)) {
      return true;
    }
  }
  const fs::path target = target_of(path);
  if (path.empty() || !target.has_filename()) {
    return fail(path, path.empty() ? ENOENT : EISDIR, diagnostics);
  }
  const fs::path folder = folder_of(target);
  if (::stat(folder.c_str(), &status) == 0 && !S_ISDIR(status.st_mode)) {
    return fail(path, ENOTDIR, diagnostics);
  }
  return ::access(folder.c_str(), W_OK | X_OK) == 0 || fail(path, errno, diagnostics);
}

bool write_text_file(const std::string& path, std::string_view text, Diagnostics& diagnostics) {
  if (!check_writable(path, diagnostics)) {
    return false;
  }
  if (is_special(path)) {
    const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    const int error = file < 0 ? errno : write_and_close(file, text);
    return error == 0 || fail(path, error, diagnostics);
  }
  const fs::path target = target_of(path);
  const std::string partial = target.string() + ".partial-" + std::to_string(::getpid());
  const int file = ::open(partial.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kAnyone);
  if (file < 0) {
    return fail(path, errno, diagnostics);
  }
  struct stat status {};
  if (::stat(target.c_str(), &status) == 0) {
    ::fchmod(file, status.st_mode);
  }
  int error = write_and_close(file, text);
  if (error == 0 && ::rename(partial.c_str(), target.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) {
    ::unlink(partial.c_str());
    return fail(path, error, diagnostics);
  }
  return true;
}

}  // namespace phaze::io
