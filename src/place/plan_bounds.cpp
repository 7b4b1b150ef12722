#include "place/plan_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "place/closed_form.h"

namespace phaze::place {

using plan::PipelineSchedule;

Body body_of(const plan::Chain& chain) {
  Body body{0, static_cast<std::size_t>(chain.length())};
  body.begin += chain.layers.size() > 1 && chain.layers.front().repeat == 1 ? 1 : 0;
  body.end -= chain.layers.size() > 2 && chain.layers.back().repeat == 1 ? 1 : 0;
  return body;
}

Bodies::Bodies(const Body& body, std::int64_t length, std::int64_t chunks) {
  for (const std::size_t begin : {body.begin, std::size_t{0}}) {
    for (const std::size_t end : {body.end, static_cast<std::size_t>(length)}) {
      const Body one{begin, end};
      const bool is_even = one.length() >= chunks && one.length() % chunks == 0;
      if (is_even && std::find(this->begin(), this->end(), one) == this->end()) {
        bodies_[count_++] = one;
      }
    }
  }
}

std::int64_t parameters_of(const plan::Chain& chain) {
  std::int64_t sum = 0;
  for (const plan::ChainLayer& layer : chain.layers) {
    sum += layer.parameters * layer.repeat;
  }
  return sum;
}

Bytes least_bytes(const PlanProblem& problem, std::int64_t parameters,
                  const plan::Strategy& strategy) {
  const auto shared = [&](Bytes each, int from) {
    const std::int64_t owners =
        strategy.pipeline * (strategy.zero >= from ? strategy.data : std::int64_t{1});
    return Bytes((each * parameters).value() / owners);
  };
  return shared(problem.states.weight, 3) + shared(problem.states.gradient, 2) +
         shared(problem.states.optimizer, 1) + problem.other;
}

double ChainBound::longest_s(double stages) const {
  double longest = sum_s / stages;
  for (const auto& [layer_s, repeat] : runs) {
    longest = std::max(longest, layer_s * std::ceil(repeat / stages));
  }
  return longest;
}

ChainBound bound_of(const plan::Chain& chain, bool has_network) {
  ChainBound bound;
  bound.body = body_of(chain);
  double forward_share = 1, backward_share = 1;
  for (const plan::ChainLayer& layer : chain.layers) {
    // In the fastest way; which that is can differ from pass to pass.
    double forward_s = std::numeric_limits<double>::infinity();
    double backward_s = forward_s, layer_s = forward_s;
    for (const std::optional<plan::LayerWork>& work : layer.work) {
      if (work) {
        const double one_s =
            (work->forward - (has_network ? Seconds() : work->forward_network)).value();
        const double other_s =
            (work->backward - (has_network ? Seconds() : work->backward_network)).value();
        forward_s = std::min(forward_s, one_s);
        backward_s = std::min(backward_s, other_s);
        layer_s = std::min(layer_s, one_s + other_s);
      }
    }
    const auto repeat = static_cast<double>(layer.repeat);
    bound.sum_s += layer_s * repeat;
    bound.optimizer_s += layer.optimizer.value() * repeat;
    bound.runs.emplace_back(layer_s, repeat);
    for (std::int64_t i = 0; i < layer.repeat; ++i) {
      bound.before_s.push_back(bound.before_s.back() + layer_s);
    }
    if (layer_s > 0) {
      forward_share = std::min(forward_share, forward_s / layer_s);
      backward_share = std::min(backward_share, backward_s / layer_s);
    }
  }
  // Networks and gathered weights make passes longer, not shorter.
  bound.share = std::max(forward_share, backward_share);
  return bound;
}

namespace {

// No less than any stage's own passes, from when the first micro-batch reaches it to when the last
// one has left the stages before it.
double least_spread_s(const ChainBound& bound, const Body& body, std::int64_t stages,
                      std::int64_t chunks, std::int64_t microbatches) {
  const auto parts = static_cast<std::size_t>(stages * chunks);
  const std::size_t each = static_cast<std::size_t>(body.length()) / parts;
  const auto begin_of = [&](std::size_t part) {
    return part == 0       ? std::size_t{0}
           : part == parts ? bound.before_s.size() - 1
                           : body.begin + part * each;
  };
  const auto count = static_cast<double>(microbatches);
  double least_s = bound.sum_s;
  // The first stage and the last one have the layers at the ends.
  for (const std::int64_t stage : {std::int64_t{0}, stages - 1}) {
    const auto at = static_cast<std::size_t>(stage);
    double load_s = 0;
    for (std::size_t part = at; part < parts; part += static_cast<std::size_t>(stages)) {
      load_s += bound.before_s[begin_of(part + 1)] - bound.before_s[begin_of(part)];
    }
    least_s = std::max(least_s, bound.before_s[begin_of(at)] + count * load_s);
  }
  return least_s;
}

double least_interleaved_s(const ChainBound& bound, std::int64_t stages, std::int64_t chunks,
                           std::int64_t microbatches) {
  const auto length = static_cast<std::int64_t>(bound.before_s.size()) - 1;
  double least_s = std::numeric_limits<double>::infinity();
  for (const Body& body : Bodies(bound.body, length, stages * chunks)) {
    least_s = std::min(least_s, least_spread_s(bound, body, stages, chunks, microbatches));
  }
  return least_s;
}

}  // namespace

double least_s(const ChainBound& bound, const plan::Strategy& strategy, double longest_s,
               std::int64_t microbatches) {
  const auto stages = static_cast<double>(strategy.pipeline);
  const double owners = stages * (strategy.zero > 0 ? static_cast<double>(strategy.data) : 1.0);
  double passes_s = 0;
  switch (strategy.schedule) {
    case PipelineSchedule::kInterleaved:
      passes_s = least_interleaved_s(bound, strategy.pipeline, strategy.interleave, microbatches);
      break;
    case PipelineSchedule::k1F1B:
      passes_s =
          least_one_by_one_s(bound.sum_s, longest_s, bound.share, strategy.pipeline, microbatches);
      break;
    case PipelineSchedule::kGpipe:
      passes_s = bound.sum_s + static_cast<double>(microbatches - 1) * longest_s;
      break;
  }
  return passes_s + bound.optimizer_s / owners;
}

}  // namespace phaze::place
