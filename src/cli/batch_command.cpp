// `phaze batch`: many scenarios of a file, one table.
#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/scenario.h"
#include "cli/table_output.h"
#include "io/document.h"
#include "io/map_reader.h"

namespace phaze::cli {
namespace {

struct BatchOptions : CommonOptions {
  std::string file, csv;
};

struct Scenario {
  std::string name;
  std::vector<std::string> words;
};

bool is_scalar(const io::Value& value) {
  return value.kind != io::ValueKind::kNull && value.kind != io::ValueKind::kList &&
         value.kind != io::ValueKind::kMap;
}

// "devices: 64" is --devices 64, "why: true" is --why, a list is an option given several times.
void add_option(const std::string& name, const io::Value& value, std::vector<std::string>& words,
                Diagnostics& diagnostics) {
  const std::string option = "--" + name;
  if (value.kind == io::ValueKind::kBoolean) {
    if (value.boolean) {
      words.push_back(option);
    }
    return;
  }
  const std::vector<io::Value> one = {value};
  for (const io::Value& item : value.kind == io::ValueKind::kList ? value.items : one) {
    if (!is_scalar(item)) {
      diagnostics.error(item.where,
                        "expected a value of " + option + ", found " + io::describe(item));
      return;
    }
    words.push_back(option);
    words.push_back(item.text);
  }
}

Scenario read_scenario(const io::Value& value, std::size_t index, Diagnostics& diagnostics) {
  io::MapReader map(value, diagnostics);
  Scenario scenario;
  if (value.kind != io::ValueKind::kMap) {
    return scenario;
  }
  scenario.name = map.text("name", std::to_string(index + 1));
  const std::vector<std::string> known = scenario_commands();
  scenario.words.push_back(map.choice<std::string>(
      "command", std::string("place"),
      [&known](std::string_view text) {
        const auto found = std::ranges::find(known, text);
        return found == known.end() ? std::nullopt : std::optional(*found);
      },
      known));
  if (map.has("model")) {
    scenario.words.push_back(map.text("model", ""));
  }
  for (const char* key : {"chip", "cluster"}) {
    if (map.has(key)) {
      scenario.words.push_back("--" + std::string(key));
      scenario.words.push_back(map.text(key, ""));
    }
  }
  if (const io::Value* options = map.child("options")) {
    if (options->kind != io::ValueKind::kMap) {
      diagnostics.error(options->where,
                        "expected a map of options, found " + io::describe(*options));
    }
    for (const io::Member& member : options->members) {
      add_option(member.first, member.second, scenario.words, diagnostics);
    }
  }
  map.finish();
  return scenario;
}

std::optional<std::vector<Scenario>> read_scenarios(const std::string& path,
                                                    Diagnostics& diagnostics) {
  const auto text = io::read_text_file(path, diagnostics);
  const auto document = text ? io::parse_document(*text, path, diagnostics) : std::nullopt;
  if (!document) {
    return std::nullopt;
  }
  io::MapReader map(*document, diagnostics);
  std::vector<Scenario> scenarios;
  if (document->kind == io::ValueKind::kMap) {
    const auto& items = map.full_list("scenarios", "a list of scenarios", "scenario");
    for (std::size_t i = 0; i < items.size(); ++i) {
      scenarios.push_back(read_scenario(items[i], i, diagnostics));
    }
    map.finish();
  }
  return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(scenarios));
}

// Columns of all commands that are there, those of the same name once.
std::vector<std::string> columns_of(const std::vector<Scenario>& scenarios) {
  std::vector<std::string> columns = {"scenario", "command", "outcome"};
  for (const std::string& command : scenario_commands()) {
    const bool is_there = std::ranges::any_of(
        scenarios, [&command](const Scenario& each) { return each.words[0] == command; });
    for (const Figure& figure : is_there ? figures_of(command) : std::vector<Figure>()) {
      if (std::ranges::find(columns, figure.column) == columns.end()) {
        columns.push_back(figure.column);
      }
    }
  }
  columns.emplace_back("reason");
  return columns;
}

int run_batch(const BatchOptions& options) {
  Diagnostics diagnostics;
  check_output_files(options.csv, "", {{"batch", options.file}}, diagnostics);
  const auto scenarios = read_scenarios(options.file, diagnostics);
  if (!scenarios || diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  plan::DataTable table;
  table.columns = columns_of(*scenarios);
  int worst = kAnswer;
  Progress progress;
  for (std::size_t i = 0; i < scenarios->size(); ++i) {
    const Scenario& scenario = (*scenarios)[i];
    progress.show("scenario " + std::to_string(i + 1) + " of " + std::to_string(scenarios->size()) +
                  ": " + printable(scenario.name));
    const ScenarioRun run = run_scenario(scenario.words);
    std::vector<plan::DataCell> row(table.columns.size());
    row[0] = scenario.name;
    row[1] = scenario.words[0];
    row[2] = to_string(run.outcome);
    const std::vector<Figure>& figures = figures_of(scenario.words[0]);
    for (std::size_t f = 0; f < figures.size(); ++f) {
      const auto column = std::ranges::find(table.columns, figures[f].column);
      row[static_cast<std::size_t>(column - table.columns.begin())] = run.cells[f];
    }
    if (!run.message.empty()) {
      row.back() = run.message;
    }
    table.rows.push_back(std::move(row));
    if (run.outcome == Outcome::kStopped) {
      report_note("interrupted: these are the scenarios so far");
      show_table(without_empty_columns(table), options.json, options.csv);
      return kInterrupted;
    }
    worst = std::max(worst, run.outcome == Outcome::kRefused      ? kBadInput
                            : run.outcome == Outcome::kInfeasible ? kNoAnswer
                                                                  : kAnswer);
  }
  return std::max(worst, show_table(without_empty_columns(table), options.json, options.csv));
}

}  // namespace

void add_batch_command(CLI::App& program, Action& action) {
  CLI::App* command =
      program.add_subcommand("batch", "Many scenarios of a YAML file, one table for all");
  const auto options = std::make_shared<BatchOptions>();
  command
      ->add_option("FILE", options->file,
                   "Scenarios, each with command, model, chip, cluster and options, see "
                   "docs/formats.md")
      ->required();
  command->add_option("--csv", options->csv, "Also write the table to this file (default: none)");
  add_common_options(*command, *options);
  command->footer(
      "A scenario that fails does not stop the others. Exit code 1 when one is infeasible, 2 when "
      "one is bad input.");
  command->callback([options, &action] { action = [options] { return run_batch(*options); }; });
}

}  // namespace phaze::cli
