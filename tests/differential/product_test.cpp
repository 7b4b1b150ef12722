// The search for the best mapping of a product against the prices of all mappings; with its rules
// on and off; and every answer through the checker that shares no code with it.
#include "cost/product.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <sstream>

#include "support/product_brute_force.h"
#include "verify/product.h"

namespace phaze::tests {
namespace {

using cost::ProductAnswer;
using cost::ProductRules;
using plan::Bound;
using plan::Dataflow;
using plan::ProductCost;
using plan::ProductMapping;
using plan::Stationary;

constexpr std::uint64_t kCases = 4000;

std::string text_of(const ProductMapping& m) {
  std::ostringstream text;
  text << to_string(m.dataflow) << " local " << to_string(m.local) << " global "
       << to_string(m.global) << " tile " << m.tile_m << " x " << m.tile_n << " splits "
       << m.k_splits << " panel " << m.panel << " group " << m.group_m << " x " << m.group_n;
  return text.str();
}

std::string joined(const std::vector<std::string>& faults) {
  std::string text;
  for (const std::string& fault : faults) {
    text += fault + "; ";
  }
  return text;
}

void compare_with_all_mappings(std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t seed = begin; seed < end; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ProductCase c = random_product_case(seed);
    const std::optional<ProductAnswer> answer = cost::solve_product(c.problem, c.machine);
    const std::optional<BruteForceAnswer> best =
        solve_by_brute_force(c.problem, c.machine, [&c](const ProductMapping& mapping) {
          return cost::evaluate_product(c.problem, c.machine, mapping);
        });
    ASSERT_EQ(answer.has_value(), best.has_value());
    if (answer) {
      // To the bit: both take the price from the same function.
      ASSERT_EQ(answer->cost.time.value(), best->cost.time.value())
          << text_of(answer->mapping) << " against " << text_of(best->mapping);
      ASSERT_EQ(order_of(c.problem, answer->mapping), order_of(c.problem, best->mapping));
      ASSERT_EQ(joined(verify::verify_product(c.problem, c.machine, answer->mapping, answer->cost)),
                "");
    }
  }
}

TEST(ProductBruteForce, FirstQuarter) { compare_with_all_mappings(0, kCases / 4); }
TEST(ProductBruteForce, SecondQuarter) { compare_with_all_mappings(kCases / 4, kCases / 2); }
TEST(ProductBruteForce, ThirdQuarter) { compare_with_all_mappings(kCases / 2, 3 * kCases / 4); }
TEST(ProductBruteForce, FourthQuarter) { compare_with_all_mappings(3 * kCases / 4, kCases); }

// The same with prices by the checker's own arithmetic, which also decides what is possible.
TEST(ProductBruteForce, PricesOfTheChecker) {
  for (std::uint64_t seed = kCases; seed < kCases + 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ProductCase c = random_product_case(seed);
    const std::optional<ProductAnswer> answer = cost::solve_product(c.problem, c.machine);
    const std::optional<BruteForceAnswer> best =
        solve_by_brute_force(c.problem, c.machine, [&c](const ProductMapping& mapping) {
          return verify::price_product(c.problem, c.machine, mapping);
        });
    ASSERT_EQ(answer.has_value(), best.has_value());
    if (answer) {
      const double time = best->cost.time.value();
      ASSERT_NEAR(answer->cost.time.value(), time, 1e-12 * time)
          << text_of(answer->mapping) << " against " << text_of(best->mapping);
    }
  }
}

TEST(ProductRules, NoneChangesTheAnswer) {
  std::array<std::int64_t, 8> candidates{};
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ProductCase c = random_product_case(seed);
    std::optional<ProductAnswer> plain;
    for (std::size_t rules = 0; rules < candidates.size(); ++rules) {
      const std::optional<ProductAnswer> answer = cost::solve_product(
          c.problem, c.machine, ProductRules{(rules & 1) != 0, (rules & 2) != 0, (rules & 4) != 0});
      if (rules == 0) {
        plain = answer;
      }
      ASSERT_EQ(answer.has_value(), plain.has_value());
      if (answer) {
        ASSERT_EQ(answer->mapping, plain->mapping)
            << rules << ": " << text_of(answer->mapping) << " against " << text_of(plain->mapping);
        ASSERT_EQ(answer->cost, plain->cost);
        candidates[rules] += answer->candidates;
      }
    }
  }
  // Each that skips mappings does so: ranges of splits, tiles.
  EXPECT_LT(candidates[1], candidates[0]);
  EXPECT_LT(candidates[2], candidates[0]);
  EXPECT_LT(candidates[3], candidates[1]);
}

// The cases above are worth something only when their answers differ in kind.
TEST(ProductBruteForce, CasesCoverTheSpace) {
  std::map<Bound, int> bounds;
  std::map<Dataflow, int> dataflows;
  std::map<Stationary, int> local, global;
  int none = 0, split = 0, grouped = 0, partial_panel = 0, several_waves = 0;
  for (std::uint64_t seed = 0; seed < kCases; ++seed) {
    const ProductCase c = random_product_case(seed);
    const std::optional<ProductAnswer> answer = cost::solve_product(c.problem, c.machine);
    if (!answer) {
      ++none;
      continue;
    }
    const ProductMapping& m = answer->mapping;
    ++bounds[answer->cost.bound];
    ++dataflows[m.dataflow];
    ++local[m.local];
    ++global[m.global];
    split += m.k_splits > 1 ? 1 : 0;
    grouped += m.group_m * m.group_n > 1 ? 1 : 0;
    partial_panel += (m.global == Stationary::kA && m.panel < c.problem.m) ||
                             (m.global == Stationary::kB && m.panel < c.problem.n)
                         ? 1
                         : 0;
    several_waves += answer->cost.waves > 1 ? 1 : 0;
  }
  constexpr int kFew = 20;
  for (const Bound bound : {Bound::kCompute, Bound::kPower, Bound::kLocal, Bound::kPort,
                            Bound::kGlobal, Bound::kHbm, Bound::kLaunch}) {
    EXPECT_GE(bounds[bound], kFew) << to_string(bound);
  }
  for (std::size_t i = 0; i < plan::kDataflows; ++i) {
    EXPECT_GE(dataflows[static_cast<Dataflow>(i)], kFew) << to_string(static_cast<Dataflow>(i));
  }
  for (const Stationary stationary : {Stationary::kC, Stationary::kA, Stationary::kB}) {
    EXPECT_GE(local[stationary], kFew) << to_string(stationary);
    EXPECT_GE(global[stationary], kFew) << to_string(stationary);
  }
  EXPECT_GE(none, kFew);
  EXPECT_GE(split, kFew);
  EXPECT_GE(grouped, kFew);
  EXPECT_GE(partial_panel, kFew);
  EXPECT_GE(several_waves, kFew);
}

}  // namespace
}  // namespace phaze::tests
