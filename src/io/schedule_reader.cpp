#include "io/schedule_reader.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "io/map_reader.h"

namespace phaze::io {
namespace {

using plan::ScheduleProblem;
using plan::Task;
using plan::TaskId;
using plan::TaskUnit;

constexpr double kMostSeconds = 1e6;
constexpr double kPicosecondsPerSecond = 1e12;
constexpr Bounds kTimes{0, kMostSeconds};
// Further names get no suggestion, which would take a look at every operator.
constexpr int kMostSuggestions = 20;
constexpr int kMostCycles = 10;
constexpr std::size_t kMostNamedInCycle = 20;

const std::vector<std::string>& unit_names() {
  static const std::vector<std::string> names = {"tensor", "vector", "both", "network", "none"};
  return names;
}

Picoseconds to_picoseconds(double seconds) {
  return Picoseconds(std::llround(seconds * kPicosecondsPerSecond));
}

std::string quoted(const std::string& id) { return "\"" + shortened(id, 40) + "\""; }

// The operators of a cycle in order, the first one of the file at both ends.
std::string cycle_text(const ScheduleProblem& problem, const std::vector<std::size_t>& cycle) {
  std::string text;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    if (cycle.size() > kMostNamedInCycle && i == kMostNamedInCycle / 2) {
      const std::size_t left_out = cycle.size() - kMostNamedInCycle;
      text += "... (" + std::to_string(left_out) + " more) -> ";
      i += left_out;
    }
    text += shortened(problem.tasks[TaskId(cycle[i])].id, 40) + " -> ";
  }
  return text + shortened(problem.tasks[TaskId(cycle.front())].id, 40);
}

class Reader {
 public:
  explicit Reader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  ScheduleProblem read(const Value& document) {
    if (!expect_map(document)) {
      return {};
    }
    MapReader map(document, diagnostics_);
    read_cores(map);
    problem_.exclusive_wide = map.flag("exclusive_wide", true);
    read_tasks(map);
    read_edges(map);
    map.finish();
    return std::move(problem_);
  }

 private:
  // Of anything else every key would be missing too.
  bool expect_map(const Value& value) {
    if (value.kind != ValueKind::kMap) {
      diagnostics_.error(value.where, "expected a map, found " + describe(value));
    }
    return value.kind == ValueKind::kMap;
  }

  void read_cores(MapReader& map) {
    const std::size_t before = diagnostics_.error_count();
    if (const Value* cores = map.child("cores")) {
      MapReader counts(*cores, diagnostics_);
      problem_.tensor_cores = counts.count("tensor", 0, 0, kMostCores);
      problem_.vector_cores = counts.count("vector", 0, 0, kMostCores);
      counts.finish();
    } else if (!map.has("cores")) {
      map.error("cores", "this key is required: expected a map such as {tensor: 4, vector: 8}");
    }
    has_cores_ = diagnostics_.error_count() == before;
  }

  void read_tasks(MapReader& map) {
    const std::vector<Value>& items = map.full_list("operators", "a list of operators", "operator");
    has_tasks_ = !items.empty();
    if (items.size() > kMostTasks) {
      map.error("operators", "expected at most " + std::to_string(kMostTasks) +
                                 " operators, found " + std::to_string(items.size()));
      has_tasks_ = false;
      return;
    }
    double seconds = 0;
    std::int64_t named_cores = 0;
    for (const Value& item : items) {
      const Task task = read_task(item);
      const Picoseconds longest = std::max(task.one_core, task.all_cores.value_or(task.one_core));
      seconds += static_cast<double>(longest.value()) / kPicosecondsPerSecond;
      if (task.all_cores) {
        named_cores += plan::needs_tensor(task.unit) ? problem_.tensor_cores : 0;
        named_cores += plan::needs_vector(task.unit) ? problem_.vector_cores : 0;
      }
      problem_.tasks.push_back(task);
    }
    if (seconds > kMostSeconds) {
      map.error("operators", "take more than " + shortest(kMostSeconds) + " s together");
    }
    if (named_cores > kMostNamedCores) {
      map.error("operators", "run wide on " + std::to_string(named_cores) + " cores" +
                                 ", summed over the operators that can; expected at most " +
                                 std::to_string(kMostNamedCores));
    }
  }

  Task read_task(const Value& item) {
    if (!expect_map(item)) {
      ids_.emplace_back();
      has_ids_ = false;
      return {};
    }
    MapReader map(item, diagnostics_);
    Task task;
    read_id(map, task);
    const std::size_t before = diagnostics_.error_count();
    task.unit = map.choice<TaskUnit>("unit", std::nullopt, plan::parse_task_unit, unit_names());
    const bool is_known = diagnostics_.error_count() == before;
    task.one_core = to_picoseconds(map.number("one_core_s", std::nullopt, kTimes));
    const Value* wide = map.find("all_cores_s");
    if (wide != nullptr && wide->kind != ValueKind::kNull) {
      if (is_known && !plan::needs_core(task.unit)) {
        map.error("all_cores_s", "means nothing for an operator of unit " +
                                     std::string(plan::to_string(task.unit)) +
                                     ", which runs on no core");
      } else {
        task.all_cores = to_picoseconds(map.number("all_cores_s", 0, kTimes));
      }
    }
    if (is_known && has_cores_) {
      check_cores(map, task.unit);
    }
    map.finish();
    return task;
  }

