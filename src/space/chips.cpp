#include "space/chips.h"

#include <algorithm>

#include "base/check.h"
#include "hw/memory.h"

namespace phaze::space {
namespace {

// The rules for what a chip file leaves out.
double rule_of(const hw::Chip& chip, Field field) {
  switch (field) {
    case Field::kTensorLocalBuffer:
      return static_cast<double>(
          hw::default_local_buffer(chip.tensor.rows * chip.tensor.columns).value());
    case Field::kTensorLocalBytesPerCycle:
      return hw::default_local_bytes_per_cycle(chip.tensor.rows, chip.tensor.columns);
    case Field::kTensorPortBytesPerCycle:
      return hw::default_port_bytes_per_cycle(chip.tensor.rows, chip.tensor.columns);
    case Field::kVectorLocalBuffer:
      return static_cast<double>(hw::default_local_buffer(chip.vector.lanes).value());
    case Field::kGlobalBytesPerCycle:
      return hw::default_global_bytes_per_cycle(chip.tensor);
    case Field::kHbmStackBandwidth:
      return hw::most_stack_bandwidth(chip.hbm.generation).value();
    default:
      CHECK(false, "a field without a rule");
  }
}

std::vector<std::size_t> digits_of(const Space& space, std::int64_t index) {
  CHECK(index >= 0 && index < combinations(space), "an index of the space");
  std::vector<std::size_t> digits(space.axes.size());
  for (std::size_t i = digits.size(); i-- > 0;) {
    const auto size = static_cast<std::int64_t>(space.axes[i].values.size());
    digits[i] = static_cast<std::size_t>(index % size);
    index /= size;
  }
  return digits;
}

}  // namespace

ChipMaker::ChipMaker(const Space& space)
    : space_(space), base_(space.base), digits_(space.axes.size(), 0) {
  if (space.technology == hw::Technology::kPhaze22) {
    base_.node_nm = 22;
    base_.tensor.fabricated = base_.tensor.count;
    base_.vector.fabricated = base_.vector.count;
    base_.global.fabricated = base_.global.size;
  }
  base_.published_area.reset();
  base_.published_tdp.reset();
  chip_ = base_;
  for (std::size_t i = 0; i < kFields; ++i) {
    const auto field = static_cast<Field>(i);
    const auto axis = std::ranges::find(space.axes, field, &Axis::field);
    const auto position = [&space](auto found) {
      return static_cast<std::size_t>(found - space.axes.begin());
    };
    const Tie* tie = find_tie(space, field);
    if (axis != space.axes.end()) {
      steps_.push_back({field, TieKind::kMultiple, position(axis), 1});
    } else if (tie != nullptr && tie->kind == TieKind::kMultiple) {
      const auto of = std::ranges::find(space.axes, tie->of, &Axis::field);
      CHECK(of != space.axes.end(), "readers tie fields to axes");
      steps_.push_back({field, TieKind::kMultiple, position(of), tie->factor});
    } else if (follows_rule(space, field)) {
      steps_.push_back({field, TieKind::kRule, 0, 1});
    }
  }
}

void ChipMaker::move_to(std::int64_t index) {
  if (index != index_ + 1 || index_ < 0) {
    digits_ = digits_of(space_, index);
  } else {
    for (std::size_t i = digits_.size(); i-- > 0;) {
      if (++digits_[i] < space_.axes[i].values.size()) {
        break;
      }
      digits_[i] = 0;
    }
  }
  index_ = index;
}

const hw::Chip& ChipMaker::at(std::int64_t index) {
  move_to(index);
  for (const Step& step : steps_) {
    const double value = step.kind == TieKind::kRule
                             ? rule_of(chip_, step.field)
                             : step.factor * space_.axes[step.axis].values[digits_[step.axis]];
    set_field(chip_, step.field, value, base_);
  }
  return chip_;
}

hw::Chip make_chip(const Space& space, std::int64_t index) {
  hw::Chip chip = ChipMaker(space).at(index);
  chip.name = chip_id(space, index);
  chip.title.clear();
  chip.source.clear();
  return chip;
}

std::vector<FieldValue> field_values(const Space& space, std::int64_t index) {
  const std::vector<std::size_t> digits = digits_of(space, index);
  std::vector<FieldValue> values;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    values.push_back({space.axes[i].field, space.axes[i].values[digits[i]]});
  }
  return values;
}

std::string chip_id(const Space& space, std::int64_t index) {
  const std::vector<FieldValue> values = field_values(space, index);
  std::string id;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (space.axes[i].values.size() > 1) {
      id += (id.empty() ? "" : "-") + value_code(values[i].field, values[i].value);
    }
  }
  return id.empty() ? space.name : id;
}

std::vector<Bytes> hbm_capacities(const Space& space, const hw::Chip& chip) {
  const TrainingChoices& choices = space.training;
  if (!choices.hbm_capacities.empty()) {
    return choices.hbm_capacities;
  }
  std::vector<Bytes> sizes;
  for (const Bytes each : choices.hbm_stack_capacities) {
    if (each <= hw::most_stack_capacity(chip.hbm.generation)) {
      sizes.push_back(each * chip.hbm.stacks);
    }
  }
  if (choices.hbm_stack_capacities.empty()) {
    sizes.push_back(hw::hbm_capacity(chip));
  }
  return sizes;
}

}  // namespace phaze::space
