#pragma once
// A bound from what can run at one moment. How, and why it is one: the head of rates.cpp.

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

// Finds rates; moments that were found serve the next question.
class RateFinder {
 public:
  explicit RateFinder(const Piece& piece) : piece_(piece) {}

  // Ends early when the bound reaches `enough`, or after so many steps.
  Rates find(const Company& company, Time enough, int steps);

 private:
  const Piece& piece_;
  std::vector<Moment> known_;
};

}  // namespace phaze::schedule
