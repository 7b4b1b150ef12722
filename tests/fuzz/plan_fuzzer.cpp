// A plan from anywhere: refused with a reason, or one that is written and read back the same and
// that can be simulated, unless it is large, with parts that add up.
#include <cmath>

#include "finding.h"
#include "io/plan_json.h"
#include "io/simulation_json.h"
#include "io/simulation_trace.h"
#include "report/simulation_report.h"
#include "simulate/simulate.h"
#include "simulate/vary.h"

namespace phaze::fuzz {
namespace {

void expect_read_back(const plan::PlanRecord& record) {
  Diagnostics diagnostics;
  const auto document = io::parse_document(io::write_plan(record), "written", diagnostics);
  expect(document.has_value(), "what was written cannot be parsed: " + to_string(diagnostics));
  const auto again = io::read_plan(*document, diagnostics);
  expect(again.has_value(), "what was written cannot be read: " + to_string(diagnostics));
  expect(*again == record, "what was written reads as another plan");
}

void expect_simulated(const plan::PlanRecord& record) {
  constexpr double kMostPasses = 2000;
  const plan::TrainingPlan& plan = record.plan;
  if (2.0 * static_cast<double>(plan.stages.size()) * static_cast<double>(plan.microbatches) *
          static_cast<double>(plan.strategy.interleave) >
      kMostPasses) {
    return;
  }
  const plan::SimulatedIteration simulated = simulate::simulate(plan);
  for (const plan::SimulatedStage& stage : simulated.stages) {
    const Seconds sum =
        stage.passes + stage.transfers + stage.reduction + stage.optimizer + stage.bubble;
    expect(std::abs((sum - simulated.iteration).value()) <= 1e-9 * simulated.iteration.value(),
           "the parts of a stage are not the iteration");
  }
  const auto variations = simulate::vary(plan);
  expect(!io::write_simulation(record, simulated, variations).empty(), "nothing was written");
  expect(!io::write_trace(record, simulated).empty(), "no trace was written");
  expect(!report::simulation_text(record, simulated, variations, 50).empty(), "nothing was said");
}

void run(std::string_view text) {
  Diagnostics diagnostics;
  const auto document = io::parse_document(text, "plan.json", diagnostics);
  expect_reasons(document.has_value(), diagnostics);
  if (!document) {
    return;
  }
  const auto record = io::read_plan(*document, diagnostics);
  expect_reasons(record.has_value(), diagnostics);
  if (record) {
    expect_read_back(*record);
    expect_simulated(*record);
  }
}

}  // namespace

// What a plan may say.
std::vector<std::string> words() {
  return {"schema",
          "model",
          "chip",
          "cluster",
          "sequence",
          "tensor",
          "pipeline",
          "data",
          "microbatch",
          "interleave",
          "zero",
          "schedule",
          "1f1b",
          "gpipe",
          "interleaved",
          "order",
          "tdp",
          "ptd",
          "devices",
          "global_batch",
          "microbatches",
          "transfer_s",
          "tied_s",
          "iteration_s",
          "capacity_bytes",
          "fits",
          "breakdown",
          "stages",
          "layers",
          "layer",
          "name",
          "count",
          "forward_s",
          "backward_s",
          "network_s",
          "recompute_s",
          "in_flight",
          "saved_bytes",
          "memory",
          "weights_bytes",
          "gradients_s",
          "exposed_s",
          "optimizer_s",
          "status",
          "optimal",
          "feasible",
          "bound_s",
          "utilisation",
          "mfu",
          "true",
          "null",
          "0",
          "1",
          "1e9",
          "1e-300",
          "-1",
          ".nan",
          "1000000000000",
          "999999999999999",
          "100000",
          "chunks"};
}

}  // namespace phaze::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size <= phaze::fuzz::kLongestInput) {
    phaze::fuzz::run({reinterpret_cast<const char*>(data), size});
  }
  return 0;
}

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#include "mutate.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  static const std::vector<std::string> kWords = phaze::fuzz::words();
  return phaze::fuzz::mutate_in_place(data, size, max_size, seed, kWords);
}
#endif
