#include "trust/range.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/rng.h"
#include "io/error_table.h"

namespace phaze::trust {
namespace {

using plan::ErrorSample;
using plan::Regime;

std::vector<ErrorSample> samples_of(const std::string& machine, Regime regime,
                                    const std::vector<double>& ratios) {
  std::vector<ErrorSample> samples;
  for (const double ratio : ratios) {
    samples.push_back({machine, regime, 8, ratio});
  }
  return samples;
}

const std::vector<double> kNine = {0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7};

TEST(Range, NineRunsGiveTheirEnds) {
  const auto table = make_quantiles(samples_of("a100", Regime::kCompute, kNine));
  ASSERT_EQ(table.size(), 4U);  // a100 and any, compute and any
  for (const plan::ErrorQuantiles& row : table) {
    EXPECT_DOUBLE_EQ(row.low, 0.9);
    EXPECT_DOUBLE_EQ(row.median, 1.3);
    EXPECT_DOUBLE_EQ(row.high, 1.7);
    EXPECT_EQ(row.runs, 9U);
  }
  EXPECT_TRUE(make_quantiles(samples_of("a100", Regime::kCompute, {1, 1, 1})).empty());
}

TEST(Range, TheNearestRowCounts) {
  std::vector<ErrorSample> samples = samples_of("a100", Regime::kCompute, kNine);
  for (const ErrorSample& sample : samples_of("h100", Regime::kNetwork, kNine)) {
    samples.push_back(sample);
    samples.back().ratio *= 2;
  }
  const auto table = make_quantiles(samples);
  const auto own = find_range(table, "a100", Regime::kCompute, Seconds(10));
  EXPECT_DOUBLE_EQ(own.low->value(), 9);
  EXPECT_DOUBLE_EQ(own.high->value(), 17);
  EXPECT_NEAR(own.half_width(), 8.0 / 26, 1e-12);
  EXPECT_NE(own.basis.find("9 measured runs on a100"), std::string::npos) << own.basis;
  // No such regime there: all of the machine, and it says so.
  const auto other_regime = find_range(table, "a100", Regime::kLaunch, Seconds(10));
  EXPECT_DOUBLE_EQ(other_regime.high->value(), 17);
  EXPECT_NE(other_regime.basis.find("too few of them are launch-bound"), std::string::npos);
  // No such machine: all runs, and it says so.
  const auto other_machine = find_range(table, "tpuv4", Regime::kCompute, Seconds(10));
  EXPECT_GT(other_machine.high->value(), 17);
  EXPECT_NE(other_machine.basis.find("too few on tpuv4"), std::string::npos);
  const auto none = find_range({}, "a100", Regime::kCompute, Seconds(10));
  EXPECT_FALSE(none.low);
  EXPECT_EQ(none.basis, "no measured runs");
}

TEST(Range, ContainsFourOfFiveRunsOfAnyDistribution) {
  Rng random(7);
  for (const int shape : {0, 1, 2}) {
    std::vector<ErrorSample> samples;
    for (int i = 0; i < 400; ++i) {
      const double u = random.uniform();
      const double ratio = shape == 0   ? 0.8 + 0.4 * u
                           : shape == 1 ? std::exp(u * u)
                                        : 1 / (0.1 + u);
      samples.push_back({i % 3 == 0 ? "h100" : "a100",
                         static_cast<Regime>(random.below(plan::kRegimes)), 8, ratio});
    }
    EXPECT_NEAR(cross_validated_coverage(samples), 0.8, 0.05);
  }
}

TEST(Range, TablesReadBack) {
  const auto table = make_quantiles(samples_of("a100", Regime::kNetwork, kNine));
  Diagnostics diagnostics;
  const auto again =
      io::read_error_table(io::write_error_table(table, {"a note"}), "t", diagnostics);
  ASSERT_TRUE(again) << to_string(diagnostics);
  EXPECT_EQ(*again, table);
  EXPECT_FALSE(io::read_error_table("a,b\n", "t", diagnostics));
  EXPECT_FALSE(io::read_error_table(
      "machine,regime,runs,largest_devices,low,median,high\na,any,1,1,3,2,1\n", "t", diagnostics));
}

plan::PlanRecord record_of(double compute, double network, double hfu, double hbm) {
  plan::PlanRecord record;
  record.plan.iteration = Seconds(compute + network);
  record.plan.parts.compute = Seconds(compute);
  record.plan.parts.tensor = Seconds(network);
  record.figures.emplace();
  record.figures->hfu = hfu;
  record.figures->utilisation.hbm = hbm;
  return record;
}

TEST(Range, RegimesByWhatIsUsedMost) {
  EXPECT_EQ(regime_of(record_of(1, 0.1, 0.6, 0.2)), Regime::kCompute);
  EXPECT_EQ(regime_of(record_of(1, 0.1, 0.3, 0.7)), Regime::kMemory);
  EXPECT_EQ(regime_of(record_of(1, 0.1, 0.1, 0.2)), Regime::kLaunch);
  EXPECT_EQ(regime_of(record_of(1, 1, 0.6, 0.2)), Regime::kNetwork);
}

}  // namespace
}  // namespace phaze::trust
