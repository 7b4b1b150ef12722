#include "io/schedule_trace.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;
using plan::TaskId;
using plan::TaskRun;
using plan::TaskUnit;

double microseconds(Picoseconds time) { return static_cast<double>(time.value()) / 1e6; }

class Trace {
 public:
  void add_process(const std::string& name, const plan::ScheduleProblem& problem,
                   const plan::Schedule& schedule, Picoseconds from) {
    ++process_;
    add_name("process_name", 0, name);
    add_index("process_sort_index", 0, process_);
    const std::int64_t tensor = problem.tensor_cores;
    const std::int64_t network = 1 + tensor + problem.vector_cores;
    add_names("tensor", 1, tensor);
    add_names("vector", 1 + tensor, problem.vector_cores);
    std::vector<TaskId> order;
    for (const TaskId id : ids_of(problem.tasks)) {
      order.push_back(id);
    }
    std::ranges::stable_sort(order, {}, [&](TaskId id) { return schedule.runs[id].start; });
    bool has_network = false;
    std::vector<Picoseconds> free;  // when each thread of operators on nothing is
    for (const TaskId id : order) {
      const TaskRun& run = schedule.runs[id];
      const plan::Task& task = problem.tasks[id];
      if (task.unit == TaskUnit::kNone || run.start == run.end) {  // on nothing
        const auto found =
            std::ranges::find_if(free, [&run](Picoseconds at) { return at <= run.start; });
        const auto thread = found - free.begin();
        if (found == free.end()) {
          free.push_back(run.end);
          add_thread("none" + (thread > 0 ? " " + std::to_string(thread) : ""),
                     network + 1 + thread);
        } else {
          *found = run.end;
        }
        add_event(task, run, from, network + 1 + thread);
      } else if (task.unit == TaskUnit::kNetwork) {
        if (!std::exchange(has_network, true)) {
          add_thread("network", network);
        }
        add_event(task, run, from, network);
      } else {
        for (const std::int64_t core : run.tensor_cores) {
          add_event(task, run, from, 1 + core);
        }
        for (const std::int64_t core : run.vector_cores) {
          add_event(task, run, from, 1 + tensor + core);
        }
      }
    }
  }

  std::string to_string(const Json& about) const {
    return "{\"displayTimeUnit\": \"ns\", \"otherData\": " + about.dump() +
           ", \"traceEvents\": [\n" + events_ + "\n]}\n";
  }

 private:
  void add(const Json& event) { events_ += (events_.empty() ? "" : ",\n") + event.dump(); }

  void add_name(const char* what, std::int64_t thread, const std::string& name) {
    add({{"name", what},
         {"ph", "M"},
         {"pid", process_},
         {"tid", thread},
         {"args", {{"name", name}}}});
  }
  void add_index(const char* what, std::int64_t thread, std::int64_t index) {
    add({{"name", what},
         {"ph", "M"},
         {"pid", process_},
         {"tid", thread},
         {"args", {{"sort_index", index}}}});
  }
  void add_thread(const std::string& name, std::int64_t thread) {
    add_name("thread_name", thread, name);
    add_index("thread_sort_index", thread, thread);
  }
  void add_names(const std::string& kind, std::int64_t first, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      add_thread(kind + " " + std::to_string(i), first + i);
    }
  }

  void add_event(const plan::Task& task, const TaskRun& run, Picoseconds from,
                 std::int64_t thread) {
    add({{"name", task.id},
         {"cat", plan::to_string(task.unit)},
         {"ph", "X"},
         {"ts", microseconds(from + run.start)},
         {"dur", microseconds(run.end - run.start)},
         {"pid", process_},
         {"tid", thread},
         {"args",
          {{"unit", plan::to_string(task.unit)},
           {"wide", run.wide},
           {"start_s", to_seconds(run.start).value()},
           {"end_s", to_seconds(run.end).value()}}}});
  }

  std::string events_;
  std::int64_t process_ = 0;
};

}  // namespace

std::int64_t trace_events(const plan::Schedule& schedule) {
  std::int64_t events = 0;
  for (const TaskRun& run : schedule.runs) {
    const std::size_t cores = run.tensor_cores.size() + run.vector_cores.size();
    events += static_cast<std::int64_t>(std::max<std::size_t>(cores, 1));
  }
  return events;
}

std::int64_t trace_events(const plan::ModelSchedule& schedule) {
  std::int64_t events = 0;
  for (const plan::LayerSchedule& layer : schedule.layers) {
    events += trace_events(layer.schedule);
  }
  return events;
}

std::string write_trace(const plan::ScheduleProblem& problem, const plan::Schedule& schedule) {
  Trace trace;
  trace.add_process("schedule", problem, schedule, Picoseconds());
  return trace.to_string({{"status", plan::to_string(schedule.status)}});
}

std::string write_trace(const plan::ModelSchedule& schedule) {
  std::vector<const plan::LayerSchedule*> order;
  for (const plan::LayerSchedule& layer : schedule.layers) {
    if (layer.pass == plan::LayerPass::kForward) {
      order.push_back(&layer);
    }
  }
  for (auto layer = schedule.layers.rbegin(); layer != schedule.layers.rend(); ++layer) {
    if (layer->pass == plan::LayerPass::kBackward) {
      order.push_back(&*layer);
    }
  }
  Trace trace;
  Picoseconds from;
  for (const plan::LayerSchedule* layer : order) {
    const std::string repeat =
        layer->repeat > 1 ? ", one of " + std::to_string(layer->repeat) : std::string();
    trace.add_process(layer->name + " " + std::string(plan::to_string(layer->pass)) + repeat,
                      layer->problem, layer->schedule, from);
    from += layer->time();
  }
  return trace.to_string({{"model", schedule.model.name}, {"chip", schedule.chip.name}});
}

}  // namespace phaze::io
