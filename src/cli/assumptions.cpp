#include "cli/assumptions.h"

#include <algorithm>

namespace phaze::cli {

void assume(Assumptions assumptions, ModelOptions& options) {
  if (!search::is_original(assumptions)) {
    return;  // the options' own defaults
  }
  const auto set = [&options](const char* name, std::string& option, const char* value) {
    if (std::ranges::find(options.given, name) == options.given.end()) {
      option = value;
    }
  };
  set("--attention", options.attention, "eager");
  set("--execution", options.execution, "eager");
  set("--precision", options.precision, "bf16");
  set("--optimizer", options.optimizer, "sgd");
}

bool exclusive_wide(Assumptions assumptions) { return search::has_exclusive_wide(assumptions); }

std::string default_cluster(Assumptions assumptions) {
  return search::is_original(assumptions) ? "flat" : "dgx-h100";
}

std::vector<std::string> chip_settings(Assumptions assumptions) {
  if (!search::is_original(assumptions)) {
    return {};
  }
  // Every chip reaches its peaks.
  return {"sustained.matrix=1", "sustained.core=1", "sustained.vector=1", "sustained.hbm=1",
          "sustained.step=1"};
}

}  // namespace phaze::cli
