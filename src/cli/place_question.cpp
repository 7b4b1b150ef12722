#include "cli/place_question.h"

#include <cmath>

#include "base/plural.h"
#include "base/text.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "io/plan_json.h"
#include "search/plan_questions.h"

namespace phaze::cli {
namespace {

void check(const PlanOptions& options, const std::optional<RunRequest>& run,
           const search::PlanSetting& setting, Diagnostics& diagnostics) {
  const auto fault = [&diagnostics](const char* option, const std::string& message) {
    diagnostics.error({"command line", 0, 0, option}, message);
  };
  const bool has_fewest = is_given(options, "--fewest");
  if (has_fewest && options.fewest != "devices" && options.fewest != "money") {
    fault("--fewest", "expected devices or money, found \"" + options.fewest + "\"" +
                          did_you_mean(options.fewest, {"devices", "money"}));
  }
  if (has_fewest && is_given(options, "--smallest-hbm")) {
    fault("--smallest-hbm", "expected one question, found --fewest too");
  }
  if (has_fewest && !is_given(options, "--days")) {
    fault("--fewest", "needs --days");
  }
  if (has_fewest && !run && !is_given(options, "--tokens")) {
    fault("--fewest", "needs --tokens");
  }
  if (!has_fewest && is_given(options, "--days")) {
    fault("--days", "means nothing without --fewest");
  }
  if (search::is_original(setting.assumptions)) {
    fault(has_fewest ? "--fewest" : "--smallest-hbm", "expected --assumptions modern");
  }
}

}  // namespace

bool has_question(const PlanOptions& options) {
  return is_given(options, "--fewest") || is_given(options, "--smallest-hbm") ||
         is_given(options, "--days");
}

std::optional<plan::PlanQuestion> answer_question(const PlanOptions& options,
                                                  const std::optional<RunRequest>& run,
                                                  search::PlanSetting& setting,
                                                  Diagnostics& diagnostics) {
  check(options, run, setting, diagnostics);
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  Progress progress;
  progress.show("solving for the least that does");
  const bool is_memory = is_given(options, "--smallest-hbm");
  const search::Deadline deadline{run ? run->tokens : 0, options.days};
  search::QuestionAnswer found =
      is_memory ? search::find_smallest_memory(setting, options.smallest_hbm / 100)
      : options.fewest == "devices" ? search::find_fewest_devices(setting, deadline)
                                    : search::find_least_money(setting, deadline, run->prices);
  if (!found.question) {
    std::string why = "no plan fits " + counted(setting.devices, "device");
    if (found.nearest) {
      const double days = found.nearest->value() * deadline.tokens /
                          static_cast<double>(setting.global_batch) /
                          static_cast<double>(search::sequence_of(setting)) / 86400;
      why = counted(setting.devices, "device takes", "devices take") + " " +
            shortest(std::ceil(days * 10) / 10) + " days at best, more than " +
            shortest(options.days) + "; give more with --devices";
    }
    if (options.json) {
      print(io::write_no_plan(why));
    }
    report_no_answer(why);
    return std::nullopt;
  }
  setting = std::move(found.setting);
  return found.question;
}

}  // namespace phaze::cli
