#include "support/plan_strategies.h"

#include <set>

namespace phaze::tests {
namespace {

using plan::Axis;
using plan::Chain;
using plan::Strategy;

// Orders, one for each way to place groups of more than one device.
std::vector<plan::AxisOrder> list_orders(const place::PlanProblem& problem, Strategy strategy) {
  std::vector<plan::AxisOrder> orders;
  std::set<std::vector<std::int64_t>> seen;
  for (const Axis a : {Axis::kTensor, Axis::kData, Axis::kPipeline}) {
    for (const Axis b : {Axis::kTensor, Axis::kData, Axis::kPipeline}) {
      for (const Axis c : {Axis::kTensor, Axis::kData, Axis::kPipeline}) {
        if (a == b || b == c || a == c) {
          continue;
        }
        strategy.order = {a, b, c};
        const auto stride = [&](std::int64_t size, Axis axis) {
          return size > 1 ? plan::stride_of(strategy, axis) : 0;
        };
        const bool is_new =
            seen.insert({stride(strategy.tensor, Axis::kTensor), stride(strategy.data, Axis::kData),
                         stride(strategy.pipeline, Axis::kPipeline)})
                .second;
        const std::vector<plan::AxisOrder>& asked = problem.limits.order;
        if (asked.empty() ? is_new : is_allowed(asked, strategy.order)) {
          orders.push_back(strategy.order);
        }
      }
    }
  }
  return orders;
}

}  // namespace

std::vector<Strategy> list_strategies(const place::PlanProblem& problem, place::PlanCosts& costs) {
  const place::PlanLimits& limits = problem.limits;
  std::vector<Strategy> all;
  Strategy s;
  const auto add = [&] {
    for (s.zero = 0; s.zero <= (s.data > 1 ? 3 : 0); ++s.zero) {
      for (const plan::PipelineSchedule schedule : limits.schedule) {
        if (is_allowed(limits.zero, std::int64_t{s.zero})) {
          s.schedule = schedule;
          all.push_back(s);
        }
      }
    }
  };
  const std::int64_t batch = problem.global_batch;
  for (const std::int64_t tensor : costs.tensor_widths()) {
    for (int sequence = 0; sequence <= (tensor > 1 ? 1 : 0); ++sequence) {
      for (std::int64_t microbatch = 1; microbatch <= batch; ++microbatch) {
        for (std::int64_t data = 1; data <= batch; ++data) {
          for (std::int64_t stages = 1; stages * tensor * data <= problem.devices; ++stages) {
            s.tensor = tensor;
            s.sequence_parallel = sequence == 1;
            s.microbatch = microbatch;
            s.data = data;
            s.pipeline = stages;
            if (batch % (data * microbatch) != 0 || !is_allowed(limits.tensor, tensor) ||
                !is_allowed(limits.microbatch, microbatch) || !is_allowed(limits.data, data) ||
                !is_allowed(limits.pipeline, stages) ||
                (tensor > 1 && !is_allowed(limits.sequence_parallel, sequence == 1))) {
              continue;
            }
            for (const plan::AxisOrder& order : list_orders(problem, s)) {
              s.order = order;
              const Chain* chain = costs.has_place(s) ? costs.chain(s) : nullptr;
              if (chain != nullptr && chain->length() >= stages) {
                add();
              }
            }
          }
        }
      }
    }
  }
  return all;
}

}  // namespace phaze::tests
