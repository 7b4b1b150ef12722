#pragma once
// States that were seen before: of two with the same tasks scheduled, one whose every core, network
// and result that others wait for is free no later leads to no later an end.

#include <array>
#include <unordered_map>
#include <vector>

#include "schedule/piece.h"
#include "schedule/state.h"
#include "schedule/wide_order.h"

namespace phaze::schedule {

class Seen {
 public:
  explicit Seen(const Piece& piece);

  void clear();
  // Whether a state that was seen is as good; otherwise this one is kept, while there is room.
  bool dominates(const State& state, const WideOrder::Forbidden& forbidden);

 private:
  struct Kept {
    WideOrder::Forbidden forbidden;
    std::vector<Time> numbers;

    bool is_as_good_as(const Kept& other) const;
  };

  void describe(const State& state, std::vector<Time>& numbers) const;

  const Piece& piece_;
  std::array<std::size_t, kKinds> watched_{};  // cores that can be in use at once
  Kept now_;
  std::unordered_map<Mask, std::vector<Kept>, MaskHash> kept_;
  std::int64_t stored_ = 0;  // numbers
};

}  // namespace phaze::schedule
