#include "plan/comparison.h"

namespace phaze::plan {

double tokens_of(const PlanRecord& record) {
  return static_cast<double>(record.plan.global_batch) * static_cast<double>(record.sequence);
}

const std::vector<NamedPart>& named_parts() {
  static const std::vector<NamedPart> parts = {
      {"compute_s", "compute", &IterationParts::compute},
      {"recompute_s", "recomputation", &IterationParts::recompute},
      {"tensor_s", "tensor", &IterationParts::tensor},
      {"pipeline_s", "pipeline", &IterationParts::pipeline},
      {"data_s", "data", &IterationParts::data},
      {"optimizer_s", "optimiser", &IterationParts::optimizer},
      {"bubble_s", "bubble", &IterationParts::bubble},
  };
  return parts;
}

}  // namespace phaze::plan
