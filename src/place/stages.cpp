// Stages by themselves: numbers of a given cut, and the even cut that interleaving needs.
#include <algorithm>
#include <limits>

#include "place/closed_form.h"
#include "place/interleaved.h"
#include "place/partition.h"

namespace phaze::place {

using plan::Recompute;

namespace {

// All but what is the same for both.
plan::StageMemory join(const plan::StageMemory& a, const plan::StageMemory& b) {
  return {
      a.weights + b.weights,         a.gradients + b.gradients,          a.optimizer + b.optimizer,
      a.activations + b.activations, std::max(a.transient, b.transient), Bytes()};
}

}  // namespace

StageNumbers compute_stage(const StageTable& table, const StageCut& cut, std::int64_t to_end) {
  StageNumbers numbers;
  numbers.in_flight = table.in_flight(to_end);
  std::int64_t parameters = 0;
  double optimizer_s = 0;
  std::size_t layers = 0;
  std::vector<Bytes> saved;
  for (const auto& [begin, end] : cut.ranges) {
    const StageTimes times = table.times(begin, end, cut.recompute);
    numbers.times.forward_s += times.forward_s;
    numbers.times.backward_s += times.backward_s;
    parameters += table.parameters(begin, end);
    optimizer_s += table.optimizer_s(begin, end);
    layers += end - begin;
    saved.push_back(table.saved(begin, end, cut.recompute));
    numbers.memory =
        join(numbers.memory, table.memory(begin, end, cut.recompute, numbers.in_flight));
  }
  if (table.strategy().schedule == plan::PipelineSchedule::kInterleaved) {
    const KeptChunks kept =
        kept_chunks(table.strategy().pipeline, to_end, table.microbatches(), saved);
    numbers.in_flight = kept.in_flight;
    numbers.memory.activations = kept.saved;
  }
  numbers.memory.other = table.other(cut.ranges);
  numbers.sync = table.sync(parameters, optimizer_s, layers, numbers.times);
  return numbers;
}

namespace {

// After the passes: gradients, tied embeddings where both their stages have theirs, the optimiser.
Partition finish(const StageTable& table, const std::vector<double>& ends,
                 const std::vector<StageNumbers>& stages) {
  double ready_s = 0, optimizer_s = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    ready_s = std::max(ready_s, ends[i] + stages[i].sync.exposed_s);
    optimizer_s = std::max(optimizer_s, stages[i].sync.optimizer_s);
  }
  const double tied_s = std::max(ends.front() + stages.front().sync.exposed_s,
                                 ends.back() + stages.back().sync.exposed_s) +
                        table.tie_s();
  Partition partition;
  partition.iteration_s = std::max(ready_s, tied_s) + optimizer_s;
  partition.late_s = std::max(ready_s, tied_s) - *std::ranges::max_element(ends);
  return partition;
}

// Longer than `limit_s`, or not: the time of an interleaved cut, in earnest only where it may be
// less than that.
Partition evaluate_interleaved(const StageTable& table, std::vector<StageCut> cuts,
                               double limit_s) {
  InterleavedShape shape{table.microbatches(), table.transfer_s(), {}};
  std::vector<StageNumbers> stages;
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    stages.push_back(compute_stage(table, cuts[i], static_cast<std::int64_t>(cuts.size() - i)));
    std::vector<StageTimes>& chunks = shape.chunks.emplace_back();
    for (const auto& [begin, end] : cuts[i].ranges) {
      chunks.push_back(table.times(begin, end, cuts[i].recompute));
    }
  }
  Partition partition = finish(table, least_interleaved_ends(shape), stages);
  if (partition.iteration_s < limit_s) {
    partition = finish(table, interleaved_ends(shape), stages);
  }
  partition.stages = std::move(cuts);
  return partition;
}

}  // namespace

Partition evaluate(const StageTable& table, std::vector<StageCut> stages) {
  if (table.strategy().schedule == plan::PipelineSchedule::kInterleaved) {
    return evaluate_interleaved(table, std::move(stages), std::numeric_limits<double>::infinity());
  }
  const ClosedForm form(table);
  Suffix suffix;
  std::vector<double> runs;
  for (std::size_t i = stages.size(); i-- > 0;) {
    const auto to_end = static_cast<std::int64_t>(stages.size() - i);
    const StageNumbers numbers = compute_stage(table, stages[i], to_end);
    suffix = form.extend(suffix, runs, to_end, numbers.times, numbers.sync);
    runs = form.extend_runs(runs, numbers.times);
  }
  Partition partition;
  partition.stages = std::move(stages);
  partition.late_s = form.late_s(suffix) + table.tie_s();
  partition.iteration_s = form.iteration_s(suffix);
  return partition;
}

std::optional<Partition> cut_interleaved(const StageTable& table, double limit_s) {
  const auto stages = static_cast<std::size_t>(table.strategy().pipeline);
  const auto chunks = static_cast<std::size_t>(table.strategy().interleave);
  const plan::Chain& chain = table.chain();
  // Single layers at the ends (embedding, head) go with the first and the last chunk.
  std::size_t first = 0, last = table.length();
  if (chain.layers.size() > 1 && chain.layers.front().repeat == 1) {
    first = 1;
  }
  if (chain.layers.size() > 2 && chain.layers.back().repeat == 1) {
    last -= 1;
  }
  const std::size_t parts = stages * chunks;
  if (last - first < parts || (last - first) % parts != 0 ||
      table.microbatches() % table.strategy().pipeline != 0) {
    return std::nullopt;
  }
  const std::size_t each = (last - first) / parts;
  std::vector<StageCut> cuts(stages);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = part == 0 ? 0 : first + part * each;
    const std::size_t end = part + 1 == parts ? table.length() : first + (part + 1) * each;
    cuts[part % stages].ranges.emplace_back(begin, end);
  }
  for (std::size_t i = 0; i < stages; ++i) {
    bool fits = false;
    for (const Recompute way : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
      if (table.offers(way) && !fits) {
        cuts[i].recompute = way;
        const StageNumbers numbers =
            compute_stage(table, cuts[i], static_cast<std::int64_t>(stages - i));
        fits = numbers.memory.total() <= table.capacity();
      }
    }
    if (!fits) {
      return std::nullopt;
    }
  }
  Partition partition = evaluate_interleaved(table, std::move(cuts), limit_s);
  return partition.iteration_s < limit_s ? std::optional(std::move(partition)) : std::nullopt;
}

}  // namespace phaze::place
