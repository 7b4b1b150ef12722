#include "support/recorded_placements.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <stdexcept>

#include "io/document.h"
#include "io/original_reader.h"

namespace phaze::tests {
namespace {

std::string unpacked(const std::string& path) {
  const std::string command = "gzip -dc '" + path + "'";
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string text;
  std::array<char, 1U << 16U> chunk{};
  while (pipe) {
    const std::size_t size = std::fread(chunk.data(), 1, chunk.size(), pipe.get());
    if (size == 0) {
      break;
    }
    text.append(chunk.data(), size);
  }
  if (text.empty()) {
    throw std::runtime_error("cannot read " + path);
  }
  return text;
}

// The original writes 1e30 where nothing fits.
std::optional<double> time_of(const io::Value& value) {
  constexpr double kNone = 1e29;
  return value.number < kNone ? std::optional(value.number) : std::nullopt;
}

std::map<std::string, double> read_times(const std::string& path) {
  std::map<std::string, double> times;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  std::istringstream names(line);
  std::size_t column = 0;
  for (std::string name; std::getline(names, name, ',') && name != "O3_cpu_s";) {
    ++column;
  }
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<std::string> row;
    for (std::string cell; std::getline(cells, cell, ',');) {
      row.push_back(cell);
    }
    if (row.size() > column && !row[column].empty()) {
      times[row[0]] = std::strtod(row[column].c_str(), nullptr);
    }
  }
  return times;
}

const io::Value& member(const io::Value& map, const std::string& key) {
  const io::Value* value = map.find(key);
  if (value == nullptr) {
    throw std::runtime_error("no key " + key + " in " + map.where.source);
  }
  return *value;
}

}  // namespace

std::optional<std::string> recorded_placements_folder() {
  const char* folder = std::getenv("PHAZE_PLACEMENT");
  return folder == nullptr ? std::nullopt : std::optional<std::string>(folder);
}

std::vector<RecordedPlacement> read_recorded_placements(const std::string& folder) {
  const std::map<std::string, double> times = read_times(folder + "/placement_times.csv");
  std::istringstream lines(unpacked(folder + "/placement_dev.jsonl.gz"));
  std::vector<RecordedPlacement> cases;
  for (std::string line; std::getline(lines, line);) {
    Diagnostics diagnostics;
    const auto document = io::parse_document(line, "line", diagnostics);
    const auto instance = document
                              ? io::read_original_instance(member(*document, "input"), diagnostics)
                              : std::nullopt;
    if (!instance) {
      throw std::runtime_error(to_string(diagnostics));
    }
    const io::Value& reference = member(*document, "reference");
    RecordedPlacement recorded;
    recorded.id = member(*document, "id").text;
    recorded.family = member(*document, "family").text;
    recorded.instance = *instance;
    if (member(reference, "feasible").boolean) {
      recorded.time = time_of(member(reference, "finalTimePerBatch"));
    }
    for (const auto& [width, time] : member(reference, "timePerBatchByWidth").members) {
      recorded.time_of_width[std::stoll(width)] = time_of(time);
    }
    if (const auto found = times.find(recorded.id); found != times.end()) {
      recorded.cpu_s = found->second;
    }
    cases.push_back(std::move(recorded));
  }
  return cases;
}

}  // namespace phaze::tests
