#pragma once
// States of a search by segments (segments.h): which tasks are done, and what runs.

#include <memory_resource>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedule/intervals.h"
#include "schedule/piece.h"
#include "schedule/segment_tasks.h"

namespace phaze::schedule {

inline constexpr std::size_t kNoState = ~std::size_t{0};

struct SegmentState {
  Mask done = 0;           // or running
  Mask behind = 0;         // all that comes after a task of the segment
  Time begin = 0;          // of the segment
  Time last_start = 0;     // in it
  Time latest_end = 0;     // in it
  Time end_if_alone = 0;   // of its tasks, from its begin on
  double values_left = 0;  // of all that is not done
  double bound = 0;
  std::size_t running = 0, running_end = 0;
  std::size_t parent = kNoState;
  std::size_t task = kNoTask;  // that was added to the parent's; none: a segment ended
  bool is_dead = false;        // another is as good

  // The task that was added last is always among those that run.
  bool is_between_segments() const { return running == running_end; }
};

class SegmentStates {
 public:
  // Of a segment, what ends no earlier than the last start.
  struct Running {
    std::size_t task = 0;
    Time end = 0;
  };

  SegmentStates(const Piece& piece, const Intervals& order, bool has_dominance)
      : piece_(piece),
        order_(order),
        has_dominance_(has_dominance),
        by_count_(piece.tasks.size() + 1) {}

  // Keeps a state unless one with the same tasks done is as good; those that it is as good as are
  // dead from here on. Its running tasks, latest end first, are those that were added last.
  void add(const SegmentState& state);
  void add_running(const Running& running) { running_.push_back(running); }
  // Of a state that is not kept.
  void drop_running(const SegmentState& state) { running_.resize(state.running); }
  std::size_t running_size() const { return running_.size(); }

  std::size_t size() const { return all_.size(); }
  const SegmentState& operator[](std::size_t index) const { return all_[index]; }
  // Latest end first. Not to be kept while running tasks are added.
  std::span<const Running> running_of(const SegmentState& state) const {
    return {running_.data() + state.running, state.running_end - state.running};
  }
  // Those with so many tasks done.
  std::vector<std::size_t>& with(std::size_t count) { return by_count_[count]; }
  std::int64_t compared() const { return compared_; }

 private:
  // Of a state, what rules most others out.
  struct Held {
    Time last_start = 0, latest_end = 0;
    std::size_t state = 0;
    bool may_be_as_good(const Held& other) const {
      return last_start <= other.last_start && latest_end <= other.latest_end;
    }
  };

  bool is_as_good(const SegmentState& a, const SegmentState& b) const;
  bool has_cores(const SegmentState& a, const SegmentState& b, std::size_t kind) const;
  bool has_results(const SegmentState& a, const SegmentState& b) const;

  const Piece& piece_;
  const Intervals& order_;
  const bool has_dominance_;
  std::vector<SegmentState> all_;
  std::vector<Running> running_;  // of all
  std::vector<std::vector<std::size_t>> by_count_;
  std::pmr::monotonic_buffer_resource arena_;  // nothing is given back before the end
  std::pmr::unordered_map<Mask, std::pmr::vector<Held>, MaskHash> by_done_{&arena_};
  std::int64_t compared_ = 0;
};

// The schedule whose last segment is that of a state; what is in no segment runs alone.
std::vector<Start> starts_of(const Piece& piece, const Intervals& order, const SegmentTasks& tasks,
                             const SegmentStates& states, std::size_t last);

}  // namespace phaze::schedule
