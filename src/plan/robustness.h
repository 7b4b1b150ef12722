#pragma once
// How much the winner of a search depends on constants that are not known well. docs/models.md,
// section 30.

#include <cstdint>
#include <string>
#include <vector>

namespace phaze::plan {

// A constant that is drawn: its time over the stated one lies between low and high with a chance
// of 80 %.
struct UncertainConstant {
  std::string name;
  double low = 1, high = 1;
};

struct RobustRival {
  std::string chip;
  std::int64_t wins = 0;                // draws in which it is the best
  double mean_gain = 0, most_gain = 0;  // over the winner, in these draws
};

struct Robustness {
  std::string name;  // of the result: a model, or "common"
  std::string chip;  // the winner
  std::vector<UncertainConstant> constants;
  std::uint64_t seed = 0;
  std::int64_t draws = 0, asked = 0;  // fewer than asked where it was stopped
  // Draws in which no chip is better, and those in which one is better by no more than what
  // schedules that are not proved leave open.
  std::int64_t stays = 0, undecided = 0;
  double mean_loss = 0, worst_loss = 0;  // of the winner against the best of each draw
  std::vector<RobustRival> rivals;       // the one that wins most often first
  std::int64_t looked_at = 0;            // chips that could win in some draw
  // Chips that could, and were left out because there are too many.
  std::int64_t left_out = 0;
  bool is_whole_space = true;  // false: only chips that the search looked at one by one
};

}  // namespace phaze::plan
