#pragma once
// A scheduling problem as the integer programs see it: plain numbers by task, and what follows from
// the edges. Times are picoseconds.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plan/schedule.h"

namespace phaze::schedule::ilp {

enum class CoreKind { kTensor, kVector };
inline constexpr CoreKind kCoreKinds[] = {CoreKind::kTensor, CoreKind::kVector};

struct Tasks {
  std::size_t count = 0;
  std::int64_t tensor_cores = 0, vector_cores = 0;
  bool exclusive_wide = true;
  // Time on one core and on all; the same where a task cannot be wide or would not gain.
  std::vector<std::int64_t> one, all;
  std::vector<bool> may_be_wide;
  // What it occupies; a task of no length occupies nothing.
  std::vector<bool> on_tensor, on_vector, on_network;
  std::vector<std::vector<bool>> before;                   // by the edges, directly or not
  std::vector<std::pair<std::size_t, std::size_t>> edges;  // those that others do not imply
  // The longest way of fastest times to the task's start, and from its end to the last one.
  std::vector<std::int64_t> head, tail;
  std::int64_t grain = 1;  // divides every time

  std::int64_t fastest(std::size_t task) const { return all[task]; }
  std::int64_t cores(CoreKind kind) const {
    return kind == CoreKind::kTensor ? tensor_cores : vector_cores;
  }
  bool uses(std::size_t task, CoreKind kind) const {
    return kind == CoreKind::kTensor ? on_tensor[task] : on_vector[task];
  }
  bool on_cores(std::size_t task) const { return on_tensor[task] || on_vector[task]; }
  bool share_cores(std::size_t a, std::size_t b) const {
    return (on_tensor[a] && on_tensor[b]) || (on_vector[a] && on_vector[b]);
  }
  bool comparable(std::size_t a, std::size_t b) const { return before[a][b] || before[b][a]; }

  // Never at once, wide or not.
  bool always_apart(std::size_t a, std::size_t b) const;
  // Never at once when either of them is wide.
  bool apart_when_wide(std::size_t a, std::size_t b) const;
  // Some choice of widths and cores keeps them apart.
  bool may_conflict(std::size_t a, std::size_t b) const;
};

Tasks read_tasks(const plan::ScheduleProblem& problem);

// What no schedule is below: the longest way, and the least work of each kind of core and of the
// network over how many there are.
std::int64_t trivial_bound(const Tasks& tasks);

// The most tasks of a kind of which none must come before another.
std::size_t widest_antichain(const Tasks& tasks, CoreKind kind);

}  // namespace phaze::schedule::ilp
