#include "support/pipeline_plans.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace phaze::tests {
namespace {

std::int64_t pick(Rng& rng, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(rng.below(static_cast<std::size_t>(most - least + 1)));
}

// From nothing over the smallest to the largest that a file may hold.
Seconds any_time(Rng& rng) {
  return rng.below(8) == 0 ? Seconds() : Seconds(std::pow(10, 20 * rng.uniform() - 12));
}
Bytes any_bytes(Rng& rng, std::int64_t most) {
  return rng.below(8) == 0 ? Bytes() : Bytes(pick(rng, 0, most >> rng.below(40)));
}

plan::PlanStage any_stage(Rng& rng, std::size_t layers) {
  constexpr std::int64_t kMost = 1'000'000'000'000'000;
  plan::PlanStage stage;
  stage.layers.push_back({rng.below(layers), pick(rng, 1, 100)});
  stage.recompute = static_cast<plan::Recompute>(rng.below(plan::kRecomputes));
  stage.forward = any_time(rng);
  stage.backward = any_time(rng);
  stage.network = (stage.forward + stage.backward) * rng.uniform();
  stage.recomputation = any_time(rng);
  stage.in_flight = pick(rng, 1, 1000);
  stage.saved = any_bytes(rng, kMost);
  stage.memory.weights = any_bytes(rng, kMost);
  stage.memory.gradients = any_bytes(rng, kMost);
  stage.memory.optimizer = any_bytes(rng, kMost);
  stage.memory.activations = any_bytes(rng, kMost);
  stage.memory.transient = any_bytes(rng, kMost);
  stage.memory.other = any_bytes(rng, kMost);
  stage.gradients = any_time(rng);
  stage.exposed = any_time(rng);
  stage.optimizer = any_time(rng);
  return stage;
}

// Each but the last takes a share of what is left.
std::vector<plan::PlanChunk> any_chunks(Rng& rng, const plan::PlanStage& stage,
                                        std::int64_t count) {
  std::vector<plan::PlanChunk> chunks;
  plan::PlanChunk left{stage.forward, stage.backward, stage.saved};
  for (std::int64_t i = 1; i < count; ++i) {
    const plan::PlanChunk chunk{left.forward * rng.uniform(), left.backward * rng.uniform(),
                                Bytes(pick(rng, 0, left.saved.value()))};
    chunks.push_back(chunk);
    left = {left.forward - chunk.forward, left.backward - chunk.backward, left.saved - chunk.saved};
  }
  chunks.push_back(left);
  return chunks;
}

std::string any_name(Rng& rng) {
  constexpr std::array kNames = {"decoder",
                                 "null",
                                 "7",
                                 "0x1f",
                                 "a b",
                                 "q\"uote",
                                 "back\\",
                                 "\n\t",
                                 "true",
                                 "#",
                                 "\xC3\xA4\xE2\x82\xAC",
                                 "~"};
  return kNames[rng.below(kNames.size())];
}

}  // namespace

plan::TrainingPlan plan_of(const PipelineShape& shape) {
  plan::TrainingPlan plan;
  plan.strategy.pipeline = static_cast<std::int64_t>(shape.forward.size());
  plan.strategy.interleave = shape.chunks;
  plan.strategy.schedule = shape.is_gpipe     ? plan::PipelineSchedule::kGpipe
                           : shape.chunks > 1 ? plan::PipelineSchedule::kInterleaved
                                              : plan::PipelineSchedule::k1F1B;
  plan.devices = plan.strategy.pipeline;
  plan.microbatches = plan.global_batch = shape.microbatches;
  plan.transfer = Seconds(shape.transfer);
  for (std::size_t i = 0; i < shape.forward.size(); ++i) {
    plan::PlanStage stage;
    stage.layers = {{0, 1}};
    stage.forward = Seconds(shape.forward[i]);
    stage.backward = Seconds(shape.backward[i]);
    for (const double share : shape.shares) {
      stage.chunks.push_back({stage.forward * share, stage.backward * share, Bytes()});
    }
    plan.stages.push_back(stage);
  }
  return plan;
}

