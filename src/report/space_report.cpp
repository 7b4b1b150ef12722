#include "report/space_report.h"

#include "base/text.h"
#include "report/table.h"
#include "space/monotone.h"

namespace phaze::report {
namespace {

// "1 to 4096 (13)" or "3".
std::string range_text(const space::Axis& axis) {
  const std::string first = space::value_text(axis.field, axis.values.front());
  return axis.values.size() == 1
             ? first
             : first + " to " + space::value_text(axis.field, axis.values.back());
}

template <class T, class Text>
std::string joined(const std::vector<T>& items, const Text& text) {
  std::string list;
  for (const T& item : items) {
    list += (list.empty() ? "" : ", ") + std::string(text(item));
  }
  return list;
}

std::string training_text(const space::Space& space) {
  const space::TrainingChoices& t = space.training;
  const auto number = [](std::int64_t value) { return std::to_string(value); };
  const auto size = [](Bytes bytes) {
    return space::value_text(space::Field::kGlobalSize, static_cast<double>(bytes.value()));
  };
  std::string text = "micro-batches " + joined(t.microbatches, number) + "; recompute " +
                     joined(t.recompute, [](space::Recompute r) { return to_string(r); }) +
                     "; tensor widths " + joined(t.tensor_widths, number) + "; HBM ";
  if (!t.hbm_capacities.empty()) {
    return text + joined(t.hbm_capacities, size);
  }
  return text + (t.hbm_stack_capacities.empty()
                     ? size(hw::hbm_capacity(space.base))
                     : joined(t.hbm_stack_capacities, size) + " a stack");
}

}  // namespace

std::string space_count_text(const space::Space& space, const space::SpaceCount& count) {
  std::string text = printable(space.name) +
                     (space.title.empty() ? "" : "   " + printable(space.title)) + "\n" +
                     "technology " + std::string(hw::to_string(space.technology)) + ", base chip " +
                     printable(space.base.name) + "\n\n";
  Table sizes({{"", Align::kLeft}, {"chips", Align::kRight}});
  sizes.add_row({"all combinations", with_thousands(count.combinations)});
  for (std::size_t i = 0; i < space::kLimits; ++i) {
    if (count.removed[i] > 0) {
      sizes.add_row({"- " + std::string(space::described(static_cast<space::Limit>(i))),
                     with_thousands(count.removed[i])});
    }
  }
  sizes.add_rule();
  sizes.add_row({"within filters and budgets", with_thousands(count.chips)});
  text += sizes.to_string(2) + "\n";
  Table axes({{"axis", Align::kLeft},
              {"values", Align::kRight},
              {"range", Align::kLeft},
              {"more is never slower", Align::kLeft}});
  for (const space::Axis& axis : space.axes) {
    const space::Growth growth = space::growth_of(space, axis);
    axes.add_row({std::string(space::traits(axis.field).path), std::to_string(axis.values.size()),
                  range_text(axis), growth.never_slower ? "yes" : "no: " + growth.reason});
  }
  text += axes.to_string(2) + "\n";
  return text + "  each with " + training_text(space) + "\n";
}

}  // namespace phaze::report
