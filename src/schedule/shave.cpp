#include "schedule/shave.h"

namespace phaze::schedule {
namespace {

constexpr int kRounds = 3;

class Shaver {
 public:
  Shaver(const Piece& piece, Time limit, RateFinder& finder, Bounds& bounds, Part& part)
      : piece_(piece), limit_(limit), finder_(finder), bounds_(bounds), part_(part) {}

  int run() {
    set_bounds();
    for (bool is_less = true; is_less && round_ < kRounds && bounds_.root() < limit_; ++round_) {
      is_less = false;
      for (std::size_t i = 0; i < piece_.tasks.size(); ++i) {
        is_less = leave_out(i, part_.widths.wide) || leave_out(i, part_.widths.one) || is_less;
      }
      set_bounds();
    }
    return tried_;
  }

 private:
  void set_bounds() {
    bounds_.limit_to(limit_, part_);
    bounds_.rate(finder_, kMostRateSteps);
    if (bounds_.root() < limit_) {
      part_.widths = bounds_.widths();
    }
  }

  // Whether the task cannot have this width.
  bool leave_out(std::size_t task, Mask& width) {
    if ((part_.widths.one & part_.widths.wide & bit(task)) == 0) {
      return false;  // there is no other
    }
    Mask& other = &width == &part_.widths.one ? part_.widths.wide : part_.widths.one;
    other &= ~bit(task);
    ++tried_;
    bounds_.limit_to(limit_, part_);
    const bool is_out = bounds_.reaches_limit(finder_, kMostRateSteps);
    other |= bit(task);
    width &= is_out ? ~bit(task) : ~Mask{0};
    return is_out;
  }

  const Piece& piece_;
  const Time limit_;
  RateFinder& finder_;
  Bounds& bounds_;
  Part& part_;
  int round_ = 0, tried_ = 0;
};

}  // namespace

int shave(const Piece& piece, Time limit, RateFinder& finder, Bounds& bounds, Part& part) {
  return Shaver(piece, limit, finder, bounds, part).run();
}

}  // namespace phaze::schedule
