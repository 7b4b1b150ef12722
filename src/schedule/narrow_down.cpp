// As long as schedules that are guided by the windows below the best get better, they are the next
// best. Then what is open is halved: there is nothing below its middle, or windows below that guide
// a schedule. Where bound and best still differ, branch and bound (close_in.h) asks first for
// schedules that end at the bound, then for a little more: the tighter the windows, the fewer
// branches it takes.
#include "schedule/narrow_down.h"

#include <algorithm>

#include "schedule/close_in.h"
#include "schedule/guided.h"
#include "schedule/squeeze.h"

namespace phaze::schedule {
namespace {

constexpr Time kFirstStep = 1, kGrowth = 16;

class NarrowDown {
 public:
  NarrowDown(const Piece& piece, const Order& order, const NarrowQuestion& question,
             PieceAnswer& best, const std::function<bool()>& is_cancelled)
      : piece_(piece),
        order_(order),
        question_(question),
        best_(best),
        is_cancelled_(is_cancelled),
        answer_{question.bound, 0} {}

  NarrowAnswer run() {
    halve();
    for (Time step = kFirstStep; !is_done();
         step = step > kNever / kGrowth ? kNever : step * kGrowth) {
      const Time open = best_.makespan - answer_.bound;
      const Time limit = answer_.bound + std::min(step, open);
      const CloseInAnswer found =
          close_in(piece_, order_, question_.widths,
                   {limit, std::max(question_.goal, answer_.bound), question_.most - answer_.work},
                   best_, is_cancelled_);
      answer_.work += found.work;
      if (!found.is_complete) {
        break;
      }
      raise(limit);
    }
    return answer_;
  }

 private:
  bool is_done() const {
    return answer_.bound >= best_.makespan || best_.makespan <= question_.goal ||
           answer_.work >= question_.most || is_cancelled_();
  }
  // Nothing ends before the limit.
  void raise(Time limit) {
    answer_.bound = std::max(answer_.bound, std::min(limit, best_.makespan));
  }

  void halve() {
    Squeezer windows(piece_, order_);
    ++answer_.work;
    if (!windows.run(best_.makespan, question_.widths)) {
      raise(best_.makespan);
      return;
    }
    Time limit = best_.makespan;  // of the windows at hand
    bool is_better = follow(windows);
    Squeezer::Mark mark = windows.mark();
    while (!is_done() && (is_better || limit > answer_.bound + 1)) {
      const Time high = std::min(limit, best_.makespan);
      const Time next = is_better ? best_.makespan : answer_.bound + (high - answer_.bound + 1) / 2;
      windows.go_back(mark);
      ++answer_.work;
      if (!windows.limit_to(next)) {
        raise(next);
        continue;
      }
      mark = windows.mark();
      limit = next;
      is_better = follow(windows) && is_better;
    }
  }
  // Whether a schedule that is guided by the windows is better.
  bool follow(const Squeezer& windows) {
    for (const Guide guide : {Guide::kEager, Guide::kPatient}) {
      PieceAnswer next = guided_schedule(piece_, windows, guide, best_.makespan);
      if (next.makespan < best_.makespan) {
        best_.makespan = next.makespan;
        best_.starts = std::move(next.starts);
        return true;
      }
    }
    return false;
  }

  const Piece& piece_;
  const Order& order_;
  const NarrowQuestion question_;
  PieceAnswer& best_;
  const std::function<bool()>& is_cancelled_;
  NarrowAnswer answer_;
};

}  // namespace

NarrowAnswer narrow_down(const Piece& piece, const Order& order, const NarrowQuestion& question,
                         PieceAnswer& best, const std::function<bool()>& is_cancelled) {
  return NarrowDown(piece, order, question, best, is_cancelled).run();
}

}  // namespace phaze::schedule
