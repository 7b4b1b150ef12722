#include "support/plan_brute_force.h"

#include <algorithm>
#include <limits>

#include "support/plan_strategies.h"

namespace phaze::tests {
namespace {

using plan::Chain;
using plan::ChainLayer;
using plan::LayerWork;
using plan::Strategy;

struct Stage {
  double forward_s = 0, backward_s = 0, exposed_s = 0, optimizer_s = 0;
};

// One strategy: all cuts and all ways to recompute.
class Cuts {
 public:
  Cuts(const place::PlanProblem& problem, place::PlanCosts& costs, const Strategy& strategy)
      : problem_(problem), costs_(costs), strategy_(strategy), chain_(*costs.chain(strategy)) {
    for (const ChainLayer& layer : chain_.layers) {
      flat_.insert(flat_.end(), static_cast<std::size_t>(layer.repeat), &layer);
    }
    microbatches_ = problem.global_batch / strategy.data / strategy.microbatch;
    if (strategy.pipeline > 1) {
      transfer_s_ = costs.transfer(strategy, chain_.boundary).value();
      if (chain_.tied_parameters > 0) {
        tie_s_ = costs.tie(strategy, Bytes(problem.states.reduced.value() * chain_.tied_parameters))
                     .value();
      }
    }
    for (std::size_t way = 0; way < plan::kRecomputes; ++way) {
      const bool is_known = std::ranges::any_of(
          flat_, [way](const ChainLayer* layer) { return layer->work[way].has_value(); });
      if (is_known && is_allowed(problem.limits.recompute, static_cast<plan::Recompute>(way))) {
        ways_.push_back(way);
      }
    }
  }

  // Infinity when nothing fits.
  double best_s() {
    cut_from(0);
    return best_s_;
  }

 private:
  void cut_from(std::size_t begin) {
    const auto left = static_cast<std::size_t>(strategy_.pipeline) - stages_.size();
    if (left == 0) {
      if (begin == flat_.size()) {
        best_s_ = std::min(best_s_, iteration_s());
      }
      return;
    }
    for (std::size_t end = begin + 1; end + left - 1 <= flat_.size(); ++end) {
      for (const std::size_t way : ways_) {
        if (memory(begin, end, way) <= problem_.capacity.value()) {
          stages_.push_back(stage(begin, end, way));
          cut_from(end);
          stages_.pop_back();
        }
      }
    }
  }

  // What a layer does that is asked for a way: the last one up to it that it knows.
  static const LayerWork& work(const ChainLayer& layer, std::size_t way) {
    const LayerWork* found = nullptr;
    for (std::size_t i = 0; i <= way; ++i) {
      found = layer.work[i] ? &*layer.work[i] : found;
    }
    return *found;
  }

  std::int64_t parameters(std::size_t begin, std::size_t end) const {
    std::int64_t sum = begin > 0 && end == flat_.size() ? chain_.tied_parameters : 0;
    for (std::size_t i = begin; i < end; ++i) {
      sum += flat_[i]->parameters;
    }
    return sum;
  }

  std::int64_t memory(std::size_t begin, std::size_t end, std::size_t way) const {
    const std::int64_t count = parameters(begin, end);
    const auto part = [&](Bytes each, int from_stage) {
      const std::int64_t owners = strategy_.zero >= from_stage ? strategy_.data : 1;
      return (count * each.value() + owners - 1) / owners;
    };
    // The last micro-batch of those in flight has got as far as some layer.
    std::int64_t saved = 0, newest = 0, largest = 0, largest_pair = 0, constants = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::int64_t own = flat_[i]->constants.value();
      saved += work(*flat_[i], way).saved.value();
      newest = std::max(newest, saved + work(*flat_[i], way).transient.value() - own);
      constants += i > begin && flat_[i] == flat_[i - 1] ? 0 : own;
      largest = std::max(largest, flat_[i]->parameters);
      largest_pair =
          std::max(largest_pair, flat_[i]->parameters + (i > begin ? flat_[i - 1]->parameters : 0));
    }
    const auto behind = strategy_.pipeline - static_cast<std::int64_t>(stages_.size());
    const bool keeps_all = strategy_.schedule == plan::PipelineSchedule::kGpipe;
    const std::int64_t in_flight = keeps_all ? microbatches_ : std::min(microbatches_, behind);
    std::int64_t whole = 0;  // weights and gradients that are in parts otherwise
    if (strategy_.data > 1) {
      whole += strategy_.zero == 3 ? largest_pair * problem_.states.weight.value() : 0;
      whole += strategy_.zero >= 2 ? largest * problem_.states.gradient.value() : 0;
    }
    return part(problem_.states.weight, 3) + part(problem_.states.gradient, 2) +
           part(problem_.states.optimizer, 1) + saved * (in_flight - 1) + newest + constants +
           whole + problem_.other.value();
  }

