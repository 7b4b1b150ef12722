#include "support/pieces.h"

#include <algorithm>
#include <numeric>

#include "schedule/bounds.h"
#include "verify/schedule.h"

namespace phaze::tests {

using plan::ScheduleProblem;
using plan::TaskId;
using schedule::kNever;
using schedule::Mask;
using schedule::Piece;
using schedule::State;
using schedule::Time;

namespace {

// The tasks in an order in which they can run.
ScheduleProblem in_order(const ScheduleProblem& problem) {
  std::vector<std::size_t> order;
  std::vector<std::size_t> place(problem.tasks.size(), problem.tasks.size());
  while (order.size() < place.size()) {
    for (std::size_t i = 0; i < place.size(); ++i) {
      const bool waits = std::ranges::any_of(problem.edges, [&](const auto& edge) {
        return edge.second.index() == i && place[edge.first.index()] == place.size();
      });
      if (!waits && place[i] == place.size()) {
        place[i] = order.size();
        order.push_back(i);
      }
    }
  }
  ScheduleProblem sorted = problem;
  sorted.edges.clear();
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.tasks[TaskId(i)] = problem.tasks[TaskId(order[i])];
  }
  for (const auto& [before, after] : problem.edges) {
    sorted.edges.emplace_back(place[before.index()], place[after.index()]);
  }
  return sorted;
}

Piece piece_of(const ScheduleProblem& problem) {
  Piece piece;
  piece.cores = {problem.tensor_cores, problem.vector_cores};
  piece.exclusive_wide = problem.exclusive_wide;
  for (const plan::Task& task : problem.tasks) {
    schedule::PieceTask each;
    each.one = task.one_core.value();
    each.all = task.all_cores ? task.all_cores->value() : kNever;
    each.needs = {plan::needs_tensor(task.unit), plan::needs_vector(task.unit)};
    each.is_network = task.unit == plan::TaskUnit::kNetwork;
    piece.tasks.push_back(each);
  }
  for (const auto& [before, after] : problem.edges) {
    piece.tasks[before.index()].after |= schedule::bit(after.index());
    piece.tasks[after.index()].before |= schedule::bit(before.index());
  }
  return piece;
}

// So many cores that nothing has at that moment, and has them from then on.
std::vector<std::int64_t> take_cores(std::vector<Time>& free_at, std::size_t count, Time from,
                                     Time to) {
  std::vector<std::int64_t> taken;
  for (std::size_t core = 0; core < free_at.size() && taken.size() < count; ++core) {
    if (free_at[core] <= from || from == to) {
      free_at[core] = std::max(free_at[core], from == to ? Time{0} : to);
      taken.push_back(static_cast<std::int64_t>(core));
    }
  }
  return taken;
}

}  // namespace

PieceCase random_piece(std::uint64_t seed, const ScheduleProblemOptions& options) {
  PieceCase made;
  made.problem = in_order(random_schedule_problem(seed, options));
  made.piece = piece_of(made.problem);
  return made;
}

std::vector<Step> all_steps(const Piece& piece, const State& state, Mask narrow) {
  std::vector<Step> steps;
  for (std::size_t task = 0; task < piece.tasks.size(); ++task) {
    if (state.is_eligible(task)) {
      steps.push_back({task, false});
      if (piece.tasks[task].all != kNever && (narrow & schedule::bit(task)) == 0) {
        steps.push_back({task, true});
      }
    }
  }
  return steps;
}

State random_state(const Piece& piece, Rng& rng) {
  schedule::Bounds bounds(piece);
  bounds.limit_to(kNever);
  const schedule::Widths& widths = bounds.widths();
  State state(piece);
  for (std::size_t left = rng.below(piece.tasks.size() + 1); left > 0; --left) {
    std::vector<Step> steps = all_steps(piece, state);
    std::erase_if(steps, [&](const Step& step) {
      return !((step.wide ? widths.wide : widths.one) & schedule::bit(step.task));
    });
    const Step step = steps[rng.below(steps.size())];
    state.add(step.task, {state.earliest(step.task, step.wide), step.wide});
  }
  return state;
}

Time earliest_end(const Piece& piece, State& state, const Steps& steps, const Visit& visit) {
  if (state.scheduled() == schedule::all_of(piece)) {
    return state.latest_end();
  }
  Time best = kNever;
  for (const Step& step : steps(state)) {
    if (visit.add) {
      visit.add(step, state.scheduled());
    }
    const State::Undo undo =
        state.add(step.task, {state.earliest(step.task, step.wide), step.wide});
    best = std::min(best, earliest_end(piece, state, steps, visit));
    state.remove(step.task, step.wide, undo);
    if (visit.remove) {
      visit.remove();
    }
  }
  return best;
}

Time best_of(const Piece& piece, const Allows& allows) {
  State state(piece);
  return earliest_end(piece, state, [&](const State& at) {
    std::vector<Step> steps = all_steps(piece, at);
    std::erase_if(steps, [&](const Step& step) { return allows && !allows(at, step); });
    return steps;
  });
}

std::string faults_of(const ScheduleProblem& problem, const std::vector<schedule::Start>& starts,
                      Time makespan) {
  plan::Schedule schedule;
  schedule.runs.resize(problem.tasks.size(), {});
  schedule.makespan = Picoseconds(makespan);
  std::vector<std::size_t> order(starts.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&starts](std::size_t i) { return starts[i].at; });
  std::vector<Time> tensor(static_cast<std::size_t>(problem.tensor_cores), 0);
  std::vector<Time> vector(static_cast<std::size_t>(problem.vector_cores), 0);
  for (const std::size_t i : order) {
    const plan::Task& task = problem.tasks[TaskId(i)];
    plan::TaskRun& run = schedule.runs[TaskId(i)];
    run.wide = starts[i].wide;
    run.start = Picoseconds(starts[i].at);
    run.end = run.start + (run.wide ? task.all_cores.value() : task.one_core);
    const auto take = [&run](std::vector<Time>& cores) {
      return take_cores(cores, run.wide ? cores.size() : 1, run.start.value(), run.end.value());
    };
    if (plan::needs_tensor(task.unit)) {
      run.tensor_cores = take(tensor);
    }
    if (plan::needs_vector(task.unit)) {
      run.vector_cores = take(vector);
    }
  }
  std::string text;
  for (const std::string& fault : verify::find_faults(problem, schedule)) {
    text += fault + "\n";
  }
  return text;
}

}  // namespace phaze::tests
