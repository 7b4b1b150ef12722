#include "support/plan_costs.h"

#include <algorithm>
#include <cmath>

#include "support/random.h"

namespace phaze::tests {

using plan::Axis;
using plan::Chain;
using plan::Recompute;
using plan::Strategy;

bool MadeUpCosts::has_place(const Strategy& strategy) {
  const auto is_placed = [&](std::int64_t size, Axis axis) {
    const std::int64_t stride = plan::stride_of(strategy, axis);
    return size == 1 || network_.unplaced == 0 || (7 * size + 3 * stride) % network_.unplaced != 0;
  };
  return is_placed(strategy.tensor, Axis::kTensor) && is_placed(strategy.data, Axis::kData) &&
         is_placed(strategy.pipeline, Axis::kPipeline);
}

double MadeUpCosts::message_s(std::int64_t stride, double bytes) const {
  const bool is_far = stride >= network_.node;
  return network_.latency_s +
         bytes / (is_far ? network_.far_bytes_per_s : network_.near_bytes_per_s);
}

Chain MadeUpCosts::make_chain(const Strategy& strategy) const {
  const auto tensor = static_cast<double>(strategy.tensor);
  const auto sequences = static_cast<double>(strategy.microbatch);
  const std::int64_t sharers = strategy.sequence_parallel ? strategy.tensor : 1;
  const auto share = [](std::int64_t bytes, std::int64_t parts) {
    return (bytes + parts - 1) / parts;
  };
  Chain chain;
  chain.boundary = Bytes(share(model_.boundary * strategy.microbatch, sharers));
  chain.tied_parameters = share(model_.tied_parameters, strategy.tensor);
  for (const MadeUpLayer& made_up : model_.layers) {
    plan::ChainLayer layer;
    layer.repeat = made_up.repeat;
    layer.parameters = share(made_up.parameters, strategy.tensor);
    layer.constants = Bytes(made_up.constants);
    layer.optimizer = Seconds(made_up.optimizer_s / tensor);
    layer.accumulation = Seconds(made_up.accumulation_s / tensor);
    const double network_s = strategy.tensor == 1
                                 ? 0
                                 : message_s(plan::stride_of(strategy, Axis::kTensor),
                                             static_cast<double>(made_up.message) * sequences);
    for (std::size_t r = 0; r < plan::kRecomputes; ++r) {
      if (!made_up.ways[r]) {
        continue;
      }
      plan::LayerWork work;
      work.forward = Seconds(
          model_.pass_s + made_up.forward_s * made_up.ways[r]->forward_share * sequences / tensor +
          network_s);
      work.recompute = Seconds(made_up.ways[r]->recompute_s * sequences / tensor);
      work.backward = Seconds(model_.pass_s + made_up.backward_s * sequences / tensor + network_s +
                              work.recompute.value());
      work.forward_network = work.backward_network = Seconds(network_s);
      work.saved = Bytes(share(made_up.ways[r]->saved * strategy.microbatch, sharers));
      work.transient =
          Bytes(share(made_up.transient * strategy.microbatch, strategy.tensor)) + layer.constants;
      layer.work[r] = work;
    }
    chain.layers.push_back(std::move(layer));
  }
  return chain;
}

const Chain* MadeUpCosts::chain(const Strategy& strategy) {
  if (strategy.sequence_parallel && !model_.has_sequence_parallel) {
    return nullptr;
  }
  const bool is_far = plan::stride_of(strategy, Axis::kTensor) >= network_.node;
  auto& known = chains_[{strategy.tensor, strategy.sequence_parallel, strategy.microbatch, is_far}];
  if (!known) {
    known = std::make_unique<Chain>(make_chain(strategy));
  }
  return known.get();
}

Seconds MadeUpCosts::transfer(const Strategy& strategy, Bytes bytes) {
  return Seconds(
      message_s(plan::stride_of(strategy, Axis::kPipeline), static_cast<double>(bytes.value())));
}

double MadeUpCosts::ring_s(const Strategy& strategy, double rounds, Bytes bytes) const {
  const auto size = static_cast<double>(strategy.data);
  return rounds * (size - 1) *
         message_s(plan::stride_of(strategy, Axis::kData),
                   static_cast<double>(bytes.value()) / size);
}

Seconds MadeUpCosts::all_reduce(const Strategy& strategy, Bytes bytes) {
  return Seconds(ring_s(strategy, 2, bytes));
}
Seconds MadeUpCosts::reduce_scatter(const Strategy& strategy, Bytes bytes) {
  return Seconds(ring_s(strategy, 1, bytes));
}
Seconds MadeUpCosts::all_gather(const Strategy& strategy, Bytes bytes) {
  return Seconds(ring_s(strategy, 1, bytes));
}

Seconds MadeUpCosts::tie(const Strategy& strategy, Bytes bytes) {
  return Seconds(2 * message_s(plan::stride_of(strategy, Axis::kPipeline),
                               static_cast<double>(bytes.value())));
}

namespace {

// Whole numbers make ties, numbers far apart make stages that outweigh all others.
double draw_time(Random& random, std::int64_t kind) {
  return kind == 0   ? static_cast<double>(random.pick(1, 4))
         : kind == 1 ? 1 + random.real() / 10
                     : std::pow(10, 2 * random.real() - 1);
}

MadeUpLayer draw_layer(Random& random, std::int64_t kind) {
  MadeUpLayer layer;
  layer.parameters = random.pick(0, 20);
  layer.forward_s = draw_time(random, kind);
  layer.backward_s = draw_time(random, kind);
  layer.optimizer_s = random.toss(3) ? 0 : draw_time(random, kind);
  layer.accumulation_s = random.toss(3) ? 0 : draw_time(random, kind);
  layer.transient = random.pick(0, 30);
  layer.message = random.pick(0, 10);
  const std::int64_t saved = random.pick(0, 100);
  layer.ways[0] = {0, saved};
  double recompute_s = 0;
  std::int64_t kept = saved;
  for (std::size_t r = 1; r < plan::kRecomputes; ++r) {
    if (!random.toss(3)) {
      recompute_s += random.toss(4) ? 0 : draw_time(random, kind) / 2;
      kept = random.pick(0, kept);
      layer.ways[r] = {recompute_s, kept, random.toss(4) ? 0.5 + random.real() / 2 : 1};
    }
  }
  layer.constants = random.toss() ? 0 : random.pick(0, 20);
  return layer;
}

template <class T>
std::vector<T> draw_limits(Random& random, const std::vector<T>& values) {
  std::vector<T> limits;
  if (random.toss(5)) {
    for (const T& value : values) {
      if (random.toss()) {
        limits.push_back(value);
      }
    }
  }
  return limits;
}

place::PlanLimits draw_limits(Random& random) {
  place::PlanLimits limits;
  limits.tensor = draw_limits<std::int64_t>(random, {1, 2, 3, 4});
  limits.pipeline = draw_limits<std::int64_t>(random, {1, 2, 3, 4, 5});
  limits.data = draw_limits<std::int64_t>(random, {1, 2, 3, 4, 6, 8});
  limits.microbatch = draw_limits<std::int64_t>(random, {1, 2, 3, 4, 6});
  limits.zero = draw_limits<std::int64_t>(random, {0, 1, 2, 3});
  limits.sequence_parallel = draw_limits<bool>(random, {false, true});
  limits.recompute =
      draw_limits<Recompute>(random, {Recompute::kNone, Recompute::kSelective, Recompute::kFull});
  if (random.toss(5)) {
    plan::AxisOrder order = plan::kTensorDataPipeline;
    do {
      if (random.toss(3)) {
        limits.order.push_back(order);
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
  return limits;
}

}  // namespace

PlanCase random_plan_case(std::uint64_t seed, const PlanCaseOptions& options) {
  Random random(seed);
  PlanCase made;
  const std::int64_t kind = random.pick(0, 2);
  std::int64_t left = random.pick(1, options.most_layers);
  for (std::int64_t kinds = random.pick(1, 4); left > 0; --kinds) {
    MadeUpLayer layer = draw_layer(random, kind);
    layer.repeat = kinds <= 1 ? left : random.pick(1, left);
    left -= layer.repeat;
    made.model.layers.push_back(layer);
  }
  made.model.widths = random.toss()   ? std::vector<std::int64_t>{1, 2, 4}
                      : random.toss() ? std::vector<std::int64_t>{1, 3}
                                      : std::vector<std::int64_t>{1};
  made.model.has_sequence_parallel = random.toss();
  made.model.pass_s = random.toss() ? 0 : draw_time(random, kind) / 4;
  made.model.boundary = random.pick(0, 40);
  if (random.toss(3)) {
    made.model.tied_parameters = random.pick(0, made.model.layers.front().parameters);
  }
  made.network.node = random.pick(1, 4);
  made.network.latency_s = random.toss() ? 0 : random.real() / 10;
  made.network.near_bytes_per_s = std::pow(10, 3 * random.real());
  made.network.far_bytes_per_s = made.network.near_bytes_per_s * (0.05 + random.real());
  made.network.unplaced = random.toss() ? 0 : random.pick(2, 7);

  place::PlanProblem& problem = made.problem;
  problem.devices = random.pick(1, options.most_devices);
  problem.global_batch = random.pick(1, options.most_batch);
  problem.overlap = random.toss();
  problem.other = Bytes(random.pick(0, 20));
  problem.states = {Bytes(random.pick(1, 4)), Bytes(random.pick(1, 4)), Bytes(random.pick(0, 12))};
  std::int64_t most = 0;  // with all on one device
  for (const MadeUpLayer& layer : made.model.layers) {
    most += layer.repeat * (18 * layer.parameters + layer.ways[0]->saved) + layer.transient;
  }
  const double share = random.toss(4) ? 100 : random.toss() ? random.real() : random.real() / 3;
  problem.capacity =
      problem.other + Bytes(static_cast<std::int64_t>(share * static_cast<double>(most)) + 1);
  if (options.has_limits && random.toss()) {
    problem.limits = draw_limits(random);
  }
  if (options.is_deep) {
    problem.limits = {};
    problem.limits.tensor = problem.limits.data = {1};
  }
  problem.limits.schedule = options.schedules;
  return made;
}

}  // namespace phaze::tests
