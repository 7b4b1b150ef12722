#include "report/validation_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/plural.h"
#include "base/text.h"
#include "report/table.h"

namespace phaze::report {
namespace {

using plan::Measure;
using plan::ValidatedRun;

constexpr std::size_t kMostRows = 40;   // of a file that is shown whole
constexpr std::size_t kWorstRows = 12;  // of a longer one
constexpr std::size_t kMostRegrets = 8;

std::string value_text(double value, Measure measure) {
  return is_time(measure) ? with_prefix(value, "s")
                          : with_binary_prefix(static_cast<std::int64_t>(std::llround(value)));
}

std::string percent(double share) { return shortest(std::round(share * 1e3) / 10) + " %"; }

std::string signed_percent(double share) { return (share > 0 ? "+" : "") + percent(share); }

std::string model_text(const plan::RunModel& model) {
  return model.name.empty() ? std::to_string(model.hidden) + " x " + std::to_string(model.layers)
                            : shortened(model.name, 30);
}

std::string strategy_text(const plan::Strategy& s, const std::string& recompute) {
  std::string text = "t" + std::to_string(s.tensor) + " p" + std::to_string(s.pipeline) + " d" +
                     std::to_string(s.data) + " b" + std::to_string(s.microbatch);
  text += s.interleave > 1 ? " v" + std::to_string(s.interleave) : "";
  text += s.sequence_parallel ? " sp" : "";
  text += s.zero > 0 ? " z" + std::to_string(s.zero) : "";
  return text + (recompute == "none" ? "" : " " + recompute);
}

double largest_error(const ValidatedRun& run) {
  double largest = 0;
  for (std::size_t i = 0; i < plan::kMeasures; ++i) {
    largest = std::max(largest, std::abs(run.error(static_cast<Measure>(i)).value_or(0)));
  }
  return run.prediction ? largest : HUGE_VAL;
}

std::string row_table(const plan::Validation& validation, bool shows_all) {
  std::vector<std::size_t> rows(validation.runs.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::string text;
  if (!shows_all && rows.size() > kMostRows) {
    std::stable_sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) {
      return largest_error(validation.runs[a]) > largest_error(validation.runs[b]);
    });
    rows.resize(kWorstRows);
    text = "  The " + std::to_string(kWorstRows) + " worst of " +
           counted(static_cast<std::int64_t>(validation.runs.size()), "row") +
           " (--all shows all)\n";
  }
  Table table({{"row", Align::kRight},
               {"model"},
               {"devices", Align::kRight},
               {"batch", Align::kRight},
               {"strategy"},
               {"what"},
               {"measured", Align::kRight},
               {"predicted", Align::kRight},
               {"error", Align::kRight},
               {""}});
  for (const std::size_t i : rows) {
    const ValidatedRun& run = validation.runs[i];
    const auto cells = [&](Measure measure) {
      const double measured = *run.run.measured[static_cast<std::size_t>(measure)];
      std::vector<std::string> row = {std::to_string(i + 1), model_text(run.run.model),
                                      std::to_string(run.run.devices),
                                      std::to_string(run.run.global_batch)};
      if (!run.prediction) {
        row.insert(row.end(),
                   {"", measure_text(measure), value_text(measured, measure), "", "", run.reason});
        return row;
      }
      const auto& predicted = run.prediction->predicted[static_cast<std::size_t>(measure)];
      row.insert(row.end(),
                 {strategy_text(run.prediction->plan.strategy, run.prediction->recompute),
                  measure_text(measure), value_text(measured, measure),
                  predicted ? value_text(*predicted, measure) : "",
                  predicted ? signed_percent(*run.error(measure)) : "",
                  run.prediction->plan.fits ? "" : "does not fit"});
      return row;
    };
    for (std::size_t m = 0; m < plan::kMeasures; ++m) {
      if (run.run.measured[m]) {
        table.add_row(cells(static_cast<Measure>(m)));
      }
    }
  }
  return text + table.to_string(2);
}

std::string summary_table(const std::string& title, const std::vector<plan::GroupSummary>& groups,
                          const std::vector<plan::GroupSummary>& overall) {
  Table table({{title},
               {"what"},
               {"rows", Align::kRight},
               {"mean", Align::kRight},
               {"median", Align::kRight},
               {"90th percentile", Align::kRight},
               {"worst", Align::kRight},
               {"bias", Align::kRight},
               {"rank correlation", Align::kRight}});
  const auto add = [&table](const std::string& name, const plan::GroupSummary& one) {
    const plan::ErrorSummary& e = one.errors;
    table.add_row(
        {name, measure_text(one.measure), std::to_string(e.count), percent(e.mean),
         percent(e.median), percent(e.p90), percent(e.worst), signed_percent(e.bias),
         e.rank_correlation ? shortest(std::round(*e.rank_correlation * 1e3) / 1e3) : ""});
  };
  for (const plan::GroupSummary& one : groups) {
    add(one.group, one);
  }
  if (groups.size() > overall.size()) {
    for (const plan::GroupSummary& one : overall) {
      add("all", one);
    }
  }
  return table.to_string(2);
}

std::string ratio(double value) { return shortest(std::round(value * 1e3) / 1e3); }

std::string regret_text(const plan::Validation& validation) {
  if (validation.regrets.empty()) {
    return "";
  }
  std::vector<const plan::RegretCase*> worst;
  for (const plan::RegretCase& one : validation.regrets) {
    worst.push_back(&one);
  }
  std::stable_sort(worst.begin(), worst.end(),
                   [](const auto* a, const auto* b) { return a->regret > b->regret; });
  std::string text = "\n  Regret  " + ratio(validation.mean_regret) + " on average, " +
                     ratio(validation.worst_regret) + " at worst: measured time of the strategy " +
                     "that Phaze would choose over the measured best, " +
                     counted(worst.size(), "case") + "\n";
  for (std::size_t i = 0; i < std::min(worst.size(), kMostRegrets); ++i) {
    const plan::RegretCase& one = *worst[i];
    if (worst.size() > kMostRegrets && one.regret <= 1) {
      break;
    }
    text += "    " + ratio(one.regret) + "  " + printable(one.name) + ": row " +
            std::to_string(one.chosen + 1) + " chosen of " + std::to_string(one.strategies) +
            (one.chosen == one.best ? ", the best"
                                    : ", row " + std::to_string(one.best + 1) + " is the best") +
            "\n";
  }
  return text;
}

std::string noise_text(const plan::NoiseFloor& noise) {
  std::string text;
  if (noise.repeats + noise.neighbours > 0) {
    text += "  Noise   " + percent(noise.mean) + " on average, median " + percent(noise.median) +
            ": what the measurements are off by themselves (" + std::to_string(noise.repeats) +
            " that repeat others, " + std::to_string(noise.neighbours) +
            " between neighbours in layers or batch)\n";
  }
  if (noise.microbatches > 0) {
    text += "  Noise   at least " + percent(noise.least_mean) + " on average, by " +
            counted(noise.microbatches, "row") + " between neighbours in micro-batch\n";
  }
  return text.empty() ? "  Noise   not known: no rows repeat others or lie between neighbours\n"
                      : text;
}

std::string own_table(const plan::Validation& validation) {
  Table table({{"one H200"},
               {""},
               {"rows", Align::kRight},
               {"mean", Align::kRight},
               {"median", Align::kRight},
               {"90th percentile", Align::kRight},
               {"worst", Align::kRight},
               {"bias", Align::kRight}});
  for (const plan::ComparedGroup& group : validation.own) {
    const plan::ErrorSummary& e = group.errors;
    table.add_row({group.name, group.status, std::to_string(e.count), percent(e.mean),
                   percent(e.median), percent(e.p90), percent(e.worst), signed_percent(e.bias)});
  }
  return table.to_string(2);
}

}  // namespace

