#include "support/schedule_generators.h"

#include <algorithm>
#include <cstddef>
#include <random>
#include <set>
#include <stdexcept>
#include <string>

namespace phaze::tests {
namespace {

using plan::ScheduleProblem;
using plan::Task;
using plan::TaskId;
using plan::TaskUnit;

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15U + 1) {}
  // The distributions of the standard library differ between its makers.
  std::int64_t pick(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  std::size_t below(std::size_t end) {
    return static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(end) - 1));
  }
  bool toss(std::int64_t of = 2) { return pick(1, of) == 1; }

 private:
  std::mt19937_64 engine_;
};

// Nodes in an order in which they can run, edges from lower to higher ones.
struct Dag {
  std::vector<std::optional<TaskUnit>> units;  // nothing: any
  std::set<std::pair<std::size_t, std::size_t>> edges;

  std::size_t add(std::optional<TaskUnit> unit, const std::vector<std::size_t>& after) {
    units.push_back(unit);
    for (const std::size_t before : after) {
      edges.emplace(before, units.size() - 1);
    }
    return units.size() - 1;
  }
  // So many nodes alone, from one on.
  Dag window(std::size_t first, std::size_t size) const {
    const auto begin = units.begin() + static_cast<std::ptrdiff_t>(first);
    Dag part{{begin, begin + static_cast<std::ptrdiff_t>(size)}, {}};
    for (const auto& [from, to] : edges) {
      if (from >= first && to < first + size) {
        part.edges.emplace(from - first, to - first);
      }
    }
    return part;
  }
};

Dag layered(Random& random, std::size_t size) {
  Dag dag;
  const std::int64_t widest =
      random.pick(1, static_cast<std::int64_t>(std::min<std::size_t>(size, 12)));
  std::size_t layer = 0;         // where the current layer starts
  std::size_t layer_before = 0;  // and the one before it
  std::int64_t left = random.pick(1, widest);
  while (dag.units.size() < size) {
    std::vector<std::size_t> after;
    if (layer > 0) {
      for (std::int64_t i = random.pick(0, 3); i > 0; --i) {
        const std::size_t from = random.toss(6) ? 0 : layer_before;
        after.push_back(from + random.below(layer - from));
      }
    }
    dag.add(std::nullopt, after);
    if (--left == 0) {
      layer_before = layer;
      layer = dag.units.size();
      left = random.pick(1, widest);
    }
  }
  return dag;
}

// A block of `size` nodes after `from`; its last node.
std::size_t add_block(Random& random, Dag& dag, std::size_t size, std::vector<std::size_t> from) {
  while (size >= 4 && random.toss()) {  // a part of it first
    const std::size_t first = 1 + random.below(size - 1);
    from = {add_block(random, dag, first, from)};
    size -= first;
  }
  if (size < 4) {  // a chain
    std::size_t last = dag.add(std::nullopt, from);
    for (; size > 1; --size) {
      last = dag.add(std::nullopt, {last});
    }
    return last;
  }
  const std::size_t fork = dag.add(std::nullopt, from);
  std::vector<std::size_t> ends;
  for (std::size_t left = size - 2; left > 0;) {
    const std::size_t branch = 1 + random.below(left);
    ends.push_back(add_block(random, dag, branch, {fork}));
    left -= branch;
  }
  return dag.add(std::nullopt, ends);
}

Dag series_parallel(Random& random, std::size_t size) {
  Dag dag;
  while (dag.units.size() < size) {
    const std::size_t left = size - dag.units.size();
    add_block(random, dag, random.toss() ? left : 1 + random.below(left), {});
  }
  return dag;
}

