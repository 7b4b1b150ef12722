#include "report/schedule_report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/text.h"
#include "report/table.h"

namespace phaze::report {
namespace {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::TaskId;

constexpr double kPerSecond = 1e12;  // picoseconds
constexpr std::size_t kMostRows = 24;

std::string time_text(Picoseconds time) {
  return time.value() > 0 ? with_prefix(static_cast<double>(time.value()) / kPerSecond, "s")
                          : "0 s";
}

std::string percent(double share) { return shortest(std::round(1000 * share) / 10) + " %"; }

std::string padded(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}

std::string headline(const ScheduleProblem& problem, const Schedule& s) {
  const double gap = s.makespan.value() > 0 ? 1 - static_cast<double>(s.lower_bound.value()) /
                                                      static_cast<double>(s.makespan.value())
                                            : 0;
  const plan::CoreUtilisation used = plan::core_utilisation(problem, s, s.makespan);
  return "makespan " + time_text(s.makespan) + ", " +
         (s.status == plan::SolveStatus::kOptimal
              ? std::string("proved optimal")
              : "bound " + time_text(s.lower_bound) + ", gap " + percent(gap)) +
         "; " + std::to_string(problem.tensor_cores) + " tensor cores " + percent(used.tensor) +
         " busy, " + std::to_string(problem.vector_cores) + " vector cores " +
         percent(used.vector) + " busy\n";
}

}  // namespace

std::string schedule_chart(const ScheduleProblem& problem, const Schedule& schedule,
                           std::size_t width) {
  if (schedule.makespan.value() == 0) {
    return "";
  }
  // Rows by name: "t0", "v3", "network".
  std::map<std::pair<int, std::int64_t>, std::string> rows;
  const auto column = [&](Picoseconds at) {
    return static_cast<std::size_t>(std::llround(static_cast<double>(at.value()) /
                                                 static_cast<double>(schedule.makespan.value()) *
                                                 static_cast<double>(width)));
  };
  const auto draw = [&](int kind, std::int64_t core, const plan::TaskRun& run,
                        const std::string& name) {
    std::string& row = rows[{kind, core}];
    row.resize(width, '.');
    const std::size_t from = column(run.start);
    const std::size_t to = std::max(from + 1, column(run.end));
    for (std::size_t i = from; i < std::min(to, width); ++i) {
      const std::size_t at = i - from;
      row[i] = at == 0 ? '|' : at - 1 < name.size() ? name[at - 1] : run.wide ? '=' : '-';
    }
  };
  for (const TaskId id : ids_of(problem.tasks)) {
    const plan::TaskRun& run = schedule.runs[id];
    if (run.start == run.end) {
      continue;
    }
    const std::string name = printable(problem.tasks[id].id);
    for (const std::int64_t core : run.tensor_cores) {
      draw(0, core, run, name);
    }
    for (const std::int64_t core : run.vector_cores) {
      draw(1, core, run, name);
    }
    if (problem.tasks[id].unit == plan::TaskUnit::kNetwork) {
      draw(2, 0, run, name);
    }
  }
  std::string text;
  std::size_t shown = 0;
  for (const auto& [key, row] : rows) {
    if (++shown > kMostRows) {
      text += "  and " + std::to_string(rows.size() - kMostRows) + " more cores\n";
      break;
    }
    const std::string label =
        key.first == 2 ? "net" : (key.first == 0 ? "t" : "v") + std::to_string(key.second);
    text += "  " + padded(label, 6) + row + "\n";
  }
  return text;
}

std::string schedule_text(const ScheduleProblem& problem, const Schedule& schedule) {
  Table table({{"operator", Align::kLeft},
               {"unit", Align::kLeft},
               {"start", Align::kRight},
               {"end", Align::kRight},
               {"", Align::kLeft}});
  for (const TaskId id : ids_of(problem.tasks)) {
    const plan::TaskRun& run = schedule.runs[id];
    table.add_row({problem.tasks[id].id, std::string(plan::to_string(problem.tasks[id].unit)),
                   time_text(run.start), time_text(run.end), run.wide ? "wide" : ""});
  }
  return headline(problem, schedule) + schedule_chart(problem, schedule) + "\n" +
         table.to_string(2);
}

std::string layer_schedules_text(const std::string& model, const std::string& chip,
                                 const std::vector<plan::LayerSchedule>& layers) {
  std::string text = printable(model) + " on " + printable(chip) + "\n";
  for (const plan::LayerSchedule& layer : layers) {
    text += "\n" + printable(layer.name) + ", " + std::string(plan::to_string(layer.pass)) + ": " +
            time_text(layer.time()) + "\n  " + headline(layer.problem, layer.schedule);
    if (layer.is_serial) {
      text += "  operators follow one another on this chip: the time is their sum\n";
    } else {
      text += "  at most " + std::to_string(layer.busy_cores) +
              " cores of a kind busy at once share the bandwidths";
      text += layer.floor > layer.schedule.makespan
                  ? "; the time is that of all bytes through " +
                        std::string(plan::to_string(layer.floor_reason)) + "\n"
                  : "\n";
    }
    text += schedule_chart(layer.problem, layer.schedule);
  }
  return text;
}

}  // namespace phaze::report
