#include "schedule/choices.h"

#include <algorithm>

namespace phaze::schedule {

std::vector<Choice> list_choices(const Piece& piece, State& state, Bounds& bounds, Mask not_wide,
                                 Mask narrow, Time limit) {
  std::vector<Choice> all;
  Time first_end = kNever;
  for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
    if (!state.is_eligible(i)) {
      continue;
    }
    const PieceTask& task = piece.tasks[i];
    for (const bool wide : {false, true}) {
      if (duration(task, wide) == kNever || (wide && (not_wide & bit(i)))) {
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
