// The original's program: starts, widths, an order of every two tasks that may be in each other's
// way, closed under transitivity, and one big constant for all that holds only sometimes. Numbers
// of constraints are those of its code. It differs in that tasks which never conflict (network,
// none) have no order, in that fused tasks may pair any two cores (17), and in that there are no
// more cores than tasks.

#include <algorithm>

#include "schedule/ilp_program.h"

namespace phaze::schedule::ilp {

namespace {

class OriginalWriter {
 public:
  OriginalWriter(const Tasks& tasks, double unit) : tasks_(tasks) {
    out_.unit = unit;
    horizon_ = horizon();
    makespan_ = out_.program.add_column(0, horizon_);
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      out_.start.push_back(out_.program.add_column(0, horizon_));
      out_.wide.push_back(tasks_.may_be_wide[i] ? out_.program.add_binary() : Expression(0));
    }
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      end_.push_back(out_.start[i] + time(tasks_.one[i]) +
                     (time(tasks_.all[i]) - time(tasks_.one[i])) * out_.wide[i]);  // (4)
    }
    add_orders();
    add_times();
    add_transitivity();
    add_wide();
  }

  // (12), (18): each task that is not wide has a core, and two on one core are in order.
  void add_cores(CoreKind kind) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      if (tasks_.uses(i, kind)) {
        members.push_back(i);
      }
    }
    const std::int64_t cores =
        std::min(tasks_.cores(kind), static_cast<std::int64_t>(members.size()));
    std::vector<std::vector<Expression>> on(tasks_.count);
    for (const std::size_t i : members) {
      Expression chosen = out_.wide[i];
      for (std::int64_t core = 0; core < cores; ++core) {
        on[i].push_back(out_.program.add_binary());
        chosen += on[i].back();
      }
      require_equal(chosen, 1);
    }
    for (const std::size_t i : members) {
      for (const std::size_t j : members) {
        if (i < j && !tasks_.comparable(i, j)) {
          for (std::size_t core = 0; core < static_cast<std::size_t>(cores); ++core) {
            out_.program.require_at_least(order_[i][j] + order_[j][i],
                                          on[i][core] + on[j][core] - 1);
          }
        }
      }
    }
  }

  ScheduleProgram take() { return std::move(out_); }

 private:
  double time(std::int64_t picoseconds) const {
    return static_cast<double>(picoseconds) / out_.unit;
  }

  // One after another is a schedule.
  double horizon() const {
    double one = 0, all = 0;
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      one += time(tasks_.one[i]);
      all += time(tasks_.all[i]);
    }
    return std::min(one, all);
  }

  bool has_order(std::size_t i, std::size_t j) const {
    return i != j && (tasks_.comparable(i, j) || tasks_.may_conflict(i, j));
  }

  void require_equal(const Expression& a, const Expression& b) {
    out_.program.require_at_least(a, b);
    out_.program.require_at_least(b, a);
  }

  void add_orders() {
    order_.assign(tasks_.count, std::vector<Expression>(tasks_.count));
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      for (std::size_t j = 0; j < tasks_.count; ++j) {
        if (tasks_.comparable(i, j)) {
          order_[i][j] = tasks_.before[i][j] ? 1 : 0;  // (7), (8)
        } else if (has_order(i, j)) {
          order_[i][j] = out_.program.add_binary();
        }
      }
    }
  }

  void add_times() {
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      out_.program.require_at_least(makespan_, end_[i]);  // (3)
      for (std::size_t j = 0; j < tasks_.count; ++j) {
        if (tasks_.before[i][j]) {
          out_.program.require_at_least(out_.start[j], end_[i]);  // (9)
        } else if (has_order(i, j) && !tasks_.comparable(i, j)) {
          out_.program.require_at_least(out_.start[j],
                                        end_[i] - horizon_ * (1 - order_[i][j]));  // (10)
          if (i < j) {
            out_.program.require_at_least(1, order_[i][j] + order_[j][i]);  // (5)
          }
        }
      }
    }
  }

  void add_transitivity() {  // (6)
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      for (std::size_t j = 0; j < tasks_.count; ++j) {
        for (std::size_t k = 0; k < tasks_.count; ++k) {
          if (i != k && has_order(i, j) && has_order(j, k) && has_order(i, k)) {
            const Expression closed = order_[i][k] + 1 - order_[i][j] - order_[j][k];
            if (!closed.is_constant()) {
              out_.program.require_at_least(closed, 0);
            }
          }
        }
      }
    }
  }

  void add_wide() {  // (11), and the network's order
    for (std::size_t i = 0; i < tasks_.count; ++i) {
      for (std::size_t j = i + 1; j < tasks_.count; ++j) {
        if (!has_order(i, j) || tasks_.comparable(i, j)) {
          continue;
        }
        const Expression in_order = order_[i][j] + order_[j][i];
        if (tasks_.on_network[i] && tasks_.on_network[j]) {
          out_.program.require_at_least(in_order, 1);
        } else {
          for (const std::size_t wide : {i, j}) {
            if (tasks_.may_be_wide[wide]) {
              out_.program.require_at_least(in_order, out_.wide[wide]);
            }
          }
        }
      }
    }
  }

  const Tasks& tasks_;
  ScheduleProgram out_;
  double horizon_ = 0;
  Expression makespan_;
  std::vector<Expression> end_;
  // order_[i][j]: 1 where i ends before j starts.
  std::vector<std::vector<Expression>> order_;
};

}  // namespace

ScheduleProgram write_original(const Tasks& tasks, double unit, const Limits& limits) {
  OriginalWriter writer(tasks, unit);
  for (const CoreKind kind : kCoreKinds) {
    if (limits.holds(kind)) {
      writer.add_cores(kind);
    }
  }
  return writer.take();
}

}  // namespace phaze::schedule::ilp
