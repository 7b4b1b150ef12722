#pragma once
// A problem as the solvers see it: numbers, at most 128 tasks, in an order that may be run.

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "plan/schedule.h"

namespace phaze::schedule {

using Time = std::int64_t;  // picoseconds
inline constexpr Time kNever = std::numeric_limits<Time>::max();

__extension__ using Mask = unsigned __int128;
__extension__ using Area = __int128;  // picoseconds times cores
inline constexpr std::size_t kMostTasks = 128;
constexpr Mask bit(std::size_t i) { return Mask{1} << i; }

inline constexpr std::size_t kTensor = 0, kVector = 1, kKinds = 2;

struct PieceTask {
  Time one = 0;
  Time all = kNever;                 // kNever: cannot run wide
  std::array<bool, kKinds> needs{};  // kinds of core
  bool is_network = false;
  Mask before = 0;  // direct predecessors
  Mask after = 0;   // direct successors

  Time fastest() const { return one < all ? one : all; }
  bool operator==(const PieceTask&) const = default;
};

struct Piece {
  std::array<std::int64_t, kKinds> cores{};
  bool exclusive_wide = true;
  std::vector<PieceTask> tasks;  // predecessors first

  bool operator==(const Piece&) const = default;
};

// When a task starts, and whether it is wide.
struct Start {
  Time at = 0;
  bool wide = false;
};

struct PieceAnswer {
  std::vector<Start> starts;
  Time makespan = 0;
  Time bound = 0;
  std::int64_t work = 0;
};

// The best of a few priority rules.
PieceAnswer list_schedule(const Piece& piece);
// Longest path of fastest durations, and loads.
Time simple_bound(const Piece& piece);

struct SearchOptions {
  std::int64_t work_limit = 0;
  bool dominance = true;
  bool mixed_bounds = true;
};
PieceAnswer search(const Piece& piece, const SearchOptions& options);

}  // namespace phaze::schedule
