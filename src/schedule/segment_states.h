#pragma once
// States of a search by segments (segments.h): which tasks are done, and what runs.

#include <unordered_map>
#include <vector>

#include "schedule/intervals.h"
#include "schedule/piece.h"

namespace phaze::schedule {

inline constexpr std::size_t kNoState = ~std::size_t{0};

struct SegmentState {
  Mask done = 0;      // or running
  Mask below = 0;     // all that comes after a task of the segment
  Time begin = 0;     // of the segment
  Time last = 0;      // start in it
  Time latest = 0;    // end in it
  Time worth = 0;     // if it ends no earlier, its tasks may as well run alone
  double values = 0;  // of all that is not done
  double bound = 0;
  std::size_t running = 0, running_end = 0;  // what ends no earlier than the last start
  std::size_t parent = kNoState;
  std::size_t task = kNoTask;  // that was added to the parent's; none: a segment ended
  bool is_dead = false;        // another is as good

  bool is_between() const { return running == running_end; }  // segments
};

class SegmentStates {
 public:
  struct Running {
    std::size_t task = 0;
    Time end = 0;
  };

  SegmentStates(const Piece& piece, const Intervals& order)
      : piece_(piece), order_(order), by_count_(piece.tasks.size() + 1) {}

  // Keeps a state unless one with the same tasks done is as good; those that it is as good as are
  // dead from here on. Its running tasks, latest end first, are the last that were added.
  void add(const SegmentState& state);
  void add_running(const Running& running) { running_.push_back(running); }

  std::size_t size() const { return all_.size(); }
  std::size_t running_size() const { return running_.size(); }
  const SegmentState& operator[](std::size_t index) const { return all_[index]; }
  const Running& running(std::size_t index) const { return running_[index]; }
  // Those with so many tasks done.
  std::vector<std::size_t>& with(std::size_t count) { return by_count_[count]; }
  std::int64_t compared() const { return compared_; }

 private:
  // Of a state, what rules most others out.
  struct Held {
    Time last = 0, latest = 0;
    std::size_t state = 0;
    bool may_be_as_good(const Held& other) const {
      return last <= other.last && latest <= other.latest;
    }
  };
  struct MaskHash {
    std::size_t operator()(Mask mask) const;
  };

  bool is_as_good(const SegmentState& a, const SegmentState& b) const;
  bool has_cores(const SegmentState& a, const SegmentState& b, std::size_t kind) const;

  const Piece& piece_;
  const Intervals& order_;
  std::vector<SegmentState> all_;
  std::vector<Running> running_;  // of all
  std::vector<std::vector<std::size_t>> by_count_;
  std::unordered_map<Mask, std::vector<Held>, MaskHash> by_done_;
  std::int64_t compared_ = 0;
};

}  // namespace phaze::schedule
