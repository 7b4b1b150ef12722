#pragma once
// Files that commands write beside their answer.

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace phaze::cli {

// What is read, and where from: {"model", "config.json"}. Names of what is built in do no harm.
using Inputs = std::vector<std::pair<std::string, std::string>>;

// Why nothing can be written there: it has no name, would mix with the answer, or replace what is
// read. Nothing: it may be tried.
std::optional<std::string> find_output_fault(const std::string& path, const Inputs& inputs);

}  // namespace phaze::cli
