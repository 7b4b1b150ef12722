#include "search/training_run.h"

#include <algorithm>

#include "base/check.h"
#include "hw/figures.h"

namespace phaze::search {
namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kHoursPerDay = 24;
constexpr double kHoursPerYear = 24 * 365;
constexpr double kWattsPerKilowatt = 1000;

}  // namespace

plan::TrainingRun compute_training_run(const plan::PlanRecord& record, const hw::Chip& chip,
                                       double tokens, const plan::RunPrices& prices) {
  CHECK(record.figures && record.plan.iteration > Seconds(), "a run needs a plan that takes time");
  const plan::TrainingPlan& plan = record.plan;
  const plan::PlanUtilisation& busy = record.figures->utilisation;
  const auto figures = hw::compute_figures(chip, hw::Technology::kModern);
  CHECK(figures.has_value(), "a chip without a cap has figures");
  const hw::Node* node = hw::find_node(chip.node_nm);
  const auto power = [&](const hw::Activity& activity) {
    const Watts at_work =
        hw::total(hw::compute_power(chip, *node, figures->area_breakdown, activity));
    // What the model misses of a published power it is taken to miss at any activity.
    const double scale =
        chip.published_tdp ? chip.published_tdp->value() / figures->tdp.value() : 1;
    return at_work * scale;
  };
  plan::TrainingRun run;
  run.prices = prices;
  run.tokens = tokens;
  const double each = static_cast<double>(plan.global_batch) * static_cast<double>(record.sequence);
  run.iterations = tokens / each;
  const double hours = run.iterations * plan.iteration.value() / kSecondsPerHour;
  run.days = hours / kHoursPerDay;
  run.devices = plan.devices;
  run.idle_devices = plan.devices - plan::devices_of(plan.strategy);
  const double matrix = std::min(1.0, record.figures->hfu);
  run.device = power({matrix, std::min(1.0, busy.vector), std::max(matrix, std::min(1.0, busy.hbm)),
                      std::min(1.0, busy.hbm), std::min(1.0, busy.link)});
  run.idle_device = power({0, 0, 0, 0, 0});
  run.host = hw::compute_server_power(Watts(), 1);
  const auto devices = static_cast<double>(run.devices);
  const auto idle = static_cast<double>(run.idle_devices);
  const Watts drawn = run.device * (devices - idle) + run.idle_device * idle + run.host * devices;
  run.energy_kwh = drawn.value() * prices.pue * hours / kWattsPerKilowatt;
  run.device_price =
      prices.usd_per_device ? Dollars(*prices.usd_per_device) : hw::total(figures->cost);
  const double life_share = hours / (prices.life_years * kHoursPerYear);
  if (prices.usd_per_device_hour) {
    run.rent = Dollars(*prices.usd_per_device_hour * devices * hours);
  } else {
    run.electricity = Dollars(run.energy_kwh * prices.usd_per_kwh);
    run.capital = run.device_price * (devices * life_share);
  }
  run.operation = Kilograms(run.energy_kwh * prices.kg_per_kwh);
  run.embodied = hw::total(figures->carbon) * (devices * life_share);
  return run;
}

}  // namespace phaze::search