// A transformer's layer after `x`: heads in groups, two products of the feed-forward part, with
// collectives between tensor-parallel devices.
std::size_t add_forward(Random& random, Dag& dag, std::vector<std::size_t> x, std::size_t groups,
                        bool has_network) {
  constexpr auto kTensor = TaskUnit::kTensor;
  constexpr auto kVector = TaskUnit::kVector;
  const auto gathered = [&](std::size_t from) {
    return has_network ? dag.add(TaskUnit::kNetwork, {from}) : from;
  };
  const std::size_t norm = dag.add(kVector, x);
  const std::size_t q = dag.add(kTensor, {norm});
  const std::size_t k = dag.add(kTensor, {norm});
  const std::size_t v = dag.add(kTensor, {norm});
  std::vector<std::size_t> heads;
  for (std::size_t i = 0; i < groups; ++i) {
    if (random.toss(3)) {  // fused
      heads.push_back(dag.add(TaskUnit::kBoth, {q, k, v}));
      continue;
    }
    const std::size_t scores = dag.add(kTensor, {q, k});
    const std::size_t softmax = dag.add(kVector, {scores});
    heads.push_back(dag.add(kTensor, {softmax, v}));
  }
  const std::size_t joined = groups > 1 ? dag.add(TaskUnit::kNone, heads) : heads.front();
  x.push_back(gathered(dag.add(kTensor, {joined})));
  const std::size_t residual = dag.add(kVector, x);
  const std::size_t norm2 = dag.add(kVector, {residual});
  const std::size_t up = dag.add(kTensor, {norm2});
  const std::size_t gate = dag.add(kTensor, {norm2});
  const std::size_t activation = dag.add(kVector, {up, gate});
  return dag.add(kVector, {residual, gathered(dag.add(kTensor, {activation}))});
}

Dag transformer(Random& random, std::size_t size, bool has_backward) {
  const std::size_t groups = 1 + random.below(4);
  const bool has_network = random.toss();
  Dag dag;
  std::vector<std::size_t> x;
  while (dag.units.size() < (has_backward ? size / 2 + 1 : size)) {
    x = {add_forward(random, dag, x, groups, has_network)};
  }
  if (!has_backward) {
    return dag;
  }
  // Backward: each node's gradient waits for the gradients of those that read it, and for the node
  // itself; a tensor node has a second one, that of its weights, for which nobody waits.
  const Dag forward = dag;
  std::vector<std::size_t> gradients(forward.units.size());
  std::vector<std::vector<std::size_t>> readers(forward.units.size());
  for (const auto& [from, to] : forward.edges) {
    readers[from].push_back(to);
  }
  for (std::size_t i = forward.units.size(); i-- > 0;) {
    std::vector<std::size_t> after = {i};
    for (const std::size_t reader : readers[i]) {
      after.push_back(gradients[reader]);
    }
    gradients[i] = dag.add(forward.units[i], after);
    if (forward.units[i] == TaskUnit::kTensor) {
      dag.add(TaskUnit::kTensor, after);
    }
  }
  return dag;
}

Dag make_dag(Random& random, TaskGraph graph, std::size_t size) {
  switch (graph) {
    case TaskGraph::kLayered:
      return layered(random, size);
    case TaskGraph::kSeriesParallel:
      return series_parallel(random, size);
    case TaskGraph::kForward:
      return transformer(random, size, false);
    case TaskGraph::kBackward:
      return transformer(random, size, true);
  }
  throw std::logic_error("unknown graph");
}

// Shares of units and kinds of times, chosen once a problem.
class TaskMaker {
 public:
  TaskMaker(Random& random, const ScheduleProblem& problem, Picoseconds most)
      : random_(random),
        problem_(problem),
        most_(most.value()),
        equal_(random.pick(1, std::max<std::int64_t>(1, most_ / 2))),
        times_(random.pick(0, 2)),
        units_(random.pick(0, 3)),
        zero_in_(random.pick(8, 30)),
        anything_goes_(random.toss(8)) {}

