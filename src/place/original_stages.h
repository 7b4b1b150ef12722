#pragma once
// What the stages of a chain cost at one tensor-parallel width (docs/models.md, 17.1 and 17.2).
// Inside place/ only.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "place/original_tensors.h"
#include "plan/original_placement.h"

namespace phaze::place::original {

// Every run of layers that fits into a device's memory as a stage, if only as the last one.
// O(layers x longest stage) time and memory.
class StageTable {
 public:
  struct Stage {
    double load = 0;  // s, anywhere but at the end of the pipeline
    // The most stages from this one to the end of the pipeline, both counted, with which it fits.
    std::int32_t most_stages = 0;
  };

  StageTable(const plan::OriginalInstance& instance, const plan::OriginalGraph& graph);

  std::size_t layers() const { return layers_; }
  // Stages that begin here end at reach(begin) or before; `begin` itself: none fits.
  std::size_t reach(std::size_t begin) const { return reach_[begin]; }
  // The stages from `begin` on, that of one layer first.
  const Stage* row(std::size_t begin) const { return stages_.data() + offsets_[begin]; }
  // The load of the stage from `begin` to the end of the chain, in s.
  double last_load(std::size_t begin) const { return last_loads_[begin]; }
  // Of the layers before `end`, in bytes.
  double parameters_before(std::size_t end) const { return parameters_[end]; }
  // The first tensor-parallel layer from `begin` on; a stage that holds one runs on as many devices
  // as the width.
  std::size_t next_wide(std::size_t begin) const { return next_wide_[begin]; }

  // Compute alone of the layers before `end` in stages that are not the last, in s: a stage's load
  // is at least the difference, less `rounding()`.
  double compute_before(std::size_t end) const { return compute_[end]; }
  double rounding() const { return rounding_; }

 private:
  void fill_forward(const plan::OriginalInstance& instance, const plan::OriginalGraph& graph,
                    const ChainTensors& tensors);
  void fill_backward(const plan::OriginalInstance& instance, const plan::OriginalGraph& graph,
                     const ChainTensors& tensors);

  std::size_t layers_;
  std::vector<std::size_t> reach_, offsets_, next_wide_;
  std::vector<Stage> stages_;
  std::vector<double> last_loads_, parameters_, compute_;
  double rounding_ = 0;
};

// A placement of the layers in stages that end where `ends` says (the last at the end of the
// chain), on as few devices as each needs, with its loads, memory and time, all summed in the order
// in which the original's program does. Whether it fits is not asked.
plan::OriginalPlacement evaluate_placement(const plan::OriginalInstance& instance,
                                           const plan::OriginalGraph& graph,
                                           const std::vector<std::size_t>& ends,
                                           std::int64_t data_parallel);

}  // namespace phaze::place::original
