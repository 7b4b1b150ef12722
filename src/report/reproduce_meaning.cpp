#include <cmath>

#include "base/text.h"
#include "report/reproduce_sections.h"

namespace phaze::report {
namespace {

using plan::ReproducedColumn;
using plan::ReproducedModel;
using plan::ReproducedRun;

// The mean of one run over another, less 1, and the model where it is largest.
struct Difference {
  double mean = 0, largest = 0;
  std::string model;
  std::int64_t models = 0;
};

Difference compare(const ReproducedColumn& column, ReproducedRun more, ReproducedRun less) {
  Difference difference;
  double logarithms = 0;
  for (const ReproducedModel& model : column.models) {
    const auto a = plan::throughput_of(model.run(more)), b = plan::throughput_of(model.run(less));
    if (!a || !b) {
      continue;
    }
    logarithms += std::log(*a / *b);
    ++difference.models;
    if (difference.model.empty() || *a / *b - 1 > difference.largest) {
      difference.largest = *a / *b - 1;
      difference.model = model.model;
    }
  }
  if (difference.models > 0) {
    difference.mean = std::exp(logarithms / static_cast<double>(difference.models)) - 1;
  }
  return difference;
}

// "12.3 %"
std::string tenths(double share) { return shortest(std::round(1000 * share) / 10) + " %"; }

std::string network_text(const plan::TrainingPlan& plan) {
  return "tensor width " + std::to_string(plan.strategy.tensor) + " with " +
         percent_text(plan.parts.tensor.value() / plan.iteration.value()) +
         " of the iteration in tensor-parallel communication";
}

}  // namespace

ReproductionSection make_meaning(const ReproducedColumn& column) {
  ReproductionSection section;
  section.heading = column.name + ": what it says";
  const auto add = [&](const std::string& words, ReproducedRun more, ReproducedRun less) {
    const Difference difference = compare(column, more, less);
    if (difference.models > 0) {
      section.after.push_back(words + ": " + tenths(difference.mean) +
                              " in the geometric mean, most for " + difference.model + " (" +
                              tenths(difference.largest) + ").");
    }
  };
  add("Gain of a solved placement on the reference chip", ReproducedRun::kReferenceSolved,
      ReproducedRun::kReferenceExpert);
  add("Gain of an architecture-only chip, placed by experts", ReproducedRun::kArchitectureExpert,
      ReproducedRun::kReferenceExpert);
  add("Gain of searching chip and placement together, over an architecture-only chip with a solved "
      "placement",
      ReproducedRun::kOwn, ReproducedRun::kArchitectureSolved);
  add("Gain of a chip of its own over the common one", ReproducedRun::kOwn, ReproducedRun::kCommon);
  const ReproducedModel* most = nullptr;
  for (const ReproducedModel& model : column.models) {
    if (model.split && (most == nullptr || model.split->placement > most->split->placement)) {
      most = &model;
    }
  }
  if (most != nullptr) {
    section.after.push_back(
        "The expert's placement costs " + most->model + " most (" +
        times_text(most->split->placement) +
        "x on the reference chip): " + network_text(*most->run(ReproducedRun::kReferenceExpert)) +
        "; solved: " + network_text(*most->run(ReproducedRun::kReferenceSolved)) + ".");
  }
  return section;
}

ReproductionSection make_limits(const plan::Reproduction& all) {
  ReproductionSection section;
  section.heading = "What this is not";
  section.after = {
      "The paper's own tables are not at hand: its averages and findings are those of its authors' "
      "slides, and single models cannot be held against it.",
      "Operator costs are ours in every column. The original's mapper has rates per chip, so that "
      "more cores never help there.",
      "Layer times come from schedules that are searched to a limit; chips and plans are proved "
      "best for these times.",
      "The common chip has the highest mean of throughputs over the reference with solved "
      "placement, as in `phaze search`; the original's has the highest mean throughput.",
      "The original knows one link for everything. The tpuv4 column gives all links, those of the "
      "space's chips too, the bandwidth of one dimension of the torus, without latency; the torus "
      "itself is not priced.",
      "What kernels sustain on a TPU v4 was not measured: in the modern column the reference and "
      "the space's chips are given the H100's shares of the inner loop and of HBM, and the torus "
      "those of a later one. Areas and powers are those of our model (551 mm2 and 239 W for a chip "
      "of 600 mm2 and, at most, 192 W measured)."};
  for (const ReproducedColumn& column : all.columns) {
    if (column.reference.area_share > 1 + 1e-9) {
      section.after.push_back("The area model puts the reference of " + column.name + " at " +
                              percent_text(column.reference.area_share) +
                              " of the budget that the space's chips stay within.");
    }
  }
  constexpr std::size_t kColumns = 4, kModels = 9;
  const std::size_t models = all.columns.front().models.size();
  if (all.columns.size() < kColumns || models < kModels) {
    section.after.push_back("This run has " + std::to_string(all.columns.size()) +
                            " of four columns and " + std::to_string(models) +
                            " of the paper's nine models.");
  }
  return section;
}

}  // namespace phaze::report
