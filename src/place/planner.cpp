// All strategies, in groups of a tensor width, sequence parallelism and micro-batch. What cannot
// beat the best plans found by its bound (plan_bounds.h) is excluded; docs/models.md, 18.3.
// The likeliest of each group is priced at once, so that there is something to beat; the rest in
// the order of their bounds, of which most then fall.
#include "place/planner.h"

#include <algorithm>
#include <limits>

#include "place/plan_bounds.h"
#include "place/price.h"
#include "place/strategy_space.h"

namespace phaze::place {

using plan::Axis;
using plan::AxisOrder;
using plan::PipelineSchedule;
using plan::Strategy;
using plan::TrainingPlan;

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// What is the same for a tensor width, sequence parallelism and micro-batch.
struct Group {
  ChainBound innermost, elsewhere;  // by the place of the tensor group
  Body body;
  std::int64_t length, ways;
  std::int64_t parameters;  // of all layers, on one device
  bool has_room;            // for each layer by itself
};

struct Candidate {
  double bound_s;
  Strategy strategy;
  std::int64_t ways;
};

class Planner {
 public:
  Planner(const PlanProblem& problem, PlanCosts& costs, const PlannerOptions& options)
      : problem_(problem), costs_(costs), options_(options) {}

  PlannerAnswer solve() {
    const std::vector<std::int64_t> widths = costs_.tensor_widths();
    for (auto width = widths.rbegin(); width != widths.rend(); ++width) {
      if (!allows(problem_.limits.tensor, *width) || *width > problem_.devices) {
        continue;
      }
      for (const bool sequence_parallel : {false, true}) {
        const bool is_asked =
            *width == 1 || allows(problem_.limits.sequence_parallel, sequence_parallel);
        if (is_asked && (*width > 1 || !sequence_parallel)) {
          add_groups(*width, sequence_parallel);
        }
      }
    }
    if (answer_.is_complete) {
      price_candidates();
    }
    finish();
    return std::move(answer_);
  }

 private:
  void add_groups(std::int64_t width, bool sequence_parallel) {
    for (const std::int64_t microbatch : divisors(problem_.global_batch)) {
      if (!allows(problem_.limits.microbatch, microbatch)) {
        continue;
      }
      // Of groups that are not listed nothing is known, and so of no bound.
      answer_.is_complete = answer_.is_complete && !is_cancelled(0);
      Strategy strategy;
      strategy.tensor = width;
      strategy.sequence_parallel = sequence_parallel;
      strategy.microbatch = microbatch;
      if (!answer_.is_complete || !add_group(strategy)) {
        return;  // larger ones take more
      }
    }
  }

  bool is_cancelled(std::int64_t done) const {
    return options_.is_cancelled && options_.is_cancelled(done, Seconds(limit_s()));
  }

  // False when one layer alone is too large.
  bool add_group(const Strategy& strategy) {
    const std::optional<Strategy> placed = find_placed(strategy);
    const plan::Chain* chain = placed ? costs_.chain(*placed) : nullptr;
    if (chain == nullptr) {
      return true;
    }
    const bool has_room = !options_.use_memory || can_hold_a_layer(*chain);
    const bool is_innermost = plan::stride_of(*placed, Axis::kTensor) == 1;
    const Group group{bound_of(*chain, is_innermost),
                      bound_of(*chain, false),
                      body_of(*chain),
                      chain->length(),
                      count_ways(problem_.limits, *chain),
                      parameters_of(*chain),
                      has_room};
    const std::size_t first = candidates_.size();
    list_group(strategy, group);
    const auto likeliest = std::min_element(
        candidates_.begin() + static_cast<std::ptrdiff_t>(first), candidates_.end(),
        [](const Candidate& a, const Candidate& b) { return a.bound_s < b.bound_s; });
    if (likeliest != candidates_.end() && options_.use_bounds && options_.keep == 1) {
      const Candidate candidate = *likeliest;
      candidates_.erase(likeliest);
      price_candidate(candidate);
    }
    return has_room;
  }

  // A strategy of the group that has a place: the tensor group by itself, or with others inside it.
  std::optional<Strategy> find_placed(Strategy strategy) {
    if (costs_.has_place(strategy)) {
      return strategy;
    }
    for (const std::int64_t data : divisors(problem_.global_batch / strategy.microbatch)) {
      strategy.data = data;
      const std::int64_t most = problem_.devices / (strategy.tensor * data);
      for (strategy.pipeline = 1; strategy.pipeline <= most; ++strategy.pipeline) {
        for (const AxisOrder& order : orders_of(problem_.limits, strategy)) {
          strategy.order = order;
          if (costs_.has_place(strategy)) {
            return strategy;
          }
        }
      }
    }
    return std::nullopt;
  }

  bool can_hold_a_layer(const plan::Chain& chain) const {
    for (const plan::ChainLayer& layer : chain.layers) {
      Bytes least = layer.work[0]->saved + layer.work[0]->transient;
      for (const auto& work : layer.work) {
        least = work ? std::min(least, work->saved + work->transient) : least;
      }
      if (least + problem_.other > problem_.capacity) {
        return false;
      }
    }
    return true;
  }