  void read_id(MapReader& map, Task& task) {
    const std::size_t before = diagnostics_.error_count();
    task.id = map.text("id", std::nullopt);
    if (diagnostics_.error_count() == before) {
      if (task.id.empty()) {
        map.error("id", "expected text, found none");
      }
      const auto [known, is_new] = by_id_.emplace(task.id, ids_.size());
      if (!is_new) {
        map.error("id", quoted(task.id) + " is the id of operators[" +
                            std::to_string(known->second) + "] too");
      }
    }
    has_ids_ = has_ids_ && diagnostics_.error_count() == before;
    ids_.push_back(task.id);
  }

  void check_cores(MapReader& map, TaskUnit unit) {
    std::string missing;
    const auto check = [&missing](const char* kind, std::int64_t cores) {
      if (cores == 0) {
        missing += (missing.empty() ? "needs a " : ", and a ") + std::string(kind) +
                   " core, and cores." + kind + " is 0";
      }
    };
    if (plan::needs_tensor(unit)) {
      check("tensor", problem_.tensor_cores);
    }
    if (plan::needs_vector(unit)) {
      check("vector", problem_.vector_cores);
    }
    if (!missing.empty()) {
      map.error("unit", missing);
    }
  }

  void read_edges(MapReader& map) {
    const std::vector<Value>& items = map.list("edges", "a list of edges such as [[q, k], [k, v]]");
    if (items.size() > kMostTaskEdges) {
      map.error("edges", "expected at most " + std::to_string(kMostTaskEdges) + " edges, found " +
                             std::to_string(items.size()));
      return;
    }
    if (!has_tasks_) {
      return;
    }
    std::set<std::pair<TaskId, TaskId>> known;
    for (const Value& item : items) {
      const auto edge = read_edge(item);
      if (edge && known.insert(*edge).second) {
        problem_.edges.push_back(*edge);
        edge_values_.push_back(&item);
      }
    }
    report_cycles();
  }

  std::optional<std::pair<TaskId, TaskId>> read_edge(const Value& item) {
    if (item.kind != ValueKind::kList || item.items.size() != 2) {
      diagnostics_.error(item.where,
                         "expected two ids of operators, [before, after], found " + describe(item));
      return std::nullopt;
    }
    const std::optional<TaskId> before = read_end(item.items[0]);
    const std::optional<TaskId> after = read_end(item.items[1]);
    if (!before || !after) {
      return std::nullopt;
    }
    if (*before == *after) {
      diagnostics_.error(item.where, "an edge from " + quoted(item.items[0].text) + " to itself");
      return std::nullopt;
    }
    return std::pair(*before, *after);
  }

  std::optional<TaskId> read_end(const Value& value) {
    const bool is_text = value.kind != ValueKind::kList && value.kind != ValueKind::kMap &&
                         value.kind != ValueKind::kNull;
    if (!is_text) {
      diagnostics_.error(value.where, "expected the id of an operator, found " + describe(value));
      return std::nullopt;
    }
    const auto found = by_id_.find(value.text);
    if (found == by_id_.end() && !has_ids_) {
      return std::nullopt;  // it may be the one that has a fault
    }
    if (found == by_id_.end()) {
      std::string message = "no operator has the id " + quoted(value.text);
      if (suggestions_ < kMostSuggestions) {
        ++suggestions_;
        message += did_you_mean(value.text, ids_);
      }
      diagnostics_.error(value.where, message);
      return std::nullopt;
    }
    return TaskId(found->second);
  }

  // Depth first from every operator in the file's order. An edge to an operator that is still open
  // closes a cycle; there is such an edge for every cycle.
  void report_cycles() {
    std::vector<std::vector<std::size_t>> after(problem_.tasks.size());
    for (const auto& [before, then] : problem_.edges) {
      after[before.index()].push_back(then.index());
    }
    enum class State { kNew, kOpen, kDone };
    std::vector<State> states(after.size(), State::kNew);
    std::vector<std::size_t> path;
    std::vector<std::size_t> next(after.size(), 0);
    int cycles = 0;
    for (std::size_t root = 0; root < after.size(); ++root) {
      if (states[root] != State::kNew) {
        continue;
      }
      path.push_back(root);
      states[root] = State::kOpen;
      while (!path.empty()) {
        const std::size_t at = path.back();
        if (next[at] == after[at].size()) {
          states[at] = State::kDone;
          path.pop_back();
          continue;
        }
        const std::size_t to = after[at][next[at]++];
        if (states[to] == State::kNew) {
          states[to] = State::kOpen;
          path.push_back(to);
        } else if (states[to] == State::kOpen && cycles++ < kMostCycles) {
          report_cycle({std::ranges::find(path, to), path.end()});
        }
      }
    }
  }

  void report_cycle(std::vector<std::size_t> cycle) {
    std::rotate(cycle.begin(), std::ranges::min_element(cycle), cycle.end());
    const std::pair closing(TaskId(cycle.back()), TaskId(cycle.front()));
    const auto at = std::ranges::find(problem_.edges, closing) - problem_.edges.begin();
    diagnostics_.error(edge_values_[static_cast<std::size_t>(at)]->where,
                       "closes a cycle: " + cycle_text(problem_, cycle));
  }

  Diagnostics& diagnostics_;
  ScheduleProblem problem_;
  bool has_cores_ = false;
  bool has_tasks_ = true;
  bool has_ids_ = true;           // each operator has its own
  std::vector<std::string> ids_;  // of all operators, empty where there is none
  std::unordered_map<std::string, std::size_t> by_id_;
  std::vector<const Value*> edge_values_;  // of the problem's edges
  int suggestions_ = 0;
};

}  // namespace

std::optional<ScheduleProblem> read_schedule_problem(const Value& document,
                                                     Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  ScheduleProblem problem = Reader(diagnostics).read(document);
  return diagnostics.error_count() > before ? std::nullopt : std::optional(std::move(problem));
}

}  // namespace phaze::io
