#pragma once
// Which values each choice of a strategy may take: what is possible, within what is asked for.
// docs/models.md, 18.3.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "place/plan_bounds.h"
#include "place/plan_problem.h"

namespace phaze::place {

template <class T>
bool allows(const std::vector<T>& values, const T& value) {
  return values.empty() || std::find(values.begin(), values.end(), value) != values.end();
}

// Ascending.
std::vector<std::int64_t> divisors(std::int64_t n);

// Orders that differ for the strategy's widths, or those that are asked for.
std::vector<plan::AxisOrder> orders_of(const PlanLimits& limits, const plan::Strategy& strategy);

// Stages of ZeRO: none but 0 where there is nothing to share.
std::vector<int> zeros_of(const PlanLimits& limits, std::int64_t data);

// One stage is the same in all of them: only those that are asked for, or 1F1B.
std::vector<plan::PipelineSchedule> schedules_of(const PlanLimits& limits, std::int64_t stages);

// Chunks of layers on a device under the strategy's schedule: interleaved, those that layers can be
// spread over evenly, where micro-batches are a multiple of the stages; otherwise one.
std::vector<std::int64_t> chunks_of(const PlanLimits& limits, const plan::Strategy& strategy,
                                    const Body& body, std::int64_t length,
                                    std::int64_t microbatches);

// Ways to recompute that all stages could take.
std::int64_t count_ways(const PlanLimits& limits, const plan::Chain& chain);

}  // namespace phaze::place
