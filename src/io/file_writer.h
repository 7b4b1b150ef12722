#pragma once
// Files that a run leaves behind.

#include <string>
#include <string_view>

#include "base/diagnostics.h"

namespace phaze::io {

// Whether a file could be written there, as far as can be told without writing it: to say so before
// the work is done. A fault says why not.
bool check_writable(const std::string& path, Diagnostics& diagnostics);

// Writes the file whole or, with a fault, not at all: under another name in its folder, which then
// takes the place of what was there. What is no plain file (a pipe, /dev/stdout) is written as it
// is.
bool write_text_file(const std::string& path, std::string_view text, Diagnostics& diagnostics);

}  // namespace phaze::io
