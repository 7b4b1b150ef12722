#include "schedule/shave.h"

namespace phaze::schedule {
namespace {

constexpr int kRounds = 3;

class Shaver {
 public:
  Shaver(const Piece& piece, Time limit, std::int64_t most, RateFinder& finder, Bounds& bounds,
         Part& part)
      : piece_(piece), limit_(limit), most_(most), finder_(finder), bounds_(bounds), part_(part) {}

  std::int64_t run(const std::function<bool()>& is_cancelled) {
    set_bounds();
    bool goes_on = true;  // something was left out, and nobody said stop
    for (int round = 0; goes_on && round < kRounds && bounds_.root() < limit_; ++round) {
      bool is_less = false, is_over = false;
      for (std::size_t i = 0; i < piece_.tasks.size() && !is_over; ++i) {
        is_less = try_without(i, true) || try_without(i, false) || is_less;
        is_over = tried_ >= most_ || is_cancelled();
      }
      set_bounds();
      goes_on = is_less && !is_over;
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

  // Leaves a width of a task out, if no schedule has the task in this one; whether it did.
  bool try_without(std::size_t task, bool wide) {
    if ((part_.widths.one & part_.widths.wide & bit(task)) == 0) {
      return false;  // there is no other
    }
    Part only = part_;
    (wide ? only.widths.one : only.widths.wide) &= ~bit(task);
    ++tried_;
    bounds_.limit_to(limit_, only);
    if (!bounds_.reaches_limit(finder_, kMostRateSteps)) {
      return false;
    }
    (wide ? part_.widths.wide : part_.widths.one) &= ~bit(task);
    return true;
  }

  const Piece& piece_;
  const Time limit_;
  const std::int64_t most_;
  RateFinder& finder_;
  Bounds& bounds_;
  Part& part_;
  std::int64_t tried_ = 0;
};

}  // namespace

std::int64_t shave(const Piece& piece, Time limit, std::int64_t most, RateFinder& finder,
                   Bounds& bounds, Part& part, const std::function<bool()>& is_cancelled) {
  return Shaver(piece, limit, most, finder, bounds, part).run(is_cancelled);
}

}  // namespace phaze::schedule
