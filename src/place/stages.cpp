// Stages by themselves: numbers of a given cut, and the even cut that interleaving needs.
#include <algorithm>
#include <array>
#include <limits>

#include "place/closed_form.h"
#include "place/interleaved.h"
#include "place/partition.h"
#include "place/plan_bounds.h"

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

namespace {

// Equal numbers of layers of `body` in all chunks; those before and behind it go with the first and
// the last one.
std::vector<StageCut> cut_evenly(const StageTable& table, const Body& body) {
  const auto stages = static_cast<std::size_t>(table.strategy().pipeline);
  const std::size_t parts = stages * static_cast<std::size_t>(table.strategy().interleave);
  const std::size_t each = static_cast<std::size_t>(body.length()) / parts;
  std::vector<StageCut> cuts(stages);
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = part == 0 ? 0 : body.begin + part * each;
    const std::size_t end = part + 1 == parts ? table.length() : body.begin + (part + 1) * each;
    cuts[part % stages].ranges.emplace_back(begin, end);
  }
  return cuts;
}

constexpr std::array kWays = {Recompute::kNone, Recompute::kSelective, Recompute::kFull};

bool fits(const StageTable& table, const std::vector<StageCut>& cuts, std::size_t stage) {
  const auto to_end = static_cast<std::int64_t>(cuts.size() - stage);
  return compute_stage(table, cuts[stage], to_end).memory.total() <= table.capacity();
}

// Do the stage's own passes alone take that long?
bool is_too_long(const StageTable& table, const StageCut& cut, double limit_s) {
  double load_s = 0;
  for (const auto& [begin, end] : cut.ranges) {
    load_s += table.times(begin, end, cut.recompute).total_s();
  }
  return load_s * static_cast<double>(table.microbatches()) >= limit_s;
}

// Every stage the least that fits it; false when nothing does, or only what takes too long.
bool take_least(const StageTable& table, double limit_s, std::vector<StageCut>& cuts) {
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const bool is_found = std::ranges::any_of(kWays, [&](Recompute way) {
      cuts[i].recompute = way;
      return table.offers(way) && !is_too_long(table, cuts[i], limit_s) && fits(table, cuts, i);
    });
    if (!is_found) {
      return false;
    }
  }
  return true;
}

// All stages the same way; false when it does not fit everywhere, or takes too long.
bool take_one(const StageTable& table, Recompute way, double limit_s, std::vector<StageCut>& cuts) {
  for (StageCut& cut : cuts) {
    cut.recompute = way;
    if (is_too_long(table, cut, limit_s)) {
      return false;
    }
  }
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    if (!fits(table, cuts, i)) {
      return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Partition> cut_interleaved(const StageTable& table, double limit_s) {
  const plan::Strategy& strategy = table.strategy();
  if (table.microbatches() % strategy.pipeline != 0) {
    return std::nullopt;
  }
  std::optional<Partition> best;
  const auto below_s = [&] { return best ? best->iteration_s : limit_s; };
  const auto evaluate_if_better = [&](const std::vector<StageCut>& cuts) {
    Partition partition = evaluate_interleaved(table, cuts, below_s());
    if (partition.iteration_s < below_s()) {
      best = std::move(partition);
    }
  };
  for (const Body& body : Bodies(body_of(table.chain()), static_cast<std::int64_t>(table.length()),
                                 strategy.pipeline * strategy.interleave)) {
    std::vector<StageCut> cuts = cut_evenly(table, body);
    if (!take_least(table, below_s(), cuts)) {
      continue;  // a stage without a way has none that all stages could take either
    }
    evaluate_if_better(cuts);
    const std::vector<StageCut> least = cuts;
    for (const Recompute way : kWays) {
      if (table.offers(way) && take_one(table, way, below_s(), cuts) && cuts != least) {
        evaluate_if_better(cuts);
      }
    }
  }
  return best;
}

}  // namespace phaze::place
