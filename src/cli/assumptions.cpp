#include "cli/assumptions.h"

#include <algorithm>

#include "base/check.h"

namespace phaze::cli {

std::string_view to_string(Assumptions assumptions) {
  switch (assumptions) {
    case Assumptions::kModern:
      return "modern";
    case Assumptions::kPhaze2024:
      return "phaze2024";
  }
  CHECK(false, "unknown assumptions");
}

std::optional<Assumptions> parse_assumptions(std::string_view name) {
  for (const Assumptions each : {Assumptions::kModern, Assumptions::kPhaze2024}) {
    if (to_string(each) == name) {
      return each;
    }
  }
  return std::nullopt;
}

void assume(Assumptions assumptions, ModelOptions& options) {
  if (assumptions == Assumptions::kModern) {
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

bool exclusive_wide(Assumptions assumptions) { return assumptions == Assumptions::kPhaze2024; }

std::string default_cluster(Assumptions assumptions) {
  return assumptions == Assumptions::kPhaze2024 ? "flat" : "dgx-h100";
}

std::vector<std::string> chip_settings(Assumptions assumptions) {
  if (assumptions == Assumptions::kModern) {
    return {};
  }
  // Every chip reaches its peaks.
  return {"sustained.matrix=1", "sustained.core=1", "sustained.vector=1", "sustained.hbm=1"};
}

}  // namespace phaze::cli
