// One mistake in a file is one fault, at the place where it can be mended.
#include "io/map_reader.h"

#include <gtest/gtest.h>

#include "support/documents.h"

namespace phaze::io {
namespace {

using Lines = std::vector<std::string>;

// Reads a required count and clock, and checks the count.
Lines faults_of(const std::string& text) {
  Diagnostics diagnostics;
  const Value document = tests::parse(text);
  MapReader map(document, diagnostics);
  const std::int64_t count = map.count("count", std::nullopt, 1, 8);
  map.quantity("clock", Dimension::kFrequency, std::nullopt);
  if (count % 2 != 0) {
    map.error("count", "expected an even number");
  }
  map.finish();
  return tests::lines_of(diagnostics);
}

TEST(MapReader, WhatIsRight) {
  EXPECT_EQ(faults_of("{count: 4, clock: 1 GHz}"), Lines{});
  EXPECT_EQ(faults_of("{count: 4, clock_hz: 1e9}"), Lines{});
}

TEST(MapReader, AKeyHasOneFault) {
  EXPECT_EQ(
      faults_of("{count: bogus, clock: 1 GHz}"),
      (Lines{"test.yaml:1:9: error: count: expected a whole number from 1 to 8, found the text "
             "\"bogus\""}));
  EXPECT_EQ(faults_of("{count: 3, clock: 1 GHz}"),
            (Lines{"test.yaml:1:9: error: count: expected an even number"}));
  EXPECT_EQ(
      faults_of("{clock: 1 GHz}"),
      (Lines{"test.yaml:1:1: error: count: this key is required: expected a whole number from "
             "1 to 8"}));
}

TEST(MapReader, AMisspeltKeyIsNotMissingToo) {
  EXPECT_EQ(faults_of("{coutn: 4, clock: 1 GHz}"),
            (Lines{"test.yaml:1:9: error: coutn: unknown key; did you mean count?"}));
  EXPECT_EQ(faults_of("{count: 4, clok: 1 GHz}"),
            (Lines{"test.yaml:1:18: error: clok: unknown key; did you mean clock?"}));
  EXPECT_EQ(faults_of("{count: 4, clok_hz: 1e9}"),
            (Lines{"test.yaml:1:21: error: clok_hz: unknown key; did you mean clock_hz?"}));
}

TEST(MapReader, AKeyLikeNoneIsBeyondWhatIsMissing) {
  EXPECT_EQ(faults_of("{other: 4, clock: 1 GHz}").size(), 2U);
}

TEST(MapReader, WhatIsNoMapHasOneFault) {
  EXPECT_EQ(faults_of("[1, 2]"),
            (Lines{"test.yaml:1:1: error: expected a map, found a list of 2"}));
}

TEST(MapReader, OtherFaultsStay) {
  Diagnostics diagnostics;
  diagnostics.warning({"other.yaml", 1, 1, "x"}, "something else");
  const Value document = tests::parse("{coutn: 4}");
  MapReader map(document, diagnostics);
  map.count("count", std::nullopt, 1, 8);
  EXPECT_FALSE(map.is_sound("count"));
  EXPECT_TRUE(map.is_sound("clock"));
  map.finish();
  ASSERT_EQ(diagnostics.all().size(), 2U);
  EXPECT_EQ(diagnostics.all()[0].message, "something else");
  EXPECT_EQ(diagnostics.error_count(), 1U);
}

}  // namespace
}  // namespace phaze::io
