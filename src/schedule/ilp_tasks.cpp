#include "schedule/ilp_tasks.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"
#include "base/units.h"

namespace phaze::schedule::ilp {

namespace {

using plan::TaskId;
using plan::TaskUnit;

// Some order in which every task follows its predecessors.
std::vector<std::size_t> topological_order(const plan::ScheduleProblem& problem) {
  const std::size_t count = problem.tasks.size();
  std::vector<std::size_t> waiting(count, 0);
  std::vector<std::vector<std::size_t>> next(count);
  for (const auto& [from, to] : problem.edges) {
    next[from.index()].push_back(to.index());
    ++waiting[to.index()];
  }
  std::vector<std::size_t> order, ready;
  for (std::size_t task = count; task-- > 0;) {
    if (waiting[task] == 0) {
      ready.push_back(task);
    }
  }
  while (!ready.empty()) {
    const std::size_t task = ready.back();
    ready.pop_back();
    order.push_back(task);
    for (const std::size_t after : next[task]) {
      if (--waiting[after] == 0) {
        ready.push_back(after);
      }
    }
  }
  CHECK(order.size() == count, "the edges of a scheduling problem form a circle");
  return order;
}

void read_edges(const plan::ScheduleProblem& problem, const std::vector<std::size_t>& order,
                Tasks& tasks) {
  tasks.before.assign(tasks.count, std::vector<bool>(tasks.count, false));
  std::vector<std::vector<std::size_t>> next(tasks.count);
  for (const auto& [from, to] : problem.edges) {
    next[from.index()].push_back(to.index());
  }
  for (auto task = order.rbegin(); task != order.rend(); ++task) {
    for (const std::size_t after : next[*task]) {
      tasks.before[*task][after] = true;
      for (std::size_t last = 0; last < tasks.count; ++last) {
        if (tasks.before[after][last]) {
          tasks.before[*task][last] = true;
        }
      }
    }
  }
  for (std::size_t from = 0; from < tasks.count; ++from) {
    std::sort(next[from].begin(), next[from].end());
    next[from].erase(std::unique(next[from].begin(), next[from].end()), next[from].end());
    for (const std::size_t to : next[from]) {
      const bool implied = std::any_of(next[from].begin(), next[from].end(),
                                       [&](std::size_t via) { return tasks.before[via][to]; });
      if (!implied) {
        tasks.edges.emplace_back(from, to);
      }
    }
  }
}

void find_heads_and_tails(const std::vector<std::size_t>& order, Tasks& tasks) {
  tasks.head.assign(tasks.count, 0);
  tasks.tail.assign(tasks.count, 0);
  std::vector<std::vector<std::size_t>> next(tasks.count);
  for (const auto& [from, to] : tasks.edges) {
    next[from].push_back(to);
  }
  for (const std::size_t from : order) {
    for (const std::size_t to : next[from]) {
      tasks.head[to] = std::max(tasks.head[to], checked_add(tasks.head[from], tasks.fastest(from)));
    }
  }
  for (auto from = order.rbegin(); from != order.rend(); ++from) {
    for (const std::size_t to : next[*from]) {
      tasks.tail[*from] =
          std::max(tasks.tail[*from], checked_add(tasks.fastest(to), tasks.tail[to]));
    }
  }
}

}  // namespace

bool Tasks::always_apart(std::size_t a, std::size_t b) const {
  if (on_network[a] && on_network[b]) {
    return true;
  }
  return (on_tensor[a] && on_tensor[b] && tensor_cores == 1) ||
         (on_vector[a] && on_vector[b] && vector_cores == 1);
}

bool Tasks::apart_when_wide(std::size_t a, std::size_t b) const {
  return share_cores(a, b) || (exclusive_wide && on_cores(a) && on_cores(b));
}

bool Tasks::may_conflict(std::size_t a, std::size_t b) const {
  return always_apart(a, b) || share_cores(a, b) ||
         (apart_when_wide(a, b) && (may_be_wide[a] || may_be_wide[b]));
}

Tasks read_tasks(const plan::ScheduleProblem& problem) {
  Tasks tasks;
  tasks.count = problem.tasks.size();
  tasks.tensor_cores = problem.tensor_cores;
  tasks.vector_cores = problem.vector_cores;
  tasks.exclusive_wide = problem.exclusive_wide;
  for (const plan::Task& task : problem.tasks) {
    const bool on_tensor = plan::needs_tensor(task.unit);
    const bool on_vector = plan::needs_vector(task.unit);
    CHECK(!on_tensor || problem.tensor_cores > 0, "a task without a tensor core");
    CHECK(!on_vector || problem.vector_cores > 0, "a task without a vector core");
    const std::int64_t one = task.one_core.value();
    // Wide, it is in the way of all that it is in the way of on one core: it must gain by it.
    const std::int64_t all = on_tensor || on_vector
                                 ? std::min(task.all_cores.value_or(task.one_core).value(), one)
                                 : one;
    CHECK(all >= 0, "a task of negative time");
    // What takes no time when wide is so always.
    tasks.one.push_back(all == 0 ? 0 : one);
    tasks.all.push_back(all);
    tasks.may_be_wide.push_back(all > 0 && all < one);
    tasks.on_tensor.push_back(all > 0 && on_tensor);
    tasks.on_vector.push_back(all > 0 && on_vector);
    tasks.on_network.push_back(all > 0 && task.unit == TaskUnit::kNetwork);
  }
  const std::vector<std::size_t> order = topological_order(problem);
  read_edges(problem, order, tasks);
  find_heads_and_tails(order, tasks);
  std::int64_t grain = 0;
  for (std::size_t task = 0; task < tasks.count; ++task) {
    grain = std::gcd(grain, std::gcd(tasks.one[task], tasks.all[task]));
  }
  tasks.grain = std::max<std::int64_t>(grain, 1);
  return tasks;
}

std::int64_t trivial_bound(const Tasks& tasks) {
  std::int64_t bound = 0;
  std::int64_t network = 0;
  for (std::size_t task = 0; task < tasks.count; ++task) {
    bound = std::max(
        bound, checked_add(checked_add(tasks.head[task], tasks.fastest(task)), tasks.tail[task]));
    if (tasks.on_network[task]) {
      network = checked_add(network, tasks.one[task]);
    }
  }
  bound = std::max(bound, network);
  for (const CoreKind kind : kCoreKinds) {
    // In core-picoseconds, so that nothing is rounded before the end. A task is at its least on
    // one core or wide, whichever takes less of all the cores.
    std::int64_t work = 0;
    for (std::size_t task = 0; task < tasks.count; ++task) {
      if (tasks.uses(task, kind)) {
        // Saturates where the product of time and cores would not fit: then one core is less.
        std::int64_t wide = 0;
        const bool fits = !__builtin_mul_overflow(tasks.all[task], tasks.cores(kind), &wide);
        work = checked_add(work, fits ? std::min(tasks.one[task], wide) : tasks.one[task]);
      }
    }
    if (work > 0) {
      const std::int64_t cores = tasks.cores(kind);
      bound = std::max(bound, work / cores + (work % cores > 0 ? 1 : 0));
    }
  }
  return bound;
}

std::size_t widest_antichain(const Tasks& tasks, CoreKind kind) {
  // Dilworth: as many as there are tasks, less a largest matching of tasks with later ones.
  std::vector<std::size_t> members;
  for (std::size_t task = 0; task < tasks.count; ++task) {
    if (tasks.uses(task, kind)) {
      members.push_back(task);
    }
  }
  constexpr std::size_t kNobody = static_cast<std::size_t>(-1);
  std::vector<std::size_t> partner(tasks.count, kNobody);
  std::size_t matched = 0;
  std::vector<bool> seen;
  const auto match = [&](const auto& self, std::size_t from) -> bool {
    for (const std::size_t to : members) {
      if (tasks.before[from][to] && !seen[to]) {
        seen[to] = true;
        if (partner[to] == kNobody || self(self, partner[to])) {
          partner[to] = from;
          return true;
        }
      }
    }
    return false;
  };
  for (const std::size_t from : members) {
    seen.assign(tasks.count, false);
    matched += match(match, from) ? 1 : 0;
  }
  return members.size() - matched;
}

}  // namespace phaze::schedule::ilp
