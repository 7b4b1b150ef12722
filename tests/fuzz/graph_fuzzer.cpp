// A graph file from anywhere: refused with a reason, or a graph that is valid, reads back as
// written, and can be trained when it is a forward graph.
#include "finding.h"
#include "graph/summary.h"
#include "graph/training.h"
#include "report/graph_report.h"

namespace phaze::fuzz {
namespace {

void run(std::string_view text) {
  Diagnostics diagnostics;
  const auto document = io::parse_document(text, "graph.json", diagnostics);
  expect_reasons(document.has_value(), diagnostics);
  if (!document) {
    return;
  }
  const auto model = io::read_graph(*document, "graph", diagnostics);
  expect_reasons(model.has_value(), diagnostics);
  if (!model) {
    return;
  }
  expect_valid(*model);
  expect_round_trip(*model);
  expect(!report::graph_tables(*model).empty() && !report::graph_dot(*model).empty(),
         "an empty report");
  if (graph::is_training(*model)) {
    return;
  }
  Choices choices(text);
  graph::TrainingOptions options;
  constexpr std::string_view kPolicies[] = {"none", "selective", "full", "norms+activations"};
  options.recompute = *graph::parse_recompute_policy(kPolicies[choices.pick(4)]);
  options.precision = choices.flip() ? graph::Precision::kMixed : graph::Precision::kBf16;
  options.fusion = choices.flip() ? graph::Fusion::kFull : graph::Fusion::kNone;
  const graph::Model training = graph::to_training(*model, options);
  expect_valid(training);
  expect_round_trip(training);
}

}  // namespace

// What a graph may say.
std::vector<std::string> words() {
  std::vector<std::string> words = {
      "input",    "shared",          "constant",  "parameter",    "activation", "gradient",
      "forward",  "backward",        "recompute", "optimizer",    "attention",  "norms",
      "regather", "activations",     "f32",       "i64",          "bool",       "product",
      "view_of",  "optimizer_state", "tied",      "can_recompute"};
  for (const graph::OpKind kind : graph::all_op_kinds()) {
    words.emplace_back(graph::to_string(kind));
  }
  return words;
}

}  // namespace phaze::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size <= phaze::fuzz::kLongestInput) {
    phaze::fuzz::run({reinterpret_cast<const char*>(data), size});
  }
  return 0;
}

#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
#include "mutate.h"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  static const std::vector<std::string> kWords = phaze::fuzz::words();
  return phaze::fuzz::mutate_in_place(data, size, max_size, seed, kWords);
}
#endif