  Task make(std::size_t index, std::optional<TaskUnit> given) {
    Task task;
    task.id = "o" + std::to_string(index);
    task.unit = given ? *given : unit();
    task.one_core = Picoseconds(time());
    if (task.unit == TaskUnit::kNetwork || task.unit == TaskUnit::kNone || random_.toss(4)) {
      return task;
    }
    const std::int64_t one = task.one_core.value();
    const std::int64_t cores = task.unit == TaskUnit::kTensor   ? problem_.tensor_cores
                               : task.unit == TaskUnit::kVector ? problem_.vector_cores
                                                                : fewer_cores();
    if (anything_goes_) {
      task.all_cores = Picoseconds(random_.pick(0, one + one / 2));
    } else if (random_.toss(3)) {
      task.all_cores = Picoseconds((one + cores - 1) / cores);
    } else {
      task.all_cores = Picoseconds(random_.pick((one + cores - 1) / cores, one));
    }
    return task;
  }

 private:
  std::int64_t fewer_cores() const {
    return std::min(problem_.tensor_cores, problem_.vector_cores);
  }

  TaskUnit unit() {
    switch (units_) {
      case 0:
        return TaskUnit::kTensor;
      case 1:
        return random_.toss() ? TaskUnit::kTensor : TaskUnit::kVector;
      case 2:
        return static_cast<TaskUnit>(random_.pick(0, 4));
      default:
        return random_.toss(4) ? static_cast<TaskUnit>(random_.pick(2, 4))
                               : static_cast<TaskUnit>(random_.pick(0, 1));
    }
  }

  std::int64_t time() {
    if (random_.toss(zero_in_)) {
      return 0;
    }
    switch (times_) {
      case 0:  // equal, or twice that
        return std::min(most_, random_.toss(4) ? 2 * equal_ : equal_);
      case 1:
        return random_.pick(1, std::min<std::int64_t>(most_, 10));
      default: {  // as many between 1 and 10 as between 10 and 100
        std::int64_t most = 1;
        while (most < most_ && !random_.toss(8)) {
          most = std::min(most_, most * 10);
        }
        return random_.pick(1, most);
      }
    }
  }

  Random& random_;
  const ScheduleProblem& problem_;
  std::int64_t most_, equal_, times_, units_, zero_in_;
  bool anything_goes_;
};

}  // namespace

ScheduleProblem random_schedule_problem(std::uint64_t seed, const ScheduleProblemOptions& options) {
  Random random(seed);
  const auto size =
      static_cast<std::size_t>(random.pick(static_cast<std::int64_t>(options.least_tasks),
                                           static_cast<std::int64_t>(options.most_tasks)));
  const TaskGraph any = static_cast<TaskGraph>(random.pick(0, 3));
  const Dag whole = make_dag(random, options.graph.value_or(any), size);
  const Dag dag = whole.window(random.below(whole.units.size() - size + 1), size);

  ScheduleProblem problem;
  problem.tensor_cores = random.pick(1, options.most_cores);
  problem.vector_cores = random.pick(1, options.most_cores);
  const bool exclusive = random.toss();
  problem.exclusive_wide = options.exclusive.value_or(exclusive);

  // Where each node goes among the tasks.
  std::vector<std::size_t> place(size);
  for (std::size_t i = 0; i < size; ++i) {
    place[i] = i;
  }
  if (random.toss()) {
    for (std::size_t i = size; i > 1; --i) {
      std::swap(place[i - 1], place[random.below(i)]);
    }
  }
  TaskMaker maker(random, problem, options.most_time.value_or(Picoseconds(1'000'000'000)));
  problem.tasks.resize(size, Task{});
  bool has_tensor = false;
  bool has_vector = false;
  for (std::size_t i = 0; i < size; ++i) {
    const Task task = maker.make(i, dag.units[i]);
    has_tensor = has_tensor || task.unit == TaskUnit::kTensor || task.unit == TaskUnit::kBoth;
    has_vector = has_vector || task.unit == TaskUnit::kVector || task.unit == TaskUnit::kBoth;
    problem.tasks[TaskId(place[i])] = task;
  }
  for (const auto& [before, after] : dag.edges) {
    problem.edges.emplace_back(TaskId(place[before]), TaskId(place[after]));
  }
  problem.tensor_cores = has_tensor || random.toss() ? problem.tensor_cores : 0;
  problem.vector_cores = has_vector || random.toss() ? problem.vector_cores : 0;
  return problem;
}

}  // namespace phaze::tests
