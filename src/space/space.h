#pragma once
// A space of chips as plain data: what varies, what follows, what is left out, and the choices of
// training that every chip is tried with. Formats: docs/formats.md.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hw/figures.h"
#include "space/field.h"

namespace phaze::space {

struct Axis {
  Field field = Field::kTensorCount;
  std::vector<double> values;  // at least one, ascending
};

// A field that follows: a multiple of an axis, the rule for what a chip file leaves out
// (docs/models.md 8.1), or the base chip's value where the rule would hold otherwise.
enum class TieKind { kMultiple, kRule, kBase };
struct Tie {
  Field field = Field::kVectorLanes;
  TieKind kind = TieKind::kRule;
  double factor = 1;                 // of a multiple
  Field of = Field::kTensorColumns;  // an axis; of a multiple
};

enum class Comparison { kBelow, kAtMost, kEqual, kAtLeast, kAbove };
std::string_view to_string(Comparison comparison);

// Chips for which it does not hold are left out.
struct Filter {
  Field left = Field::kTensorRows;
  Comparison comparison = Comparison::kAtMost;
  std::optional<Field> right;  // then `value` is its factor
  double value = 1;
};

// The original leaves out chips that use little of the area, but for those with a single core of a
// kind.
struct LeastArea {
  double share = 0;               // of the area budget
  std::vector<Field> unless_one;  // none of these is 1
};

struct Budgets {
  std::optional<SquareMillimetres> area;  // of all dies
  std::optional<LeastArea> least_area;
  std::optional<Watts> power;       // design power
  std::optional<Dollars> die_cost;  // of all logic dies
};

enum class Recompute { kNone, kSelective, kFull };
std::string_view to_string(Recompute recompute);
std::optional<Recompute> parse_recompute(std::string_view name);

// What every chip is tried with. HBM sizes share all but the limit of memory.
struct TrainingChoices {
  std::vector<std::int64_t> microbatches;
  std::vector<Recompute> recompute;
  std::vector<std::int64_t> tensor_widths;
  std::vector<Bytes> hbm_capacities;        // of all stacks; or
  std::vector<Bytes> hbm_stack_capacities;  // of each. Neither: the base chip's
};

struct Space {
  std::string name, title, source;
  hw::Chip base;
  hw::Technology technology = hw::Technology::kModern;
  std::vector<Axis> axes;  // the first varies slowest
  std::vector<Tie> ties;
  std::vector<Filter> filters;
  Budgets budgets;
  TrainingChoices training;
};

// Chips before filters and budgets: the product of the axes' sizes.
std::int64_t combinations(const Space& space);

const Axis* find_axis(const Space& space, Field field);
const Tie* find_tie(const Space& space, Field field);

// Does a field follow the rule for what a chip file leaves out? Where the rows or columns of tensor
// cores vary, their buffers and ports and the global buffer's bandwidth do, where lanes vary, the
// vector cores' buffers, where generations of HBM vary, their bandwidth: unless they are axes or
// tied otherwise.
bool follows_rule(const Space& space, Field field);

}  // namespace phaze::space
