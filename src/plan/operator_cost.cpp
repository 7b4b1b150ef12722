#include "plan/operator_cost.h"

#include "base/check.h"

namespace phaze::plan {

std::string_view to_string(CostSource source) {
  switch (source) {
    case CostSource::kModel:
      return "model";
    case CostSource::kExact:
      return "measured";
    case CostSource::kInterpolated:
      return "interpolated";
  }
  CHECK(false, "unknown source");
}

}  // namespace phaze::plan
