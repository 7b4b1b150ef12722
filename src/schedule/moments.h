#pragma once
// What can run at one moment: tasks in widths of which none comes before another, on the cores that
// there are.

#include <array>
#include <vector>

#include "schedule/intervals.h"
#include "schedule/piece.h"
#include "schedule/windows.h"

namespace phaze::schedule {

struct Moment {
  Mask one = 0, wide = 0;  // tasks on one core, and wide
};

// Which tasks may run at once, and in which widths. Tasks that can take no time are left out.
struct Company {
  Mask one = 0, wide = 0;   // that may run so
  std::vector<Mask> apart;  // by task: those that never run beside it, and itself
};
// Tasks in an order and in widths that they may have. With windows of schedules that end before a
// limit, tasks whose windows do not meet are apart too.
Company find_company(const Piece& piece, const Intervals& intervals, const Windows& windows,
                     Time limit);

bool fits(const Company& company, const Moment& moment);

// The heaviest moment for given weights of tasks on one core and wide.
class HeaviestMoment {
 public:
  HeaviestMoment(const Piece& piece, const Company& company);

  struct Found {
    Moment moment;
    double weight = 0;  // of the moment, or `floor` where none is heavier
    double most = 0;    // no moment is heavier
  };
  // The heaviest, if one is heavier than `floor`. Looks at so many nodes at most.
  Found find(const std::vector<double>& one, const std::vector<double>& wide, double floor,
             std::int64_t nodes);

 private:
  void rank(const std::vector<double>& one);
  void start(Mask with, double weight);
  void extend(Mask open, double weight, std::array<std::int64_t, kKinds> cores);
  double most_by_cores(Mask open, const std::array<std::int64_t, kKinds>& cores) const;
  double most_by_chains(Mask open, double enough);

  const Piece& piece_;
  const Company& company_;
  // By rank, and so are masks of these but for that of wide tasks.
  std::vector<std::size_t> tasks_;
  std::vector<double> weights_;
  std::vector<Mask> apart_;
  std::array<Mask, kKinds> users_{};
  Mask network_ = 0;
  std::vector<double> left_;  // scratch
  Mask current_ = 0, wide_ = 0;
  Found found_;
  std::int64_t nodes_left_ = 0;
};

}  // namespace phaze::schedule
