#include <algorithm>
#include <cmath>
#include <memory>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/plan_file.h"
#include "cli/progress.h"
#include "io/file_writer.h"
#include "io/simulation_json.h"
#include "report/simulation_report.h"
#include "simulate/simulate.h"
#include "simulate/vary.h"

namespace phaze::cli {
namespace {

struct SimulateOptions : CommonOptions {
  std::string plan;
  std::string trace;
  bool has_trace = false;
};

bool write_trace(const SimulateOptions& options, const plan::PlanRecord& record,
                 const plan::SimulatedIteration& simulated, Diagnostics& diagnostics) {
  const auto text = make_trace(record, simulated, "--trace", diagnostics);
  const HoldInterrupts hold;
  return text && io::write_text_file(options.trace, *text, diagnostics);
}

int run_simulate(const SimulateOptions& options) {
  Diagnostics diagnostics;
  if (options.has_trace) {
    if (const auto why = find_output_fault(options.trace, {{"plan", options.plan}})) {
      diagnostics.error({"command line", 0, 0, "--trace"}, *why);
    } else {
      io::check_writable(options.trace, diagnostics);
    }
  }
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  const auto record = load_plan(options.plan, diagnostics);
  if (!record || !can_simulate(*record, options.plan, diagnostics)) {
    return report_bad_input(diagnostics);
  }
  plan::SimulatedIteration simulated;
  std::vector<plan::PlanVariation> variations;
  {
    Progress progress;
    progress.show("simulating " + counted(simulate::count_passes(record->plan), "pass", "passes"));
    simulated = simulate::simulate(record->plan);
    if (std::abs(simulated.difference()) > report::kMostDifference) {
      variations = simulate::vary(record->plan);
    }
  }
  if (options.has_trace && !write_trace(options, *record, simulated, diagnostics)) {
    return report_bad_input(diagnostics);
  }
  const std::string overflow = report::overflow_text(*record, simulated);
  if (!overflow.empty()) {
    report_note(overflow);
  }
  const int exit_code = print(options.json ? io::write_simulation(*record, simulated, variations)
                                           : for_people(report::simulation_text(
                                                 *record, simulated, variations, chart_width())));
  return overflow.empty() ? exit_code : std::max(exit_code, kNoAnswer);
}

}  // namespace

void add_simulate_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "simulate", "One iteration of a plan, event by event: time, idle time and memory");
  const auto options = std::make_shared<SimulateOptions>();
  command
      ->add_option("PLAN", options->plan,
                   "A plan as phaze place writes it, see docs/formats.md; - for standard input")
      ->required();
  const CLI::Option* trace =
      command->add_option("--trace", options->trace,
                          "Also write the iteration to this file, as events for ui.perfetto.dev or "
                          "chrome://tracing (default: none)");
  add_common_options(*command, *options);
  command->callback([options, trace, &action] {
    options->has_trace = trace->count() > 0;
    action = [options] { return run_simulate(*options); };
  });
}

}  // namespace phaze::cli
