#include <algorithm>
#include <cmath>
#include <utility>

#include "base/plural.h"
#include "base/text.h"
#include "report/schedule_report.h"

namespace phaze::report {
namespace {

using plan::TaskId;
using plan::TaskRun;
using plan::TaskUnit;

constexpr std::size_t kMostRows = 24;

struct Row {
  std::string label;
  std::string cells;
};

// A character a column: others than ASCII as "?".
std::string in_columns(const std::string& name) {
  std::string text;
  for (const char c : printable(name)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80U) {
      text += c;
    } else if (byte >= 0xC0U) {  // the first byte of a character
      text += '?';
    }
  }
  return text;
}

class Chart {
 public:
  Chart(const plan::ScheduleProblem& problem, const plan::Schedule& schedule, Picoseconds time,
        std::size_t width)
      : problem_(problem), schedule_(schedule), time_(time), width_(width) {}

  // A row for each core of a kind; cores with the same tasks that follow one another share one.
  void add_cores(char kind, std::int64_t count, std::vector<std::int64_t> TaskRun::*cores) {
    std::vector<std::vector<TaskId>> tasks(static_cast<std::size_t>(count));
    for (const TaskId id : ids_of(problem_.tasks)) {
      const TaskRun& run = schedule_.runs[id];
      for (const std::int64_t core : run.*cores) {
        if (run.start < run.end) {
          tasks[static_cast<std::size_t>(core)].push_back(id);
        }
      }
    }
    for (std::size_t first = 0; first < tasks.size();) {
      std::size_t last = first;
      while (last + 1 < tasks.size() && tasks[last + 1] == tasks[first]) {
        ++last;
      }
      std::string label = kind + std::to_string(first);
      if (last > first) {
        label += "-" + (kind + std::to_string(last));
      }
      Row row{label, std::string(width_, '.')};
      for (const TaskId id : tasks[first]) {
        draw(row.cells, id);
      }
      rows_.push_back(row);
      first = last + 1;
    }
  }

  // A row for tasks that run on no core, where there are such.
  void add_unit(const std::string& label, TaskUnit unit) {
    std::string row(width_, '.');
    bool is_used = false;
    for (const TaskId id : ids_of(problem_.tasks)) {
      if (problem_.tasks[id].unit == unit) {
        draw(row, id);
        is_used = is_used || schedule_.runs[id].start < schedule_.runs[id].end;
      }
    }
    if (is_used) {
      rows_.push_back({label, row});
    }
  }

  std::string to_string() const {
    std::size_t widest = 4;  // "time"
    for (const Row& row : rows_) {
      widest = std::max(widest, row.label.size());
    }
    const auto line = [widest](const std::string& label, const std::string& cells) {
      return "  " + label + std::string(widest - label.size() + 2, ' ') + cells + "\n";
    };
    const std::string end = with_prefix(to_seconds(time_).value(), "s");
    const std::size_t between = std::max(width_, end.size() + 2) - end.size() - 1;
    std::string text = line("time", "0" + std::string(between, ' ') + end);
    for (std::size_t i = 0; i < std::min(rows_.size(), kMostRows); ++i) {
      text += line(rows_[i].label, rows_[i].cells);
    }
    if (rows_.size() > kMostRows) {
      text += "  and " + counted(rows_.size() - kMostRows, "more row") + "\n";
    }
    return text;
  }

 private:
  std::size_t column(Picoseconds at) const {
    const double share = static_cast<double>(at.value()) / static_cast<double>(time_.value());
    return static_cast<std::size_t>(std::llround(share * static_cast<double>(width_)));
  }

  // A task of no length takes no place.
  void draw(std::string& row, TaskId id) const {
    const TaskRun& run = schedule_.runs[id];
    if (run.start == run.end) {
      return;
    }
    const std::size_t from = std::min(column(run.start), width_ - 1);
    const std::size_t to = std::clamp(column(run.end), from + 1, width_);
    const std::string name = in_columns(problem_.tasks[id].id);
    for (std::size_t i = from; i < to; ++i) {
      const std::size_t at = i - from;
      row[i] = at == 0 ? '|' : at - 1 < name.size() ? name[at - 1] : run.wide ? '=' : '-';
    }
  }

  const plan::ScheduleProblem& problem_;
  const plan::Schedule& schedule_;
  Picoseconds time_;
  std::size_t width_;
  std::vector<Row> rows_;
};

}  // namespace

std::string schedule_chart(const plan::ScheduleProblem& problem, const plan::Schedule& schedule,
                           Picoseconds time, std::size_t width) {
  if (time == Picoseconds() || width == 0) {
    return "";
  }
  Chart chart(problem, schedule, time, width);
  chart.add_cores('t', problem.tensor_cores, &TaskRun::tensor_cores);
  chart.add_cores('v', problem.vector_cores, &TaskRun::vector_cores);
  chart.add_unit("net", TaskUnit::kNetwork);
  chart.add_unit("none", TaskUnit::kNone);
  return chart.to_string();
}

}  // namespace phaze::report
