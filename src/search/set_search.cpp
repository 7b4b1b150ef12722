// Sets are kept in the order of their bounds. The highest ones, a fixed number at a time, are
// looked at: a set whose top is not bounded closely yet gets that, others are cut in two along an
// axis, and a single point is evaluated. It ends when the highest bound is below the best value. A
// batch does not depend on how many threads work on it.
// Where to cut: set_cuts.h.
#include "search/set_search.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <unordered_set>

#include "search/set_cuts.h"
#include "search/set_nodes.h"

namespace phaze::search {

namespace {

constexpr std::size_t kBatch = 16;

class Search {
 public:
  Search(SetSearchProblem problem, const SetSearchOptions& options)
      : problem_(std::move(problem)), options_(options), axes_(problem_.grid.sizes.size()) {
    const std::size_t count = problem_.points.size();
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0U);
    points_.axes = axes_;
    points_.positions.resize(count * axes_);
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
      const auto all = problem_.grid.positions(problem_.points[i]);
      for (std::size_t a = 0; a < axes_; ++a) {
        points_.positions[i * axes_ + a] = static_cast<SetPosition>(all[a]);
      }
    });
  }

  SetSearchAnswer run() {
    add_groups();
    if (options_.use_bounds) {
      try_samples();
    }
    while (!open_.empty() && is_of_use(open_.front())) {
      if (options_.is_cancelled &&
          options_.is_cancelled(settled(), best_value(), open_.front().bound)) {
        answer_.is_complete = false;
        answer_.bound = open_.front().bound;
        break;
      }
      run_batch();
    }
    finish();
    return std::move(answer_);
  }

 private:
  double price_of(std::uint32_t point) const {
    return problem_.prices.empty() ? 1 : problem_.prices[point];
  }
  double best_value() const { return answer_.best ? answer_.outcomes[*answer_.best].value : 0; }
  bool is_of_use(const SetNode& node) const {
    return !options_.use_bounds || node.bound > best_value() ||
           (options_.looks_at_ties && node.bound == best_value());
  }
  std::int64_t settled() const {
    auto count = static_cast<std::int64_t>(order_.size());
    for (const SetNode& node : open_.nodes()) {
      if (is_of_use(node)) {
        count -= static_cast<std::int64_t>(node.size());
      }
    }
    return count;
  }

  std::int64_t index_of(const SetPositions& positions) const {
    return problem_.grid.index_of({positions.begin(), positions.end()});
  }

  SetNode make_node(std::size_t begin, std::size_t end, double bound, std::size_t group) const {
    SetNode node{
        begin, end,  SetPositions(axes_, 0), std::numeric_limits<double>::infinity(), bound,
        false, group};
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t a = 0; a < axes_; ++a) {
        node.top[a] = std::max(node.top[a], points_.at(order_[i], a));
      }
      node.price = std::min(node.price, price_of(order_[i]));
    }
    node.bound = std::min(node.bound, problem_.bound(index_of(node.top)) / node.price);
    if (group < slabs_.size() && slabs_[group]) {
      node.bound = std::min(node.bound, slab_bound(*slabs_[group], node.top) / node.price);
    }
    return node;
  }

  // Points that are the same on axes that do not grow; single ones without bounds.
  void add_groups() {
    const auto key = [&](std::uint32_t point) {
      SetPositions fixed;
      for (std::size_t a = 0; a < axes_; ++a) {
        if (!problem_.grid.grows[a]) {
          fixed.push_back(points_.at(point, a));
        }
      }
      return fixed;
    };
    std::map<SetPositions, std::vector<std::uint32_t>> groups;
    for (const std::uint32_t point : order_) {
      groups[key(point)].push_back(point);
    }
    order_.clear();
    std::vector<std::pair<std::size_t, std::size_t>> spans;
    for (const auto& [fixed, points] : groups) {
      spans.emplace_back(order_.size(), order_.size() + points.size());
      order_.insert(order_.end(), points.begin(), points.end());
    }
    slabs_.resize(spans.size());
    constexpr double kNone = std::numeric_limits<double>::infinity();
    for (std::size_t group = 0; group < spans.size(); ++group) {
      const auto [begin, end] = spans[group];
      if (options_.use_bounds) {
        open_.push(make_node(begin, end, kNone, group));
        continue;
      }
      for (std::size_t i = begin; i < end; ++i) {
        open_.push(make_node(i, i + 1, kNone, group));
      }
    }
  }

  // Something to beat: of points from all over the list those with the highest bounds.
  void try_samples() {
    constexpr std::size_t kTried = 4;
    std::vector<std::uint32_t> samples;
    const std::size_t count = std::min(options_.samples, order_.size());
    for (std::size_t i = 0; i < count; ++i) {
      samples.push_back(order_[i * order_.size() / count]);
    }
    std::vector<double> bounds(samples.size());
    tbb::parallel_for(std::size_t{0}, samples.size(), [&](std::size_t i) {
      bounds[i] =
          problem_.most(problem_.points[samples[i]], std::numeric_limits<double>::infinity()) /
          price_of(samples[i]);
    });
    std::vector<std::size_t> best(samples.size());
    std::iota(best.begin(), best.end(), std::size_t{0});
    std::ranges::stable_sort(best, std::greater(), [&](std::size_t i) { return bounds[i]; });
    for (std::size_t i = 0; i < std::min(kTried, best.size()); ++i) {
      try_point(samples[best[i]]);
    }
  }

  void try_point(std::uint32_t point) {
    if (tried_.insert(point).second) {
      PointOutcome outcome = look_at(point, best_value());
      if (outcome.is_exact) {
        looked_at_.insert(point);
        take(std::move(outcome));
      }
    }
  }

  std::span<const std::uint32_t> points_of(const SetNode& node) const {
    return std::span(order_).subspan(node.begin, node.size());
  }

  void run_batch() {
    std::vector<SetNode> batch;
    while (!open_.empty() && batch.size() < kBatch && is_of_use(open_.front())) {
      batch.push_back(open_.pop());
    }
    if (batch.front().size() > 1 && slabs_[batch.front().group]) {
      const SetNode& first = batch.front();
      try_point(likeliest_point(points_, points_of(first), *slabs_[first.group],
                                [this](std::uint32_t point) { return price_of(point); }));
    }
    const double best = best_value();
    std::vector<std::optional<PointOutcome>> outcomes(batch.size());
    tbb::parallel_for(std::size_t{0}, batch.size(), [&](std::size_t i) {
      SetNode& node = batch[i];
      if (node.size() == 1) {
        if (!looked_at_.contains(order_[node.begin])) {
          outcomes[i] = look_at(order_[node.begin], options_.use_bounds ? best : 0);
        }
      } else if (!node.is_close) {
        node.bound =
            std::min(node.bound, problem_.most(index_of(node.top), best * node.price) / node.price);
      }
    });
    for (std::size_t i = 0; i < batch.size(); ++i) {
      SetNode& node = batch[i];
      if (outcomes[i] && !outcomes[i]->is_exact && outcomes[i]->most < best_value()) {
        answer_.excluded.push_back({index_of(node.top), outcomes[i]->most, node.begin, node.end});
      } else if (outcomes[i]) {
        take(*std::move(outcomes[i]));
      } else if (node.size() == 1) {
        continue;  // looked at before
      } else if (!node.is_close) {
        node.is_close = true;
        ++answer_.tops;
        open_.push(std::move(node));
      } else {
        cut(node);
      }
    }
  }

  PointOutcome look_at(std::uint32_t point, double enough) const {
    const std::int64_t index = problem_.points[point];
    const Worth worth = problem_.evaluate(index, enough);
    return {index, worth.value, worth.is_exact, std::max(worth.value, worth.most), worth.rank};
  }

  void take(PointOutcome outcome) {
    answer_.outcomes.push_back(std::move(outcome));
    const PointOutcome& added = answer_.outcomes.back();
    if (!added.is_exact || added.value <= 0) {
      return;
    }
    if (!answer_.best || is_better(added, answer_.outcomes[*answer_.best])) {
      answer_.best = answer_.outcomes.size() - 1;
    }
  }

  void add_slabs(const SetNode& node) {
    slabs_[node.group] = bound_slabs(
        node.top, problem_.grid.grows, node.bound * node.price, [&](const SetPositions& top) {
          return problem_.most(index_of(top), best_value() * node.price);
        });
    for (const std::vector<double>& positions : slabs_[node.group]->bounds) {
      answer_.tops += static_cast<std::int64_t>(positions.size()) - 1;
    }
  }

  void cut(const SetNode& node) {
    if (!slabs_[node.group]) {
      add_slabs(node);
    }
    const SetCut found = find_cut(points_, points_of(node), node.top, *slabs_[node.group],
                                  best_value() * node.price);
    const auto middle = std::stable_partition(
        order_.begin() + static_cast<std::ptrdiff_t>(node.begin),
        order_.begin() + static_cast<std::ptrdiff_t>(node.end),
        [&](std::uint32_t point) { return points_.at(point, found.axis) <= found.last; });
    const auto between = static_cast<std::size_t>(middle - order_.begin());
    for (const auto& [begin, end] :
         {std::pair(node.begin, between), std::pair(between, node.end)}) {
      SetNode part = make_node(begin, end, node.bound, node.group);
      part.is_close = part.top == node.top && part.price >= node.price;
      open_.push(std::move(part));
    }
  }

  void finish() {
    answer_.bound = std::max(answer_.bound, best_value());
    for (const PointOutcome& outcome : answer_.outcomes) {
      answer_.bound = std::max(answer_.bound, outcome.most);
    }
    while (!open_.empty()) {
      const SetNode node = open_.pop();
      answer_.excluded.push_back({index_of(node.top), node.bound, node.begin, node.end});
    }
    for (const ExcludedSet& set : answer_.excluded) {
      answer_.bound = std::max(answer_.bound, set.bound);
    }
    answer_.order.reserve(order_.size());
    for (const std::uint32_t point : order_) {
      answer_.order.push_back(problem_.points[point]);
    }
  }

  SetSearchProblem problem_;
  const SetSearchOptions& options_;
  const std::size_t axes_;
  std::vector<std::uint32_t> order_;
  SetPoints points_;
  std::vector<std::optional<Slabs>> slabs_;
  SetQueue open_;
  std::unordered_set<std::uint32_t> looked_at_, tried_;  // before their turn; exactly, or not
  SetSearchAnswer answer_;
};

}  // namespace

SetSearchAnswer set_search(SetSearchProblem problem, const SetSearchOptions& options) {
  return Search(std::move(problem), options).run();
}

}  // namespace phaze::search
