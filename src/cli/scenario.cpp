#include "cli/scenario.h"

#include <algorithm>

#include "base/check.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "io/document.h"

namespace phaze::cli {
namespace {

struct Command {
  const char* name;
  std::vector<Figure> figures;
};

const std::vector<Command>& commands() {
  static const std::vector<Command> all = {
      {"place",
       {{"iteration_s", "iteration_s"},
        {"tokens_per_s", "tokens_per_s"},
        {"mfu", "mfu"},
        {"tensor", "tensor"},
        {"pipeline", "pipeline"},
        {"data", "data"},
        {"microbatch", "microbatch"},
        {"interleave", "interleave"},
        {"recompute", "recompute"},
        {"zero", "zero"},
        {"peak_memory_bytes", "peak_memory_bytes"},
        {"days", "training.days"},
        {"cost_usd", "training.cost_usd"},
        {"carbon_kg", "training.carbon_kg"}}},
      {"estimate",
       {{"step_s", "step.total_s"},
        {"forward_s", "step.forward_s"},
        {"backward_s", "step.backward_s"},
        {"optimizer_s", "step.optimizer_s"},
        {"peak_memory_bytes", "step.peak_memory_bytes"},
        {"fits", "step.fits"},
        {"time_s", "time_s"},
        {"utilisation", "utilisation"}}},
      {"search",
       {{"value", "best.value"},
        {"chip", "best.chip"},
        {"area_mm2", "best.area_mm2"},
        {"tdp_w", "best.tdp_w"},
        {"hbm_bytes", "best.hbm_bytes"},
        {"status", "best.status"}}},
  };
  return all;
}

const io::Value* find_path(const io::Value& root, const std::string& path) {
  const io::Value* at = &root;
  for (std::size_t begin = 0; at != nullptr && begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    at = at->find(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return at;
}

plan::DataCell cell_of(const io::Value* value) {
  if (value == nullptr) {
    return {};
  }
  switch (value->kind) {
    case io::ValueKind::kInteger:
      return value->integer;
    case io::ValueKind::kNumber:
      return value->number;
    case io::ValueKind::kText:
    case io::ValueKind::kBoolean:
      return value->text;
    case io::ValueKind::kNull:
    case io::ValueKind::kList:
    case io::ValueKind::kMap:
      return {};
  }
  return {};
}

// Of bad input the first error, of others the last line: notes come before.
std::string reason_of(const std::string& messages, bool is_bad) {
  std::string reason;
  for (std::size_t begin = 0; begin < messages.size();) {
    const std::size_t end = std::min(messages.find('\n', begin), messages.size());
    const std::string line = messages.substr(begin, end - begin);
    begin = end + 1;
    if (is_bad && line.find("error: ") != std::string::npos) {
      reason = line;
      break;
    }
    reason = line;
  }
  constexpr std::string_view kName = "phaze: ";
  return reason.starts_with(kName) ? reason.substr(kName.size()) : reason;
}

}  // namespace

std::string to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kSolved:
      return "ok";
    case Outcome::kInfeasible:
      return "infeasible";
    case Outcome::kRefused:
      return "bad input";
    case Outcome::kStopped:
      return "interrupted";
  }
  return "";
}

std::vector<std::string> scenario_commands() {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    names.emplace_back(command.name);
  }
  return names;
}

const std::vector<Figure>& figures_of(const std::string& command) {
  const auto found = std::ranges::find(commands(), command, &Command::name);
  CHECK(found != commands().end(), "a command without figures");
  return found->figures;
}

ScenarioRun run_scenario(const std::vector<std::string>& words) {
  const std::vector<Figure>& figures = figures_of(words.at(0));
  std::vector<std::string> asked = words;
  asked.emplace_back("--json");
  ScenarioRun run;
  run.cells.resize(figures.size());
  CaptureOutput output;
  const int exit_code = run_words(asked);
  run.outcome = exit_code == kAnswer        ? Outcome::kSolved
                : exit_code == kNoAnswer    ? Outcome::kInfeasible
                : exit_code == kInterrupted ? Outcome::kStopped
                                            : Outcome::kRefused;
  if (run.outcome != Outcome::kSolved) {
    run.message = reason_of(output.messages, run.outcome == Outcome::kRefused);
    return run;
  }
  Diagnostics diagnostics;
  const auto document = io::parse_document(output.answer, "answer", diagnostics);
  bool has_figures = false;
  for (std::size_t i = 0; document && i < figures.size(); ++i) {
    run.cells[i] = cell_of(find_path(*document, figures[i].path));
    has_figures = has_figures || !std::holds_alternative<std::monostate>(run.cells[i]);
  }
  if (!has_figures) {  // as with --help
    run.outcome = Outcome::kRefused;
    run.message = "command line: error: expected arguments of " + words[0] +
                  " with which it answers with figures";
  }
  return run;
}

}  // namespace phaze::cli
