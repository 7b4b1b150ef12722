#include "support/product_brute_force.h"

#include <array>
#include <cmath>
#include <random>

namespace phaze::tests {

using plan::Dataflow;
using plan::ProductCost;
using plan::ProductMapping;
using plan::ProductProblem;
using plan::Stationary;
using plan::TensorMachine;

namespace {

constexpr std::array kStationary = {Stationary::kC, Stationary::kA, Stationary::kB};

class BruteForce {
 public:
  BruteForce(const ProductProblem& problem, const TensorMachine& machine,
             const ProductPricer& price)
      : problem_(problem), machine_(machine), price_(price) {}

  std::optional<BruteForceAnswer> solve() {
    for (std::size_t i = 0; i < plan::kDataflows; ++i) {
      mapping_.dataflow = static_cast<Dataflow>(i);
      for (mapping_.k_splits = 1; mapping_.k_splits <= machine_.cores; ++mapping_.k_splits) {
        for (mapping_.tile_m = 1; mapping_.tile_m <= problem_.m; ++mapping_.tile_m) {
          for (mapping_.tile_n = 1; mapping_.tile_n <= problem_.n; ++mapping_.tile_n) {
            for (const Stationary local : kStationary) {
              mapping_.local = local;
              try_global();
            }
          }
        }
      }
    }
    return best_;
  }

 private:
  void try_global() {
    mapping_.global = Stationary::kC;
    mapping_.group_m = mapping_.group_n = 1;
    if (!try_mapping()) {
      return;
    }
    for (; mapping_.group_m <= machine_.cores; ++mapping_.group_m) {
      for (mapping_.group_n = 1; mapping_.group_m * mapping_.group_n <= machine_.cores;
           ++mapping_.group_n) {
        try_mapping();
      }
    }
    mapping_.group_m = mapping_.group_n = 1;
    mapping_.global = Stationary::kA;
    for (mapping_.panel = 1; mapping_.panel <= problem_.m; ++mapping_.panel) {
      try_mapping();
    }
    mapping_.global = Stationary::kB;
    for (mapping_.panel = 1; mapping_.panel <= problem_.n; ++mapping_.panel) {
      try_mapping();
    }
    mapping_.panel = 0;
  }

  bool try_mapping() {
    const std::optional<ProductCost> cost = price_(mapping_);
    if (!cost) {
      return false;
    }
    ++priced_;
    if (!best_ || cost->time < best_->cost.time ||
        (cost->time == best_->cost.time &&
         order_of(problem_, mapping_) < order_of(problem_, best_->mapping))) {
      best_ = {mapping_, *cost, 0};
    }
    best_->priced = priced_;
    return true;
  }

  const ProductProblem& problem_;
  const TensorMachine& machine_;
  const ProductPricer& price_;
  ProductMapping mapping_;
  std::optional<BruteForceAnswer> best_;
  std::int64_t priced_ = 0;
};

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  // The distributions of the standard library differ between its makers.
  std::int64_t pick(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  template <class T, std::size_t N>
  T one_of(const std::array<T, N>& values) {
    return values[static_cast<std::size_t>(pick(0, N - 1))];
  }
  bool toss(std::int64_t of = 2) { return pick(1, of) == 1; }

 private:
  std::mt19937_64 engine_;
};

// Mostly small, since the number of mappings grows with the fourth power.
std::int64_t size(Random& random) {
  constexpr std::array<std::int64_t, 10> kOdd = {1, 7, 13, 16, 17, 31, 32, 37, 61, 64};
  return random.toss(3) ? random.one_of(kOdd) : random.pick(1, 40);
}

}  // namespace

MappingOrder order_of(const ProductProblem& problem, const ProductMapping& mapping) {
  return {mapping.k_splits, static_cast<std::int64_t>(mapping.dataflow),
          (problem.m + mapping.tile_m - 1) / mapping.tile_m,
          (problem.n + mapping.tile_n - 1) / mapping.tile_n};
}

std::optional<BruteForceAnswer> solve_by_brute_force(const ProductProblem& problem,
                                                     const TensorMachine& machine,
                                                     const ProductPricer& price) {
  return BruteForce(problem, machine, price).solve();
}

ProductCase random_product_case(std::uint64_t seed) {
  Random random(seed * 0x9e3779b97f4a7c15u + 1);
  ProductCase c;
  ProductProblem& p = c.problem;
  p.batch = random.toss() ? 1 : random.pick(1, 4);
  p.m = size(random);
  p.n = size(random);
  p.k = random.toss() ? size(random) : random.pick(1, 64);
  constexpr std::array<std::int64_t, 3> kBytes = {1, 2, 4};
  p.a_element = Bytes(random.one_of(kBytes));
  p.b_element = Bytes(random.toss() ? p.a_element.value() : random.one_of(kBytes));
  p.c_element = Bytes(random.one_of(kBytes));
  p.extra = Bytes(random.toss() ? 0 : random.pick(1, 5000));

  TensorMachine& t = c.machine;
  t.cores = random.pick(1, 6);
  t.rows = random.pick(1, 8);
  t.columns = random.pick(1, 8);
  t.rate = random.one_of(std::array{0.5, 1.0, 2.0});
  t.clock = Hertz(1e9 * random.one_of(std::array{1.0, 1.05, 0.7}));
  t.tile_step = random.one_of(std::array<std::int64_t, 4>{1, 1, 2, 4});
  if (random.toss(3)) {
    for (bool& dataflow : t.dataflows) {
      dataflow = random.toss();
    }
  }
  if (random.toss(4)) {
    t.accumulators = random.pick(1, 200);
  }
  t.local_buffer = Bytes(
      random.one_of(std::array<std::int64_t, 4>{random.pick(16, 200), random.pick(100, 1000),
                                                random.pick(500, 5000), std::int64_t{1} << 30}));
  // Around what groups of tiles and panels take, so that re-reads from HBM differ.
  t.global_buffer = Bytes(random.one_of(
      std::array<std::int64_t, 5>{random.pick(1, 100), random.pick(50, 600), random.pick(50, 600),
                                  random.pick(500, 8000), std::int64_t{1} << 30}));
  // Bytes a cycle about what the array consumes; one or two levels may be much slower.
  const auto level = [&random](std::int64_t slow_of) {
    const double common = random.one_of(std::array{4.0, 16.0, 37.0, 128.0, 1000.0});
    return BytesPerSecond(1e9 * common * (random.toss(slow_of) ? 0.03 : 1));
  };
  t.local_bandwidth = level(6);
  t.port_bandwidth = level(6);
  t.global_bandwidth = level(5);
  t.hbm_bandwidth = level(3);
  t.peak = FlopsPerSecond(2 * static_cast<double>(t.cores * t.rows * t.columns) * t.rate *
                          t.clock.value());
  t.sustained = t.peak * random.one_of(std::array{1.0, 1.0, 0.6, 0.1});
  t.launch = Seconds(random.one_of(std::array{0.0, 0.0, 20e-9, 1e-6}));
  t.tile_start = Seconds(random.one_of(std::array{0.0, 0.0, 5e-9, 100e-9}));
  return c;
}

}  // namespace phaze::tests
