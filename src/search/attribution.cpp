#include "search/attribution.h"

#include <tbb/parallel_for.h>

#include <atomic>
#include <bit>

#include "base/check.h"
#include "search/chip_value.h"

namespace phaze::search {
namespace {

struct Memory {
  BytesPerSecond bandwidth;
  Bytes capacity;
};

// As one stack: its capacity and its bandwidth are then fields of their own.
hw::Chip with_one_stack(hw::Chip chip) {
  const Memory memory{hw::hbm_bandwidth(chip), hw::hbm_capacity(chip)};
  chip.hbm.stacks = 1;
  chip.hbm.stack_bandwidth = memory.bandwidth;
  chip.hbm.stack_capacity = memory.capacity;
  return chip;
}

void copy_compute(const hw::Chip& from, hw::Chip& to) {
  to.clock = from.clock;
  to.nominal_clock = from.nominal_clock;
  to.tensor = from.tensor;
  to.vector = from.vector;
  to.global = from.global;
  to.format_rates = from.format_rates;
  to.control = from.control;
  to.concurrent_operators = from.concurrent_operators;
  to.sustained.matrix = from.sustained.matrix;
  to.sustained.core = from.sustained.core;
  to.sustained.vector = from.sustained.vector;
  to.sustained.step = from.sustained.step;
}

void copy_bandwidth(const hw::Chip& from, hw::Chip& to) {
  to.hbm.stack_bandwidth = from.hbm.stack_bandwidth;
  to.sustained.hbm = from.sustained.hbm;
}

void copy_capacity(const hw::Chip& from, hw::Chip& to) {
  to.hbm.stack_capacity = from.hbm.stack_capacity;
  to.reserved = from.reserved;
  to.workspace = from.workspace;
}

void copy_network(const hw::Chip& from, hw::Chip& to) { to.links = from.links; }

void copy_overheads(const hw::Chip& from, hw::Chip& to) {
  to.launch_overhead = from.launch_overhead;
  to.idle_overhead = from.idle_overhead;
  to.host_launch = from.host_launch;
  to.host_recompute = from.host_recompute;
  to.host_microbatch = from.host_microbatch;
}

}  // namespace

std::vector<SettingChange> chip_changes(const hw::Chip& from, const hw::Chip& to) {
  const hw::Chip target = with_one_stack(to);
  const hw::Chip source = with_one_stack(from);
  std::vector<SettingChange> changes;
  const auto add = [&](const char* name, void (*copy)(const hw::Chip&, hw::Chip&), bool differs) {
    if (differs) {
      changes.push_back({name, [target, copy](PlanSetting& setting) {
                           setting.chip = with_one_stack(std::move(setting.chip));
                           copy(target, setting.chip);
                         }});
    }
  };
  // Compute has too many fields to compare: a change that does nothing has a share of nothing.
  add("compute", copy_compute, true);
  add("memory bandwidth", copy_bandwidth,
      source.hbm.stack_bandwidth != target.hbm.stack_bandwidth ||
          source.sustained.hbm != target.sustained.hbm);
  add("capacity", copy_capacity,
      source.hbm.stack_capacity != target.hbm.stack_capacity ||
          source.reserved != target.reserved || source.workspace != target.workspace);
  add("network", copy_network,
      source.links.count != target.links.count || source.links.bandwidth != target.links.bandwidth);
  add("overheads", copy_overheads,
      source.launch_overhead != target.launch_overhead ||
          source.idle_overhead != target.idle_overhead ||
          source.host_launch != target.host_launch ||
          source.host_recompute != target.host_recompute ||
          source.host_microbatch != target.host_microbatch);
  return changes;
}

std::vector<SettingChange> cluster_changes(const hw::Cluster& from, const hw::Cluster& to) {
  std::vector<SettingChange> changes;
  if (from.levels.size() != to.levels.size() || from.levels.size() >= kMostChanges) {
    return changes;
  }
  for (std::size_t i = 0; i < from.levels.size(); ++i) {
    if (!(from.levels[i] == to.levels[i])) {
      const std::string name = from.levels[i].name == to.levels[i].name
                                   ? from.levels[i].name
                                   : from.levels[i].name + " to " + to.levels[i].name;
      changes.push_back({name, [i, level = to.levels[i]](PlanSetting& setting) {
                           setting.cluster.levels[i] = level;
                         }});
    }
  }
  if (from.start != to.start || from.copy_bandwidth != to.copy_bandwidth ||
      from.hierarchical != to.hierarchical) {
    changes.push_back({"collectives' start and copies", [to](PlanSetting& setting) {
                         setting.cluster.start = to.start;
                         setting.cluster.copy_bandwidth = to.copy_bandwidth;
                         setting.cluster.hierarchical = to.hierarchical;
                       }});
  }
  return changes;
}

std::vector<double> shapley_shares(std::span<const double> values) {
  CHECK(std::has_single_bit(values.size()), "a value for each subset of the changes");
  const auto players = static_cast<std::size_t>(std::countr_zero(values.size()));
  // Orders in which a change comes after just these, as a share of all: s! (n - 1 - s)! / n!.
  std::vector<double> weight(players, 1);
  for (std::size_t before = 0; before < players; ++before) {
    double choose = 1;
    for (std::size_t i = 0; i < before; ++i) {
      choose = choose * static_cast<double>(players - 1 - i) / static_cast<double>(i + 1);
    }
    weight[before] = 1 / (static_cast<double>(players) * choose);
  }
  std::vector<double> shares(players, 0);
  for (std::size_t set = 0; set < values.size(); ++set) {
    for (std::size_t player = 0; player < players; ++player) {
      const std::size_t bit = std::size_t{1} << player;
      if ((set & bit) == 0) {
        shares[player] += weight[static_cast<std::size_t>(std::popcount(set))] *
                          (values[set | bit] - values[set]);
      }
    }
  }
  return shares;
}

namespace {

// Sequences a second of the best plan; nothing: none fits.
std::optional<double> plan_alone(const PlanSetting& setting) {
  PlanSearchOptions options;
  options.bounds_layers = false;
  const PlanAnswer answer = find_plan(setting, options);
  return answer.has_fitting() ? std::optional(plan::throughput(answer.plans.front()))
                              : std::nullopt;
}

std::optional<double> plan_among(const ModelOnChips& model, const PlanSetting& setting) {
  const double found =
      model.evaluate(setting.chip, {hw::hbm_capacity(setting.chip)}, ValueLimits()).throughput;
  return found > 0 ? std::optional(found) : std::nullopt;
}

}  // namespace

std::optional<std::vector<plan::Cause>> attribute(const PlanSetting& setting,
                                                  const std::vector<SettingChange>& changes,
                                                  const AttributionOptions& options) {
  CHECK(changes.size() <= kMostChanges, "each change doubles the work");
  const std::size_t sets = std::size_t{1} << changes.size();
  const auto batch = static_cast<double>(setting.global_batch);
  std::vector<std::optional<double>> throughputs(sets);
  std::atomic<std::size_t> done = 0;
  const auto know = [&](std::size_t set, std::optional<Seconds> time) {
    if (time && !throughputs[set]) {
      throughputs[set] = batch / time->value();
      ++done;
    }
  };
  know(0, options.first);
  know(sets - 1, options.last);
  const auto tell = [&options](std::size_t count) {
    if (options.on_done) {
      options.on_done(count);
    }
  };
  tell(done);
  std::optional<ModelOnChips> model;
  if (options.shares_work && done < sets) {
    model.emplace(setting);
  }
  tbb::parallel_for(std::size_t{0}, sets, [&](std::size_t set) {
    if (throughputs[set]) {
      return;
    }
    PlanSetting changed = setting;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      if ((set & (std::size_t{1} << i)) != 0) {
        changes[i].apply(changed);
      }
    }
    // Without schedules plans are quicker than the bounds that would save some.
    if (!model || !changed.chip.concurrent_operators) {
      throughputs[set] = plan_alone(changed);
    } else if (changed.cluster == setting.cluster) {
      throughputs[set] = plan_among(*model, changed);
    } else {
      throughputs[set] = plan_among(model->on_cluster(changed.cluster), changed);
    }
    tell(++done);
  });
  std::vector<double> values;
  for (const std::optional<double>& throughput : throughputs) {
    if (!throughput) {
      return std::nullopt;
    }
    values.push_back(batch / *throughput);
  }
  const std::vector<double> shares = shapley_shares(values);
  std::vector<plan::Cause> causes;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    causes.push_back({changes[i].name, Seconds(shares[i])});
  }
  return causes;
}

}  // namespace phaze::search
