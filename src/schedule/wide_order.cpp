#include "schedule/wide_order.h"

namespace phaze::schedule {

WideOrder::WideOrder(const Piece& piece, bool is_on)
    : piece_(piece), is_on_(is_on && piece.exclusive_wide) {
  for (const PieceTask& task : piece.tasks) {
    const bool runs_beside = !task.needs[kTensor] && !task.needs[kVector] && task.one > 0;
    is_on_ = is_on_ && !runs_beside;
  }
}

void WideOrder::add(std::size_t task, bool wide, Mask scheduled_before) {
  if (duration(piece_.tasks[task], wide) == 0) {
    return;
  }
  if (wide) {
    past_.last = task;
    past_.in_segment = false;
  } else if (!past_.in_segment) {
    past_.narrow |= ready(scheduled_before);
    past_.in_segment = true;
  }
}

Mask WideOrder::ready(Mask scheduled) const {
  Mask tasks = 0;
  for (std::size_t i = 0; i < piece_.tasks.size(); ++i) {
    if (!(scheduled & bit(i)) && (piece_.tasks[i].before & ~scheduled) == 0) {
      tasks |= bit(i);
    }
  }
  return tasks;
}

WideOrder::Forbidden WideOrder::forbidden(Mask scheduled) const {
  if (!is_on_) {
    return {};
  }
  const Mask narrow = past_.narrow & ~scheduled;
  if (past_.in_segment) {
    return {narrow, narrow};
  }
  const Mask open = ready(scheduled);
  Forbidden forbidden{narrow, narrow | open};
  if (past_.last != kMostTasks) {
    const Mask lower = bit(past_.last) - 1;  // none of these comes after it
    forbidden.now |= open & lower;
  }
  return forbidden;
}

}  // namespace phaze::schedule
