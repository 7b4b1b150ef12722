// Branch and bound over schedules of a piece, in the order of start times.
//
// Complete: every schedule can be made by adding its tasks in the order of their starts, each as
// early as cores and predecessors allow but no earlier than the one before; none ends later for it.
// A branch adds one eligible task in one width.
//
// Rules, each of which keeps an optimal schedule:
// - Left shift (choices.h).
// - Bounds (bounds.h): skip what cannot beat the best schedule found.
// - Widths that no schedule before the limit can have (windows.h, bounds.h).
// - Memory (memory.h): bounds and schedules of pieces of the same shape.
// - One order of wide tasks (wide_order.h); where that does not hold, one order of tasks that are
//   alike (choices.h). Both at once could each undo what the other asks for.
// - Dominance: of two states with the same tasks scheduled, one whose every core, network and
// result
//   that others wait for is free no later leads to no later an end.
//
// Effort: a quick look; for what that does not settle, a local search for a better schedule to
// prune with, and searches of the lower half of what is open, which raise the bound when they come
// out empty; then again with more of each, until it is proved or the limit of work is reached.
#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "base/check.h"
#include "schedule/choices.h"
#include "schedule/memory.h"
#include "schedule/piece.h"
#include "schedule/state.h"
#include "schedule/wide_order.h"

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
  Search(const Piece& piece, Time unit, const SearchOptions& options)
      : piece_(piece),
        unit_(unit),
        options_(options),
        bounds_(piece),
        state_(piece),
        wide_order_(piece, options.wide_order) {
    current_.resize(piece.tasks.size());
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const auto users = static_cast<std::size_t>(
          std::count_if(piece.tasks.begin(), piece.tasks.end(),
                        [kind](const PieceTask& task) { return task.needs[kind]; }));
      watched_[kind] = std::min(users, static_cast<std::size_t>(piece.cores[kind]));
    }
  }

  PieceAnswer run() {
    bound_ = bounds_.root();
    if (options_.cutoff != kNever) {
      limit_ = options_.cutoff;
      if (bound_ >= limit_ || !has_room()) {
        best_ = quick_schedule(piece_);
        best_.bound = std::min(bound_, best_.makespan);
        return best_;
      }
    }
    best_ = list_schedule(piece_);
    if (options_.memory != nullptr) {
      best_ = recall(*options_.memory, piece_, std::move(best_));
    }
    bound_ = std::min(bound_, best_.makespan);
    for (std::int64_t effort = kQuickLook; !is_settled() && !is_spent(); effort *= kGrowth) {
      look(effort, useful());
      if (!is_settled() && !is_spent()) {
        anneal(kSteps * effort);
        raise_bound(effort);
      }
    }
    best_.work = work_;
    best_.bound = std::min(bound_, best_.makespan);
    return best_;
  }

 private:
  bool is_settled() const { return bound_ >= useful(); }
  // Schedules that end no earlier are of no use.
  Time useful() const { return std::min(best_.makespan, options_.cutoff); }
  bool is_spent() const { return is_cancelled_ || work_ >= options_.work_limit; }

  // Searches for schedules that end before `limit`, with so many nodes at most; whether that was
  // enough to find the best or to show that there is none.
  bool look(std::int64_t nodes, Time limit) {
    seen_.clear();
    stored_ = 0;
    is_stopped_ = false;
    open_bound_ = kNever;
    limit_ = std::min(limit, useful());
    if (!has_room()) {
      return true;
    }
    last_node_ = std::min(options_.work_limit, work_ + nodes);
    branch(0);
    if (!is_stopped_) {
      bound_ = std::max(bound_, limit_);
    } else if (open_bound_ != kNever) {  // otherwise it was stopped before the first branch
      bound_ = std::max(bound_, std::min(limit_, open_bound_));
    }
    return !is_stopped_;
  }

  // Raises the bound by all that can be said of schedules that end before the limit without a
  // search; whether there may be any.
  bool has_room() {
    if (!options_.mixed_bounds || bounds_.limit() == limit_) {
      return true;
    }
    const auto is_open = [this](Time bound) {
      bound_ = std::max(bound_, std::min(limit_, bound));
      return bound_ < limit_;
    };
    const auto remembered = [this] {
      return options_.memory == nullptr
                 ? 0
                 : recall_bound(*options_.memory, piece_, unit_, bounds_.widths());
    };
    bounds_.limit_to(limit_);
    if (!is_open(bounds_.root()) || !is_open(remembered())) {
      return false;
    }
    bounds_.weigh();
    return is_open(bounds_.root()) && is_open(remembered());
  }

  // Whether to stop, which stays so.
  bool ask() {
    is_cancelled_ = is_cancelled_ ||
                    (options_.is_cancelled && options_.is_cancelled(best_.makespan, bound_, work_));
    return is_cancelled_;
  }

  void anneal(std::int64_t steps) {
    best_.work = work_;
    best_ = improve(piece_, std::move(best_), bound_,
                    std::min({steps, kMostSteps, options_.work_limit - work_}),
                    [this] { return ask(); });
    work_ = best_.work;
  }

  // Asks whether there are schedules in the lower half of what is open, and again.
  void raise_bound(std::int64_t nodes) {
    Time open = bound_;  // where the last question was left open, or the bound
    for (int i = 0; i < kQuestions && !is_settled() && !is_spent(); ++i) {
      const Time high = open > bound_ ? std::min(open, useful()) : useful();
      const Time middle = bound_ + (high - bound_ + 1) / 2;
      if (!look(nodes / kQuestions, middle)) {
        open = middle;
      }
    }
  }

  void branch(std::size_t depth) {
    ++work_;
    if (work_ % kNodesBetweenCalls == 0) {
      ask();
    }
    if (is_cancelled_ || work_ > last_node_) {
      is_stopped_ = true;
      return;
    }
    if (depth == piece_.tasks.size()) {
      if (state_.latest_end() < limit_) {
        limit_ = best_.makespan = state_.latest_end();
        best_.starts = current_;
        is_stopped_ = best_.makespan <= bound_;
      }
      return;
    }
    const WideOrder::Forbidden forbidden = wide_order_.forbidden(state_.scheduled());
    if (options_.dominance && is_dominated(forbidden)) {
      return;
    }
    const std::vector<Choice> choices =
        list_choices(piece_, state_, bounds_, forbidden.now, wide_order_.narrow(),
                     options_.twins && !wide_order_.is_on(), limit_);
    for (const Choice& choice : choices) {
      if (choice.bound >= limit_) {
        continue;
      }
      if (is_stopped_) {
        open_bound_ = std::min(open_bound_, choice.bound);
        continue;
      }
      const WideOrder::Past past = wide_order_.past();
      wide_order_.add(choice.task, choice.start.wide, state_.scheduled());
      const State::Undo undo = state_.add(choice.task, choice.start);
      current_[choice.task] = choice.start;
      branch(depth + 1);
      state_.remove(choice.task, choice.start.wide, undo);
      wide_order_.restore(past);
      if (is_stopped_) {
        open_bound_ = std::min(open_bound_, choice.bound);
      }
    }
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

  struct Seen {
    WideOrder::Forbidden forbidden;
    std::vector<Time> numbers;

    bool is_as_good_as(const Seen& other) const {
      // Numbers that lie before the other state's time are as good as its time.
      return forbidden.is_within(other.forbidden) &&
             std::equal(numbers.begin(), numbers.end(), other.numbers.begin(),
                        [](Time a, Time b) { return a <= b; });
    }
  };

  bool is_dominated(const WideOrder::Forbidden& forbidden) {
    now_.forbidden = forbidden;
    describe(now_.numbers);
    const bool is_full = stored_ >= kMostNumbers;
    if (is_full && !seen_.contains(state_.scheduled())) {
      return false;
    }
    std::vector<Seen>& seen = seen_[state_.scheduled()];
    for (const Seen& other : seen) {
      if (other.is_as_good_as(now_)) {
        return true;
      }
    }
    const auto size = static_cast<std::int64_t>(now_.numbers.size());
    stored_ -= size * static_cast<std::int64_t>(std::erase_if(
                          seen, [this](const Seen& other) { return now_.is_as_good_as(other); }));
    if (seen.size() < kKeptStates && !is_full) {
      seen.push_back(now_);
      stored_ += size;
    }
    return false;
  }

  static constexpr std::int64_t kNodesBetweenCalls = 1 << 10;
  static constexpr std::int64_t kQuickLook = 2'000, kGrowth = 8, kSteps = 4;
  static constexpr std::int64_t kMostSteps =
      1'000'000;  // of an annealing, which is not interrupted
  static constexpr int kQuestions = 6;
  static constexpr std::size_t kKeptStates = 64;
  static constexpr std::int64_t kMostNumbers = 24'000'000;

  const Piece& piece_;
  const Time unit_;  // of its durations
  const SearchOptions options_;
  Bounds bounds_;
  State state_;
  WideOrder wide_order_;
  PieceAnswer best_;
  std::vector<Start> current_;
  std::array<std::size_t, kKinds> watched_{};  // cores that can be in use at once
  Seen now_;
  std::unordered_map<Mask, std::vector<Seen>, MaskHash> seen_;
  std::int64_t stored_ = 0;
  std::int64_t work_ = 0, last_node_ = 0;
  Time bound_ = 0;
  Time limit_ = 0;            // schedules that end no earlier are of no use
  Time open_bound_ = kNever;  // least of what the last look left open
  bool is_stopped_ = false;
  bool is_cancelled_ = false;
};

}  // namespace

