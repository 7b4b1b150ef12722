// Sets are kept in the order of their bounds. The highest ones, a fixed number at a time, are
// looked at: a set whose top is not bounded closely yet gets that, others are cut in two along an
// axis, and a single point is evaluated. It ends when the highest bound is below the best value. A
// batch does not depend on how many threads work on it.
//
// Where to cut: of the first set of a group (the same positions on axes that do not grow) the tops
// with one axis lowered are bounded too, for every axis and position. These slabs bound all points
// of the group, and their logarithms add up to a guess of what a cut leaves open on both sides.
#include "search/set_search.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <unordered_set>

#include "base/check.h"

namespace phaze::search {

std::vector<std::int64_t> Grid::positions(std::int64_t index) const {
  std::vector<std::int64_t> positions(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0;) {
    positions[i] = index % sizes[i];
    index /= sizes[i];
  }
  return positions;
}

std::int64_t Grid::index_of(const std::vector<std::int64_t>& positions) const {
  std::int64_t index = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    index = index * sizes[i] + positions[i];
  }
  return index;
}

namespace {

constexpr std::size_t kBatch = 16;

using Position = std::uint16_t;
using Positions = std::vector<Position>;

// Tops of a group with one axis lowered, by axis and position: bounds of all that is no higher.
struct Slabs {
  std::vector<std::vector<double>> bounds;  // amounts
};

struct Node {
  std::size_t begin = 0, end = 0;
  Positions top;
  double price = 1;  // the least of its points
  double bound = 0;  // of values
  bool is_close = false;
  std::size_t group = 0;

  std::size_t size() const { return end - begin; }
};

// Higher bounds first; of equal ones the points that come first.
struct IsLater {
  bool operator()(const Node& a, const Node& b) const {
    return a.bound != b.bound ? a.bound < b.bound : a.begin > b.begin;
  }
};

class Search {
 public:
  Search(SetSearchProblem problem, const SetSearchOptions& options)
      : problem_(std::move(problem)), options_(options), axes_(problem_.grid.sizes.size()) {
    const std::size_t count = problem_.points.size();
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0U);
    positions_.resize(count * axes_);
    tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
      const auto all = problem_.grid.positions(problem_.points[i]);
      for (std::size_t a = 0; a < axes_; ++a) {
        positions_[i * axes_ + a] = static_cast<Position>(all[a]);
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
  Position at(std::uint32_t point, std::size_t axis) const {
    return positions_[point * axes_ + axis];
  }
  double price_of(std::uint32_t point) const {
    return problem_.prices.empty() ? 1 : problem_.prices[point];
  }
  double best_value() const { return answer_.best ? answer_.outcomes[*answer_.best].value : 0; }
  bool is_of_use(const Node& node) const {
    return !options_.use_bounds || node.bound > best_value() ||
           (options_.looks_at_ties && node.bound == best_value());
  }
  std::int64_t settled() const {
    auto count = static_cast<std::int64_t>(order_.size());
    for (const Node& node : open_) {
      if (is_of_use(node)) {
        count -= static_cast<std::int64_t>(node.size());
      }
    }
    return count;
  }

  std::int64_t index_of(const Positions& positions) const {
    return problem_.grid.index_of({positions.begin(), positions.end()});
  }

  Node make_node(std::size_t begin, std::size_t end, double bound, std::size_t group) const {
    Node node{begin, end,  Positions(axes_, 0), std::numeric_limits<double>::infinity(), bound,
              false, group};
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t a = 0; a < axes_; ++a) {
        node.top[a] = std::max(node.top[a], at(order_[i], a));
      }
      node.price = std::min(node.price, price_of(order_[i]));
    }
    node.bound = std::min(node.bound, problem_.bound(index_of(node.top)) / node.price);
    if (group < slabs_.size() && slabs_[group]) {
      node.bound = std::min(node.bound, slab_bound(*slabs_[group], node.top) / node.price);
    }
    return node;
  }

