#pragma once
// Lists of what is built in, as JSON.

#include <cstdint>
#include <string>
#include <vector>

namespace phaze::io {

struct ModelListing {
  std::string name, title, family, architecture, source;
  std::int64_t parameters = 0, layers = 0, hidden = 0, heads = 0, sequence = 0;
  std::vector<std::int64_t> tensor_widths;
};

std::string write_models(const std::vector<ModelListing>& models);

}  // namespace phaze::io