PieceAnswer search(const Piece& piece, const SearchOptions& options) {
  // In units of what divides all durations, bounds can be rounded up further.
  Time unit = 0;
  for (const PieceTask& task : piece.tasks) {
    unit = std::gcd(unit, task.one);
    unit = task.all == kNever ? unit : std::gcd(unit, task.all);
  }
  unit = std::max<Time>(1, unit);
  Piece scaled = piece;
  for (PieceTask& task : scaled.tasks) {
    task.one /= unit;
    task.all = task.all == kNever ? kNever : task.all / unit;
  }
  SearchOptions scaled_options = options;
  if (options.cutoff != kNever) {
    scaled_options.cutoff = options.cutoff / unit + (options.cutoff % unit > 0 ? 1 : 0);
  }
  if (options.is_cancelled) {
    scaled_options.is_cancelled = [&](Time best, Time bound, std::int64_t work) {
      return options.is_cancelled(best * unit, bound * unit, work);
    };
  }
  PieceAnswer answer = Search(scaled, unit, scaled_options).run();
  for (Start& start : answer.starts) {
    start.at *= unit;
  }
  answer.makespan *= unit;
  answer.bound *= unit;
  if (options.memory != nullptr) {
    remember(*options.memory, piece, answer);
  }
  return answer;
}

}  // namespace phaze::schedule