  Bytes gradients(std::int64_t count) const {
    return Bytes(count * problem_.states.reduced.value());
  }
  Bytes weights(std::int64_t count) const { return Bytes(count * problem_.states.weight.value()); }

  Stage stage(std::size_t begin, std::size_t end, std::size_t way) const {
    Stage stage;
    const bool gathers = strategy_.zero == 3 && strategy_.data > 1;
    const bool scatters =
        gathers || (strategy_.zero == 2 && strategy_.data > 1 && microbatches_ > 1);
    for (std::size_t i = begin; i < end; ++i) {
      double forward_s = work(*flat_[i], way).forward.value();
      double backward_s = work(*flat_[i], way).backward.value() +
                          (microbatches_ > 1 ? flat_[i]->accumulation.value() : 0);
      double gather_s = 0, both_s = 0;
      if (gathers) {
        gather_s = both_s = costs_.all_gather(strategy_, weights(flat_[i]->parameters)).value();
      }
      if (scatters) {
        both_s += costs_.reduce_scatter(strategy_, gradients(flat_[i]->parameters)).value();
      }
      // Beside each other: the shorter one hides but for what it slows.
      const double hidden = problem_.overlap ? 1 - problem_.slowed : 0;
      forward_s += gather_s - hidden * std::min(forward_s, gather_s);
      backward_s += both_s - hidden * std::min(backward_s, both_s);
      stage.forward_s += forward_s;
      stage.backward_s += backward_s;
      stage.optimizer_s += flat_[i]->optimizer.value();
    }
    if (strategy_.zero > 0) {
      stage.optimizer_s /= static_cast<double>(strategy_.data);
    }
    if (strategy_.data > 1 && strategy_.zero < 3) {
      const std::int64_t count = parameters(begin, end);
      const auto layers = static_cast<double>(end - begin);
      double reduce_s = 0, gather_s = 0;
      if (strategy_.zero == 0) {
        reduce_s = costs_.all_reduce(strategy_, gradients(count)).value();
      } else {
        reduce_s = costs_.reduce_scatter(strategy_, gradients(count)).value();
        gather_s = costs_.all_gather(strategy_, weights(count)).value();
      }
      if (problem_.overlap) {
        const auto hidden_s = [&](double network_s, double pass_s) {
          return std::min(network_s * (1 - 1 / layers), pass_s);
        };
        stage.exposed_s = gather_s - (1 - problem_.slowed) * hidden_s(gather_s, stage.forward_s);
        stage.exposed_s +=
            scatters ? reduce_s / layers
                     : reduce_s - (1 - problem_.slowed) * hidden_s(reduce_s, stage.backward_s);
      } else {
        stage.exposed_s = (scatters ? 0 : reduce_s) + gather_s;
      }
    }
    return stage;
  }

