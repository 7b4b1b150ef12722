#include "support/pipeline_formula.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace phaze::tests {
namespace {

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Of one micro-batch through all stages and back.
double fill_and_drain(const PipelineShape& shape) {
  return sum(shape.forward) + sum(shape.backward) +
         2 * shape.transfer * static_cast<double>(shape.forward.size() - 1);
}

// docs/models.md, 19.4. Names are those of the text there.
class Paths {
 public:
  explicit Paths(const PipelineShape& shape)
      : p_(static_cast<std::int64_t>(shape.forward.size())),
        v_(shape.chunks),
        n_(shape.microbatches * shape.chunks),
        groups_(static_cast<double>(shape.microbatches) / static_cast<double>(p_)),
        c_(p_ > 1 ? shape.transfer : 0),
        before_(1, 0) {
    const auto chunks = static_cast<double>(v_);
    for (std::size_t i = 0; i < shape.forward.size(); ++i) {
      f_.push_back(shape.forward[i] / chunks);
      b_.push_back(shape.backward[i] / chunks);
      before_.push_back(before_.back() + f_.back() + b_.back());
    }
    for (std::int64_t k = 0; k < p_; ++k) {
      const std::int64_t ahead = stride() * (p_ - 1 - k) + (v_ - 1) * p_;
      w_.push_back(real(std::min(ahead, n_ - 1)));
      up_.push_back(ramp(k, f_));
      down_.push_back(ramp(k, b_));
    }
    for (std::int64_t i = 0; i < p_; ++i) {
      turn_up_.push_back(turn(i, up_));
      turn_down_.push_back(turn(i, down_));
    }
  }

  double longest() const {
    // All transfers of one link, one after another.
    double best = loop(0, p_ - 1) + real(n_ - 1) * c_;
    for (std::int64_t i = 0; i < p_; ++i) {
      best = std::max({best, without_loops(i), by_wraps(i)});
      for (std::int64_t j = i; j < p_; ++j) {
        best = std::max(best, by_loops(i, j));
      }
    }
    return best;
  }

 private:
  static std::size_t index(std::int64_t i) { return static_cast<std::size_t>(i); }
  static double real(std::int64_t i) { return static_cast<double>(i); }
  std::int64_t stride() const { return v_ > 1 ? 2 : 1; }

  // Forward from stage i to j and back.
  double loop(std::int64_t i, std::int64_t j) const {
    return before_[index(j + 1)] - before_[index(i)] + 2 * c_ * real(j - i);
  }
  // To stage i and back from it.
  double ends(std::int64_t i) const { return before_[index(i)] + 2 * c_ * real(i); }
  // What passes or transfers of one kind take one after another, on the way to stage k.
  double slowest(const std::vector<double>& lengths, std::int64_t k) const {
    const double most = *std::max_element(lengths.begin(), lengths.begin() + k + 1);
    return k > 0 ? std::max(most, c_) : most;
  }
  // The longest way through the w_k passes of one kind before stage k turns: at one stage, or with
  // sweeps over all of them, which take p passes each.
  double ramp(std::int64_t k, const std::vector<double>& lengths) const {
    const double passes = w_[index(k)];
    double longest = passes * slowest(lengths, k);
    const auto most = std::min(v_ - 1, static_cast<std::int64_t>(passes) / p_);
    for (const std::int64_t sweeps : {std::int64_t{1}, most}) {
      if (sweeps >= 1 && sweeps <= most) {
        longest = std::max(longest, real(sweeps) * (sum(lengths) + real(p_) * c_) +
                                        (passes - real(sweeps * p_)) * slowest(lengths, p_ - 1));
      }
    }
    return longest;
  }
  // From stage i to one that turns, and back.
  double turn(std::int64_t i, const std::vector<double>& ramps) const {
    double longest = 0;
    for (std::int64_t k = i; k < p_; ++k) {
      longest = std::max(longest, ramps[index(k)] + loop(i, k) - loop(i, i));
    }
    return longest;
  }

  // Forwards, then backwards, turning at stage k once.
  double without_loops(std::int64_t k) const {
    return loop(0, k) + up_[index(k)] + down_[index(k)] +
           (real(n_ - 1) - w_[index(k)]) * std::max(slowest(f_, k), slowest(b_, k));
  }

