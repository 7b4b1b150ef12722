// A program with the same schedules as the original's, for a solver to prove more:
//  - A known schedule bounds every start from above; what each task waits for and what waits for it
//    bound it from both sides. Each "either i before j, or not" has the smallest constant that
//    these bounds allow, and orders that they rule out are no columns.
//  - Cores are no columns either: the tasks on one core of a kind form at most as many chains as
//    there are cores, and a chain is a flow of one along the order, which needs no integers. So no
//    two answers differ in the names of cores only.
//  - Orders are closed under transitivity: along the edges always, otherwise where tasks are few.
//  - Work is area. Before a task, after it, and over all: what runs on one core takes its share of
//    the cores, and what is wide takes all of them.
//  - A wide task runs beside nothing of its kind (exclusive: of any), so a path of tasks takes its
//    time on single cores plus the time of all wide tasks, on the path or not.
//  - Tasks that differ in nothing start in the order of their numbers.

#include <algorithm>
#include <map>
#include <tuple>

#include "base/check.h"
#include "schedule/ilp_program.h"

namespace phaze::schedule::ilp {

namespace {

// Rows of transitivity grow with the cube of the tasks: halve the nodes of 24, and not the time.
constexpr std::size_t kMostToClose = 24;

class StrongWriter {
 public:
  StrongWriter(const Tasks& tasks, double unit, const Placement& known)
      : tasks_(tasks), known_(known), last_(known.makespan) {
    out_.unit = unit;
    find_twins();
    add_tasks();
    add_orders();
    add_times();
    add_implied_orders();
    if (tasks_.count <= kMostToClose) {
      add_transitivity();
    }
    for (const CoreKind kind : kCoreKinds) {
      const std::int64_t cores = tasks_.cores(kind);
      if (cores > 1 && static_cast<std::int64_t>(widest_antichain(tasks_, kind)) > cores) {
        add_chains(kind);
      }
      add_areas(kind);
    }
    add_network();
    if (tasks_.exclusive_wide) {
      add_paths([this](std::size_t i) { return tasks_.on_cores(i); });
    } else {
      for (const CoreKind kind : kCoreKinds) {
        add_paths([this, kind](std::size_t i) { return tasks_.uses(i, kind); });
      }
    }
  }

  ScheduleProgram take() { return std::move(out_); }

 private:
  using Members = std::vector<std::size_t>;

  double time(std::int64_t picoseconds) const {
    return static_cast<double>(picoseconds) / out_.unit;
  }
  Expression narrow_time(std::size_t i) const { return time(tasks_.one[i]) * (1 - out_.wide[i]); }
  Expression wide_time(std::size_t i) const { return time(tasks_.all[i]) * out_.wide[i]; }

  void require_equal(const Expression& a, const Expression& b) {
    out_.program.require_at_least(a, b);
    out_.program.require_at_least(b, a);
  }

  // A binary whose value in the known schedule is given.
  Expression add_known_binary(bool value) {
    out_.known.push_back({static_cast<int>(out_.program.columns.size()), value ? 1.0 : 0.0});
    return out_.program.add_binary();
  }

  // The known schedule is changed so that of tasks that differ in nothing the first is not later.
  void find_twins() {
    std::map<std::tuple<bool, bool, bool, std::int64_t, std::int64_t, std::vector<bool>,
                        std::vector<bool>>,
             Members>
        groups;
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      std::vector<bool> after(tasks_.count);
      for (std::size_t j = 0; j < tasks_.count; ++j) {
        after[j] = tasks_.before[j][i];
      }
      groups[{tasks_.on_tensor[i], tasks_.on_vector[i], tasks_.on_network[i], tasks_.one[i],
              tasks_.all[i], tasks_.before[i], after}]
          .push_back(i);
    }
    for (const auto& [key, members] : groups) {
      std::vector<std::tuple<std::int64_t, std::int64_t, bool>> runs;
      for (const std::size_t i : members) {
        runs.emplace_back(known_.start[i], known_.end[i], known_.wide[i]);
      }
      std::sort(runs.begin(), runs.end());
      for (std::size_t at = 0; at < members.size(); ++at) {
        const auto& [start, end, wide] = runs[at];
        known_.start[members[at]] = start;
        known_.end[members[at]] = end;
        known_.wide[members[at]] = wide;
      }
      twins_.push_back(members);
    }
    twin_of_.assign(tasks_.count, 0);
    for (std::size_t group = 0; group < twins_.size(); ++group) {
      for (const std::size_t i : twins_[group]) {
        twin_of_[i] = group;
      }
    }
  }

