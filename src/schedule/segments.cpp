// A schedule is a sequence of wide tasks, which run alone, and of segments: stretches of time in
// which tasks run on one core each. A task on one core with nothing beside it counts as alone too.
// Of all orders one is enough, in which a task that runs alone comes as late as it can: right
// before the first segment that has one of its successors, or after all segments. So a schedule is
// told by its segments, and its end is
//   the lengths of all segments + the durations of all tasks that are in none, each run alone.
//
// A state is a downset of tasks that are done and what is running. It is made by adding a task to
// the segment at hand, in the order of starts. What the task waits for and is not done then runs
// alone before the segment, which moves by as much: possible as long as none of it waits for a task
// of the segment. States are gone on from in the order of the number of tasks done. One leads to an
// optimum if some way to go on from it does; of these ways count those with the fewest tasks in
// segments, then with the earliest starts.
//
// What is left out, and what leads as far in its place:
// - A segment that takes as long as its tasks alone (end_segment): these tasks alone, from the
//   state before the segment on, with no more tasks in segments to come.
// - A segment that ends, or a task that starts, when another that waits for nothing could have run
//   and ended before (may_end, must_wait): the other one there. If it ran alone, all would have
//   ended earlier; if it is in a later segment, it can move. A task that starts is not left out
//   where the other may still run alone before this segment, with something that waits for it.
// - A task that could have started before the last one did (earliest_unshifted): the state to which
//   it was added before that one. With the last one added too, it has the same tasks done, the same
//   last start and that task no later.
// - Of twins all but the first (segment_tasks.h): the same with both in the other's place.
// - A state that has every core and result no earlier than another with the same tasks done
//   (segment_states.h): that one, which can be followed by whatever follows the first, also where a
//   segment was begun at another time or is worth less: if it is worth nothing, see above.
// - A state whose bound is too high: the values of tasks, which no moment earns faster than time
//   passes (rates.h); what runs, and the longest way behind it; the end of the segment, and all
//   that is left and has to run alone; whole tasks on cores, where no width is open
//   (segment_room.h), and in the segment at hand (segment_waste.h).
// No circle: on the way to an optimum a state has more tasks in segments to come than the next one,
// or as many if it is in a segment and the next one is not, and what takes a state's place has no
// more than it; where that was shifted, its tasks start earlier.
#include "schedule/segments.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "base/check.h"
#include "base/rng.h"
#include "schedule/segment_packing.h"
#include "schedule/segment_room.h"
#include "schedule/segment_states.h"
#include "schedule/segment_tasks.h"
#include "schedule/segment_waste.h"

namespace phaze::schedule {
namespace {

using State = SegmentState;
using Running = SegmentStates::Running;

// About 200 MB of states, and as much of what runs in them.
constexpr std::size_t kMostStates = 1'000'000, kMostRunning = 12'000'000;
constexpr std::size_t kStatesBetweenCalls = std::size_t{1} << 12;  // that are made
constexpr std::int64_t kTriesForState = 16;  // and comparisons, take no longer
constexpr std::int64_t kWorkOfPacking = 20'000;
// A search that has done this part of its work and is not half through the tasks will not end in
// time.
constexpr std::int64_t kPartOfWork = 8;

class Segments {
 public:
  Segments(const Piece& piece, const Bounds& bounds, const SegmentsQuestion& question)
      : piece_(piece),
        order_(bounds.intervals()),
        rates_(bounds.rates()),
        question_(question),
        tasks_(find_segment_tasks(piece, order_, bounds.widths(), question.twins)),
        room_(piece, tasks_),
        waste_(piece, order_, tasks_, rates_),
        packer_(piece, order_, tasks_),
        states_(piece, order_, question.dominance),
        best_(question.limit) {
    for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
      tails_.push_back(bounds.tail(i));
    }
    if (rates_.value.empty()) {  // none were found
      rates_.value = rates_.one = std::vector<double>(piece.tasks.size(), 0);
    }
  }

