#pragma once
// One run of another command, with its answer as numbers: what `phaze sweep` and `phaze batch` are
// made of.

#include <string>
#include <vector>

#include "plan/data_table.h"

namespace phaze::cli {

// Figures of a command's answer, in the order of its columns.
struct Figure {
  std::string column;  // with its unit
  std::string path;    // of the value in the answer's JSON, keys and numbers with dots between
};

enum class Outcome { kSolved, kInfeasible, kRefused, kStopped };
std::string to_string(Outcome outcome);

struct ScenarioRun {
  Outcome outcome = Outcome::kSolved;
  std::vector<plan::DataCell> cells;  // of the figures; nothing where the answer has none
  std::string message;                // without an answer: why, on one line
};

// Commands that answer with figures: place, estimate, search.
std::vector<std::string> scenario_commands();
const std::vector<Figure>& figures_of(const std::string& command);

// A command and its arguments, without --json.
ScenarioRun run_scenario(const std::vector<std::string>& words);

}  // namespace phaze::cli
