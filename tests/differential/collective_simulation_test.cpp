// The formulas of collectives against their messages, one by one (support/network_simulation.h).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>

#include "support/clusters.h"
#include "support/network_simulation.h"

namespace phaze::tests {
namespace {

using cost::Algorithm;
using cost::Collective;
using Message = NetworkSimulation::Message;

constexpr double kBandwidth = 100e9;
constexpr double kLatency = 5e-6;
constexpr std::array<std::int64_t, 4> kSizes = {10'000, 1'000'000, 30'000'000, 1'000'000'000};

// What the formula says without its allowance for filling the pipeline (9.3), which messages that
// are sent whole do not need.
double formula_without_fill(Algorithm algorithm, const hw::Cluster& cluster, Collective collective,
                            std::int64_t bytes, const cost::Group& group, double fill) {
  double least = fill;  // by trying numbers of pieces
  double latency = 0;
  for (const hw::Level& level : cluster.levels) {
    latency = std::max(latency, level.latency.value());
  }
  for (int pieces = 1; pieces < 20'000; ++pieces) {
    least = std::min(least, fill / pieces + (pieces - 1) * latency);
  }
  return time_by(algorithm, cluster, collective, bytes, group) - least;
}

// `passes` rounds of a ring in which everyone hands on what came last.
double simulate_ring(const hw::Cluster& cluster, std::size_t members, double bytes, int passes) {
  NetworkSimulation network(cluster);
  std::vector<Message> last;
  for (std::size_t step = 0; step < static_cast<std::size_t>(passes) * (members - 1); ++step) {
    std::vector<Message> now;
    for (std::size_t i = 0; i < members; ++i) {
      std::vector<Message> after;
      if (step > 0) {
        after = {last[(i + members - 1) % members], last[i]};
      }
      now.push_back(
          network.send(i, (i + 1) % members, bytes / static_cast<double>(members), after));
    }
    last = now;
  }
  return network.run();
}

TEST(CollectiveSimulation, RingOnASwitch) {
  for (const std::int64_t members : {2, 3, 5, 8}) {
    const hw::Cluster cluster = cluster_of({switch_of(members, kBandwidth, kLatency)});
    for (const std::int64_t bytes : kSizes) {
      const auto whole = static_cast<double>(bytes);
      const double share = whole / static_cast<double>(members);
      for (const Collective collective : {Collective::kAllReduce, Collective::kAllGather}) {
        const double simulated = simulate_ring(cluster, static_cast<std::size_t>(members), whole,
                                               collective == Collective::kAllReduce ? 2 : 1);
        const double formula = formula_without_fill(Algorithm::kRing, cluster, collective, bytes,
                                                    group_of({members}), share / kBandwidth);
        EXPECT_NEAR(formula / simulated, 1, 0.01) << members << " members, " << bytes << " bytes";
      }
    }
  }
}

TEST(CollectiveSimulation, HalvingAndDoubling) {
  for (const std::int64_t members : {2, 4, 8, 16}) {
    const hw::Cluster cluster = cluster_of({switch_of(members, kBandwidth, kLatency)});
    for (const std::int64_t bytes : kSizes) {
      NetworkSimulation network(cluster);
      const auto count = static_cast<std::size_t>(members);
      std::vector<Message> last(count);
      std::vector<double> parts;  // halves, then the same back
      while ((std::size_t{1} << parts.size()) < count) {
        parts.push_back(parts.empty() ? static_cast<double>(bytes) / 2 : parts.back() / 2);
      }
      const std::size_t steps = parts.size();
      for (std::size_t step = 0; step < 2 * steps; ++step) {
        const std::size_t at = step < steps ? step : 2 * steps - 1 - step;
        std::vector<Message> now;
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t partner = i ^ (std::size_t{1} << at);
          std::vector<Message> after;
          if (step > 0) {
            const std::size_t before = step <= steps ? step - 1 : 2 * steps - step;
            after = {last[i ^ (std::size_t{1} << before)], last[i]};
          }
          now.push_back(network.send(i, partner, parts[at], after));
        }
        last = now;
      }
      const double formula =
          formula_without_fill(Algorithm::kHalvingDoubling, cluster, Collective::kAllReduce, bytes,
                               group_of({members}), static_cast<double>(bytes) / 2 / kBandwidth);
      EXPECT_NEAR(formula / network.run(), 1, 0.01) << members << " members, " << bytes;
    }
  }
}

// A binary tree over members 0 .. n-1 in order, and the same moved on by one: inner members of the
// one are leaves of the other when n is even (Sanders et al. 2009).
std::vector<int> tree_parents(int members, int shift) {
  std::vector<int> parents(static_cast<std::size_t>(members), -1);
  const std::function<int(int, int, int)> build = [&](int first, int last, int parent) {
    if (first > last) {
      return -1;
    }
    const int middle = (first + last + 1) / 2;
    parents[static_cast<std::size_t>((middle + shift) % members)] =
        parent < 0 ? -1 : (parent + shift) % members;
    build(first, middle - 1, middle);
    build(middle + 1, last, middle);
    return middle;
  };
  build(0, members - 1, -1);
  return parents;
}

// Up and down two trees, each with half of the bytes, in pieces.
double simulate_trees(const hw::Cluster& cluster, int members, double bytes, int pieces) {
  NetworkSimulation network(cluster);
  for (int tree = 0; tree < 2; ++tree) {
    const std::vector<int> parents = tree_parents(members, tree);
    const auto count = static_cast<std::size_t>(members);
    std::vector<Message> last_up(count), last_down(count);
    std::vector<int> order;  // leaves first
    std::function<void(int)> visit = [&](int member) {
      for (int child = 0; child < members; ++child) {
        if (parents[static_cast<std::size_t>(child)] == member) {
          visit(child);
        }
      }
      order.push_back(member);
    };
    visit(static_cast<int>(std::ranges::find(parents, -1) - parents.begin()));
    for (int piece = 0; piece < pieces; ++piece) {
      std::vector<std::vector<Message>> up(count);  // arrived at a member
      std::vector<Message> down(count);
      const double part = bytes / 2 / pieces;
      for (const int member : order) {
        const auto m = static_cast<std::size_t>(member);
        if (parents[m] >= 0) {
          std::vector<Message> after = up[m];
          if (piece > 0) {
            after.push_back(last_up[m]);
          }
          last_up[m] = network.send(m, static_cast<std::size_t>(parents[m]), part, after);
          up[static_cast<std::size_t>(parents[m])].push_back(last_up[m]);
        }
      }
      for (auto member = order.rbegin(); member != order.rend(); ++member) {
        const auto m = static_cast<std::size_t>(*member);
        if (parents[m] >= 0) {
          const auto parent = static_cast<std::size_t>(parents[m]);
          std::vector<Message> after =
              parents[parent] >= 0 ? std::vector{down[parent]} : up[parent];
          if (piece > 0) {
            after.push_back(last_down[m]);
          }
          down[m] = last_down[m] = network.send(parent, m, part, after);
        }
      }
    }
  }
  return network.run();
}

TEST(CollectiveSimulation, TwoTreesInTheBestNumberOfPieces) {
  for (const int members : {4, 8, 16}) {
    const hw::Cluster cluster = cluster_of({switch_of(members, kBandwidth, kLatency)});
    for (const std::int64_t bytes : {10'000, 1'000'000, 30'000'000}) {
      double simulated = 1e9;
      for (const int pieces : {1, 2, 4, 8, 16, 32}) {
        simulated = std::min(simulated,
                             simulate_trees(cluster, members, static_cast<double>(bytes), pieces));
      }
      const double formula =
          time_by(Algorithm::kTree, cluster, Collective::kAllReduce, bytes, group_of({members}));
      EXPECT_GT(formula / simulated, 0.85) << members << " members, " << bytes;
      EXPECT_LT(formula / simulated, 1.15) << members << " members, " << bytes;
    }
  }
}

// Reduce-scatter inside, all-reduce outside, all-gather inside, all by rings, in pieces that follow
// one another.
double simulate_levels(const hw::Cluster& cluster, std::size_t inner, std::size_t outer,
                       double bytes, int pieces) {
  NetworkSimulation network(cluster);
  const std::size_t count = inner * outer;
  std::vector<std::vector<Message>> before(3, std::vector<Message>(count));  // of the last piece
  for (int piece = 0; piece < pieces; ++piece) {
    const double whole = bytes / pieces;
    std::vector<std::vector<Message>> arrived(count);
    const auto run = [&](std::size_t phase, std::size_t steps, double part, bool is_inner) {
      const std::size_t size = is_inner ? inner : outer;
      const std::size_t stride = is_inner ? 1 : inner;
      for (std::size_t step = 0; step < steps; ++step) {
        std::vector<std::vector<Message>> next(count);
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t at = i / stride % size;
          const std::size_t to = i + ((at + 1) % size) * stride - at * stride;
          std::vector<Message> after = arrived[i];
          if (piece > 0 && step == 0) {
            after.push_back(before[phase][i]);
          }
          const Message sent = network.send(i, to, part, after);
          next[to].push_back(sent);
          if (step + 1 == steps) {
            before[phase][i] = sent;
          }
        }
        arrived = next;
      }
    };
    run(0, inner - 1, whole / static_cast<double>(inner), true);
    run(1, 2 * (outer - 1), whole / static_cast<double>(count), false);
    run(2, inner - 1, whole / static_cast<double>(inner), true);
  }
  return network.run();
}

TEST(CollectiveSimulation, LevelByLevelInTheBestNumberOfPieces) {
  hw::Cluster cluster =
      cluster_of({switch_of(4, kBandwidth, kLatency / 5), switch_of(2, kBandwidth / 4, kLatency)});
  for (hw::Level& level : cluster.levels) {
    level.patterns = {false, false};
  }
  for (const std::int64_t bytes : {10'000, 1'000'000, 30'000'000, 1'000'000'000}) {
    double simulated = 1e9;
    for (const int pieces : {1, 2, 4, 8, 16, 32}) {
      simulated =
          std::min(simulated, simulate_levels(cluster, 4, 2, static_cast<double>(bytes), pieces));
    }
    const double formula =
        time_by(Algorithm::kHierarchical, cluster, Collective::kAllReduce, bytes, group_of({4, 2}));
    EXPECT_GT(formula / simulated, 0.95) << bytes;
    EXPECT_LT(formula / simulated, 1.25) << bytes;
  }
}

TEST(CollectiveSimulation, TorusOfTwoDimensions) {
  // Halves of the data take the dimensions in opposite order, and each goes both ways around.
  constexpr std::size_t kSide = 4;
  const hw::Cluster cluster = cluster_of(
      {torus_of(kSide, kBandwidth, kLatency / 10), torus_of(kSide, kBandwidth, kLatency / 10)});
  constexpr std::size_t kCount = kSide * kSide;
  for (const std::int64_t bytes : {1'000'000, 1'000'000'000}) {
    NetworkSimulation network(cluster);
    const auto go = [](std::size_t device, std::size_t dimension, bool forward) {
      const std::size_t stride = dimension == 0 ? 1 : kSide;
      const std::size_t at = device / stride % kSide;
      const std::size_t next = (at + (forward ? 1 : kSide - 1)) % kSide;
      return device - at * stride + next * stride;
    };
    for (std::size_t half = 0; half < 2; ++half) {
      for (const bool forward : {true, false}) {
        double part = static_cast<double>(bytes) / 4;  // two halves, two ways
        std::vector<std::vector<Message>> arrived(kCount);
        for (std::size_t phase = 0; phase < 2; ++phase) {
          const std::size_t dimension = (half + phase) % 2;
          for (std::size_t step = 0; step + 1 < kSide; ++step) {
            std::vector<std::vector<Message>> next(kCount);
            for (std::size_t i = 0; i < kCount; ++i) {
              const std::size_t to = go(i, dimension, forward);
              next[to] = {network.send(i, to, part / kSide, arrived[i])};
            }
            arrived = next;
          }
          part /= kSide;
        }
      }
    }
    const double formula = formula_without_fill(
        Algorithm::kTorus, cluster, Collective::kReduceScatter, bytes, group_of({kSide, kSide}),
        static_cast<double>(bytes) / kCount / kBandwidth);
    // The formula's steps are fewer, because shares may go both ways whole.
    const double simulated = network.run();
    EXPECT_LE(formula, simulated * 1.001) << bytes;
    EXPECT_GE(formula, simulated - 2 * 3 * kLatency / 10) << bytes;
  }
}

TEST(CollectiveSimulation, AllToAllFillsTheNarrowestLinks) {
  hw::Cluster cluster = cluster_of(
      {switch_of(4, kBandwidth, 0), level_of(hw::LevelKind::kFatTree, 3, kBandwidth / 5, 0)});
  for (const double oversubscription : {1.0, 2.0}) {
    cluster.levels[1].oversubscription = oversubscription;
    NetworkSimulation network(cluster);
    constexpr std::int64_t kBytes = 12'000'000;
    for (std::size_t from = 0; from < 12; ++from) {
      for (std::size_t to = 0; to < 12; ++to) {
        if (from != to) {
          network.send(from, to, kBytes / 12.0, {});
        }
      }
    }
    const double formula =
        time_by(Algorithm::kDirect, cluster, Collective::kAllToAll, kBytes, group_of({4, 3}));
    EXPECT_NEAR(formula / network.run(), 1, 1e-6) << oversubscription;
  }
}

TEST(CollectiveSimulation, RingsOutOfANodeShareItsWayOut) {
  // Four rings of one device a node, or only one of them, over half as many adapters.
  hw::Cluster cluster = cluster_of(
      {switch_of(4, kBandwidth, 0), level_of(hw::LevelKind::kFatTree, 3, kBandwidth / 5, 0)});
  cluster.levels[1].oversubscription = 2;
  constexpr double kBytes = 3e6;
  for (const std::size_t rings : {1U, 2U, 3U, 4U}) {
    NetworkSimulation network(cluster);
    for (std::size_t ring = 0; ring < rings; ++ring) {
      std::vector<Message> last;
      for (std::size_t step = 0; step < 4; ++step) {
        std::vector<Message> now;
        for (std::size_t node = 0; node < 3; ++node) {
          std::vector<Message> after;
          if (step > 0) {
            after = {last[(node + 2) % 3], last[node]};
          }
          now.push_back(
              network.send(node * 4 + ring, (node + 1) % 3 * 4 + ring, kBytes / 3, after));
        }
        last = now;
      }
    }
    cost::Group group = group_of({1, 3});
    group.spans[1].sharing = static_cast<std::int64_t>(rings);
    const double formula = time_by(Algorithm::kRing, cluster, Collective::kAllReduce,
                                   static_cast<std::int64_t>(kBytes), group);
    EXPECT_NEAR(formula / network.run(), 1, 1e-6) << rings;
  }
}

}  // namespace
}  // namespace phaze::tests
