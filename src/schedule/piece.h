#pragma once
// A problem as the solvers see it: numbers, at most 128 tasks, in an order that may be run.

#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "plan/schedule.h"
#include "schedule/rules.h"

namespace phaze::schedule {

using Time = std::int64_t;  // picoseconds
inline constexpr Time kNever = std::numeric_limits<Time>::max();

__extension__ using Mask = unsigned __int128;
__extension__ using Area = __int128;  // picoseconds times cores
inline constexpr std::size_t kMostTasks = 128;
// A shift of 128 bits takes longer than to look it up.
inline constexpr std::array<Mask, kMostTasks> kBits = [] {
  std::array<Mask, kMostTasks> bits{};
  for (std::size_t i = 0; i < kMostTasks; ++i) {
    bits[i] = Mask{1} << i;
  }
  return bits;
}();
constexpr Mask bit(std::size_t i) { return kBits[i]; }
// Index of the lowest bit of a mask that has one.
inline std::size_t lowest(Mask mask) {
  const auto low = static_cast<std::uint64_t>(mask);
  return low != 0 ? static_cast<std::size_t>(__builtin_ctzll(low))
                  : 64 + static_cast<std::size_t>(
                             __builtin_ctzll(static_cast<std::uint64_t>(mask >> 64)));
}

inline std::size_t count(Mask mask) {
  return static_cast<std::size_t>(std::popcount(static_cast<std::uint64_t>(mask))) +
         static_cast<std::size_t>(std::popcount(static_cast<std::uint64_t>(mask >> 64)));
}

struct MaskHash {
  std::size_t operator()(Mask mask) const {
    const auto low = static_cast<std::uint64_t>(mask);
    const auto high = static_cast<std::uint64_t>(mask >> 64);
    return static_cast<std::size_t>((low * 0x9E3779B97F4A7C15ULL) ^ (high * 0xC2B2AE3D27D4EB4FULL) ^
                                    (low >> 29));
  }
};

inline constexpr std::size_t kTensor = 0, kVector = 1, kKinds = 2;

struct PieceTask {
  Time one = 0;
  Time all = kNever;                 // kNever: cannot run wide
  std::array<bool, kKinds> needs{};  // kinds of core
  bool is_network = false;
  Mask before = 0;  // direct predecessors
  Mask after = 0;   // direct successors

  Time fastest() const { return one < all ? one : all; }
  bool needs_cores() const { return needs[kTensor] || needs[kVector]; }
  bool operator==(const PieceTask&) const = default;
};

inline Time duration(const PieceTask& task, bool wide) { return wide ? task.all : task.one; }

struct Piece {
  std::array<std::int64_t, kKinds> cores{};
  bool exclusive_wide = true;
  std::vector<PieceTask> tasks;  // predecessors first

  bool operator==(const Piece&) const = default;
};

inline Mask all_of(const Piece& piece) {
  return piece.tasks.size() == kMostTasks ? ~Mask{0} : bit(piece.tasks.size()) - 1;
}

// When a task starts, and whether it is wide.
struct Start {
  Time at = 0;
  bool wide = false;
};

// Tasks in the order of their starts.
std::vector<std::size_t> by_starts(const std::vector<Start>& starts);

struct PieceAnswer {
  std::vector<Start> starts;
  Time makespan = 0;
  Time bound = 0;
  std::int64_t work = 0;
};

// The best of a few priority rules, and that of the first of them.
PieceAnswer list_schedule(const Piece& piece);
PieceAnswer quick_schedule(const Piece& piece);
// Tasks one after another, each as fast as it can be: some schedule.
PieceAnswer one_by_one(const Piece& piece);
// The best that a local search of so many steps finds, or `best`; stops at the goal, or when it is
// told to. Work counts steps.
PieceAnswer improve(const Piece& piece, PieceAnswer best, Time goal, std::int64_t steps,
                    const std::function<bool()>& is_cancelled);

struct Memory;

struct SearchOptions : Rules {
  std::int64_t work_limit = 0;
  Time cutoff = kNever;  // schedules that end no earlier are of no use
  Time enough = 0;       // one that ends by then is as good as any
  Memory* memory = nullptr;
  // Told the best end, the bound and the work so far; whether to stop.
  std::function<bool(Time, Time, std::int64_t)> is_cancelled;
};
PieceAnswer search(const Piece& piece, const SearchOptions& options);

}  // namespace phaze::schedule
