#include "report/schedule_lines.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string_view>

#include "base/check.h"
#include "base/plural.h"
#include "base/text.h"

namespace phaze::report {
namespace {

using plan::IdleReason;
using plan::IdleTime;
using plan::Schedule;
using plan::ScheduleProblem;
using plan::TaskId;
using plan::TaskUnit;

constexpr std::size_t kMostReasons = 3;   // of a kind of core
constexpr std::size_t kMostOfAName = 60;  // bytes
constexpr std::string_view kWaitFor = "wait for ";

std::string reason_text(const ScheduleProblem& problem, const Schedule& schedule,
                        const IdleTime& idle, plan::TimeFloor floor) {
  const std::string name =
      idle.task ? printable(shortened(problem.tasks[*idle.task].id, kMostOfAName)) : "";
  switch (idle.reason) {
    case IdleReason::kTask:
      return std::string(kWaitFor) + name;
    case IdleReason::kCores:
      return "a wide operator needs the cores of " + name;
    case IdleReason::kOtherCores:
      return std::string("the next needs ") +
             (idle.unit == TaskUnit::kTensor ? "vector" : "tensor") + " cores of " + name;
    case IdleReason::kBusyLimit:
      return "no more may be busy beside " + name;
    case IdleReason::kExclusive:
      return schedule.runs[*idle.task].wide ? name + " runs wide, alone"
                                            : "a wide operator waits for " + name;
    case IdleReason::kSlack:
      return name + " could run";
    case IdleReason::kDone:
      return "no operator left";
    case IdleReason::kFloor:
      return "bytes through " + floor_text(floor);
    case IdleReason::kUnused:
      return "no operator needs them";
  }
  CHECK(false, "unknown reason");
}

// "8 tensor cores  62.1 % busy; idle: wait for norm1 20 %, out 8 %, no operator left 9.9 %"
std::string core_line(TaskUnit kind, std::int64_t count, double busy, Picoseconds time,
                      const std::vector<IdleTime>& idle,
                      const std::function<std::string(const IdleTime&)>& reason) {
  const double whole = static_cast<double>(count) * to_seconds(time).value();
  std::vector<const IdleTime*> shown;  // the longest first
  double rest = 0;
  for (const IdleTime& item : idle) {
    if (item.unit == kind) {
      shown.push_back(&item);
    }
  }
  constexpr double kLeastShare = 0.0005;  // shows as 0.1 %
  const std::size_t most = shown.size() == kMostReasons + 1 ? kMostReasons + 1 : kMostReasons;
  while (shown.size() > most ||
         (!shown.empty() && shown.back()->core_time.value() < kLeastShare * whole)) {
    rest += shown.back()->core_time.value();
    shown.pop_back();
  }
  std::string text;
  bool is_waiting = false;  // "wait for a 3 %, b 2 %"
  for (const IdleTime* item : shown) {
    const std::string why = reason(*item);
    const bool goes_on = is_waiting && item->reason == IdleReason::kTask;
    text += (text.empty() ? "" : ", ") + (goes_on ? why.substr(kWaitFor.size()) : why) + " " +
            share_text(item->core_time.value() / whole);
    is_waiting = item->reason == IdleReason::kTask;
  }
  if (rest >= kLeastShare * whole && rest > 0) {
    text += (text.empty() ? "" : ", ") + std::string("others ") + share_text(rest / whole);
  }
  return "  " + counted(count, std::string(plan::to_string(kind)) + " core") + " " +
         share_text(busy) + " busy" + (text.empty() ? "" : "; idle: " + text) + "\n";
}

}  // namespace

std::string time_text(Seconds time) {
  return time.value() > 0 ? with_prefix(time.value(), "s") : "0 s";
}
std::string time_text(Picoseconds time) { return time_text(to_seconds(time)); }

std::string share_text(double share) { return shortest(std::round(1000 * share) / 10) + " %"; }

std::string floor_text(plan::TimeFloor floor) {
  switch (floor) {
    case plan::TimeFloor::kNone:
      return "nothing";
    case plan::TimeFloor::kGlobalBuffer:
      return "the global buffer";
    case plan::TimeFloor::kHbm:
      return "HBM";
  }
  CHECK(false, "unknown floor");
}

std::string core_lines(const ScheduleProblem& problem, const Schedule& schedule, Picoseconds time,
                       const std::vector<IdleTime>& idle, plan::TimeFloor floor) {
  const plan::CoreUtilisation busy = plan::core_utilisation(problem, schedule, time);
  const auto reason = [&](const IdleTime& item) {
    return reason_text(problem, schedule, item, floor);
  };
  std::string text;
  if (problem.tensor_cores > 0) {
    text += core_line(TaskUnit::kTensor, problem.tensor_cores, busy.tensor, time, idle, reason);
  }
  if (problem.vector_cores > 0) {
    text += core_line(TaskUnit::kVector, problem.vector_cores, busy.vector, time, idle, reason);
  }
  return text;
}

Table operator_table(const ScheduleProblem& problem, const Schedule& schedule) {
  Table table({{"operator", Align::kLeft},
               {"unit", Align::kLeft},
               {"start", Align::kRight},
               {"end", Align::kRight},
               {"takes", Align::kRight},
               {"cores", Align::kLeft}});
  std::vector<TaskId> order;
  for (const TaskId id : ids_of(problem.tasks)) {
    order.push_back(id);
  }
  std::ranges::stable_sort(order, {}, [&](TaskId id) { return schedule.runs[id].start; });
  for (const TaskId id : order) {
    const plan::TaskRun& run = schedule.runs[id];
    std::string cores = run.wide ? "all" : "";
    if (!run.wide && !run.tensor_cores.empty()) {
      cores = "t" + std::to_string(run.tensor_cores.front());
    }
    if (!run.wide && !run.vector_cores.empty()) {
      cores += (cores.empty() ? "v" : " v") + std::to_string(run.vector_cores.front());
    }
    table.add_row({shortened(problem.tasks[id].id, kMostOfAName),
                   std::string(plan::to_string(problem.tasks[id].unit)), time_text(run.start),
                   time_text(run.end), time_text(run.end - run.start), cores});
  }
  return table;
}

}  // namespace phaze::report
