#pragma once
// Measurements that the program carries: training runs re-told from publications (data/measured),
// and the project's own on one H200 (data/h200).

#include <optional>
#include <string_view>
#include <vector>

namespace phaze::presets {

struct MeasuredFile {
  std::string_view name;  // of the file, without folder and extension
  std::string_view text;
};

// Files of measured runs (docs/formats.md), in the order in which they are shown.
std::vector<MeasuredFile> published_runs();
// Further ones that no constant was fitted to.
std::vector<MeasuredFile> held_out_runs();

// Quantiles of the errors of predictions (docs/formats.md).
std::string_view error_table();

// A table of data/h200, such as "gemm"; must be there.
std::string_view own_table(std::string_view name);
// The configuration of a model that was measured and is not built in.
std::optional<std::string_view> own_config(std::string_view name);

}  // namespace phaze::presets
