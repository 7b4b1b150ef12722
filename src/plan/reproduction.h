#pragma once
// The evaluation of the original's paper, run again: what it is compared by, as plain data. A
// column is one set of assumptions with its space of chips; every throughput in it is relative to
// the reference chip with the experts' placement. docs/reproduction.md is printed from it.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/chip.h"
#include "plan/search_record.h"
#include "plan/training_plan.h"

namespace phaze::plan {

// What the paper's authors report of their chips, on average over the nine models (their slides):
// throughput over a TPUv4, and the share of the area budget.
inline constexpr double kPaperOwn = 3.6, kPaperCommon = 2.9, kPaperAreaShare = 0.91;

// A chip with a placement.
enum class ReproducedRun {
  kReferenceExpert,
  kReferenceSolved,
  kArchitectureExpert,  // the chip with the shortest latency of one device
  kArchitectureSolved,
  kOwn,     // the model's own best chip with its plan
  kCommon,  // the best chip for all models
};
inline constexpr std::size_t kReproducedRuns = 6;
std::string_view to_string(ReproducedRun run);

struct ReproducedChip {
  std::string name;
  hw::Chip chip;  // with the memory that it is used with
  SquareMillimetres area;
  double area_share = 0;    // of the space's budget
  double vector_share = 0;  // of the chip's area, its vector cores
  Watts power;              // design power
};

// The architecture-only baseline: the chip with the least time for forward and backward of all of
// the model's layers with one micro-batch on one device, at the expert's tensor width.
struct ArchitectureOnly {
  ReproducedChip chip;
  std::int64_t width = 1, microbatch = 1;
  bool sequence_parallel = false;
  Seconds latency;
  SearchCounts counts;
};

// Factors of the gain of a model's own chip and plan over the reference with the expert's
// placement; their product is the gain. Each of the first three changes one thing alone.
struct GainSplit {
  double placement = 1, chip = 1, memory = 1, interaction = 1;

  double product() const { return placement * chip * memory * interaction; }
};

struct ReproducedModel {
  std::string model;
  Strategy expert;  // stages, data and tensor width
  // Why the reference has no plan with these, or none that fits; empty: it has one.
  std::string no_expert;
  // By ReproducedRun. Nothing: no plan; one that does not fit says by how much.
  std::array<std::optional<TrainingPlan>, kReproducedRuns> runs;
  ArchitectureOnly architecture;
  std::optional<ReproducedChip> own;
  SearchCounts own_counts;
  std::optional<GainSplit> split;
  std::string no_split;  // then: why

  const std::optional<TrainingPlan>& run(ReproducedRun which) const {
    return runs[static_cast<std::size_t>(which)];
  }
};

// What the space leaves to choose: its chips that no other one has no less of anything than.
struct UndominatedChips {
  std::int64_t chips = 0;
  std::int64_t large_cores = 0;   // of them: tensor cores of no fewer elements than the reference's
  std::int64_t many_vectors = 0;  // of them: more vector cores than the reference
  double least_area_share = 0, median_area_share = 0;
  std::string least_area_chip;
  // Elements of all tensor cores together, the most of a chip with large cores and of the others.
  std::int64_t most_elements_large = 0, most_elements_small = 0;
};

// The chips of a column.
struct ReproducedSpace {
  std::string name;
  std::int64_t chips = 0;
  SquareMillimetres area_budget;
  std::optional<Watts> power_budget;
  std::vector<Bytes> memories;  // sizes of HBM, ascending
  UndominatedChips undominated;
};

struct ReproducedColumn {
  std::string name, assumptions, words;
  ReproducedSpace space;
  std::string cluster;
  BytesPerSecond link;  // of a device, at the innermost level
  ReproducedChip reference;
  std::vector<ReproducedModel> models;
  std::optional<ReproducedChip> common;
  SearchCounts common_counts;
};

struct Reproduction {
  std::int64_t devices = 0, global_batch = 0;
  std::vector<ReproducedColumn> columns;
};

// Sequences a second; nothing: it does not fit.
std::optional<double> throughput_of(const std::optional<TrainingPlan>& plan);

// What a model's throughputs are divided by: the reference with the expert's placement or, where
// that does not fit, with the solved one.
struct ReproductionBase {
  ReproducedRun run = ReproducedRun::kReferenceExpert;
  std::optional<double> throughput;
};
ReproductionBase base_of(const ReproducedModel& model);
std::optional<double> relative(const ReproducedModel& model, ReproducedRun run);

// Over the models that have the figure.
struct Averages {
  double arithmetic = 0, geometric = 0;
  std::int64_t models = 0;
};
std::optional<Averages> average(const ReproducedColumn& column, ReproducedRun run);
// Geometric means of the factors, over the models that have them.
std::optional<GainSplit> average_split(const ReproducedColumn& column);

}  // namespace phaze::plan
