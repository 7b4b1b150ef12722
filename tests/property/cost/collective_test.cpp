// What must hold for every collective on every cluster. RC_ASSERT takes conditions apart, so that
// those with || and && stand in brackets of their own.
#include "cost/collective.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/clusters.h"

namespace phaze::cost {
namespace {

constexpr double kSlack = 1 + 1e-9;

struct Case {
  hw::Cluster cluster;
  Group group;
  Collective collective = Collective::kAllReduce;
  std::int64_t bytes = 0;
};

// From `least` to `most`, all alike from the first case on (RapidCheck would start small).
std::int64_t pick(std::int64_t least, std::int64_t most) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange(least, most + 1));
}
bool toss() { return pick(0, 1) == 1; }

// A number from `least` to `most`, spread evenly over the orders of magnitude.
double magnitude(double least, double most) {
  return least * std::pow(most / least, static_cast<double>(pick(0, 1000)) / 1000);
}

hw::Level arbitrary_level(hw::LevelKind kind) {
  hw::Level level = tests::level_of(kind, pick(2, 9), magnitude(1e9, 1e12), magnitude(1e-7, 1e-4));
  if (pick(0, 3) == 0) {
    level.latency = Seconds(0);
  }
  level.efficiency = magnitude(0.5, 1);
  level.wraparound = toss();
  if (!hw::has_neighbours_only(kind)) {
    level.patterns = {toss(), toss()};
    if (toss()) {
      level.in_network_efficiency = magnitude(0.3, 1);
    }
  }
  if (kind == hw::LevelKind::kFatTree) {
    level.oversubscription = magnitude(1, 8);
  }
  return level;
}

hw::Cluster arbitrary_cluster(const std::vector<hw::LevelKind>& kinds,
                              std::int64_t least_levels = 1) {
  hw::Cluster cluster;
  const std::int64_t count = pick(least_levels, 3);
  for (std::int64_t i = 0; i < count; ++i) {
    cluster.levels.push_back(arbitrary_level(*rc::gen::elementOf(kinds)));
  }
  cluster.start = Seconds(toss() ? 0 : magnitude(1e-6, 1e-4));
  if (toss()) {
    cluster.copy_bandwidth = BytesPerSecond(magnitude(1e11, 1e12));
  }
  cluster.hierarchical = pick(0, 3) > 0;
  return cluster;
}

const std::vector<hw::LevelKind> kAllKinds = {hw::LevelKind::kSwitch, hw::LevelKind::kFatTree,
                                              hw::LevelKind::kRing, hw::LevelKind::kTorus};

// At least two devices; on every level at least `least_members`.
Group arbitrary_group(const hw::Cluster& cluster, std::int64_t least_members = 1) {
  Group group;
  const std::int64_t sure = pick(0, static_cast<std::int64_t>(cluster.levels.size()) - 1);
  for (std::size_t i = 0; i < cluster.levels.size(); ++i) {
    const std::int64_t most = *cluster.levels[i].members;
    const std::int64_t least = static_cast<std::int64_t>(i) == sure ? 2 : least_members;
    group.spans[i].members = pick(least, most);
    if (group.spans[i].members > 1) {
      group.spans[i].stride = pick(1, (most - 1) / (group.spans[i].members - 1));
    }
    group.spans[i].sharing = pick(1, 8);
  }
  return group;
}

Case arbitrary_case() {
  Case c;
  c.cluster = arbitrary_cluster(kAllKinds);
  c.group = arbitrary_group(c.cluster);
  c.collective = static_cast<Collective>(pick(0, kCollectives - 1));
  c.bytes = static_cast<std::int64_t>(magnitude(1, 1e11));
  return c;
}

std::size_t any_index(const Case& c) {
  return static_cast<std::size_t>(pick(0, static_cast<std::int64_t>(c.cluster.levels.size()) - 1));
}
hw::Level& any_level(Case& c) { return c.cluster.levels[any_index(c)]; }