PipelineShape random_shape(Rng& rng, const RandomShapes& options) {
  PipelineShape shape;
  const std::int64_t stages = pick(rng, 1, options.most_stages);
  shape.chunks = pick(rng, 1, options.most_chunks);
  shape.microbatches = shape.chunks > 1 ? stages * pick(rng, 1, options.most_rounds)
                                        : pick(rng, 1, stages * options.most_rounds);
  const double ratio = 1 + 2 * rng.uniform();  // backward to forward
  const bool is_alike = rng.below(2) == 0;     // both passes of a stage differ in the same way
  for (std::int64_t i = 0; i < stages; ++i) {
    const auto factor = [&] { return 1 + options.spread * (2 * rng.uniform() - 1); };
    const double forward = factor();
    shape.forward.push_back(forward);
    shape.backward.push_back(ratio * (is_alike ? forward : factor()));
  }
  shape.transfer =
      options.most_transfer * rng.uniform() * (1 + ratio) / static_cast<double>(shape.chunks);
  return shape;
}

plan::PlanRecord random_record(Rng& rng) {
  RandomShapes options;
  options.most_chunks = 3;
  plan::PlanRecord record;
  record.model = any_name(rng);
  record.chip = any_name(rng);
  record.cluster = rng.below(2) == 0 ? "" : any_name(rng);
  record.sequence = pick(rng, 1, 1 << 20);
  plan::TrainingPlan& plan = record.plan;
  plan = plan_of(random_shape(rng, options));
  plan.strategy.tensor = pick(rng, 1, 8);
  plan.strategy.sequence_parallel = rng.below(2) == 0;
  plan.strategy.data = pick(rng, 1, 100);
  plan.strategy.microbatch = pick(rng, 1, 64);
  plan.strategy.zero = static_cast<int>(rng.below(4));
  if (plan.strategy.interleave == 1) {
    plan.strategy.schedule = static_cast<plan::PipelineSchedule>(rng.below(3));
  }
  for (std::size_t i = plan::kAxes; i > 1; --i) {
    std::swap(plan.strategy.order[i - 1], plan.strategy.order[rng.below(i)]);
  }
  plan.devices = plan::devices_of(plan.strategy) + pick(rng, 0, 3);
  const std::int64_t each = plan.strategy.data * plan.strategy.microbatch;
  plan.global_batch = plan.microbatches * each - pick(rng, 0, each - 1);
  const std::size_t layers = 1 + rng.below(plan.stages.size());
  for (std::size_t i = 0; i < plan.stages.size(); ++i) {
    plan.stages[i] = any_stage(rng, layers);
  }
  if (rng.below(2) == 0) {
    plan.stages[0].chunks = any_chunks(rng, plan.stages[0], plan.strategy.interleave);
  }
  for (std::size_t i = 0; i < layers; ++i) {
    plan.stages[i].layers.push_back({i, 1});
    record.layers.push_back(any_name(rng));
  }
  plan.transfer = any_time(rng);
  plan.transfer_bytes = any_bytes(rng, 1 << 30);
  plan.tied = any_time(rng);
  for (Seconds plan::IterationParts::*part :
       {&plan::IterationParts::compute, &plan::IterationParts::recompute,
        &plan::IterationParts::tensor, &plan::IterationParts::pipeline, &plan::IterationParts::data,
        &plan::IterationParts::optimizer, &plan::IterationParts::bubble}) {
    plan.parts.*part = any_time(rng);
  }
  plan.iteration = plan.parts.total();
  plan.capacity = any_bytes(rng, std::int64_t{1} << 40);
  plan.fits = rng.below(2) == 0;
  if (rng.below(2) == 0) {
    record.figures = plan::PlanFigures{rng.uniform(),
                                       rng.uniform(),
                                       {rng.uniform(), rng.uniform(), rng.uniform(), rng.uniform()},
                                       static_cast<plan::SolveStatus>(rng.below(2)),
                                       any_time(rng)};
  }
  return record;
}

}  // namespace phaze::tests
