// Fair sharing by what each transfer has had of the link: it grows at 1/n and is the same for all,
// so that a transfer ends when it has grown by the transfer's own length. O(1) an event.
#include "simulate/link.h"

#include "base/check.h"

namespace phaze::simulate {

void Link::start(std::int64_t transfer, Seconds now) {
  if (under_way_.empty()) {
    service_ = 0;
  } else {
    service_ += (now - updated_).value() / share();
  }
  updated_ = now;
  under_way_.push_back({transfer, service_ + alone_.value()});
}

std::optional<Seconds> Link::next_end() const {
  if (under_way_.empty()) {
    return std::nullopt;
  }
  return updated_ + Seconds((under_way_.front().ends - service_) * share());
}

std::int64_t Link::end_first() {
  CHECK(!under_way_.empty(), "no transfer is under way");
  updated_ = *next_end();
  service_ = under_way_.front().ends;
  const std::int64_t transfer = under_way_.front().id;
  under_way_.pop_front();
  return transfer;
}

}  // namespace phaze::simulate
