#include "schedule/memory.h"

#include <algorithm>

#include "schedule/state.h"

namespace phaze::schedule {
namespace {

constexpr std::size_t kMostPieces = 32;

bool has_same_shape(const Piece& a, const Piece& b) {
  return a.exclusive_wide == b.exclusive_wide && a.tasks.size() == b.tasks.size() &&
         std::equal(a.tasks.begin(), a.tasks.end(), b.tasks.begin(),
                    [](const PieceTask& x, const PieceTask& y) {
                      return x.needs == y.needs && x.is_network == y.is_network &&
                             x.before == y.before && (x.all == kNever) == (y.all == kNever);
                    });
}

bool is_no_slower(const Piece& fast, const Piece& piece, Time unit, const Widths& widths) {
  for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
    const PieceTask& task = piece.tasks[i];
    if (((widths.one & bit(i)) && fast.tasks[i].one > task.one * unit) ||
        ((widths.wide & bit(i)) && fast.tasks[i].all > task.all * unit)) {
      return false;
    }
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    std::int64_t users = 0;  // that can run on one core
    for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
      users += piece.tasks[i].needs[kind] && (widths.one & bit(i)) ? 1 : 0;
    }
    if (std::min(users, piece.cores[kind]) > fast.cores[kind]) {
      return false;
    }
  }
  return true;
}

}  // namespace

void remember(Memory& memory, const Piece& piece, const PieceAnswer& answer) {
  if (memory.all.size() == kMostPieces) {
    memory.all.erase(memory.all.begin());
  }
  memory.all.push_back({piece, answer});
}

PieceAnswer recall(const Memory& memory, const Piece& piece, PieceAnswer best) {
  for (const Memory::Solved& solved : memory.all) {
    if (!has_same_shape(solved.piece, piece)) {
      continue;
    }
    PieceAnswer other = replay(piece, solved.answer.starts);
    if (other.makespan < best.makespan) {
      best = std::move(other);
    }
  }
  return best;
}

Time recall_bound(const Memory& memory, const Piece& piece, Time unit, const Widths& widths) {
  Time bound = 0;
  for (const Memory::Solved& solved : memory.all) {
    if (solved.answer.bound > bound && has_same_shape(solved.piece, piece) &&
        is_no_slower(solved.piece, piece, unit, widths)) {
      bound = solved.answer.bound;
    }
  }
  return bound / unit + (bound % unit > 0 ? 1 : 0);
}

}  // namespace phaze::schedule
