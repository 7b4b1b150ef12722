#include "schedule/units.h"

#include <algorithm>
#include <numeric>

namespace phaze::schedule {

Time common_unit(const Piece& piece) {
  Time unit = 0;
  for (const PieceTask& task : piece.tasks) {
    unit = std::gcd(unit, task.one);
    unit = task.all == kNever ? unit : std::gcd(unit, task.all);
  }
  return std::max<Time>(1, unit);
}

Piece in_units(Piece piece, Time unit) {
  for (PieceTask& task : piece.tasks) {
    task.one /= unit;
    task.all = task.all == kNever ? kNever : task.all / unit;
  }
  return piece;
}

SearchOptions in_units(const SearchOptions& options, Time unit) {
  SearchOptions scaled = options;
  if (options.cutoff != kNever) {
    scaled.cutoff = options.cutoff / unit + (options.cutoff % unit > 0 ? 1 : 0);
  }
  scaled.enough = options.enough / unit;
  if (options.is_cancelled) {
    scaled.is_cancelled = [&options, unit](Time best, Time bound, std::int64_t work) {
      return options.is_cancelled(best * unit, bound * unit, work);
    };
  }
  return scaled;
}

PieceAnswer in_picoseconds(PieceAnswer answer, Time unit) {
  for (Start& start : answer.starts) {
    start.at *= unit;
  }
  answer.makespan *= unit;
  answer.bound *= unit;
  return answer;
}

}  // namespace phaze::schedule
