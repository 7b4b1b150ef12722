#include "place/even.h"

#include <utility>
#include <vector>

#include "place/partition.h"
#include "place/plan_bounds.h"
#include "place/price.h"

namespace phaze::place {

using plan::Recompute;

std::optional<plan::TrainingPlan> price_evenly(const PlanProblem& problem, PlanCosts& costs,
                                               const plan::Strategy& strategy) {
  const plan::Chain* chain = costs.has_place(strategy) ? costs.chain(strategy) : nullptr;
  if (chain == nullptr) {
    return std::nullopt;
  }
  const StageTable table(problem, costs, strategy, *chain);
  const Body body = body_of(*chain);
  const auto stages = static_cast<std::size_t>(strategy.pipeline);
  const std::size_t parts = stages * static_cast<std::size_t>(strategy.interleave);
  const auto layers = static_cast<std::size_t>(body.length());
  const bool is_interleaved = strategy.schedule == plan::PipelineSchedule::kInterleaved;
  if (layers < parts || (is_interleaved && table.microbatches() % strategy.pipeline != 0)) {
    return std::nullopt;
  }
  std::optional<Recompute> way;
  for (const Recompute each : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
    way = table.offers(each) ? std::optional(each) : way;
  }
  if (!way) {
    return std::nullopt;
  }
  std::vector<StageCut> cuts(stages);
  std::size_t at = body.begin;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = part == 0 ? 0 : at;
    at += layers / parts + (part < layers % parts ? 1 : 0);
    const std::size_t end = part + 1 == parts ? table.length() : at;
    cuts[part % stages].ranges.emplace_back(begin, end);
    cuts[part % stages].recompute = *way;
  }
  return price(problem, table, evaluate(table, std::move(cuts)));
}

}  // namespace phaze::place
