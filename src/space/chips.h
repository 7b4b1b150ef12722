#pragma once
// The chips of a space by index: 0 to combinations - 1, in the mixed-radix order of the axes, the
// last one fastest. A chip is made by setting fields, never through a file.

#include <cstdint>
#include <string>
#include <vector>

#include "space/space.h"

namespace phaze::space {

// Makes one chip after another in one place: millions a second. The space must stay.
class ChipMaker {
 public:
  explicit ChipMaker(const Space& space);
  explicit ChipMaker(Space&& space) = delete;

  // The chip at an index, without a name of its own; it stays until the next call. Indices in
  // order are the fastest.
  const hw::Chip& at(std::int64_t index);
  // The position of each axis's value at the last index.
  const std::vector<std::size_t>& digits() const { return digits_; }

 private:
  struct Step {
    Field field;
    TieKind kind;
    std::size_t axis;  // of an axis or a multiple of one
    double factor;
  };

  void move_to(std::int64_t index);

  const Space& space_;
  hw::Chip base_;
  hw::Chip chip_;
  std::vector<Step> steps_;
  std::vector<std::size_t> digits_;
  std::int64_t index_ = -1;
};

// One chip, with its id as name.
hw::Chip make_chip(const Space& space, std::int64_t index);

struct FieldValue {
  Field field = Field::kTensorCount;
  double value = 0;
};
// What the axes give the chip at an index, in their order.
std::vector<FieldValue> field_values(const Space& space, std::int64_t index);

// Short, the same whatever other values the axes have: "t8-v2-c128-r128-g128M". Axes of one value
// are left out.
std::string chip_id(const Space& space, std::int64_t index);

// The sizes of memory that a chip is tried with, ascending: those that its stacks can have.
std::vector<Bytes> hbm_capacities(const Space& space, const hw::Chip& chip);

}  // namespace phaze::space
