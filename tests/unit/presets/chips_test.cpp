#include "presets/chips.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "io/chip_json.h"

namespace phaze::presets {
namespace {

class ChipFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() /
              ("phaze_chips_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
               "_" + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    const std::string path = (folder_ / name).string();
    std::ofstream(path) << text;
    return path;
  }

  std::filesystem::path folder_;
};

TEST_F(ChipFiles, AWrittenChipIsTheSame) {
  for (const std::string& name : chip_names()) {
    Diagnostics diagnostics;
    const auto chip = load_chip(name, {"clock=+7%", "hbm.bandwidth=-3%"}, diagnostics);
    ASSERT_TRUE(chip) << to_string(diagnostics);
    const std::string text = io::write_chip_file(*chip);
    const auto again = load_chip(write("again.yaml", text), {}, diagnostics);
    ASSERT_TRUE(again) << name << "\n" << to_string(diagnostics);
    EXPECT_EQ(io::write_chip_file(*again), text) << name;
    // The other writer knows derived figures too.
    hw::Chip same = *again;
    same.name = chip->name;
    const auto json = [](const hw::Chip& each) {
      return io::write_chip(each, hw::compute_figures(each, hw::Technology::kModern).value());
    };
    EXPECT_EQ(json(same), json(*chip)) << name;
  }
}

TEST(Chips, AllLoadAndCiteTheirSource) {
  ASSERT_GE(chip_names().size(), 11U);
  for (const std::string& name : chip_names()) {
    Diagnostics diagnostics;
    const std::optional<hw::Chip> chip = load_chip(name, {}, diagnostics);
    ASSERT_TRUE(chip) << to_string(diagnostics);
    EXPECT_EQ(chip->name, name);
    EXPECT_FALSE(chip->title.empty());
    EXPECT_FALSE(chip->source.empty());
  }
}

TEST(Chips, GpusRunOneKernelAfterAnother) {
  Diagnostics diagnostics;
  EXPECT_FALSE(load_chip("h200", {}, diagnostics)->concurrent_operators);
  EXPECT_TRUE(load_chip("tpuv4", {}, diagnostics)->concurrent_operators);
}

TEST(Chips, DeriveChangesOnlyWhatIsGiven) {
  Diagnostics diagnostics;
  const hw::Chip h100 = *load_chip("h100", {}, diagnostics);
  const hw::Chip h200 = *load_chip("h200", {}, diagnostics);
  EXPECT_EQ(h200.tensor.count, h100.tensor.count);
  EXPECT_EQ(h200.hbm.stacks, 6);
  EXPECT_EQ(h200.hbm.sites, 6);
  EXPECT_EQ(hw::hbm_capacity(h200), Bytes(std::int64_t{141} << 30));
}

// What was published of a chip is not true of one that differs from it.
TEST_F(ChipFiles, InheritNoTitleSourceOrPublishedFigures) {
  const std::string child = write("child.yaml", "derive: tpuv4\nclock: 2 GHz\n");
  Diagnostics diagnostics;
  const std::optional<hw::Chip> chip = load_chip(child, {}, diagnostics);
  ASSERT_TRUE(chip) << to_string(diagnostics);
  EXPECT_TRUE(chip->title.empty() && chip->source.empty());
  EXPECT_FALSE(chip->published_area || chip->published_tdp);
  EXPECT_TRUE(load_chip("tpuv4", {}, diagnostics)->published_tdp);
  EXPECT_FALSE(load_chip("tpuv4", {"clock=+10%"}, diagnostics)->published_tdp);
}

TEST_F(ChipFiles, DeriveFromAFileBesideThem) {
  write("parent.yaml", "derive: tpuv4\nclock: 2 GHz\n");
  const std::string child = write("child.yaml", "derive: parent.yaml\nnode_nm: 5\n");
  Diagnostics diagnostics;
  const std::optional<hw::Chip> chip = load_chip(child, {"clock=+50%"}, diagnostics);
  ASSERT_TRUE(chip) << to_string(diagnostics);
  EXPECT_EQ(chip->name, "child");
  EXPECT_EQ(chip->node_nm, 5);
  EXPECT_DOUBLE_EQ(chip->clock.value(), 3e9);
  EXPECT_EQ(chip->tensor.count, 8);
}

TEST_F(ChipFiles, SayWhenTheyDeriveFromThemselvesOrNothing) {
  const std::string loop = write("loop.yaml", "derive: loop.yaml\n");
  Diagnostics diagnostics;
  EXPECT_FALSE(load_chip(loop, {}, diagnostics));
  EXPECT_NE(to_string(diagnostics).find("derives from itself"), std::string::npos);

  const std::string lost = write("lost.yaml", "derive: tpuv44\n");
  Diagnostics missing;
  EXPECT_FALSE(load_chip(lost, {}, missing));
  EXPECT_NE(to_string(missing).find("tpuv44"), std::string::npos) << to_string(missing);
}

TEST(Chips, UnknownNamesGetTheNearest) {
  Diagnostics diagnostics;
  EXPECT_FALSE(load_chip("h10", {}, diagnostics));
  EXPECT_NE(to_string(diagnostics).find("did you mean h100?"), std::string::npos);
}

}  // namespace
}  // namespace phaze::presets
