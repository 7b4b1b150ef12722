#include "cli/output_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace phaze::cli {
namespace {

// Whether a path is where an open file of this process is; not of /dev/null, which keeps nothing.
bool is_open_as(const std::string& path, int file) {
  struct stat at {};
  struct stat open {};
  struct stat nothing {};
  if (::stat(path.c_str(), &at) != 0 || ::fstat(file, &open) != 0 ||
      ::stat("/dev/null", &nothing) != 0) {
    return false;
  }
  const auto place = [](const struct stat& status) {
    return std::pair(status.st_dev, status.st_ino);
  };
  return place(at) == place(open) && place(at) != place(nothing);
}

}  // namespace

std::optional<std::string> find_output_fault(const std::string& path, const Inputs& inputs) {
  if (path.empty() || path == "-") {
    return "expected the name of a file, found \"" + path + "\"";
  }
  if (is_open_as(path, STDOUT_FILENO)) {
    return "is standard output, where the answer goes; expected another file";
  }
  std::error_code ignored;
  // An input may be a file that is still to be written.
  const auto place = std::filesystem::weakly_canonical(path, ignored);
  for (const auto& [name, input] : inputs) {
    const bool is_same =
        std::filesystem::equivalent(path, input, ignored) ||
        (!input.empty() && std::filesystem::weakly_canonical(input, ignored) == place);
    if (is_same || (input == "-" && is_open_as(path, STDIN_FILENO))) {
      return "is the " + name + "'s own file";
    }
  }
  return std::nullopt;
}

}  // namespace phaze::cli
