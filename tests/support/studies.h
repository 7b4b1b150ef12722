#pragma once
// Small studies for tests.

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "plan/study.h"

namespace phaze::support {

// A folder of its own that goes with the test.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "phaze-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// Nothing where there is no plain file.
inline std::string read_bytes(const std::string& path) {
  if (!std::filesystem::is_regular_file(path)) {
    return "";
  }
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline plan::StudyQuestion question(std::int64_t chips_total = 1000) {
  return {{{"space", "count: 1..8"}, {"models", "llama2-7b"}, {"version", "0.1.0"}}, chips_total};
}

// An evaluated chip: its figures follow from its number.
inline plan::ChipRow evaluated(std::int64_t chip) {
  const auto number = static_cast<double>(chip);
  plan::ChipRow row;
  row.chip = chip;
  row.id = "chip-" + std::to_string(chip);
  row.value = 1000 * std::abs(std::sin(number)) / 3;
  row.metrics = {{"area_mm2", 100 + std::fmod(number * 7, 311)}, {"power_w", 50 + number / 7}};
  row.plans_json = R"({"llama2-7b": {"tensor": )" + std::to_string(1 + chip % 8) + "}}";
  return row;
}

}  // namespace phaze::support
