// `phaze sweep`: a command over the values of fields.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/scenario.h"
#include "cli/sweep_fields.h"
#include "cli/table_output.h"
#include "io/file_writer.h"
#include "report/line_svg.h"

namespace phaze::cli {
namespace {

struct SweepOptions : CommonOptions {
  std::vector<std::string> fields, command;
  std::string csv, plot, metric;
};

constexpr std::size_t kMostPoints = 10'000;

struct Sweep {
  std::vector<SweepField> fields;
  std::vector<std::string> command;

  std::size_t points() const {
    std::size_t count = 1;
    for (const SweepField& field : fields) {
      count = count > kMostPoints ? count : count * field.values.size();
    }
    return count;
  }
  // The first field changes slowest.
  const SweepValue& value(std::size_t point, std::size_t field) const {
    for (std::size_t i = fields.size(); i-- > field + 1;) {
      point /= fields[i].values.size();
    }
    return fields[field].values[point % fields[field].values.size()];
  }
};

std::optional<Sweep> read_sweep(const SweepOptions& options, Diagnostics& diagnostics) {
  Sweep sweep;
  for (const std::string& text : options.fields) {
    if (auto field = parse_sweep_field(text, diagnostics)) {
      const bool is_twice = std::ranges::any_of(
          sweep.fields, [&field](const SweepField& each) { return each.name == field->name; });
      if (is_twice) {
        diagnostics.error({"command line", 0, 0, field->name}, "is there twice");
      }
      sweep.fields.push_back(*std::move(field));
    }
  }
  sweep.command = options.command;
  const std::vector<std::string> known = scenario_commands();
  if (options.fields.empty()) {
    diagnostics.error({"command line", 0, 0, "FIELD"}, "expected FIELD=a:b:n or FIELD=v1,v2,...");
  }
  if (sweep.command.empty() || std::ranges::find(known, sweep.command[0]) == known.end()) {
    const std::string found = sweep.command.empty() ? "" : sweep.command[0];
    diagnostics.error({"command line", 0, 0, "COMMAND"},
                      "expected place, estimate or search with its arguments after --, found \"" +
                          found + "\"" + did_you_mean(found, known));
  }
  for (const std::string& word : sweep.command) {
    const std::string option = word.substr(0, word.find('='));
    constexpr std::string_view kFiles[] = {"--output", "--report", "--study", "--csv",
                                           "--chip-output"};
    if (std::ranges::find(kFiles, option) != std::end(kFiles)) {
      diagnostics.error({"command line", 0, 0, option}, "every point would write to the same file");
    }
  }
  if (!diagnostics.has_errors() && sweep.points() > kMostPoints) {
    diagnostics.error({"command line", 0, 0, "FIELD"},
                      "expected at most " + with_thousands(kMostPoints) + " points");
  }
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  return sweep;
}

// A number that has neither unit nor sign, which tells relative ones, is one in the table too.
plan::DataCell cell_of(const SweepValue& value) {
  double number = 0;
  const char* end = value.text.data() + value.text.size();
  const auto [last, error] = std::from_chars(value.text.data(), end, number);
  if (error != std::errc() || last != end || !std::isfinite(number)) {
    return value.text;
  }
  if (number == std::round(number) && std::abs(number) < 1e15) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

std::optional<double> number_of(const plan::DataCell& cell) {
  if (const auto* whole = std::get_if<std::int64_t>(&cell)) {
    return static_cast<double>(*whole);
  }
  const auto* number = std::get_if<double>(&cell);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

// The metric over the first field, a line for each value of the others.
report::LinePicture picture_of(const Sweep& sweep, const plan::DataTable& table,
                               const std::string& metric) {
  const auto column =
      static_cast<std::size_t>(std::ranges::find(table.columns, metric) - table.columns.begin());
  report::LinePicture picture;
  picture.x =
      sweep.fields[0].name + (sweep.fields[0].unit.empty() ? "" : ", " + sweep.fields[0].unit);
  picture.y = metric;
  picture.title =
      metric + " of " + sweep.command[0] + (sweep.command.size() > 1 ? " " + sweep.command[1] : "");
  for (std::size_t point = 0; point < table.rows.size(); ++point) {
    const SweepValue& value = sweep.value(point, 0);
    const double x =
        value.number.value_or(static_cast<double>(&value - sweep.fields[0].values.data()));
    std::string name;
    for (std::size_t field = 1; field < sweep.fields.size(); ++field) {
      name += (name.empty() ? "" : ", ") + sweep.fields[field].name + " " +
              sweep.value(point, field).text;
    }
    const auto y = number_of(table.rows[point][column]);
    if (!y) {
      picture.missing.push_back(x);
      continue;
    }
    auto series = std::ranges::find(picture.series, name, &report::LineSeries::name);
    if (series == picture.series.end()) {
      picture.series.push_back({name, {}});
      series = picture.series.end() - 1;
    }
    series->points.emplace_back(x, *y);
  }
  return picture;
}

std::string default_metric(const std::string& command) {
  return command == "place" ? "tokens_per_s" : command == "search" ? "value" : "step_s";
}

int run_sweep(const SweepOptions& options) {
  Diagnostics diagnostics;
  const auto sweep = read_sweep(options, diagnostics);
  Inputs inputs;
  for (const std::string& word : options.command) {
    inputs.emplace_back("command", word.substr(word.find('=') + 1));
  }
  check_output_files(options.csv, options.plot, inputs, diagnostics);
  if (!sweep || diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  plan::DataTable table;
  for (const SweepField& field : sweep->fields) {
    table.columns.push_back(field.name);
  }
  table.columns.emplace_back("outcome");
  for (const Figure& figure : figures_of(sweep->command[0])) {
    table.columns.push_back(figure.column);
  }
  table.columns.emplace_back("reason");
  const std::string metric =
      options.metric.empty() ? default_metric(sweep->command[0]) : options.metric;
  if (std::ranges::find(table.columns, metric) == table.columns.end()) {
    diagnostics.error({"command line", 0, 0, "--metric"},
                      "expected a column of the table, found \"" + metric + "\"" +
                          did_you_mean(metric, table.columns));
    return report_bad_input(diagnostics);
  }
  bool has_answer = false;
  Progress progress;
  for (std::size_t point = 0; point < sweep->points(); ++point) {
    progress.show("point " + std::to_string(point + 1) + " of " + std::to_string(sweep->points()));
    std::vector<std::string> words = sweep->command;
    std::vector<plan::DataCell> row;
    std::string name;
    for (std::size_t field = 0; field < sweep->fields.size(); ++field) {
      const SweepValue& value = sweep->value(point, field);
      for (const std::string& word : words_of(sweep->fields[field], value)) {
        words.push_back(word);
      }
      row.push_back(cell_of(value));
      name += (name.empty() ? "" : " ") + sweep->fields[field].name + "=" + value.text;
    }
    const ScenarioRun run = run_scenario(words);
    if (run.outcome == Outcome::kStopped) {
      report_note("interrupted: these are the points so far");
      show_table(without_empty_columns(table), options.json, options.csv);
      return kInterrupted;
    }
    if (run.outcome == Outcome::kRefused) {
      report_text("phaze: at " + printable(name) + ": " + run.message + "\n");
      return kBadInput;
    }
    has_answer = has_answer || run.outcome == Outcome::kSolved;
    row.emplace_back(to_string(run.outcome));
    row.insert(row.end(), run.cells.begin(), run.cells.end());
    row.push_back(run.message.empty() ? plan::DataCell() : plan::DataCell(run.message));
    table.rows.push_back(std::move(row));
  }
  if (!options.plot.empty()) {
    const HoldInterrupts hold;
    const std::string svg = report::line_svg(picture_of(*sweep, table, metric));
    if (!io::write_text_file(options.plot, svg, diagnostics)) {
      return report_bad_input(diagnostics);
    }
  }
  const int exit_code = show_table(without_empty_columns(table), options.json, options.csv);
  return has_answer ? exit_code : std::max(exit_code, kNoAnswer);
}

}  // namespace

void add_sweep_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "sweep", "A command over the values of one field or several: table, CSV, picture");
  const auto options = std::make_shared<SweepOptions>();
  command->add_option(
      "FIELD=VALUES", options->fields,
      "a:b:n or v1,v2,... of a chip's or cluster's field such as chip.hbm.bandwidth "
      "(as --set has them) or of an option such as devices; then -- and place, "
      "estimate or search with its own arguments");
  command->add_option("--then", options->command, "What follows --")
      ->group("")
      ->allow_extra_args(false);
  command->add_option("--csv", options->csv, "Also write the table to this file (default: none)");
  command->add_option("--plot", options->plot,
                      "Also draw --metric over the first field, as SVG (default: none)");
  command->add_option("--metric", options->metric,
                      "Column to draw (default: tokens_per_s, step_s or value)");
  add_common_options(*command, *options);
  command->callback([options, &action] { action = [options] { return run_sweep(*options); }; });
}

}  // namespace phaze::cli
