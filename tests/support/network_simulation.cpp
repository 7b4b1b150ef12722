#include "support/network_simulation.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace phaze::tests {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// Max-min fair rates: the link with the least left per flow is filled, its flows are settled.
std::vector<double> fair_rates(const std::vector<const std::vector<std::size_t>*>& flows,
                               std::vector<double> capacities) {
  std::vector<double> rates(flows.size(), 0);
  std::vector<bool> is_settled(flows.size(), false);
  std::vector<std::size_t> users(capacities.size());
  for (std::size_t left = flows.size(); left > 0;) {
    std::ranges::fill(users, 0);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      for (const std::size_t link : *flows[f]) {
        users[link] += is_settled[f] ? 0 : 1;
      }
    }
    std::size_t tightest = 0;
    double share = kNever;
    for (std::size_t link = 0; link < capacities.size(); ++link) {
      if (users[link] > 0 && capacities[link] / static_cast<double>(users[link]) < share) {
        share = capacities[link] / static_cast<double>(users[link]);
        tightest = link;
      }
    }
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (is_settled[f] || std::ranges::find(*flows[f], tightest) == flows[f]->end()) {
        continue;
      }
      rates[f] = share;
      is_settled[f] = true;
      --left;
      for (const std::size_t link : *flows[f]) {
        capacities[link] = std::max(0.0, capacities[link] - share);
      }
    }
  }
  return rates;
}

}  // namespace

// On switches every device has a port out and a port in at every level, and every part (at its
// first device) a way out and a way in that its devices share. On lines every device has a link out
// and one in for each of the two directions.
NetworkSimulation::NetworkSimulation(const hw::Cluster& cluster)
    : cluster_(cluster), devices_(static_cast<std::size_t>(*hw::device_count(cluster))) {
  capacities_.resize(devices_ * cluster_.levels.size() * 4);
  for (std::size_t device = 0; device < devices_; ++device) {
    for (std::size_t i = 0; i < cluster_.levels.size(); ++i) {
      const hw::Level& level = cluster_.levels[i];
      const double rate = level.bandwidth.value() * level.efficiency;
      const bool is_line = hw::has_neighbours_only(level.kind);
      const auto part = static_cast<double>(hw::devices_per_part(cluster_, i));
      const double own = is_line ? rate / 2 : rate;
      const double other = is_line ? rate / 2 : part * rate / level.oversubscription;
      capacities_[slot(device, i, Slot::kOut)] = own;
      capacities_[slot(device, i, Slot::kIn)] = own;
      capacities_[slot(device, i, Slot::kOtherOut)] = other;
      capacities_[slot(device, i, Slot::kOtherIn)] = other;
    }
  }
}

std::size_t NetworkSimulation::slot(std::size_t device, std::size_t level, Slot slot) const {
  return (device * cluster_.levels.size() + level) * 4 + static_cast<std::size_t>(slot);
}

std::size_t NetworkSimulation::part_of(std::size_t device, std::size_t level) const {
  return device / static_cast<std::size_t>(hw::devices_per_part(cluster_, level));
}

NetworkSimulation::Message NetworkSimulation::send(std::size_t from, std::size_t to, double bytes,
                                                   std::vector<Message> after) {
  std::size_t at = cluster_.levels.size() - 1;
  while (part_of(from, at) == part_of(to, at)) {
    --at;
  }
  const hw::Level& level = cluster_.levels[at];
  const auto part = static_cast<std::size_t>(hw::devices_per_part(cluster_, at));
  Flow flow;
  flow.bytes = bytes;
  flow.latency = level.latency.value();
  flow.after = std::move(after);
  if (hw::has_neighbours_only(level.kind)) {
    const auto members = static_cast<std::size_t>(*level.members);
    const std::size_t ahead = (part_of(to, at) + members - part_of(from, at) % members) % members;
    if (ahead != 1 && ahead != members - 1) {
      throw std::logic_error("only neighbours of a line can talk");
    }
    flow.links = ahead == 1
                     ? std::vector{slot(from, at, Slot::kOut), slot(to, at, Slot::kIn)}
                     : std::vector{slot(from, at, Slot::kOtherOut), slot(to, at, Slot::kOtherIn)};
  } else {
    flow.links = {slot(from, at, Slot::kOut), slot(to, at, Slot::kIn),
                  slot(part_of(from, at) * part, at, Slot::kOtherOut),
                  slot(part_of(to, at) * part, at, Slot::kOtherIn)};
  }
  flows_.push_back(std::move(flow));
  return flows_.size() - 1;
}

double NetworkSimulation::run() const {
  std::vector<double> left(flows_.size()), arrival(flows_.size(), kNever);
  for (std::size_t f = 0; f < flows_.size(); ++f) {
    left[f] = flows_[f].bytes;
  }
  double now = 0;
  for (;;) {
    std::vector<std::size_t> active;
    double next = kNever;  // arrival that lets something start
    for (std::size_t f = 0; f < flows_.size(); ++f) {
      if (left[f] <= 0) {
        next = arrival[f] > now ? std::min(next, arrival[f]) : next;
        continue;
      }
      const bool may_start = std::ranges::all_of(
          flows_[f].after, [&](Message m) { return left[m] <= 0 && arrival[m] <= now; });
      if (may_start) {
        active.push_back(f);
      }
    }
    if (active.empty() && next == kNever) {
      return now;
    }
    std::vector<const std::vector<std::size_t>*> links;
    for (const std::size_t f : active) {
      links.push_back(&flows_[f].links);
    }
    const std::vector<double> rates = fair_rates(links, capacities_);
    double step = next - now;
    for (std::size_t i = 0; i < active.size(); ++i) {
      step = std::min(step, left[active[i]] / rates[i]);
    }
    // Equal flows end together: what rounding leaves of a flow must not become a step of its own.
    const double end = now + step;
    for (std::size_t i = 0; i < active.size(); ++i) {
      const std::size_t f = active[i];
      left[f] -= rates[i] * step;
      if (left[f] <= 1e-9 * flows_[f].bytes) {
        left[f] = 0;
        arrival[f] = end + flows_[f].latency;
      }
    }
    now = end;
  }
}

}  // namespace phaze::tests
