#include "models/config.h"

#include "models/families.h"

namespace phaze::models {
namespace {

constexpr std::int64_t kLongestDefaultSequence = 8192;

const Architecture* find_architecture(Fields& fields, const std::string& family_name,
                                      const Family& family) {
  const io::Value* given = fields.find({"architectures"});
  if (given == nullptr || (given->kind == io::ValueKind::kList && given->items.empty())) {
    return &family.architectures.front();
  }
  if (given->kind != io::ValueKind::kList || given->items[0].kind != io::ValueKind::kText) {
    fields.error("architectures", "expected a list of class names, found " + io::describe(*given));
    return nullptr;
  }
  const io::Value& first = given->items[0];
  std::vector<std::string> names;
  for (const Architecture& architecture : family.architectures) {
    if (architecture.name == first.text) {
      return &architecture;
    }
    names.push_back(architecture.name);
  }
  std::string known;
  for (const std::string& name : names) {
    known += (known.empty() ? "" : ", ") + name;
  }
  fields.diagnostics().error(first.where, "unknown class \"" + first.text.substr(0, 60) +
                                              "\" of family " + family_name +
                                              did_you_mean(first.text, names) + " Known: " + known);
  return nullptr;
}

}  // namespace

std::vector<std::string> family_names() {
  std::vector<std::string> names;
  for (const auto& [name, family] : families()) {
    names.push_back(name);
  }
  return names;
}

std::optional<ModelSpec> read_config(const io::Value& config, Diagnostics& diagnostics) {
  if (config.kind != io::ValueKind::kMap) {
    diagnostics.error(
        config.where,
        "expected a model configuration (a map with model_type), found " + io::describe(config));
    return std::nullopt;
  }
  const std::size_t before = diagnostics.error_count();
  Fields fields(config, diagnostics);
  const io::Value* type = fields.find({"model_type"});
  std::string known;
  for (const std::string& name : family_names()) {
    known += (known.empty() ? "" : ", ") + name;
  }
  if (type == nullptr) {
    diagnostics.error({config.where.source, config.where.line, config.where.column, "model_type"},
                      "this key is required; known families: " + known);
    return std::nullopt;
  }
  const std::string family_name = fields.text({"model_type"}, "");
  const auto found = families().find(family_name);
  if (found == families().end()) {
    if (type->kind == io::ValueKind::kText) {
      diagnostics.error(type->where, "unknown family \"" + family_name.substr(0, 60) + "\"" +
                                         did_you_mean(family_name, family_names()) +
                                         " Known: " + known);
    }
    return std::nullopt;
  }
  const Architecture* architecture = find_architecture(fields, family_name, found->second);
  ModelSpec spec = found->second.read(fields);
  spec.family = family_name;
  if (spec.default_sequence > kLongestDefaultSequence) {
    spec.default_sequence = kLongestDefaultSequence;
  }
  if (architecture != nullptr) {
    spec.architecture = architecture->name;
    choose_head(fields, architecture->head, spec);
  }
  fields.report_misspelt_keys();
  if (diagnostics.error_count() > before) {
    return std::nullopt;
  }
  return spec;
}

}  // namespace phaze::models
