// Training runs, what plans lack and what they leave open, in words.
#include <algorithm>
#include <cmath>

#include "base/plural.h"
#include "base/text.h"
#include "report/plan_report.h"
#include "report/simulation_report.h"

namespace phaze::report {
namespace {

std::string one_digit(double value) { return shortest(std::round(value * 10) / 10); }
std::string percent(double share) { return one_digit(100 * share) + " %"; }
std::string gap_text(double share) {
  return share > 0 && share < 0.0005 ? "under 0.1 %" : percent(share);
}
std::string time_text(Seconds time) { return with_prefix(time.value(), "s"); }
std::string dollars(Dollars amount) { return with_prefix(amount.value(), "USD"); }
// Kilograms, from a thousand on tonnes.
std::string grams(Kilograms mass) {
  constexpr double kTonne = 1000;
  return (mass.value() < kTonne ? with_prefix(mass.value() * 1000, "g")
                                : with_prefix(mass.value() / kTonne, "t")) +
         " CO2e";
}

}  // namespace

std::string fullest_text(const plan::TrainingPlan& plan) {
  if (plan.stages.empty()) {
    return "";
  }
  const auto fullest = std::ranges::max_element(
      plan.stages, {}, [](const plan::PlanStage& stage) { return stage.memory.total(); });
  const plan::StageMemory& memory = fullest->memory;
  std::string text = "  fullest, stage " + std::to_string(fullest - plan.stages.begin()) + ": ";
  bool is_first = true;
  const auto add = [&](const char* name, Bytes bytes) {
    if (bytes > Bytes()) {
      text += (is_first ? "" : ", ") + std::string(name) + " " + gibibytes(bytes);
      is_first = false;
    }
  };
  add("weights", memory.weights);
  add("gradients", memory.gradients);
  add("optimiser", memory.optimizer);
  add("activations", memory.activations);
  add("transient", memory.transient);
  add("workspace and reserved", memory.other);
  return text + "\n";
}

bool is_conditional(const plan::PlanRecord& record) {
  return record.proof && record.proof->largest_gap > 0 && record.figures &&
         record.figures->bound < record.plan.iteration;
}

std::string doubts_text(const plan::PlanRecord& record) {
  std::string text;
  const plan::TrainingPlan& plan = record.plan;
  if (record.proof && record.proof->largest_gap > 0 && record.figures) {
    text += "  layer times: not all schedules of operators are proved, the largest gap is " +
            gap_text(record.proof->largest_gap) + " (" + gap_text(record.proof->plan_gap) +
            " in this plan); however layers are scheduled, " +
            (is_conditional(record) ? "no plan is below " + time_text(record.figures->bound)
                                    : "no other plan is faster") +
            "\n";
  }
  if (record.simulated && plan.iteration > Seconds()) {
    const double difference = record.simulated->value() / plan.iteration.value() - 1;
    if (std::abs(difference) > kMostDifference) {
      text += "  simulated event by event the iteration takes " + time_text(*record.simulated) +
              ", " + percent(std::abs(difference)) + (difference > 0 ? " more" : " less") +
              (has_original_cost(record) ? ": the original's cost function, not 1F1B's time"
                                         : ": `phaze simulate` shows why") +
              "\n";
    }
  }
  return text;
}

std::string no_plan_text(std::int64_t devices, Bytes capacity, std::optional<Bytes> needed_memory,
                         std::optional<std::int64_t> needed_devices) {
  std::string text = "no plan fits " + counted(devices, "device") + " of " + gibibytes(capacity);
  if (needed_memory) {
    text += "; it would with " + gibibytes(*needed_memory) + " a device";
  }
  if (needed_devices) {
    text += (needed_memory ? ", or on " : "; it would on ") + counted(*needed_devices, "device");
  }
  return text;
}

std::string run_text(const plan::TrainingRun& run) {
  const plan::RunPrices& prices = run.prices;
  std::string text = "  " + with_prefix(run.tokens, "tokens") + " take " + one_digit(run.days) +
                     " days, " + with_prefix(run.iterations, "iterations") + "\n";
  text += "  energy   " + with_prefix(run.energy_kwh * 1000, "Wh") + ": " +
          with_prefix(run.device.value(), "W") + " a device";
  if (run.idle_devices > 0) {
    text += " (" + with_thousands(run.idle_devices) + " idle ones " +
            with_prefix(run.idle_device.value(), "W") + ")";
  }
  text += " and " + with_prefix(run.host.value(), "W") + " of host each, PUE " +
          shortest(prices.pue) + "\n";
  text += "  cost     " + dollars(run.cost()) + ": ";
  if (prices.usd_per_device_hour) {
    text += "rent of all devices at " + shortest(*prices.usd_per_device_hour) +
            " USD/h; nothing else\n";
  } else {
    text += dollars(run.electricity) + " electricity at " + shortest(prices.usd_per_kwh) +
            " USD/kWh, " + dollars(run.capital) + " of devices at " + dollars(run.device_price) +
            (prices.usd_per_device ? "" : " (what a chip costs to build)") + " over " +
            shortest(prices.life_years) + " years; without hosts, network, building and staff\n";
  }
  text += "  carbon   " + grams(run.carbon()) + ": " + grams(run.operation) + " electricity at " +
          shortest(prices.kg_per_kwh) + " kg/kWh, " + grams(run.embodied) +
          " of making the chips over their life; without hosts and building\n";
  return text;
}

}  // namespace phaze::report
