#include "models/config.h"

#include <algorithm>

#include "base/text.h"
#include "graph/verify.h"
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
  fields.diagnostics().error(
      first.where, "unknown class \"" + shortened(first.text) + "\" of family " + family_name +
                       did_you_mean(first.text, names) + " (known: " + known + ")");
  return nullptr;
}

// Each size may be plausible by itself and their product too large for an exact count. In floating
// point and a little too much.
void check_weights(const ModelSpec& spec, const Location& where, Diagnostics& diagnostics) {
  const auto product = [](std::int64_t a, std::int64_t b, std::int64_t c = 1) {
    return static_cast<double>(a) * static_cast<double>(b) * static_cast<double>(c);
  };
  const Embedding& e = spec.embedding;
  double ends = product(2 * e.vocabulary + 2 * spec.hidden, e.width + spec.hidden) +
                product(e.positions + e.token_types, spec.hidden) +
                product(e.channels * spec.hidden, e.patch_height, e.patch_width);
  for (const Classifier& classifier : spec.head.classifiers) {
    ends += product(classifier.outputs, spec.hidden);
  }
  double total = ends;
  double largest = ends;  // of a layer
  for (const Stack& stack : spec.stacks) {
    for (const Run& run : stack.runs) {
      const Attention& a = run.block.attention;
      const FeedForward& f = run.block.feed_forward;
      const double block = 4 * product(a.heads + 2 * a.kv_heads, a.head_dim, spec.hidden) +
                           4 * product(f.width, spec.hidden, std::max<std::int64_t>(1, f.experts)) +
                           product(stack.relative_buckets, a.heads);
      largest = std::max(largest, block);
      total += block * static_cast<double>(run.count);
    }
  }
  if (largest > static_cast<double>(graph::kMaxElements) || total > graph::kMaxForwardElements) {
    diagnostics.error(where, "these sizes make some " + with_prefix(total, "") +
                                 " parameters, more than can be meant (2^50 in a layer, 2^52 in "
                                 "all)");
  }
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
      diagnostics.error(type->where, "unknown family \"" + shortened(family_name) + "\"" +
                                         did_you_mean(family_name, family_names()) +
                                         " (known: " + known + ")");
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
  if (diagnostics.error_count() == before) {
    check_weights(spec, config.where, diagnostics);
  }
  if (diagnostics.error_count() > before) {
    return std::nullopt;
  }
  return spec;
}

}  // namespace phaze::models