  SegmentsAnswer run(PieceAnswer& best, const std::function<bool()>& is_cancelled) {
    State root;
    root.values_left = root.bound = rates_.sum;
    states_.add(root);
    end_with(root, 0);
    for (std::size_t done = 0; done <= piece_.tasks.size(); ++done) {
      std::vector<std::size_t>& all = states_.with(done);
      cut_to_beam(all);
      // More of them are added on the way: segments that end here.
      for (std::size_t k = 0; k < all.size(); ++k) {
        if (states_[all[k]].is_dead || is_hopeless(states_[all[k]].bound)) {
          continue;
        }
        stop_if_over(done, is_cancelled);
        if (is_stopped_) {
          leave(round_up(states_[all[k]].bound));
          continue;
        }
        ++went_on_;
        if (!wastes_too_much(states_[all[k]])) {
          go_on(all[k]);
        }
      }
    }
    if (found_ != kNoState) {
      best.makespan = best_;
      best.starts = starts_of(piece_, order_, tasks_, states_, found_);
      if (packing_) {
        put_packing_into(best.starts);
      }
    }
    answer_.work = work();
    return answer_;
  }

 private:
  // Values that are left are a difference, but no state has a bound below the sum of all.
  bool is_hopeless(double bound) const { return round_up(bound) >= best_; }
  std::int64_t work() const {
    return went_on_ +
           (states_.compared() + packed_ + room_.tried() + waste_.tried()) / kTriesForState;
  }

  void stop_if_over(std::size_t done, const std::function<bool()>& is_cancelled) {
    const bool is_slow = question_.beam == 0 && 2 * done < piece_.tasks.size() &&
                         work() >= question_.most / kPartOfWork;
    is_stopped_ = is_stopped_ || best_ <= question_.goal || is_slow || work() >= question_.most ||
                  states_.size() >= kMostStates || states_.running_size() >= kMostRunning;
    if (!is_stopped_ && states_.size() >= next_call_) {
      next_call_ = states_.size() + kStatesBetweenCalls;
      is_stopped_ = is_cancelled();
    }
  }
  void leave(Time bound) {
    answer_.is_complete = false;
    answer_.open_bound = question_.beam > 0 ? kNever : std::min(answer_.open_bound, bound);
  }

  bool wastes_too_much(const State& state) {
    return question_.waste && !state.is_between_segments() &&
           waste_.is_too_much(state, states_.running_of(state), best_);
  }

  // Of states with the same bound those go on in which what is left waits least for one another: it
  // can be packed in more ways.
  Area ways_left(const State& state) const {
    Area sum = 0;
    for (Mask rest = all_of(piece_) & ~state.done; rest != 0; rest &= rest - 1) {
      sum += tails_[lowest(rest)];
    }
    return sum;
  }

  // Other beams go on from others of them: up to a third of the longest way is drawn for a state.
  Time draw(std::size_t state) const {
    if (question_.seed == 0) {
      return 0;
    }
    Rng rng(question_.seed * kMostStates + state);
    const Time most = *std::max_element(tails_.begin(), tails_.end()) / 3;
    return static_cast<Time>(rng.below(static_cast<std::uint64_t>(most + 1)));
  }

  void cut_to_beam(std::vector<std::size_t>& all) {
    if (question_.beam == 0 || all.size() <= question_.beam) {
      return;
    }
    std::vector<std::tuple<double, Area, std::size_t>> guesses;
    for (const std::size_t i : all) {
      const State& state = states_[i];
      const Time end = state.latest_end + alone(tasks_, all_of(piece_) & ~state.done);
      if (!state.is_dead && !is_hopeless(state.bound)) {
        const double guess =
            state.bound + question_.guess * (static_cast<double>(end) - state.bound);
        guesses.emplace_back(std::ceil(guess), ways_left(state) + draw(i), i);
      }
    }
    if (guesses.size() > question_.beam) {
      const auto end = guesses.begin() + static_cast<std::ptrdiff_t>(question_.beam);
      std::nth_element(guesses.begin(), end, guesses.end());
      guesses.erase(end, guesses.end());
      leave(0);
    }
    all.clear();
    for (const auto& [guess, ways, i] : guesses) {
      all.push_back(i);
    }
  }

