#include "place/original.h"

#include <utility>

#include "place/original_chain.h"
#include "place/original_cuts.h"
#include "place/original_degrees.h"
#include "place/original_fixed.h"
#include "place/original_stages.h"

namespace phaze::place {

plan::OriginalAnswer solve_original(const plan::OriginalInstance& instance,
                                    const OriginalOptions& options) {
  plan::OriginalAnswer answer;
  const original::DataDegrees degrees(instance);
  for (const plan::OriginalGraph& graph : instance.graphs) {
    const original::StageTable table(instance, graph);
    const original::ChainOutcome outcome =
        original::search_chain(instance, graph, table, degrees, options);
    answer.work += outcome.work;
    answer.widths.push_back({graph.width, std::nullopt});
    if (!outcome.best) {
      continue;
    }
    plan::OriginalPlacement placement = original::evaluate_placement(
        instance, graph, original::cut_chain(table, graph.width, *outcome.best),
        outcome.best->degree);
    answer.widths.back().time = placement.time;
    if (!answer.best || placement.time < answer.best->time) {
      answer.best = std::move(placement);
    }
  }
  if (instance.fixed) {
    answer.fixed = original::evaluate_fixed(instance, *instance.fixed);
  }
  return answer;
}

}  // namespace phaze::place
