#include "cost/collective.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "cost/collective_algorithms.h"

namespace phaze::cost {
namespace {

using detail::Estimate;
using detail::LevelChoice;
using detail::Links;

CollectiveCost to_cost(const hw::Cluster& cluster, const Estimate& estimate, Algorithm algorithm) {
  CollectiveCost cost;
  cost.algorithm = algorithm;
  cost.start = cluster.start;
  cost.latency = Seconds(estimate.latency);
  cost.transfer = Seconds(estimate.transfer);
  if (cluster.copy_bandwidth) {
    cost.copy = Seconds(estimate.copied_bytes / cluster.copy_bandwidth->value());
  }
  cost.time = cost.start + cost.latency + cost.transfer + cost.copy;
  cost.bound = Bound::kBandwidth;
  cost.level = estimate.transfer_level;
  Seconds most = cost.transfer;
  if (cost.latency > most) {
    most = cost.latency;
    cost.bound = Bound::kLatency;
    cost.level = estimate.latency_level;
  }
  if (cost.copy > most) {
    most = cost.copy;
    cost.bound = Bound::kCopy;
  }
  if (cost.start > most) {
    cost.bound = Bound::kStart;
  }
  return cost;
}

// The choices that are worth trying on these links; each is an algorithm of its own.
std::optional<Estimate> estimate_levels(Collective collective, const Links& links, double bytes) {
  std::optional<Estimate> best;
  const bool has_reduction =
      std::ranges::any_of(links, [](const detail::Link& link) { return link.reducing_rate > 0; });
  for (const bool in_network : {false, true}) {
    for (const LevelChoice::Top top : {LevelChoice::Top::kRing, LevelChoice::Top::kTree}) {
      if (in_network && !has_reduction) {
        continue;
      }
      const std::optional<Estimate> found =
          detail::estimate_hierarchical(collective, links, bytes, {in_network, top});
      // All of them copy the same, so the rest decides.
      if (found && (!best || found->latency + found->transfer < best->latency + best->transfer)) {
        best = found;
      }
    }
  }
  return best;
}

std::optional<Estimate> estimate(const hw::Cluster& cluster, Algorithm algorithm,
                                 Collective collective, const Links& links, double bytes) {
  switch (algorithm) {
    case Algorithm::kRing:
      return detail::estimate_ring(collective, links, bytes);
    case Algorithm::kTree:
      return detail::estimate_tree(collective, links, bytes);
    case Algorithm::kHalvingDoubling:
      return detail::estimate_halving(collective, links, bytes);
    case Algorithm::kTorus:
      return detail::estimate_torus(collective, links, bytes);
    case Algorithm::kHierarchical:
      return cluster.hierarchical ? estimate_levels(collective, links, bytes) : std::nullopt;
    case Algorithm::kInNetwork:
      return detail::estimate_in_network(collective, links, bytes);
    case Algorithm::kDirect:
      return detail::estimate_direct(collective, links, bytes);
  }
  CHECK(false, "unknown algorithm");
}

}  // namespace

std::string_view to_string(Bound bound) {
  constexpr std::array<std::string_view, 5> kNames = {"nothing", "start", "latency", "bandwidth",
                                                      "copy"};
  return kNames.at(static_cast<std::size_t>(bound));
}

std::optional<CollectiveCost> compute_collective(const hw::Cluster& cluster, Collective collective,
                                                 Bytes bytes, const Group& group,
                                                 AlgorithmSet allowed) {
  CHECK(bytes.value() >= 0, "a buffer has a size");
  const Links links = detail::make_links(cluster, group, allowed);
  if (links.count == 0 || bytes.value() == 0) {
    return CollectiveCost{};
  }
  std::optional<CollectiveCost> best;
  for (std::size_t i = 0; i < kAlgorithms; ++i) {
    const auto algorithm = static_cast<Algorithm>(i);
    if (!allowed.contains(algorithm)) {
      continue;
    }
    const std::optional<Estimate> found =
        estimate(cluster, algorithm, collective, links, static_cast<double>(bytes.value()));
    if (found) {
      const CollectiveCost cost = to_cost(cluster, *found, algorithm);
      if (!best || cost.time < best->time) {
        best = cost;
      }
    }
  }
  return best;
}

CollectiveCost compute_collective(const hw::Cluster& cluster, Collective collective, Bytes bytes,
                                  const Group& group) {
  const std::optional<CollectiveCost> best =
      compute_collective(cluster, collective, bytes, group, AlgorithmSet::all());
  CHECK(best, "a ring or direct messages can do any collective");
  return *best;
}

}  // namespace phaze::cost
