#include "cli/layer_schedules.h"

#include "cli/interrupt.h"
#include "search/ilp_scheduling.h"

namespace phaze::cli {

std::optional<search::Solver> read_layer_schedules(const std::string& option,
                                                   const std::string& name, double time_limit_s,
                                                   Diagnostics& diagnostics) {
  const Location where{"command line", 0, 0, option};
  if (name == "exact") {
    return search::Solver();
  }
  if (name != "ilp") {
    diagnostics.error(where, "expected exact or ilp, found \"" + name + "\"");
    return std::nullopt;
  }
  if (!schedule::has_ilp()) {
    diagnostics.error(where, "this build has no solver of integer programs (CBC)");
    return std::nullopt;
  }
  schedule::IlpOptions options;
  options.time_limit = Seconds(time_limit_s);
  options.is_cancelled = was_interrupted;
  return search::make_ilp_solver(options);
}

}  // namespace phaze::cli
