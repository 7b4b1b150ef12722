#include "io/chip_reader.h"

#include <gtest/gtest.h>

namespace phaze::io {
namespace {

const std::string kSmall =
    "node_nm: 7\n"
    "clock: 1 GHz\n"
    "tensor_cores: {count: 4, rows: 128, columns: 64}\n"
    "vector_cores: {count: 2, lanes: 256}\n"
    "global_buffer: {size: 32 MiB}\n"
    "hbm: {stacks: 2, capacity: 32 GiB, bandwidth: 800 GB/s}\n";

std::optional<hw::Chip> read(const std::string& text, Diagnostics& diagnostics,
                             hw::Technology technology = hw::Technology::kModern) {
  const std::optional<Value> document = parse_document(text, "chip.yaml", diagnostics);
  return document ? read_chip(*document, "chip", technology, diagnostics) : std::nullopt;
}

std::string faults(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read(text, diagnostics));
  return to_string(diagnostics);
}

TEST(ReadChip, FillsInWhatScalesWithTheCore) {
  Diagnostics diagnostics;
  const std::optional<hw::Chip> chip = read(kSmall, diagnostics);
  ASSERT_TRUE(chip) << to_string(diagnostics);
  EXPECT_EQ(chip->tensor.fabricated, 4);
  EXPECT_EQ(chip->tensor.local_buffer, Bytes(16 * 128 * 64));
  EXPECT_DOUBLE_EQ(chip->tensor.local_bytes_per_cycle, 2 * (128 + 64) + 8 * 64);
  EXPECT_EQ(chip->vector.local_buffer, Bytes(16 * 256));
  EXPECT_DOUBLE_EQ(chip->global.bytes_per_cycle, 4 * 128 * 4);
  EXPECT_EQ(hw::hbm_capacity(*chip), Bytes(std::int64_t{32} << 30));
  EXPECT_DOUBLE_EQ(chip->hbm.stack_bandwidth.value(), 400e9);
  EXPECT_DOUBLE_EQ(hw::peak_flops(*chip, hw::NumberFormat::kBf16).value(),
                   2.0 * 4 * 128 * 64 * 1e9);
  EXPECT_DOUBLE_EQ(hw::peak_flops(*chip, hw::NumberFormat::kFp8).value(), 0);
  EXPECT_TRUE(chip->concurrent_operators);
}

TEST(ReadChip, TakesBandwidthInBytesASecond) {
  Diagnostics diagnostics;
  std::string text = kSmall;
  text.replace(text.find("{size: 32 MiB}"), 14, "{size: 32 MiB, bandwidth: 3 TB/s}");
  const std::optional<hw::Chip> chip = read(text, diagnostics);
  ASSERT_TRUE(chip) << to_string(diagnostics);
  EXPECT_DOUBLE_EQ(chip->global.bytes_per_cycle, 3000);
}

TEST(ReadChip, ReportsAllFaultsWithTheirPlaces) {
  EXPECT_EQ(
      faults("clock: 0 GHz\n"
             "tensor_cores: {count: 0, rows: 128, columns: 64, fabricated: -1}\n"
             "vector_cores: {count: 2, lanes: 256, lane: 3}\n"
             "global_buffer: {size: -3 MiB}\n"
             "hbm: {stacks: 2, capacity: 32 GiB, bandwidth: 0 GB/s}\n"
             "links: {count: 2}\n"
             "formats: {fp7: 1}\n"
             "sustained: {matrix: 1.5}\n"
             "colour: red\n"),
      "chip.yaml:1:8: error: clock: expected a frequency such as \"1.4 GHz\", at least 1e+06 "
      "and at most 1e+11 hz, found the text \"0 GHz\"\n"
      "chip.yaml:2:23: error: tensor_cores.count: expected a whole number from 1 to 1048576, "
      "found 0\n"
      "chip.yaml:2:62: error: tensor_cores.fabricated: expected a whole number from 1 to "
      "1048576, found -1\n"
      "chip.yaml:3:44: error: vector_cores.lane: unknown key; did you mean lanes?\n"
      "chip.yaml:4:23: error: global_buffer.size: expected a size such as \"64 MiB\", above 0 "
      "and at most 1e+15 bytes, found the text \"-3 MiB\"\n"
      "chip.yaml:5:47: error: hbm.bandwidth: expected a bandwidth such as \"1.2 TB/s\" or "
      "\"400 Gb/s\", above 0 and at most 1e+18 bytes_per_s, found the text \"0 GB/s\"\n"
      "chip.yaml:6:8: error: links.bandwidth: this key is required: expected a bandwidth "
      "such as \"1.2 TB/s\" or \"400 Gb/s\"\n"
      "chip.yaml:7:16: error: formats.fp7: unknown number format; did you mean fp8? Known: "
      "bf16, fp16, fp8, tf32, fp32, int8\n"
      "chip.yaml:8:21: error: sustained.matrix: expected a number above 0 and at most 1, "
      "found 1.5\n"
      "chip.yaml:9:9: error: colour: unknown key\n"
      "10 errors\n");
}

TEST(ReadChip, NamesPartsThatAreMissing) {
  const std::string text = faults("clock: 1 GHz\n");
  for (const char* part : {"tensor_cores", "vector_cores", "global_buffer", "hbm"}) {
    EXPECT_NE(text.find(std::string(part) + ": this part is required"), std::string::npos) << text;
  }
}

TEST(ReadChip, RefusesALocalBufferLargerThanTheGlobalOne) {
  std::string text = kSmall;
  text.replace(text.find("32 MiB"), 6, "64 KiB");
  EXPECT_EQ(faults(text),
            "chip.yaml:5:23: error: global_buffer.size: a tensor core's local buffer (128 KiB) is "
            "larger than the global buffer (64.0 KiB)\n");
}

TEST(ReadChip, RefusesMoreStacksThanTheEdgeHolds) {
  std::string text = kSmall;
  text.replace(text.find("stacks: 2"), 9, "stacks: 9");
  const std::string found = faults(text);
  EXPECT_NE(found.find("9 HBM stacks do not fit along the edges of a die of"), std::string::npos)
      << found;
  // The original's technology has no memory interfaces.
  Diagnostics diagnostics;
  EXPECT_TRUE(read(text, diagnostics, hw::Technology::kPhaze22));
}

TEST(ReadChip, RefusesAKeyGivenTwice) {
  std::string text = kSmall;
  text += "clock_hz: 1.0e9\n";
  EXPECT_EQ(faults(text),
            "chip.yaml:7:11: error: clock_hz: given twice: as clock and as clock_hz\n");
}

}  // namespace
}  // namespace phaze::io