  double total_s(std::size_t i) const { return stages_[i].forward_s + stages_[i].backward_s; }
  // Stages first .. last forward and back.
  double loop_s(std::size_t first, std::size_t last) const {
    double sum_s = 2 * transfer_s_ * static_cast<double>(last - first);
    for (std::size_t i = first; i <= last; ++i) {
      sum_s += total_s(i);
    }
    return sum_s;
  }
  // The longest way to spend so many passes in loops from stage i to some stage, where only loops
  // over all stages may be long.
  double loops_s(std::size_t i, std::int64_t passes) const {
    constexpr std::size_t kMost = 4;
    const std::size_t last = stages_.size() - 1;
    const std::size_t all = stages_.size() - i;
    double longest_s = 0;
    for (std::size_t end = i; end <= std::min(last, i + kMost - 1); ++end) {
      const auto length = static_cast<std::int64_t>(end - i + 1);
      double sum_s = static_cast<double>(passes / length) * loop_s(i, end);
      if (passes % length > 0) {
        sum_s += loop_s(i, i + static_cast<std::size_t>(passes % length) - 1);
      }
      longest_s = std::max(longest_s, sum_s);
    }
    const auto count = static_cast<std::int64_t>(all);
    if (passes >= count) {
      longest_s = std::max(longest_s, static_cast<double>(passes / count) * loop_s(i, last) +
                                          loops_s(i, passes % count));
    }
    return longest_s;
  }
  // From the first forward of stage 0 to its last backward, through passes of stage i: by way of
  // the last stage in the end, or not.
  double path_s(std::size_t i, bool is_through) const {
    const std::size_t last = stages_.size() - 1;
    const Stage& stage = stages_[i];
    const double outside_s = loop_s(0, i) - total_s(i);
    const double around_s = loop_s(i, last) - total_s(i);
    const std::int64_t ahead = std::min(static_cast<std::int64_t>(last - i), microbatches_ - 1);
    const std::int64_t rest = microbatches_ - 2 - ahead;
    const auto times = [](std::int64_t count, double each_s) {
      return static_cast<double>(count) * each_s;
    };
    const double straight_s = total_s(i) + around_s;
    double inside_s = 0;
    if (is_through) {
      inside_s = straight_s + times(microbatches_ - 1, std::max(stage.forward_s, transfer_s_));
    } else {
      inside_s = std::max(
          straight_s + times(microbatches_ - 1, stage.backward_s),
          times(1 + ahead, total_s(i)) +
              times(microbatches_ - 1 - ahead, std::max(stage.forward_s, stage.backward_s)));
    }
    if (rest >= 0) {
      const double out_s = is_through ? around_s : times(ahead, stage.backward_s);
      inside_s = std::max(inside_s, std::max(around_s, times(ahead, stage.forward_s)) +
                                        2 * total_s(i) + loops_s(i, rest) + out_s);
    }
    return outside_s + inside_s;
  }

  double one_by_one_s() const {
    double ready_s = 0;
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      double behind_s = 0;  // from the end of stage k's last backward to that of stage 0
      for (std::size_t k = 0; k < stages_.size(); ++k) {
        ready_s = std::max(ready_s, path_s(i, true) - behind_s + stages_[k].exposed_s);
        if (k <= i) {
          ready_s = std::max(ready_s, path_s(i, false) - behind_s + stages_[k].exposed_s);
        }
        behind_s += stages_[k].backward_s + transfer_s_;
      }
    }
    return ready_s;
  }

  // The slowest forwards, then the slowest backwards that some stage waits for.
  double all_forwards_first_s() const {
    const double more = static_cast<double>(microbatches_ - 1);
    double forward_s = transfer_s_, ready_s = 0;
    for (const Stage& stage : stages_) {
      forward_s = std::max(forward_s, stage.forward_s);
    }
    for (std::size_t k = 0; k < stages_.size(); ++k) {
      double backward_s = k + 1 < stages_.size() ? transfer_s_ : 0, behind_s = 0;
      for (std::size_t i = 0; i < stages_.size(); ++i) {
        behind_s += i < k ? stages_[i].backward_s + transfer_s_ : 0;
        backward_s = i < k ? backward_s : std::max(backward_s, stages_[i].backward_s);
      }
      ready_s = std::max(ready_s, loop_s(0, stages_.size() - 1) + more * (forward_s + backward_s) -
                                      behind_s + stages_[k].exposed_s);
    }
    return ready_s;
  }

  double iteration_s() const {
    double optimizer_s = 0;
    for (const Stage& stage : stages_) {
      optimizer_s = std::max(optimizer_s, stage.optimizer_s);
    }
    return tie_s_ + optimizer_s +
           (strategy_.schedule == plan::PipelineSchedule::kGpipe ? all_forwards_first_s()
                                                                 : one_by_one_s());
  }

  const place::PlanProblem& problem_;
  place::PlanCosts& costs_;
  const Strategy strategy_;
  const Chain& chain_;
  std::vector<const ChainLayer*> flat_;
  std::vector<std::size_t> ways_;
  std::int64_t microbatches_ = 1;
  double transfer_s_ = 0, tie_s_ = 0;
  std::vector<Stage> stages_;
  double best_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace

std::vector<BruteForcePlan> plans_by_brute_force(const place::PlanProblem& problem,
                                                 place::PlanCosts& costs) {
  std::vector<BruteForcePlan> plans;
  for (const Strategy& strategy : list_strategies(problem, costs)) {
    const double time_s = Cuts(problem, costs, strategy).best_s();
    if (time_s < std::numeric_limits<double>::infinity()) {
      plans.push_back({strategy, time_s});
    }
  }
  std::ranges::stable_sort(plans, {}, &BruteForcePlan::iteration_s);
  return plans;
}

}  // namespace phaze::tests
