#pragma once
// How a model is spread over devices.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace phaze::plan {

// The three ways in which devices differ from one another.
enum class Axis { kTensor, kData, kPipeline };
inline constexpr std::size_t kAxes = 3;
// From the innermost out: devices that differ in the first only are neighbours.
using AxisOrder = std::array<Axis, kAxes>;
inline constexpr AxisOrder kTensorDataPipeline = {Axis::kTensor, Axis::kData, Axis::kPipeline};
// "tdp": tensor innermost, then data, then pipeline.
std::string to_string(const AxisOrder& order);
std::optional<AxisOrder> parse_axis_order(std::string_view text);

enum class PipelineSchedule {
  k1F1B,         // one forward, one backward (PipeDream-flush)
  kGpipe,        // all forwards, then all backwards
  kInterleaved,  // 1F1B with several chunks of layers on each device
};
std::string_view to_string(PipelineSchedule schedule);
std::optional<PipelineSchedule> parse_pipeline_schedule(std::string_view name);

enum class Recompute { kNone, kSelective, kFull };
inline constexpr std::size_t kRecomputes = 3;
std::string_view to_string(Recompute recompute);
std::optional<Recompute> parse_recompute(std::string_view name);

struct Strategy {
  std::int64_t tensor = 1;
  bool sequence_parallel = false;
  std::int64_t pipeline = 1;
  std::int64_t data = 1;
  std::int64_t microbatch = 1;  // sequences
  std::int64_t interleave = 1;  // chunks of layers on a device
  int zero = 0;                 // stage of ZeRO: 1 shards optimiser states, 2 gradients, 3 weights
  PipelineSchedule schedule = PipelineSchedule::k1F1B;
  AxisOrder order = kTensorDataPipeline;

  bool operator==(const Strategy&) const = default;
};

constexpr std::int64_t devices_of(const Strategy& strategy) {
  return strategy.tensor * strategy.pipeline * strategy.data;
}
// Devices between neighbours of an axis.
std::int64_t stride_of(const Strategy& strategy, Axis axis);

}  // namespace phaze::plan
