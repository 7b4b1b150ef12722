// Labels over (stages from the end, first layer of them). What stages in front need to know of
// those behind is a Suffix and its runs of stages; one that is no better in any of its numbers than
// another for the same layers and number of stages cannot lead to a shorter iteration, since all of
// the closed form grows with each of them. So the labels that are better in some number are kept,
// all of them, and those whose bound is below the limit are extended: exact.
//
// Runs are many numbers, and seldom matter. So the best cut is sought without them first, under a
// form that is never longer; where the time of that cut with them is the same, it is the best.
// Otherwise all labels are made again, with runs, and with that time as the limit.
//
// A stage takes each way to recompute that fits, but for those that another one is no slower than
// in either pass: every path that a longer pass shortens at its end (what it hides of gradients and
// weights) has that pass in it. Fewer layers in a stage take less memory and less time, so that
// growing a stage stops at the first begin that does not fit or is too long.
#include "place/partition.h"

#include <algorithm>
#include <functional>
#include <limits>

#include "place/closed_form.h"

namespace phaze::place {

using plan::Recompute;

namespace {

struct Label {
  Suffix suffix;
  std::size_t end = 0;     // of its first stage
  std::size_t parent = 0;  // among the labels of the stages behind
  Recompute recompute = Recompute::kNone;
  std::vector<double> runs{};  // where they are asked for
};

// Equal layers in another order have sums that differ in their last digits: without this share,
// which is far below that of any answer, all orders would be kept.
constexpr double kRounding = 1e-13;

bool is_no_worse(const Label& a, const Label& b) {
  const Suffix& x = a.suffix;
  const Suffix& y = b.suffix;
  const double slack_s = kRounding * (y.sum_s + y.end_s);
  const auto is_least = [slack_s](double one, double other) { return one <= other + slack_s; };
  return is_least(x.sum_s, y.sum_s) && is_least(x.end_s, y.end_s) &&
         is_least(x.ready_s, y.ready_s) && is_least(x.late_s, y.late_s) &&
         is_least(x.optimizer_s, y.optimizer_s) &&
         is_least(x.forward_period_s, y.forward_period_s) &&
         is_least(x.backward_period_s, y.backward_period_s) &&
         std::ranges::equal(a.runs, b.runs, is_least);
}

void keep(std::vector<Label>& labels, Label label) {
  for (const Label& other : labels) {
    if (is_no_worse(other, label)) {
      return;
    }
  }
  std::erase_if(labels, [&label](const Label& other) { return is_no_worse(label, other); });
  labels.push_back(std::move(label));
}

class Partitioner {
 public:
  Partitioner(const StageTable& table, double limit_s, bool has_runs, bool drops_dominated)
      : table_(table),
        form_(table),
        has_runs_(has_runs),
        drops_dominated_(drops_dominated),
        length_(table.length()),
        stages_(static_cast<std::size_t>(table.strategy().pipeline)),
        limit_s_(limit_s) {
    front_.resize(1);
    for (std::size_t i = 0; i < length_; ++i) {
      double forward_s = std::numeric_limits<double>::infinity(), total_s = forward_s;
      for (const Recompute way : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
        if (table.offers(way)) {
          const StageTimes layer = table.times(i, i + 1, way);
          forward_s = std::min(forward_s, layer.forward_s);
          total_s = std::min(total_s, layer.total_s());
        }
      }
      Front front = front_.back();
      front.sum_s += total_s;
      front.forward_s += forward_s;
      front.longest_s = std::max(front.longest_s, total_s);
      front_.push_back(front);
    }
  }

  std::optional<Partition> solve() {
    if (stages_ > length_ || !is_reachable()) {
      return std::nullopt;
    }
    labels_.assign(stages_ + 1, std::vector<std::vector<Label>>(length_ + 1));
    labels_[0][length_].push_back({});
    for (std::size_t to_end = 1; to_end <= stages_; ++to_end) {
      const std::size_t in_front = stages_ - to_end;  // each takes a layer at least
      for (std::size_t end = length_ - (to_end - 1); end > in_front; --end) {
        extend(to_end, end, in_front);
      }
    }
    return best();
  }

 private:
  void extend(std::size_t to_end, std::size_t end, std::size_t in_front) {
    const std::vector<Label>& behind = labels_[to_end - 1][end];
    if (behind.empty()) {
      return;
    }
    const std::int64_t in_flight = table_.in_flight(static_cast<std::int64_t>(to_end));
    const std::size_t first = in_front == 0 ? 0 : in_front;
    for (std::size_t begin = end; begin-- > first;) {
      const Ways ways = table_.ways_for(begin, end, in_flight);
      if (ways.empty()) {
        return;
      }
      if (in_front == 0 && begin > 0) {
        continue;  // the first stage begins with the first layer
      }
      bool is_too_long = true;
      for (const Recompute way : ways) {
        const bool is_added = add_labels(to_end, begin, end, way);
        is_too_long = is_too_long && !is_added;
      }
      if (is_too_long &&
          shortest_s(begin, end, ways) * static_cast<double>(table_.microbatches()) > limit_s_) {
        return;
      }
    }
  }

