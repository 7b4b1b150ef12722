// With a value x a candidate has the objectives x / price. A known point is as good in all of them
// when x is at most the least of its objectives times the candidate's prices; the largest such
// value over all known points is what the candidate must exceed. Candidates whose bound does not
// are left out. The highest bounds of each objective go first, in turn.
#include "search/front.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace phaze::search {
namespace {

constexpr std::size_t kBatch = 16;

bool is_as_good(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), std::greater_equal<>());
}

class Search {
 public:
  explicit Search(const FrontProblem& problem) : problem_(problem) {}

  FrontAnswer run(const std::function<bool(std::size_t)>& is_cancelled) {
    for (const std::vector<std::size_t>& batch : batches()) {
      if (is_cancelled && is_cancelled(answer_.evaluated + answer_.excluded)) {
        answer_.is_complete = false;
        break;
      }
      evaluate(batch);
    }
    for (const auto& [candidate, most] : unproved_) {
      answer_.open += most > threshold(candidate) ? 1 : 0;
    }
    std::ranges::stable_sort(answer_.points, [](const FrontPoint& a, const FrontPoint& b) {
      return a.objectives.front() > b.objectives.front();
    });
    return std::move(answer_);
  }

 private:
  // All candidates, the highest bounds of each objective in turn.
  std::vector<std::vector<std::size_t>> batches() {
    const std::size_t count = problem_.prices.size();
    bounds_.resize(count);
    tbb::parallel_for(std::size_t{0}, count,
                      [&](std::size_t i) { bounds_[i] = problem_.bound(i); });
    const std::size_t objectives = count > 0 ? problem_.prices.front().size() : 0;
    std::vector<std::vector<std::size_t>> orders(objectives, std::vector<std::size_t>(count));
    for (std::size_t k = 0; k < objectives; ++k) {
      std::iota(orders[k].begin(), orders[k].end(), 0);
      std::ranges::stable_sort(orders[k], [&](std::size_t a, std::size_t b) {
        return bounds_[a] / problem_.prices[a][k] > bounds_[b] / problem_.prices[b][k];
      });
    }
    std::vector<bool> is_taken(count, false);
    std::vector<std::vector<std::size_t>> all;
    for (std::size_t at = 0; at < count; ++at) {
      for (const std::vector<std::size_t>& order : orders) {
        if (!is_taken[order[at]]) {
          is_taken[order[at]] = true;
          if (all.empty() || all.back().size() == kBatch) {
            all.emplace_back();
          }
          all.back().push_back(order[at]);
        }
      }
    }
    return all;
  }

  // With a value up to this a known point is as good in every objective.
  double threshold(std::size_t candidate) const {
    double most = 0;
    for (const FrontPoint& point : answer_.points) {
      double least = std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < point.objectives.size(); ++k) {
        least = std::min(least, point.objectives[k] * problem_.prices[candidate][k]);
      }
      most = std::max(most, least);
    }
    return most;
  }

  void evaluate(const std::vector<std::size_t>& batch) {
    constexpr double kSafe = 1 - 1e-12;  // products of quotients are not exact
    std::vector<std::size_t> open;
    std::vector<double> enough;
    for (const std::size_t candidate : batch) {
      const double least = threshold(candidate) * kSafe;
      if (bounds_[candidate] < least || bounds_[candidate] <= 0) {
        ++answer_.excluded;
      } else {
        open.push_back(candidate);
        enough.push_back(least);
      }
    }
    std::vector<Worth> worths(open.size());
    tbb::parallel_for(std::size_t{0}, open.size(),
                      [&](std::size_t i) { worths[i] = problem_.evaluate(open[i], enough[i]); });
    for (std::size_t i = 0; i < open.size(); ++i) {
      ++(worths[i].is_exact ? answer_.evaluated : answer_.excluded);
      if (worths[i].is_exact && worths[i].value > 0) {
        add(open[i], worths[i].value);
        if (worths[i].most > worths[i].value) {
          unproved_.emplace_back(open[i], worths[i].most);
        }
      }
    }
  }

  void add(std::size_t candidate, double value) {
    FrontPoint point{candidate, value, {}};
    for (const double price : problem_.prices[candidate]) {
      point.objectives.push_back(value / price);
    }
    const bool is_beaten = std::ranges::any_of(answer_.points, [&](const FrontPoint& other) {
      return is_as_good(other.objectives, point.objectives);
    });
    if (!is_beaten) {
      std::erase_if(answer_.points, [&](const FrontPoint& other) {
        return is_as_good(point.objectives, other.objectives);
      });
      answer_.points.push_back(std::move(point));
    }
  }

  const FrontProblem& problem_;
  std::vector<double> bounds_;
  std::vector<std::pair<std::size_t, double>> unproved_;  // candidates, and the most they could be
  FrontAnswer answer_;
};

}  // namespace

FrontAnswer find_front(const FrontProblem& problem,
                       const std::function<bool(std::size_t settled)>& is_cancelled) {
  return Search(problem).run(is_cancelled);
}

}  // namespace phaze::search
