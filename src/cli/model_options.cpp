#include "cli/model_options.h"

#include <algorithm>
#include <iostream>

#include "cli/commands.h"
#include "io/document.h"
#include "models/build.h"
#include "models/load.h"

namespace phaze::cli {
namespace {

template <class T>
T parse(const std::string& option, const std::string& text,
        std::optional<T> (*parser)(std::string_view), const std::vector<std::string>& names,
        Diagnostics& diagnostics, const std::string& more = "") {
  const std::optional<T> value = parser(text);
  if (!value) {
    std::string expected;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool is_last = i + 1 == names.size() && more.empty();
      expected += (i == 0 ? "" : is_last ? " or " : ", ") + names[i];
    }
    diagnostics.error({"command line", 0, 0, option}, "expected " + expected + more + ", found \"" +
                                                          text + "\"" + did_you_mean(text, names));
  }
  return value.value_or(T{});
}

bool is_for_backward(const std::string& option) {
  return option == "--recompute" || option == "--optimizer" || option == "--fusion";
}

}  // namespace

std::optional<Workload> load_workload(const ModelOptions& options, Diagnostics& diagnostics) {
  models::BuildOptions build;
  build.sequence = options.sequence;
  build.decoder_sequence = options.decoder_sequence;
  build.microbatch = options.microbatch;
  build.tensor_width = options.tensor;
  build.sequence_parallel = options.sequence_parallel;
  build.expand_kv = options.expand_kv;
  build.attention = parse("--attention", options.attention, models::parse_attention,
                          {"flash", "eager"}, diagnostics);
  build.execution = parse("--execution", options.execution, models::parse_execution,
                          {"fused", "megatron", "eager"}, diagnostics);
  graph::TrainingOptions training;
  training.precision = parse("--precision", options.precision, graph::parse_precision,
                             {"mixed", "bf16", "fp32"}, diagnostics);
  training.optimizer =
      parse("--optimizer", options.optimizer, graph::parse_optimizer, {"adam", "sgd"}, diagnostics);
  training.recompute = parse("--recompute", options.recompute, graph::parse_recompute_policy,
                             {"none", "selective", "full"}, diagnostics,
                             " or parts such as attention+norms+activations");
  training.fusion = models::default_fusion(build.execution);
  if (std::ranges::find(options.given, "--fusion") != options.given.end()) {
    training.fusion = parse("--fusion", options.fusion, graph::parse_fusion,
                            {"full", "elementwise", "none"}, diagnostics);
  }
  build.precision = training.precision;

  std::optional<models::LoadedModel> loaded = options.loaded;
  if (loaded) {
    // It is there.
  } else if (options.model == "-") {
    if (const auto text = io::read_text(std::cin, "standard input", diagnostics)) {
      loaded = models::read_model(*text, "standard input", diagnostics);
    }
  } else {
    loaded = models::load_model(options.model, diagnostics);
  }
  if (!loaded || diagnostics.has_errors()) {
    return std::nullopt;
  }
  return Workload{*std::move(loaded), build, training};
}

std::optional<graph::Model> make_graph(const ModelOptions& options, bool forward_only,
                                       Diagnostics& diagnostics) {
  for (const std::string& name : options.given) {
    if (forward_only && is_for_backward(name)) {
      diagnostics.error({"command line", 0, 0, name}, "means nothing with --forward");
    }
  }

  std::optional<Workload> workload = load_workload(options, diagnostics);
  if (!workload) {
    return std::nullopt;
  }
  auto& [loaded, build, training] = *workload;
  std::optional<graph::Model> model;
  if (const auto* spec = std::get_if<models::ModelSpec>(&loaded)) {
    model = models::build_model(*spec, build, diagnostics);
  } else {
    model = std::get<graph::Model>(loaded);
    const bool is_complete = graph::is_training(*model);
    for (const std::string& name : options.given) {
      const bool is_for_training = is_for_backward(name) || name == "--precision";
      if (!is_for_training || is_complete) {
        diagnostics.error({"command line", 0, 0, name},
                          is_for_training ? "the graph file holds its backward pass already"
                                          : "a graph file has this built in");
      }
    }
    if (is_complete) {
      return diagnostics.has_errors() ? std::nullopt : model;
    }
  }
  if (!model || diagnostics.has_errors()) {
    return std::nullopt;
  }
  return forward_only ? model : graph::to_training(std::move(*model), training);
}

std::vector<CLI::Option*> add_workload_options(CLI::App& command, ModelOptions& options,
                                               bool model_required) {
  command
      .add_option("MODEL", options.model,
                  "Built-in name, Hugging Face config.json (or its folder), graph file, or - "
                  "for standard input")
      ->required(model_required);
  return {
      command
          .add_option("--sequence", options.sequence,
                      "Tokens per sequence (default: the model's own, at most 8192)")
          ->check(whole_number()),
      command
          .add_option("--decoder-sequence", options.decoder_sequence,
                      "Tokens per sequence of an encoder-decoder's second half (default: as "
                      "--sequence)")
          ->check(whole_number()),
      command.add_option("--attention", options.attention,
                         "flash: one fused operator; eager: separate products and softmax "
                         "(default: flash)"),
      command.add_option("--execution", options.execution,
                         "fused: a tuned training stack; megatron: Megatron-LM as of 2021; eager: "
                         "the library's operators one by one (default: fused)"),
      command.add_flag("--expand-kv", options.expand_kv,
                       "Copy grouped keys and values out to all heads before attention"),
      command.add_option("--precision", options.precision,
                         "mixed: bf16 with fp32 gradients and master weights; bf16; fp32 "
                         "(default: mixed)"),
      command.add_option("--optimizer", options.optimizer, "adam or sgd (default: adam)"),
      command.add_option("--fusion", options.fusion,
                         "full: element-wise operators into products and one another; "
                         "elementwise: into one another only; none (default: full; with megatron "
                         "execution elementwise, with eager none)"),
  };
}

std::vector<CLI::Option*> add_model_options(CLI::App& command, ModelOptions& options,
                                            bool model_required) {
  std::vector<CLI::Option*> added = add_workload_options(command, options, model_required);
  const std::vector<CLI::Option*> cut = {
      command
          .add_option("--microbatch", options.microbatch,
                      "Sequences that go through together (default: 1)")
          ->check(whole_number()),
      command
          .add_option("--tensor", options.tensor,
                      "Tensor-parallel width: the graph is that of one of so many devices "
                      "(default: 1)")
          ->check(whole_number()),
      command.add_flag("--sequence-parallel", options.sequence_parallel,
                       "Split norms and dropouts over the tensor-parallel devices too"),
      command.add_option("--recompute", options.recompute,
                         "none, selective (the attention core), full, or parts joined by +: "
                         "attention, norms, activations (default: none)"),
  };
  added.insert(added.end(), cut.begin(), cut.end());
  return added;
}

void note_given(const std::vector<CLI::Option*>& added, ModelOptions& options) {
  for (const CLI::Option* option : added) {
    if (option->count() > 0) {
      options.given.push_back(option->get_name());
    }
  }
}

}  // namespace phaze::cli
