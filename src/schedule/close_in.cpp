// Branch and bound by windows (squeeze.h): a schedule is guided by the windows that tasks have
// (guided.h); where it is not better than the best, schedules fall into those that have two tasks
// in one order and those that have them in the other, or a task in one width and in the other.
//
// Which choice: time that it leaves (Smith and Cheng 1993), over what it takes from windows, since
// short tasks leave little and decide nothing; less for tasks whose choices led nowhere before
// (Boussemart, Hemery, Lecoutre and Sais 2004). Where nothing is left to choose, tasks as early as
// they can be are a schedule, or too many of them run at once on cores of a kind: then one of these
// comes before another, or there is none, since intervals that meet pairwise have a moment in
// common.
#include "schedule/close_in.h"

#include <algorithm>
#include <cmath>

#include "schedule/guided.h"
#include "schedule/squeeze.h"
#include "schedule/state.h"

namespace phaze::schedule {
namespace {

class CloseIn {
 public:
  CloseIn(const Piece& piece, const Order& order, const Widths& widths,
          const CloseInQuestion& question, PieceAnswer& best,
          const std::function<bool()>& is_cancelled)
      : piece_(piece),
        question_(question),
        best_(best),
        is_cancelled_(is_cancelled),
        windows_(piece, order),
        limit_(question.limit),
        not_before_(piece.tasks.size(), 0),
        failures_(piece.tasks.size(), 1) {
    answer_.is_complete = true;
    ++answer_.work;
    if (windows_.run(limit_, widths)) {
      branch();
    }
  }
  CloseInAnswer answer() const { return answer_; }

 private:
  bool is_over() {
    return limit_ <= question_.goal || answer_.work >= question_.most || is_cancelled_();
  }

  struct Choice {
    double score = 0;
    std::size_t task = kNoTask, other = kNoTask;  // no other: by its width
    bool is_likely = false;                       // wide, or before the other
    bool is_of_crowd = false;                     // before the other, or not
  };
  void stop() { answer_.is_complete = false; }

  // From windows that were found.
  void branch() {
    if (!follow_windows()) {
      return;
    }
    Choice choice = choose();
    if (choice.task == kNoTask && !choose_by_earliest(choice)) {
      return;
    }
    const Squeezer::Mark mark = windows_.mark();
    const std::vector<Mask> not_before = not_before_;
    const Time limit = limit_;
    for (const bool is_first : {true, false}) {
      if (!is_first) {
        if (is_over()) {
          stop();
          return;
        }
        windows_.go_back(mark);
        not_before_ = not_before;
      }
      ++answer_.work;
      if (apply(choice, is_first == choice.is_likely) &&
          (limit_ == limit || windows_.limit_to(limit_))) {
        branch();
      } else {
        ++failures_[choice.task];
        if (choice.other != kNoTask) {
          ++failures_[choice.other];
        }
      }
      if (!answer_.is_complete) {
        return;
      }
    }
  }

  // Schedules by windows, as long as they get better; whether something may be left after them.
  bool follow_windows() {
    for (;;) {
      const Time before = limit_;
      for (const Guide guide : {Guide::kEager, Guide::kPatient}) {
        if (limit_ == before) {
          use(guided_schedule(piece_, windows_, guide, limit_));
        }
      }
      if (is_over()) {
        stop();
        return false;
      }
      if (limit_ == before) {
        return true;
      }
      ++answer_.work;
      if (!windows_.limit_to(limit_)) {
        return false;
      }
    }
  }

  // All widths are told and what excludes one another has an order: whether there is a choice left.
  bool choose_by_earliest(Choice& choice) {
    const PieceAnswer earliest = replay(piece_, earliest_starts());
    if (earliest.makespan < limit_) {
      use(earliest);
      ++answer_.work;
      if (windows_.limit_to(limit_)) {
        branch();
      }
      return false;
    }
    const Mask crowd = find_crowd();
    if (crowd == 0) {
      stop();
      return false;
    }
    choice = choose_of(crowd);
    return choice.task != kNoTask;  // otherwise none can go before another
  }

  void use(const PieceAnswer& other) {
    if (other.makespan < limit_) {
      limit_ = best_.makespan = other.makespan;
      best_.starts = other.starts;
    }
  }

  bool apply(const Choice& choice, bool is_so) {
    if (choice.is_of_crowd && !is_so) {  // windows stay as they are: all widths are told
      not_before_[choice.task] |= bit(choice.other);
      return true;
    }
    if (choice.other == kNoTask) {
      return windows_.leave_out(choice.task, !is_so);
    }
    return is_so ? windows_.put_before(choice.task, choice.other)
                 : windows_.put_before(choice.other, choice.task);
  }

  std::vector<Start> earliest_starts() const {
    std::vector<Start> starts;
    for (std::size_t i = 0; i < piece_.tasks.size(); ++i) {
      starts.push_back({windows_.first_start(i), (windows_.widths().one & bit(i)) == 0});
    }
    return starts;
  }

