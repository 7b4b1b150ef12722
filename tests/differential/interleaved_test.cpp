// Interleaved stages against trying everything: the even cut, and every way to recompute of every
// stage by itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "place/partition.h"
#include "support/plan_costs.h"

namespace phaze::tests {
namespace {

using place::StageCut;
using plan::Recompute;

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Tried {
  double any_s = kNever;    // every stage as it likes
  double alike_s = kNever;  // all stages the same way
};

class Trial {
 public:
  Trial(const place::StageTable& table, std::vector<StageCut> cuts)
      : table_(table), cuts_(std::move(cuts)) {}

  Tried run() {
    try_from(0);
    return tried_;
  }

 private:
  void try_from(std::size_t stage) {
    if (stage == cuts_.size()) {
      const double time_s = place::evaluate(table_, cuts_).iteration_s;
      tried_.any_s = std::min(tried_.any_s, time_s);
      const bool is_alike = std::ranges::all_of(
          cuts_, [&](const StageCut& cut) { return cut.recompute == cuts_[0].recompute; });
      tried_.alike_s = is_alike ? std::min(tried_.alike_s, time_s) : tried_.alike_s;
      return;
    }
    for (const Recompute way : {Recompute::kNone, Recompute::kSelective, Recompute::kFull}) {
      cuts_[stage].recompute = way;
      const auto to_end = static_cast<std::int64_t>(cuts_.size() - stage);
      if (table_.offers(way) &&
          place::compute_stage(table_, cuts_[stage], to_end).memory.total() <= table_.capacity()) {
        try_from(stage + 1);
      }
    }
  }

  const place::StageTable& table_;
  std::vector<StageCut> cuts_;
  Tried tried_;
};

// Layers of equal number, dealt out to the stages like cards; the ends have the embedding and head.
std::vector<StageCut> deal(std::size_t stages, std::size_t chunks, std::size_t each,
                           std::size_t length, std::size_t first = 1) {
  std::vector<StageCut> cuts(stages);
  std::size_t begin = 0;
  for (std::size_t part = 0; part < stages * chunks; ++part) {
    const bool is_last = part + 1 == stages * chunks;
    const std::size_t end = is_last ? length : first + (part + 1) * each;
    cuts[part % stages].ranges.emplace_back(begin, end);
    begin = end;
  }
  return cuts;
}

TEST(Interleaved, RecomputesInTheBestWay) {
  int mixed = 0, infeasible = 0, same = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
    SCOPED_TRACE(seed);
    PlanCase made = random_plan_case(seed);
    const auto stages = static_cast<std::int64_t>(2 + seed % 3);
    const auto chunks = static_cast<std::int64_t>(2 + seed % 2);
    const auto each = static_cast<std::int64_t>(1 + seed % 2);
    const MadeUpLayer end = made.model.layers.front();
    MadeUpLayer body = made.model.layers.back();
    const bool is_ordered = seed % 2 == 0;  // forward takes the same in all ways
    for (auto& way : body.ways) {
      if (way && is_ordered) {
        way->forward_share = 1;
      }
    }
    body.repeat = stages * chunks * each;
    made.model.layers = {end, body, end};
    for (const std::size_t i : {std::size_t{0}, std::size_t{2}}) {
      made.model.layers[i].repeat = 1;
      for (auto& way : made.model.layers[i].ways) {
        if (way && is_ordered) {
          way->forward_share = 1;
        }
      }
    }
    made.problem.limits = {};
    made.problem.global_batch = stages * static_cast<std::int64_t>(1 + seed % 3);
    made.problem.capacity =
        Bytes(made.problem.capacity.value() * static_cast<std::int64_t>(1 + seed % 5));
    plan::Strategy strategy;
    strategy.pipeline = stages;
    strategy.interleave = chunks;
    strategy.schedule = plan::PipelineSchedule::kInterleaved;
    made.network.unplaced = 0;
    MadeUpCosts costs = made.costs();
    const place::StageTable table(made.problem, costs, strategy, *costs.chain(strategy));
    const Tried tried =
        Trial(table, deal(static_cast<std::size_t>(stages), static_cast<std::size_t>(chunks),
                          static_cast<std::size_t>(each), table.length()))
            .run();
    const auto found = place::cut_interleaved(table, kNever);
    ASSERT_EQ(found.has_value(), tried.any_s < kNever);
    if (!found) {
      ++infeasible;
      continue;
    }
    ++all;
    const double rounded_up_s = tried.any_s * (1 + 1e-12);
    ASSERT_GE(found->iteration_s, tried.any_s * (1 - 1e-12));
    ASSERT_LE(found->iteration_s, tried.alike_s * (1 + 1e-12));
    if (is_ordered) {
      ASSERT_LE(found->iteration_s, rounded_up_s);
    }
    same += found->iteration_s <= rounded_up_s ? 1 : 0;
    mixed += std::ranges::any_of(found->stages, [&](const StageCut& cut) {
      return cut.recompute != found->stages[0].recompute;
    });
    // Whatever the limit: the same below it, nothing at it.
    const auto below = place::cut_interleaved(table, found->iteration_s * (1 + 1e-9));
    ASSERT_TRUE(below);
    ASSERT_EQ(below->iteration_s, found->iteration_s);
    ASSERT_FALSE(place::cut_interleaved(table, found->iteration_s));
  }
  EXPECT_GT(mixed, 100);
  EXPECT_GT(infeasible, 100);
  EXPECT_GT(all, 1000);
  EXPECT_GT(same, all * 9 / 10);  // also where a way that recomputes more has a shorter forward
}

// Layers at an end that count as one of their chunk's: both, or the one that is better.
TEST(Interleaved, EndsMayCountAsLayers) {
  int all = 0;
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    SCOPED_TRACE(seed);
    PlanCase made = random_plan_case(seed);
    const auto stages = static_cast<std::int64_t>(2 + seed % 3);
    const auto chunks = static_cast<std::int64_t>(2 + seed % 2);
    const bool has_both = seed % 2 == 0;  // otherwise either of them
    MadeUpLayer end = made.model.layers.front();
    MadeUpLayer body = made.model.layers.back();
    end.repeat = 1;
    body.repeat = stages * chunks - (has_both ? 2 : 1);
    made.model.layers = {end, body, end};
    made.problem.limits = {};
    made.problem.global_batch = stages * static_cast<std::int64_t>(1 + seed % 3);
    made.problem.capacity = Bytes(made.problem.capacity.value() * 8);
    plan::Strategy strategy;
    strategy.pipeline = stages;
    strategy.interleave = chunks;
    strategy.schedule = plan::PipelineSchedule::kInterleaved;
    made.network.unplaced = 0;
    MadeUpCosts costs = made.costs();
    const place::StageTable table(made.problem, costs, strategy, *costs.chain(strategy));
    Tried tried;
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
      if (first == 0 || !has_both) {
        const Tried one =
            Trial(table, deal(static_cast<std::size_t>(stages), static_cast<std::size_t>(chunks), 1,
                              table.length(), first))
                .run();
        tried.any_s = std::min(tried.any_s, one.any_s);
        tried.alike_s = std::min(tried.alike_s, one.alike_s);
      }
    }
    const auto found = place::cut_interleaved(table, kNever);
    ASSERT_EQ(found.has_value(), tried.any_s < kNever);
    if (found) {
      ++all;
      ASSERT_GE(found->iteration_s, tried.any_s * (1 - 1e-12));
      ASSERT_LE(found->iteration_s, tried.alike_s * (1 + 1e-12));
    }
  }
  EXPECT_GT(all, 300);
}

}  // namespace
}  // namespace phaze::tests
