#include <algorithm>
#include <iostream>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "graph/training.h"
#include "io/document.h"
#include "io/graph_json.h"
#include "models/build.h"
#include "models/load.h"
#include "report/graph_report.h"

namespace phaze::cli {
namespace {

struct GraphOptions : CommonOptions {
  std::string model;
  std::int64_t sequence = 0;
  std::int64_t decoder_sequence = 0;
  std::int64_t microbatch = 1;
  std::int64_t tensor = 1;
  bool sequence_parallel = false;
  bool expand_kv = false;
  bool forward_only = false;
  bool dot = false;
  std::string attention = "flash";
  std::string execution = "fused";
  std::string recompute = "none";
  std::string precision = "mixed";
  std::string optimizer = "adam";
  std::string fusion;              // when given
  std::vector<std::string> given;  // options that were on the command line
};

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

// The graph of a config, or of a graph file that has its sizes built in.
std::optional<graph::Model> make_graph(const GraphOptions& options, Diagnostics& diagnostics) {
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
                          {"fused", "eager"}, diagnostics);
  graph::TrainingOptions training;
  training.precision = parse("--precision", options.precision, graph::parse_precision,
                             {"mixed", "bf16", "fp32"}, diagnostics);
  training.optimizer =
      parse("--optimizer", options.optimizer, graph::parse_optimizer, {"adam", "sgd"}, diagnostics);
  training.recompute = parse("--recompute", options.recompute, graph::parse_recompute_policy,
                             {"none", "selective", "full"}, diagnostics,
                             " or parts such as attention+norms+activations");
  const bool is_eager = build.execution == models::Execution::kEager;
  const bool has_fusion = std::ranges::find(options.given, "--fusion") != options.given.end();
  const std::string fusion = has_fusion ? options.fusion : is_eager ? "none" : "full";
  training.fusion =
      parse("--fusion", fusion, graph::parse_fusion, {"full", "elementwise", "none"}, diagnostics);
  build.precision = training.precision;

  for (const std::string& name : options.given) {
    if (options.forward_only && is_for_backward(name)) {
      diagnostics.error({"command line", 0, 0, name}, "means nothing with --forward");
    }
  }

  std::optional<models::LoadedModel> loaded;
  if (options.model == "-") {
    if (const auto text = io::read_text(std::cin, "standard input", diagnostics)) {
      loaded = models::read_model(*text, "standard input", diagnostics);
    }
  } else {
    loaded = models::load_model(options.model, diagnostics);
  }
  if (!loaded || diagnostics.has_errors()) {
    return std::nullopt;
  }
  std::optional<graph::Model> model;
  if (const auto* spec = std::get_if<models::ModelSpec>(&*loaded)) {
    model = models::build_model(*spec, build, diagnostics);
  } else {
    model = std::get<graph::Model>(*loaded);
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
  return options.forward_only ? model : graph::to_training(std::move(*model), training);
}

int run_graph(const GraphOptions& options) {
  Diagnostics diagnostics;
  const std::optional<graph::Model> model = make_graph(options, diagnostics);
  if (!model) {
    return report_bad_input(diagnostics);
  }
  if (options.dot) {
    return print(report::graph_dot(*model));
  }
  return print(options.json ? io::write_graph(*model) : report::graph_tables(*model));
}

}  // namespace

void add_graph_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "graph", "The operator graph of a training step: layers, operators, FLOPs, bytes");
  const auto options = std::make_shared<GraphOptions>();
  command
      ->add_option("MODEL", options->model,
                   "Built-in name, Hugging Face config.json (or its folder), graph file, or - "
                   "for standard input")
      ->required();
  std::vector<CLI::Option*> fixed = {
      command
          ->add_option("--sequence", options->sequence,
                       "Tokens per sequence (default: the model's own, at most 8192)")
          ->check(whole_number()),
      command
          ->add_option("--decoder-sequence", options->decoder_sequence,
                       "Tokens per sequence of an encoder-decoder's second half (default: as "
                       "--sequence)")
          ->check(whole_number()),
      command
          ->add_option("--microbatch", options->microbatch,
                       "Sequences that go through together (default: 1)")
          ->check(whole_number()),
      command
          ->add_option("--tensor", options->tensor,
                       "Tensor-parallel width: the graph is that of one of so many devices "
                       "(default: 1)")
          ->check(whole_number()),
      command->add_flag("--sequence-parallel", options->sequence_parallel,
                        "Split norms and dropouts over the tensor-parallel devices too"),
      command->add_option("--attention", options->attention,
                          "flash: one fused operator; eager: separate products and softmax "
                          "(default: flash)"),
      command->add_option("--execution", options->execution,
                          "fused: a tuned training stack; eager: the library's operators one by "
                          "one (default: fused)"),
      command->add_flag("--expand-kv", options->expand_kv,
                        "Copy grouped keys and values out to all heads before attention"),
      command->add_option("--recompute", options->recompute,
                          "none, selective (the attention core), full, or parts joined by +: "
                          "attention, norms, activations (default: none)"),
      command->add_option("--precision", options->precision,
                          "mixed: bf16 with fp32 gradients and master weights; bf16; fp32 "
                          "(default: mixed)"),
      command->add_option("--optimizer", options->optimizer, "adam or sgd (default: adam)"),
      command->add_option("--fusion", options->fusion,
                          "full: element-wise operators into products and one another; "
                          "elementwise: into one another only; none (default: full, with eager "
                          "execution none)"),
  };
  command->add_flag("--forward", options->forward_only, "The forward pass alone");
  CLI::Option* dot =
      command->add_flag("--dot", options->dot, "Graphviz DOT in place of tables or JSON");
  add_common_options(*command, *options);
  dot->excludes(command->get_option("--json"));
  command->callback([options, fixed, &action] {
    for (const CLI::Option* option : fixed) {
      if (option->count() > 0) {
        options->given.push_back(option->get_name());
      }
    }
    action = [options] { return run_graph(*options); };
  });
}

}  // namespace phaze::cli
