#pragma once
// What no placement of a chain at one width can beat, for each number of stages (docs/models.md,
// 17.4). Inside place/ only.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "place/original_degrees.h"
#include "plan/original_placement.h"

namespace phaze::place::original {

class PipelineBounds {
 public:
  // `devices_of[s]`: the fewest that a pipeline of s stages needs; a deeper one needs no fewer.
  // `devices_of` ends with the most stages that there can be.
  PipelineBounds(const plan::OriginalInstance& instance, const plan::OriginalGraph& graph,
                 const DataDegrees& degrees, const std::vector<std::int64_t>& devices_of);

  std::size_t most_stages() const { return slots_.size() - 2; }
  // Pipelines of `stages` and more take at least this long, in s.
  double least_time(std::size_t stages) const { return times_[stages]; }
  // Pipelines of `stages` and more take at least this many times their slowest stage.
  double least_slots(std::size_t stages) const { return slots_[stages]; }

 private:
  std::vector<double> times_, slots_;
};

}  // namespace phaze::place::original
