#pragma once
// Branch and bound over schedules of a piece, in the order of start times. Why it loses no optimum:
// the head of look.cpp.

#include <functional>
#include <vector>

#include "schedule/at_once.h"
#include "schedule/bounds.h"
#include "schedule/piece.h"
#include "schedule/seen.h"
#include "schedule/state.h"
#include "schedule/wide_order.h"

namespace phaze::schedule {

class Look {
 public:
  Look(const Piece& piece, const SearchOptions& options, Bounds& bounds);

  struct Question {
    Time limit = kNever;         // schedules that end no earlier are of no use
    Time goal = 0;               // one that ends here is good enough
    std::int64_t last_node = 0;  // as work counts
  };
  struct Answer {
    bool is_complete = true;   // it found the best, or there is none before the limit
    Time open_bound = kNever;  // on what is left; never: it was stopped before the first branch
  };
  // Searches schedules that the bounds allow; `best` gets better ones and the work. Asks whether to
  // stop now and then.
  Answer run(const Question& question, PieceAnswer& best,
             const std::function<bool()>& is_cancelled);

 private:
  void branch(std::size_t depth);

  const Piece& piece_;
  const SearchOptions& options_;
  Bounds& bounds_;
  State state_;
  WideOrder wide_order_;
  Seen seen_;
  AtOnce at_once_;
  std::vector<Start> current_;
  Question question_;
  Answer answer_;
  PieceAnswer* best_ = nullptr;
  const std::function<bool()>* is_cancelled_ = nullptr;
};

}  // namespace phaze::schedule
