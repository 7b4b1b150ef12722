#include "models/load.h"

#include <filesystem>

#include "io/document.h"
#include "io/graph_json.h"
#include "models/config.h"
#include "models/zoo.h"

namespace phaze::models {
namespace {

// config.json says little of itself: its folder is the model's name.
std::string name_of(const std::string& path) {
  namespace fs = std::filesystem;
  const std::string stem = fs::path(path).stem().string();
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();  // "./config.json" too
  const std::string folder = whole.parent_path().filename().string();
  return stem == "config" && !folder.empty() ? folder : stem;
}

}  // namespace

std::optional<LoadedModel> read_model(const std::string& text, const std::string& source,
                                      Diagnostics& diagnostics) {
  const std::optional<io::Value> document = io::parse_document(text, source, diagnostics);
  if (!document) {
    return std::nullopt;
  }
  if (io::is_graph(*document)) {
    std::optional<graph::Model> model = io::read_graph(*document, name_of(source), diagnostics);
    return model ? std::optional<LoadedModel>(std::move(*model)) : std::nullopt;
  }
  std::optional<ModelSpec> spec = read_config(*document, diagnostics);
  if (!spec) {
    return std::nullopt;
  }
  spec->name = name_of(source);
  spec->source = source;
  return LoadedModel(std::move(*spec));
}

std::optional<LoadedModel> load_model(const std::string& name, Diagnostics& diagnostics) {
  if (std::optional<ZooModel> found = find_zoo_model(name)) {
    return LoadedModel(std::move(found->spec));
  }
  namespace fs = std::filesystem;
  std::error_code error;
  std::string path = name;
  if (fs::is_directory(path, error)) {
    path = (fs::path(path) / "config.json").string();
    if (!fs::exists(path, error)) {
      diagnostics.error({name, 0, 0, ""}, "is a folder without config.json");
      return std::nullopt;
    }
  }
  const bool looks_like_file = name.find('/') != std::string::npos || name.ends_with(".json") ||
                               name.ends_with(".yaml") || name.ends_with(".onnx");
  if (!fs::exists(path, error) && !looks_like_file) {
    diagnostics.error({"command line", 0, 0, "MODEL"},
                      "no built-in model and no file is called \"" + name + "\"" +
                          did_you_mean(name, zoo_names()) + " (`phaze models` lists them)");
    return std::nullopt;
  }
  if (name.ends_with(".onnx")) {
    diagnostics.error({name, 0, 0, ""},
                      "ONNX files cannot be read yet; give a config.json or a graph file");
    return std::nullopt;
  }
  const std::optional<std::string> text = io::read_text_file(path, diagnostics);
  return text ? read_model(*text, path, diagnostics) : std::nullopt;
}

}  // namespace phaze::models
