#include "support/configs.h"

#include <map>
#include <stdexcept>

#include "models/config.h"
#include "support/documents.h"

namespace phaze::tests {

models::ModelSpec spec_of(const std::string& config) {
  Diagnostics diagnostics;
  std::optional<models::ModelSpec> spec = models::read_config(parse(config), diagnostics);
  if (!spec) {
    throw std::runtime_error(to_string(diagnostics));
  }
  return std::move(*spec);
}

std::vector<std::string> config_faults(const std::string& config) {
  Diagnostics diagnostics;
  const bool is_read = models::read_config(parse(config), diagnostics).has_value();
  if (is_read == diagnostics.has_errors()) {
    throw std::runtime_error("a spec and faults, or neither");
  }
  return lines_of(diagnostics);
}

graph::Model build(const models::ModelSpec& spec, const models::BuildOptions& options) {
  Diagnostics diagnostics;
  std::optional<graph::Model> model = models::build_model(spec, options, diagnostics);
  if (!model) {
    throw std::runtime_error(to_string(diagnostics));
  }
  return std::move(*model);
}

std::vector<std::string> build_faults(const models::ModelSpec& spec,
                                      const models::BuildOptions& options) {
  Diagnostics diagnostics;
  const bool is_built = models::build_model(spec, options, diagnostics).has_value();
  if (is_built == diagnostics.has_errors()) {
    throw std::runtime_error("a graph and faults, or neither");
  }
  return lines_of(diagnostics);
}

const graph::Layer& layer_of(const graph::Model& model, const std::string& name) {
  for (const graph::Layer& layer : model.layers) {
    if (layer.name == name) {
      return layer;
    }
  }
  throw std::runtime_error("no layer is called " + name);
}

std::string small_config(const std::string& family, const std::string& more) {
  const std::string llama =
      "hidden_size: 8\nvocab_size: 10\nnum_hidden_layers: 2\nnum_attention_heads: 4\n"
      "num_key_value_heads: 2\nintermediate_size: 16\nmax_position_embeddings: 6\n";
  const std::string two_heads =
      "hidden_size: 8\nvocab_size: 10\nnum_hidden_layers: 2\nnum_attention_heads: 2\n"
      "intermediate_size: 16\nmax_position_embeddings: 6\n";
  const std::map<std::string, std::string> keys = {
      {"bert", two_heads},
      {"megatron-bert", two_heads},
      {"gpt2", "n_embd: 8\nvocab_size: 10\nn_layer: 2\nn_head: 2\nn_inner: 16\nn_positions: 6\n"},
      {"opt",
       "hidden_size: 8\nvocab_size: 10\nnum_hidden_layers: 2\nnum_attention_heads: 2\n"
       "ffn_dim: 16\nmax_position_embeddings: 6\n"},
      {"llama", llama},
      {"mistral", llama},
      {"qwen2", llama},
      {"mixtral", llama + "num_local_experts: 4\nnum_experts_per_tok: 2\n"},
      {"phi", two_heads},
      {"gpt_neox", two_heads + "rotary_pct: 0.5\n"},
      {"t5",
       "d_model: 8\nvocab_size: 10\nnum_layers: 2\nnum_heads: 2\nd_kv: 4\nd_ff: 16\n"
       "relative_attention_num_buckets: 4\nn_positions: 6\n"},
      {"vit",
       "hidden_size: 8\nnum_hidden_layers: 2\nnum_attention_heads: 2\nintermediate_size: 16\n"
       "image_size: 4\npatch_size: 2\nnum_labels: 5\n"},
  };
  return "model_type: " + family + "\n" + keys.at(family) + more;
}

}  // namespace phaze::tests
