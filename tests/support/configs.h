#pragma once
// Configurations and the graphs that are built from them.

#include <string>
#include <vector>

#include "graph/layer.h"
#include "graph/training.h"
#include "models/build.h"
#include "models/spec.h"

namespace phaze::tests {

// The spec of a configuration without fault; one with a fault fails the test with an exception.
models::ModelSpec spec_of(const std::string& config);

// What reading this configuration complains about, as printed.
std::vector<std::string> config_faults(const std::string& config);

graph::Model build(const models::ModelSpec& spec, const models::BuildOptions& options = {});
std::vector<std::string> build_faults(const models::ModelSpec& spec,
                                      const models::BuildOptions& options);

const graph::Layer& layer_of(const graph::Model& model, const std::string& name);

// A small configuration of each family: 8 wide, 2 layers, 10 words (or a 4 x 4 image), feed-forward
// width 16. `more` are further lines of YAML.
std::string small_config(const std::string& family, const std::string& more = "");

}  // namespace phaze::tests
