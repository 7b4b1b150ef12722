#include "models/zoo.h"

#include <algorithm>

#include "base/check.h"
#include "embedded/models.h"
#include "io/document.h"
#include "models/config.h"

namespace phaze::models {

std::vector<std::string> zoo_names() {
  std::vector<std::string> names;
  for (const embedded::File& file : embedded::models()) {
    names.emplace_back(file.name);
  }
  return names;
}

std::optional<ZooModel> find_zoo_model(std::string_view name) {
  const auto files = embedded::models();
  const auto file =
      std::ranges::find_if(files, [name](const embedded::File& each) { return each.name == name; });
  if (file == files.end()) {
    return std::nullopt;
  }
  Diagnostics diagnostics;
  const std::optional<io::Value> document =
      io::parse_document(file->contents, std::string(name), diagnostics);
  CHECK(document, to_string(diagnostics));
  const io::Value* config = document->find("config");
  const io::Value* title = document->find("title");
  const io::Value* source = document->find("source");
  CHECK(config != nullptr && title != nullptr && source != nullptr,
        "a built-in model has a title, a source and a config");
  std::optional<ModelSpec> spec = read_config(*config, diagnostics);
  CHECK(spec, to_string(diagnostics));
  spec->name = name;
  spec->source = source->text;
  if (const io::Value* sequence = document->find("sequence")) {
    spec->default_sequence = sequence->integer;
  }
  return ZooModel{title->text, std::move(*spec)};
}

}  // namespace phaze::models
