#pragma once
// A bound from what can run at one moment. How, and why it is one: the head of rates.cpp.

#include <memory>
#include <vector>

#include "schedule/moments.h"

namespace phaze::schedule {

// Progress per unit of time that counts, by task and width: at no moment more than 1 in all.
struct Rates {
  std::vector<double> one, wide;
  std::vector<double> value;  // of a whole task, in whichever width it counts least
  double sum = 0;             // of all: a bound on the makespan
  // The relaxed schedule that they belong to.
  struct Spent {
    Moment moment;
    double time = 0;
  };
  std::vector<Spent> spent;
};

// Tasks that the relaxed schedule runs wide for more than a half.
Mask mostly_wide(const Piece& piece, const Rates& rates);

inline constexpr int kMostRateSteps = 400;

// Finds rates; moments that were found serve the next question.
class RateFinder {
 public:
  explicit RateFinder(const Piece& piece);
  ~RateFinder();

  // Ends early when the bound reaches `enough`, or after so many steps.
  Rates find(const Company& company, Time enough, int steps);
  // Whether the bound reaches `enough`; no, where that takes more steps. Starts from what `find`
  // found last.
  bool reaches(const Company& company, Time enough, int steps);

 private:
  class Program;
  struct Goal {
    Time enough;
    bool gives_up;  // as soon as it is clear that the bound stays below
  };
  Rates solve(Program& program, const Company& company, const Goal& goal, int steps);

  const Piece& piece_;
  std::vector<Moment> known_;
  std::unique_ptr<Program> last_;
};

}  // namespace phaze::schedule
