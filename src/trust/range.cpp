// Ranges are those of order statistics, without a form of the distribution: of n ratios the k-th
// smallest is above the next one with probability k / (n + 1) (Wilks 1941; conformal prediction,
// Vovk et al. 2005). So a new run lies between the (n + 1) / 10-th and the 9 (n + 1) / 10-th with
// probability 0.8, where runs are alike; between ranks we interpolate.
#include "trust/range.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "base/plural.h"

namespace phaze::trust {
namespace {

using plan::ErrorQuantiles;
using plan::ErrorSample;
using plan::Regime;

constexpr double kTail = (1 - kCovered) / 2;
// So many give both ends of the range: 0.1 x (9 + 1) is the first of them.
constexpr std::size_t kLeastRuns = 9;
const char* const kAnyMachine = "any";

// The value with the share of a new one's chances below it; `sorted` holds enough.
double order_statistic(const std::vector<double>& sorted, double share) {
  const double rank = share * static_cast<double>(sorted.size() + 1) - 1;
  const double at = std::clamp(rank, 0.0, static_cast<double>(sorted.size() - 1));
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - static_cast<double>(low));
}

struct Bucket {
  std::vector<double> ratios;
  std::int64_t largest_devices = 1;
};

}  // namespace

Regime regime_of(const plan::PlanRecord& record) {
  CHECK(record.figures.has_value(), "a regime follows from a plan's figures");
  constexpr double kNetwork = 0.3;  // of the time that is not bubble
  constexpr double kIdle = 0.35;    // of a resource: neither arithmetic nor memory limits
  const plan::IterationParts& parts = record.plan.parts;
  const double iteration_s = record.plan.iteration.value();
  const double at_work_s = iteration_s - parts.bubble.value();
  const double network_s = (parts.tensor + parts.pipeline + parts.data).value();
  if (network_s >= kNetwork * at_work_s) {
    return Regime::kNetwork;
  }
  const double compute_s = (parts.compute + parts.recompute).value();
  const double scale = compute_s > 0 ? iteration_s / compute_s : 0;
  const double arithmetic = record.figures->hfu * scale;
  const double memory = record.figures->utilisation.hbm * scale;
  if (std::max(arithmetic, memory) < kIdle) {
    return Regime::kLaunch;
  }
  return arithmetic >= memory ? Regime::kCompute : Regime::kMemory;
}

std::string machine_of(const std::string& chip) { return chip.substr(0, chip.find('-')); }

std::vector<ErrorSample> make_samples(const plan::Validation& validation) {
  std::vector<ErrorSample> samples;
  for (const plan::ValidatedRun& run : validation.runs) {
    if (const auto error = run.error(plan::Measure::kIteration)) {
      samples.push_back(
          {machine_of(run.run.chip), run.prediction->regime, run.run.devices, 1 / (1 + *error)});
    }
  }
  for (const plan::ComparedGroup& group : validation.own) {
    if (group.is_time && group.name.starts_with("training steps")) {
      for (const plan::ComparedRow& row : group.rows) {
        samples.push_back({"h200", std::nullopt, 1, 1 / (1 + row.error())});
      }
    }
  }
  return samples;
}

std::vector<ErrorQuantiles> make_quantiles(const std::vector<ErrorSample>& samples) {
  std::map<std::pair<std::string, std::optional<Regime>>, Bucket> buckets;
  for (const ErrorSample& sample : samples) {
    const auto add = [&](const std::string& machine, std::optional<Regime> regime) {
      Bucket& bucket = buckets[{machine, regime}];
      bucket.ratios.push_back(sample.ratio);
      bucket.largest_devices = std::max(bucket.largest_devices, sample.devices);
    };
    for (const std::string& machine : {sample.machine, std::string(kAnyMachine)}) {
      add(machine, std::nullopt);
      if (sample.regime) {
        add(machine, sample.regime);
      }
    }
  }
  std::vector<ErrorQuantiles> table;
  for (auto& [key, bucket] : buckets) {
    if (bucket.ratios.size() < kLeastRuns) {
      continue;
    }
    std::sort(bucket.ratios.begin(), bucket.ratios.end());
    table.push_back({key.first, key.second, bucket.ratios.size(), bucket.largest_devices,
                     order_statistic(bucket.ratios, kTail), order_statistic(bucket.ratios, 0.5),
                     order_statistic(bucket.ratios, 1 - kTail)});
  }
  return table;
}

plan::PredictionRange find_range(const std::vector<ErrorQuantiles>& table,
                                 const std::string& machine, Regime regime, Seconds predicted) {
  const auto find = [&](const std::string& name, std::optional<Regime> of) {
    return std::find_if(table.begin(), table.end(), [&](const ErrorQuantiles& row) {
      return row.machine == name && row.regime == of;
    });
  };
  const auto runs_text = [](const ErrorQuantiles& row) {
    return counted(static_cast<std::int64_t>(row.runs), "measured run");
  };
  const auto size_text = [](const ErrorQuantiles& row) {
    return row.largest_devices == 1 ? std::string(" of one device")
                                    : " of up to " + counted(row.largest_devices, "device");
  };
  const std::string limit = std::string(to_string(regime)) + "-bound";
  plan::PredictionRange range;
  range.regime = regime;
  auto row = find(machine, regime);
  if (row != table.end()) {
    range.basis = runs_text(*row) + " on " + machine + size_text(*row) + ", " + limit + " as this";
  } else if (row = find(machine, std::nullopt); row != table.end()) {
    range.basis = runs_text(*row) + " on " + machine + size_text(*row) + "; too few of them are " +
                  limit + " as this";
  } else if (row = find(kAnyMachine, std::nullopt); row != table.end()) {
    range.basis = runs_text(*row) + " on other machines; " +
                  (machine.empty() ? "none on this chip" : "too few on " + machine);
  } else {
    range.basis = "no measured runs";
    return range;
  }
  range.low = predicted * row->low;
  range.high = predicted * row->high;
  return range;
}

plan::PredictionRange find_range(const std::vector<ErrorQuantiles>& table,
                                 const plan::PlanRecord& record, const std::string& machine) {
  if (!record.assumptions.empty() && record.assumptions != "modern") {
    plan::PredictionRange range;
    range.basis = "none: the original's cost function was held against no measurement";
    return range;
  }
  return find_range(table, machine_of(machine), regime_of(record), record.plan.iteration);
}

double cross_validated_coverage(const std::vector<ErrorSample>& samples) {
  std::size_t inside = 0, counted = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    std::vector<ErrorSample> others = samples;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const std::vector<ErrorQuantiles> table = make_quantiles(others);
    // Of a sample without a regime the machine's row counts.
    const plan::PredictionRange range =
        samples[i].regime ? find_range(table, samples[i].machine, *samples[i].regime, Seconds(1))
                          : find_range(table, samples[i].machine, Regime::kCompute, Seconds(1));
    if (range.low) {
      ++counted;
      inside += samples[i].ratio >= range.low->value() && samples[i].ratio <= range.high->value();
    }
  }
  return counted > 0 ? static_cast<double>(inside) / static_cast<double>(counted) : 0;
}

}  // namespace phaze::trust
