#include "cli/place_plan.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/check.h"
#include "base/plural.h"
#include "base/text.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/place_question.h"
#include "cli/place_setting.h"
#include "cli/progress.h"
#include "cli/ranges.h"
#include "cli/report_file.h"
#include "io/file_writer.h"
#include "io/plan_json.h"
#include "report/plan_report.h"
#include "search/plan_advice.h"
#include "search/plan_details.h"
#include "search/training_run.h"
#include "simulate/simulate.h"
#include "verify/original_placement.h"
#include "verify/original_plan.h"
#include "verify/training_plan.h"

namespace phaze::cli {
namespace {

using search::PlanAnswer;
using search::PlanSetting;

// Plans are simulated too, up to so many: about a tenth of a second.
constexpr std::int64_t kMostPasses = 500'000;

}  // namespace

PlanAnswer solve_plan(const PlanSetting& setting, std::size_t keep) {
  Progress progress;
  search::PlanSearchOptions options;
  options.keep = keep;
  options.is_cancelled = [&progress](std::int64_t done, Seconds best) {
    progress.show("pricing strategies: " + with_thousands(done) + " done, best " +
                  (std::isfinite(best.value()) ? with_prefix(best.value(), "s") : "none yet"));
    return was_interrupted();
  };
  progress.show("pricing layers");
  return search::find_plan(setting, options);
}

void check_plans(const PlanSetting& setting, const PlanAnswer& answer) {
  if (answer.original) {
    const auto faults = verify::find_faults(answer.original->instance, answer.original->answer);
    CHECK(faults.empty(), "a placement is unsound: " + faults.front());
    const auto others =
        verify::find_plan_faults(answer.original->instance, answer.original->placement,
                                 hw::hbm_capacity(setting.chip), answer.plans.front());
    CHECK(others.empty(), "a plan is not its placement: " + others.front());
    return;
  }
  const place::PlanProblem asked = search::make_plan_problem(setting);
  const verify::PlanTerms terms{asked.devices, asked.global_batch, asked.capacity,
                                asked.other,   asked.states,       answer.bound};
  for (std::size_t i = 0; i < answer.plans.size(); ++i) {
    const auto faults = verify::find_faults(terms, answer.chains[i], answer.plans[i]);
    CHECK(faults.empty(), "a plan is unsound: " + faults.front());
  }
}

std::string plan_title(const PlanSetting& setting, const std::string& model) {
  const bool is_original = search::is_original(setting.assumptions);
  return printable(model) + " on " + with_thousands(setting.devices) + " " +
         printable(setting.chip.name) + ", cluster " + printable(setting.cluster.name) +
         ", global batch " + counted(setting.global_batch, "sequence") + " of " +
         counted(search::sequence_of(setting), "token") +
         (is_original ? ", assumptions " + std::string(to_string(setting.assumptions)) : "");
}

int show_no_plan(const PlanSetting& setting, bool json, const PlanAnswer& answer) {
  if (was_interrupted()) {
    report_note("interrupted: no plan so far");
    return kInterrupted;
  }
  std::string why = answer.reason;
  search::PlanNeeds needs;
  if (why.empty()) {
    {
      Progress progress;
      progress.show("nothing fits; looking for the memory and the devices that would do");
      needs = search::find_needs(setting, was_interrupted);
    }
    if (was_interrupted()) {
      report_note("interrupted: no plan fits; what would was still looked for");
      return kInterrupted;
    }
    why = report::no_plan_text(setting.devices, hw::hbm_capacity(setting.chip), needs.memory,
                               needs.devices);
  }
  if (json) {
    print(io::write_no_plan(why, needs.memory, needs.devices));
  }
  return report_no_answer(why);
}

void add_simulated(plan::PlanRecord& record) {
  if (simulate::count_passes(record.plan) <= kMostPasses) {
    simulate::SimulationOptions simulation;
    simulation.keeps_runs = false;
    record.simulated = simulate::simulate(record.plan, simulation).iteration;
  }
}

namespace {

// What binds, as far as it gets before an interrupt: the plan is there in any case.
plan::PlanWhy ask_why(const PlanSetting& setting, const PlanAnswer& answer) {
  Progress progress;
  progress.show("planning with more of each resource, for --why");
  return search::find_why(setting, answer.plans.front().iteration, was_interrupted);
}

std::string interrupt_text(const PlanAnswer& answer, const plan::PlanRecord& record) {
  if (!answer.is_complete) {
    return "interrupted: this is the best so far";
  }
  return record.why && !record.why->is_complete
             ? "interrupted: the search for the plan was done, the advice of --why was stopped"
             : "interrupted: the search for the plan was done";
}

bool write_page(const std::string& path, const std::string& json) {
  Diagnostics diagnostics;
  io::Report made;
  made.program = program_name();
  made.source = "phaze place";
  made.answer = io::read_report_answer(json, "the plan", diagnostics);
  CHECK(made.answer, to_string(diagnostics));
  add_simulations(made);
  if (!write_report_file(path, io::write_report(made), diagnostics)) {
    report_bad_input(diagnostics);
    return false;
  }
  return true;
}

int show(const PlanSetting& setting, const PlanOptions& options, const PlanAnswer& answer,
         const std::optional<RunRequest>& run, const std::optional<plan::PlanQuestion>& question,
         double seconds) {
  report::PlanReport report;
  report.record = search::make_record(setting, answer);
  report.record.model = options.model.model;
  report.record.question = question;
  report.title = plan_title(setting, options.model.model);
  if (answer.has_fitting()) {
    report.search =
        report::PlanSearch{answer.strategies, answer.excluded,    answer.priced,
                           seconds,           answer.is_complete, answer.original.has_value()};
  }
  add_range(report.record, setting.chip);
  add_simulated(report.record);
  if (run && answer.has_fitting()) {
    report.record.run =
        search::compute_training_run(report.record, setting.chip, run->tokens, run->prices);
  }
  if (options.why && answer.has_fitting()) {
    report.record.why = ask_why(setting, answer);
  }
  for (const std::string& note : report.record.notes) {
    report_note(note);
  }
  if (!answer.has_fitting()) {
    report_note("does not fit: " + report::missing_memory_text(answer.plans.front()));
  }
  // What lies behind the plan goes into files: it is thousands of lines.
  std::string file;
  if (!options.output.empty() || !options.report.empty()) {
    const plan::PlanDetails details =
        search::make_details(setting, report.record.plan, hw::Technology::kModern);
    file = io::write_plan(report.record, &details);
  }
  if (!options.output.empty()) {
    Diagnostics diagnostics;
    const HoldInterrupts hold;
    if (!io::write_text_file(options.output, file, diagnostics)) {
      return report_bad_input(diagnostics);
    }
  }
  if (!options.report.empty() && !write_page(options.report, file)) {
    return kBadInput;
  }
  const int exit_code =
      print(options.json ? io::write_plan(report.record) : for_people(report::plan_text(report)));
  if (was_interrupted()) {
    report_note(interrupt_text(answer, report.record));
    return kInterrupted;
  }
  return answer.has_fitting() ? exit_code : std::max(exit_code, kNoAnswer);
}

}  // namespace

int run_plan(const PlanOptions& options) {
  Diagnostics diagnostics;
  std::optional<PlanSetting> setting = read_setting(options, diagnostics);
  const std::optional<RunRequest> run = read_run(options, diagnostics);
  if (!setting || diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  if (setting->limits.data == std::vector<std::int64_t>{1} && !setting->limits.zero.empty() &&
      setting->limits.zero != std::vector<std::int64_t>{0}) {
    report_note("ZeRO changes nothing with a data width of 1");
    setting->limits.zero.clear();
  }
  if (setting->limits.tensor == std::vector<std::int64_t>{1} &&
      setting->limits.sequence_parallel == std::vector<bool>{true}) {
    report_note("sequence parallelism changes nothing with a tensor width of 1");
  }
  // From here on an interrupt stops the work, and what there is is shown; a second one ends it.
  const NoteInterrupts note;
  std::optional<plan::PlanQuestion> question;
  if (has_question(options)) {
    question = answer_question(options, run, *setting, diagnostics);
    if (!question) {
      return diagnostics.has_errors() ? report_bad_input(diagnostics) : kNoAnswer;
    }
  }
  const auto begin = std::chrono::steady_clock::now();
  const PlanAnswer answer =
      solve_plan(*setting, static_cast<std::size_t>(options.alternatives) + 1);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  check_plans(*setting, answer);
  return answer.plans.empty() ? show_no_plan(*setting, options.json, answer)
                              : show(*setting, options, answer, run, question, seconds);
}

}  // namespace phaze::cli
