#pragma once
// The layer behind data/h200/layer.csv as PyTorch runs it, operator by operator.

#include <string>
#include <string_view>
#include <vector>

#include "graph/layer.h"

namespace phaze::trust {

struct MeasuredLayer {
  std::string model;
  std::int64_t hidden = 0, heads = 0, kv_heads = 0, ffn = 0, sequence = 0;
  bool is_gated = false;
  std::int64_t microbatch = 0;
  bool is_flash = false;
  std::int64_t saved_bytes = 0;
  std::int64_t parameters = 0;
  bool has_dropout = false;
  bool is_compiled = false;
  double forward_ms = 0, backward_ms = 0, both_ms = 0;  // those that the file has
};

graph::Layer build_measured_layer(const MeasuredLayer& row);

// The rows of a table with these columns by name.
std::vector<MeasuredLayer> read_measured_layers(std::string_view text);

}  // namespace phaze::trust
