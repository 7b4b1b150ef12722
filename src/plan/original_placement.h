#pragma once
// The placement problem of the original Phaze, as its program takes it, and its answer: a chain of
// layers cut into pipeline stages, each on one device or on as many as the tensor-parallel width,
// the whole pipeline copied for data parallelism. docs/models.md, section 17. The solver is in
// place/original.h, the checker in verify/original_placement.h.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/units.h"

namespace phaze::plan {

// The original's sizes are real numbers.
using RealBytes = Quantity<struct RealBytesUnit, double>;
// "1.50 GiB" of whole bytes, "1.50 GB" of others.
std::string to_string(RealBytes bytes);

// What the parameters are kept for: Adam needs their bytes once more.
enum class OriginalOptimizer { kSgd, kAdam };
std::string_view to_string(OriginalOptimizer optimizer);
std::optional<OriginalOptimizer> parse_original_optimizer(std::string_view name);

// One layer, or a device's share of it when it is tensor-parallel. Times are those of a
// micro-batch. Files have no unit of time; it is the one that the bandwidth is in.
struct OriginalLayer {
  std::int64_t id = 0;
  RealBytes parameters;
  RealBytes activations;  // all of them, for one micro-batch
  Seconds forward, backward;
  bool is_tensor_parallel = false;

  bool operator==(const OriginalLayer&) const = default;
};

// A tensor that one layer makes and a later one reads.
struct OriginalEdge {
  std::size_t from = 0, to = 0;  // positions in the chain, from < to
  RealBytes bytes;

  bool operator==(const OriginalEdge&) const = default;
};

// The layers at one tensor-parallel width. Layers stand in the order of the chain: there is an edge
// from each to the next. Further edges skip layers. Edges are sorted by `to`, then `from`.
struct OriginalGraph {
  std::int64_t width = 1;
  std::vector<OriginalLayer> layers;
  std::vector<OriginalEdge> edges;

  bool operator==(const OriginalGraph&) const = default;
};

// A strategy by hand, to compare with: the layers with ids 0 to transformer_layers - 1 in equal
// runs (the last ones shorter or empty), lower ids in the first stage, higher ones in the last.
struct FixedStrategy {
  std::int64_t stages = 1, width = 1, data_parallel = 1;
  std::int64_t transformer_layers = 0;

  bool operator==(const FixedStrategy&) const = default;
};

struct OriginalInstance {
  RealBytes memory;  // of a device
  std::int64_t devices = 1;
  BytesPerSecond bandwidth{1};  // of every link
  std::int64_t microbatches = 1;
  // Every stage but the last keeps its input alone and runs its forward pass again.
  bool recompute = false;
  OriginalOptimizer optimizer = OriginalOptimizer::kSgd;
  std::vector<OriginalGraph> graphs;  // widths ascend; the same layers and edges in each
  std::optional<FixedStrategy> fixed;

  bool operator==(const OriginalInstance&) const = default;
};

struct OriginalStage {
  std::size_t begin = 0, end = 0;  // the layers from `begin` on, before `end`
  std::int64_t devices = 1;
  Seconds load;     // of a micro-batch, with the transfers that it waits for
  Seconds compute;  // what of it is forward, forward again and backward
  RealBytes memory;

  bool operator==(const OriginalStage&) const = default;
};

struct OriginalPlacement {
  std::int64_t width = 1, data_parallel = 1;
  std::int64_t microbatches = 1;  // of one pipeline
  std::vector<OriginalStage> stages;
  Seconds slowest;    // load of a stage
  Seconds gradients;  // sent between the pipelines at the end
  Seconds time;       // of a batch: slowest x (microbatches + stages - 1) + gradients

  bool operator==(const OriginalPlacement&) const = default;
};

// The best time at one width; nothing: no placement fits.
struct OriginalWidthTime {
  std::int64_t width = 1;
  std::optional<Seconds> time;

  bool operator==(const OriginalWidthTime&) const = default;
};

// What the fixed strategy comes to: a placement, or why it cannot be.
struct FixedOutcome {
  std::optional<OriginalPlacement> placement;
  std::string failure;

  bool operator==(const FixedOutcome&) const = default;
};

struct OriginalAnswer {
  std::optional<OriginalPlacement> best;  // optimal; nothing: no placement fits
  std::vector<OriginalWidthTime> widths;
  std::optional<FixedOutcome> fixed;  // where the instance has a fixed strategy
  std::int64_t work = 0;              // stages that the search looked at

  bool operator==(const OriginalAnswer&) const = default;
};

}  // namespace phaze::plan
