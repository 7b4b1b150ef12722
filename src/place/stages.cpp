// Stages by themselves: numbers of a given cut, and the even cut that interleaving needs.
#include <algorithm>

#include "place/closed_form.h"
#include "place/partition.h"

namespace phaze::place {

using plan::Recompute;

namespace {

// How many micro-batches of each chunk of a device are between forward and backward at most, where
// forwards go round the chunks in groups of as many micro-batches as there are stages.
std::vector<std::int64_t> chunks_in_flight(const StageTable& table, std::int64_t to_end) {
  const std::int64_t stages = table.strategy().pipeline;
  const std::int64_t chunks = table.strategy().interleave;
  const std::int64_t most = table.microbatches();
  const std::int64_t ahead = std::min(most * chunks, 2 * (to_end - 1) + (chunks - 1) * stages + 1);
  std::vector<std::int64_t> in_flight(static_cast<std::size_t>(chunks), 0);
  for (std::int64_t i = 0; i < ahead; ++i) {
    ++in_flight[static_cast<std::size_t>((i / stages) % chunks)];
  }
  for (std::int64_t& count : in_flight) {
    count = std::min(count, most);
  }
  return in_flight;
}

plan::StageMemory join(const plan::StageMemory& a, const plan::StageMemory& b) {
  return {a.weights + b.weights,
          a.gradients + b.gradients,
          a.optimizer + b.optimizer,
          a.activations + b.activations,
          std::max(a.transient, b.transient),
          std::max(a.other, b.other)};
}

}  // namespace

StageNumbers compute_stage(const StageTable& table, const StageCut& cut, std::int64_t to_end) {
  StageNumbers numbers;
  const bool is_interleaved = table.strategy().schedule == plan::PipelineSchedule::kInterleaved;
  numbers.in_flight = table.in_flight(to_end);
  std::vector<std::int64_t> in_flight(cut.ranges.size(), numbers.in_flight);
  if (is_interleaved) {
    in_flight = chunks_in_flight(table, to_end);
    numbers.in_flight = *std::max_element(in_flight.begin(), in_flight.end());
  }
  std::int64_t parameters = 0;
  double optimizer_s = 0;
  std::size_t layers = 0;
  for (std::size_t i = 0; i < cut.ranges.size(); ++i) {
    const auto [begin, end] = cut.ranges[i];
    const StageTimes times = table.times(begin, end, cut.recompute);
    numbers.times.forward_s += times.forward_s;
    numbers.times.backward_s += times.backward_s;
    parameters += table.parameters(begin, end);
    optimizer_s += table.optimizer_s(begin, end);
    layers += end - begin;
    numbers.memory = join(numbers.memory, table.memory(begin, end, cut.recompute, in_flight[i]));
  }
  numbers.sync = table.sync(parameters, optimizer_s, layers, numbers.times);
  return numbers;
}

Partition evaluate(const StageTable& table, std::vector<StageCut> stages) {
  const ClosedForm form(table);
  Suffix suffix;
  double longest_s = 0;
  for (std::size_t i = stages.size(); i-- > 0;) {
    const auto to_end = static_cast<std::int64_t>(stages.size() - i);
    const StageNumbers numbers = compute_stage(table, stages[i], to_end);
    suffix = form.extend(suffix, to_end, numbers.times, numbers.sync);
    longest_s = std::max(longest_s, numbers.times.total_s());
  }
  Partition partition;
  partition.stages = std::move(stages);
  partition.late_s = suffix.late_s;
  partition.iteration_s =
      table.strategy().schedule == plan::PipelineSchedule::kInterleaved
          ? interleaved_s(table, suffix.sum_s, longest_s, suffix.late_s, suffix.optimizer_s)
          : form.iteration_s(suffix);
  return partition;
}

std::optional<Partition> cut_interleaved(const StageTable& table) {
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
  return evaluate(table, std::move(cuts));
}

}  // namespace phaze::place