  // What is left, as well as it fits.
  void pack(const State& from, std::size_t index, std::size_t kind) {
    std::int64_t left = kWorkOfPacking;
    while (const auto packing = packer_.find(from, kind, states_.running_of(from), best_, left)) {
      best_ = packing->end;
      found_ = index;
      packing_ = packing;
    }
    packed_ += kWorkOfPacking - left;
  }
  void put_packing_into(std::vector<Start>& starts) const {
    const Mask last = all_of(piece_) & ~states_[found_].done & ~tasks_.in_segments;
    for (const auto& [task, at] : packing_->starts) {
      starts[task] = {at, tasks_.beside[task] < piece_.tasks[task].one};
    }
    run_alone(piece_, order_, tasks_, last, packing_->end - alone(tasks_, last), starts);
  }

  struct Next {
    std::size_t task;
    Mask extra;  // that has to run alone before
    Time at;
  };

  void go_on(std::size_t index) {
    const State from = states_[index];
    // Where its parent could be packed it has been.
    const auto kind = packer_.packable_kind(from.done);
    if (kind && (from.parent == kNoState || !packer_.packable_kind(states_[from.parent].done))) {
      pack(from, index, *kind);
    }
    list_nexts(from);
    if (!from.is_between_segments() && may_end(from)) {
      end_segment(from, index);
    }
    for (const Next& next : nexts_) {
      if (!must_wait(next)) {
        add(from, index, next);
      }
    }
  }

  // What could be added to a segment before it ends.
  void list_nexts(const State& from) {
    nexts_.clear();
    first_end_ = first_settled_end_ = kNever;
    for (Mask rest = tasks_.in_segments & ~from.done; rest != 0; rest &= rest - 1) {
      const std::size_t i = lowest(rest);
      const Mask extra = order_.above[i] & ~from.done;
      if ((extra & from.behind) != 0 || (tasks_.twins_first[i] & ~from.done) != 0) {
        continue;
      }
      const Time at = earliest_unshifted(from, i);
      if (at >= (from.is_between_segments() ? kNever : from.latest_end)) {
        continue;
      }
      nexts_.push_back({i, extra, at});
      if (extra == 0 && tasks_.alone[i] > 0) {
        const Time end = at + tasks_.beside[i];
        const bool is_settled = (order_.below[i] & ~from.behind) == 0;
        first_end_ = std::min(first_end_, end);
        first_settled_end_ = is_settled ? std::min(first_settled_end_, end) : first_settled_end_;
      }
    }
  }

  // Never, where it could have started before the last that did.
  Time earliest_unshifted(const State& from, std::size_t task) const {
    const PieceTask& t = piece_.tasks[task];
    const bool takes_time = tasks_.beside[task] > 0;
    Time at = from.last_start;
    bool is_free_before = from.last_start > from.begin;
    std::array<std::int64_t, kKinds> busy{};
    // Latest end first: the one with which all cores are busy is the first to give one up.
    for (const Running& other : states_.running_of(from)) {
      bool holds_up = (order_.before[task] & bit(other.task)) != 0;
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        if (piece_.tasks[other.task].needs[kind] && tasks_.beside[other.task] > 0) {
          ++busy[kind];
          holds_up = holds_up || (t.needs[kind] && takes_time && busy[kind] == piece_.cores[kind]);
        }
      }
      if (holds_up) {
        at = std::max(at, other.end);
        is_free_before = false;
      }
    }
    return is_free_before ? kNever : at;
  }

  bool may_end(const State& from) const { return first_end_ > from.latest_end; }
  bool must_wait(const Next& next) const {
    return first_settled_end_ <= next.at && first_settled_end_ < next.at + tasks_.beside[next.task];
  }

