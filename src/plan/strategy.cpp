#include "plan/strategy.h"

#include <algorithm>

#include "base/names.h"

namespace phaze::plan {
namespace {

constexpr std::array kSchedules = {
    NameOf<PipelineSchedule>{PipelineSchedule::k1F1B, "1f1b"},
    NameOf<PipelineSchedule>{PipelineSchedule::kGpipe, "gpipe"},
    NameOf<PipelineSchedule>{PipelineSchedule::kInterleaved, "interleaved"},
};
static_assert(is_in_order(kSchedules));

constexpr std::array kRecomputeNames = {
    NameOf<Recompute>{Recompute::kNone, "none"},
    NameOf<Recompute>{Recompute::kSelective, "selective"},
    NameOf<Recompute>{Recompute::kFull, "full"},
};
static_assert(is_in_order(kRecomputeNames));

constexpr std::string_view kLetters = "tdp";

}  // namespace

std::string to_string(const AxisOrder& order) {
  std::string text;
  for (const Axis axis : order) {
    text += kLetters[static_cast<std::size_t>(axis)];
  }
  return text;
}

std::optional<AxisOrder> parse_axis_order(std::string_view text) {
  AxisOrder order{};
  if (text.size() != kAxes || !std::is_permutation(text.begin(), text.end(), kLetters.begin())) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < kAxes; ++i) {
    order[i] = static_cast<Axis>(kLetters.find(text[i]));
  }
  return order;
}

std::string_view to_string(PipelineSchedule schedule) { return name_in(kSchedules, schedule); }
std::optional<PipelineSchedule> parse_pipeline_schedule(std::string_view name) {
  return find_in(kSchedules, name);
}
std::string_view to_string(Recompute recompute) { return name_in(kRecomputeNames, recompute); }
std::optional<Recompute> parse_recompute(std::string_view name) {
  return find_in(kRecomputeNames, name);
}

std::int64_t stride_of(const Strategy& strategy, Axis axis) {
  std::int64_t stride = 1;
  for (const Axis inner : strategy.order) {
    if (inner == axis) {
      break;
    }
    stride *= inner == Axis::kTensor ? strategy.tensor
              : inner == Axis::kData ? strategy.data
                                     : strategy.pipeline;
  }
  return stride;
}

}  // namespace phaze::plan
