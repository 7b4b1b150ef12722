#pragma once
// Windows of tasks made smaller by what must run within others. How, and why: squeeze.cpp.

#include <vector>

#include "schedule/intervals.h"
#include "schedule/windows.h"

namespace phaze::schedule {

// Asked again and again, of one order of tasks.
class Squeezer {
 public:
  Squeezer(const Piece& piece, const Order& order);
  Squeezer(const Piece& piece, Order&& order) = delete;  // it is not kept

  // Finds windows of schedules that end before `limit` in widths that tasks may have; whether there
  // may be any.
  bool run(Time limit, const Widths& widths);
  // And some of these windows: with less time, in fewer widths, or with one task before another.
  bool limit_to(Time limit);
  bool leave_out(std::size_t task, bool wide);
  bool put_before(std::size_t first, std::size_t second);

  // What was found, to go back to.
  struct Mark {
    Time limit;
    Widths widths;
    std::vector<Time> starts, ends, last_starts, last_ends;
    std::vector<Mask> above, below;
    std::size_t edges;
  };
  Mark mark() const {
    return {limit_,     widths_, starts_, ends_,        last_starts_,
            last_ends_, above_,  below_,  edges_.size()};
  }
  void go_back(const Mark& mark);

  Time limit() const { return limit_; }
  const Widths& widths() const { return widths_; }
  Time length(std::size_t task) const { return length_[task]; }  // at least
  Time first_start(std::size_t task) const { return starts_[task]; }
  Time last_end(std::size_t task) const { return last_ends_[task]; }
  // All that comes before a task, and all that comes before or after it.
  Mask above(std::size_t task) const { return above_[task]; }
  Mask related(std::size_t task) const { return above_[task] | below_[task]; }

 private:
  // One of the tasks of a resource, in a direction of time: from the beginning, or from the end.
  struct User {
    std::size_t task = 0;
    Time from = 0, to = 0;  // its window
    std::int64_t load = 0;
    Time start = 0, end = 0;  // earliest
  };
  // Of users that end by some time, those that begin no earlier than the last of them.
  struct Inside {
    Time from = 0;
    std::int64_t load = 0;
    Time end = 0;            // of them, at least
    std::int64_t left = 0;   // core time that they leave
    std::int64_t least = 0;  // that these or more of them leave
  };

  bool go_on();
  bool set_lengths();
  bool go_along_edges();
  bool order_pairs();
  bool order_pair(std::size_t a, std::size_t b);
  bool takes_all(std::size_t task, std::size_t resource) const;
  bool find_room(std::size_t resource, bool is_mirrored);
  bool find_room_before(Time to, std::int64_t cores, std::size_t resource);
  void put_behind(User& user, std::size_t before, Time to, std::int64_t cores,
                  bool takes_all) const;
  void put_behind_all(Mask tasks, const std::vector<Mask>& all, std::int64_t cores,
                      bool is_mirrored);
  void touch(std::size_t task);
  void raise(std::size_t task, Time& time, Time to);
  void lower(std::size_t task, Time& time, Time to);

  const Piece& piece_;
  const std::size_t n_;
  const Order& order_;
  Mask joins_ = 0, forks_ = 0;  // tasks with several directly before, or behind them
  std::vector<Mask> above_, below_;
  std::vector<std::pair<std::size_t, std::size_t>> edges_;  // that were added
  Time limit_ = kNever;
  Widths widths_;
  std::vector<Time> length_, longest_, starts_, ends_, last_starts_, last_ends_;
  std::vector<Loads> loads_;
  std::vector<User> users_;
  std::vector<Inside> inside_;
  struct Outside {
    std::size_t user, inside;  // so many of those inside begin no earlier
  };
  std::vector<Outside> outside_;
  unsigned touched_ = 0;  // resources whose users have other windows
  bool has_changed_ = false;
};

}  // namespace phaze::schedule
