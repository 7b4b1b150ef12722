#include "cli/plan_file.h"

#include <iostream>

#include "base/plural.h"
#include "base/text.h"
#include "io/document.h"
#include "io/plan_json.h"
#include "io/schedule_trace.h"
#include "io/simulation_trace.h"
#include "simulate/simulate.h"

namespace phaze::cli {
namespace {

std::string source_of(const std::string& path) { return path == "-" ? "standard input" : path; }

}  // namespace

std::optional<plan::PlanRecord> load_plan(const std::string& path, Diagnostics& diagnostics) {
  const std::string source = source_of(path);
  const auto text = path == "-" ? io::read_text(std::cin, source, diagnostics)
                                : io::read_text_file(path, diagnostics);
  const auto document = text ? io::parse_document(*text, source, diagnostics) : std::nullopt;
  return document ? io::read_plan(*document, diagnostics) : std::nullopt;
}

bool can_simulate(const plan::PlanRecord& record, const std::string& path,
                  Diagnostics& diagnostics) {
  const std::int64_t passes = simulate::count_passes(record.plan);
  if (passes <= kMostPasses) {
    return true;
  }
  diagnostics.error({source_of(path), 0, 0, "microbatches"},
                    "the plan has " + counted(passes, "pass", "passes") +
                        " over all stages, chunks and micro-batches; expected at most " +
                        with_thousands(kMostPasses));
  return false;
}

std::optional<std::string> make_trace(const plan::PlanRecord& record,
                                      const plan::SimulatedIteration& simulated,
                                      const std::string& option, Diagnostics& diagnostics) {
  const std::int64_t events = io::trace_events(simulated);
  if (events > io::kMostTraceEvents) {
    diagnostics.error({"command line", 0, 0, option},
                      "the iteration has " + counted(events, "event") +
                          " to show; expected at most " + with_thousands(io::kMostTraceEvents));
    return std::nullopt;
  }
  return io::write_trace(record, simulated);
}

}  // namespace phaze::cli
