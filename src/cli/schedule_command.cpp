#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/assumptions.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/schedule_command_run.h"
#include "io/file_writer.h"
#include "schedule/ilp.h"

namespace phaze::cli {
namespace {

int run_schedule(const ScheduleOptions& options) {
  Diagnostics diagnostics;
  const auto fault = [&diagnostics](const std::string& option, const std::string& message) {
    diagnostics.error({"command line", 0, 0, option}, message);
  };
  const auto expect_one_of = [&fault](const std::string& option, const std::string& found,
                                      const std::string& list,
                                      const std::vector<std::string>& names) {
    if (std::ranges::find(names, found) == names.end()) {
      fault(option, "expected " + list + ", found \"" + found + "\"" + did_you_mean(found, names));
    }
  };
  expect_one_of("--method", options.method, "exact, ilp or list", {"exact", "ilp", "list"});
  expect_one_of("--assumptions", options.assumptions, "modern, phaze2024 or phaze2024-released",
                {"modern", "phaze2024", "phaze2024-released"});
  if (options.method == "ilp" && !schedule::has_ilp()) {
    fault("--method", "this build has no CBC");
  }
  if (options.is_contradictory) {
    fault("--exclusive-wide", "given both with and without \"no-\"");
  }
  const bool has_problem = is_given(options, "--problem");
  if (has_problem == !options.model.model.empty()) {
    fault("MODEL", has_problem ? "expected a model or --problem FILE, found both"
                               : "expected a model or --problem FILE");
  } else if (!has_problem && options.chip.empty()) {
    fault("--chip", "a model needs a chip");
  }
  if (has_problem) {
    std::vector<std::string> given = options.model.given;
    given.insert(given.end(), options.given.begin(), options.given.end());
    for (const std::string& name : given) {
      if (name != "--problem" && name != "--method" && name != "--work-limit" &&
          name != "--time-limit" && name != "--trace" && name != "--exclusive-wide") {
        fault(name, "means nothing with --problem");
      }
    }
  } else if (is_given(options, "--cluster") && options.model.tensor == 1) {
    fault("--cluster", "means nothing without --tensor");
  }
  if (has_problem && options.problem.empty()) {
    fault("--problem", "expected the name of a file");
  }
  if (is_given(options, "--trace")) {
    if (const auto why = find_output_fault(options.trace, {{"problem", options.problem},
                                                           {"model", options.model.model},
                                                           {"chip", options.chip},
                                                           {"cluster", options.cluster}})) {
      fault("--trace", *why);
    } else if (!diagnostics.has_errors()) {
      io::check_writable(options.trace, diagnostics);
    }
  }
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  return has_problem ? run_schedule_problem(options)
                     : run_schedule_model(options, *parse_assumptions(options.assumptions));
}

}  // namespace

void add_schedule_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "schedule", "When each operator of a layer runs on which cores of a chip, with a proof");
  const auto options = std::make_shared<ScheduleOptions>();
  const std::vector<CLI::Option*> added = add_model_options(*command, options->model, false);
  const std::vector<CLI::Option*> own = {
      command->add_option("--chip", options->chip,
                          "Built-in name or YAML file (default: none; a model needs one)"),
      command
          ->add_option("--set", options->settings,
                       "FIELD=VALUE of the chip, absolute or relative, such as "
                       "chip.tensor_cores.count=16; may be given several times")
          ->allow_extra_args(false),
      command->add_option("--cluster", options->cluster,
                          "Network of the tensor-parallel devices: built-in name or YAML file "
                          "(default: dgx-h100; of phaze2024: flat)"),
      command->add_option(
          "--problem", options->problem,
          "A problem file in place of a model, - for standard input, see docs/formats.md "
          "(default: none)"),
      command->add_option("--assumptions", options->assumptions,
                          "What options mean that are not given. modern: as they say; phaze2024: "
                          "--execution eager, --attention eager, --precision bf16, --optimizer "
                          "sgd, --exclusive-wide, --cluster flat, and the chip reaches its peaks; "
                          "phaze2024-released: with the faults of its code, see docs/models.md 20 "
                          "(default: modern)"),
      command
          ->add_flag("--exclusive-wide,!--no-exclusive-wide", options->exclusive_wide,
                     "While an operator runs on all cores of a kind, nothing else runs on any core "
                     "(default: by --assumptions, of modern no; of a problem: as the file says)")
          ->disable_flag_override(false),
      command->add_option("--method", options->method,
                          "exact: proved where the limit of work allows; ilp: by integer "
                          "programming; list: by priorities (default: exact)"),
      command
          ->add_option("--work-limit", options->work_limit,
                       "Nodes of the exact search for each schedule, from 1 (default: 5000000)")
          ->check(whole_number()),
      command
          ->add_option("--time-limit", options->time_limit_s,
                       "Seconds for each integer program (default: 300)")
          ->check(positive_number()),
      command->add_flag("--operators", options->all_operators,
                        "A table of the operators of each layer too"),
      command->add_option("--trace", options->trace,
                          "Also write the schedule to this file, as events for ui.perfetto.dev or "
                          "chrome://tracing (default: none)"),
  };
  add_common_options(*command, *options);
  command->callback([options, added, own, &action] {
    note_given(added, options->model);
    for (const CLI::Option* option : own) {
      if (option->count() > 0) {
        options->given.push_back(option->get_name());
        const auto has = [values = option->results()](const char* value) {
          return std::ranges::find(values, value) != values.end();
        };
        options->is_contradictory =
            options->is_contradictory ||
            (option->get_name() == "--exclusive-wide" && has("true") && has("false"));
      }
    }
    action = [options] { return run_schedule(*options); };
  });
}

}  // namespace phaze::cli
