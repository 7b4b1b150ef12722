// Labels over (stages from the end, first layer of them). What stages in front need to know of
// those behind is a Suffix; a suffix that is no better in any of its numbers than another for the
// same layers and number of stages cannot lead to a shorter iteration, since all of the closed form
// grows with each of them. So the labels that are better in some number are kept, all of them, and
// those whose bound is below the limit are extended: exact.
//
// A stage takes the fastest way to recompute that fits: sums, periods and the end of the last
// backward all grow with its time, and what a longer backward hides of the gradients it adds
// itself. Fewer layers in a stage take less memory and less time, so that growing a stage stops at
// the first begin that does not fit or is too long.
#include "place/partition.h"

#include <algorithm>

#include "place/closed_form.h"

namespace phaze::place {

using plan::Recompute;

namespace {

struct Label {
  Suffix suffix;
  std::size_t end = 0;     // of its first stage
  std::size_t parent = 0;  // among the labels of the stages behind
  Recompute recompute = Recompute::kNone;
};

bool is_no_worse(const Suffix& a, const Suffix& b) {
  return a.sum_s <= b.sum_s && a.period_s <= b.period_s &&
         a.backward_period_s <= b.backward_period_s && a.late_s <= b.late_s &&
         a.optimizer_s <= b.optimizer_s;
}

void keep(std::vector<Label>& labels, const Label& label) {
  for (const Label& other : labels) {
    if (is_no_worse(other.suffix, label.suffix)) {
      return;
    }
  }
  std::erase_if(labels,
                [&label](const Label& other) { return is_no_worse(label.suffix, other.suffix); });
  labels.push_back(label);
}

class Partitioner {
 public:
  Partitioner(const StageTable& table, double limit_s)
      : table_(table),
        form_(table),
        length_(table.length()),
        stages_(static_cast<std::size_t>(table.strategy().pipeline)),
        limit_s_(limit_s) {
    const Recompute least = table.offers(Recompute::kNone)        ? Recompute::kNone
                            : table.offers(Recompute::kSelective) ? Recompute::kSelective
                                                                  : Recompute::kFull;
    front_.push_back({0, 0});
    for (std::size_t i = 0; i < length_; ++i) {
      const double layer_s = table.times(i, i + 1, least).total_s();
      front_.push_back({front_.back().sum_s + layer_s, std::max(front_.back().longest_s, layer_s)});
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
    const auto position = static_cast<std::int64_t>(to_end);
    const std::int64_t in_flight = table_.in_flight(position);
    const std::size_t first = in_front == 0 ? 0 : in_front;
    for (std::size_t begin = end; begin-- > first;) {
      const std::optional<Recompute> way = table_.recompute_for(begin, end, in_flight);
      if (!way) {
        return;
      }
      if (in_front == 0 && begin > 0) {
        continue;  // the first stage begins with the first layer
      }
      const StageTimes times = table_.times(begin, end, *way);
      const StageSync sync = table_.sync(table_.parameters(begin, end),
                                         table_.optimizer_s(begin, end), end - begin, times);
      bool is_too_long = true;
      for (std::size_t i = 0; i < behind.size(); ++i) {
        const Suffix suffix = form_.extend(behind[i].suffix, position, times, sync);
        if (bound_s(suffix, begin, in_front) >= limit_s_) {
          continue;
        }
        is_too_long = false;
        keep(labels_[to_end][begin], {suffix, end, i, *way});
      }
      if (is_too_long && times.total_s() * static_cast<double>(table_.microbatches()) > limit_s_) {
        return;
      }
    }
  }

  // Can stages that fit and are not too long reach back to the first layer? Each as long as can be:
  // a stage that ends earlier can begin no later.
  bool is_reachable() const {
    const double rest_s = limit_s_ - form_.bound_s({}, front_[length_].sum_s, 0);
    const auto more = static_cast<double>(table_.microbatches() - 1);
    const bool is_gpipe = table_.strategy().schedule == plan::PipelineSchedule::kGpipe;
    std::size_t end = length_;
    for (std::size_t to_end = 1; to_end <= stages_ && end > 0; ++to_end) {
      const std::int64_t in_flight = table_.in_flight(static_cast<std::int64_t>(to_end));
      const auto is_possible = [&](std::size_t begin) {
        const std::optional<Recompute> way = table_.recompute_for(begin, end, in_flight);
        return way && (is_gpipe || table_.times(begin, end, *way).total_s() * more < rest_s);
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

  double bound_s(const Suffix& suffix, std::size_t begin, std::size_t in_front) const {
    if (in_front == 0) {
      return form_.iteration_s(suffix);
    }
    const Front& front = front_[begin];
    return form_.bound_s(suffix, front.sum_s,
                         std::max(front.longest_s, front.sum_s / static_cast<double>(in_front)));
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
    partition.late_s = found->suffix.late_s;
    std::size_t begin = 0;
    const Label* label = found;
    for (std::size_t to_end = stages_; to_end > 0; --to_end) {
      partition.stages.push_back({{{begin, label->end}}, label->recompute});
      begin = label->end;
      label = &labels_[to_end - 1][label->end][label->parent];
    }
    return partition;
  }

  // Layers before some layer, at the least recomputation.
  struct Front {
    double sum_s, longest_s;
  };

  const StageTable& table_;
  const ClosedForm form_;
  const std::size_t length_, stages_;
  const double limit_s_;
  std::vector<Front> front_;                             // by number of layers
  std::vector<std::vector<std::vector<Label>>> labels_;  // by stages from the end, first layer
};

}  // namespace

std::optional<Partition> solve_partition(const StageTable& table, double limit_s) {
  return Partitioner(table, limit_s).solve();
}

}  // namespace phaze::place
