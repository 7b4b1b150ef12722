#include "simulate/link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.h"

namespace phaze::simulate {
namespace {

TEST(Link, OneAtATime) {
  Link link(Seconds(2), true);
  EXPECT_FALSE(link.next_end());
  link.start(7, Seconds(1));
  EXPECT_EQ(link.next_end(), Seconds(3));
  EXPECT_EQ(link.end_first(), 7);
  EXPECT_FALSE(link.next_end());
  link.start(8, Seconds(0.1 + 0.2));
  EXPECT_EQ(link.next_end(), Seconds(0.1 + 0.2 + 2));  // nothing is lost between
}

// 0 from 0 on; 1 joins at 1: 0 has half of its 2 left and takes 2 for it; then 1 has half left.
TEST(Link, TwoShare) {
  Link link(Seconds(2), true);
  link.start(0, Seconds(0));
  link.start(1, Seconds(1));
  EXPECT_EQ(link.next_end(), Seconds(3));
  EXPECT_EQ(link.end_first(), 0);
  EXPECT_EQ(link.next_end(), Seconds(4));
  EXPECT_EQ(link.end_first(), 1);
  EXPECT_FALSE(link.next_end());
}

TEST(Link, ThreeTogether) {
  Link link(Seconds(1), true);
  for (const std::int64_t i : {0, 1, 2}) {
    link.start(i, Seconds(5));
  }
  for (const std::int64_t i : {0, 1, 2}) {
    EXPECT_EQ(link.next_end(), Seconds(8));
    EXPECT_EQ(link.end_first(), i);
  }
}

TEST(Link, LinksOfTheirOwn) {
  Link link(Seconds(2), false);
  link.start(0, Seconds(0));
  link.start(1, Seconds(1));
  EXPECT_EQ(link.next_end(), Seconds(2));
  link.end_first();
  EXPECT_EQ(link.next_end(), Seconds(3));
}

TEST(Link, NoTime) {
  Link link(Seconds(0), true);
  link.start(0, Seconds(4));
  link.start(1, Seconds(4));
  EXPECT_EQ(link.next_end(), Seconds(4));
}

// The same by small steps in time: each of n that are there gets 1/n of every step.
std::vector<double> ends_by_steps(const std::vector<double>& starts, double alone) {
  constexpr double kStep = 1e-4;
  std::vector<double> left(starts.size(), alone);
  std::vector<double> ends(starts.size(), -1);
  for (double now = 0; std::ranges::count(ends, -1) > 0; now += kStep) {
    double there = 0;
    for (std::size_t i = 0; i < starts.size(); ++i) {
      there += starts[i] <= now && ends[i] < 0 ? 1 : 0;
    }
    for (std::size_t i = 0; i < starts.size(); ++i) {
      if (starts[i] <= now && ends[i] < 0) {
        left[i] -= kStep / there;
        ends[i] = left[i] <= 0 ? now + kStep : -1;
      }
    }
  }
  return ends;
}

TEST(Link, AgreesWithSmallSteps) {
  Rng rng(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<double> starts(2 + rng.below(6));
    for (double& start : starts) {
      start = 2 * rng.uniform();
    }
    std::ranges::sort(starts);
    const double alone = 0.1 + rng.uniform();
    const std::vector<double> expected = ends_by_steps(starts, alone);
    Link link(Seconds(alone), true);
    std::vector<double> found(starts.size(), -1);
    const auto end_until = [&](double time) {
      while (link.next_end() && link.next_end()->value() <= time) {
        const double end = link.next_end()->value();
        found[static_cast<std::size_t>(link.end_first())] = end;
      }
    };
    for (std::size_t i = 0; i < starts.size(); ++i) {
      end_until(starts[i]);
      link.start(static_cast<std::int64_t>(i), Seconds(starts[i]));
    }
    end_until(1e9);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], 0.005) << i;
    }
  }
}

}  // namespace
}  // namespace phaze::simulate
