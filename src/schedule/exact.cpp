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
    t.needs = {task.unit == TaskUnit::kTensor || task.unit == TaskUnit::kBoth,
               task.unit == TaskUnit::kVector || task.unit == TaskUnit::kBoth};
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
    const std::array<bool, kKinds> needs = {
        task.unit == TaskUnit::kTensor || task.unit == TaskUnit::kBoth,
        task.unit == TaskUnit::kVector || task.unit == TaskUnit::kBoth};
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
      CHECK(!used.empty(), "a task has its cores");
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
  for (const std::size_t i : graph.order) {
    const plan::Task& task = problem.tasks[TaskId(i)];
    const Time one = task.one_core.value();
    const Time all = task.all_cores ? task.all_cores->value() : kNever;
    Time at = 0;
    for (const std::size_t j : graph.before[i]) {
      at = std::max(at, ends[j]);
    }
    ends[i] = at + std::min(one, all);
    bound = std::max(bound, ends[i]);
    const std::array<bool, kKinds> needs = {
        task.unit == TaskUnit::kTensor || task.unit == TaskUnit::kBoth,
        task.unit == TaskUnit::kVector || task.unit == TaskUnit::kBoth};
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
  return bound;
}

enum class Method { kExact, kList };

// Of a piece behind others that end at `now`, with their bound and work, and before others that
// take at least `after`.
SearchOptions search_options(const ExactOptions& options, Time now, Time bound, std::int64_t work,
                             Time after) {
  SearchOptions search;
  search.work_limit = options.work_limit - work;
  search.cutoff =
      options.cutoff ? std::max<Time>(0, options.cutoff->value() - bound - after) : kNever;
  search.dominance = options.dominance;
  search.wide_order = options.wide_order;
  search.mixed_bounds = options.mixed_bounds;
  if (options.is_cancelled) {
    search.is_cancelled = [&options, now, bound, work](Time best, Time low, std::int64_t nodes) {
      return options.is_cancelled(Picoseconds(now + best), Picoseconds(bound + low), work + nodes);
    };
  }
  return search;
}

Schedule solve(const ScheduleProblem& problem, const ExactOptions& options, Method method) {
  const Graph graph = graph_of(problem);
  std::vector<std::vector<std::size_t>> groups = {graph.order};
  if (options.pieces) {
    groups = cut(graph);
  }
  // What is too long for the search is run in parts, one after another: a schedule, but no bound.
  const bool is_whole =
      std::all_of(groups.begin(), groups.end(),
                  [](const std::vector<std::size_t>& group) { return group.size() <= kMostTasks; });
  const Time floor = is_whole ? 0 : path_bound(problem, graph);
  if (!is_whole) {
    groups = chop(groups);
  }
  std::vector<Start> starts(problem.tasks.size());
  Time now = 0;
  Time bound = 0;
  std::int64_t work = 0;
  std::vector<std::pair<Piece, PieceAnswer>> solved;  // equal pieces once
  std::vector<Piece> pieces;
  Time after = 0;  // what pieces to come take at least
  for (const std::vector<std::size_t>& group : groups) {
    CHECK(group.size() <= kMostTasks, "longer pieces are cut");
    pieces.push_back(piece_of(problem, graph, group));
    after += options.cutoff ? simple_bound(pieces.back()) : 0;
  }
  for (std::size_t p = 0; p < groups.size(); ++p) {
    const std::vector<std::size_t>& group = groups[p];
    const Piece& piece = pieces[p];
    after -= options.cutoff ? simple_bound(piece) : 0;
    const auto known = std::find_if(solved.begin(), solved.end(),
                                    [&piece](const auto& one) { return one.first == piece; });
    PieceAnswer answer;
    if (known != solved.end()) {
      answer = known->second;
    } else {
      answer = method == Method::kList
                   ? list_schedule(piece)
                   : search(piece, search_options(options, now, bound, work, after));
      work += answer.work;
      solved.emplace_back(piece, answer);
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
      starts[group[i]] = {now + answer.starts[i].at, answer.starts[i].wide};
    }
    now += answer.makespan;
    bound += answer.bound;
  }
  Schedule schedule = with_cores(problem, starts);
  CHECK(schedule.makespan.value() == now, "pieces follow one another");
  bound = is_whole ? bound : floor;
  schedule.lower_bound = Picoseconds(bound);
  schedule.status = bound == now ? plan::SolveStatus::kOptimal : plan::SolveStatus::kFeasible;
  schedule.work = work;
  return schedule;
}

}  // namespace

Schedule solve_exact(const ScheduleProblem& problem, const ExactOptions& options) {
  return solve(problem, options, Method::kExact);
}

Schedule solve_list(const ScheduleProblem& problem) { return solve(problem, {}, Method::kList); }

}  // namespace phaze::schedule
