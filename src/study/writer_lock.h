#pragma once
// One writer for a study at a time, from its first look to its end. The lock ends with the process,
// however that ends, and leaves nothing behind.

#include <optional>
#include <string>

#include "base/diagnostics.h"

namespace phaze::study {

class WriterLock {
 public:
  // Makes the file when there is none. Nothing, with a message, when it cannot be opened for
  // writing or another process is its writer.
  static std::optional<WriterLock> take(const std::string& path, Diagnostics& diagnostics);

  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&& other) noexcept;
  ~WriterLock();

 private:
  explicit WriterLock(int file) : file_(file) {}
  int file_;
};

// Whether a process is the study's writer now. Must come before this process opens the database:
// closing a file ends all of SQLite's locks on it.
bool has_writer(const std::string& path);

// Whether the path is that of a plain file, or of none yet where `may_be_missing`.
bool check_file(const std::string& path, bool may_be_missing, Diagnostics& diagnostics);

}  // namespace phaze::study
