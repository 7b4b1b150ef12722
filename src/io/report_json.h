#pragma once
// The document that a report's page shows: answers as other commands write them, and beside them
// what a picture needs (docs/formats.md).

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "plan/plan_record.h"
#include "plan/simulation.h"
#include "plan/study.h"

namespace phaze::io {

// A plan inside an answer, to be simulated.
struct ReportPlan {
  std::string name;  // of its model
  plan::PlanRecord record;
};

// An answer as it was written. One plan by itself, or those of a search's best chip.
struct ReportAnswer {
  bool is_search = false;
  std::string json;
  std::vector<ReportPlan> plans;
};

// `text` is JSON that `phaze search` or `phaze place` wrote. Plans inside are read in full; every
// fault has its place.
std::optional<ReportAnswer> read_report_answer(const std::string& text, const std::string& source,
                                               Diagnostics& diagnostics);

// A plan's iteration, or its beginning where it has more passes than a picture can show; nothing in
// `simulated` where it has too many to be simulated.
struct ReportSimulation {
  std::string name;
  std::optional<plan::SimulatedIteration> simulated;
};

struct Report {
  std::string program;                 // "phaze 0.1.0"
  std::string source;                  // the name of the file, for people
  std::optional<ReportAnswer> answer;  // nothing: of a study that has not ended
  std::optional<plan::StudyRecord> study;
  std::optional<plan::StudySummary> summary;  // of the study
  std::vector<ReportSimulation> simulations;  // as the answer's plans
};

inline constexpr std::int64_t kMostShownPasses = 60'000;

std::string write_report(const Report& report);

}  // namespace phaze::io