  void list_group(Strategy strategy, const Group& group) {
    for (const std::int64_t data : divisors(problem_.global_batch / strategy.microbatch)) {
      if (!allows(problem_.limits.data, data) || strategy.tensor * data > problem_.devices) {
        continue;
      }
      strategy.data = data;
      const std::int64_t most = std::min(group.length, problem_.devices / (strategy.tensor * data));
      const std::int64_t per_replica = problem_.global_batch / (data * strategy.microbatch);
      const auto microbatches = static_cast<double>(per_replica);
      for (std::int64_t stages = 1; stages <= most; ++stages) {
        strategy.pipeline = stages;
        // All micro-batches pass the longest stage, whatever else is chosen.
        const bool is_of_use =
            options_.below_s == kNoLimit ||
            microbatches * group.elsewhere.longest_s(static_cast<double>(stages)) < limit_s();
        if (is_of_use && allows(problem_.limits.pipeline, stages)) {
          list_orders(strategy, group);
        }
      }
    }
  }

  void list_orders(Strategy strategy, const Group& group) {
    for (const AxisOrder& order : orders_of(problem_.limits, strategy)) {
      strategy.order = order;
      if (costs_.has_place(strategy)) {
        list_schedules(strategy, group);
      } else {
        ++answer_.unplaced;
      }
    }
  }

  void list_schedules(Strategy strategy, const Group& group) {
    const bool is_innermost = plan::stride_of(strategy, Axis::kTensor) == 1;
    const ChainBound& bound = is_innermost ? group.innermost : group.elsewhere;
    const std::int64_t microbatches = problem_.global_batch / (strategy.data * strategy.microbatch);
    const double longest_s = bound.longest_s(static_cast<double>(strategy.pipeline));
    for (const int zero : zeros_of(problem_.limits, strategy.data)) {
      strategy.zero = zero;
      const bool has_room = !options_.use_memory ||
                            (group.has_room && least_bytes(problem_, group.parameters, strategy) <=
                                                   problem_.capacity);
      for (const PipelineSchedule schedule : schedules_of(problem_.limits, strategy.pipeline)) {
        strategy.schedule = schedule;
        for (const std::int64_t chunks :
             chunks_of(problem_.limits, strategy, group.body, group.length, microbatches)) {
          strategy.interleave = chunks;
          answer_.strategies += group.ways;
          const double time_s = least_s(bound, strategy, longest_s, microbatches);
          if (!has_room || (options_.use_bounds && time_s >= limit_s())) {
            answer_.excluded += group.ways;
          } else {
            candidates_.push_back({time_s, strategy, group.ways});
          }
        }
      }
    }
  }

  void price_candidates() {
    std::stable_sort(candidates_.begin(), candidates_.end(),
                     [](const Candidate& a, const Candidate& b) { return a.bound_s < b.bound_s; });
    std::int64_t done = 0;
    for (const Candidate& candidate : candidates_) {
      if (options_.use_bounds && candidate.bound_s >= limit_s()) {
        answer_.excluded += candidate.ways;
        continue;
      }
      if (is_cancelled(done)) {
        answer_.is_complete = false;
        answer_.bound = Seconds(candidate.bound_s);
        break;
      }
      price_candidate(candidate);
      ++done;
    }
  }

  void price_candidate(const Candidate& candidate) {
    answer_.priced += candidate.ways;
    const plan::Chain* chain = costs_.chain(candidate.strategy);
    if (chain == nullptr) {
      return;
    }
    const StageTable table(problem_, costs_, candidate.strategy, *chain);
    const double below_s = options_.use_limits ? limit_s() : kNoLimit;
    const std::optional<Partition> partition =
        candidate.strategy.schedule == PipelineSchedule::kInterleaved
            ? cut_interleaved(table, below_s)
            : solve_partition(table, below_s, options_.partition);
    if (partition && partition->iteration_s < limit_s()) {
      keep(price(problem_, table, *partition));
    }
  }

  // Plans that take longer are of no use.
  double limit_s() const {
    return answer_.plans.size() < options_.keep
               ? options_.below_s
               : std::min(options_.below_s, answer_.plans.back().iteration.value());
  }

  void keep(TrainingPlan plan) {
    const auto place = std::upper_bound(
        answer_.plans.begin(), answer_.plans.end(), plan,
        [](const TrainingPlan& a, const TrainingPlan& b) { return a.iteration < b.iteration; });
    answer_.plans.insert(place, std::move(plan));
    if (answer_.plans.size() > options_.keep) {
      answer_.plans.pop_back();
    }
  }

  void finish() {
    if (!answer_.plans.empty()) {
      const Seconds best = answer_.plans.front().iteration;
      answer_.bound = answer_.is_complete ? best : std::min(answer_.bound, best);
    }
  }

  const PlanProblem& problem_;
  PlanCosts& costs_;
  const PlannerOptions& options_;
  std::vector<Candidate> candidates_;
  PlannerAnswer answer_;
};

}  // namespace

PlannerAnswer solve_plan(const PlanProblem& problem, PlanCosts& costs,
                         const PlannerOptions& options) {
  return Planner(problem, costs, options).solve();
}

}  // namespace phaze::place
