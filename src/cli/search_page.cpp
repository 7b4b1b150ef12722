#include "cli/search_page.h"

#include <algorithm>

#include "base/check.h"
#include "cli/report_file.h"
#include "cli/search_study.h"
#include "io/report_json.h"
#include "study/summary.h"

namespace phaze::cli {
namespace {

// All chips with the answer, as a study would hold them.
io::Report make_report(const search::SearchQuestion& question, const search::SearchAnswer& answer,
                       const ChipValues& values, const std::string& json) {
  io::Report made;
  made.program = program_name();
  made.source = "phaze search";
  if (question.models.size() == 1 || answer.common_best) {  // otherwise it was stopped before
    Diagnostics diagnostics;
    made.answer = io::read_report_answer(json, "the search", diagnostics);
    CHECK(made.answer, to_string(diagnostics));
  }
  plan::StudyRecord& study = made.study.emplace();
  study.question = make_study_question(question, answer.chips);
  const search::CoSearchAnswer& found = answer.common ? *answer.common : answer.own.front();
  if (answer.is_complete) {
    study.chips = settled_rows(question, answer.chips, values, found);
    const search::ChipOutcome& best = found.outcomes[found.best.value()];
    study.answer =
        plan::StudyAnswer{"", static_cast<std::int64_t>(*found.best), best.value, found.bound, ""};
  } else {
    for (std::size_t chip = 0; chip < values.size(); ++chip) {
      if (std::ranges::any_of(values[chip], [](const auto& value) { return value.has_value(); })) {
        study.chips.push_back(row_of(question, answer.chips[chip], chip, values[chip]));
      }
    }
    if (question.models.size() == 1 || answer.common) {  // a model's own bound is not that of all
      study.open_bound = found.bound;
    }
  }
  made.summary = study::summarize(study, 0, std::nullopt);
  add_simulations(made);
  return made;
}

}  // namespace

bool write_search_page(const std::string& path, const search::SearchQuestion& question,
                       const search::SearchAnswer& answer, const ChipValues& values,
                       const std::string& json, Diagnostics& diagnostics) {
  const io::Report made = make_report(question, answer, values, json);
  return write_report_file(path, io::write_report(made), diagnostics);
}

}  // namespace phaze::cli
