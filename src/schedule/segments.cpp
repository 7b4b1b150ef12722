// A schedule is a sequence of wide tasks, which run alone, and of segments: stretches of time in
// which tasks run on one core each. A task on one core with nothing beside it counts as alone too.
// Of all orders one is enough, in which a task that runs alone comes as late as it can: right
// before the first segment that has one of its successors, or after all segments. So a schedule is
// told by its segments, and its end is
//   the lengths of all segments + the durations of all tasks that are in none, each run alone.
// A state is a downset of tasks that are done and what is running. It is made by adding a task to
// the segment at hand, in the order of starts. What the task waits for and is not done then runs
// alone before the segment, which moves by as much: possible as long as none of it waits for a task
// of the segment. States are gone on from in the order of the number of tasks done.
//
// What is left out, with every other schedule that ends no later and has no more tasks in segments:
// - Segments that take as long as their tasks alone.
// - Tasks that could have started earlier in their segment (left shift).
// - Segments that end, and tasks that start, when another task that waits for nothing could have
//   run and ended before: if that one ran alone all would have ended earlier, and if it is in a
//   later segment it can move. Not where it may still run alone before this segment because others
//   do that wait for it.
// - Of tasks that are alike, all but the first.
// - States that have every core and result no earlier than another with the same tasks done: that
//   can be followed by whatever follows them.
// A state has more tasks in segments to come than the next one on its way, and one that is as good
// as another no more: so a way to an optimum is not lost in a circle of such replacements.
// - States whose bound is too high: the values of tasks, which no moment earns faster than time
//   passes (rates.h).
#include "schedule/segments.h"

#include <algorithm>

#include "schedule/segment_states.h"

namespace phaze::schedule {
namespace {

using State = SegmentState;
using Running = SegmentStates::Running;

constexpr std::size_t kMostStates = 1'000'000;
constexpr std::int64_t kStatesBetweenCalls = 1 << 10;
constexpr std::int64_t kComparedForState = 16;  // take as long
// A search that has gone on from a part of the states that it may, and is not half through the
// tasks, will not end in time.
constexpr std::int64_t kPartOfStates = 8;

class Segments {
 public:
  Segments(const Piece& piece, const Bounds& bounds, const SegmentsQuestion& question)
      : piece_(piece),
        order_(bounds.intervals()),
        widths_(bounds.widths()),
        rates_(bounds.rates()),
        question_(question),
        states_(piece, order_),
        best_(question.limit) {
    const std::size_t n = piece.tasks.size();
    if (rates_.value.empty()) {
      rates_.value = rates_.one = std::vector<double>(n, 0);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const PieceTask& task = piece.tasks[i];
      const bool can_wide = (widths_.wide & bit(i)) != 0;
      const bool can_one = (widths_.one & bit(i)) != 0;
      alone_.push_back(!can_wide ? task.one : !can_one ? task.all : task.fastest());
      beside_.push_back(can_wide && task.all == 0 ? 0 : task.one);
      in_segments_ |= can_one || beside_[i] == 0 ? bit(i) : 0;
      Mask& first = first_.emplace_back(0);
      for (std::size_t j = 0; j < n; ++j) {
        first |= goes_before(j, i) ? bit(j) : 0;
      }
    }
  }

  SegmentsAnswer run(PieceAnswer& best, const std::function<bool()>& is_cancelled) {
    State root;
    root.values = root.bound = rates_.sum;
    states_.add(root);
    end_with(root, 0);
    const std::size_t n = piece_.tasks.size();
    for (std::size_t done = 0; done <= n; ++done) {
      cut_to_beam(states_.with(done));
      // More of them are added on the way: segments that end here.
      for (std::size_t k = 0; k < states_.with(done).size() && best_ > question_.goal; ++k) {
        const std::size_t index = states_.with(done)[k];
        if (states_[index].is_dead || is_hopeless(states_[index].bound)) {
          continue;
        }
        if (is_over(done, is_cancelled)) {
          note_open(states_.with(done), k);
          break;
        }
        ++went_on_;
        go_on(index);
      }
    }
    if (found_ != kNoState) {
      best.makespan = best_;
      best.starts = starts_of(found_);
    }
    answer_.work = work();
    return answer_;
  }

 private:
  bool is_hopeless(double bound) const { return round_up(bound) >= best_; }
  std::int64_t work() const { return went_on_ + states_.compared() / kComparedForState; }

