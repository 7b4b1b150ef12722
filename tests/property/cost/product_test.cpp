// What must hold for the best mapping of every matrix product on every machine. RC_ASSERT takes
// conditions apart, so that those with || and && stand in brackets of their own.
#include "cost/product.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "verify/product.h"

namespace phaze::cost {
namespace {

using plan::Dataflow;
using plan::ProductCost;
using plan::ProductMapping;
using plan::ProductProblem;
using plan::Stationary;
using plan::TensorMachine;

constexpr double kSlack = 1 + 1e-12;

struct Case {
  ProductProblem problem;
  TensorMachine machine;
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
std::int64_t whole_magnitude(double least, double most) {
  return static_cast<std::int64_t>(magnitude(least, most));
}

TensorMachine arbitrary_machine() {
  TensorMachine t;
  t.cores = whole_magnitude(1, 2000);
  t.rows = whole_magnitude(1, 300);
  t.columns = whole_magnitude(1, 300);
  t.rate = *rc::gen::element(0.25, 0.5, 1.0, 2.0, 4.0);
  t.clock = Hertz(magnitude(5e8, 2e9));
  t.tile_step = *rc::gen::element<std::int64_t>(1, 1, 8, 64);
  // Room for one tile at least in most cases.
  const std::int64_t sides = (t.rows + t.tile_step) * (t.columns + t.tile_step);
  t.local_buffer = Bytes(whole_magnitude(2, 50) * sides);
  if (pick(0, 3) == 0) {
    t.accumulators = whole_magnitude(1, 20) * sides;
  }
  t.local_bandwidth = BytesPerSecond(magnitude(1e10, 1e13));
  t.port_bandwidth = BytesPerSecond(magnitude(1e10, 1e12));
  t.global_buffer = Bytes(whole_magnitude(1e4, 2e8));
  t.global_bandwidth = BytesPerSecond(magnitude(1e11, 2e13));
  t.hbm_bandwidth = BytesPerSecond(magnitude(1e11, 1e13));
  t.peak = FlopsPerSecond(2 * static_cast<double>(t.cores * t.rows * t.columns) * t.rate *
                          t.clock.value());
  t.sustained = t.peak * magnitude(0.3, 1);
  t.launch = Seconds(toss() ? 0 : magnitude(1e-7, 1e-5));
  t.tile_start = Seconds(toss() ? 0 : magnitude(1e-8, 1e-6));
  if (pick(0, 3) == 0) {
    const std::size_t sure = static_cast<std::size_t>(pick(0, plan::kDataflows - 1));
    for (std::size_t i = 0; i < plan::kDataflows; ++i) {
      t.dataflows[i] = i == sure || toss();
    }
  }
  return t;
}

ProductProblem arbitrary_problem(double most_side) {
  ProductProblem p;
  p.batch = toss() ? 1 : whole_magnitude(1, 100);
  p.m = whole_magnitude(1, most_side);
  p.n = whole_magnitude(1, most_side);
  p.k = whole_magnitude(1, most_side);
  p.a_element = Bytes(*rc::gen::element<std::int64_t>(1, 2, 4));
  p.b_element = Bytes(*rc::gen::element<std::int64_t>(1, 2, 4));
  p.c_element = Bytes(*rc::gen::element<std::int64_t>(1, 2, 4));
  return p;
}

Case arbitrary_case() { return {arbitrary_problem(60'000), arbitrary_machine()}; }

// Nothing where no tile fits: such cases are dropped.
double time_of(const Case& c) {
  const std::optional<ProductAnswer> answer = solve_product(c.problem, c.machine);
  RC_PRE(answer.has_value());
  return answer->cost.time.value();
}

// A machine that is better in one way is never slower: whatever ran before still runs.
template <class Change>
void never_slower(const Change& change) {
  Case c = arbitrary_case();
  const double before = time_of(c);
  change(c.machine);
  RC_ASSERT(time_of(c) <= before);
}

RC_GTEST_PROP(ProductProperty, MoreCoresNeverTakeMore, ()) {
  never_slower([](TensorMachine& t) { t.cores += whole_magnitude(1, 1000); });
}
RC_GTEST_PROP(ProductProperty, LargerLocalBuffersNeverTakeMore, ()) {
  never_slower([](TensorMachine& t) { t.local_buffer += Bytes(whole_magnitude(1, 1e7)); });
}
RC_GTEST_PROP(ProductProperty, MoreAccumulatorsNeverTakeMore, ()) {
  never_slower([](TensorMachine& t) { t.accumulators += whole_magnitude(1, 1e6); });
}
RC_GTEST_PROP(ProductProperty, ALargerGlobalBufferNeverTakesMore, ()) {
  never_slower([](TensorMachine& t) { t.global_buffer += Bytes(whole_magnitude(1, 1e9)); });
}
RC_GTEST_PROP(ProductProperty, MoreBandwidthNeverTakesMore, ()) {
  never_slower([](TensorMachine& t) {
    BytesPerSecond* const levels[] = {&t.local_bandwidth, &t.port_bandwidth, &t.global_bandwidth,
                                      &t.hbm_bandwidth};
    BytesPerSecond& level = *levels[pick(0, 3)];
    level = level * magnitude(1, 10);
  });
}
RC_GTEST_PROP(ProductProperty, AFasterClockNeverTakesMore, ()) {
  never_slower([](TensorMachine& t) { t.clock = t.clock * magnitude(1, 3); });
}
RC_GTEST_PROP(ProductProperty, MorePowerNeverTakesMore, ()) {
  never_slower(
      [](TensorMachine& t) { t.sustained = std::min(t.peak, t.sustained * magnitude(1, 3)); });
}
RC_GTEST_PROP(ProductProperty, OneMoreDataflowNeverTakesMore, ()) {
  never_slower([](TensorMachine& t) {
    t.dataflows[static_cast<std::size_t>(pick(0, plan::kDataflows - 1))] = true;
  });
}
RC_GTEST_PROP(ProductProperty, FasterStartsNeverTakeMore, ()) {
  never_slower([](TensorMachine& t) {
    t.launch = t.launch * magnitude(0.1, 1);
    t.tile_start = t.tile_start * magnitude(0.1, 1);
  });
}

RC_GTEST_PROP(ProductProperty, MoreRowsOrColumnsNeverTakeLess, ()) {
  Case c = arbitrary_case();
  const double before = time_of(c);
  (toss() ? c.problem.m : c.problem.n) += toss() ? 1 : whole_magnitude(1, 1000);
  RC_ASSERT(time_of(c) >= before);
}

RC_GTEST_PROP(ProductProperty, NeverBeatsTheMachine, ()) {
  const Case c = arbitrary_case();
  const std::optional<ProductAnswer> answer = solve_product(c.problem, c.machine);
  RC_PRE(answer.has_value());
  const ProductCost& cost = answer->cost;
  const ProductProblem& p = c.problem;
  const auto batch = static_cast<double>(p.batch);
  const auto m = static_cast<double>(p.m);
  const auto n = static_cast<double>(p.n);
  const auto k = static_cast<double>(p.k);
  const double compulsory = batch * (m * k * static_cast<double>(p.a_element.value()) +
                                     k * n * static_cast<double>(p.b_element.value()) +
                                     m * n * static_cast<double>(p.c_element.value()));
  const double flops = 2 * batch * m * n * k;
  const double time = cost.time.value();
  RC_ASSERT(time * kSlack >= compulsory / c.machine.hbm_bandwidth.value());
  RC_ASSERT(time * kSlack >= flops / c.machine.peak.value());
  RC_ASSERT(time * kSlack >= flops / c.machine.sustained.value());
  RC_ASSERT(cost.utilisation > 0);
  RC_ASSERT(cost.utilisation <= 1);
  RC_ASSERT(static_cast<double>(cost.hbm_bytes.value()) * kSlack >= compulsory);
  RC_ASSERT(cost.global_bytes >= cost.hbm_bytes);
}

// Exchanging A and B, and with them m and n, is the same product.
RC_GTEST_PROP(ProductProperty, ATransposedProductTakesTheSame, ()) {
  Case c = arbitrary_case();
  c.machine.dataflows = {true, true, true, true};
  const double before = time_of(c);
  std::swap(c.problem.m, c.problem.n);
  std::swap(c.problem.a_element, c.problem.b_element);
  RC_ASSERT(std::abs(time_of(c) - before) <= 1e-12 * before);
}

RC_GTEST_PROP(ProductProperty, AnswersAreSound, ()) {
  const Case c = arbitrary_case();
  const std::optional<ProductAnswer> answer = solve_product(c.problem, c.machine);
  RC_PRE(answer.has_value());
  RC_ASSERT(verify::verify_product(c.problem, c.machine, answer->mapping, answer->cost) ==
            std::vector<std::string>{});
}

RC_GTEST_PROP(ProductProperty, RulesChangeNothing, ()) {
  const Case c{arbitrary_problem(3000), arbitrary_machine()};
  const std::optional<ProductAnswer> plain =
      solve_product(c.problem, c.machine, {false, false, false});
  const std::optional<ProductAnswer> quick = solve_product(c.problem, c.machine);
  RC_ASSERT(plain.has_value() == quick.has_value());
  if (plain) {
    RC_ASSERT((plain->mapping == quick->mapping));
    RC_ASSERT((plain->cost == quick->cost));
  }
}

// --- No cliffs. -------------------------------------------------------------------------------

std::int64_t divide_up(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Elements of the array along m.
std::int64_t side_m(Dataflow dataflow, const TensorMachine& t) {
  switch (dataflow) {
    case Dataflow::kOutput:
      return t.rows;
    case Dataflow::kOutputTransposed:
    case Dataflow::kInput:
      return t.columns;
    case Dataflow::kWeight:
      return 1;
  }
  return 1;
}

// The mapping of m rows for m + 1 of them: tiles and panels of the same size, one more if need be.
// A tile or panel of all rows takes the new one too if it fits, and otherwise ends a step before
// it.
std::optional<ProductCost> with_one_more_row(const Case& longer, ProductMapping mapping) {
  const std::int64_t m = longer.problem.m - 1;
  const std::int64_t side = side_m(mapping.dataflow, longer.machine);
  const std::int64_t step = divide_up(side, longer.machine.tile_step) * longer.machine.tile_step;
  const auto price = [&] { return evaluate_product(longer.problem, longer.machine, mapping); };
  const bool is_whole = mapping.tile_m == m;
  const bool is_whole_panel = mapping.global == Stationary::kA && mapping.panel == m;
  std::optional<ProductCost> best;
  for (const std::int64_t tile : {m + 1, m / step * step}) {
    if (is_whole) {
      mapping.tile_m = tile;
    }
    if (mapping.tile_m > 0 && (is_whole || tile == m + 1)) {
      for (const std::int64_t panel : {m + 1, m / mapping.tile_m * mapping.tile_m}) {
        if (is_whole_panel) {
          mapping.panel = panel;
        }
        const std::optional<ProductCost> cost = price();
        if (cost && (!best || cost->time < best->time)) {
          best = cost;
        }
      }
    }
  }
  return best;
}

// One more row costs at most one more row of tiles: a wave of the cores for the tiles beside each
// other along n, or one more pass of the array over a tile; B once more from the global buffer and
// once more from HBM; everything else in proportion. Nothing where capacities end at m rows.
void check_one_more_row(const Case& c) {
  const std::optional<ProductAnswer> shorter = solve_product(c.problem, c.machine);
  if (!shorter) {
    return;
  }
  Case longer = c;
  ++longer.problem.m;
  const std::optional<ProductCost> kept = with_one_more_row(longer, shorter->mapping);
  if (!kept) {
    return;
  }
  const std::optional<ProductAnswer> best = solve_product(longer.problem, longer.machine);
  ASSERT_TRUE(best.has_value());
  ASSERT_LE(best->cost.time, kept->time);

  const ProductMapping& mapping = shorter->mapping;
  const ProductCost& cost = shorter->cost;
  const ProductProblem& p = c.problem;
  const auto m = static_cast<double>(p.m);
  const double row = 1 + 1 / m;
  if (kept->reduction.value() > cost.reduction.value() * row * kSlack) {
    return;  // sums that no longer fit the global buffer
  }
  const std::int64_t side = side_m(mapping.dataflow, c.machine);
  const std::int64_t step = divide_up(side, c.machine.tile_step) * c.machine.tile_step;
  const std::int64_t passes = divide_up(divide_up(mapping.tile_m, step) * step, side);
  const std::int64_t beside = p.batch * divide_up(p.n, mapping.tile_n) * mapping.k_splits;
  const double waves =
      static_cast<double>(divide_up(beside, c.machine.cores)) / static_cast<double>(cost.waves);
  const double pass = static_cast<double>(divide_up(step, side)) / static_cast<double>(passes);
  const double b = static_cast<double>(p.batch) * static_cast<double>(p.k) *
                   static_cast<double>(p.n) * static_cast<double>(p.b_element.value());
  const double core = cost.core.value() * (1 + std::max(waves, pass));
  const double global = cost.global.value() * row + 2 * b / c.machine.global_bandwidth.value();
  const double hbm = cost.hbm.value() * row + b / c.machine.hbm_bandwidth.value();
  const double most = (cost.launch + cost.fill + cost.reduction).value() * row +
                      std::max({core, cost.power.value() * row, global, hbm});
  EXPECT_LE(kept->time.value(), most * kSlack)
      << p.batch << " x " << p.m << " x " << p.n << " x " << p.k;
}

RC_GTEST_PROP(ProductProperty, OneMoreRowCostsOneRowOfTiles, ()) {
  check_one_more_row(arbitrary_case());
  RC_ASSERT(!testing::Test::HasFailure());
}

// Eight large arrays with all dataflows, as on a TPU; 132 small ones that hold outputs in tiles of
// steps of 64, as on a GPU.
TensorMachine large_arrays() {
  TensorMachine t;
  t.cores = 8;
  t.rows = t.columns = 128;
  t.clock = Hertz(1.05e9);
  t.local_buffer = Bytes(256 << 10);
  t.local_bandwidth = BytesPerSecond(1536 * 1.05e9);
  t.port_bandwidth = BytesPerSecond(512 * 1.05e9);
  t.global_buffer = Bytes(128 << 20);
  t.global_bandwidth = BytesPerSecond(2048 * 1.05e9);
  t.hbm_bandwidth = BytesPerSecond(1.2e12);
  t.peak = t.sustained = FlopsPerSecond(275e12);
  return t;
}
TensorMachine small_arrays() {
  TensorMachine t;
  t.cores = 132;
  t.rows = 32;
  t.columns = 64;
  t.clock = Hertz(1.5e9);
  t.tile_step = 64;
  t.accumulators = 32768;
  t.dataflows = {true, true, false, false};
  t.local_buffer = Bytes(256 << 10);
  t.local_bandwidth = BytesPerSecond(1e12);
  t.port_bandwidth = BytesPerSecond(1.2e11);
  t.global_buffer = Bytes(50 << 20);
  t.global_bandwidth = BytesPerSecond(9e12);
  t.hbm_bandwidth = BytesPerSecond(3e12);
  t.peak = FlopsPerSecond(989e12);
  t.sustained = FlopsPerSecond(690e12);
  t.launch = t.tile_start = Seconds(1.8e-6);
  return t;
}

TEST(ProductCliffs, SizesAroundPowersPrimesAndVocabularies) {
  constexpr std::pair<std::int64_t, std::int64_t> kRanges[] = {
      {1, 300}, {990, 1060}, {2040, 2060}, {4093, 4099}, {50'250, 50'262}, {65'521, 65'540}};
  constexpr std::pair<std::int64_t, std::int64_t> kOthers[] = {
      {1024, 1024}, {4096, 4096}, {12'288, 4099}, {512, 64}, {61, 8191}};
  for (const TensorMachine& machine : {large_arrays(), small_arrays()}) {
    for (const auto& [n, k] : kOthers) {
      for (const auto& [begin, end] : kRanges) {
        for (std::int64_t m = begin; m < end; ++m) {
          check_one_more_row({{1, m, n, k}, machine});
        }
      }
    }
  }
}

// In large products that the arrays bind, a row is lost in the whole: padding is no more than a
// tile for every core.
TEST(ProductCliffs, LargeComputeBoundProductsAreSmooth) {
  const TensorMachine machine = large_arrays();
  double before = 0;
  for (std::int64_t m = 50'256; m <= 50'516; ++m) {
    const std::optional<ProductAnswer> answer = solve_product({1, m, 12'288, 12'288}, machine);
    ASSERT_TRUE(answer.has_value());
    const double time = answer->cost.time.value();
    if (before > 0) {
      EXPECT_LE(time, before * 1.005) << m;
    }
    before = time;
  }
}

// --- Extremes. ----------------------------------------------------------------------------------

// Operands of up to 2^40 elements, products of up to kMostMacs: sums of bytes stay in range.
RC_GTEST_PROP(ProductProperty, LargeSizesAreFine, ()) {
  Case c = arbitrary_case();
  c.problem.batch = whole_magnitude(1, 1e6);
  c.problem.m = whole_magnitude(1, 0x1p40);
  c.problem.n = whole_magnitude(1, 0x1p40 / static_cast<double>(c.problem.m));
  const double shorter = static_cast<double>(std::max(c.problem.m, c.problem.n));
  c.problem.k = whole_magnitude(1, 0x1p40 / shorter);
  const double elements = static_cast<double>(c.problem.m) * static_cast<double>(c.problem.n) *
                          static_cast<double>(c.problem.k);
  RC_PRE(elements <= kMostMacs);
  c.problem.batch = std::max<std::int64_t>(
      1, std::min(c.problem.batch, static_cast<std::int64_t>(kMostMacs / elements)));
  const std::optional<ProductAnswer> answer = solve_product(c.problem, c.machine);
  RC_PRE(answer.has_value());
  const ProductCost& cost = answer->cost;
  RC_ASSERT(std::isfinite(cost.time.value()));
  RC_ASSERT(cost.waves > 0);
  RC_ASSERT(cost.hbm_bytes > Bytes(0));
  RC_ASSERT(cost.global_bytes >= cost.hbm_bytes);
  RC_ASSERT(cost.local_bytes > Bytes(0));
  RC_ASSERT(verify::verify_product(c.problem, c.machine, answer->mapping, cost) ==
            std::vector<std::string>{});
}

TEST(ProductExtremes, OneRowArraysAtTheLimit) {
  TensorMachine machine = large_arrays();
  machine.rows = machine.columns = 1;
  machine.rate = 0.25;
  for (const ProductProblem& problem :
       {ProductProblem{1, std::int64_t{1} << 20, std::int64_t{1} << 20, std::int64_t{1} << 16},
        ProductProblem{1, 1, std::int64_t{1} << 28, std::int64_t{1} << 28},
        ProductProblem{std::int64_t{1} << 56, 1, 1, 1}}) {
    const std::optional<ProductAnswer> answer = solve_product(problem, machine);
    ASSERT_TRUE(answer.has_value());
    EXPECT_GT(answer->cost.local_bytes, Bytes(0));
    EXPECT_TRUE(verify::verify_product(problem, machine, answer->mapping, answer->cost).empty());
  }
}

TEST(ProductExtremes, ManyThreadsOneAnswer) {
  const auto solve_all = [](std::vector<ProductAnswer>& answers) {
    for (std::int64_t m = 1; m < 4000; m += 13) {
      for (const TensorMachine& machine : {large_arrays(), small_arrays()}) {
        answers.push_back(solve_product({3, m, 5000 - m, 700}, machine).value());
      }
    }
  };
  std::vector<ProductAnswer> one, other;
  std::thread thread([&] { solve_all(other); });
  solve_all(one);
  thread.join();
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].mapping, other[i].mapping);
    EXPECT_EQ(one[i].cost, other[i].cost);
    EXPECT_EQ(one[i].candidates, other[i].candidates);
  }
}

}  // namespace
}  // namespace phaze::cost
