#include <nlohmann/json.hpp>

#include "io/listing_json.h"

namespace phaze::io {

std::string write_models(const std::vector<ModelListing>& models) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ModelListing& m : models) {
    list.push_back({{"name", m.name},
                    {"title", m.title},
                    {"family", m.family},
                    {"architecture", m.architecture},
                    {"parameters", m.parameters},
                    {"layers", m.layers},
                    {"hidden", m.hidden},
                    {"heads", m.heads},
                    {"sequence", m.sequence},
                    {"tensor_widths", m.tensor_widths},
                    {"source", m.source}});
  }
  return list.dump(1) + "\n";
}

}  // namespace phaze::io