  bool is_over(std::size_t done, const std::function<bool()>& is_cancelled) {
    const bool is_slow = question_.beam == 0 && 2 * done < piece_.tasks.size() &&
                         work() >= question_.most / kPartOfStates;
    is_over_ = is_over_ || is_slow || work() >= question_.most || states_.size() >= kMostStates ||
               (went_on_ % kStatesBetweenCalls == 1 && is_cancelled());
    return is_over_;
  }
  void note_open(const std::vector<std::size_t>& all, std::size_t from) {
    for (std::size_t k = from; k < all.size(); ++k) {
      if (!states_[all[k]].is_dead) {
        leave(std::max<Time>(0, round_up(states_[all[k]].bound)));
      }
    }
  }
  void leave(Time bound) {
    answer_.is_complete = false;
    answer_.open_bound = question_.beam > 0 ? kNever : std::min(answer_.open_bound, bound);
  }

  // Can j take the place of i, and i the one of j? That may be alone before the segment, if others
  // there wait for j: then only where both wait for the same.
  bool goes_before(std::size_t j, std::size_t i) const {
    const PieceTask& a = piece_.tasks[j];
    const PieceTask& b = piece_.tasks[i];
    const auto are_same = [&](Mask mask) { return (mask >> i & 1) == (mask >> j & 1); };
    if (i == j || a.one != b.one || a.all != b.all || a.needs != b.needs ||
        !are_same(widths_.one) || !are_same(widths_.wide) || order_.below[i] != order_.below[j]) {
      return false;
    }
    if (order_.above[i] == order_.above[j]) {
      return j < i;
    }
    return order_.below[i] == 0 && (order_.above[j] & ~order_.above[i]) == 0;
  }

  Time alone(Mask tasks) const {
    Time sum = 0;
    for (; tasks != 0; tasks &= tasks - 1) {
      sum += alone_[lowest(tasks)];
    }
    return sum;
  }

  void cut_to_beam(std::vector<std::size_t>& all) {
    if (question_.beam == 0 || all.size() <= question_.beam) {
      return;
    }
    std::erase_if(all, [this](std::size_t i) { return states_[i].is_dead; });
    if (all.size() <= question_.beam) {
      return;
    }
    std::vector<std::pair<double, std::size_t>> guesses;
    for (const std::size_t i : all) {
      const State& state = states_[i];
      const auto end = static_cast<double>(state.latest + alone(all_of(piece_) & ~state.done));
      guesses.emplace_back(state.bound + question_.guess * (end - state.bound), i);
    }
    std::nth_element(guesses.begin(), guesses.begin() + static_cast<std::ptrdiff_t>(question_.beam),
                     guesses.end());
    all.resize(question_.beam);
    std::transform(guesses.begin(), guesses.begin() + static_cast<std::ptrdiff_t>(question_.beam),
                   all.begin(), [](const auto& guess) { return guess.second; });
    leave(0);
  }

  struct Next {
    std::size_t task;
    Mask extra;  // that has to run alone before
    Time at;
  };

  void go_on(std::size_t index) {
    const State from = states_[index];
    nexts_.clear();
    // First ends of what waits for nothing and could end in this segment; and of what nothing that
    // may still run alone before it waits for.
    Time first_end = kNever, first_free_end = kNever;
    for (Mask rest = in_segments_ & ~from.done; rest != 0; rest &= rest - 1) {
      const std::size_t i = lowest(rest);
      const Mask extra = order_.above[i] & ~from.done;
      if ((extra & from.below) != 0 || (first_[i] & ~from.done) != 0) {
        continue;
      }
      const Time at = earliest(from, i);
      if (at >= (from.is_between() ? kNever : from.latest)) {
        continue;
      }
      nexts_.push_back({i, extra, at});
      if (extra == 0 && alone_[i] > 0) {
        first_end = std::min(first_end, at + beside_[i]);
        if ((order_.below[i] & ~from.below) == 0) {
          first_free_end = std::min(first_free_end, at + beside_[i]);
        }
      }
    }
    if (!from.is_between() && first_end > from.latest) {
      end_segment(from, index);
    }
    for (const Next& next : nexts_) {
      const bool waits = next.at >= first_free_end && next.at + beside_[next.task] > first_free_end;
      if (!waits) {
        add(from, index, next);
      }
    }
  }

