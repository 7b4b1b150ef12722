// embed_files of cmake/embed.cmake: what is in the program is what is on disk.

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "embedded/samples.h"

namespace phaze {
namespace {

std::string contents_on_disk(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Embed, FilesComeInTheOrderGivenByTheirStem) {
  const auto files = embedded::samples();
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files[0].name, "odd-2.5b");
  EXPECT_EQ(files[1].name, "empty");
}

TEST(Embed, EveryByteIsThere) {
  for (const embedded::File& file : embedded::samples()) {
    EXPECT_EQ(file.contents,
              contents_on_disk("tests/unit/embed/" + std::string(file.name) + ".txt"));
  }
}

}  // namespace
}  // namespace phaze
