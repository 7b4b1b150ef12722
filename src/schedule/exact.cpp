#include "schedule/exact.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "base/check.h"
#include "schedule/piece.h"

namespace phaze::schedule {

using plan::Schedule;
using plan::ScheduleProblem;
using plan::TaskId;
using plan::TaskUnit;

namespace {

// Ancestors and descendants of tasks by rows of bits.
class Reach {
 public:
  Reach(std::size_t size, const std::vector<std::vector<std::size_t>>& next,
        const std::vector<std::size_t>& order)
      : words_((size + 63) / 64), bits_(size * words_, 0) {
    for (std::size_t k = order.size(); k-- > 0;) {
      const std::size_t i = order[k];
      for (const std::size_t j : next[i]) {
        bits_[i * words_ + j / 64] |= std::uint64_t{1} << (j % 64);
        for (std::size_t w = 0; w < words_; ++w) {
          bits_[i * words_ + w] |= bits_[j * words_ + w];
        }
      }
    }
  }
  std::size_t count(std::size_t i) const {
    std::size_t n = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      n += static_cast<std::size_t>(__builtin_popcountll(bits_[i * words_ + w]));
    }
    return n;
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

struct Graph {
  std::vector<std::vector<std::size_t>> before, after;
  std::vector<std::size_t> order;  // predecessors first
};

Graph graph_of(const ScheduleProblem& problem) {
  const std::size_t n = problem.tasks.size();
  Graph graph{
      std::vector<std::vector<std::size_t>>(n), std::vector<std::vector<std::size_t>>(n), {}};
  std::vector<std::size_t> waits(n, 0);
  for (const auto& [from, to] : problem.edges) {
    graph.after[from.index()].push_back(to.index());
    graph.before[to.index()].push_back(from.index());
    ++waits[to.index()];
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (waits[i] == 0) {
      graph.order.push_back(i);
    }
  }
  for (std::size_t k = 0; k < graph.order.size(); ++k) {
    for (const std::size_t j : graph.after[graph.order[k]]) {
      if (--waits[j] == 0) {
        graph.order.push_back(j);
      }
    }
  }
  CHECK(graph.order.size() == n, "readers refuse cycles");
  return graph;
}

// Cuts the tasks into groups such that all of one come before all of the next: with d descendants
// and a ancestors of each, the pairs between a beginning of the order and the rest are the sum of
// d - a over the beginning; it is a cut when that is all pairs.
std::vector<std::vector<std::size_t>> cut(const Graph& graph) {
  const std::size_t n = graph.order.size();
  const Reach descendants(n, graph.after, graph.order);
  const std::vector<std::size_t> reversed(graph.order.rbegin(), graph.order.rend());
  const Reach ancestors(n, graph.before, reversed);
  std::vector<std::size_t> order = graph.order;
  std::vector<std::size_t> above(n);
  for (std::size_t i = 0; i < n; ++i) {
    above[i] = ancestors.count(i);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return above[a] < above[b]; });
  std::vector<std::vector<std::size_t>> groups(1);
  std::int64_t pairs = 0;
  for (std::size_t k = 0; k < n; ++k) {
    groups.back().push_back(order[k]);
    pairs += static_cast<std::int64_t>(descendants.count(order[k])) -
             static_cast<std::int64_t>(above[order[k]]);
    const auto done = static_cast<std::int64_t>(k + 1);
    if (k + 1 < n && pairs == done * (static_cast<std::int64_t>(n) - done)) {
      groups.emplace_back();
    }
  }
  return groups;
}

// Predecessors first, and what has the longest way behind it: tasks that more wait for get lower
// numbers.
void sort_by_tails(const ScheduleProblem& problem, const Graph& graph,
                   std::vector<std::vector<std::size_t>>& groups) {
  std::vector<Time> tails(problem.tasks.size(), 0);
  for (std::size_t k = graph.order.size(); k-- > 0;) {
    const std::size_t i = graph.order[k];
    const plan::Task& task = problem.tasks[TaskId(i)];
    const Time one = task.one_core.value();
    // One more than it takes, so that no successor is as far from the end.
    Time tail = 0;
    for (const std::size_t j : graph.after[i]) {
      tail = std::max(tail, tails[j]);
    }
    tails[i] = tail + 1 + (task.all_cores ? std::min(one, task.all_cores->value()) : one);
  }
  for (std::vector<std::size_t>& group : groups) {
    std::stable_sort(group.begin(), group.end(),
                     [&tails](std::size_t a, std::size_t b) { return tails[a] > tails[b]; });
  }
}

Piece piece_of(const ScheduleProblem& problem, const Graph& graph,
               const std::vector<std::size_t>& members) {
  Piece piece;
  piece.cores = {problem.tensor_cores, problem.vector_cores};
  piece.exclusive_wide = problem.exclusive_wide;
  std::vector<std::size_t> place(problem.tasks.size(), members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    place[members[i]] = i;
  }
  piece.tasks.reserve(members.size());
  for (const std::size_t member : members) {
    const plan::Task& task = problem.tasks[TaskId(member)];
    PieceTask t;
    t.one = task.one_core.value();
    t.all = task.all_cores ? task.all_cores->value() : kNever;
    t.needs = {plan::needs_tensor(task.unit), plan::needs_vector(task.unit)};
    t.is_network = task.unit == TaskUnit::kNetwork;
    for (const std::size_t j : graph.before[member]) {
      if (place[j] < members.size()) {
        t.before |= bit(place[j]);
      }
    }
    for (const std::size_t j : graph.after[member]) {
      if (place[j] < members.size()) {
        t.after |= bit(place[j]);
      }
    }
    piece.tasks.push_back(t);
  }
  return piece;
}

// Tasks with their starts; cores are handed out in the order of starts.
Schedule with_cores(const ScheduleProblem& problem, const std::vector<Start>& starts) {
  Schedule schedule;
  const std::size_t n = problem.tasks.size();
  schedule.runs.resize(n, {});
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return starts[a].at < starts[b].at; });
  const std::array<std::int64_t, kKinds> cores = {problem.tensor_cores, problem.vector_cores};
  std::array<std::vector<Time>, kKinds> free_at;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    free_at[kind].assign(static_cast<std::size_t>(cores[kind]), 0);
  }
  for (const std::size_t i : order) {
    const plan::Task& task = problem.tasks[TaskId(i)];
    plan::TaskRun& run = schedule.runs[TaskId(i)];
    run.wide = starts[i].wide;
    run.start = Picoseconds(starts[i].at);
    run.end = run.start + (run.wide ? *task.all_cores : task.one_core);
    schedule.makespan = std::max(schedule.makespan, run.end);
    const std::array<bool, kKinds> needs = {plan::needs_tensor(task.unit),
                                            plan::needs_vector(task.unit)};
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (!needs[kind]) {
        continue;
      }
      std::vector<std::int64_t>& used = kind == kTensor ? run.tensor_cores : run.vector_cores;
      if (run.start == run.end) {
        // It books nothing; the names are for form's sake.
        used.resize(run.wide ? static_cast<std::size_t>(cores[kind]) : 1);
        std::iota(used.begin(), used.end(), 0);
        continue;
      }
      for (std::size_t c = 0; c < free_at[kind].size(); ++c) {
        if (free_at[kind][c] <= starts[i].at) {
          used.push_back(static_cast<std::int64_t>(c));
          free_at[kind][c] = run.end.value();
          if (!run.wide) {
            break;
          }
        }
      }
      CHECK(used.size() == (run.wide ? static_cast<std::size_t>(cores[kind]) : 1),
            "a task has its cores");
    }
  }
  return schedule;
}

