// All strategies, in groups of a tensor width, sequence parallelism and micro-batch. What cannot
// beat the best plans found by its bound (plan_bounds.h) is excluded; docs/models.md, 18.3.
// The likeliest of each group is priced at once, so that there is something to beat; the rest in
// the order of their bounds, of which most then fall.
#include "place/planner.h"

#include <algorithm>
#include <limits>

#include "place/plan_bounds.h"
#include "place/price.h"

namespace phaze::place {

using plan::Axis;
using plan::AxisOrder;
using plan::PipelineSchedule;
using plan::Recompute;
using plan::Strategy;
using plan::TrainingPlan;

namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

template <class T>
bool allows(const std::vector<T>& values, const T& value) {
  return values.empty() || std::find(values.begin(), values.end(), value) != values.end();
}

std::vector<std::int64_t> divisors(std::int64_t n) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 1; i * i <= n; ++i) {
    if (n % i == 0) {
      all.push_back(i);
      if (i != n / i) {
        all.push_back(n / i);
      }
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

// Orders that differ for these widths: axes of one device come last, as they are numbered.
std::vector<AxisOrder> orders_of(const Strategy& strategy, const PlanLimits& limits) {
  std::vector<AxisOrder> orders;
  AxisOrder order = {Axis::kTensor, Axis::kData, Axis::kPipeline};
  const auto size = [&strategy](Axis axis) {
    return axis == Axis::kTensor ? strategy.tensor
           : axis == Axis::kData ? strategy.data
                                 : strategy.pipeline;
  };
  const auto is_canonical = [&](const AxisOrder& o) {
    for (std::size_t i = 0; i + 1 < o.size(); ++i) {
      if (size(o[i]) == 1 && (size(o[i + 1]) > 1 || o[i + 1] < o[i])) {
        return false;
      }
    }
    return true;
  };
  do {
    const bool is_asked = limits.order.empty() ? is_canonical(order)
                                               : std::find(limits.order.begin(), limits.order.end(),
                                                           order) != limits.order.end();
    if (is_asked) {
      orders.push_back(order);
    }
  } while (std::next_permutation(order.begin(), order.end()));
  return orders;
}

// What is the same for a tensor width, sequence parallelism and micro-batch.
struct Group {
  const plan::Chain* chain;  // with the tensor group innermost, where that has a place
  ChainBound innermost, elsewhere;
  std::int64_t body, length, ways;
  std::int64_t parameters;  // of all layers, on one device
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
    std::vector<std::int64_t> widths;
    for (const std::int64_t width : costs_.tensor_widths()) {
      if (allows(problem_.limits.tensor, width) && width <= problem_.devices) {
        widths.push_back(width);
      }
    }
    for (auto width = widths.rbegin(); width != widths.rend(); ++width) {
      for (const bool sequence_parallel : {false, true}) {
        if (sequence_parallel && *width == 1) {
          continue;
        }
        if (!allows(problem_.limits.sequence_parallel, sequence_parallel) && *width > 1) {
          continue;
        }
        for (const std::int64_t microbatch : divisors(problem_.global_batch)) {
          if (allows(problem_.limits.microbatch, microbatch)) {
            Strategy strategy;
            strategy.tensor = *width;
            strategy.sequence_parallel = sequence_parallel;
            strategy.microbatch = microbatch;
            if (!add_group(strategy)) {
              break;  // larger ones take more
            }
          }
        }
      }
    }
    price_candidates();
    finish();
    return std::move(answer_);
  }

 private:
  // False when one layer alone is too large.
  bool add_group(const Strategy& strategy) {
    const std::optional<Strategy> placed = find_placed(strategy);
    const plan::Chain* chain = placed ? costs_.chain(*placed) : nullptr;
    if (chain == nullptr) {
      return true;
    }
    if (!can_hold_a_layer(*chain)) {
      return false;
    }
    const bool is_innermost = plan::stride_of(*placed, Axis::kTensor) == 1;
    const Group group{chain,
                      bound_of(*chain, is_innermost),
                      bound_of(*chain, false),
                      body_of(*chain).length(),
                      chain->length(),
                      recompute_ways(*chain),
                      parameters_of(*chain)};
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
    return true;
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
        for (const AxisOrder& order : orders_of(strategy, problem_.limits)) {
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
      const auto microbatches =
          static_cast<double>(problem_.global_batch / (data * strategy.microbatch));
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
    for (const AxisOrder& order : orders_of(strategy, problem_.limits)) {
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
    for (int zero = 0; zero <= 3; ++zero) {
      if (!allows(problem_.limits.zero, std::int64_t{zero}) || (zero > 0 && strategy.data == 1)) {
        continue;
      }
      strategy.zero = zero;
      const bool has_room = least_bytes(problem_, group.parameters, strategy) <= problem_.capacity;
      for (const PipelineSchedule schedule : schedules_of(strategy)) {
        strategy.schedule = schedule;
        const bool is_interleaved = schedule == PipelineSchedule::kInterleaved;
        if (is_interleaved && microbatches % strategy.pipeline != 0) {
          continue;
        }
        const std::int64_t most = is_interleaved ? group.body / strategy.pipeline : 1;
        for (std::int64_t chunks = is_interleaved ? 2 : 1; chunks <= most; ++chunks) {
          if (!allows(problem_.limits.interleave, chunks) ||
              (is_interleaved && group.body % (strategy.pipeline * chunks) != 0)) {
            continue;
          }
          strategy.interleave = chunks;
          answer_.strategies += group.ways;
          const double time_s = least_s(bound, strategy, longest_s, microbatches);
          if ((options_.use_memory && !has_room) || (options_.use_bounds && time_s >= limit_s())) {
            answer_.excluded += group.ways;
          } else {
            candidates_.push_back({time_s, strategy, group.ways});
          }
        }
      }
    }
  }

  std::vector<PipelineSchedule> schedules_of(const Strategy& strategy) const {
    std::vector<PipelineSchedule> all;
    for (const PipelineSchedule schedule :
         {PipelineSchedule::k1F1B, PipelineSchedule::kGpipe, PipelineSchedule::kInterleaved}) {
      // One stage is the same in all of them.
      const bool is_asked = allows(problem_.limits.schedule, schedule);
      const bool differs = schedule == PipelineSchedule::k1F1B || strategy.pipeline > 1 ||
                           !problem_.limits.schedule.empty();
      const bool is_possible = schedule != PipelineSchedule::kInterleaved || strategy.pipeline > 1;
      if (is_asked && differs && is_possible) {
        all.push_back(schedule);
      }
    }
    return all;
  }

  std::int64_t recompute_ways(const plan::Chain& chain) const {
    std::int64_t ways = 0;
    for (std::size_t r = 0; r < plan::kRecomputes; ++r) {
      const bool exists =
          r == 0 || std::any_of(chain.layers.begin(), chain.layers.end(),
                                [r](const auto& layer) { return layer.work[r].has_value(); });
      ways += exists && allows(problem_.limits.recompute, static_cast<Recompute>(r)) ? 1 : 0;
    }
    return ways;
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
      if (options_.is_cancelled && options_.is_cancelled(done, Seconds(limit_s()))) {
        answer_.is_complete = false;
        answer_.bound = Seconds(std::min(candidate.bound_s, limit_s()));
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
    if (answer_.is_complete && !answer_.plans.empty()) {
      answer_.bound = answer_.plans.front().iteration;
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

std::optional<TrainingPlan> price_strategy(const PlanProblem& problem, PlanCosts& costs,
                                           const Strategy& strategy) {
  const plan::Chain* chain = costs.has_place(strategy) ? costs.chain(strategy) : nullptr;
  if (chain == nullptr || strategy.pipeline > chain->length()) {
    return std::nullopt;
  }
  const bool is_interleaved = strategy.schedule == PipelineSchedule::kInterleaved;
  const auto solve = [&](const PlanProblem& asked) -> std::optional<TrainingPlan> {
    const StageTable table(asked, costs, strategy, *chain);
    const auto partition =
        is_interleaved ? cut_interleaved(table, kNoLimit) : solve_partition(table, kNoLimit);
    return partition ? std::optional(price(problem, table, *partition)) : std::nullopt;
  };
  if (const auto plan = solve(problem)) {
    return plan;
  }
  PlanProblem boundless = problem;
  boundless.capacity = Bytes(std::numeric_limits<std::int64_t>::max());
  for (const Recompute way : {Recompute::kFull, Recompute::kSelective, Recompute::kNone}) {
    if (allows(problem.limits.recompute, way)) {
      boundless.limits.recompute = {way};
      if (const auto plan = solve(boundless)) {
        return plan;
      }
    }
  }
  return std::nullopt;
}

}  // namespace phaze::place
