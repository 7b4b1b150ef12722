// How long do exact schedules take, and how many of them are proved? Random graphs here, layers of
// the built-in models in schedule_layers.cpp. PHAZE_SCHEDULE_WORK limits the nodes for a
// problem. Every answer goes through verify/.
//
// With PHAZE_ILP_GRAPHS naming a file of graphs like layers, with what another search once found:
// the same beside integer programs, with PHAZE_ILP_SECONDS for each (20).
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>

#include "io/document.h"
#include "schedule/ilp.h"
#include "schedule_sample.h"
#include "support/schedule_generators.h"
#include "verify/schedule.h"

namespace phaze::bench {
namespace {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::SolveStatus;
using plan::TaskId;
using plan::TaskUnit;
using tests::TaskGraph;

constexpr std::int64_t kWorkLimit = 2'000'000;  // a second and a half for two dozen tasks

// 24 tasks on up to 8 cores of each kind; proved within a second.
void random_graphs(benchmark::State& state, TaskGraph graph, bool exclusive, const char* name) {
  constexpr std::uint64_t kProblems = 200;
  tests::ScheduleProblemOptions options;
  options.least_tasks = options.most_tasks = 24;
  options.most_cores = 8;
  options.graph = graph;
  options.exclusive = exclusive;
  Sample sample(1);
  for (auto _ : state) {
    for (std::uint64_t seed = 1; seed <= kProblems; ++seed) {
      const ScheduleProblem problem = tests::random_schedule_problem(seed, options);
      const Timed timed = solve_timed(problem, limited_to(kWorkLimit));
      sample.add("seed " + std::to_string(seed),
                 std::to_string(problem.tensor_cores) + " + " +
                     std::to_string(problem.vector_cores) + " cores",
                 problem, timed, verify::find_faults(problem, timed.schedule));
    }
  }
  sample.print(name);
  if (!sample.fault().empty()) {
    state.SkipWithError(sample.fault().c_str());
    return;
  }
  state.counters["proved_percent"] = sample.proved_percent();
  state.SetLabel("target: 95 % proved within a second");
}
BENCHMARK_CAPTURE(random_graphs, layered_exclusive, TaskGraph::kLayered, true, "layered-exclusive")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(random_graphs, layered_shared, TaskGraph::kLayered, false, "layered-shared")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(random_graphs, nested_exclusive, TaskGraph::kSeriesParallel, true,
                  "nested-exclusive")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);
BENCHMARK_CAPTURE(random_graphs, nested_shared, TaskGraph::kSeriesParallel, false, "nested-shared")
    ->Iterations(1)
    ->Unit(benchmark::kSecond);

struct KnownGraph {
  std::string name;
  ScheduleProblem problem;
  double best_ms = 0;
  std::string status;
};

constexpr double kPicosecondsPerMs = 1e9;

TaskUnit unit_of(const std::string& core) {
  if (core == "TC") {
    return TaskUnit::kTensor;
  }
  return core == "VC" ? TaskUnit::kVector : TaskUnit::kBoth;
}

std::vector<KnownGraph> read_graphs(const std::string& path) {
  Diagnostics diagnostics;
  const auto text = io::read_text_file(path, diagnostics);
  const auto document = text ? io::parse_document(*text, path, diagnostics) : std::nullopt;
  const auto get = [](const io::Value& map, const char* key) -> const io::Value& {
    if (const io::Value* value = map.find(key)) {
      return *value;
    }
    throw std::runtime_error(std::string("no ") + key);
  };
  const auto time = [&get](const io::Value& node, const char* key) {
    return Picoseconds(std::llround(get(node, key).number * kPicosecondsPerMs));
  };
  std::vector<KnownGraph> graphs;
  for (const io::Value& item : document ? document->items : std::vector<io::Value>()) {
    KnownGraph graph;
    graph.name = get(item, "name").text;
    graph.problem.tensor_cores = get(item, "num_tc").integer;
    graph.problem.vector_cores = get(item, "num_vc").integer;
    graph.problem.exclusive_wide = true;
    std::map<std::string, TaskId> tasks;
    for (const io::Value& node : get(item, "nodes").items) {
      const std::string id = get(node, "id").text;
      tasks[id] = graph.problem.tasks.push_back(
          {id, unit_of(get(node, "core").text), time(node, "latency"), time(node, "intra")});
    }
    for (const io::Value& edge : get(item, "edges").items) {
      graph.problem.edges.emplace_back(tasks.at(edge.items.at(0).text),
                                       tasks.at(edge.items.at(1).text));
    }
    graph.best_ms = get(get(item, "own_search"), "makespan").number;
    graph.status = get(get(item, "own_search"), "status").text;
    graphs.push_back(std::move(graph));
  }
  return graphs;
}

double ilp_seconds() {
  const char* given = std::getenv("PHAZE_ILP_SECONDS");
  return given != nullptr ? std::atof(given) : 20;
}

Timed solve_ilp_timed(const ScheduleProblem& problem, schedule::Formulation formulation) {
  schedule::IlpOptions options;
  options.time_limit = Seconds(ilp_seconds());
  options.formulation = formulation;
  // CBC runs in another process: the wall clock.
  const auto begin = std::chrono::steady_clock::now();
  Timed timed{schedule::solve_ilp(problem, options), 0};
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  timed.seconds = took.count();
  return timed;
}

void print_answer(const Timed& timed) {
  std::printf(" | %8.4f %8.4f %s %7.3f",
              static_cast<double>(timed.schedule.makespan.value()) / kPicosecondsPerMs,
              static_cast<double>(timed.schedule.lower_bound.value()) / kPicosecondsPerMs,
              timed.schedule.status == SolveStatus::kOptimal ? "yes" : " no", timed.seconds);
}

void beside_ilp(benchmark::State& state) {
  const std::vector<KnownGraph> graphs = read_graphs(std::getenv("PHAZE_ILP_GRAPHS"));
  if (graphs.empty()) {
    state.SkipWithError("no graphs");
    return;
  }
  int proved = 0;
  int ilp_proved = 0;
  std::printf("%-8s %5s | %-29s | %-29s | %-29s | recorded\n", "graph", "cores",
              "exact: ms, bound, proved, s", "original ILP", "strong ILP");
  for (auto _ : state) {
    for (const KnownGraph& graph : graphs) {
      const std::vector<Timed> answers = {
          solve_timed(graph.problem, limited_to(kWorkLimit)),
          solve_ilp_timed(graph.problem, schedule::Formulation::kOriginal),
          solve_ilp_timed(graph.problem, schedule::Formulation::kStrong)};
      std::printf("%-8s %2lld+%-2lld", graph.name.c_str(),
                  static_cast<long long>(graph.problem.tensor_cores),
                  static_cast<long long>(graph.problem.vector_cores));
      for (const Timed& answer : answers) {
        print_answer(answer);
        if (!verify::find_faults(graph.problem, answer.schedule).empty()) {
          state.SkipWithError("a schedule is not sound");
          return;
        }
        for (const Timed& other : answers) {  // where both are optimal, they are equal
          if (answer.schedule.lower_bound > other.schedule.makespan) {
            state.SkipWithError("a bound is above a schedule");
            return;
          }
        }
      }
      std::printf(" | %8.4f %s\n", graph.best_ms, graph.status.c_str());
      std::fflush(stdout);
      proved += answers[0].schedule.status == SolveStatus::kOptimal ? 1 : 0;
      ilp_proved += answers[1].schedule.status == SolveStatus::kOptimal ||
                            answers[2].schedule.status == SolveStatus::kOptimal
                        ? 1
                        : 0;
    }
  }
  state.counters["graphs"] = static_cast<double>(graphs.size());
  state.counters["proved"] = proved;
  state.counters["ilp_proved"] = ilp_proved;
}
const bool kHasGraphs = [] {
  if (std::getenv("PHAZE_ILP_GRAPHS") == nullptr) {
    return false;
  }
  benchmark::RegisterBenchmark("beside_ilp", beside_ilp)->Iterations(1)->Unit(benchmark::kSecond);
  return true;
}();

}  // namespace
}  // namespace phaze::bench