std::vector<std::vector<std::size_t>> chop(const std::vector<std::vector<std::size_t>>& groups) {
  std::vector<std::vector<std::size_t>> parts;
  for (const std::vector<std::size_t>& group : groups) {
    for (std::size_t i = 0; i < group.size(); i += kMostTasks) {
      const std::size_t end = std::min(i + kMostTasks, group.size());
      parts.emplace_back(group.begin() + static_cast<std::ptrdiff_t>(i),
                         group.begin() + static_cast<std::ptrdiff_t>(end));
    }
  }
  return parts;
}

// The longest way at fastest durations, and the load of each kind of core.
Time path_bound(const ScheduleProblem& problem, const Graph& graph) {
  std::vector<Time> ends(problem.tasks.size(), 0);
  std::array<Area, kKinds> area{};
  const std::array<std::int64_t, kKinds> cores = {problem.tensor_cores, problem.vector_cores};
  Time bound = 0;
  Time network = 0;
  for (const std::size_t i : graph.order) {
    const plan::Task& task = problem.tasks[TaskId(i)];
    const Time one = task.one_core.value();
    network += task.unit == TaskUnit::kNetwork ? one : 0;
    const Time all = task.all_cores ? task.all_cores->value() : kNever;
    Time at = 0;
    for (const std::size_t j : graph.before[i]) {
      at = std::max(at, ends[j]);
    }
    ends[i] = at + std::min(one, all);
    bound = std::max(bound, ends[i]);
    const std::array<bool, kKinds> needs = {plan::needs_tensor(task.unit),
                                            plan::needs_vector(task.unit)};
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (needs[kind]) {
        area[kind] += std::min(Area{one}, Area{all} * cores[kind]);
      }
    }
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    const Area n = std::max<std::int64_t>(1, cores[kind]);
    bound = std::max(bound, static_cast<Time>((area[kind] + n - 1) / n));
  }
  return std::max(bound, network);
}

