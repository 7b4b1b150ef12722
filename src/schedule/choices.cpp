#include "schedule/choices.h"

#include <algorithm>

namespace phaze::schedule {
namespace {

// Can `first` take the place of `other`, and `other` the later one of `first`?
bool goes_before(const Piece& piece, std::size_t first, std::size_t other) {
  const PieceTask& a = piece.tasks[first];
  const PieceTask& b = piece.tasks[other];
  return first < other && a.one == b.one && a.all == b.all && a.needs == b.needs &&
         a.is_network == b.is_network && (b.after & ~a.after) == 0;
}

bool has_twin_before(const Piece& piece, const std::vector<Choice>& all, const Choice& choice) {
  for (const Choice& other : all) {
    if (other.task >= choice.task) {
      return false;  // in the order of tasks
    }
    if (other.start.wide == choice.start.wide && other.start.at <= choice.start.at &&
        goes_before(piece, other.task, choice.task)) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<Choice> list_choices(const Piece& piece, State& state, Bounds& bounds, Mask not_wide,
                                 Mask narrow, bool twins, Time limit) {
  std::vector<Choice> all;
  Time first_end = kNever;
  for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
    if (!state.is_eligible(i) || (bounds.before(i) & ~state.scheduled()) != 0) {
      continue;
    }
    const PieceTask& task = piece.tasks[i];
    for (const bool wide : {false, true}) {
      const Mask may = wide ? bounds.widths().wide & ~not_wide : bounds.widths().one;
      if (duration(task, wide) == kNever || !(may & bit(i))) {
        continue;
      }
      const Time at = state.earliest(i, wide);
      first_end = std::min(first_end, at + duration(task, wide));
      all.push_back({i, {at, wide}, 0});
    }
  }
  std::vector<Choice> kept;
  for (Choice& choice : all) {
    const Time end = choice.start.at + duration(piece.tasks[choice.task], choice.start.wide);
    if (choice.start.at >= first_end && end > first_end) {
      continue;
    }
    if (twins && has_twin_before(piece, all, choice)) {
      continue;
    }
    const State::Undo undo = state.add(choice.task, choice.start);
    choice.bound = bounds.of(state, narrow, limit);
    state.remove(choice.task, choice.start.wide, undo);
    if (choice.bound < limit) {
      kept.push_back(choice);
    }
  }
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
