// Peak memory of any model.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "graph/memory.h"
#include "graph/step_program.h"
#include "graph/summary.h"
#include "graph/training.h"
#include "support/configs.h"
#include "support/generators.h"

namespace phaze::models {
namespace {

using graph::Allocation;
using graph::MemoryOptions;
using graph::Model;
using graph::PeakMemory;
using graph::TrainingOptions;

PeakMemory peak_of(const Model& model, Allocation allocation = Allocation::kExact) {
  MemoryOptions options;
  options.workspace = Bytes();
  options.allocation = allocation;
  return graph::compute_peak_memory(model, options);
}

// What is kept when the forward pass is over.
Bytes saved_of(const Model& model) {
  graph::TensorSizes sizes(model, Allocation::kExact);
  const graph::StepProgram program = graph::write_step_program(model, sizes);
  Bytes saved;
  for (const graph::Block& block : program.blocks) {
    for (const graph::Storage& storage : program.storages) {
      const bool is_here = storage.made >= block.begin && storage.made < block.end;
      if (is_here && storage.made < program.backward_begin &&
          storage.last >= program.backward_begin) {
        saved += storage.bytes * block.times;
      }
    }
  }
  return saved;
}

RC_GTEST_PROP(PeakMemoryProperty, HoldsWhatIsThereAllTheTime, ()) {
  const ModelSpec spec = tests::spec_of(*tests::any_config());
  const TrainingOptions training = *tests::any_training();
  BuildOptions options = *tests::options_for(spec);
  options.precision = training.precision;
  const Model model = graph::to_training(tests::build(spec, options), training);
  const PeakMemory peak = peak_of(model);
  const std::int64_t parameters = graph::summarise(model).parameters;
  const std::int64_t weights = parameters * bytes_per_element(weight_type(training.precision));
  const std::int64_t gradients = parameters * bytes_per_element(gradient_type(training.precision));
  const Bytes all = state_per_parameter(training.precision, training.optimizer) * parameters;
  RC_ASSERT(peak.parameters == Bytes(weights));
  RC_ASSERT(peak.optimizer_states == all - Bytes(weights + gradients));
  RC_ASSERT(peak.total >= peak.parameters + peak.optimizer_states);
  RC_ASSERT(peak.total == peak.parameters + peak.gradients + peak.optimizer_states +
                              peak.saved_activations + peak.constants + peak.transient);
}

RC_GTEST_PROP(PeakMemoryProperty, OfBlocksIsNoLessThanOfBytes, ()) {
  const ModelSpec spec = tests::spec_of(*tests::any_config());
  const Model model =
      graph::to_training(tests::build(spec, *tests::options_for(spec)), *tests::any_training());
  RC_ASSERT(peak_of(model, Allocation::kCaching).total >= peak_of(model).total);
}

RC_GTEST_PROP(PeakMemoryProperty, SavesNoMoreWhenAllRunsAgain, ()) {
  const ModelSpec spec = tests::spec_of(*tests::any_config());
  const Model forward = tests::build(spec, *tests::options_for(spec));
  TrainingOptions training = *tests::any_training();
  training.recompute = {};
  const Model none = graph::to_training(forward, training);
  training.recompute.full = true;
  const Model full = graph::to_training(forward, training);
  RC_ASSERT(saved_of(full) <= saved_of(none));
  RC_ASSERT(peak_of(full).saved_activations <= saved_of(full));
}

RC_GTEST_PROP(PeakMemoryProperty, GrowsWithTheMicrobatch, ()) {
  const ModelSpec spec = tests::spec_of(*tests::any_config());
  BuildOptions options = *tests::options_for(spec);
  const TrainingOptions training = *tests::any_training();
  const PeakMemory small = peak_of(graph::to_training(tests::build(spec, options), training));
  ++options.microbatch;
  const PeakMemory large = peak_of(graph::to_training(tests::build(spec, options), training));
  RC_ASSERT(small.total <= large.total);
}

}  // namespace
}  // namespace phaze::models
