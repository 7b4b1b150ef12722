#include "verify/original_placement.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.h"

namespace phaze::verify {
namespace {

using plan::OriginalAnswer;
using plan::OriginalGraph;
using plan::OriginalInstance;
using plan::OriginalPlacement;
using plan::OriginalStage;

// Sums in another order differ by less.
constexpr double kTolerance = 1e-10;

bool is_near(double a, double b) {
  return std::abs(a - b) <= kTolerance * std::max(std::abs(a), std::abs(b));
}

bool is_later(Seconds a, Seconds b) { return a > b && !is_near(a.value(), b.value()); }

std::string text(Seconds time) { return shortest(time.value()) + " s"; }
std::string text(plan::RealBytes bytes) { return shortest(bytes.value()) + " bytes"; }

const OriginalGraph* find_graph(const OriginalInstance& instance, std::int64_t width) {
  const auto graph = std::ranges::find(instance.graphs, width, &OriginalGraph::width);
  return graph == instance.graphs.end() ? nullptr : &*graph;
}

class Checker {
 public:
  Checker(const OriginalInstance& instance, const OriginalAnswer& answer)
      : instance_(instance), answer_(answer) {}

  std::vector<std::string> check() {
    if (answer_.best) {
      check_placement("the best placement", *answer_.best);
    }
    check_fixed();
    if (faults_.empty()) {
      check_widths();
      check_plain_placements();
    }
    return std::move(faults_);
  }

 private:
  void add(std::string fault) { faults_.push_back(std::move(fault)); }

  void check_placement(const std::string& what, const OriginalPlacement& placement) {
    const OriginalGraph* graph = find_graph(instance_, placement.width);
    if (graph == nullptr) {
      add(what + " has a width that is not there: " + std::to_string(placement.width));
      return;
    }
    std::vector<std::size_t> ends;
    std::size_t begin = 0;
    for (const OriginalStage& stage : placement.stages) {
      if (stage.begin != begin || stage.end <= begin || stage.end > graph->layers.size()) {
        break;
      }
      ends.push_back(begin = stage.end);
    }
    if (ends.size() != placement.stages.size() || begin != graph->layers.size()) {
      add(what + " does not have every layer in one stage, in the order of the chain");
      return;
    }
    if (placement.data_parallel < 1) {
      add(what + " has no pipeline");
      return;
    }
    for (const std::string& obstacle : find_obstacles(instance_, placement)) {
      add(std::string(what).append(": ").append(obstacle));
    }
    compare(what, placement, walk_placement(instance_, *graph, ends, placement.data_parallel));
  }

  void compare(const std::string& what, const OriginalPlacement& claimed,
               const OriginalPlacement& walked) {
    const auto hold = [&](const std::string& name, auto claim, auto truth) {
      if (!is_near(claim.value(), truth.value())) {
        add(what + " claims " + name + " of " + text(claim) + ", found " + text(truth));
      }
    };
    for (std::size_t i = 0; i < claimed.stages.size(); ++i) {
      const std::string stage = " of stage " + std::to_string(i + 1);
      hold("a load" + stage, claimed.stages[i].load, walked.stages[i].load);
      hold("a compute" + stage, claimed.stages[i].compute, walked.stages[i].compute);
      hold("memory" + stage, claimed.stages[i].memory, walked.stages[i].memory);
      // By the walk, whatever is claimed; sums run in the same order.
      if (walked.stages[i].memory > instance_.memory) {
        add(what + ": stage " + std::to_string(i + 1) + " does not fit");
      }
      if (claimed.stages[i].devices < walked.stages[i].devices) {
        add(what + ": stage " + std::to_string(i + 1) + " has too few devices");
      }
    }
    hold("a slowest stage", claimed.slowest, walked.slowest);
    hold("gradients", claimed.gradients, walked.gradients);
    hold("a time", claimed.time, walked.time);
    if (claimed.microbatches != walked.microbatches) {
      add(what + " has a number of micro-batches that is wrong");
    }
  }

