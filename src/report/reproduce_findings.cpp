#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "report/plan_report.h"
#include "report/reproduce_sections.h"

namespace phaze::report {
namespace {

using plan::ReproducedColumn;
using plan::ReproducedModel;

// A model's own chips, and the common one.
std::vector<const plan::ReproducedChip*> chips_of(const ReproducedColumn& column) {
  std::vector<const plan::ReproducedChip*> chips;
  for (const ReproducedModel& model : column.models) {
    if (model.own) {
      chips.push_back(&*model.own);
    }
  }
  if (column.common) {
    chips.push_back(&*column.common);
  }
  return chips;
}

std::string count_text(std::int64_t count, std::size_t of) {
  return std::to_string(count) + " of " + std::to_string(of);
}

std::string verdict(bool holds) { return holds ? "holds" : "does not hold"; }

std::string area_finding(const plan::UndominatedChips& undominated,
                         const std::vector<const plan::ReproducedChip*>& chips) {
  double sum = 0, least = 1, most = 0;
  for (const plan::ReproducedChip* chip : chips) {
    sum += chip->area_share;
    least = std::min(least, chip->area_share);
    most = std::max(most, chip->area_share);
  }
  const double mean = sum / static_cast<double>(chips.size());
  constexpr double kNear = 0.05;
  return "91 % of the area is used: " + verdict(std::abs(mean - plan::kPaperAreaShare) <= kNear) +
         ", " + percent_text(mean) + " on average (" + percent_text(least) + " to " +
         percent_text(most) +
         "; called so within 5 points). Much of it is forced by the space: half of its " +
         with_thousands(undominated.chips) +
         " chips that no other one has no less of anything than use at least " +
         percent_text(undominated.median_area_share) + " of the area, all of them at least " +
         percent_text(undominated.least_area_share) + " (" + undominated.least_area_chip +
         "); less is used only where a smaller chip is as fast, which wins ties.";
}

std::string cores_finding(const ReproducedColumn& column,
                          const std::vector<const plan::ReproducedChip*>& chips) {
  const plan::UndominatedChips& undominated = column.space.undominated;
  const auto elements = [](const hw::Chip& chip) { return chip.tensor.rows * chip.tensor.columns; };
  const auto large = std::ranges::count_if(chips, [&](const plan::ReproducedChip* chip) {
    return elements(chip->chip) >= elements(column.reference.chip);
  });
  return "Large tensor cores: " + verdict(2 * large > static_cast<std::ptrdiff_t>(chips.size())) +
         ", " + count_text(large, chips.size()) + " chips have cores of at least the reference's " +
         with_thousands(elements(column.reference.chip)) + " elements; of the undominated chips " +
         percent_text(static_cast<double>(undominated.large_cores) /
                      static_cast<double>(undominated.chips)) +
         " have. By area: undominated chips with such cores have up to " +
         with_thousands(undominated.most_elements_large) + " elements in all, others up to " +
         with_thousands(undominated.most_elements_small) +
         ". A core of r x c elements reads r + c operands for r c products, so that larger ones "
         "ask "
         "less of the buffers.";
}

std::string vectors_finding(const ReproducedColumn& column,
                            const std::vector<const plan::ReproducedChip*>& chips) {
  const plan::UndominatedChips& undominated = column.space.undominated;
  const auto lanes = [](const hw::Chip& chip) { return chip.vector.count * chip.vector.lanes; };
  const auto many = std::ranges::count_if(chips, [&](const plan::ReproducedChip* chip) {
    return chip->chip.vector.count > column.reference.chip.vector.count;
  });
  const auto [least, most] = std::ranges::minmax_element(
      chips, {}, [&](const plan::ReproducedChip* chip) { return lanes(chip->chip); });
  const auto [least_area, most_area] =
      std::ranges::minmax_element(chips, {}, &plan::ReproducedChip::vector_share);
  const double forced =
      static_cast<double>(undominated.many_vectors) / static_cast<double>(undominated.chips);
  return "Many vector cores: " + verdict(2 * many > static_cast<std::ptrdiff_t>(chips.size())) +
         ", " + count_text(many, chips.size()) + " chips have more than the reference's " +
         std::to_string(column.reference.chip.vector.count) + " (" +
         with_thousands(lanes((*least)->chip)) + " to " + with_thousands(lanes((*most)->chip)) +
         " lanes; the reference " + with_thousands(lanes(column.reference.chip)) +
         "); of the undominated chips " + percent_text(forced) +
         " have more than the space's base chip" +
         (forced > 0.9 ? ", so that the space forces nearly all of it" : "") +
         ". Lanes are cheap: vector cores take " + percent_text((*least_area)->vector_share) +
         " to " + percent_text((*most_area)->vector_share) +
         " of these chips, and what is no matrix product runs on nothing else.";
}

std::string memory_finding(const ReproducedColumn& column,
                           const std::vector<const plan::ReproducedChip*>& chips) {
  if (column.space.memories.size() == 1) {
    return "Less than 64 GB of HBM: not asked here, all chips have " +
           gibibytes(column.space.memories.front()) + ".";
  }
  constexpr std::int64_t kSixtyFour = std::int64_t{64} << 30;
  const auto little = std::ranges::count_if(chips, [&](const plan::ReproducedChip* chip) {
    return hw::hbm_capacity(chip->chip).value() < kSixtyFour;
  });
  return "Less than 64 GB of HBM: " +
         verdict(2 * little > static_cast<std::ptrdiff_t>(chips.size())) + ", " +
         count_text(little, chips.size()) +
         " chips have less. HBM has no area in the space and its capacity only limits plans; of "
         "equal throughputs the smallest HBM wins here, and " +
         (column.common
              ? "the common chip needs " + gibibytes(hw::hbm_capacity(column.common->chip)) + "."
              : "there is no common chip.");
}

std::string average_finding(const ReproducedColumn& column) {
  const auto own = plan::average(column, plan::ReproducedRun::kOwn);
  const auto common = plan::average(column, plan::ReproducedRun::kCommon);
  if (!own || !common) {
    return "3.6x for own chips, 2.9x for the common one: no figure here.";
  }
  return "3.6x for own chips, 2.9x for the common one (the paper's averages): here " +
         times_text(own->arithmetic) + "x and " + times_text(common->arithmetic) +
         "x. Operator costs are ours in every column: the original's mapper has rates per chip, so "
         "that more cores never help.";
}

}  // namespace

std::vector<std::string> find_findings(const ReproducedColumn& column) {
  const std::vector<const plan::ReproducedChip*> chips = chips_of(column);
  std::vector<std::string> lines = {average_finding(column)};
  if (chips.empty()) {
    return lines;
  }
  lines.push_back(area_finding(column.space.undominated, chips));
  lines.push_back(cores_finding(column, chips));
  lines.push_back(vectors_finding(column, chips));
  lines.push_back(memory_finding(column, chips));
  return lines;
}

}  // namespace phaze::report