// The same order and widths, each task as early as what it waits for and its cores allow.
std::vector<Start> shift_left(const ScheduleProblem& problem, const Graph& graph,
                              const std::vector<Start>& starts) {
  std::vector<std::size_t> order = graph.order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return starts[a].at < starts[b].at; });
  std::array<std::vector<Time>, kKinds> free_at = {
      std::vector<Time>(static_cast<std::size_t>(problem.tensor_cores), 0),
      std::vector<Time>(static_cast<std::size_t>(problem.vector_cores), 0)};
  Time network = 0;
  std::vector<Start> shifted = starts;
  std::vector<Time> ends(starts.size(), 0);
  for (const std::size_t i : order) {
    const plan::Task& task = problem.tasks[TaskId(i)];
    const bool wide = starts[i].wide;
    const Time length = (wide ? *task.all_cores : task.one_core).value();
    const std::array<bool, kKinds> needs = {plan::needs_tensor(task.unit),
                                            plan::needs_vector(task.unit)};
    const auto takes_all = [&](std::size_t kind) {
      return wide && (needs[kind] || problem.exclusive_wide);
    };
    Time at = task.unit == TaskUnit::kNetwork ? network : 0;
    for (const std::size_t j : graph.before[i]) {
      at = std::max(at, ends[j]);
    }
    for (std::size_t kind = 0; kind < kKinds && length > 0; ++kind) {
      if (takes_all(kind) && !free_at[kind].empty()) {
        at = std::max(at, *std::max_element(free_at[kind].begin(), free_at[kind].end()));
      } else if (needs[kind]) {
        at = std::max(at, *std::min_element(free_at[kind].begin(), free_at[kind].end()));
      }
    }
    shifted[i].at = at;
    ends[i] = at + length;
    network = task.unit == TaskUnit::kNetwork ? ends[i] : network;
    for (std::size_t kind = 0; kind < kKinds && length > 0; ++kind) {
      if (takes_all(kind)) {
        std::fill(free_at[kind].begin(), free_at[kind].end(), ends[i]);
      } else if (needs[kind]) {
        *std::min_element(free_at[kind].begin(), free_at[kind].end()) = ends[i];
      }
    }
  }
  return shifted;
}

enum class Method { kExact, kList };

// What pieces that are solved, and those to come, add to one.
struct Around {
  Time end = 0, bound = 0;  // of those before it
  std::int64_t work = 0;    // on those before it
  Time list_after = 0,
       after = 0;  // of those behind it: list schedules, and what they take at least
};