  // Round and round between stages i and j; 0: there are too few micro-batches for it.
  double by_loops(std::int64_t i, std::int64_t j) const {
    const double rest = real(n_ - 2) - w_[index(i)];
    if (rest < 0) {
      return 0;
    }
    const double shift = real(stride() * (j - i) + 1);
    double time = ends(i) + turn_up_[index(j)] + turn_down_[index(j)] + 2 * loop(i, j);
    if (v_ > 1) {
      const double sweep = std::max(sum(f_), sum(b_)) + real(p_) * c_;
      const double longer = sweep - real(p_) * loop(i, j) / shift;
      return time + loop(i, j) * rest / shift +
             (groups_ - 1) * real(v_ - 1) * std::max(0.0, longer);
    }
    // Whole loops, and a shorter one for what is left.
    const double whole = std::floor(rest / shift);
    const auto left = static_cast<std::int64_t>(rest - whole * shift);
    time += loop(i, j) * whole;
    return left > 0 ? time + std::max(loop(i, i + left - 1), loop(j - left + 1, j)) : time;
  }

  // Passes of one kind of the stages before i, with their transfers.
  double way(const std::vector<double>& lengths, std::int64_t i) const {
    return std::accumulate(lengths.begin(), lengths.begin() + i, 0.0) + c_ * real(i);
  }
  // To the last stage, p turns there, on to the first stage with the next chunk, and to stage i.
  double around(const std::vector<double>& lengths, std::int64_t i) const {
    return way(lengths, p_) + real(p_) * loop(p_ - 1, p_ - 1) + way(lengths, i);
  }

  // At stage i, which the path reaches from the last stage by the way from one chunk to the next,
  // or leaves so, or both.
  double by_wraps(std::int64_t i) const {
    if (v_ == 1 || groups_ < 2) {
      return 0;
    }
    // Ways in, and, with backwards in place of forwards, ways out; and the passes they are ahead
    // by.
    const double far = real((v_ + 1) * p_);
    const double near = w_[index(i)];
    const double far_in = around(f_, i) + up_.back();
    const double far_out = around(b_, i) + down_.back();
    const double near_in = way(f_, i) + turn_up_[index(i)];
    const double near_out = way(b_, i) + turn_down_[index(i)];
    const double passes = real(n_) + near;
    const double load = loop(i, i);
    double best = 0;
    if (passes > 2 * far) {
      best = far_in + far_out + load * (passes - 2 * far);
    }
    if (passes > far + near) {
      const double rest = load * (passes - far - near);
      best = std::max({best, far_in + near_out + rest, near_in + far_out + rest});
    }
    return best;
  }

  std::int64_t p_, v_, n_;
  double groups_;
  double c_;
  std::vector<double> f_, b_;
  std::vector<double> before_;  // forward and backward of the stages before
  std::vector<double> w_;       // forwards of a stage before its first turn
  std::vector<double> up_, down_;
  std::vector<double> turn_up_, turn_down_;
};

}  // namespace

double formula_without_transfer_limit(const PipelineShape& shape) {
  double period = 0;
  for (std::size_t i = 0; i < shape.forward.size(); ++i) {
    period = std::max(period, shape.forward[i] + shape.backward[i]);
  }
  return fill_and_drain(shape) + static_cast<double>(shape.microbatches - 1) * period;
}

double formula_with_period(const PipelineShape& shape) {
  const std::size_t stages = shape.forward.size();
  double period = 0;
  for (std::size_t i = 0; i < stages; ++i) {
    double load = 0;
    for (std::size_t j = i; j < stages; ++j) {
      load += shape.forward[j] + shape.backward[j];
      const double transfers = 2 * shape.transfer * static_cast<double>(j - i);
      period = std::max(period, (load + transfers) / static_cast<double>(j - i + 1));
    }
  }
  return fill_and_drain(shape) + static_cast<double>(shape.microbatches - 1) * period;
}

double formula_of_paths(const PipelineShape& shape) {
  if (shape.is_gpipe) {
    const double limit = shape.forward.size() > 1 ? shape.transfer : 0;
    const double forward = std::max(limit, *std::ranges::max_element(shape.forward));
    const double backward = std::max(limit, *std::ranges::max_element(shape.backward));
    return fill_and_drain(shape) +
           static_cast<double>(shape.microbatches - 1) * (forward + backward);
  }
  return Paths(shape).longest();
}

}  // namespace phaze::tests
