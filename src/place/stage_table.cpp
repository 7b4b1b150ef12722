#include "place/stage_table.h"

#include <algorithm>

namespace phaze::place {

using plan::LayerWork;
using plan::Recompute;
using plan::StageMemory;

namespace {

constexpr std::array kRecomputeWays = {Recompute::kNone, Recompute::kSelective, Recompute::kFull};

// The most that can be counted where the product is more: no device has it.
Bytes multiplied(Bytes each, std::int64_t count) {
  constexpr std::int64_t kMost = std::int64_t{1} << 60;
  return count > 0 && each.value() > kMost / count ? Bytes(kMost) : each * count;
}

std::int64_t shard(std::int64_t bytes, std::int64_t parts) { return (bytes + parts - 1) / parts; }

}  // namespace

StageTable::StageTable(const PlanProblem& problem, PlanCosts& costs, const plan::Strategy& strategy,
                       const plan::Chain& chain)
    : problem_(problem),
      costs_(costs),
      strategy_(strategy),
      chain_(chain),
      length_(static_cast<std::size_t>(chain.length())),
      microbatches_(problem.global_batch / (strategy.data * strategy.microbatch)) {
  if (strategy.pipeline > 1) {
    transfer_s_ = costs.transfer(strategy, chain.boundary).value();
    if (chain.tied_parameters > 0) {
      tie_s_ = costs.tie(strategy, problem.states.reduced * chain.tied_parameters).value();
    }
  }
  const std::vector<Recompute>& allowed = problem.limits.recompute;
  for (const Recompute way : kRecomputeWays) {
    const auto r = static_cast<std::size_t>(way);
    const bool exists =
        way == Recompute::kNone ||
        std::any_of(chain.layers.begin(), chain.layers.end(),
                    [r](const plan::ChainLayer& layer) { return layer.work[r].has_value(); });
    is_offered_[r] =
        exists && (allowed.empty() || std::ranges::find(allowed, way) != allowed.end());
    sums_[r].forward_s.assign(1, 0);
    sums_[r].backward_s.assign(1, 0);
    sums_[r].saved.assign(1, 0);
  }
  parameters_.assign(1, 0);
  optimizer_s_.assign(1, 0);
  for (const plan::ChainLayer& layer : chain.layers) {
    const double accumulation_s = microbatches_ > 1 ? layer.accumulation.value() : 0;
    run_begins_.push_back(parameters_.size() - 1);
    double gather_s = 0, scatter_s = 0;
    if (strategy.zero == 3 && strategy.data > 1) {
      gather_s = costs.all_gather(strategy, problem.states.weight * layer.parameters).value();
    }
    if (scatters_each_microbatch()) {
      scatter_s = costs.reduce_scatter(strategy, problem.states.reduced * layer.parameters).value();
    }
    const auto beside = [&](double compute_s, double network_s) {
      return problem.overlap
                 ? std::max(compute_s, network_s) + problem.slowed * std::min(compute_s, network_s)
                 : compute_s + network_s;
    };
    for (const Recompute way : kRecomputeWays) {
      Sums& sums = sums_[static_cast<std::size_t>(way)];
      const LayerWork& work = plan::work_of(layer, way);
      const double forward_s = beside(work.forward.value(), gather_s);
      const double backward_s =
          beside(work.backward.value() + accumulation_s, gather_s + scatter_s);
      for (std::int64_t i = 0; i < layer.repeat; ++i) {
        sums.forward_s.push_back(sums.forward_s.back() + forward_s);
        sums.backward_s.push_back(sums.backward_s.back() + backward_s);
        sums.saved.push_back(sums.saved.back() + work.saved.value());
      }
    }
    for (std::int64_t i = 0; i < layer.repeat; ++i) {
      parameters_.push_back(parameters_.back() + layer.parameters);
      optimizer_s_.push_back(optimizer_s_.back() + layer.optimizer.value());
    }
  }
  run_begins_.push_back(length_);
}

StageTimes StageTable::times(std::size_t begin, std::size_t end, Recompute recompute) const {
  const Sums& sums = sums_[static_cast<std::size_t>(recompute)];
  return {sums.forward_s[end] - sums.forward_s[begin],
          sums.backward_s[end] - sums.backward_s[begin]};
}

Bytes StageTable::saved(std::size_t begin, std::size_t end, Recompute recompute) const {
  const Sums& sums = sums_[static_cast<std::size_t>(recompute)];
  return Bytes(sums.saved[end] - sums.saved[begin]);
}

std::int64_t StageTable::parameters(std::size_t begin, std::size_t end) const {
  // The last stage has a copy of what it shares with the first.
  const bool has_copy = end == length_ && begin > 0;
  return parameters_[end] - parameters_[begin] + (has_copy ? chain_.tied_parameters : 0);
}

const LayerWork& StageTable::work(std::size_t run, Recompute recompute) const {
  return plan::work_of(chain_.layers[run], recompute);
}

StageSync StageTable::sync(std::int64_t parameters, double optimizer_s, std::size_t layers,
                           const StageTimes& times) const {
  StageSync sync;
  const std::int64_t owners = strategy_.zero > 0 ? strategy_.data : 1;
  sync.optimizer_s = optimizer_s / static_cast<double>(owners);
  if (strategy_.data == 1 || strategy_.zero == 3) {
    return sync;  // weights' shards are reduced and gathered layer by layer, with every micro-batch
  }
  const auto [known, is_new] = syncs_.try_emplace(parameters);
  if (is_new) {
    const Bytes gradients = problem_.states.reduced * parameters;
    known->second =
        strategy_.zero == 0
            ? Sync{costs_.all_reduce(strategy_, gradients).value(), 0}
            : Sync{costs_.reduce_scatter(strategy_, gradients).value(),
                   costs_.all_gather(strategy_, problem_.states.weight * parameters).value()};
  }
  const auto [reduce_s, gather_s] = known->second;
  sync.gradients_s = reduce_s + gather_s;
  // Beside the last micro-batch's backward and the next iteration's first forward; the bucket of
  // the layer that comes last has nothing beside it.
  const auto buckets = static_cast<double>(layers);
  const auto exposed = [&](double network_s, double pass_s) {
    if (!problem_.overlap) {
      return network_s;
    }
    const double alone_s = std::max(network_s / buckets, network_s - pass_s);
    return alone_s + problem_.slowed * (network_s - alone_s);
  };
  if (scatters_each_microbatch()) {  // in the passes, but for the bucket that comes last
    sync.exposed_s = problem_.overlap ? reduce_s / buckets : 0;
  } else {
    sync.exposed_s = exposed(reduce_s, times.backward_s);
  }
  sync.exposed_s += exposed(gather_s, times.forward_s);
  return sync;
}

std::int64_t StageTable::in_flight(std::int64_t to_end) const {
  return strategy_.schedule == plan::PipelineSchedule::kGpipe ? microbatches_
                                                              : std::min(microbatches_, to_end);
}

Bytes StageTable::other(const LayerRanges& ranges) const {
  Bytes sum = problem_.other;
  for (std::size_t run = 0; run + 1 < run_begins_.size(); ++run) {
    const bool is_there = std::ranges::any_of(ranges, [&](const auto& range) {
      return run_begins_[run] < range.second && run_begins_[run + 1] > range.first;
    });
    sum += is_there ? chain_.layers[run].constants : Bytes();
  }
  return sum;
}

StageMemory StageTable::memory(std::size_t begin, std::size_t end, Recompute recompute,
                               std::int64_t in_flight) const {
  StageMemory memory;
  const std::int64_t count = parameters(begin, end);
  const int zero = strategy_.zero;
  const auto sharded = [&](Bytes each, bool is_sharded) {
    return Bytes(shard((each * count).value(), is_sharded ? strategy_.data : 1));
  };
  memory.weights = sharded(problem_.states.weight, zero >= 3);
  memory.gradients = sharded(problem_.states.gradient, zero >= 2);
  memory.optimizer = sharded(problem_.states.optimizer, zero >= 1);
  memory.activations = multiplied(saved(begin, end, recompute), in_flight);
  memory.other = other({{begin, end}});
  std::int64_t largest = 0, largest_pair = 0, before = 0;
  for (std::size_t run = 0; run + 1 < run_begins_.size(); ++run) {
    if (run_begins_[run] < end && run_begins_[run + 1] > begin) {
      // While a layer runs, those behind it keep nothing of this micro-batch.
      const plan::ChainLayer& layer = chain_.layers[run];
      const Bytes behind = saved(std::min(end, run_begins_[run + 1]), end, recompute);
      memory.transient = std::max(
          memory.transient, plan::work_of(layer, recompute).transient - layer.constants - behind);
      const std::size_t there =
          std::min(end, run_begins_[run + 1]) - std::max(begin, run_begins_[run]);
      largest = std::max(largest, layer.parameters);
      const std::int64_t neighbour = there > 1 ? std::max(before, layer.parameters) : before;
      largest_pair = std::max(largest_pair, layer.parameters + neighbour);
      before = layer.parameters;
    }
  }
  if (strategy_.data > 1) {
    // Whole weights of the layer that runs and of its neighbour, which is gathered beside it; the
    // whole gradient of a layer, before its parts go to their owners.
    memory.transient += zero >= 3 ? problem_.states.weight * largest_pair : Bytes();
    memory.transient += zero >= 2 ? problem_.states.gradient * largest : Bytes();
  }
  return memory;
}

Ways StageTable::ways_for(std::size_t begin, std::size_t end, std::int64_t in_flight) const {
  Ways ways;
  for (const Recompute way : kRecomputeWays) {
    if (!offers(way) || !fits(begin, end, way, in_flight)) {
      continue;
    }
    const StageTimes own = times(begin, end, way);
    const bool is_slower = std::ranges::any_of(ways, [&](Recompute other) {
      const StageTimes others = times(begin, end, other);
      return others.forward_s <= own.forward_s && others.backward_s <= own.backward_s;
    });
    if (!is_slower) {
      ways.add(way);
    }
  }
  return ways;
}

}  // namespace phaze::place