  double slab_bound(const Slabs& slabs, const Positions& top) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < axes_; ++a) {
      if (top[a] < slabs.bounds[a].size()) {
        least = std::min(least, slabs.bounds[a][top[a]]);
      }
    }
    return least;
  }

  void push(Node node) {
    open_.push_back(std::move(node));
    std::push_heap(open_.begin(), open_.end(), IsLater());
  }
  Node pop() {
    std::pop_heap(open_.begin(), open_.end(), IsLater());
    Node node = std::move(open_.back());
    open_.pop_back();
    return node;
  }

  // Points that are the same on axes that do not grow; single ones without bounds.
  void add_groups() {
    const auto key = [&](std::uint32_t point) {
      std::vector<Position> fixed;
      for (std::size_t a = 0; a < axes_; ++a) {
        if (!problem_.grid.grows[a]) {
          fixed.push_back(at(point, a));
        }
      }
      return fixed;
    };
    std::map<std::vector<Position>, std::vector<std::uint32_t>> groups;
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
        push(make_node(begin, end, kNone, group));
        continue;
      }
      for (std::size_t i = begin; i < end; ++i) {
        push(make_node(i, i + 1, kNone, group));
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

  // The point of a set that is likely to be worth most.
  std::uint32_t likeliest(const Node& node) const {
    const Slabs& slabs = *slabs_[node.group];
    double least = std::numeric_limits<double>::infinity();
    std::uint32_t found = order_[node.begin];
    for (std::size_t i = node.begin; i < node.end; ++i) {
      double below = std::log(price_of(order_[i]));
      for (std::size_t a = 0; a < axes_; ++a) {
        const double bound = slabs.bounds[a][at(order_[i], a)];
        below -= bound > 0 ? std::log(bound) : -kMost;
      }
      if (below < least) {
        least = below;
        found = order_[i];
      }
    }
    return found;
  }

  void run_batch() {
    std::vector<Node> batch;
    while (!open_.empty() && batch.size() < kBatch && is_of_use(open_.front())) {
      batch.push_back(pop());
    }
    if (batch.front().size() > 1 && slabs_[batch.front().group]) {
      try_point(likeliest(batch.front()));
    }
    const double best = best_value();
    std::vector<std::optional<PointOutcome>> outcomes(batch.size());
    tbb::parallel_for(std::size_t{0}, batch.size(), [&](std::size_t i) {
      Node& node = batch[i];
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
      Node& node = batch[i];
      if (outcomes[i] && !outcomes[i]->is_exact && outcomes[i]->most < best_value()) {
        answer_.excluded.push_back({index_of(node.top), outcomes[i]->most, node.begin, node.end});
      } else if (outcomes[i]) {
        take(*std::move(outcomes[i]));
      } else if (node.size() == 1) {
        continue;  // looked at before
      } else if (!node.is_close) {
        node.is_close = true;
        ++answer_.tops;
        push(std::move(node));
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
    const auto is_better = [](const PointOutcome& a, const PointOutcome& b) {
      return a.value != b.value ? a.value > b.value
             : a.rank != b.rank ? a.rank < b.rank
                                : a.index < b.index;
    };
    if (!answer_.best || is_better(added, answer_.outcomes[*answer_.best])) {
      answer_.best = answer_.outcomes.size() - 1;
    }
  }

  // Of the set's group, each axis lowered to each position that its points have.
  void add_slabs(const Node& node) {
    Slabs slabs;
    slabs.bounds.resize(axes_);
    struct Slab {
      std::size_t axis, position;
    };
    std::vector<Slab> all;
    for (std::size_t a = 0; a < axes_; ++a) {
      const std::size_t positions = problem_.grid.grows[a] ? node.top[a] : 0;
      slabs.bounds[a].assign(positions + 1, node.bound * node.price);
      for (std::size_t p = 0; p < positions; ++p) {
        all.push_back({a, p});
      }
    }
    const double enough = best_value() * node.price;
    tbb::parallel_for(std::size_t{0}, all.size(), [&](std::size_t i) {
      Positions top = node.top;
      top[all[i].axis] = static_cast<Position>(all[i].position);
      slabs.bounds[all[i].axis][all[i].position] = problem_.most(index_of(top), enough);
    });
    answer_.tops += static_cast<std::int64_t>(all.size());
    slabs_[node.group] = std::move(slabs);
  }

  // The set in two parts along the axis and position that promise most.
  struct Cut {
    std::size_t axis = 0;
    Position last = 0;  // of the lower part
  };

  void cut(const Node& node) {
    if (!slabs_[node.group]) {
      add_slabs(node);
    }
    const Cut found = find_cut(node);
    const auto middle = std::stable_partition(
        order_.begin() + static_cast<std::ptrdiff_t>(node.begin),
        order_.begin() + static_cast<std::ptrdiff_t>(node.end),
        [&](std::uint32_t point) { return at(point, found.axis) <= found.last; });
    const auto between = static_cast<std::size_t>(middle - order_.begin());
    for (const auto& [begin, end] :
         {std::pair(node.begin, between), std::pair(between, node.end)}) {
      Node part = make_node(begin, end, node.bound, node.group);
      part.is_close = part.top == node.top && part.price >= node.price;
      push(std::move(part));
    }
  }

  // Tops of both parts for every cut, by the tops of points at each position.
  Cut find_cut(const Node& node) const {
    const Slabs& slabs = *slabs_[node.group];
    const double enough = best_value() * node.price;
    Cut best;
    double best_score = -std::numeric_limits<double>::infinity();
    for (std::size_t a = 0; a < axes_; ++a) {
      std::vector<Positions> tops(node.top[a] + std::size_t{1});
      std::vector<std::size_t> counts(tops.size(), 0);
      for (std::size_t i = node.begin; i < node.end; ++i) {
        const std::uint32_t point = order_[i];
        const Position p = at(point, a);
        ++counts[p];
        if (tops[p].empty()) {
          tops[p].assign(axes_, 0);
        }
        for (std::size_t b = 0; b < axes_; ++b) {
          tops[p][b] = std::max(tops[p][b], at(point, b));
        }
      }
      const auto join = [](Positions x, const Positions& y) {
        for (std::size_t b = 0; b < std::min(x.size(), y.size()); ++b) {
          x[b] = std::max(x[b], y[b]);
        }
        return x.empty() ? y : x;
      };
      std::vector<Positions> from(tops.size() + 1);  // of a position and above
      for (std::size_t p = tops.size(); p-- > 0;) {
        from[p] = join(from[p + 1], tops[p]);
      }
      Positions up_to;
      std::size_t below = 0;
      for (std::size_t p = 0; p + 1 < tops.size(); ++p) {
        up_to = join(up_to, tops[p]);
        below += counts[p];
        if (up_to.empty() || from[p + 1].empty()) {
          continue;
        }
        const double low = drop(slabs, node.top, up_to, enough);
        const double high = drop(slabs, node.top, from[p + 1], enough);
        const double share = static_cast<double>(below) / static_cast<double>(node.size());
        const double score = std::min(low, high) +
                             kLittle * (std::min(low, kMost) + std::min(high, kMost)) +
                             kLeast * std::min(share, 1 - share);
        if (score > best_score) {
          best_score = score;
          best = {a, static_cast<Position>(p)};
        }
      }
    }
    CHECK(best_score > -std::numeric_limits<double>::infinity(), "two points differ somewhere");
    return best;
  }

  static constexpr double kMost = 10, kLittle = 0.05, kLeast = 1e-6;

  // By how much the bound is likely to fall from one top to another, as a logarithm.
  double drop(const Slabs& slabs, const Positions& from, const Positions& to, double enough) const {
    double sum = 0;
    for (std::size_t a = 0; a < axes_; ++a) {
      if (to[a] < from[a]) {
        const double lower = slabs.bounds[a][to[a]];
        if (lower < enough || lower <= 0) {
          return kMost;  // it is out at once
        }
        sum += std::max(0.0, std::log(slabs.bounds[a][from[a]] / lower));
      }
    }
    return std::min(sum, kMost);
  }

  void finish() {
    answer_.bound = std::max(answer_.bound, best_value());
    for (const PointOutcome& outcome : answer_.outcomes) {
      answer_.bound = std::max(answer_.bound, outcome.most);
    }
    std::vector<Node> left;
    while (!open_.empty()) {
      left.push_back(pop());
    }
    for (const Node& node : left) {
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
  std::vector<Position> positions_;  // of points, axis by axis
  std::vector<std::optional<Slabs>> slabs_;
  std::vector<Node> open_;                               // a heap
  std::unordered_set<std::uint32_t> looked_at_, tried_;  // before their turn; exactly, or not
  SetSearchAnswer answer_;
};

}  // namespace

SetSearchAnswer set_search(SetSearchProblem problem, const SetSearchOptions& options) {
  return Search(std::move(problem), options).run();
}

}  // namespace phaze::search
