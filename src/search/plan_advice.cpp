#include "search/plan_advice.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "base/text.h"
#include "hw/chip.h"
#include "place/planner.h"

namespace phaze::search {
namespace {

using Fits = std::function<bool(std::int64_t devices, Bytes memory)>;

// By doubling, then by halving the gap.
std::optional<Bytes> least_memory(const Fits& fits, std::int64_t devices, Bytes memory) {
  constexpr int kDoublings = 12, kHalvings = 7;
  Bytes low = memory, high = memory * 2;
  int i = 1;
  for (; i < kDoublings && !fits(devices, high); ++i) {
    low = high;
    high = high * 2;
  }
  if (i == kDoublings && !fits(devices, high)) {
    return std::nullopt;
  }
  for (int halving = 0; halving < kHalvings; ++halving) {
    const Bytes middle((low.value() + high.value()) / 2);
    (fits(devices, middle) ? high : low) = middle;
  }
  return high;
}

std::optional<std::int64_t> least_devices(const Fits& fits, std::int64_t devices, Bytes memory,
                                          std::int64_t most) {
  constexpr int kDoublings = 10;
  std::int64_t few = devices, many = devices;
  bool found = false;
  for (int i = 0; i < kDoublings && !found && many < most; ++i) {
    many = std::min(most, many * 2);
    found = fits(many, memory);
    few = found ? few : many;
  }
  if (!found) {
    return std::nullopt;
  }
  while (many - few > 1) {
    const std::int64_t middle = (few + many) / 2;
    (fits(middle, memory) ? many : few) = middle;
  }
  return many;
}

PlanNeeds find_needs(const PlanSetting& setting, const Fits& tried, const Stop& stop) {
  const Bytes memory = hw::hbm_capacity(setting.chip);
  bool is_stopped = false;
  const Fits fits = [&](std::int64_t devices, Bytes of_a_device) {
    is_stopped = is_stopped || (stop && stop());
    return !is_stopped && tried(devices, of_a_device);
  };
  const std::int64_t most =
      hw::device_count(setting.cluster).value_or(std::numeric_limits<std::int64_t>::max() / 4);
  const PlanNeeds needs{least_memory(fits, setting.devices, memory),
                        least_devices(fits, setting.devices, memory, most)};
  return is_stopped || (stop && stop()) ? PlanNeeds() : needs;
}

constexpr double kMore = 1.1;
// Gains below this are roundings of the search, not of a resource that binds.
constexpr double kLeastElasticity = 0.05;

// Of the levels of a network the one that matters most stands for all.
plan::PlanWhy conclude(std::vector<plan::Sensitivity> with, bool is_complete) {
  plan::PlanWhy why;
  why.is_complete = is_complete;
  std::vector<plan::Sensitivity> order = with;
  std::ranges::stable_sort(order, std::greater<>(), &plan::Sensitivity::elasticity);
  std::vector<std::string> seen;
  std::string binding, idle;
  for (const plan::Sensitivity& each : order) {
    if (std::ranges::find(seen, each.resource) != seen.end()) {
      continue;
    }
    seen.push_back(each.resource);
    if (each.elasticity >= kLeastElasticity) {
      why.binds.push_back(each.resource);
      const auto gain = static_cast<std::int64_t>(std::lround(each.elasticity * 100));
      binding += (binding.empty() ? "" : ", ") + each.name + " " + std::to_string(gain) + " %";
    } else {
      idle += (idle.empty() ? "" : ", ") + each.name;
    }
  }
  why.words = binding.empty() ? "nothing binds by itself"
                              : "binds: " + binding + " of what more of it would add at best";
  why.words += idle.empty() ? "" : "; does not: " + idle;
  if (!is_complete) {
    why.words = with.empty() ? "stopped before anything was tried" : why.words + "; stopped there";
  }
  why.with = std::move(with);
  return why;
}

}  // namespace

PlanNeeds find_needs(const PlanSetting& setting, const Stop& stop) {
  if (is_original(setting.assumptions)) {
    const OriginalChains chains = make_original_chains(setting);
    OriginalTerms terms = make_original_terms(setting);
    const auto fits = [&](std::int64_t devices, Bytes memory) {
      terms.devices = devices;
      terms.memory = memory;
      const OriginalPlanAnswer answer = solve_original_plan(chains.chains, terms);
      return answer.best && answer.best->plan.fits;
    };
    return find_needs(setting, fits, stop);
  }
  SettingCosts costs(setting);
  place::PlanProblem problem = make_plan_problem(setting);
  const auto fits = [&](std::int64_t devices, Bytes memory) {
    problem.devices = devices;
    problem.capacity = memory;
    place::PlannerOptions any;  // plan will do
    any.is_cancelled = [&stop](std::int64_t, Seconds best) {
      return std::isfinite(best.value()) || (stop && stop());
    };
    return !place::solve_plan(problem, costs.costs(), any).plans.empty();
  };
  return find_needs(setting, fits, stop);
}

plan::PlanWhy find_why(const PlanSetting& setting, Seconds best, const Stop& stop) {
  std::vector<plan::Sensitivity> all;
  bool is_complete = true;
  const auto with = [&](const std::string& resource, const std::string& name,
                        const std::string& what, double factor, const auto& change) {
    is_complete = is_complete && !(stop && stop());
    if (!is_complete) {
      return;
    }
    PlanSetting other = setting;
    change(other);
    PlanSearchOptions options;
    options.bounds_layers = false;
    options.is_cancelled = [&stop](std::int64_t, Seconds) { return stop && stop(); };
    const PlanAnswer answer = find_plan(other, options);
    if (!answer.is_complete) {
      is_complete = false;
      return;
    }
    plan::Sensitivity& added = all.emplace_back();
    added.resource = resource;
    added.name = name;
    added.what = what;
    added.factor = factor;
    if (answer.has_fitting()) {
      added.iteration = answer.plans.front().iteration;
      added.elasticity = (best.value() / added.iteration->value() - 1) / (factor - 1);
    }
  };
  with("memory", "memory", "10 % more memory", kMore, [](PlanSetting& o) {
    o.chip.hbm.stack_capacity = Bytes(o.chip.hbm.stack_capacity.value() * 11 / 10);
  });
  with("hbm_bandwidth", "HBM bandwidth", "10 % more HBM bandwidth", kMore,
       [](PlanSetting& o) { o.chip.hbm.stack_bandwidth = o.chip.hbm.stack_bandwidth * kMore; });
  // At its own voltage: faster cores and buffers, not the power that a faster clock would take.
  with("cores", "cores", "10 % faster cores and buffers", kMore, [](PlanSetting& o) {
    o.chip.clock = o.chip.clock * kMore;
    o.chip.nominal_clock = o.chip.nominal_clock * kMore;
  });
  // Of what the chip's links leave of a level; they then leave room for more, so that no other
  // level gets less.
  for (std::size_t i = 0; i < setting.cluster.levels.size(); ++i) {
    with("link", "links", "10 % more bandwidth of " + setting.cluster.levels[i].name, kMore,
         [i](PlanSetting& o) {
           if (o.chip.links.count > 0) {
             o.cluster = hw::with_link_limit(o.cluster, hw::link_bandwidth(o.chip));
           }
           o.cluster.levels[i].bandwidth = o.cluster.levels[i].bandwidth * kMore;
           o.chip.links.bandwidth = o.chip.links.bandwidth * kMore;
         });
  }
  const auto most = hw::device_count(setting.cluster);
  if (!most || *most >= 2 * setting.devices) {
    with("devices", "devices", "twice the devices, " + with_thousands(2 * setting.devices), 2,
         [](PlanSetting& o) { o.devices *= 2; });
  }
  return conclude(std::move(all), is_complete);
}

}  // namespace phaze::search