  // Layers begin .. end - 1 in front of all labels behind; false when all are too long.
  bool add_labels(std::size_t to_end, std::size_t begin, std::size_t end, Recompute way) {
    const auto position = static_cast<std::int64_t>(to_end);
    const std::size_t in_front = stages_ - to_end;
    const std::vector<Label>& behind = labels_[to_end - 1][end];
    const StageTimes times = table_.times(begin, end, way);
    const StageSync sync = table_.sync(table_.parameters(begin, end),
                                       table_.optimizer_s(begin, end), end - begin, times);
    bool is_added = false;
    for (std::size_t i = 0; i < behind.size(); ++i) {
      Label label{form_.extend_less(behind[i].suffix, position, times, sync), end, i, way};
      if (bound_s(label.suffix, begin, in_front) >= limit_s_) {
        continue;
      }
      if (has_runs_) {
        label.suffix = form_.extend(behind[i].suffix, behind[i].runs, position, times, sync);
        if (bound_s(label.suffix, begin, in_front) >= limit_s_) {
          continue;
        }
        label.runs = form_.extend_runs(behind[i].runs, times);
      }
      is_added = true;
      if (drops_dominated_) {
        keep(labels_[to_end][begin], std::move(label));
      } else {
        labels_[to_end][begin].push_back(std::move(label));
      }
    }
    return is_added;
  }

  // Of both passes, in the fastest way.
  double shortest_s(std::size_t begin, std::size_t end, const Ways& ways) const {
    double shortest_s = std::numeric_limits<double>::infinity();
    for (const Recompute way : ways) {
      shortest_s = std::min(shortest_s, table_.times(begin, end, way).total_s());
    }
    return shortest_s;
  }

  // Can stages that fit and are not too long reach back to the first layer? Each as long as can be:
  // a stage that ends earlier can begin no later.
  bool is_reachable() const {
    const Front all = front_of(length_, stages_);
    const bool is_gpipe = table_.strategy().schedule == plan::PipelineSchedule::kGpipe;
    std::size_t end = length_;
    for (std::size_t to_end = 1; to_end <= stages_ && end > 0; ++to_end) {
      const std::int64_t in_flight = table_.in_flight(static_cast<std::int64_t>(to_end));
      const auto is_possible = [&](std::size_t begin) {
        const Ways ways = table_.ways_for(begin, end, in_flight);
        if (ways.empty() || is_gpipe) {
          return !ways.empty();
        }
        Front with = all;
        with.longest_s = std::max(all.longest_s, shortest_s(begin, end, ways));
        return form_.bound_s({}, with) < limit_s_;
      };
      std::size_t good = end, bad = 0;  // the least begin that is possible is in between
      if (is_possible(0)) {
        good = 0;
      }
      while (good > bad + 1) {
        const std::size_t middle = (good + bad) / 2;
        (is_possible(middle) ? good : bad) = middle;
      }
      if (good == end) {
        return false;
      }
      end = good;
    }
    return end == 0;
  }

  // Layers before `begin` as so many stages.
  Front front_of(std::size_t begin, std::size_t in_front) const {
    Front front = front_[begin];
    front.stages = static_cast<std::int64_t>(in_front);
    front.longest_s = std::max(front.longest_s, front.sum_s / static_cast<double>(in_front));
    return front;
  }
  double bound_s(const Suffix& suffix, std::size_t begin, std::size_t in_front) const {
    return in_front == 0 ? form_.iteration_s(suffix)
                         : form_.bound_s(suffix, front_of(begin, in_front));
  }

  std::optional<Partition> best() const {
    const Label* found = nullptr;
    double found_s = limit_s_;
    for (const Label& label : labels_[stages_][0]) {
      const double time_s = form_.iteration_s(label.suffix);
      if (time_s < found_s) {
        found = &label;
        found_s = time_s;
      }
    }
    if (found == nullptr) {
      return std::nullopt;
    }
    Partition partition;
    partition.iteration_s = found_s;
    partition.late_s = form_.late_s(found->suffix) + table_.tie_s();
    std::size_t begin = 0;
    const Label* label = found;
    for (std::size_t to_end = stages_; to_end > 0; --to_end) {
      partition.stages.push_back({{{begin, label->end}}, label->recompute});
      begin = label->end;
      label = &labels_[to_end - 1][label->end][label->parent];
    }
    return partition;
  }

  const StageTable& table_;
  const ClosedForm form_;
  const bool has_runs_, drops_dominated_;
  const std::size_t length_, stages_;
  const double limit_s_;
  std::vector<Front> front_;  // by number of layers, with the least recomputation
  std::vector<std::vector<std::vector<Label>>> labels_;  // by stages from the end, first layer
};

}  // namespace

std::optional<Partition> solve_partition(const StageTable& table, double limit_s,
                                         const PartitionRules& rules) {
  const auto solve = [&](double below_s, bool has_runs) {
    return Partitioner(table, below_s, has_runs, rules.drops_dominated).solve();
  };
  if (!rules.is_first_without_runs) {
    return solve(limit_s, true);
  }
  std::optional<Partition> without_runs = solve(limit_s, false);
  if (!without_runs) {
    return std::nullopt;
  }
  Partition found = evaluate(table, std::move(without_runs->stages));
  if (found.iteration_s > without_runs->iteration_s) {
    if (auto better = solve(std::min(limit_s, found.iteration_s), true)) {
      return better;
    }
  }
  return found.iteration_s < limit_s ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace phaze::place
