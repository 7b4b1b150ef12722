#pragma once
// The end of a schedule by segments as a packing: once nothing but whole tasks on one core each is
// left, and none of a kind waits for another, which of them go to which core? How: the head of
// segment_packing.cpp.

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "schedule/segment_states.h"
#include "schedule/segment_tasks.h"

namespace phaze::schedule {

// Starts of all tasks that were left and run on one core; those that have to run alone come behind
// the last end of them.
struct SegmentPacking {
  std::vector<std::pair<std::size_t, Time>> starts;
  Time end = 0;  // of all
};

class SegmentPacker {
 public:
  SegmentPacker(const Piece& piece, const Intervals& order, const SegmentTasks& tasks);

  // The kind of core whose tasks can be packed when these are done; none where they cannot.
  std::optional<std::size_t> packable_kind(Mask done) const;

  // A way to go on from a state with such a kind that ends before `limit`; none where none is
  // found. `work` is reduced by what it took, and ends the search at nought.
  std::optional<SegmentPacking> find(const SegmentState& state, std::size_t kind,
                                     std::span<const SegmentStates::Running> running, Time limit,
                                     std::int64_t& work);

 private:
  struct Item {
    std::size_t task = 0;
    Time length = 0;
    Time tail = 0;
    Time ready = 0;
  };
  struct Core {
    Time from = 0;
    std::vector<std::size_t> items;  // that it runs
  };

  std::size_t busier_kind(Mask left) const;
  bool fill_from(std::size_t core, Area idle, std::int64_t& work);
  bool add_items(std::size_t core, std::size_t first, Time room, Area idle, std::int64_t& work);
  bool is_in_time(Core& core) const;
  std::optional<SegmentPacking> with_others(Mask others, const SegmentState& state,
                                            std::span<const SegmentStates::Running> running,
                                            std::size_t kind) const;

  const Piece& piece_;
  const Intervals& order_;
  const SegmentTasks& tasks_;
  // Of the packing at hand: items that are left, longest first; cores, the one that is free last
  // first.
  std::vector<Item> items_;
  std::vector<bool> is_used_;
  std::vector<Core> cores_;
  Time last_ = 0;
};

}  // namespace phaze::schedule
