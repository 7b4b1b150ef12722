#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/place_from.h"
#include "cli/place_instance.h"
#include "cli/place_plan.h"

namespace phaze::cli {
namespace {

struct PlaceOptions : PlanOptions {
  std::string phaze_instance;
  std::string from, from_arguments;  // a program and its arguments
  bool has_from = false;
};

int run_place(const PlaceOptions& options) {
  Diagnostics diagnostics;
  const bool has_instance = !options.phaze_instance.empty();
  if (options.has_from && !has_instance) {
    return run_from(options, options.from, options.from_arguments);
  }
  if (options.has_from) {
    diagnostics.error({"command line", 0, 0, "--from"}, "means nothing with --phaze-instance");
  }
  if (has_instance == !options.model.model.empty()) {
    diagnostics.error({"command line", 0, 0, "MODEL"},
                      has_instance ? "expected a model or --phaze-instance FILE, found both"
                                   : "expected a model or --phaze-instance FILE");
  }
  if (has_instance) {
    std::vector<std::string> given = options.model.given;
    given.insert(given.end(), options.given.begin(), options.given.end());
    for (const std::string& name : given) {
      diagnostics.error({"command line", 0, 0, name}, "means nothing with --phaze-instance");
    }
  }
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  return has_instance ? run_phaze_instance(options.phaze_instance, options.json)
                      : run_plan(options);
}

}  // namespace

void add_place_command(CLI::App& program, Action& action) {
  CLI::App* command =
      program.add_subcommand("place", "The best way to train a model on a cluster, with a proof");
  const auto options = std::make_shared<PlaceOptions>();
  const std::vector<CLI::Option*> added = add_workload_options(*command, options->model, false);
  const std::vector<CLI::Option*> own = add_plan_options(*command, *options);
  command->add_option("--phaze-instance", options->phaze_instance,
                      "A placement problem of the original Phaze, in its own format, in place of "
                      "a model, see docs/formats.md (default: none)");
  CLI::Option* from = command->add_option(
      "--from", options->from,
      "megatron ARGS: price what these arguments of Megatron-LM start, and show what the best plan "
      "would gain; ARGS is one text, or @FILE. The model's shape comes from them where MODEL is "
      "not "
      "given (default: none)");
  CLI::Option* arguments = command->add_option("--from-arguments", options->from_arguments,
                                               "What follows --from PROGRAM");
  arguments->group("")->needs(from);
  add_common_options(*command, *options);
  command->callback([options, added, own, from, &action] {
    options->has_from = from->count() > 0;
    note_given(added, options->model);
    for (const CLI::Option* option : own) {
      if (option->count() > 0) {
        options->given.push_back(option->get_name());
      }
    }
    action = [options] { return run_place(*options); };
  });
}

}  // namespace phaze::cli
