#include "study/summary.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "study/excluded.h"
#include "support/studies.h"

namespace phaze::study {
namespace {

using plan::ChipRow;
using plan::ChipState;
using plan::ExcludedChips;
using plan::FrontAxes;
using plan::StudyRecord;
using plan::StudySummary;

ChipRow chip(std::int64_t number, std::optional<double> value, double area = 1) {
  ChipRow row;
  row.chip = number;
  row.value = value;
  row.metrics["area_mm2"] = area;
  return row;
}

ChipRow excluded(std::int64_t number, double bound) {
  ChipRow row;
  row.chip = number;
  row.state = ChipState::kExcluded;
  row.bound = bound;
  return row;
}

// Chips 0..99: 2, 5, 8 and 9 evaluated, 3 dominated, 4 excluded, 10..19 a range with 12 inside
// evaluated.
StudyRecord sample() {
  StudyRecord record;
  record.question.chips_total = 100;
  ChipRow dominated;
  dominated.chip = 3;
  dominated.state = ChipState::kDominated;
  dominated.witness = 5;
  record.chips = {chip(2, 4), dominated,  excluded(4, 6),        chip(5, 7),
                  chip(8, 7), chip(9, 5), chip(12, std::nullopt)};
  record.excluded = {{10, 19, 6.5}};
  return record;
}

TEST(Summary, CountsEveryChipOnce) {
  const plan::StudyCounts counts = summarize(sample(), 10, std::nullopt).counts;
  EXPECT_EQ(counts, (plan::StudyCounts{100, 16, 5, 10, 1, 1}));
}

TEST(Summary, BestAndBound) {
  StudyRecord record = sample();
  StudySummary summary = summarize(record, 3, std::nullopt);
  EXPECT_EQ(summary.best, 3U);  // chip 5: of equals the smallest number
  EXPECT_EQ(summary.top, (std::vector<std::size_t>{3, 4, 5}));
  EXPECT_EQ(summary.bound, std::nullopt);  // of the open chips nothing is known
  EXPECT_EQ(plan::gap_of(record, summary), std::nullopt);

  record.open_bound = 8.75;
  summary = summarize(record, 3, std::nullopt);
  EXPECT_EQ(summary.bound, 8.75);
  EXPECT_EQ(plan::gap_of(record, summary), 0.25);

  record.open_bound = 6;  // what is open is worse than the best
  EXPECT_EQ(summarize(record, 3, std::nullopt).bound, 7);

  record.excluded.push_back({20, 99, 7.5});  // by a bound above the best: the gap stays
  record.excluded.insert(record.excluded.begin(), {{0, 1, 1}, {6, 7, std::nullopt}});
  record.open_bound = std::nullopt;
  summary = summarize(record, 3, std::nullopt);
  EXPECT_EQ(summary.counts.settled, 100);
  EXPECT_EQ(summary.bound, 7.5);

  record.answer = plan::StudyAnswer{"optimal", 8, 7, 7, ""};
  summary = summarize(record, 3, std::nullopt);
  EXPECT_EQ(summary.best, 4U);  // the search's own tie-break
  EXPECT_EQ(plan::gap_of(record, summary), 0);
}

TEST(Summary, NothingSettled) {
  StudyRecord record;
  record.question.chips_total = 5;
  const StudySummary summary = summarize(record, 3, std::nullopt);
  EXPECT_EQ(summary.best, std::nullopt);
  EXPECT_EQ(summary.bound, std::nullopt);
  EXPECT_EQ(summary.counts.settled, 0);
}

bool is_better(double a, double b, bool is_maximised) { return is_maximised ? a > b : a < b; }

// Against the definition: no other is at least as good in both and better in one; of equals the
// first.
TEST(Summary, TheFrontIsThatOfItsDefinition) {
  Rng rng(1);
  for (int round = 0; round < 200; ++round) {
    StudyRecord record;
    for (std::int64_t i = 0; i < 30; ++i) {
      record.chips.push_back(
          chip(i, static_cast<double>(rng.below(10)), static_cast<double>(rng.below(10))));
      record.chips.back().state = rng.below(5) == 0 ? ChipState::kExcluded : ChipState::kEvaluated;
    }
    const FrontAxes axes = {plan::FrontAxis{"area_mm2", rng.below(2) == 0},
                            plan::FrontAxis{"value", rng.below(2) == 0}};
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < record.chips.size(); ++i) {
      const ChipRow& row = record.chips[i];
      bool is_on_front = row.state == ChipState::kEvaluated;
      for (std::size_t j = 0; j < record.chips.size(); ++j) {
        const ChipRow& other = record.chips[j];
        const double area = row.metrics.at("area_mm2");
        const double other_area = other.metrics.at("area_mm2");
        const bool is_worse = is_better(area, other_area, axes[0].is_maximised) ||
                              is_better(*row.value, *other.value, axes[1].is_maximised);
        const bool is_equal = area == other_area && row.value == other.value;
        if (i != j && other.state == ChipState::kEvaluated && !is_worse && (!is_equal || j < i)) {
          is_on_front = false;
        }
      }
      if (is_on_front) {
        expected.push_back(i);
      }
    }
    std::vector<std::size_t> front = summarize(record, 1, axes).front;
    std::sort(front.begin(), front.end());
    EXPECT_EQ(front, expected);
  }
}

TEST(Summary, TableHasAColumnForEachMetric) {
  ChipRow with_power = chip(1, 2.5, 800);
  with_power.id = "a";
  with_power.metrics["power_w"] = 300;
  const plan::DataTable table = table_of({with_power, excluded(2, 0.5)}, "");
  EXPECT_EQ(table.columns, (std::vector<std::string>{"chip", "id", "state", "value", "bound",
                                                     "witness", "area_mm2", "power_w"}));
  const std::monostate nothing;
  const std::int64_t one = 1;
  const std::int64_t two = 2;
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0],
            (std::vector<plan::DataCell>{one, std::string("a"), std::string("evaluated"), 2.5,
                                         nothing, nothing, 800.0, 300.0}));
  EXPECT_EQ(table.rows[1], (std::vector<plan::DataCell>{two, std::string(), std::string("excluded"),
                                                        nothing, 0.5, nothing, nothing, nothing}));
}

