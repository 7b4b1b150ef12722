// Training runs and what plans lack, in words.
#include <cmath>

#include "base/text.h"
#include "report/plan_report.h"

namespace phaze::report {
namespace {

std::string one_digit(double value) { return shortest(std::round(value * 10) / 10); }
std::string dollars(Dollars amount) { return with_prefix(amount.value(), "USD"); }
// Kilograms, from a thousand on tonnes.
std::string grams(Kilograms mass) {
  constexpr double kTonne = 1000;
  return (mass.value() < kTonne ? with_prefix(mass.value() * 1000, "g")
                                : with_prefix(mass.value() / kTonne, "t")) +
         " CO2e";
}

}  // namespace

std::string no_plan_text(std::int64_t devices, Bytes capacity, std::optional<Bytes> needed_memory,
                         std::optional<std::int64_t> needed_devices) {
  std::string text =
      "no plan fits " + with_thousands(devices) + " devices of " + gibibytes(capacity);
  if (needed_memory) {
    text += "; it would with " + gibibytes(*needed_memory) + " a device";
  }
  if (needed_devices) {
    text += (needed_memory ? ", or on " : "; it would on ") + with_thousands(*needed_devices) +
            " devices";
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
