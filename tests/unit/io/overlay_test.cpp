#include "io/overlay.h"

#include <gtest/gtest.h>

namespace phaze::io {
namespace {

Value parse(const std::string& text) {
  Diagnostics diagnostics;
  const std::optional<Value> value = parse_document(text, "file.yaml", diagnostics);
  EXPECT_TRUE(value) << to_string(diagnostics);
  return value.value_or(Value{});
}

const Value& at(const Value& value, const std::string& outer, const std::string& inner) {
  return *value.find(outer)->find(inner);
}

TEST(Merged, ReplacesScalarsAndMergesMaps) {
  const Value result = merged(parse("{a: 1, hbm: {stacks: 5, capacity: 80 GiB}}"),
                              parse("{hbm: {stacks: 6}, b: [1, 2]}"));
  EXPECT_EQ(result.find("a")->integer, 1);
  EXPECT_EQ(at(result, "hbm", "stacks").integer, 6);
  EXPECT_EQ(at(result, "hbm", "capacity").text, "80 GiB");
  EXPECT_EQ(result.find("b")->items.size(), 2U);
}

TEST(Merged, AKeyWithAUnitReplacesTheSameWithout) {
  const Value result = merged(parse("{clock: 1 GHz}"), parse("{clock_hz: 2.0e9}"));
  EXPECT_EQ(result.find("clock"), nullptr);
  EXPECT_DOUBLE_EQ(result.find("clock_hz")->number, 2e9);
}

Value with(const std::string& document, const std::string& setting) {
  Value value = parse(document);
  Diagnostics diagnostics;
  apply_setting(value, setting, "chip", diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << to_string(diagnostics);
  return value;
}

const char kChip[] = "{clock: 1.5 GHz, hbm: {stacks: 4, bandwidth_bytes_per_s: 1.0e12}}";

TEST(ApplySetting, SetsAbsoluteValues) {
  EXPECT_EQ(at(with(kChip, "hbm.stacks=6"), "hbm", "stacks").integer, 6);
  EXPECT_EQ(at(with(kChip, "chip.hbm.stacks=6"), "hbm", "stacks").integer, 6);
  EXPECT_EQ(with(kChip, "clock=2 GHz").find("clock")->text, "2 GHz");
  EXPECT_EQ(at(with(kChip, "hbm.bandwidth=2 TB/s"), "hbm", "bandwidth").text, "2 TB/s");
  EXPECT_EQ(at(with(kChip, "links.count=3"), "links", "count").integer, 3);  // a new part
}

TEST(ApplySetting, ChangesRelatively) {
  EXPECT_EQ(with(kChip, "clock=+20%").find("clock")->text, "1.8 GHz");
  EXPECT_EQ(with(kChip, "clock=-50%").find("clock")->text, "0.75 GHz");
  EXPECT_EQ(at(with(kChip, "hbm.stacks=x2"), "hbm", "stacks").integer, 8);
  EXPECT_DOUBLE_EQ(
      at(with(kChip, "chip.hbm.bandwidth=+20%"), "hbm", "bandwidth_bytes_per_s").number, 1.2e12);
}

std::string fault(const std::string& setting) {
  Value value = parse(kChip);
  Diagnostics diagnostics;
  apply_setting(value, setting, "chip", diagnostics);
  return to_string(diagnostics);
}

TEST(ApplySetting, SaysWhatIsWrong) {
  EXPECT_EQ(fault("clock"),
            "command line: error: --set clock: expected FIELD=VALUE such as "
            "chip.hbm.bandwidth=+20%\n");
  EXPECT_EQ(fault("hbm.capacity=+20%"),
            "command line: error: --set hbm.capacity: the file gives no value to change; give an "
            "absolute one\n");
  EXPECT_EQ(fault("hbm.stacks=+20%"),
            "command line: error: --set hbm.stacks: cannot change 4 by +20%\n");
  EXPECT_EQ(fault("clock.x=1"), "command line: error: --set clock.x: clock has no fields inside\n");
}

}  // namespace
}  // namespace phaze::io
