// Complete: every schedule can be made by adding its tasks in the order of their starts, each as
// early as cores and predecessors allow but no earlier than the one before; none ends later for it.
// A branch adds one eligible task in one width.
//
// Rules, each of which keeps an optimal schedule:
// - Left shift (choices.h).
// - Bounds (bounds.h): skip what cannot beat the best schedule found.
// - Widths and orders that no schedule before the limit can have (windows.h, bounds.h).
// - One order of wide tasks (wide_order.h), and one order of tasks that are alike (choices.h); of
//   those that may be wide only where the first does not hold: each could undo what the other asks
//   for.
// - Dominance (seen.h).
#include "schedule/look.h"

#include "schedule/choices.h"

namespace phaze::schedule {
namespace {

constexpr std::int64_t kNodesBetweenCalls = 1 << 10;

}  // namespace

Look::Look(const Piece& piece, const SearchOptions& options, Bounds& bounds)
    : piece_(piece),
      options_(options),
      bounds_(bounds),
      state_(piece),
      wide_order_(piece, options.wide_order),
      seen_(piece),
      at_once_(piece),
      current_(piece.tasks.size()) {}

Look::Answer Look::run(const Question& question, PieceAnswer& best,
                       const std::function<bool()>& is_cancelled) {
  seen_.clear();
  question_ = question;
  answer_ = {};
  best_ = &best;
  is_cancelled_ = &is_cancelled;
  branch(0);
  return answer_;
}

void Look::branch(std::size_t depth) {
  ++best_->work;
  if (best_->work > question_.last_node ||
      (best_->work % kNodesBetweenCalls == 0 && (*is_cancelled_)())) {
    answer_.is_complete = false;
    return;
  }
  if (depth == piece_.tasks.size()) {
    if (state_.latest_end() < question_.limit) {
      question_.limit = best_->makespan = state_.latest_end();
      best_->starts = current_;
      answer_.is_complete = best_->makespan > question_.goal;
    }
    return;
  }
  const WideOrder::Forbidden forbidden = wide_order_.forbidden(state_.scheduled());
  if (options_.dominance && seen_.dominates(state_, forbidden)) {
    return;
  }
  ChoiceRules rules;
  rules.not_wide = forbidden.now;
  rules.narrow = wide_order_.narrow();
  rules.twins = options_.twins ? ~Mask{0} : 0;
  if (wide_order_.is_on()) {
    rules.twins &= wide_order_.narrow() | ~bounds_.widths().wide;
  }
  rules.at_once = options_.at_once ? &at_once_ : nullptr;
  const std::vector<Choice> choices = list_choices(piece_, state_, bounds_, rules, question_.limit);
  for (const Choice& choice : choices) {
    if (choice.bound >= question_.limit) {
      continue;
    }
    if (answer_.is_complete) {
      const WideOrder::Past past = wide_order_.past();
      wide_order_.add(choice.task, choice.start.wide, state_.scheduled());
      const State::Undo undo = state_.add(choice.task, choice.start);
      current_[choice.task] = choice.start;
      branch(depth + 1);
      state_.remove(choice.task, choice.start.wide, undo);
      wide_order_.restore(past);
    }
    if (!answer_.is_complete) {
      answer_.open_bound = std::min(answer_.open_bound, choice.bound);
    }
  }
}

}  // namespace phaze::schedule