std::string measure_text(Measure measure) {
  switch (measure) {
    case Measure::kIteration:
      return "iteration";
    case Measure::kLayerForward:
      return "layer forward";
    case Measure::kLayerBackward:
      return "layer backward";
    case Measure::kPeakMemory:
      return "peak memory";
    case Measure::kStateMemory:
      return "memory of states";
    case Measure::kActivationMemory:
      return "memory of activations";
  }
  return "";
}

std::string run_rows_markdown(const plan::Validation& validation) {
  std::string text =
      "| runs | model | devices | batch | strategy | what | measured | predicted | error |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  for (const ValidatedRun& run : validation.runs) {
    for (std::size_t m = 0; m < plan::kMeasures; ++m) {
      const auto measure = static_cast<Measure>(m);
      if (const auto error = run.error(measure)) {
        text += "| " + run.run.group + " | " + model_text(run.run.model) + " | " +
                std::to_string(run.run.devices) + " | " + std::to_string(run.run.global_batch) +
                " | " + strategy_text(run.prediction->plan.strategy, run.prediction->recompute) +
                " | " + measure_text(measure) + " | " + value_text(*run.run.measured[m], measure) +
                " | " + value_text(*run.prediction->predicted[m], measure) + " | " +
                signed_percent(*error) + " |\n";
      }
    }
  }
  return text;
}

std::string validation_text(const plan::Validation& validation, bool shows_all) {
  std::string text = row_table(validation, shows_all) + "\n" +
                     summary_table("group", validation.groups, validation.overall);
  text += regret_text(validation);
  text += noise_text(validation.noise);
  if (!validation.held_out.empty()) {
    text += "\n" + summary_table("nothing fitted", validation.held_out, {});
  }
  if (!validation.own.empty()) {
    text += "\n" + own_table(validation) + "\n";
  }
  if (validation.unfit > 0) {
    text += "  Memory  " + counted(validation.unfit, "row ran, and does", "rows ran, and do") +
            " not fit as predicted\n";
  }
  if (validation.unpriced > 0) {
    text += "  Left out  " + std::to_string(validation.unpriced) + " without a prediction\n";
  }
  return text;
}

std::vector<ScatterSeries> validation_series(const plan::Validation& validation) {
  std::vector<ScatterSeries> series;
  for (std::size_t i = 0; i < validation.runs.size(); ++i) {
    const ValidatedRun& run = validation.runs[i];
    if (!run.error(Measure::kIteration)) {
      continue;
    }
    auto found = std::find_if(series.begin(), series.end(),
                              [&](const ScatterSeries& one) { return one.name == run.run.group; });
    if (found == series.end()) {
      found = series.insert(series.end(), {run.run.group, {}});
    }
    const auto at = static_cast<std::size_t>(Measure::kIteration);
    found->points.push_back(
        {*run.run.measured[at], *run.prediction->predicted[at],
         "row " + std::to_string(i + 1) + ": " + model_text(run.run.model) + ", " +
             std::to_string(run.run.devices) + (run.run.devices == 1 ? " device, " : " devices, ") +
             strategy_text(run.prediction->plan.strategy, run.prediction->recompute)});
  }
  return series;
}

}  // namespace phaze::report