double time_of(const Case& c) { return tests::time_of(c.cluster, c.collective, c.bytes, c.group); }

std::optional<double> time_with(const Case& c, AlgorithmSet allowed) {
  const std::optional<CollectiveCost> cost =
      compute_collective(c.cluster, c.collective, Bytes(c.bytes), c.group, allowed);
  return cost ? std::optional(cost->time.value()) : std::nullopt;
}

RC_GTEST_PROP(CollectiveProperty, MoreBytesNeverTakeLess, ()) {
  Case c = arbitrary_case();
  const double before = time_of(c);
  c.bytes += static_cast<std::int64_t>(magnitude(1, 1e11));
  RC_ASSERT(time_of(c) * kSlack >= before);
}

RC_GTEST_PROP(CollectiveProperty, FasterLinksNeverTakeMore, ()) {
  Case c = arbitrary_case();
  const double before = time_of(c);
  hw::Level& level = any_level(c);
  level.bandwidth = level.bandwidth * magnitude(1, 10);
  RC_ASSERT(time_of(c) <= before * kSlack);
}

RC_GTEST_PROP(CollectiveProperty, LongerLatenciesNeverTakeLess, ()) {
  Case c = arbitrary_case();
  const double before = time_of(c);
  hw::Level& level = any_level(c);
  level.latency += Seconds(magnitude(1e-7, 1e-4));
  RC_ASSERT(time_of(c) * kSlack >= before);
}

RC_GTEST_PROP(CollectiveProperty, CompanyNeverHelps, ()) {
  Case c = arbitrary_case();
  const double before = time_of(c);
  c.group.spans[any_index(c)].sharing += pick(1, 8);
  RC_ASSERT(time_of(c) * kSlack >= before);
}

RC_GTEST_PROP(CollectiveProperty, OversubscriptionNeverHelps, ()) {
  Case c = arbitrary_case();
  const double before = time_of(c);
  for (hw::Level& level : c.cluster.levels) {
    if (level.kind == hw::LevelKind::kFatTree) {
      level.oversubscription *= magnitude(1, 8);
    }
  }
  RC_ASSERT(time_of(c) * kSlack >= before);
}

RC_GTEST_PROP(CollectiveProperty, SharesAddUp, ()) {
  const Case c = arbitrary_case();
  const CollectiveCost cost = compute_collective(c.cluster, c.collective, Bytes(c.bytes), c.group);
  for (const Seconds share : {cost.start, cost.latency, cost.transfer, cost.copy}) {
    RC_ASSERT(share.value() >= 0);
    RC_ASSERT(std::isfinite(share.value()));
  }
  RC_ASSERT(cost.time == cost.start + cost.latency + cost.transfer + cost.copy);
  RC_ASSERT(cost.level < c.cluster.levels.size());
  RC_ASSERT(cost.bound != Bound::kNothing);
}

// The least that every device, and each half of the outermost parts, must send or receive.
double bytes_of_device(Collective collective, double bytes, double size, bool reduces) {
  const double others = bytes * (size - 1) / size;
  switch (collective) {
    case Collective::kAllReduce:
      return reduces ? others : 2 * others;
    case Collective::kAllGather:
    case Collective::kReduceScatter:
    case Collective::kAllToAll:
      return others;
    case Collective::kBroadcast:
    case Collective::kPointToPoint:
      return bytes;
  }
  return 0;
}

RC_GTEST_PROP(CollectiveProperty, NeverBeatsTheLinksOfADevice, ()) {
  const Case c = arbitrary_case();
  double links = 0;
  bool reduces = false;
  for (std::size_t i = 0; i < c.cluster.levels.size(); ++i) {
    const hw::Level& level = c.cluster.levels[i];
    if (c.group.spans[i].members > 1) {
      const double in_network = level.in_network_efficiency.value_or(0);
      links += level.bandwidth.value() * std::max(level.efficiency, in_network);
      reduces = reduces || in_network > 0;
    }
  }
  const double sent = bytes_of_device(c.collective, static_cast<double>(c.bytes),
                                      static_cast<double>(group_size(c.group)), reduces);
  RC_ASSERT(time_of(c) * kSlack >= sent / links);
}