  void add_tasks() {
    makespan_ = out_.program.add_column(time(trivial_bound(tasks_)), time(last_));
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      const bool too_slow = tasks_.head[i] + tasks_.one[i] + tasks_.tail[i] > last_;
      out_.start.push_back(out_.program.add_column(
          time(tasks_.head[i]), time(last_ - tasks_.tail[i] - tasks_.fastest(i))));
      out_.wide.push_back(!tasks_.may_be_wide[i] ? Expression(0)
                          : too_slow             ? Expression(1)
                                                 : add_known_binary(known_.wide[i]));
      end_.push_back(out_.start[i] + narrow_time(i) + wide_time(i));
    }
    for (const Members& group : twins_) {
      for (std::size_t at = 1; at < group.size(); ++at) {
        out_.program.require_at_least(out_.start[group[at]], out_.start[group[at - 1]]);
      }
    }
  }

  // Whether i may come before j in a schedule as short as the known one.
  bool may_precede(std::size_t i, std::size_t j) const {
    if (tasks_.comparable(i, j)) {
      return tasks_.before[i][j];
    }
    const bool is_turned = twin_of_[i] == twin_of_[j] && i > j;
    return !is_turned &&
           tasks_.head[i] + tasks_.fastest(i) + tasks_.fastest(j) + tasks_.tail[j] <= last_;
  }

