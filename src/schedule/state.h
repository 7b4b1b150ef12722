#pragma once
// What is running while a schedule is built in the order of start times.

#include <algorithm>
#include <array>
#include <vector>

#include "schedule/piece.h"

namespace phaze::schedule {

// Tasks are added with starts that never go back. From the last start on, cores only become free.
class State {
 public:
  explicit State(const Piece& piece) : piece_(piece), ends_(piece.tasks.size(), 0) {}

  Mask scheduled() const { return scheduled_; }
  Time last_start() const { return last_start_; }
  Time latest_end() const { return latest_end_; }
  Time end(std::size_t task) const { return ends_[task]; }
  bool is_wide(std::size_t task) const { return (wide_ & bit(task)) != 0; }  // and scheduled
  bool is_scheduled(std::size_t task) const { return (scheduled_ & bit(task)) != 0; }
  bool is_eligible(std::size_t task) const {
    const Mask before = piece_.tasks[task].before;
    return !is_scheduled(task) && (before & scheduled_) == before;
  }

  // Earliest start of an eligible task, no earlier than the last one.
  Time earliest(std::size_t task, bool wide) const;

  struct Undo {
    Time last_start, latest_end, network_end;
    std::array<Time, kKinds> wide_end;
  };
  Undo add(std::size_t task, Start start);
  void remove(std::size_t task, bool wide, const Undo& undo);

  // Ends of what runs on one core of a kind, latest first; and until when a wide task has the kind.
  const std::vector<Time>& running(std::size_t kind) const { return running_[kind]; }
  Time wide_end(std::size_t kind) const { return wide_end_[kind]; }
  Time network_end() const { return network_end_; }

 private:
  const Piece& piece_;
  Mask scheduled_ = 0, wide_ = 0;
  Time last_start_ = 0;
  Time latest_end_ = 0;
  Time network_end_ = 0;
  std::array<Time, kKinds> wide_end_{};
  std::array<std::vector<Time>, kKinds> running_;
  std::vector<Time> ends_;
};

// Tasks in the order of these starts and in their widths, each as early as it can be.
PieceAnswer replay(const Piece& piece, const std::vector<Start>& starts);

}  // namespace phaze::schedule
