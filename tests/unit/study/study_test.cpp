#include "study/study.h"

#include <gtest/gtest.h>

#include <optional>

#include "support/studies.h"

namespace phaze::study {
namespace {

using plan::ChipRow;
using plan::ChipState;
using plan::StudyAnswer;
using plan::StudyBatch;
using plan::StudyRecord;
using support::evaluated;
using support::Folder;
using support::question;

Study open(const std::string& path) {
  Diagnostics diagnostics;
  auto opened = Study::open(path, question(), diagnostics);
  EXPECT_EQ(to_string(diagnostics), "");
  return std::move(opened).value();
}

void add(Study& store, const StudyBatch& batch) {
  Diagnostics diagnostics;
  EXPECT_TRUE(store.add(batch, diagnostics)) << to_string(diagnostics);
}

StudyRecord read(const std::string& path) {
  Diagnostics diagnostics;
  const auto store = Study::open_to_read(path, diagnostics);
  auto record = store ? store->read(Plans::kRead, diagnostics) : std::nullopt;
  EXPECT_EQ(to_string(diagnostics), "");
  return std::move(record).value();
}

ChipRow excluded(std::int64_t chip, std::optional<double> bound) {
  ChipRow row;
  row.chip = chip;
  row.state = ChipState::kExcluded;
  row.bound = bound;
  return row;
}

TEST(Study, WhatGoesInComesOut) {
  const Folder folder;
  const std::string path = folder.file("a study.db");
  ChipRow dominated;
  dominated.chip = 3;
  dominated.id = "d \"quoted\", 'and' more\nΩ";
  dominated.state = ChipState::kDominated;
  dominated.witness = 7;
  dominated.metrics = {{"area_mm2", 1.0 / 3}, {"throughput_tokens_per_s.a \"b\"", 1e300}};
  ChipRow hopeless = evaluated(5);
  hopeless.value = std::nullopt;
  const std::vector<ChipRow> rows = {dominated, hopeless, evaluated(7),
                                     excluded(std::int64_t{1} << 40, 0.1),
                                     excluded((std::int64_t{1} << 40) + 1, std::nullopt)};
  {
    Study store = open(path);
    add(store, {{rows[2], rows[0]}, {{100, 200, 2.5}, {300, 300, std::nullopt}}, 12.5});
    add(store, {{rows[4], rows[3], rows[1]}, {}, std::nullopt});
  }
  const StudyRecord record = read(path);
  EXPECT_EQ(record.question, question());
  EXPECT_EQ(record.chips, rows);
  EXPECT_EQ(record.excluded,
            (std::vector<plan::ExcludedChips>{{100, 200, 2.5}, {300, 300, std::nullopt}}));
  EXPECT_EQ(record.open_bound, 12.5);
  EXPECT_EQ(record.answer, std::nullopt);
  EXPECT_FALSE(record.is_being_written);
}

TEST(Study, GoesOnWhereItWas) {
  const Folder folder;
  const std::string path = folder.file("study.db");
  {
    Study store = open(path);
    add(store, {{evaluated(1), evaluated(2)}, {}, 900});
  }
  const StudyAnswer answer = {"optimal", 2, 303.1, 303.1, R"({"schema": 1})"};
  {
    Study store = open(path);
    Diagnostics diagnostics;
    const auto before = store.read(Plans::kLeftOut, diagnostics);
    ASSERT_TRUE(before);
    ASSERT_EQ(before->chips.size(), 2U);
    EXPECT_EQ(before->chips[1].plans_json, "");
    EXPECT_EQ(store.read_plans(2, diagnostics), evaluated(2).plans_json);
    EXPECT_EQ(store.read_plans(3, diagnostics), "");
    add(store, {{evaluated(3)}, {}, 800});
    EXPECT_TRUE(store.finish({"limit", 1, 280, 800, ""}, diagnostics));
    EXPECT_TRUE(store.finish(answer, diagnostics));
  }
  const StudyRecord record = read(path);
  EXPECT_EQ(record.chips, (std::vector<ChipRow>{evaluated(1), evaluated(2), evaluated(3)}));
  EXPECT_EQ(record.open_bound, 800);
  EXPECT_EQ(record.answer, answer);
}

TEST(Study, AChipThatComesAgainReplacesItself) {
  const Folder folder;
  const std::string path = folder.file("study.db");
  Study store = open(path);
  add(store, {{evaluated(4)}, {}, std::nullopt});
  add(store, {{excluded(4, 7)}, {}, std::nullopt});
  EXPECT_EQ(read(path).chips, std::vector<ChipRow>{excluded(4, 7)});
}

// Ranges stay apart: what overlaps is joined, with the bound that holds for all.
TEST(Study, RangesThatOverlapAreJoined) {
  const Folder folder;
  const std::string path = folder.file("study.db");
  Study store = open(path);
  add(store, {{}, {{10, 19, 1}, {30, 39, 5}, {50, 59, 2}, {60, 69, 9}}, std::nullopt});
  add(store, {{}, {{15, 52, 3}}, std::nullopt});
  add(store, {{}, {{15, 52, 3}}, std::nullopt});  // twice is once
  EXPECT_EQ(read(path).excluded, (std::vector<plan::ExcludedChips>{{10, 59, 5}, {60, 69, 9}}));
}

TEST(Study, ReadersSeeWholeBatchesWhileAnotherWrites) {
  const Folder folder;
  const std::string path = folder.file("study.db");
  Study store = open(path);
  Diagnostics diagnostics;
  const auto reader = Study::open_to_read(path, diagnostics);
  ASSERT_TRUE(reader);
  for (std::int64_t chip = 0; chip < 10; chip += 2) {
    add(store, {{evaluated(chip), evaluated(chip + 1)}, {}, std::nullopt});
    const auto seen = reader->read(Plans::kRead, diagnostics);
    ASSERT_TRUE(seen) << to_string(diagnostics);
    EXPECT_EQ(seen->chips.size(), static_cast<std::size_t>(chip) + 2);
    EXPECT_TRUE(seen->is_being_written);
  }
}

TEST(Study, ASecondWriterIsRefused) {
  const Folder folder;
  const std::string path = folder.file("study.db");
  Diagnostics diagnostics;
  {
    const Study store = open(path);
    EXPECT_FALSE(Study::open(path, question(), diagnostics));
    EXPECT_EQ(to_string(diagnostics), path +
                                          ": error: another run is writing to this study; wait "
                                          "for its end or give another file\n");
  }
  open(path);  // the first one is gone
}

TEST(Study, BugsOfTheCallerAreNotStored) {
  const Folder folder;
  const std::string path = folder.file("study.db");
  Study store = open(path);
  Diagnostics diagnostics;
  const auto refuses = [&](const ChipRow& row) {
    EXPECT_THROW(store.add({{evaluated(1), row}, {}, std::nullopt}, diagnostics), std::logic_error);
  };
  ChipRow row = evaluated(2);
  row.value = std::nan("");
  refuses(row);
  for (const char* name : {"Value", "witness", "AREA_MM2", ""}) {
    row = evaluated(2);
    row.metrics[name] = 1;
    refuses(row);
  }
  EXPECT_THROW(store.add({{}, {{5, 4, 1}}, std::nullopt}, diagnostics), std::logic_error);
  EXPECT_EQ(read(path).chips, std::vector<ChipRow>{});
  add(store, {{evaluated(2)}, {}, std::nullopt});
}

}  // namespace
}  // namespace phaze::study