TEST(Summary, TableNamesTheUnitOfValues) {
  const plan::DataTable table = table_of({chip(1, 2.5, 800)}, "sequences_per_usd");
  EXPECT_EQ(table.columns,
            (std::vector<std::string>{"chip", "id", "state", "value_sequences_per_usd",
                                      "bound_sequences_per_usd", "witness", "area_mm2"}));
}

TEST(Excluded, JoinsWhatTouches) {
  EXPECT_EQ(join_ranges({{7, 9, 1}, {0, 3, 5}, {4, 5, 2}, {5, 5, 6}, {11, 11, std::nullopt}}),
            (std::vector<ExcludedChips>{{0, 5, 6}, {7, 9, 1}, {11, 11, std::nullopt}}));
  EXPECT_EQ(join_ranges({{1, 1, std::nullopt}, {2, 2, std::nullopt}, {3, 3, -4}}),
            (std::vector<ExcludedChips>{{1, 3, -4}}));
  EXPECT_TRUE(join_ranges({}).empty());
}

// The chips stay the same and each is below the bound of its range.
TEST(Excluded, JoiningKeepsChipsAndBounds) {
  Rng rng(2);
  for (int round = 0; round < 200; ++round) {
    std::vector<ExcludedChips> ranges;
    std::vector<std::optional<double>> bounds(60);
    for (int i = 0; i < 12; ++i) {
      const auto first = static_cast<std::int64_t>(rng.below(50));
      const auto last = first + static_cast<std::int64_t>(rng.below(8));
      ranges.push_back({first, last, rng.uniform()});
      for (std::int64_t c = first; c <= last; ++c) {
        auto& bound = bounds[static_cast<std::size_t>(c)];
        bound = std::max(bound.value_or(0), *ranges.back().bound);
      }
    }
    std::vector<bool> covered(60);
    std::int64_t end = -2;
    for (const ExcludedChips& range : join_ranges(ranges)) {
      EXPECT_GT(range.first, end + 1);
      end = range.last;
      for (std::int64_t c = range.first; c <= range.last; ++c) {
        covered[static_cast<std::size_t>(c)] = true;
        EXPECT_LE(bounds[static_cast<std::size_t>(c)].value_or(2), *range.bound);
      }
    }
    for (std::size_t c = 0; c < bounds.size(); ++c) {
      EXPECT_EQ(covered[c], bounds[c].has_value());
    }
  }
}

}  // namespace
}  // namespace phaze::study
