#pragma once
// How much of a segment is wasted at least, since tasks in it are whole. Why that is a bound: the
// head of segment_waste.cpp.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "schedule/intervals.h"
#include "schedule/piece.h"
#include "schedule/rates.h"
#include "schedule/segment_states.h"
#include "schedule/segment_tasks.h"

namespace phaze::schedule {

class SegmentWaste {
 public:
  // All of them are kept by whoever asks; `rates` may have no values: then nothing is wasted.
  SegmentWaste(const Piece& piece, const Intervals& order, const SegmentTasks& tasks,
               const Rates& rates);

  // No schedule goes on from the state, with `running` in its segment, latest end first, and ends
  // before `limit`. Says so of some of those where that holds.
  bool is_too_much(const SegmentState& state, std::span<const SegmentStates::Running> running,
                   Time limit);
  std::int64_t tried() const { return tried_; }  // ends of segments, and what takes as long

 private:
  // The most that whole tasks on one core are worth together, by the time that they take: steps.
  struct Step {
    Time time = 0;
    double value = 0;
  };
  struct Fillings {
    std::vector<Step> steps;  // the first is nothing at all
    // Of the longest there are fewer than cores, so that not every core can have one.
    std::size_t few = 0;
    const Fillings* others = nullptr;  // without these; none: there are enough of them
  };
  struct Question {
    const SegmentState& state;
    std::span<const SegmentStates::Running> running;
    double values = 0;  // of what is not done, and of what is left of what runs
    Time limit = 0;
  };
  // A task of another kind, when it could end in the segment.
  struct Later {
    Time end = 0;
    double value = 0;
  };
  // What tasks that are left are worth, and the fillings of tasks that are worth no less, in fewer
  // variants.
  struct Kin {
    Mask left = 0;
    double value = 0;
    const Fillings* fillings = nullptr;  // none: nobody has asked
  };
  static constexpr std::int64_t kMostCores = 16;
  static constexpr int kBitsOfHash = 58;  // all but those that tell 64 apart
  // Cores of a kind.
  struct Busy {
    std::size_t cores = 0;
    std::array<Time, kMostCores> free;  // of so many, when each is
    double earned = 0, of_others = 0;   // from now on by what runs; by other kinds
  };
  // By core, those that fit: of all tasks, and of all but the longest.
  struct Steps {
    std::array<std::size_t, kMostCores> all{}, others{};
  };

  // What a task that runs will still earn.
  double value_left(const SegmentState& state, const SegmentStates::Running& one) const;
  bool is_too_much(std::size_t kind, const Question& question, bool by_ends);
  static double value_by(const std::vector<Step>& steps, std::size_t& step, Time end, Time free,
                         Time& next);
  Busy busy_of(std::size_t kind, const Question& question) const;
  // By find_ends; what ends in time.
  Mask look_at_ends(std::size_t kind, const Question& question, Busy& busy);
  static double fill(const Fillings& fillings, const Busy& busy, Time end, Steps& steps,
                     Time& next);
  // By task: when it could end, were it in the segment; kNever: it cannot be.
  void find_ends(const SegmentState& state, std::span<const SegmentStates::Running> running);
  const Fillings& fillings_of(std::size_t kind, Mask left);
  const Kin& kin_of(std::size_t kind, Mask left);
  Mask longest_of(std::size_t kind, Mask left) const;

  const Piece& piece_;
  const Intervals& order_;
  const SegmentTasks& tasks_;
  const Rates& rates_;
  std::array<Mask, kKinds> fillers_{};                  // tasks of a kind that are worth something
  std::array<std::vector<Mask>, kKinds> alike_;         // in length
  std::array<std::vector<double>, kKinds> most_value_;  // by task: of those of its length
  std::array<double, kKinds> rate_of_others_{};         // at one moment at most, of other kinds
  std::array<bool, kKinds> is_asked_{};
  std::array<std::unordered_map<Mask, Fillings, MaskHash>, kKinds> fillings_;
  std::array<std::array<Kin, 64>, kKinds> kin_;  // what was asked last, by hash
  std::vector<Time> ends_;                       // scratch
  std::vector<Later> later_;                     // scratch
  std::int64_t tried_ = 0;
};

}  // namespace phaze::schedule
