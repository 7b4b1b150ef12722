#include "place/strategy_space.h"

namespace phaze::place {

using plan::Axis;
using plan::AxisOrder;
using plan::PipelineSchedule;
using plan::Recompute;
using plan::Strategy;

namespace {

std::int64_t width_of(const Strategy& strategy, Axis axis) {
  switch (axis) {
    case Axis::kTensor:
      return strategy.tensor;
    case Axis::kData:
      return strategy.data;
    case Axis::kPipeline:
      return strategy.pipeline;
  }
  return 1;
}

// Axes of one device come last, as they are numbered: one order of those that are the same.
bool is_canonical(const AxisOrder& order, const Strategy& strategy) {
  for (std::size_t i = 0; i + 1 < order.size(); ++i) {
    if (width_of(strategy, order[i]) == 1 &&
        (width_of(strategy, order[i + 1]) > 1 || order[i + 1] < order[i])) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 1; i * i <= n; ++i) {
    if (n % i == 0) {
      all.push_back(i);
      if (i != n / i) {
        all.push_back(n / i);
      }
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::vector<AxisOrder> orders_of(const PlanLimits& limits, const Strategy& strategy) {
  std::vector<AxisOrder> orders;
  AxisOrder order = {Axis::kTensor, Axis::kData, Axis::kPipeline};
  do {
    if (limits.order.empty() ? is_canonical(order, strategy) : allows(limits.order, order)) {
      orders.push_back(order);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

std::vector<int> zeros_of(const PlanLimits& limits, std::int64_t data) {
  std::vector<int> all;
  for (int zero = 0; zero <= (data > 1 ? 3 : 0); ++zero) {
    if (allows(limits.zero, std::int64_t{zero})) {
      all.push_back(zero);
    }
  }
  return all;
}

std::vector<PipelineSchedule> schedules_of(const PlanLimits& limits, std::int64_t stages) {
  std::vector<PipelineSchedule> all;
  for (const PipelineSchedule schedule :
       {PipelineSchedule::k1F1B, PipelineSchedule::kGpipe, PipelineSchedule::kInterleaved}) {
    const bool differs =
        schedule == PipelineSchedule::k1F1B || stages > 1 || !limits.schedule.empty();
    const bool is_possible = schedule != PipelineSchedule::kInterleaved || stages > 1;
    if (allows(limits.schedule, schedule) && differs && is_possible) {
      all.push_back(schedule);
    }
  }
  return all;
}

std::vector<std::int64_t> chunks_of(const PlanLimits& limits, const Strategy& strategy,
                                    const Body& body, std::int64_t length,
                                    std::int64_t microbatches) {
  std::vector<std::int64_t> all;
  if (strategy.schedule != PipelineSchedule::kInterleaved) {
    if (allows(limits.interleave, std::int64_t{1})) {
      all.push_back(1);
    }
  } else if (microbatches % strategy.pipeline == 0) {
    for (std::int64_t chunks = 2; chunks * strategy.pipeline <= length; ++chunks) {
      if (allows(limits.interleave, chunks) &&
          !Bodies(body, length, strategy.pipeline * chunks).empty()) {
        all.push_back(chunks);
      }
    }
  }
  return all;
}

std::int64_t count_ways(const PlanLimits& limits, const plan::Chain& chain) {
  std::int64_t ways = 0;
  for (std::size_t r = 0; r < plan::kRecomputes; ++r) {
    const bool exists =
        r == 0 || std::any_of(chain.layers.begin(), chain.layers.end(),
                              [r](const auto& layer) { return layer.work[r].has_value(); });
    ways += exists && allows(limits.recompute, static_cast<Recompute>(r)) ? 1 : 0;
  }
  return ways;
}

}  // namespace phaze::place
