#pragma once
// Random inputs that are valid: configurations of every family, options that fit them, layers.
// For use inside RapidCheck properties.

#include <rapidcheck.h>

#include <ostream>
#include <string>

#include "graph/layer.h"
#include "graph/training.h"
#include "models/build.h"

namespace phaze::tests {

// A small configuration of any family and architecture, as YAML. Positions reach to 64.
rc::Gen<std::string> any_config();

// Sizes that the model takes, any way to run it, any width that divides it.
rc::Gen<models::BuildOptions> options_for(const models::ModelSpec& spec);

rc::Gen<graph::TrainingOptions> any_training();

// A forward layer of up to `most` operators of many kinds and regions, outputs handed over.
rc::Gen<graph::Layer> any_layer(int most = 24);

}  // namespace phaze::tests

// How failing cases are printed.
namespace phaze {
inline void showValue(Bytes bytes, std::ostream& out) { out << bytes.value() << " B"; }
inline void showValue(Flops flops, std::ostream& out) { out << flops.value() << " FLOP"; }
}  // namespace phaze
namespace phaze::models {
void showValue(const BuildOptions& options, std::ostream& out);
}
namespace phaze::graph {
inline void showValue(Fusion fusion, std::ostream& out) { out << to_string(fusion); }
void showValue(const TrainingOptions& options, std::ostream& out);
void showValue(const Layer& layer, std::ostream& out);
}  // namespace phaze::graph
