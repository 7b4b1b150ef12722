#include <algorithm>
#include <memory>
#include <thread>

#include "base/check.h"
#include "base/plural.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/search_run.h"
#include "io/space_json.h"
#include "presets/spaces.h"
#include "report/space_report.h"
#include "report/table.h"

namespace phaze::cli {
namespace {

struct SearchOptions : ChipSearchOptions {
  bool count = false;
  double area_mm2 = 0, power_w = 0, die_cost_usd = 0;  // 0: the space's own
};

// The space with the budgets of the command line.
std::optional<space::Space> load_space(const SearchOptions& options, Diagnostics& diagnostics) {
  std::optional<space::Space> space = presets::load_space(options.space, diagnostics);
  if (!space) {
    return std::nullopt;
  }
  space::Budgets& budgets = space->budgets;
  if (options.area_mm2 > 0) {
    budgets.area = SquareMillimetres(options.area_mm2);
  }
  if (options.power_w > 0) {
    budgets.power = Watts(options.power_w);
  }
  if (options.die_cost_usd > 0) {
    budgets.die_cost = Dollars(options.die_cost_usd);
  }
  return space;
}

int run_count(const SearchOptions& options, const space::Space& space) {
  const int threads = options.threads > 0
                          ? options.threads
                          : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const space::SpaceCount count = space::count_chips(space, threads);
  if (count.chips == 0) {
    std::string why;
    for (std::size_t i = 0; i < space::kLimits; ++i) {
      if (count.removed[i] > 0) {
        why += (why.empty() ? ": " : ", ") + with_thousands(count.removed[i]) + " have " +
               std::string(space::described(static_cast<space::Limit>(i)));
      }
    }
    if (count.removed[static_cast<std::size_t>(space::Limit::kParts)] > 0) {
      why +=
          " (HBM beyond its generation, a core's buffer above the global one, or cores that do not "
          "divide among the dies)";
    }
    return report_no_answer("none of the " + counted(count.combinations, "chip") + " of " +
                            space.name + " is within its filters and budgets" + why);
  }
  return print(options.json ? io::write_space_count(space, count)
                            : for_people(report::space_count_text(space, count)));
}

int run_search(const SearchOptions& options) {
  Diagnostics diagnostics;
  const std::optional<space::Space> space = load_space(options, diagnostics);
  if (!space) {
    return report_bad_input(diagnostics);
  }
  if (options.count) {
    return run_count(options, *space);
  }
  if (options.models.empty()) {
    diagnostics.error({"command line", 0, 0, "MODEL"},
                      "expected a model to search a chip for, or --count");
    return report_bad_input(diagnostics);
  }
  return run_chip_search(options, *space);
}

int run_spaces(const CommonOptions& options) {
  std::vector<space::Space> spaces;
  for (const std::string& name : presets::space_names()) {
    Diagnostics diagnostics;
    std::optional<space::Space> space = presets::load_space(name, diagnostics);
    CHECK(space, to_string(diagnostics));
    spaces.push_back(std::move(*space));
  }
  if (options.json) {
    return print(io::write_spaces(spaces));
  }
  using report::Align;
  report::Table table({{"name", Align::kLeft},
                       {"chips", Align::kLeft},
                       {"technology", Align::kLeft},
                       {"axes", Align::kRight},
                       {"combinations", Align::kRight},
                       {"mm2", Align::kRight},
                       {"W", Align::kRight}});
  for (const space::Space& space : spaces) {
    const space::Budgets& budgets = space.budgets;
    table.add_row({space.name, space.title, std::string(hw::to_string(space.technology)),
                   std::to_string(space.axes.size()), with_thousands(space::combinations(space)),
                   budgets.area ? std::to_string(std::llround(budgets.area->value())) : "-",
                   budgets.power ? std::to_string(std::llround(budgets.power->value())) : "-"});
  }
  return print(for_people(
      table.to_string(0) +
      "\nBudgets leave fewer: `phaze search --space NAME --count`.\nA SPACE may also be a "
      "YAML file (docs/formats.md).\n"));
}

}  // namespace

void add_spaces_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("spaces", "List the built-in spaces of chips");
  const auto options = std::make_shared<CommonOptions>();
  add_common_options(*command, *options);
  command->callback([options, &action] { action = [options] { return run_spaces(*options); }; });
}

