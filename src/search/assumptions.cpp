#include "search/assumptions.h"

#include <array>

#include "base/names.h"

namespace phaze::search {
namespace {

constexpr std::array kNames = {
    NameOf<Assumptions>{Assumptions::kModern, "modern"},
    NameOf<Assumptions>{Assumptions::kPhaze2024, "phaze2024"},
    NameOf<Assumptions>{Assumptions::kPhaze2024Released, "phaze2024-released"},
};
static_assert(is_in_order(kNames) && kNames.size() == kAssumptions);

}  // namespace

std::string_view to_string(Assumptions assumptions) { return name_in(kNames, assumptions); }
std::optional<Assumptions> parse_assumptions(std::string_view name) {
  return find_in(kNames, name);
}

bool is_original(Assumptions assumptions) { return assumptions != Assumptions::kModern; }

double communication_divisor(Assumptions assumptions) {
  return assumptions == Assumptions::kPhaze2024Released ? 1000 : 1;
}

hw::Cluster with_assumed_links(hw::Cluster cluster, Assumptions assumptions) {
  const double divisor = communication_divisor(assumptions);
  for (hw::Level& level : cluster.levels) {
    level.bandwidth = level.bandwidth * divisor;
    level.latency = level.latency * (1 / divisor);
  }
  return cluster;
}

bool has_weight_gradients(Assumptions assumptions) {
  return assumptions != Assumptions::kPhaze2024Released;
}

bool has_exclusive_wide(Assumptions assumptions) { return is_original(assumptions); }

std::int64_t default_devices(Assumptions) { return 1024; }

std::int64_t default_global_batch(Assumptions assumptions) {
  return is_original(assumptions) ? 4096 : 2048;
}

}  // namespace phaze::search
