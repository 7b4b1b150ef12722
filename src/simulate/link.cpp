// Only the first transfer of a flow moves. With one flow at work it ends after its time alone, to
// the last bit; with several each takes as many times longer. O(1) an event.
#include "simulate/link.h"

#include <algorithm>

#include "base/check.h"

namespace phaze::simulate {

double Link::count() const {
  return static_cast<double>(
      std::ranges::count_if(flows_, [](const Flow& flow) { return !flow.empty(); }));
}

std::size_t Link::first_flow() const {
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < kFlows; ++i) {
    if (!flows_[i].empty() &&
        (!first || flows_[i].front().left_or_end < flows_[*first].front().left_or_end)) {
      first = i;
    }
  }
  return *first;
}

void Link::advance(Seconds now) {
  if (is_shared_ && now > updated_) {
    const Seconds moved = (now - updated_) * (1 / std::max(1.0, count()));
    for (Flow& flow : flows_) {
      if (!flow.empty()) {
        flow.front().left_or_end = std::max(Seconds(), flow.front().left_or_end - moved);
      }
    }
  }
  updated_ = now;
}

void Link::start(std::int64_t transfer, std::size_t flow, Seconds now) {
  // A flow that starts, or ends, changes what the others get; one that grows does not.
  if (flows_[flow].empty()) {
    advance(now);
  }
  flows_[flow].push_back({transfer, is_shared_ ? alone_ : now + alone_});
}

std::optional<Seconds> Link::next_end() const {
  if (count() == 0) {
    return std::nullopt;
  }
  const Seconds left_or_end = flows_[first_flow()].front().left_or_end;
  return is_shared_ ? updated_ + left_or_end * count() : left_or_end;
}

std::int64_t Link::end_first() {
  CHECK(count() > 0, "no transfer is under way");
  const Seconds now = *next_end();
  Flow& flow = flows_[first_flow()];
  const std::int64_t transfer = flow.front().id;
  advance(now);
  flow.pop_front();
  return transfer;
}

}  // namespace phaze::simulate