  // Tasks that would run at once, each as early as it can, on fewer cores of a kind than they need,
  // and of which none comes before another; none where there are no such tasks.
  Mask find_crowd() const {
    const std::size_t n = piece_.tasks.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t kind = 0; kind < kKinds; ++kind) {
        if (!piece_.tasks[i].needs[kind]) {
          continue;
        }
        const Time now = windows_.first_start(i);
        Mask running = 0;
        for (std::size_t j = 0; j < n; ++j) {
          const bool runs =
              windows_.first_start(j) <= now && now < windows_.first_start(j) + windows_.length(j);
          running |= runs && piece_.tasks[j].needs[kind] ? bit(j) : 0;
        }
        if (static_cast<std::int64_t>(count(running)) > piece_.cores[kind] &&
            are_unrelated(running)) {
          return running;
        }
      }
    }
    return 0;
  }
  bool are_unrelated(Mask tasks) const {
    for (Mask rest = tasks; rest != 0; rest &= rest - 1) {
      if ((windows_.related(lowest(rest)) & tasks) != 0) {
        return false;
      }
    }
    return true;
  }
  // One of them before another, where that leaves most time.
  Choice choose_of(Mask crowd) const {
    Choice best;
    for (Mask firsts = crowd; firsts != 0; firsts &= firsts - 1) {
      const std::size_t i = lowest(firsts);
      for (Mask seconds = crowd & ~not_before_[i] & ~windows_.related(i) & ~bit(i); seconds != 0;
           seconds &= seconds - 1) {
        const std::size_t j = lowest(seconds);
        const Time left = windows_.last_end(j) - windows_.first_start(i) - windows_.length(i) -
                          windows_.length(j);
        if (left >= 0 && (best.task == kNoTask || static_cast<double>(left) > best.score)) {
          best = {static_cast<double>(left), i, j, true, true};
        }
      }
    }
    return best;
  }

  // Of two ways to go on, the time that each leaves and by how much it makes windows smaller.
  struct Effect {
    Time left = 0, less = 0;
    double ratio() const {
      return (static_cast<double>(left) + 1) / (static_cast<double>(less) + 1);
    }
  };
  static double score_of(const Effect& one, const Effect& other) {
    return std::sqrt(one.ratio() * other.ratio());
  }
  Effect effect_of(std::size_t first, std::size_t second) const {
    const Time end = windows_.first_start(first) + windows_.length(first);
    const Time start = windows_.last_end(second) - windows_.length(second);
    return {start - end, std::max<Time>(0, end - windows_.first_start(second)) +
                             std::max<Time>(0, windows_.last_end(first) - start)};
  }
  Choice choose() const {
    Choice best;
    const auto take = [&best](const Choice& choice) {
      if (best.task == kNoTask || choice.score < best.score) {
        best = choice;
      }
    };
    const std::size_t n = piece_.tasks.size();
    const Widths& widths = windows_.widths();
    for (std::size_t i = 0; i < n; ++i) {
      const PieceTask& task = piece_.tasks[i];
      const Time room = windows_.last_end(i) - windows_.first_start(i);
      if ((widths.one & widths.wide & bit(i)) != 0) {
        const Effect one{room - task.one, task.one - task.all}, wide{room - task.all, task.all};
        take({score_of(one, wide) / failures_[i], i, kNoTask, true});
      }
      for (std::size_t j = i + 1; j < n; ++j) {
        if ((windows_.related(i) & bit(j)) != 0) {
          continue;
        }
        const Effect first = effect_of(i, j), second = effect_of(j, i);
        if (first.left >= 0 && second.left >= 0 && meets(i, j) &&
            exclude_each_other(piece_, widths, i, j)) {
          take({score_of(first, second) / (failures_[i] + failures_[j]), i, j,
                first.left >= second.left});
        }
      }
    }
    return best;
  }
  // Windows allow both at one time.
  bool meets(std::size_t a, std::size_t b) const {
    return windows_.first_start(a) < windows_.last_end(b) &&
           windows_.first_start(b) < windows_.last_end(a);
  }

  const Piece& piece_;
  const CloseInQuestion question_;
  PieceAnswer& best_;
  const std::function<bool()>& is_cancelled_;
  Squeezer windows_;
  Time limit_;
  std::vector<Mask> not_before_;  // by task: those that it does not go before, in this branch
  std::vector<double> failures_;  // of choices of a task, and one
  CloseInAnswer answer_;
};

}  // namespace

Order find_own_order(const Piece& piece, bool has_twins) {
  Order own = find_order(predecessors(piece)).value();
  std::vector<Mask> before = own.before;
  bool has_found = false;
  const auto is_inside = [](Mask part, Mask all) { return (part & ~all) == 0; };
  for (std::size_t i = 0; has_twins && i < piece.tasks.size(); ++i) {
    const PieceTask& a = piece.tasks[i];
    const bool is_one_at_a_time = a.is_network || (a.needs[kTensor] && piece.cores[kTensor] == 1) ||
                                  (a.needs[kVector] && piece.cores[kVector] == 1);
    for (std::size_t j = i + 1; is_one_at_a_time && j < piece.tasks.size(); ++j) {
      const PieceTask& b = piece.tasks[j];
      if (a.one != b.one || a.all != b.all || a.needs != b.needs || a.is_network != b.is_network ||
          a.fastest() == 0) {
        continue;
      }
      if (is_inside(own.above[i], own.above[j]) && is_inside(own.below[j], own.below[i])) {
        before[j] |= bit(i);
        has_found = true;
      } else if (is_inside(own.above[j], own.above[i]) && is_inside(own.below[i], own.below[j])) {
        before[i] |= bit(j);
        has_found = true;
      }
    }
  }
  return has_found ? find_order(before).value() : own;
}

CloseInAnswer close_in(const Piece& piece, const Order& order, const Widths& widths,
                       const CloseInQuestion& question, PieceAnswer& best,
                       const std::function<bool()>& is_cancelled) {
  return CloseIn(piece, order, widths, question, best, is_cancelled).answer();
}

}  // namespace phaze::schedule