RC_GTEST_PROP(CollectiveProperty, NeverBeatsTheBisection, ()) {
  Case c = arbitrary_case();
  c.collective = static_cast<Collective>(pick(0, kCollectives - 2));  // not point to point
  std::size_t outer = c.cluster.levels.size() - 1;
  while (c.group.spans[outer].members == 1) {
    --outer;
  }
  const hw::Level& level = c.cluster.levels[outer];
  const auto members = static_cast<double>(c.group.spans[outer].members);
  const double inside = static_cast<double>(group_size(c.group)) / members;
  const double rate =
      level.bandwidth.value() * std::max(level.efficiency, level.in_network_efficiency.value_or(0));
  const double smaller = std::floor(members / 2);
  // Both links of a closed line cross the cut, one of an open one; here the better case.
  const double across =
      hw::has_neighbours_only(level.kind) ? inside * rate : smaller * inside * rate;
  const double far = (members - smaller) / members;  // share of the data that is on the other side
  const auto bytes = static_cast<double>(c.bytes);
  const double crossing = c.collective == Collective::kAllToAll    ? smaller * inside * far * bytes
                          : c.collective == Collective::kAllReduce ? bytes
                          : c.collective == Collective::kBroadcast ? bytes
                                                                   : far * bytes;
  RC_ASSERT(time_of(c) * kSlack >= crossing / across);
}

RC_GTEST_PROP(CollectiveProperty, EveryAlgorithmCanBeSwitchedOff, ()) {
  const Case c = arbitrary_case();
  AlgorithmSet some;
  for (std::size_t i = 0; i < kAlgorithms; ++i) {
    if (toss()) {
      some = some.with(static_cast<Algorithm>(i));
    }
  }
  const std::optional<CollectiveCost> best =
      compute_collective(c.cluster, c.collective, Bytes(c.bytes), c.group, some);
  std::optional<double> least;
  for (std::size_t i = 0; i < kAlgorithms; ++i) {
    const auto algorithm = static_cast<Algorithm>(i);
    // Level by level uses what is allowed inside a level.
    const bool is_composed = algorithm == Algorithm::kHierarchical;
    const std::optional<double> time =
        some.contains(algorithm) ? time_with(c, is_composed ? some : AlgorithmSet::only(algorithm))
                                 : std::nullopt;
    if (time && (!least || *time < *least)) {
      least = time;
    }
    if (best) {
      const std::optional<double> without = time_with(c, some.without(algorithm));
      RC_ASSERT((!without || *without * kSlack >= best->time.value()));
    }
  }
  RC_ASSERT(best.has_value() == least.has_value());
  if (best) {
    RC_ASSERT(some.contains(best->algorithm));
    RC_ASSERT(best->time.value() == *least);
  }
}

RC_GTEST_PROP(CollectiveProperty, LevelByLevelIsNeverSlowerThanFlatOnTheSameLinks, ()) {
  Case c = arbitrary_case();
  c.cluster = arbitrary_cluster({hw::LevelKind::kSwitch, hw::LevelKind::kFatTree}, 2);
  c.cluster.hierarchical = true;
  c.group = arbitrary_group(c.cluster, 2);
  c.collective =
      *rc::gen::element(Collective::kAllReduce, Collective::kAllGather, Collective::kReduceScatter);
  // The steps are always fewer; whether handing pieces over costs more is a matter of latency.
  const auto by = [&](Algorithm algorithm) {
    return compute_collective(c.cluster, c.collective, Bytes(c.bytes), c.group,
                              AlgorithmSet::only(algorithm));
  };
  const std::optional<CollectiveCost> levels = by(Algorithm::kHierarchical);
  RC_ASSERT(levels->latency <= by(Algorithm::kRing)->latency);
  for (hw::Level& level : c.cluster.levels) {
    level.latency = Seconds(0);
  }
  for (const Algorithm flat :
       {Algorithm::kRing, Algorithm::kTree, Algorithm::kHalvingDoubling, Algorithm::kTorus}) {
    const std::optional<CollectiveCost> cost = by(flat);
    RC_ASSERT((!cost || by(Algorithm::kHierarchical)->time.value() <= cost->time.value() * kSlack));
  }
}