SearchOptions search_options(const ExactOptions& options, const Around& around,
                             bool& is_cancelled) {
  SearchOptions search;
  search.work_limit = is_cancelled ? 0 : options.work_limit - around.work;
  search.cutoff = options.cutoff
                      ? std::max<Time>(0, options.cutoff->value() - around.bound - around.after)
                      : kNever;
  search.dominance = options.dominance;
  search.wide_order = options.wide_order;
  search.twins = options.twins;
  search.mixed_bounds = options.mixed_bounds;
  search.memory = options.memory;
  if (options.is_cancelled) {
    search.is_cancelled = [&options, &is_cancelled, around](Time best, Time low,
                                                            std::int64_t nodes) {
      is_cancelled =
          is_cancelled ||
          options.is_cancelled(Picoseconds(around.end + best + around.list_after),
                               Picoseconds(around.bound + low + around.after), around.work + nodes);
      return is_cancelled;
    };
  }
  return search;
}

Schedule solve(const ScheduleProblem& problem, const ExactOptions& options, Method method) {
  for (const plan::Task& task : problem.tasks) {
    const bool needs_tensor = plan::needs_tensor(task.unit);
    const bool needs_vector = plan::needs_vector(task.unit);
    CHECK(
        (!needs_tensor || problem.tensor_cores > 0) && (!needs_vector || problem.vector_cores > 0),
        "readers refuse tasks without cores");
  }
  const Graph graph = graph_of(problem);
  std::vector<std::vector<std::size_t>> groups = {graph.order};
  if (options.pieces) {
    groups = cut(graph);
  }
  sort_by_tails(problem, graph, groups);
  // What is too long for the search is run in parts, one after another: a schedule, but no bound.
  const bool is_whole =
      std::all_of(groups.begin(), groups.end(),
                  [](const std::vector<std::size_t>& group) { return group.size() <= kMostTasks; });
  const Time floor = is_whole ? 0 : path_bound(problem, graph);
  if (!is_whole) {
    groups = chop(groups);
  }
  std::vector<Start> starts(problem.tasks.size());
  Around around;
  bool is_cancelled = false;
  std::vector<std::pair<Piece, PieceAnswer>> solved;  // equal pieces once
  std::vector<Piece> pieces;
  std::vector<std::pair<Time, Time>> quick;  // of each piece: its list schedule's end, a bound
  for (const std::vector<std::size_t>& group : groups) {
    CHECK(group.size() <= kMostTasks, "longer pieces are cut");
    pieces.push_back(piece_of(problem, graph, group));
    if (options.cutoff || options.is_cancelled) {
      const PieceAnswer list =
          options.is_cancelled ? list_schedule(pieces.back()) : quick_schedule(pieces.back());
      quick.emplace_back(list.makespan, is_whole ? list.bound : 0);
      around.list_after += quick.back().first;
      around.after += quick.back().second;
    }
  }
  for (std::size_t p = 0; p < groups.size(); ++p) {
    const std::vector<std::size_t>& group = groups[p];
    const Piece& piece = pieces[p];
    if (!quick.empty()) {
      around.list_after -= quick[p].first;
      around.after -= quick[p].second;
    }
    const auto known = std::find_if(solved.begin(), solved.end(),
                                    [&piece](const auto& one) { return one.first == piece; });
    PieceAnswer answer;
    if (known != solved.end()) {
      answer = known->second;
    } else {
      answer = method == Method::kList
                   ? list_schedule(piece)
                   : search(piece, search_options(options, around, is_cancelled));
      around.work += answer.work;
      solved.emplace_back(piece, answer);
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      starts[group[i]] = {around.end + answer.starts[i].at, answer.starts[i].wide};
    }
    around.end += answer.makespan;
    around.bound += is_whole ? answer.bound : 0;
  }
  Schedule schedule = with_cores(problem, is_whole ? starts : shift_left(problem, graph, starts));
  CHECK(schedule.makespan.value() <= around.end, "pieces follow one another");
  const Time bound = is_whole ? around.bound : floor;
  schedule.lower_bound = Picoseconds(bound);
  schedule.status = bound == schedule.makespan.value() ? plan::SolveStatus::kOptimal
                                                       : plan::SolveStatus::kFeasible;
  schedule.work = around.work;
  return schedule;
}

}  // namespace

Schedule solve_exact(const ScheduleProblem& problem, const ExactOptions& options) {
  return solve(problem, options, Method::kExact);
}

Schedule solve_list(const ScheduleProblem& problem) { return solve(problem, {}, Method::kList); }

}  // namespace phaze::schedule
