#pragma once
// Passes of layers that were scheduled on one chip with one network, so that more work goes only
// into those that are not proved yet.

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "graph/layer.h"
#include "plan/schedule.h"

namespace phaze::search {

// One pass of a layer.
struct PassWork {
  Seconds time, network;
  double tensor_busy_s = 0, vector_busy_s = 0;
  double gap = 0;  // share of the time that a better schedule could save at most
};

// Of layers that stay where they are. For one thread at a time.
class PassMemo {
 public:
  // What was found with at least so much work, or is proved. `collectives`: times of the layer's
  // network operators, which differ between groups of devices.
  std::optional<PassWork> find(const graph::Layer& layer, plan::LayerPass pass,
                               const std::vector<double>& collectives, std::int64_t work) const {
    const auto found = passes_.find({&layer, pass});
    if (found != passes_.end()) {
      for (const Entry& entry : found->second) {
        if (entry.collectives == collectives && (entry.work >= work || entry.pass.gap == 0)) {
          return entry.pass;
        }
      }
    }
    return std::nullopt;
  }
  void keep(const graph::Layer& layer, plan::LayerPass pass, std::vector<double> collectives,
            std::int64_t work, const PassWork& found) {
    std::vector<Entry>& entries = passes_[{&layer, pass}];
    for (Entry& entry : entries) {
      if (entry.collectives == collectives) {
        entry = {std::move(collectives), work, found};
        return;
      }
    }
    entries.push_back({std::move(collectives), work, found});
  }

 private:
  struct Entry {
    std::vector<double> collectives;
    std::int64_t work = 0;
    PassWork pass;
  };
  std::map<std::pair<const graph::Layer*, plan::LayerPass>, std::vector<Entry>> passes_;
};

// How closely a bound on the plans of one shape (tensor width, micro-batch) was looked into.
enum class Closeness { kFlops, kNetwork, kPasses, kPlans, kSchedules };

struct ShapeBound {
  double most = 0;  // sequences a second: no plan of the shape is better
  Closeness closeness = Closeness::kFlops;
};

// What earlier looks at a model on one chip, with the same memory to choose from, have found.
struct ChipMemo {
  PassMemo passes;
  std::vector<ShapeBound> shapes;  // in the valuer's order; empty: nothing is known yet
};

}  // namespace phaze::search
