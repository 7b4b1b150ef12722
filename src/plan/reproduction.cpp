#include "plan/reproduction.h"

#include <cmath>

#include "base/names.h"

namespace phaze::plan {
namespace {

constexpr std::array<NameOf<ReproducedRun>, kReproducedRuns> kRuns = {
    {{ReproducedRun::kReferenceExpert, "reference_expert"},
     {ReproducedRun::kReferenceSolved, "reference_solved"},
     {ReproducedRun::kArchitectureExpert, "architecture_only_expert"},
     {ReproducedRun::kArchitectureSolved, "architecture_only_solved"},
     {ReproducedRun::kOwn, "own"},
     {ReproducedRun::kCommon, "common"}}};
static_assert(is_in_order(kRuns));

}  // namespace

std::string_view to_string(ReproducedRun run) { return name_in(kRuns, run); }

std::optional<double> throughput_of(const std::optional<TrainingPlan>& plan) {
  return plan && plan->fits ? std::optional(throughput(*plan)) : std::nullopt;
}

ReproductionBase base_of(const ReproducedModel& model) {
  if (const auto expert = throughput_of(model.run(ReproducedRun::kReferenceExpert))) {
    return {ReproducedRun::kReferenceExpert, expert};
  }
  return {ReproducedRun::kReferenceSolved,
          throughput_of(model.run(ReproducedRun::kReferenceSolved))};
}

std::optional<double> relative(const ReproducedModel& model, ReproducedRun run) {
  const std::optional<double> base = base_of(model).throughput,
                              found = throughput_of(model.run(run));
  return base && found ? std::optional(*found / *base) : std::nullopt;
}

std::optional<Averages> average(const ReproducedColumn& column, ReproducedRun run) {
  Averages averages;
  double logarithms = 0;
  for (const ReproducedModel& model : column.models) {
    if (const auto share = relative(model, run)) {
      averages.arithmetic += *share;
      logarithms += std::log(*share);
      ++averages.models;
    }
  }
  if (averages.models == 0) {
    return std::nullopt;
  }
  const auto count = static_cast<double>(averages.models);
  averages.arithmetic /= count;
  averages.geometric = std::exp(logarithms / count);
  return averages;
}

std::optional<GainSplit> average_split(const ReproducedColumn& column) {
  GainSplit logarithms{0, 0, 0, 0};
  double count = 0;
  for (const ReproducedModel& model : column.models) {
    if (model.split) {
      logarithms.placement += std::log(model.split->placement);
      logarithms.chip += std::log(model.split->chip);
      logarithms.memory += std::log(model.split->memory);
      logarithms.interaction += std::log(model.split->interaction);
      ++count;
    }
  }
  if (count == 0) {
    return std::nullopt;
  }
  return GainSplit{std::exp(logarithms.placement / count), std::exp(logarithms.chip / count),
                   std::exp(logarithms.memory / count), std::exp(logarithms.interaction / count)};
}

}  // namespace phaze::plan
