#pragma once
// What a whole training takes on a plan: time, electricity, money, carbon. search/training_run.h
// computes it; docs/models.md, section 21.

#include <cstdint>
#include <optional>

#include "base/units.h"

namespace phaze::plan {

// What things cost where the devices stand. Sources and assumptions: docs/models.md, section 21.
struct RunPrices {
  double pue = 1.1;                           // what the building draws for each watt
  double usd_per_kwh = 0.08;                  // electricity
  double kg_per_kwh = 0.369;                  // CO2 equivalent of electricity
  double life_years = 4;                      // over which a device is written off
  std::optional<double> usd_per_device;       // nothing: what the chip costs to build
  std::optional<double> usd_per_device_hour;  // rented: in place of devices and electricity

  bool operator==(const RunPrices&) const = default;
};

// Of all devices that there are, idle ones included.
struct TrainingRun {
  RunPrices prices;
  double tokens = 0, iterations = 0, days = 0;
  std::int64_t devices = 0, idle_devices = 0;
  Watts device, idle_device;  // of a chip at work on average, and of one that has nothing to do
  Watts host;                 // for each device: processors, fans, network, conversion
  double energy_kwh = 0;      // of devices and hosts, times PUE
  Dollars device_price;       // of one
  Dollars electricity, capital, rent;
  Kilograms operation, embodied;

  Dollars cost() const { return electricity + capital + rent; }
  Kilograms carbon() const { return operation + embodied; }
  bool operator==(const TrainingRun&) const = default;
};

}  // namespace phaze::plan
