#pragma once
// Training runs as somebody measured them, what was predicted for each, and what follows from both.
// io/measured_runs.h reads them, trust/ predicts and compares. docs/models.md, section 26.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "graph/optimizer.h"
#include "plan/prediction_range.h"
#include "plan/training_plan.h"

namespace phaze::plan {

// What a row may hold measurements of, the one that it stands for first.
enum class Measure {
  kIteration,
  kLayerForward,      // of the model's repeated layer and one micro-batch
  kLayerBackward,     // of the same, recomputation included
  kPeakMemory,        // of the device that needs most
  kStateMemory,       // weights, gradients and optimiser states, mean over all devices
  kActivationMemory,  // of the device that needs most
};
inline constexpr std::size_t kMeasures = 6;
// The column of it: "iteration_s".
std::string_view to_string(Measure measure);
bool is_time(Measure measure);
template <class T>
using ByMeasure = std::array<T, kMeasures>;

// What ran it, as `--execution` names it.
enum class RunStack { kFused, kMegatron, kEager };

// The model of a row: a name, or sizes.
struct RunModel {
  std::string name;    // a built-in one or a file; empty: sizes
  std::string family;  // of sizes: "gpt" or "llama"
  std::int64_t hidden = 0, heads = 0, kv_heads = 0, ffn = 0, layers = 0;  // 0: not given
  std::int64_t sequence = 0, vocabulary = 0;
  std::optional<bool> is_tied;
  std::optional<double> dropout;

  auto operator<=>(const RunModel&) const = default;
};

// Columns of a row's cells in their line, from 1; of cells that are not there the line's first.
struct RunColumns {
  int model = 1, chip = 1, cluster = 1, precision = 1;
};

struct MeasuredRun {
  Location where;  // of the row
  RunColumns columns;
  std::string group, source;
  RunModel model;
  std::string chip, cluster;
  std::int64_t devices = 1, global_batch = 1;
  std::int64_t tensor = 1, pipeline = 1, data = 1;
  // Nothing: not known; the planner's choice, as whoever tuned the run would have made it.
  std::optional<std::int64_t> microbatch = 1, interleave = 1;
  std::optional<Recompute> recompute = Recompute::kNone;
  bool sequence_parallel = false;
  int zero = 0;
  bool has_flash_attention = true;
  RunStack stack = RunStack::kFused;
  bool overlap = true;
  graph::Precision precision = graph::Precision::kMixed;
  ByMeasure<std::optional<double>> measured;  // seconds or bytes
};

// Of a run that was priced.
struct RunPrediction {
  TrainingPlan plan;  // stages left out
  std::string recompute;
  StageMemory memory;  // of the device that needs most
  Regime regime = Regime::kCompute;
  ByMeasure<std::optional<double>> predicted;  // of what was measured
  std::vector<std::string> notes;
};

struct ValidatedRun {
  MeasuredRun run;
  std::optional<RunPrediction> prediction;
  std::string reason;  // why there is none

  // Of what the row stands for: the first measure that it has.
  Measure measure() const;
  std::optional<double> error(Measure measure) const;  // predicted / measured - 1
};

}  // namespace phaze::plan
