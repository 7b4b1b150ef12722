// Pieces one after another, each by the search or by a list schedule.
#include "schedule/exact.h"

#include <algorithm>

#include "base/check.h"
#include "schedule/chop.h"
#include "schedule/cores.h"
#include "schedule/pieces.h"

namespace phaze::schedule {

using plan::Schedule;
using plan::ScheduleProblem;

namespace {

enum class Method { kExact, kList };

// What pieces that are solved, and those to come, add to one.
struct Around {
  Time end = 0, bound = 0;      // of those before it
  std::int64_t work = 0;        // on those before it
  std::int64_t work_limit = 0;  // of those before it and its own
  Time list_after = 0,
       after = 0;  // of those behind it: list schedules, and what they take at least
  // Of all, whatever the pieces come to.
  Time most = kNever, least = 0;
};

SearchOptions search_options(const ExactOptions& options, const Around& around,
                             bool& is_cancelled) {
  SearchOptions search;
  search.work_limit = is_cancelled ? 0 : around.work_limit - around.work;
  search.cutoff = options.cutoff
                      ? std::max<Time>(0, options.cutoff->value() - around.bound - around.after)
                      : kNever;
  // Nothing that ends at the cutoff is enough.
  search.enough = std::max<Time>(
      0, std::min(options.enough.value() - around.end - around.list_after, search.cutoff - 1));
  static_cast<Rules&>(search) = options;
  search.memory = options.memory;
  if (options.is_cancelled) {
    search.is_cancelled = [&options, &is_cancelled, around](Time best, Time low,
                                                            std::int64_t nodes) {
      is_cancelled = is_cancelled ||
                     options.is_cancelled(
                         Picoseconds(std::min(around.most, around.end + best + around.list_after)),
                         Picoseconds(std::max(around.least, around.bound + low + around.after)),
                         around.work + nodes);
      return is_cancelled;
    };
  }
  return search;
}

// A task that stands before or after each of the others.
PieceAnswer alone(const plan::Task& task) {
  const bool wide = task.all_cores && *task.all_cores < task.one_core;
  const Time length = (wide ? *task.all_cores : task.one_core).value();
  return {{{0, wide}}, length, length, 0};
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
  Groups groups = {graph.order};
  if (options.pieces) {
    groups = cut(graph);
  }
  sort_by_tails(problem, graph, groups);
  // What is too long for the search is run in parts, one after another: a schedule, but no bound.
  const bool is_whole =
      std::all_of(groups.begin(), groups.end(),
                  [](const std::vector<std::size_t>& group) { return group.size() <= kMostTasks; });
  const Time floor = is_whole ? 0 : path_bound(problem, graph);
  std::optional<Schedule> by_list;  // which parts that are each the best can be longer than
  if (!is_whole) {
    groups = chop(groups);
    if (method == Method::kExact) {
      by_list = solve(problem, options, Method::kList);
      if (by_list->status == plan::SolveStatus::kOptimal) {
        return *std::move(by_list);
      }
    }
  }
  std::vector<Start> starts(problem.tasks.size());
  Around around;
  around.most = by_list ? by_list->makespan.value() : kNever;
  around.least = floor;
  std::size_t tasks_left = problem.tasks.size();
  bool is_cancelled = false;
  std::vector<std::pair<Piece, PieceAnswer>> solved;  // equal pieces once
  std::vector<Piece> pieces;                          // none of single tasks
  std::vector<std::pair<Time, Time>> quick;  // of each piece: its list schedule's end, a bound
  const bool has_enough = options.enough > Picoseconds();
  const auto several = std::count_if(groups.begin(), groups.end(),
                                     [](const auto& group) { return group.size() > 1; }) > 1;
  for (const std::vector<std::size_t>& group : groups) {
    CHECK(group.size() <= kMostTasks, "longer pieces are cut");
    pieces.push_back(group.size() > 1 ? piece_of(problem, graph, group) : Piece());
    if (options.cutoff || options.is_cancelled || has_enough) {
      const PieceAnswer list = group.size() == 1      ? alone(problem.tasks[plan::TaskId(group[0])])
                               : options.is_cancelled ? list_schedule(pieces.back())
                               : several              ? quick_schedule(pieces.back())
                                         : PieceAnswer();  // of the only one nobody asks
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
    // Parts of what is too long have their share each, where pieces may take all that is left.
    const std::int64_t work_left = options.work_limit - around.work;
    around.work_limit =
        around.work + (is_whole ? work_left
                                : work_left / static_cast<std::int64_t>(tasks_left) *
                                      static_cast<std::int64_t>(group.size()));
    tasks_left -= group.size();
    const auto known = std::find_if(solved.begin(), solved.end(),
                                    [&piece](const auto& one) { return one.first == piece; });
    PieceAnswer answer;
    if (group.size() == 1) {
      answer = alone(problem.tasks[plan::TaskId(group[0])]);
    } else if (known != solved.end()) {
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
  const auto use = [&schedule](Schedule other) {
    if (other.makespan < schedule.makespan) {
      schedule = std::move(other);
    }
  };
  if (by_list) {
    use(*std::move(by_list));
  } else if (!is_whole) {
    for (const WholeWidths widths :
         {WholeWidths::kFastest, WholeWidths::kLeastCoreTime, WholeWidths::kOneCore}) {
      use(with_cores(problem, list_whole(problem, graph, widths)));
    }
  }
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
