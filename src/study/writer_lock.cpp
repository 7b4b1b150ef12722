#include "study/writer_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace phaze::study {
namespace {

constexpr mode_t kAnyone = 0666;  // less the user's umask
// One byte that no file has, far from those that SQLite locks (they start at 1 GiB).
constexpr off_t kWriterByte = off_t{1} << 62;

struct flock lock_of(short kind) {
  struct flock lock {};
  lock.l_type = kind;
  lock.l_whence = SEEK_SET;
  lock.l_start = kWriterByte;
  lock.l_len = 1;
  return lock;
}

bool fail(const std::string& path, const std::string& message, Diagnostics& diagnostics) {
  diagnostics.error({path}, message);
  return false;
}

}  // namespace

bool check_file(const std::string& path, bool may_be_missing, Diagnostics& diagnostics) {
  if (path.empty()) {
    return fail("command line", "expected the name of a study's file", diagnostics);
  }
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return (may_be_missing && errno == ENOENT) ||
           fail(path, std::string("cannot be opened: ") + std::strerror(errno), diagnostics);
  }
  return S_ISREG(status.st_mode) ||
         fail(path,
              std::string("expected a study (an SQLite file), found ") +
                  (S_ISDIR(status.st_mode) ? "a folder" : "no plain file"),
              diagnostics);
}

std::optional<WriterLock> WriterLock::take(const std::string& path, Diagnostics& diagnostics) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kAnyone);
  if (file < 0) {
    fail(path, std::string("cannot be written: ") + std::strerror(errno), diagnostics);
    return std::nullopt;
  }
  WriterLock taken(file);
  struct flock lock = lock_of(F_WRLCK);
  if (::fcntl(file, F_OFD_SETLK, &lock) != 0) {
    const bool is_taken = errno == EAGAIN || errno == EACCES;
    fail(path,
         is_taken ? "another run is writing to this study; wait for its end or give another file"
                  : std::string("cannot be locked: ") + std::strerror(errno),
         diagnostics);
    return std::nullopt;
  }
  return taken;
}

WriterLock::WriterLock(WriterLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

WriterLock& WriterLock::operator=(WriterLock&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

WriterLock::~WriterLock() {
  if (file_ >= 0) {
    ::close(file_);
  }
}

bool has_writer(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    return false;
  }
  struct flock lock = lock_of(F_WRLCK);
  const bool is_known = ::fcntl(file, F_OFD_GETLK, &lock) == 0;
  ::close(file);
  return is_known && lock.l_type != F_UNLCK;
}

}  // namespace phaze::study
