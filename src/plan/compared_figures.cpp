#include "plan/compared_figures.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "hw/figures.h"

namespace phaze::plan {
namespace {

constexpr std::int64_t kAll = std::numeric_limits<std::int64_t>::max();

// How many devices each level joins, of both clusters, in order: 8 and all of a DGX machine beside
// a flat network. What joins groups of that size is comparable, whatever the number of levels.
std::vector<std::int64_t> reaches_of(const hw::Cluster& a, const hw::Cluster& b) {
  std::vector<std::int64_t> reaches = {kAll};
  for (const hw::Cluster* cluster : {&a, &b}) {
    std::int64_t reach = 1;
    for (const hw::Level& level : cluster->levels) {
      if (!level.members || *level.members > kAll / reach || &level == &cluster->levels.back()) {
        break;
      }
      reach *= *level.members;
      reaches.push_back(reach);
    }
  }
  std::ranges::sort(reaches);
  reaches.erase(std::unique(reaches.begin(), reaches.end()), reaches.end());
  return reaches;
}

// The level that a group of so many devices needs, neighbours taken.
const hw::Level& level_at(const hw::Cluster& cluster, std::int64_t reach) {
  std::int64_t joined = 1;
  for (const hw::Level& level : cluster.levels) {
    if (!level.members || *level.members > kAll / joined) {
      return level;
    }
    joined *= *level.members;
    if (joined >= reach) {
      return level;
    }
  }
  return cluster.levels.back();
}

}  // namespace

std::vector<ComparedFigure> chip_figures(const hw::Chip& a, const hw::Chip& b) {
  const auto figures_a = hw::compute_figures(a, hw::Technology::kModern);
  const auto figures_b = hw::compute_figures(b, hw::Technology::kModern);
  const auto peak = [](const hw::Chip& chip) {
    return hw::peak_flops(chip, hw::NumberFormat::kBf16).value();
  };
  std::vector<ComparedFigure> all = {
      {"peak_bf16_flops", "peak bf16", "FLOP/s", peak(a), peak(b)},
      {"peak_vector_flops", "peak vector", "FLOP/s", hw::peak_vector_flops(a).value(),
       hw::peak_vector_flops(b).value()},
      {"hbm_bytes", "HBM", "B", static_cast<double>(hw::hbm_capacity(a).value()),
       static_cast<double>(hw::hbm_capacity(b).value())},
      {"hbm_bytes_per_s", "HBM bandwidth", "B/s", hw::hbm_bandwidth(a).value(),
       hw::hbm_bandwidth(b).value()},
      {"link_bytes_per_s", "links, one way", "B/s", hw::link_bandwidth(a).value(),
       hw::link_bandwidth(b).value()},
      {"global_buffer_bytes", "global buffer", "B", static_cast<double>(a.global.size.value()),
       static_cast<double>(b.global.size.value())},
      {"clock_hz", "clock", "Hz", a.clock.value(), b.clock.value()}};
  if (figures_a && figures_b) {
    all.push_back({"area_mm2", "area", "mm2", figures_a->area.value(), figures_b->area.value()});
    all.push_back({"tdp_w", "design power", "W", figures_a->tdp.value(), figures_b->tdp.value()});
    all.push_back({"build_cost_usd", "cost to build", "USD", hw::total(figures_a->cost).value(),
                   hw::total(figures_b->cost).value()});
  }
  return all;
}

std::vector<ComparedFigure> cluster_figures(const hw::Cluster& a, const hw::Cluster& b) {
  std::vector<ComparedFigure> all;
  const std::vector<std::int64_t> reaches = reaches_of(a, b);
  for (std::size_t i = 0; i < reaches.size(); ++i) {
    const std::int64_t reach = reaches[i];
    const hw::Level& x = level_at(a, reach);
    const hw::Level& y = level_at(b, reach);
    const std::string size = reach == kAll ? (i == 0 ? "all" : "more") : with_thousands(reach);
    const std::string where =
        " among " + size + " (" + (x.name == y.name ? x.name : x.name + ", " + y.name) + ")";
    const std::string key = reach == kAll ? "all" : "group_" + std::to_string(reach);
    all.push_back({key + "_bytes_per_s", "bandwidth" + where, "B/s", x.bandwidth.value(),
                   y.bandwidth.value()});
    all.push_back(
        {key + "_latency_s", "latency" + where, "s", x.latency.value(), y.latency.value()});
  }
  return all;
}

std::vector<ComparedFigure> plan_figures(const PlanRecord& a, const PlanRecord& b) {
  const auto tokens = [](const PlanRecord& record) {
    return throughput(record.plan) * static_cast<double>(record.sequence);
  };
  std::vector<ComparedFigure> all = {
      {"tokens_per_s", "throughput", "tokens/s", tokens(a), tokens(b)},
      {"devices", "devices", "", static_cast<double>(a.plan.devices),
       static_cast<double>(b.plan.devices)},
      {"peak_memory_bytes", "peak memory", "B", static_cast<double>(peak_memory(a.plan).value()),
       static_cast<double>(peak_memory(b.plan).value())}};
  if (a.figures && b.figures) {
    all.push_back({"mfu_percent", "MFU in %", "", 100 * a.figures->mfu, 100 * b.figures->mfu});
  }
  return all;
}

}  // namespace phaze::plan
