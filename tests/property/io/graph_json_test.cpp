#include "io/graph_json.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "graph/summary.h"
#include "graph/training.h"
#include "support/configs.h"
#include "support/documents.h"
#include "support/generators.h"
#include "support/layers.h"

namespace phaze::io {
namespace {

void assert_reads_back(const graph::Model& model) {
  const std::string text = write_graph(model);
  Diagnostics diagnostics;
  const std::optional<graph::Model> again = read_graph(tests::parse(text), "", diagnostics);
  RC_LOG() << to_string(diagnostics);
  RC_ASSERT(again.has_value());
  RC_ASSERT(*again == model);
  RC_ASSERT(write_graph(*again) == text);
}

RC_GTEST_PROP(GraphJsonProperty, AnyModelReadsBackToTheByte, ()) {
  models::ModelSpec spec = tests::spec_of(*tests::any_config());
  spec.name = "model";
  const graph::Model forward = tests::build(spec, *tests::options_for(spec));
  assert_reads_back(forward);
  assert_reads_back(graph::to_training(forward, *tests::any_training()));
}

RC_GTEST_PROP(GraphJsonProperty, AnyLayerReadsBackToTheByte, ()) {
  graph::Model model;
  model.name = "model";
  model.sequence = 1;
  model.layers = {*tests::any_layer()};
  model.layers[0].repeat = *rc::gen::inRange<std::int64_t>(1, 1000);
  model.parameters = graph::summarise(model).parameters;
  assert_reads_back(model);
  // Of constants alone there is nothing to train; fused operators without a backward pass are then
  // taken for a forward graph that cannot be differentiated.
  const graph::Model trained = graph::to_training(model, *tests::any_training());
  RC_PRE(graph::is_training(trained));
  assert_reads_back(trained);
}

// One character of a good file gone: read or refused, never an exception.
RC_GTEST_PROP(GraphJsonProperty, ABrokenFileIsRefusedNotThrown, ()) {
  graph::Model model;
  model.name = "model";
  model.layers = {*tests::any_layer(4)};
  model.sequence = 1;
  std::string text = write_graph(model);
  text.erase(*rc::gen::inRange<std::size_t>(0, text.size()), 1);
  Diagnostics diagnostics;
  const std::optional<Value> document = parse_document(text, "test.json", diagnostics);
  const bool is_read = document && read_graph(*document, "", diagnostics).has_value();
  RC_ASSERT(is_read != diagnostics.has_errors());
}

}  // namespace
}  // namespace phaze::io
