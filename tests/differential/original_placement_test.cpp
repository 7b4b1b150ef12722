// The original's placement problem: the search against trying everything, with every rule on and
// off.
#include "verify/original_placement.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "place/original.h"
#include "support/original_brute_force.h"
#include "support/original_generators.h"

namespace phaze::tests {
namespace {

using plan::OriginalAnswer;
using plan::OriginalInstance;

std::string faults_of(const OriginalInstance& instance, const OriginalAnswer& answer) {
  std::string text;
  for (const std::string& fault : verify::find_faults(instance, answer)) {
    text += fault + "\n";
  }
  return text;
}

bool is_mixed(const plan::OriginalGraph& graph) {
  const auto wide = std::ranges::count_if(graph.layers, &plan::OriginalLayer::is_tensor_parallel);
  return wide > 0 && wide < static_cast<std::ptrdiff_t>(graph.layers.size());
}

struct Seen {
  int infeasible = 0, mixed = 0, deep = 0, copied = 0, mixed_stages = 0, fixed = 0;
};

void compare(std::uint64_t seed, const OriginalInstanceOptions& options, Seen& seen) {
  SCOPED_TRACE(seed);
  const OriginalInstance instance = random_original_instance(seed, options);
  const std::vector<std::optional<Seconds>> times = best_times_by_brute_force(instance);
  const OriginalAnswer answer = place::solve_original(instance);
  ASSERT_EQ(faults_of(instance, answer), "");
  for (std::size_t i = 0; i < times.size(); ++i) {
    ASSERT_EQ(answer.widths[i].time.has_value(), times[i].has_value());
    if (times[i]) {
      ASSERT_NEAR(answer.widths[i].time->value(), times[i]->value(), 1e-12 * times[i]->value());
    }
    seen.mixed += is_mixed(instance.graphs[i]) ? 1 : 0;
  }
  if (!answer.best) {
    ++seen.infeasible;
    return;
  }
  seen.deep += answer.best->stages.size() > 2 ? 1 : 0;
  seen.copied += answer.best->data_parallel > 1 ? 1 : 0;
  seen.mixed_stages +=
      answer.best->stages.front().devices != answer.best->stages.back().devices ? 1 : 0;
  seen.fixed += answer.fixed && answer.fixed->placement ? 1 : 0;
}

TEST(OriginalPlacement, EqualsTryingEverything) {
  Seen seen;
  for (std::uint64_t seed = 1; seed <= 4000; ++seed) {
    compare(seed, {}, seen);
    if (HasFatalFailure()) {
      return;
    }
  }
  EXPECT_GT(seen.infeasible, 200);
  EXPECT_GT(seen.mixed, 1000);
  EXPECT_GT(seen.deep, 200);
  EXPECT_GT(seen.copied, 500);
  EXPECT_GT(seen.mixed_stages, 40);
  EXPECT_GT(seen.fixed, 300);
}

TEST(OriginalPlacement, EqualsTryingEverythingOnMixedChains) {
  OriginalInstanceOptions options;
  options.mixed = true;
  options.least_layers = 7;
  options.most_layers = 10;
  options.most_devices = 20;
  options.most_microbatches = 8;
  Seen seen;
  for (std::uint64_t seed = 10'000; seed < 10'300; ++seed) {
    compare(seed, options, seen);
    if (HasFatalFailure()) {
      return;
    }
  }
  EXPECT_GT(seen.mixed_stages, 20);
}

TEST(OriginalPlacement, IsTheSameWithEveryRuleOff) {
  OriginalInstanceOptions options;
  options.least_layers = 5;
  options.most_layers = 40;
  options.most_devices = 200;
  options.most_microbatches = 500;
  std::int64_t work = 0;
  std::int64_t full_work = 0;
  for (std::uint64_t seed = 20'000; seed < 20'400; ++seed) {
    SCOPED_TRACE(seed);
    const OriginalInstance instance = random_original_instance(seed, options);
    const OriginalAnswer all = place::solve_original(instance);
    ASSERT_EQ(faults_of(instance, all), "");
    work += all.work;
    for (int rules = 0; rules < 3; ++rules) {
      place::OriginalOptions off;
      off.skip_long_stages = rules == 1;
      off.skip_deep_pipelines = rules == 2;
      OriginalAnswer other = place::solve_original(instance, off);
      full_work += rules == 0 ? other.work : 0;
      other.work = all.work;
      ASSERT_EQ(other, all);  // the same cuts, to the last bit of every time
    }
  }
  EXPECT_LT(2 * work, full_work);
}

}  // namespace
}  // namespace phaze::tests
