#pragma once
// A link from one device to another. Transfers of one flow (activations, or gradients) go one after
// another, as a communication library sends what is queued between two devices; flows that have
// something to send at once share the link's rate evenly.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/units.h"

namespace phaze::simulate {

class Link {
 public:
  static constexpr std::size_t kFlows = 2;

  // What one transfer takes alone; with `is_shared` off, what every transfer takes, whatever else
  // is on the link.
  Link(Seconds alone, bool is_shared) : alone_(alone), is_shared_(is_shared) {}

  void start(std::int64_t transfer, std::size_t flow, Seconds now);

  // When the next one ends if none starts before; nothing: none is under way.
  std::optional<Seconds> next_end() const;

  // Ends that one, at the time of next_end().
  std::int64_t end_first();

 private:
  // With `is_shared`, of the first of a flow: how much is left of it at `updated_`, as time alone.
  // Without, when each of them ends.
  struct Transfer {
    std::int64_t id;
    Seconds left_or_end;
  };
  using Flow = std::deque<Transfer>;

  double count() const;            // of flows at work
  std::size_t first_flow() const;  // that ends first; needs one at work
  void advance(Seconds now);

  Seconds alone_;
  bool is_shared_;
  std::array<Flow, kFlows> flows_;
  Seconds updated_;
};

}  // namespace phaze::simulate
