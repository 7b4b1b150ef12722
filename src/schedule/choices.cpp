#include "schedule/choices.h"

#include <algorithm>

#include "schedule/at_once.h"

namespace phaze::schedule {
namespace {

// Can `first` take the place of `other`, and `other` the later one of `first`?
bool goes_before(const Piece& piece, std::size_t first, std::size_t other) {
  const PieceTask& a = piece.tasks[first];
  const PieceTask& b = piece.tasks[other];
  return first < other && a.one == b.one && a.all == b.all && a.needs == b.needs &&
         a.is_network == b.is_network && (b.after & ~a.after) == 0;
}

// Of `twins`.
bool has_twin_before(const Piece& piece, const std::vector<Choice>& all, const Choice& choice,
                     Mask twins) {
  if (!(twins & bit(choice.task))) {
    return false;
  }
  for (const Choice& other : all) {
    if (other.task >= choice.task) {
      return false;  // in the order of tasks
    }
    if ((twins & bit(other.task)) && other.start.wide == choice.start.wide &&
        other.start.at <= choice.start.at && goes_before(piece, other.task, choice.task)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Choice> list_choices(const Piece& piece, State& state, Bounds& bounds,
                                 const ChoiceRules& rules, Time limit) {
  std::vector<Choice> all;
  Time first_end = kNever;
  for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
    if (!state.is_eligible(i) || (bounds.before(i) & ~state.scheduled()) != 0) {
      continue;
    }
    const PieceTask& task = piece.tasks[i];
    for (const bool wide : {false, true}) {
      const Mask may = wide ? bounds.widths().wide & ~rules.not_wide : bounds.widths().one;
      if (duration(task, wide) == kNever || !(may & bit(i))) {
        continue;
      }
      const Time at = state.earliest(i, wide);
      first_end = std::min(first_end, at + duration(task, wide));
      all.push_back({i, {at, wide}, 0});
    }
  }
  std::vector<Choice> kept;
  for (const Choice& choice : all) {
    const Time end = choice.start.at + duration(piece.tasks[choice.task], choice.start.wide);
    const bool waits = choice.start.at >= first_end && end > first_end;
    if (!waits && !has_twin_before(piece, all, choice, rules.twins)) {
      kept.push_back(choice);
    }
  }
  if (rules.at_once != nullptr) {
    if (const Choice* only = rules.at_once->find(state, bounds, rules.narrow, kept)) {
      kept = {*only};
    }
  }
  for (Choice& choice : kept) {
    const State::Undo undo = state.add(choice.task, choice.start);
    choice.bound = bounds.of(state, rules.narrow, limit);
    state.remove(choice.task, choice.start.wide, undo);
  }
  std::erase_if(kept, [limit](const Choice& choice) { return choice.bound >= limit; });
  std::stable_sort(kept.begin(), kept.end(), [&bounds](const Choice& a, const Choice& b) {
    if (a.bound != b.bound) {
      return a.bound < b.bound;
    }
    if (a.start.at != b.start.at) {
      return a.start.at < b.start.at;
    }
    return bounds.tail(a.task) > bounds.tail(b.task);
  });
  return kept;
}

}  // namespace phaze::schedule