  void add(const State& from, std::size_t index, const Next& next) {
    const Time shift = alone(tasks_, next.extra);
    State to;
    to.done = from.done | next.extra | bit(next.task);
    to.last_start = next.at + shift;
    to.values_left = from.values_left;
    for (Mask rest = next.extra | bit(next.task); rest != 0; rest &= rest - 1) {
      to.values_left -= rates_.value[lowest(rest)];
    }
    double values = to.values_left + rates_.value[next.task];
    for (const Running& other : states_.running_of(from)) {
      const Time left = other.end + shift - to.last_start;
      values += left > 0 ? rates_.one[other.task] * static_cast<double>(left) : 0;
    }
    to.bound = std::max(from.bound, static_cast<double>(to.last_start) + values);
    if (is_hopeless(to.bound)) {
      return;
    }
    const Time end = to.last_start + tasks_.beside[next.task];
    Time least_end = end + tails_[next.task];
    for (const Running& other : states_.running_of(from)) {
      least_end = std::max(least_end, other.end + shift + tails_[other.task]);
    }
    if (least_end >= best_) {
      return;
    }
    to.behind = from.behind | order_.below[next.task];
    to.begin = from.begin + shift;
    to.latest_end = std::max(from.latest_end + shift, end);
    to.end_if_alone = from.end_if_alone + shift + tasks_.alone[next.task];
    to.parent = index;
    to.task = next.task;
    to.running = states_.running_size();
    bool is_in = false;
    for (std::size_t r = 0; r < states_.running_of(from).size(); ++r) {
      const Running& other = states_.running_of(from)[r];
      const Running later{other.task, other.end + shift};
      if (!is_in && later.end < end) {
        states_.add_running({next.task, end});
        is_in = true;
      }
      if (later.end >= to.last_start) {
        states_.add_running(later);
      }
    }
    if (!is_in) {
      states_.add_running({next.task, end});
    }
    to.running_end = states_.running_size();
    if (ends_too_late(to) ||
        (question_.room && room_.is_too_small(to, states_.running_of(to), best_))) {
      states_.drop_running(to);
    } else {
      states_.add(to);
    }
  }
  // What has to run alone and is left does so before or behind the segment.
  bool ends_too_late(const State& state) const {
    return state.latest_end + alone(tasks_, all_of(piece_) & ~state.done & ~tasks_.in_segments) >=
           best_;
  }

  void end_segment(const State& from, std::size_t index) {
    if (from.latest_end >= from.end_if_alone) {
      return;
    }
    State to;
    to.done = from.done;
    to.begin = to.last_start = to.latest_end = to.end_if_alone = from.latest_end;
    to.values_left = from.values_left;
    to.bound = std::max(from.bound, static_cast<double>(to.last_start) + to.values_left);
    to.parent = index;
    to.running = to.running_end = states_.running_size();
    if (!is_hopeless(to.bound)) {
      end_with(to, index);
      states_.add(to);
    }
  }

  // All the rest runs alone, behind the last segment of a state.
  void end_with(const State& state, std::size_t index) {
    const Time end = state.last_start + alone(tasks_, all_of(piece_) & ~state.done);
    if (end < best_) {
      best_ = end;
      found_ = index;
      packing_.reset();
    }
  }

  const Piece& piece_;
  const Intervals& order_;
  Rates rates_;
  const SegmentsQuestion question_;
  const SegmentTasks tasks_;
  std::vector<Time> tails_;  // from the end of a task to the end of all, at least
  SegmentRoom room_;
  SegmentWaste waste_;
  SegmentPacker packer_;
  SegmentStates states_;
  // Scratch: what could be added; the first end of those that wait for nothing; and of those that
  // cannot run alone before the segment, since all that waits for them waits for the segment too.
  std::vector<Next> nexts_;
  Time first_end_ = kNever, first_settled_end_ = kNever;
  Time best_;
  std::size_t found_ = kNoState;  // the state whose segment is the last of the best schedule
  std::optional<SegmentPacking> packing_;  // of what that leaves; none: all of it runs alone
  std::int64_t went_on_ = 0, packed_ = 0;
  std::size_t next_call_ = 0;  // to ask whether to stop: with so many states
  bool is_stopped_ = false;
  SegmentsAnswer answer_;
};

}  // namespace

bool has_segments(const Piece& piece) {
  return piece.exclusive_wide &&
         std::all_of(piece.tasks.begin(), piece.tasks.end(),
                     [](const PieceTask& task) { return task.needs_cores(); });
}

SegmentsAnswer search_segments(const Piece& piece, const Bounds& bounds,
                               const SegmentsQuestion& question, PieceAnswer& best,
                               const std::function<bool()>& is_cancelled) {
  CHECK(has_segments(piece), "all tasks need cores");
  CHECK(question.limit <= best.makespan, "what is found is better");
  return Segments(piece, bounds, question).run(best, is_cancelled);
}

}  // namespace phaze::schedule