  // Never, where it could have started before the last that did.
  Time earliest(const State& from, std::size_t task) const {
    const PieceTask& t = piece_.tasks[task];
    const bool takes_time = beside_[task] > 0;
    Time at = from.last;
    bool is_free_before = from.last > from.begin;
    std::array<std::int64_t, kKinds> busy{};
    for (std::size_t r = from.running; r < from.running_end; ++r) {
      const Running& other = states_.running(r);
      bool holds_up = (order_.before[task] & bit(other.task)) != 0;
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        if (piece_.tasks[other.task].needs[kind] && beside_[other.task] > 0) {
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

  void add(const State& from, std::size_t index, const Next& next) {
    const Time shift = alone(next.extra);
    State to;
    to.done = from.done | next.extra | bit(next.task);
    to.last = next.at + shift;
    to.values = from.values;
    for (Mask rest = next.extra | bit(next.task); rest != 0; rest &= rest - 1) {
      to.values -= rates_.value[lowest(rest)];
    }
    double values = to.values + rates_.value[next.task];
    for (std::size_t r = from.running; r < from.running_end; ++r) {
      const Time left = states_.running(r).end + shift - to.last;
      values += left > 0 ? rates_.one[states_.running(r).task] * static_cast<double>(left) : 0;
    }
    to.bound = std::max(from.bound, static_cast<double>(to.last) + values);
    if (is_hopeless(to.bound)) {
      return;
    }
    const Time end = to.last + beside_[next.task];
    to.below = from.below | order_.below[next.task];
    to.begin = from.begin + shift;
    to.latest = std::max(from.latest + shift, end);
    to.worth = from.worth + shift + alone_[next.task];
    to.parent = index;
    to.task = next.task;
    to.running = states_.running_size();
    bool is_in = false;
    for (std::size_t r = from.running; r < from.running_end; ++r) {
      const Running other{states_.running(r).task, states_.running(r).end + shift};
      if (!is_in && other.end < end) {
        states_.add_running({next.task, end});
        is_in = true;
      }
      if (other.end >= to.last) {
        states_.add_running(other);
      }
    }
    if (!is_in) {
      states_.add_running({next.task, end});
    }
    to.running_end = states_.running_size();
    states_.add(to);
  }

  void end_segment(const State& from, std::size_t index) {
    if (from.latest >= from.worth) {
      return;
    }
    State to;
    to.done = from.done;
    to.begin = to.last = to.latest = to.worth = from.latest;
    to.values = from.values;
    to.bound = std::max(from.bound, static_cast<double>(to.last) + to.values);
    to.parent = index;
    to.running = to.running_end = states_.running_size();
    if (!is_hopeless(to.bound)) {
      end_with(to, index);
      states_.add(to);
    }
  }

  // All the rest runs alone, behind the last segment of a state.
  void end_with(const State& state, std::size_t index) {
    const Time end = state.last + alone(all_of(piece_) & ~state.done);
    if (end < best_) {
      best_ = end;
      found_ = index;
    }
  }

  std::vector<Start> starts_of(std::size_t last) const {
    std::vector<const State*> way;
    for (std::size_t i = last; i != kNoState; i = states_[i].parent) {
      way.push_back(&states_[i]);
    }
    std::reverse(way.begin(), way.end());
    std::vector<Start> starts(piece_.tasks.size());
    Time now = 0;
    const auto run_alone = [&](Mask tasks) {
      for (const std::size_t i : order_.order) {
        if ((tasks & bit(i)) != 0) {
          starts[i] = {now, alone_[i] < piece_.tasks[i].one || (widths_.one & bit(i)) == 0};
          now += alone_[i];
        }
      }
    };
    // From one state between segments to the next: tasks alone, and a segment.
    for (auto at = way.begin(); at != way.end();) {
      const auto end =
          std::find_if(at + 1, way.end(), [](const State* s) { return s->is_between(); });
      const State& whole = **(end - 1);
      Mask in_segment = 0;
      for (auto state = at + 1; state != end; ++state) {
        in_segment |= bit((*state)->task);
      }
      run_alone(whole.done & ~(*at)->done & ~in_segment);
      for (auto state = at + 1; state != end; ++state) {
        const std::size_t i = (*state)->task;
        starts[i] = {now + (*state)->last - (*state)->begin, beside_[i] < piece_.tasks[i].one};
      }
      now += whole.latest - whole.begin;
      at = end;
    }
    run_alone(all_of(piece_) & ~way.back()->done);
    return starts;
  }

  const Piece& piece_;
  const Intervals& order_;
  const Widths& widths_;
  Rates rates_;
  const SegmentsQuestion question_;
  // Durations alone, and in a segment: what takes no time excludes nothing, wide or not.
  std::vector<Time> alone_, beside_;
  Mask in_segments_ = 0;     // that may run there
  std::vector<Mask> first_;  // by task: those that go before it, as long as they are not done
  SegmentStates states_;
  std::vector<Next> nexts_;  // scratch
  Time best_;
  std::size_t found_ = kNoState;  // the state whose segment is the last of the best schedule
  std::int64_t went_on_ = 0;
  bool is_over_ = false;
  SegmentsAnswer answer_;
};

}  // namespace

bool has_segments(const Piece& piece) {
  return piece.exclusive_wide &&
         std::all_of(piece.tasks.begin(), piece.tasks.end(), [](const PieceTask& task) {
           return task.needs[kTensor] || task.needs[kVector];
         });
}

SegmentsAnswer search_segments(const Piece& piece, const Bounds& bounds,
                               const SegmentsQuestion& question, PieceAnswer& best,
                               const std::function<bool()>& is_cancelled) {
  return Segments(piece, bounds, question).run(best, is_cancelled);
}

}  // namespace phaze::schedule
