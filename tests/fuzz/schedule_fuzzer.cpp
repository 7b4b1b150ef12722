// A scheduling problem from anywhere: refused with a reason, or one that is sound, is written and
// read back the same, and has a schedule that its checker accepts.
#include "finding.h"
#include "io/schedule_json.h"
#include "io/schedule_reader.h"
#include "verify/schedule.h"
#include "verify/schedule_bounds.h"

namespace phaze::fuzz {
namespace {

// One task after another, narrow.
plan::Schedule serial_schedule(const plan::ScheduleProblem& problem,
                               const std::vector<plan::TaskId>& order) {
  plan::Schedule schedule;
  schedule.runs.resize(problem.tasks.size(), {});
  for (const plan::TaskId id : order) {
    const plan::Task& task = problem.tasks[id];
    plan::TaskRun& run = schedule.runs[id];
    run.start = schedule.makespan;
    run.end = schedule.makespan = run.start + task.one_core;
    if (task.unit == plan::TaskUnit::kTensor || task.unit == plan::TaskUnit::kBoth) {
      run.tensor_cores = {problem.tensor_cores - 1};
    }
    if (task.unit == plan::TaskUnit::kVector || task.unit == plan::TaskUnit::kBoth) {
      run.vector_cores = {0};
    }
  }
  return schedule;
}

void expect_read_back(const plan::ScheduleProblem& problem) {
  // Longer times are not whole picoseconds in a double's seconds.
  constexpr std::int64_t kExact = std::int64_t{1} << 51U;
  for (const plan::Task& task : problem.tasks) {
    if (task.one_core.value() > kExact ||
        task.all_cores.value_or(Picoseconds(0)).value() > kExact) {
      return;
    }
  }
  Diagnostics diagnostics;
  const auto document =
      io::parse_document(io::write_schedule_problem(problem), "written", diagnostics);
  expect(document.has_value(), "what was written cannot be parsed: " + to_string(diagnostics));
  const auto again = io::read_schedule_problem(*document, diagnostics);
  expect(again.has_value(), "what was written cannot be read: " + to_string(diagnostics));
  expect(*again == problem, "what was written reads as another problem");
}

void run(std::string_view text) {
  Diagnostics diagnostics;
  const auto document = io::parse_document(text, "problem.json", diagnostics);
  expect_reasons(document.has_value(), diagnostics);
  if (!document) {
    return;
  }
  const auto problem = io::read_schedule_problem(*document, diagnostics);
  expect_reasons(problem.has_value(), diagnostics);
  if (!problem) {
    return;
  }
  const auto order = verify::order_tasks(*problem);
  expect(order.has_value(), "a problem with a cycle was read");
  const plan::Schedule schedule = serial_schedule(*problem, *order);
  for (const std::string& fault : verify::find_faults(*problem, schedule)) {
    expect(false, fault);
  }
  expect(!io::write_schedule(*problem, schedule).empty(), "nothing was written");
  expect_read_back(*problem);
}

}  // namespace

// What a problem may say.
std::vector<std::string> words() {
  return {"cores",       "tensor",  "vector", "exclusive_wide", "operators", "id",
          "unit",        "both",    "none",   "network",        "edges",     "one_core_s",
          "all_cores_s", "true",    "false",  "null",           "q",         "k",
          "0",           "1e6",     "1e-12",  "5e-13",          "-1",        ".nan",
          "1e999",       "1000000", "10000",  "q -> k"};
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
