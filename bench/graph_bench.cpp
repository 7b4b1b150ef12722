// How long do a model's graph and its files take?

#include <benchmark/benchmark.h>

#include "graph/training.h"
#include "graph/verify.h"
#include "io/graph_json.h"
#include "models/build.h"
#include "models/config.h"
#include "models/zoo.h"

namespace phaze {
namespace {

struct Scenario {
  const char* model;
  std::int64_t tensor_width;
  bool sequence_parallel;
  std::int64_t parameters;
};

constexpr Scenario kScenarios[] = {
    {"llama3-405b", 1, false, 405'853'388'800},
    {"gpt3-175b", 8, true, 174'615'846'912},
    {"mixtral-8x7b", 1, false, 46'702'792'704},
    {"t5-large", 1, false, 737'668'096},
};

graph::Model make_training(const models::ModelSpec& spec, const Scenario& scenario) {
  models::BuildOptions options;
  options.tensor_width = scenario.tensor_width;
  options.sequence_parallel = scenario.sequence_parallel;
  Diagnostics diagnostics;
  return graph::to_training(*models::build_model(spec, options, diagnostics), {});
}

graph::Model make_training(const Scenario& scenario) {
  return make_training(models::find_zoo_model(scenario.model)->spec, scenario);
}

std::int64_t count_operators(const graph::Model& model) {
  std::size_t count = 0;
  for (const graph::Layer& layer : model.layers) {
    count += layer.operators.size();
  }
  return static_cast<std::int64_t>(count);
}

bool is_right(const graph::Model& model, const Scenario& scenario) {
  bool is_valid = model.parameters == scenario.parameters && graph::is_training(model);
  for (const graph::Layer& layer : model.layers) {
    is_valid = is_valid && graph::verify(layer).empty();
  }
  return is_valid;
}

// Forward graph, backward, optimiser and fusion. Items are operators of distinct layers.
void build_training_graph(benchmark::State& state, const Scenario& scenario) {
  const models::ModelSpec spec = models::find_zoo_model(scenario.model)->spec;
  graph::Model model;
  for (auto _ : state) {
    model = make_training(spec, scenario);
    benchmark::DoNotOptimize(model);
  }
  if (!is_right(model, scenario)) {
    state.SkipWithError("not the model's graph");
  }
  state.SetItemsProcessed(state.iterations() * count_operators(model));
  state.counters["operators"] = static_cast<double>(count_operators(model));
}

void write_json(benchmark::State& state, const Scenario& scenario) {
  const graph::Model model = make_training(scenario);
  std::string text;
  for (auto _ : state) {
    text = io::write_graph(model);
    benchmark::DoNotOptimize(text);
  }
  state.SetItemsProcessed(state.iterations() * count_operators(model));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
  state.counters["file_bytes"] = static_cast<double>(text.size());
}

void read_json(benchmark::State& state, const Scenario& scenario) {
  const graph::Model model = make_training(scenario);
  const std::string text = io::write_graph(model);
  std::optional<graph::Model> read;
  for (auto _ : state) {
    Diagnostics diagnostics;
    const auto document = io::parse_document(text, "graph.json", diagnostics);
    read = io::read_graph(*document, "", diagnostics);
    benchmark::DoNotOptimize(read);
  }
  if (read != model) {
    state.SkipWithError("reads as another graph");
  }
  state.SetItemsProcessed(state.iterations() * count_operators(model));
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void parse_config(benchmark::State& state) {
  const std::string text = R"({
  "architectures": ["LlamaForCausalLM"], "attention_bias": false, "attention_dropout": 0.0,
  "bos_token_id": 128000, "eos_token_id": 128001, "hidden_act": "silu", "hidden_size": 16384,
  "initializer_range": 0.02, "intermediate_size": 53248, "max_position_embeddings": 131072,
  "mlp_bias": false, "model_type": "llama", "num_attention_heads": 128, "num_hidden_layers": 126,
  "num_key_value_heads": 8, "pretraining_tp": 1, "rms_norm_eps": 1e-05,
  "rope_scaling": {"factor": 8.0, "rope_type": "llama3"}, "rope_theta": 500000.0,
  "tie_word_embeddings": false, "torch_dtype": "bfloat16", "transformers_version": "4.42.3",
  "use_cache": true, "vocab_size": 128256})";
  std::optional<models::ModelSpec> spec;
  for (auto _ : state) {
    Diagnostics diagnostics;
    const auto document = io::parse_document(text, "config.json", diagnostics);
    spec = models::read_config(*document, diagnostics);
    benchmark::DoNotOptimize(spec);
  }
  if (!spec || models::count_parameters(*spec) != kScenarios[0].parameters) {
    state.SkipWithError("not the model");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

BENCHMARK(parse_config);

const bool kAreRegistered = [] {
  for (const Scenario& scenario : kScenarios) {
    const std::string name = std::string("/") + scenario.model;
    benchmark::RegisterBenchmark(("build_training_graph" + name).c_str(), build_training_graph,
                                 scenario);
    benchmark::RegisterBenchmark(("write_json" + name).c_str(), write_json, scenario);
    benchmark::RegisterBenchmark(("read_json" + name).c_str(), read_json, scenario);
  }
  return true;
}();

}  // namespace
}  // namespace phaze
