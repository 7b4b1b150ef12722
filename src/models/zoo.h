#pragma once
// The built-in models: files of data/models, carried inside the program.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "models/spec.h"

namespace phaze::models {

// In the order in which they are listed.
std::vector<std::string> zoo_names();

// What a file of data/models says. Nothing for an unknown name.
struct ZooModel {
  std::string title;
  ModelSpec spec;
};
std::optional<ZooModel> find_zoo_model(std::string_view name);

}  // namespace phaze::models
