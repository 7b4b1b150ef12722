#pragma once
// A link that its transfers share: n of them at once go at 1/n of its rate each. All are of one
// size, so that the first to start is the first to end.

#include <cstdint>
#include <deque>
#include <optional>

#include "base/units.h"

namespace phaze::simulate {

class Link {
 public:
  // What one transfer takes alone; with `is_shared` off, what every transfer takes.
  Link(Seconds alone, bool is_shared) : alone_(alone), is_shared_(is_shared) {}

  void start(std::int64_t transfer, Seconds now);

  // When the next one ends if none starts before; nothing: none is under way.
  std::optional<Seconds> next_end() const;

  // Ends the first one, at the time of next_end().
  std::int64_t end_first();

 private:
  struct Transfer {
    std::int64_t id;
    double ends;  // when the service of each reaches this
  };

  double share() const { return is_shared_ ? static_cast<double>(under_way_.size()) : 1; }

  Seconds alone_;
  bool is_shared_;
  std::deque<Transfer> under_way_;
  double service_ = 0;  // seconds of the whole link that each has had since the link was idle
  Seconds updated_;     // service_ is that of this time
};

}  // namespace phaze::simulate