RC_GTEST_PROP(CollectiveProperty, LevelsOfEqualLinksAreNoWorseThanOneSwitch, ()) {
  const hw::Level link =
      tests::switch_of(2, magnitude(1e9, 1e12), *rc::gen::element(0.0, 1e-6, 1e-5));
  const std::int64_t inner = *rc::gen::element<std::int64_t>(2, 4, 8);
  const std::int64_t outer = *rc::gen::element<std::int64_t>(2, 4, 8, 16);
  hw::Cluster two = tests::cluster_of({link, link});
  two.levels[0].members = inner;
  two.levels[1].members = outer;
  hw::Cluster one = tests::cluster_of({link});
  one.levels[0].members = inner * outer;
  const auto bytes = static_cast<std::int64_t>(magnitude(1, 1e11));
  for (std::size_t i = 0; i + 1 < kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    RC_ASSERT(tests::time_of(two, collective, bytes, tests::group_of({inner, outer})) <=
              tests::time_of(one, collective, bytes, tests::group_of({inner * outer})) * kSlack);
  }
}

RC_GTEST_PROP(CollectiveProperty, DistanceDoesNotMatterOnSwitches, ()) {
  Case c = arbitrary_case();
  c.cluster = arbitrary_cluster({hw::LevelKind::kSwitch, hw::LevelKind::kFatTree});
  c.group = arbitrary_group(c.cluster);
  const double before = time_of(c);
  for (Span& span : c.group.spans) {
    span.stride = 1;
  }
  RC_ASSERT(time_of(c) == before);
}

RC_GTEST_PROP(CollectiveProperty, DimensionsOfATorusAreAlike, ()) {
  hw::Cluster cluster;
  const hw::Level link = arbitrary_level(hw::LevelKind::kTorus);
  cluster.levels = {link, link, link};
  Case c{cluster, arbitrary_group(cluster), Collective::kAllReduce, 0};
  c.bytes = static_cast<std::int64_t>(magnitude(1, 1e11));
  for (Span& span : c.group.spans) {
    span.stride = 1;
  }
  const AlgorithmSet torus = AlgorithmSet::only(Algorithm::kTorus);
  const std::optional<double> before = time_with(c, torus);
  std::swap(c.group.spans[0], c.group.spans[2]);
  const std::optional<double> after = time_with(c, torus);
  RC_ASSERT(before.has_value() == after.has_value());
  if (before) {
    RC_ASSERT((*before <= *after * kSlack && *after <= *before * kSlack));
  }
}

RC_GTEST_PROP(CollectiveProperty, PlacedGroupsFitAndFill, ()) {
  const hw::Cluster cluster = arbitrary_cluster(kAllKinds);
  const std::int64_t devices = *hw::device_count(cluster);
  const std::int64_t size = pick(1, devices);
  const std::int64_t stride = pick(1, devices);
  const std::optional<Group> group = place_group(cluster, size, stride, Company::kAll);
  if (group) {
    RC_ASSERT(group_size(*group) == size);
    RC_ASSERT((size == 1 || (size - 1) * stride < devices));
    RC_ASSERT(tests::time_of(cluster, Collective::kAllReduce, 1000, *group) >= 0);
    const Group alone = place_group(cluster, size, stride, Company::kAlone).value();
    RC_ASSERT(tests::time_of(cluster, Collective::kAllReduce, 1000, alone) <=
              tests::time_of(cluster, Collective::kAllReduce, 1000, *group) * kSlack);
  } else {
    RC_ASSERT(size > 1);
  }
}

}  // namespace
}  // namespace phaze::cost
