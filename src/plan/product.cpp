#include "plan/product.h"

#include "base/check.h"

namespace phaze::plan {

std::string_view to_string(Dataflow dataflow) {
  switch (dataflow) {
    case Dataflow::kOutput:
      return "output";
    case Dataflow::kOutputTransposed:
      return "output_transposed";
    case Dataflow::kWeight:
      return "weight";
    case Dataflow::kInput:
      return "input";
  }
  CHECK(false, "unknown dataflow");
}

std::string_view to_string(Stationary stationary) {
  switch (stationary) {
    case Stationary::kC:
      return "c";
    case Stationary::kA:
      return "a";
    case Stationary::kB:
      return "b";
  }
  CHECK(false, "unknown operand");
}

std::string_view to_string(Bound bound) {
  switch (bound) {
    case Bound::kCompute:
      return "compute";
    case Bound::kPower:
      return "power";
    case Bound::kLocal:
      return "local_buffer";
    case Bound::kPort:
      return "core_port";
    case Bound::kGlobal:
      return "global_buffer";
    case Bound::kHbm:
      return "hbm";
    case Bound::kLaunch:
      return "launch";
    case Bound::kVector:
      return "vector";
    case Bound::kNetwork:
      return "network";
    case Bound::kNothing:
      return "nothing";
  }
  CHECK(false, "unknown bound");
}

}  // namespace phaze::plan