  void check_fixed() {
    if (answer_.fixed.has_value() != instance_.fixed.has_value()) {
      add("a fixed strategy is there in the instance or in the answer alone");
    } else if (answer_.fixed &&
               answer_.fixed->placement.has_value() != answer_.fixed->failure.empty()) {
      add("the fixed strategy has a placement and a failure, or neither");
    } else if (answer_.fixed && answer_.fixed->placement) {
      check_placement("the fixed strategy", *answer_.fixed->placement);
      hold_to("the fixed strategy", answer_.fixed->placement->time);
    }
  }

  // Something that fits takes this long: the best is there, and no slower.
  void hold_to(const std::string& what, Seconds time) {
    if (!answer_.best) {
      add(what + " fits, and no placement was found");
    } else if (is_later(answer_.best->time, time)) {
      add(what + " takes " + text(time) + ", the best " + text(answer_.best->time));
    }
  }

  void check_widths() {
    std::optional<Seconds> best;
    bool is_same = answer_.widths.size() == instance_.graphs.size();
    for (std::size_t i = 0; is_same && i < answer_.widths.size(); ++i) {
      is_same = answer_.widths[i].width == instance_.graphs[i].width;
      if (const auto time = answer_.widths[i].time) {
        best = best ? std::min(*best, *time) : *time;
      }
    }
    if (!is_same) {
      add("the times of widths are not those of the instance");
    } else if (best.has_value() != answer_.best.has_value() ||
               (best && *best != answer_.best->time)) {
      add("the best time is not the best of a width");
    }
  }

  void check_plain_placements() {
    for (const OriginalGraph& graph : instance_.graphs) {
      const std::size_t layers = graph.layers.size();
      for (std::size_t stages = 1; stages <= layers; stages *= 2) {
        std::vector<std::size_t> ends;
        for (std::size_t i = 1; i <= stages; ++i) {
          ends.push_back(layers * i / stages);
        }
        OriginalPlacement plain = walk_placement(instance_, graph, ends, 1);
        hold_plain(plain, "width " + std::to_string(graph.width) + " in " + std::to_string(stages) +
                              " equal stages");
        std::int64_t devices = 0;
        for (const OriginalStage& stage : plain.stages) {
          devices += stage.devices;
        }
        const std::int64_t most = std::min(instance_.microbatches, instance_.devices / devices);
        if (most > 1) {
          hold_plain(walk_placement(instance_, graph, ends, most),
                     "width " + std::to_string(graph.width) + " in " + std::to_string(stages) +
                         " equal stages, " + std::to_string(most) + " times");
        }
      }
    }
  }

  void hold_plain(const OriginalPlacement& plain, const std::string& what) {
    if (find_obstacles(instance_, plain).empty()) {
      hold_to(what, plain.time);
    }
  }

  const OriginalInstance& instance_;
  const OriginalAnswer& answer_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> find_obstacles(const OriginalInstance& instance,
                                        const OriginalPlacement& placement) {
  std::vector<std::string> obstacles;
  double devices = 0;
  for (std::size_t i = 0; i < placement.stages.size(); ++i) {
    const OriginalStage& stage = placement.stages[i];
    devices += static_cast<double>(stage.devices);
    if (stage.memory > instance.memory) {
      obstacles.push_back("stage " + std::to_string(i + 1) + " needs " + text(stage.memory) +
                          " of " + text(instance.memory));
    }
  }
  devices *= static_cast<double>(placement.data_parallel);
  if (devices > static_cast<double>(instance.devices)) {
    obstacles.push_back("needs " + shortest(devices) + " devices of " +
                        std::to_string(instance.devices));
  }
  if (placement.data_parallel > instance.microbatches) {
    obstacles.push_back("has more pipelines than micro-batches");
  }
  return obstacles;
}

std::vector<std::string> find_faults(const OriginalInstance& instance,
                                     const OriginalAnswer& answer) {
  return Checker(instance, answer).check();
}

}  // namespace phaze::verify
