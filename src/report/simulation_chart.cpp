#include "report/simulation_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "report/schedule_lines.h"

namespace phaze::report {
namespace {

using plan::PassKind;
using plan::SimulatedIteration;
using plan::SimulatedStage;
using plan::TrainingPlan;

constexpr std::size_t kMostRows = 16;  // of more stages, the first and the last
constexpr std::size_t kLabel = 7;      // "  stage"

constexpr std::string_view kMarks = "FBro.";
enum Mark : std::size_t { kForward, kBackward, kReduction, kOptimizer, kIdle };

// How long each column is at what.
class Columns {
 public:
  Columns(Seconds time, std::size_t width)
      : length_(time.value() / static_cast<double>(width)), columns_(width) {}

  void add(Mark mark, Seconds start, Seconds end) {
    if (!(end > start) || !(length_ > 0)) {
      return;
    }
    const double from = start.value() / length_;
    const double to = end.value() / length_;
    const auto last = static_cast<double>(columns_.size());
    for (double at = std::floor(from); at < std::min(to, last); ++at) {
      columns_[static_cast<std::size_t>(at)][mark] += std::min(to, at + 1) - std::max(from, at);
    }
  }

  std::string to_string() const {
    std::string text;
    for (std::array<double, kMarks.size()> column : columns_) {
      column[kIdle] =
          1 - column[kForward] - column[kBackward] - column[kReduction] - column[kOptimizer];
      const auto most = std::ranges::max_element(column);
      text += kMarks[static_cast<std::size_t>(most - column.begin())];
    }
    return text;
  }

 private:
  double length_;
  std::vector<std::array<double, kMarks.size()>> columns_;
};

std::string activity_of(const SimulatedIteration& simulated, const SimulatedStage& stage,
                        std::size_t width) {
  Columns columns(simulated.iteration, width);
  Seconds end;
  for (const plan::SimulatedPass& run : stage.runs) {
    columns.add(run.kind == PassKind::kForward ? kForward : kBackward, run.start, run.end);
    end = run.end;
  }
  columns.add(kReduction, std::max(end, stage.reduction_start), stage.reduction_end);
  columns.add(kOptimizer, simulated.optimizer_start, simulated.optimizer_start + stage.optimizer);
  return columns.to_string();
}

std::string memory_of(const TrainingPlan& plan, const SimulatedIteration& simulated,
                      std::size_t stage, std::size_t width) {
  std::string text;
  for (const Bytes bytes : plan::memory_over_time(plan, simulated, stage, width)) {
    if (bytes > plan.capacity) {
      text += '!';
    } else if (bytes == plan.capacity) {
      text += '#';
    } else {
      const double share =
          static_cast<double>(bytes.value()) / static_cast<double>(plan.capacity.value());
      text += static_cast<char>('0' + std::min(9, static_cast<int>(10 * share)));
    }
  }
  return text;
}

// Time above, a row for each stage below.
template <class Row>
std::string chart(const SimulatedIteration& simulated, std::size_t width, const Row& row) {
  const auto line = [](const std::string& label, const std::string& cells) {
    return std::string(kLabel - std::min(kLabel, label.size()), ' ') + label + "  " + cells + "\n";
  };
  const std::string end = time_text(simulated.iteration);
  const std::size_t between = std::max(width, end.size() + 2) - end.size() - 1;
  std::string text = line("stage", "0" + std::string(between, ' ') + end);
  const std::size_t stages = simulated.stages.size();
  for (std::size_t i = 0; i < stages; ++i) {
    if (stages > kMostRows && i == kMostRows / 2) {
      text += line("...", std::to_string(stages - kMostRows) + " more");
      i = stages - kMostRows / 2;
    }
    text += line(std::to_string(i), row(i));
  }
  return text;
}

}  // namespace

std::string activity_chart(const SimulatedIteration& simulated, std::size_t width) {
  return chart(simulated, width,
               [&](std::size_t i) { return activity_of(simulated, simulated.stages[i], width); });
}

std::string memory_chart(const TrainingPlan& plan, const SimulatedIteration& simulated,
                         std::size_t width) {
  return chart(simulated, width,
               [&](std::size_t i) { return memory_of(plan, simulated, i, width); });
}

}  // namespace phaze::report
