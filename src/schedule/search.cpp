// Branch and bound over schedules of a piece, in the order of start times.
//
// Complete: every schedule can be made by adding its tasks in the order of their starts, each as
// early as cores and predecessors allow but no earlier than the one before; none ends later for it.
// A branch adds one eligible task in one width.
//
// Rules, each of which keeps an optimal schedule:
// - Left shift (Giffler and Thompson 1960): when a task would start no earlier than another
// eligible
//   one could end, that one could run before it without delaying anything: skip.
// - Bounds (bounds.h): skip what cannot beat the best schedule found.
// - Dominance: of two states with the same tasks scheduled, one whose every core, network and
// result
//   that others wait for is free no later leads to no later an end.
#include <algorithm>
#include <unordered_map>

#include "base/check.h"
#include "schedule/bounds.h"
#include "schedule/piece.h"
#include "schedule/state.h"

namespace phaze::schedule {
namespace {

struct MaskHash {
  std::size_t operator()(Mask mask) const {
    const auto low = static_cast<std::uint64_t>(mask);
    const auto high = static_cast<std::uint64_t>(mask >> 64);
    return static_cast<std::size_t>((low * 0x9E3779B97F4A7C15ULL) ^ (high * 0xC2B2AE3D27D4EB4FULL) ^
                                    (low >> 29));
  }
};

class Search {
 public:
  Search(const Piece& piece, const SearchOptions& options)
      : piece_(piece),
        options_(options),
        bounds_(piece, options.mixed_bounds),
        state_(piece),
        best_(list_schedule(piece)) {
    current_.resize(piece.tasks.size());
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const auto users = static_cast<std::size_t>(
          std::count_if(piece.tasks.begin(), piece.tasks.end(),
                        [kind](const PieceTask& task) { return task.needs[kind]; }));
      watched_[kind] = std::min(users, static_cast<std::size_t>(piece.cores[kind]));
    }
  }

  PieceAnswer run() {
    const Time root = bounds_.root();
    CHECK(root <= best_.makespan, "a bound is not above a schedule");
    bool is_complete = true;
    if (root < best_.makespan) {
      root_ = root;
      branch(0);
      is_complete = !is_stopped_ || best_.makespan == root;
    }
    best_.work = work_;
    best_.bound = is_complete ? best_.makespan : root;
    return best_;
  }

 private:
  struct Choice {
    std::size_t task;
    Start start;
    Time bound;
  };

  void branch(std::size_t depth) {
    if (++work_ > options_.work_limit) {
      is_stopped_ = true;
      return;
    }
    if (depth == piece_.tasks.size()) {
      if (state_.latest_end() < best_.makespan) {
        best_.makespan = state_.latest_end();
        best_.starts = current_;
      }
      is_stopped_ = best_.makespan == root_;
      return;
    }
    if (options_.dominance && is_dominated()) {
      return;
    }
    const std::vector<Choice> choices = list_choices();
    for (const Choice& choice : choices) {
      if (choice.bound >= best_.makespan) {
        continue;
      }
      const State::Undo undo = state_.add(choice.task, choice.start);
      bounds_.add(choice.task);
      current_[choice.task] = choice.start;
      branch(depth + 1);
      bounds_.remove(choice.task);
      state_.remove(choice.task, choice.start.wide, undo);
      if (is_stopped_) {
        return;
      }
    }
  }

  std::vector<Choice> list_choices() {
    std::vector<Choice> all;
    Time first_end = kNever;
    for (std::size_t i = 0; i < piece_.tasks.size(); ++i) {
      if (!state_.is_eligible(i)) {
        continue;
      }
      const PieceTask& task = piece_.tasks[i];
      for (const bool wide : {false, true}) {
        if (duration(task, wide) == kNever) {
          continue;
        }
        const Time at = state_.earliest(i, wide);
        first_end = std::min(first_end, at + duration(task, wide));
        all.push_back({i, {at, wide}, 0});
      }
    }
    std::vector<Choice> kept;
    for (Choice& choice : all) {
      const PieceTask& task = piece_.tasks[choice.task];
      const Time length = duration(task, choice.start.wide);
      if (choice.start.at >= first_end && choice.start.at + length > first_end) {
        continue;
      }
      const State::Undo undo = state_.add(choice.task, choice.start);
      bounds_.add(choice.task);
      choice.bound = bounds_.of(state_, best_.makespan);
      bounds_.remove(choice.task);
      state_.remove(choice.task, choice.start.wide, undo);
      if (choice.bound < best_.makespan) {
        kept.push_back(choice);
      }
    }
    std::stable_sort(kept.begin(), kept.end(), [this](const Choice& a, const Choice& b) {
      if (a.bound != b.bound) {
        return a.bound < b.bound;
      }
      if (a.start.at != b.start.at) {
        return a.start.at < b.start.at;
      }
      return bounds_.tail(a.task) > bounds_.tail(b.task);
    });
    return kept;
  }

  // The state as numbers that are better when smaller, in an order that the scheduled tasks fix.
  void describe(std::vector<Time>& numbers) const {
    const Time now = state_.last_start();
    numbers.clear();
    numbers.push_back(now);
    numbers.push_back(std::max(now, state_.network_end()));
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      numbers.push_back(std::max(now, state_.wide_end(kind)));
      const std::size_t most = watched_[kind];
      const std::vector<Time>& running = state_.running(kind);
      for (std::size_t i = 0; i < most; ++i) {
        numbers.push_back(i < running.size() ? std::max(now, running[i]) : now);
      }
    }
    const Mask open = ~state_.scheduled();
    for (std::size_t i = 0; i < piece_.tasks.size(); ++i) {
      if (state_.is_scheduled(i) && (piece_.tasks[i].after & open) != 0) {
        numbers.push_back(std::max(now, state_.end(i)));
      }
    }
    numbers.push_back(state_.latest_end());
  }

  bool is_dominated() {
    describe(numbers_);
    std::vector<std::vector<Time>>& seen = seen_[state_.scheduled()];
    for (const std::vector<Time>& other : seen) {
      // Numbers of other that lie before this state's time are as good as its time.
      if (std::equal(other.begin(), other.end(), numbers_.begin(),
                     [](Time a, Time b) { return a <= b; })) {
        return true;
      }
    }
    std::erase_if(seen, [this](const std::vector<Time>& other) {
      return std::equal(numbers_.begin(), numbers_.end(), other.begin(),
                        [](Time a, Time b) { return a <= b; });
    });
    if (seen.size() < kKeptStates && stored_ < kMostStates) {
      seen.push_back(numbers_);
      ++stored_;
    }
    return false;
  }

  static constexpr std::size_t kKeptStates = 16;
  static constexpr std::int64_t kMostStates = 2'000'000;

  const Piece& piece_;
  const SearchOptions options_;
  Bounds bounds_;
  State state_;
  PieceAnswer best_;
  std::vector<Start> current_;
  std::vector<Time> numbers_;
  std::array<std::size_t, kKinds> watched_{};  // cores that can be in use at once
  std::unordered_map<Mask, std::vector<std::vector<Time>>, MaskHash> seen_;
  std::int64_t stored_ = 0;
  std::int64_t work_ = 0;
  Time root_ = 0;
  bool is_stopped_ = false;
};

}  // namespace

PieceAnswer search(const Piece& piece, const SearchOptions& options) {
  return Search(piece, options).run();
}

Time simple_bound(const Piece& piece) { return Bounds(piece, false).root(); }

}  // namespace phaze::schedule