  void add_orders() {
    has_order_.assign(tasks_.count, std::vector<bool>(tasks_.count, false));
    order_.assign(tasks_.count, std::vector<Expression>(tasks_.count));
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      for (std::size_t j = i + 1; j < tasks_.count; ++j) {
        if (tasks_.comparable(i, j)) {
          has_order_[i][j] = has_order_[j][i] = true;
          order_[i][j] = tasks_.before[i][j] ? 1 : 0;
          order_[j][i] = tasks_.before[j][i] ? 1 : 0;
        } else if (tasks_.may_conflict(i, j)) {
          add_order(i, j);
        }
      }
    }
  }

  void add_order(std::size_t i, std::size_t j) {
    has_order_[i][j] = has_order_[j][i] = true;
    const auto is_known = [this](std::size_t a, std::size_t b) {
      return known_.end[a] <= known_.start[b];
    };
    const bool forth = may_precede(i, j), back = may_precede(j, i);
    if (tasks_.always_apart(i, j)) {
      CHECK(forth || back, "two tasks without an order");
      order_[i][j] = forth && back ? add_known_binary(is_known(i, j)) : Expression(forth ? 1 : 0);
      order_[j][i] = 1 - order_[i][j];
      return;
    }
    order_[i][j] = forth ? add_known_binary(is_known(i, j)) : Expression(0);
    order_[j][i] = back ? add_known_binary(is_known(j, i)) : Expression(0);
    const Expression either = order_[i][j] + order_[j][i];
    out_.program.require_at_least(1, either);
    for (const std::size_t wide : {i, j}) {
      if (tasks_.may_be_wide[wide]) {
        out_.program.require_at_least(either, out_.wide[wide]);
      }
    }
  }

  void add_times() {
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      out_.program.require_at_least(makespan_, end_[i] + time(tasks_.tail[i]));
      for (std::size_t j = 0; j < tasks_.count; ++j) {
        if (has_order_[i][j] && !tasks_.comparable(i, j) && may_precede(i, j)) {
          const double most = time(last_ - tasks_.tail[i] - tasks_.head[j]);
          out_.program.require_at_least(out_.start[j], end_[i] - most * (1 - order_[i][j]));
        }
      }
    }
    for (const auto& [from, to] : tasks_.edges) {
      out_.program.require_at_least(out_.start[to], end_[from]);
    }
  }

  // What comes before a task comes before its successors; the same the other way round.
  void add_implied_orders() {
    for (const auto& [from, to] : tasks_.edges) {
      for (std::size_t i = 0; i < tasks_.count; ++i) {
        if (tasks_.comparable(i, from) || tasks_.comparable(i, to)) {
          continue;
        }
        if (has_order_[i][from] && has_order_[i][to]) {
          out_.program.require_at_least(order_[i][to], order_[i][from]);
          out_.program.require_at_least(order_[from][i], order_[to][i]);
        }
      }
    }
  }

  void add_transitivity() {
    const auto is_open = [this](std::size_t i, std::size_t j) {
      return i != j && has_order_[i][j] && !tasks_.comparable(i, j);
    };
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      for (std::size_t j = 0; j < tasks_.count; ++j) {
        for (std::size_t k = 0; k < tasks_.count; ++k) {
          if (is_open(i, j) && is_open(j, k) && is_open(i, k)) {
            out_.program.require_at_least(order_[i][k] + 1, order_[i][j] + order_[j][k]);
          }
        }
      }
    }
  }

  void add_chains(CoreKind kind) {
    const Members members = of_kind(kind);
    std::vector<Expression> in(tasks_.count), out(tasks_.count);
    Expression first;
    for (const std::size_t i : members) {
      const Expression starts = out_.program.add_column(0, 1), ends = out_.program.add_column(0, 1);
      first += starts;
      in[i] += starts;
      out[i] += ends;
      for (const std::size_t j : members) {
        if (i != j && may_precede(i, j)) {
          const Expression next = out_.program.add_column(0, 1);
          out_.program.require_at_least(order_[i][j], next);
          out[i] += next;
          in[j] += next;
        }
      }
    }
    for (const std::size_t i : members) {
      require_equal(in[i], 1 - out_.wide[i]);
      require_equal(out[i], 1 - out_.wide[i]);
    }
    out_.program.require_at_least(static_cast<double>(tasks_.cores(kind)), first);
  }

  Members of_kind(CoreKind kind) const {
    Members members;
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      if (tasks_.uses(i, kind)) {
        members.push_back(i);
      }
    }
    return members;
  }

  // What the tasks take of all the cores of a kind.
  template <class Predicate>
  Expression area(CoreKind kind, const Predicate& is_in) const {
    Expression sum;
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      if (is_in(i)) {
        if (tasks_.uses(i, kind)) {
          sum += 1 / static_cast<double>(tasks_.cores(kind)) * narrow_time(i);
        }
        if (tasks_.uses(i, kind) || (tasks_.exclusive_wide && tasks_.on_cores(i))) {
          sum += wide_time(i);
        }
      }
    }
    return sum;
  }

  void add_areas(CoreKind kind) {
    if (of_kind(kind).empty()) {
      return;
    }
    out_.program.require_at_least(makespan_, area(kind, [](std::size_t) { return true; }));
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      out_.program.require_at_least(out_.start[i],
                                    area(kind, [&](std::size_t j) { return tasks_.before[j][i]; }));
      out_.program.require_at_least(
          makespan_, end_[i] + area(kind, [&](std::size_t j) { return tasks_.before[i][j]; }));
    }
  }

  void add_network() {
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      double before = 0, after = 0;
      for (std::size_t j = 0; j < tasks_.count; ++j) {
        if (tasks_.on_network[j]) {
          before += tasks_.before[j][i] ? time(tasks_.one[j]) : 0;
          after += tasks_.before[i][j] ? time(tasks_.one[j]) : 0;
        }
      }
      out_.program.require_at_least(out_.start[i], before);
      out_.program.require_at_least(makespan_, end_[i] + after);
    }
  }

  // Of a set of tasks in which nothing runs beside a wide one.
  template <class Predicate>
  void add_paths(const Predicate& is_in) {
    std::vector<Expression> until, from;
    Expression wide;
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      until.push_back(out_.program.add_column(0, time(last_)));
      from.push_back(out_.program.add_column(0, time(last_)));
      wide += is_in(i) ? wide_time(i) : 0;
    }
    const auto length = [&](std::size_t i) { return is_in(i) ? narrow_time(i) : Expression(0); };
    for (const auto& [i, j] : tasks_.edges) {
      out_.program.require_at_least(until[j], until[i] + length(i));
      out_.program.require_at_least(from[i], from[j] + length(j));
    }
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      Expression wide_before, wide_after;
      for (std::size_t j = 0; j < tasks_.count; ++j) {
        wide_before += is_in(j) && tasks_.before[j][i] ? wide_time(j) : 0;
        wide_after += is_in(j) && tasks_.before[i][j] ? wide_time(j) : 0;
      }
      out_.program.require_at_least(out_.start[i], until[i] + wide_before);
      out_.program.require_at_least(makespan_, end_[i] + from[i] + wide_after);
      out_.program.require_at_least(makespan_, until[i] + length(i) + from[i] + wide);
    }
  }

  const Tasks& tasks_;
  Placement known_;
  std::int64_t last_;
  ScheduleProgram out_;
  std::vector<Members> twins_;
  std::vector<std::size_t> twin_of_;
  Expression makespan_;
  std::vector<Expression> end_;
  std::vector<std::vector<bool>> has_order_;
  std::vector<std::vector<Expression>> order_;
};

}  // namespace

ScheduleProgram write_strong(const Tasks& tasks, double unit, const Placement& known) {
  return StrongWriter(tasks, unit, known).take();
}

}  // namespace phaze::schedule::ilp
