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
  link.start(7, 0, Seconds(1));
  EXPECT_EQ(link.next_end(), Seconds(3));
  EXPECT_EQ(link.end_first(), 7);
  EXPECT_FALSE(link.next_end());
  link.start(8, 0, Seconds(0.1 + 0.2));
  EXPECT_EQ(link.next_end(), Seconds(0.1 + 0.2 + 2));  // nothing is lost between
}

// 0 from 0 on; 1 joins at 1: 0 has half of its 2 left and takes 2 for it; then 1 has half left.
TEST(Link, TwoFlowsShare) {
  Link link(Seconds(2), true);
  link.start(0, 0, Seconds(0));
  link.start(1, 1, Seconds(1));
  EXPECT_EQ(link.next_end(), Seconds(3));
  EXPECT_EQ(link.end_first(), 0);
  EXPECT_EQ(link.next_end(), Seconds(4));
  EXPECT_EQ(link.end_first(), 1);
  EXPECT_FALSE(link.next_end());
}

TEST(Link, OneFlowGoesOneAfterAnother) {
  Link link(Seconds(1), true);
  for (const std::int64_t i : {0, 1, 2}) {
    link.start(i, 1, Seconds(5));
  }
  for (const std::int64_t i : {0, 1, 2}) {
    EXPECT_EQ(link.next_end(), Seconds(6.0 + static_cast<double>(i)));
    EXPECT_EQ(link.end_first(), i);
  }
}

TEST(Link, LinksOfTheirOwn) {
  Link link(Seconds(2), false);
  link.start(0, 0, Seconds(0));
  link.start(1, 0, Seconds(1));
  link.start(2, 1, Seconds(1));
  EXPECT_EQ(link.next_end(), Seconds(2));
  EXPECT_EQ(link.end_first(), 0);
  EXPECT_EQ(link.next_end(), Seconds(3));
  link.end_first();
  EXPECT_EQ(link.next_end(), Seconds(3));
}

TEST(Link, NoTime) {
  Link link(Seconds(0), true);
  link.start(0, 0, Seconds(4));
  link.start(1, 1, Seconds(4));
  EXPECT_EQ(link.next_end(), Seconds(4));
}

// The same by small steps in time: the first of each flow gets an equal share of every step.
std::vector<double> ends_by_steps(const std::vector<double>& starts,
                                  const std::vector<std::size_t>& flows, double alone) {
  constexpr double kStep = 1e-4;
  std::vector<double> left(starts.size(), alone);
  std::vector<double> ends(starts.size(), -1);
  for (double now = 0; std::ranges::count(ends, -1) > 0; now += kStep) {
    std::vector<std::size_t> first;  // of the flows that are at work
    for (std::size_t i = 0; i < starts.size(); ++i) {
      const bool is_first =
          std::ranges::none_of(first, [&](std::size_t other) { return flows[other] == flows[i]; });
      if (starts[i] <= now && ends[i] < 0 && is_first) {
        first.push_back(i);
      }
    }
    for (const std::size_t i : first) {
      left[i] -= kStep / static_cast<double>(first.size());
      ends[i] = left[i] <= 0 ? now + kStep : -1;
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
    std::vector<std::size_t> flows(starts.size());
    for (std::size_t& flow : flows) {
      flow = rng.below(Link::kFlows);
    }
    const double alone = 0.1 + rng.uniform();
    const std::vector<double> expected = ends_by_steps(starts, flows, alone);
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
      link.start(static_cast<std::int64_t>(i), flows[i], Seconds(starts[i]));
    }
    end_until(1e9);
    for (std::size_t i = 0; i < starts.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], 0.005) << i;
    }
  }
}

}  // namespace
}  // namespace phaze::simulate
