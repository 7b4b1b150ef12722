#include "report/placement_report.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "base/plural.h"
#include "base/text.h"
#include "report/table.h"

namespace phaze::report {
namespace {

using plan::OriginalAnswer;
using plan::OriginalGraph;
using plan::OriginalInstance;
using plan::OriginalPlacement;
using plan::OriginalStage;

std::string time_text(Seconds time) {
  return time.value() > 0 ? with_prefix(time.value(), "s") : "0 s";
}

std::string percent(double share) { return shortest(std::round(1000 * share) / 10) + " %"; }

std::string share_of(Seconds part, Seconds whole) {
  return whole.value() > 0 ? percent(part.value() / whole.value()) : "0 %";
}

std::string counted(std::int64_t count, const std::string& thing) {
  return with_thousands(count) + " " + thing +
         (count == 1             ? ""
          : thing.ends_with("h") ? "es"
                                 : "s");
}

// The ids of a stage's layers: "-1 to 11", "3", "4, 2, 9".
std::string layers_text(const OriginalGraph& graph, const OriginalStage& stage) {
  constexpr std::size_t kMostNamed = 6;
  const auto id = [&](std::size_t i) { return graph.layers[i].id; };
  const std::size_t count = stage.end - stage.begin;
  bool is_run = count > 1;
  for (std::size_t i = stage.begin + 1; i < stage.end; ++i) {
    is_run = is_run && id(i) == id(i - 1) + 1;
  }
  if (is_run) {
    return std::to_string(id(stage.begin)) + " to " + std::to_string(id(stage.end - 1));
  }
  std::string text;
  for (std::size_t i = stage.begin; i < stage.end; ++i) {
    if (count > kMostNamed && i == stage.begin + kMostNamed - 1) {
      return text + ", ... " + std::to_string(id(stage.end - 1));
    }
    text += (text.empty() ? "" : ", ") + std::to_string(id(i));
  }
  return text;
}

std::string stages_table(const OriginalInstance& instance, const OriginalPlacement& placement) {
  const auto graph = std::ranges::find(instance.graphs, placement.width, &OriginalGraph::width);
  CHECK(graph != instance.graphs.end(), "a placement of a width that is not there");
  Table table({{"stage", Align::kRight},
               {"layers", Align::kLeft},
               {"devices", Align::kRight},
               {"load", Align::kRight},
               {"transfers", Align::kRight},
               {"of the slowest", Align::kRight},
               {"memory", Align::kRight},
               {"head-room", Align::kRight},
               {"", Align::kRight}});
  for (std::size_t i = 0; i < placement.stages.size(); ++i) {
    const OriginalStage& stage = placement.stages[i];
    const plan::RealBytes room = instance.memory - stage.memory;
    table.add_row({std::to_string(i + 1), layers_text(*graph, stage), with_thousands(stage.devices),
                   time_text(stage.load), time_text(stage.load - stage.compute),
                   share_of(stage.load, placement.slowest), to_string(stage.memory),
                   to_string(room), percent(room.value() / instance.memory.value())});
  }
  return table.to_string(2);
}

std::string time_table(const OriginalPlacement& placement) {
  const auto microbatches = static_cast<double>(placement.microbatches);
  const auto stages = static_cast<double>(placement.stages.size());
  Table table({{"part of a batch", Align::kLeft}, {"time", Align::kRight}, {"", Align::kRight}});
  const auto add = [&](const std::string& part, Seconds time) {
    table.add_row({part, time_text(time), share_of(time, placement.time)});
  };
  add(counted(placement.microbatches, "micro-batch") + " of " + time_text(placement.slowest),
      placement.slowest * microbatches);
  add("fill and drain of " + counted(static_cast<std::int64_t>(placement.stages.size()), "stage"),
      placement.slowest * (stages - 1));
  add("gradients of the first stage", placement.gradients);
  table.add_rule();
  add("all", placement.time);
  return table.to_string(2);
}

std::string shape_text(const OriginalPlacement& placement) {
  return counted(placement.data_parallel, "pipeline") + " of " +
         counted(static_cast<std::int64_t>(placement.stages.size()), "stage") +
         ", tensor-parallel width " + std::to_string(placement.width);
}

std::string widths_line(const OriginalAnswer& answer) {
  std::string text;
  for (const plan::OriginalWidthTime& width : answer.widths) {
    text += (text.empty() ? "" : ", ") + std::to_string(width.width) + ": " +
            (width.time ? time_text(*width.time) : "does not fit");
  }
  return "best at tensor-parallel width " + text + "\n";
}

std::string fixed_line(const OriginalAnswer& answer) {
  if (!answer.fixed) {
    return "";
  }
  if (!answer.fixed->placement) {
    return "fixed strategy: " + answer.fixed->failure + "\n";
  }
  const OriginalPlacement& fixed = *answer.fixed->placement;
  const double best = answer.best->time.value();
  const double ratio = best > 0 ? fixed.time.value() / best : 1;
  return "fixed strategy: " + time_text(fixed.time) + ", " +
         shortest(std::round(1000 * ratio) / 1000) + " times the best: " + shape_text(fixed) + "\n";
}

}  // namespace

std::string original_answer_text(const OriginalInstance& instance, const OriginalAnswer& answer) {
  CHECK(answer.best.has_value(), "no placement to show");
  const OriginalPlacement& best = *answer.best;
  std::int64_t devices = 0;
  for (const OriginalStage& stage : best.stages) {
    devices += stage.devices;
  }
  return time_text(best.time) + " a batch, proved optimal: " + shape_text(best) + ", " +
         with_thousands(devices * best.data_parallel) + " of " +
         counted(instance.devices, "device") + "\n\n" + stages_table(instance, best) + "\n" +
         time_table(best) + "\n" + widths_line(answer) + fixed_line(answer);
}

std::string original_obstacle_text(const OriginalInstance& instance) {
  const bool is_adam = instance.optimizer == plan::OriginalOptimizer::kAdam;
  std::string text;
  for (const OriginalGraph& graph : instance.graphs) {
    const plan::OriginalLayer* largest = nullptr;
    double most = instance.memory.value();
    bool is_wide = false;
    for (const plan::OriginalLayer& layer : graph.layers) {
      const double parameters = layer.parameters.value();
      const double bytes = 2 * parameters + (is_adam ? parameters : 0) + layer.activations.value();
      is_wide = is_wide || layer.is_tensor_parallel;
      if (bytes > most) {
        largest = &layer;
        most = bytes;
      }
    }
    text += text.empty() ? "no placement fits; width " : "; width ";
    text += std::to_string(graph.width) + ": ";
    if (is_wide && graph.width > instance.devices) {
      text += "there are " + counted(instance.devices, "device");
    } else if (largest != nullptr) {
      text += "layer " + std::to_string(largest->id) + " alone needs " +
              to_string(plan::RealBytes(most)) + " of " + to_string(instance.memory);
    } else {
      text += "no cut into stages on " + counted(instance.devices, "device") +
              " keeps each within " + to_string(instance.memory);
    }
  }
  return text;
}

}  // namespace phaze::report
