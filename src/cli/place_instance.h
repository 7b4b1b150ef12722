#pragma once
// `phaze place --phaze-instance FILE`: a placement problem of the original Phaze.

#include <string>

namespace phaze::cli {

// Reads the file, solves it, has the answer checked and prints it; the exit code.
int run_phaze_instance(const std::string& path, bool json);

}  // namespace phaze::cli
