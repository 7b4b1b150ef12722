#pragma once
// Files that start a training run in other programs: what launch/ makes of a plan.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace phaze::plan {

struct LaunchFile {
  std::string text;
  // What the program has no setting for, a sentence each; the text says it too, as a comment.
  std::vector<std::string> left_out;

  bool operator==(const LaunchFile&) const = default;
};

// A configuration file of DeepSpeed, as plain data; io/launch_json.h writes it.
struct DeepSpeedSettings {
  std::int64_t train_batch = 1, microbatch = 1, accumulation = 1;  // sequences, sequences, steps
  std::optional<int> zero;                                         // nothing: left out
  bool overlap = true;
  bool has_bf16 = false;              // weights and activations in bf16, the rest in fp32
  std::vector<std::string> comments;  // lines

  bool operator==(const DeepSpeedSettings&) const = default;
};

}  // namespace phaze::plan
