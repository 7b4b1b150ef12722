#include "io/file_writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/documents.h"

namespace phaze::io {
namespace {

namespace fs = std::filesystem;

class FileWriter : public ::testing::Test {
 protected:
  FileWriter() {
    std::string name = (fs::temp_directory_path() / "phaze-test-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~FileWriter() override { fs::remove_all(folder_); }

  static std::string text_of(const fs::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(folder_)) {
      all.push_back(entry.path().filename());
    }
    return all;
  }
  std::vector<std::string> faults_of(const fs::path& path) const {
    Diagnostics diagnostics;
    EXPECT_FALSE(write_text_file(path, "text", diagnostics));
    return tests::lines_of(diagnostics);
  }

  fs::path folder_;
};

TEST_F(FileWriter, WritesAndReplaces) {
  Diagnostics diagnostics;
  const fs::path path = folder_ / "trace.json";
  EXPECT_TRUE(write_text_file(path, "first, longer", diagnostics));
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_TRUE(write_text_file(path, "second", diagnostics));
  EXPECT_EQ(text_of(path), "second");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(names(), std::vector<std::string>{"trace.json"});
  EXPECT_FALSE(diagnostics.has_errors());
}

TEST_F(FileWriter, FollowsLinks) {
  Diagnostics diagnostics;
  std::ofstream(folder_ / "real") << "before";
  fs::create_symlink("real", folder_ / "link");
  EXPECT_TRUE(write_text_file(folder_ / "link", "after", diagnostics));
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_of(folder_ / "real"), "after");
}

TEST_F(FileWriter, DevicesStayWhatTheyAre) {
  Diagnostics diagnostics;
  EXPECT_TRUE(write_text_file("/dev/null", "text", diagnostics));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FileWriter, SaysWhyItCannot) {
  const std::string folder = folder_.string();
  EXPECT_EQ(faults_of(folder),
            (std::vector<std::string>{folder + ": error: cannot be written: Is a directory"}));
  EXPECT_EQ(faults_of(folder_ / "none" / "x"),
            (std::vector<std::string>{folder + "/none/x: error: cannot be written: No such file or "
                                               "directory"}));
  std::ofstream(folder_ / "file") << "before";
  EXPECT_EQ(
      faults_of(folder_ / "file" / "x"),
      (std::vector<std::string>{folder + "/file/x: error: cannot be written: Not a directory"}));
  EXPECT_EQ(faults_of("/dev/full"),
            (std::vector<std::string>{"/dev/full: error: cannot be written: No space left on "
                                      "device"}));
  EXPECT_EQ(names(), std::vector<std::string>{"file"});
}

}  // namespace
}  // namespace phaze::io
