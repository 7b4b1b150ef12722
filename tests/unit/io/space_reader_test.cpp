#include "io/space_reader.h"

#include <gtest/gtest.h>

#include "support/chips.h"
#include "support/documents.h"

namespace phaze::io {
namespace {

using space::Field;

std::optional<space::Space> read(const std::string& text, Diagnostics& diagnostics) {
  return read_space(
      tests::parse(text, "space.yaml"), "space",
      [](const Value&, hw::Technology) { return std::optional(tests::round_chip()); }, diagnostics);
}

std::vector<std::string> faults(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read(text, diagnostics)) << text;
  return tests::lines_of(diagnostics);
}

// The faults of a space with these axes.
std::vector<std::string> axis_faults(const std::string& axis) {
  return faults("base: round\naxes:\n  " + axis + "\n");
}

using Lines = std::vector<std::string>;

TEST(ReadSpace, TakesListsRangesTiesFiltersBudgetsAndChoices) {
  Diagnostics diagnostics;
  const auto found = read(
      "title: Try\n"
      "base: round\n"
      "technology: phaze22\n"
      "axes:\n"
      "  clock: 1 GHz\n"
      "  tensor_cores.count: {from: 1, to: 100, times: 3}\n"
      "  global_buffer.size: {from: 2 MiB, to: 8 MiB, step: 3 MiB}\n"
      "  hbm.generation: [hbm2, hbm3]\n"
      "ties: {vector_cores.count: 2 x tensor_cores.count, tensor_cores.local_buffer: rule}\n"
      "filters: [tensor_cores.count <= 0.5 x vector_cores.count, global_buffer.size > 2 MiB]\n"
      "budgets:\n"
      "  area: 100 mm2\n"
      "  least_area: {share: 0.5, unless_one: [tensor_cores.count]}\n"
      "  power_w: 300\n"
      "  die_cost: 50 USD\n"
      "training: {microbatches: [1, 4], recompute: [full], tensor_widths: [8], hbm_capacity: [32 "
      "GiB]}\n",
      diagnostics);
  ASSERT_TRUE(found) << to_string(diagnostics);
  EXPECT_EQ(found->technology, hw::Technology::kPhaze22);
  ASSERT_EQ(found->axes.size(), 4U);
  EXPECT_EQ(found->axes[1].values, (std::vector<double>{1, 3, 9, 27, 81}));
  const double mib = 1 << 20;
  EXPECT_EQ(found->axes[2].values, (std::vector<double>{2 * mib, 5 * mib, 8 * mib}));
  EXPECT_EQ(found->axes[3].values, (std::vector<double>{0, 2}));
  ASSERT_EQ(found->ties.size(), 2U);
  EXPECT_EQ(found->ties[0].factor, 2);
  EXPECT_EQ(found->ties[0].of, Field::kTensorCount);
  EXPECT_EQ(found->ties[1].kind, space::TieKind::kRule);
  ASSERT_EQ(found->filters.size(), 2U);
  EXPECT_EQ(found->filters[0].right, Field::kVectorCount);
  EXPECT_EQ(found->filters[0].value, 0.5);
  EXPECT_EQ(found->filters[1].value, 2 * mib);
  EXPECT_EQ(found->budgets.area, SquareMillimetres(100));
  EXPECT_EQ(found->budgets.power, Watts(300));
  EXPECT_EQ(found->budgets.die_cost, Dollars(50));
  EXPECT_EQ(found->budgets.least_area->unless_one, std::vector<Field>{Field::kTensorCount});
  EXPECT_EQ(found->training.microbatches, (std::vector<std::int64_t>{1, 4}));
  EXPECT_EQ(found->training.hbm_capacities, std::vector<Bytes>{Bytes(std::int64_t{32} << 30)});
}

TEST(ReadSpace, SaysWhatIsMissing) {
  EXPECT_EQ(faults("title: x\n"),
            (Lines{"space.yaml:1:1: error: base: this key is required: expected a chip's name, "
                   "file or description",
                   "space.yaml:1:1: error: axes: expected at least one field with its values"}));
}

TEST(ReadSpace, RefusesFieldsThatAreNoneOrCostNothing) {
  EXPECT_EQ(axis_faults("tensor_core.count: [1]"),
            Lines{"space.yaml:3:22: error: axes.tensor_core.count: no field of chips that can be "
                  "varied is called \"tensor_core.count\"; did you mean tensor_cores.count?"});
  EXPECT_EQ(axis_faults("launch_overhead: [1 us]"),
            Lines{"space.yaml:3:20: error: axes.launch_overhead: cannot be varied: it describes "
                  "how kernels use a chip, not what is built: it costs nothing"});
  EXPECT_EQ(
      axis_faults("hbm.capacity: [32 GiB]"),
      Lines{"space.yaml:3:17: error: axes.hbm.capacity: cannot be varied: it is a choice of "
            "training (training.hbm_capacity): it changes what fits, not how fast a chip is"});
  for (const char* path : {"sustained.matrix", "tensor_cores.tile_start", "tensor_cores.multicast",
                           "tensor_cores.accumulators", "vector_cores.special_cycles",
                           "tensor_cores.fabricated", "nominal_clock", "control"}) {
    const Lines lines = axis_faults(std::string(path) + ": [1]");
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_NE(lines[0].find("cannot be varied"), std::string::npos) << lines[0];
  }
}

TEST(ReadSpace, RefusesBadValues) {
  EXPECT_EQ(axis_faults("tensor_cores.count: {from: 8, to: 4, times: 2}"),
            Lines{"space.yaml:3:23: error: axes.tensor_cores.count: an empty range: from 8 to 4"});
  EXPECT_EQ(axis_faults("tensor_cores.count: []"),
            Lines{"space.yaml:3:23: error: axes.tensor_cores.count: expected 1 to 10000 values, "
                  "found a list of 0"});
  EXPECT_EQ(axis_faults("tensor_cores.count: [4 MiB]"),
            Lines{"space.yaml:3:24: error: axes.tensor_cores.count[0]: expected a whole number, "
                  "found the text \"4 MiB\""});
  EXPECT_EQ(axis_faults("global_buffer.size: [4]"),
            Lines{"space.yaml:3:24: error: axes.global_buffer.size[0]: expected a size such as "
                  "\"64 MiB\", found 4"});
  EXPECT_EQ(axis_faults("tensor_cores.count: [4, 2]"),
            Lines{"space.yaml:3:27: error: axes.tensor_cores.count[1]: expected ascending values, "
                  "found 2 after 4"});
  EXPECT_EQ(axis_faults("tensor_cores.count: {from: 1, to: 4}"),
            Lines{"space.yaml:3:23: error: axes.tensor_cores.count.times: expected either times, "
                  "a factor above 1, or step"});
  EXPECT_EQ(axis_faults("tensor_cores.count: {from: 1, to: 9, times: 1.5}"),
            Lines{"space.yaml:3:23: error: axes.tensor_cores.count: expected whole numbers, "
                  "found 1.5"});
  EXPECT_EQ(axis_faults("tensor_cores.count: 0"),
            Lines{"space.yaml:3:23: error: axes.tensor_cores.count: expected from 1 to 1048576, "
                  "found 0"});
  EXPECT_EQ(axis_faults("node_nm: 6"),
            Lines{"space.yaml:3:12: error: axes.node_nm: expected one of 22, 16, 7, 5, 4, 3, "
                  "found 6"});
  EXPECT_EQ(axis_faults("clock: {from: 1 GHz, to: 2 GHz, step: 1e-9 GHz}"),
            Lines{"space.yaml:3:10: error: axes.clock: more than 10000 values"});
}

TEST(ReadSpace, RefusesBadTiesFiltersAndChoices) {
  const std::string start = "base: round\naxes: {tensor_cores.count: [1, 2]}\n";
  EXPECT_EQ(
      faults(start + "ties: {vector_cores.count: tensor_cores.rows}\n"),
      Lines{"space.yaml:3:28: error: ties.vector_cores.count: expected an axis of this space, "
            "a multiple of one such as \"2 x tensor_cores.columns\", rule or base, found the "
            "text \"tensor_cores.rows\"; did you mean tensor_cores.count?"});
  EXPECT_EQ(faults(start + "ties: {vector_cores.count: 0.5 x tensor_cores.count}\n"),
            Lines{"space.yaml:3:28: error: ties.vector_cores.count: gives vector_cores.count the "
                  "value 0.5, which it cannot have"});
  EXPECT_EQ(faults(start + "ties: {tensor_cores.count: base}\n"),
            Lines{"space.yaml:3:28: error: ties.tensor_cores.count: is an axis already: it cannot "
                  "follow another"});
  EXPECT_EQ(faults(start + "ties: {vector_cores.count: rule}\n"),
            Lines{"space.yaml:3:28: error: ties.vector_cores.count: no rule says what "
                  "vector_cores.count is"});
  EXPECT_EQ(faults(start + "filters: [tensor_cores.count = 2]\n"),
            Lines{"space.yaml:3:11: error: filters[0]: expected FIELD <, <=, ==, >= or > VALUE, "
                  "FIELD or FACTOR x FIELD, found the text \"tensor_cores.count = 2\""});
  EXPECT_EQ(faults(start + "budgets: {least_area: {share: 0.3}}\n"),
            Lines{"space.yaml:3:23: error: budgets.least_area: a share of the area budget, which "
                  "is not given"});
  EXPECT_EQ(faults(start + "budgets: {aera: 3 mm2}\n"),
            Lines{"space.yaml:3:17: error: budgets.aera: unknown key; did you mean area?"});
  EXPECT_EQ(faults(start + "training: {microbatches: [2, 1], recompute: [some]}\n").size(), 2U);
  EXPECT_EQ(faults("base: round\naxes: {hbm.bandwidth: [1 TB/s], hbm.stack_bandwidth: [1 TB/s]}\n"),
            Lines{"space.yaml:2:7: error: axes: hbm.bandwidth and hbm.stack_bandwidth say the same "
                  "in two ways"});
}

TEST(ReadSpace, RefusesMoreChipsThanAnybodyCanCount) {
  std::string text = "base: round\naxes:\n";
  for (const char* path : {"tensor_cores.count", "tensor_cores.rows", "tensor_cores.columns"}) {
    text += std::string("  ") + path + ": {from: 1, to: 1000, step: 1}\n";
  }
  EXPECT_TRUE(tests::joined(faults(text + "  vector_cores.count: [1, 2]\n"))
                  .find("more than 1,000,000,000 chips") != std::string::npos);
}

}  // namespace
}  // namespace phaze::io
