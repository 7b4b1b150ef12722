#include <algorithm>
#include <memory>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/search_rows.h"
#include "io/data_table.h"
#include "io/study_json.h"
#include "report/study_report.h"
#include "study/query.h"
#include "study/study.h"
#include "study/summary.h"

namespace phaze::cli {
namespace {

struct StudyOptions : CommonOptions {
  std::string file;
  bool csv = false;
  std::string sql;
  bool has_sql = false;
  std::int64_t top = 10;
  std::string front;
  bool has_front = false;
};

// The keys that chips of the study have, and "value".
std::vector<std::string> figures_of(const plan::StudyRecord& record) {
  std::vector<std::string> names = {"value"};
  for (const plan::ChipRow& row : record.chips) {
    for (const auto& [name, value] : row.metrics) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  return names;
}

bool read_axis(const std::string& text, const std::vector<std::string>& known,
               plan::FrontAxis& axis, Diagnostics& diagnostics) {
  axis.name = text;
  for (const bool is_maximised : {false, true}) {
    const std::string prefix = is_maximised ? "max:" : "min:";
    if (text.starts_with(prefix)) {
      axis = {text.substr(prefix.size()), is_maximised};
    }
  }
  if (std::find(known.begin(), known.end(), axis.name) != known.end()) {
    return true;
  }
  std::string list;
  for (const std::string& name : known) {
    list += (list.empty() ? "" : ", ") + name;
  }
  diagnostics.error({"command line", 0, 0, "--front"}, "no chip of the study has \"" + axis.name +
                                                           "\"" + did_you_mean(axis.name, known) +
                                                           " (known: " + list + ")");
  return false;
}

// Two figures: the first is to be small and the second large, unless they say otherwise. By default
// area and value, where chips have an area.
std::optional<plan::FrontAxes> choose_axes(const StudyOptions& options,
                                           const plan::StudyRecord& record,
                                           Diagnostics& diagnostics) {
  const std::vector<std::string> known = figures_of(record);
  plan::FrontAxes axes = {plan::FrontAxis{"area_mm2", false}, plan::FrontAxis{"value", true}};
  if (!options.has_front) {
    const bool has_area = std::find(known.begin(), known.end(), "area_mm2") != known.end();
    return has_area ? std::optional(axes) : std::nullopt;
  }
  const std::size_t comma = options.front.find(',');
  if (comma == std::string::npos || options.front.find(',', comma + 1) != std::string::npos) {
    diagnostics.error(
        {"command line", 0, 0, "--front"},
        "expected two figures, such as area_mm2,value, found \"" + options.front + "\"");
    return std::nullopt;
  }
  const bool is_first = read_axis(options.front.substr(0, comma), known, axes[0], diagnostics);
  const bool is_second = read_axis(options.front.substr(comma + 1), known, axes[1], diagnostics);
  return is_first && is_second ? std::optional(axes) : std::nullopt;
}

int run_query(const StudyOptions& options) {
  Diagnostics diagnostics;
  const auto table =
      study::run_query(options.file, options.sql, {"command line", 0, 0, "--sql"}, diagnostics);
  if (!table) {
    return report_bad_input(diagnostics);
  }
  return print(options.csv    ? io::write_csv(*table)
               : options.json ? io::write_table(*table)
                              : report::data_table_text(*table));
}

// Of values, as `search --csv` has it; nothing where another program asked.
std::string unit_of(const plan::StudyQuestion& question) {
  const auto part = [&question](const char* name) {
    const auto found = question.parts.find(name);
    return found != question.parts.end() ? found->second : std::string();
  };
  const auto objective = search::parse_objective(part("objective"));
  const auto combination = search::parse_combination(part("combination"));
  const std::string weights = part("weights");  // a number for each model
  const auto models = static_cast<std::size_t>(std::count(weights.begin(), weights.end(), ' ') + 1);
  return objective && combination ? value_unit(*objective, *combination, models) : "";
}

int print_rows(const plan::StudyRecord& record) {
  if (!record.excluded.empty()) {
    std::int64_t chips = 0;
    for (const plan::ExcludedChips& range : record.excluded) {
      chips += range.last - range.first + 1;
    }
    report_note(counted(chips, "chip that bounds exclude is stored in a range and has no row",
                        "chips that bounds exclude are stored as ranges and have no rows") +
                "; --csv --sql "
                "\"SELECT * FROM excluded\" has them");
  }
  return print(io::write_csv(study::table_of(record.chips, unit_of(record.question))));
}

int run_study(const StudyOptions& options) {
  if (options.has_sql) {
    return run_query(options);
  }
  Diagnostics diagnostics;
  const auto store = study::Study::open_to_read(options.file, diagnostics);
  const auto record = store ? store->read(study::Plans::kLeftOut, diagnostics) : std::nullopt;
  if (!record) {
    return report_bad_input(diagnostics);
  }
  if (options.csv) {
    return print_rows(*record);
  }
  const auto axes = choose_axes(options, *record, diagnostics);
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  const plan::StudySummary summary =
      study::summarize(*record, static_cast<std::size_t>(options.top), axes);
  if (!options.json) {
    return print(for_people(report::study_text(options.file, *record, summary)));
  }
  const auto plans = summary.best
                         ? store->read_plans(record->chips[*summary.best].chip, diagnostics)
                         : std::optional(std::string());
  return plans ? print(io::write_study(*record, summary, *plans)) : report_bad_input(diagnostics);
}

}  // namespace

void add_study_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "study", "What a search has stored: how far it is, its best chip, front and rows");
  const auto options = std::make_shared<StudyOptions>();
  command
      ->add_option("FILE", options->file,
                   "A study as phaze search --study writes it, see docs/formats.md; also while the "
                   "search runs")
      ->required();
  command->add_option("--top", options->top, "Chips to show, the best first (default: 10)")
      ->check(whole_number());
  CLI::Option* front = command->add_option(
      "--front", options->front,
      "Two figures A,B of chips (value or a metric) whose front to show: less A and more B are "
      "better, unless min: or max: stands before a name, as in max:value,min:power_w (default: "
      "area_mm2,value where chips have an area)");
  CLI::Option* csv = command->add_flag("--csv", options->csv,
                                       "A line for each chip with a row, a column for each metric, "
                                       "units in their names; of --sql the "
                                       "answer");
  CLI::Option* sql = command->add_option(
      "--sql", options->sql,
      "One SELECT over the tables chips, excluded, plans, question, progress and answer, to which "
      "nothing is ever written (default: none)");
  sql->excludes(front);
  csv->excludes(front);
  add_common_options(*command, *options);
  csv->excludes("--json");
  command->callback([options, front, sql, &action] {
    options->has_front = front->count() > 0;
    options->has_sql = sql->count() > 0;
    action = [options] { return run_study(*options); };
  });
}

}  // namespace phaze::cli