void add_search_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "search", "Find the best chip of a space for models, with their plans and a proof");
  const auto options = std::make_shared<SearchOptions>();
  command->add_option("MODEL", options->models,
                      "Built-in names, config.json or graph files: one, or several for a common "
                      "chip");
  command->add_option("--space", options->space,
                      "Built-in name or YAML file (default: phaze2024; `phaze spaces` lists them)");
  command->add_option("--assumptions", options->assumptions,
                      "modern, or phaze2024 or phaze2024-released: those of the original, in right "
                      "units or with the faults of its released code (default: phaze2024)");
  command->add_option("--cluster", options->cluster,
                      "Built-in name or YAML file, of one level under the original's assumptions "
                      "(default: flat; modern: dgx-h100)");
  command->add_option("--devices", options->devices, "Devices that there are (default: 1024)")
      ->check(whole_number());
  command
      ->add_option("--global-batch", options->global_batch,
                   "Sequences of an iteration (default: 4096; modern: 2048)")
      ->check(whole_number());
  command
      ->add_option("--sequence", options->model.sequence,
                   "Tokens of a sequence (default: the model's)")
      ->check(whole_number());
  command->add_option("--objective", options->objective,
                      "throughput, per-watt (of design power), per-dollar or per-carbon (chips "
                      "and energy over 4 years); several, such as throughput,per-watt, add the "
                      "Pareto front (default: throughput)");
  command->add_option("--combine", options->combination,
                      "How several models judge a chip: mean or geometric mean of throughputs "
                      "over the reference chip's, raw mean, or worst: the least share of a "
                      "model's own best (default: mean)");
  command
      ->add_option("--weight", options->weights,
                   "MODEL=NUMBER: what a model of several counts in mean, geometric and raw; may "
                   "be given several times (default: 1 each)")
      ->allow_extra_args(false);
  command->add_option("--schedule", options->schedule,
                      "Who schedules layers. exact: proved as far as is needed; ilp: integer "
                      "programs, a second opinion for small spaces (default: exact)");
  command
      ->add_option("--ilp-time-limit", options->ilp_time_limit_s,
                   "Seconds for each integer program (default: 30)")
      ->check(positive_number());
  command->add_option("--reference", options->reference,
                      "Chip to compare with: built-in name or YAML file (default: "
                      "phaze-reference; modern: h100)");
  command->add_option("--study", options->study,
                      "Keep what is found in this file, and go on from it (default: none)");
  const CLI::Option* report = command->add_option(
      "--report", options->report,
      "Also write a page for any browser that shows all chips and the plans (default: none)");
  const CLI::Option* csv = command->add_option(
      "--csv", options->csv,
      "Also write a table with a line for each chip that was looked at (default: none)");
  const CLI::Option* chip_output = command->add_option(
      "--chip-output", options->chip_output,
      "Also write the best chip to this YAML file, for phaze chip, place and compare (default: "
      "none)");
  CLI::Option* robust =
      command
          ->add_option("--robust", options->robust,
                       "How often another chip would win, over so many random draws of constants "
                       "within their uncertainty (default: none; without a number 200)")
          ->check(whole_number())
          ->expected(0, 1);
  command->add_option("--seed", options->seed, "Of these draws (default: 1)")
      ->check(whole_number())
      ->needs(robust);
  command->add_flag("--exhaustive", options->exhaustive,
                    "Evaluate every chip; nothing is excluded");
  command->add_flag("--no-bounds", options->no_bounds, "Exclude no chip by a bound");
  command->add_flag("--no-dominance", options->no_dominance,
                    "Exclude no chip because another has no less of anything");
  command->add_flag("--by-sets", options->by_sets,
                    "Bound many chips at once, as in spaces of more than 1,000,000 combinations");
  command->add_flag("--verify", options->verify,
                    "Plan every chip that a bound excluded from scratch, and check the others' "
                    "witnesses");
  command->add_flag("--count", options->count,
                    "How many chips the space has, and what filters and budgets leave out");
  command
      ->add_option("--area", options->area_mm2,
                   "Budget in mm2 of all dies together (default: the space's)")
      ->check(positive_number());
  command
      ->add_option("--power", options->power_w,
                   "Budget in watts of design power (default: the space's)")
      ->check(positive_number());
  command
      ->add_option("--die-cost", options->die_cost_usd,
                   "Budget in dollars for the logic dies (default: the space's)")
      ->check(positive_number());
  add_common_options(*command, *options);
  command->callback([options, report, csv, chip_output, robust, &action] {
    constexpr std::int64_t kDraws = 200;
    options->robust = robust->count() > 0 && options->robust == 0 ? kDraws : options->robust;
    options->has_report = report->count() > 0;
    options->has_csv = csv->count() > 0;
    options->has_chip_output = chip_output->count() > 0;
    action = [options] { return run_search(*options); };
  });
}

}  // namespace phaze::cli
