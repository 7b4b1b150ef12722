#include <memory>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "io/chip_json.h"
#include "presets/chips.h"
#include "report/chip_report.h"
#include "report/table.h"

namespace phaze::cli {
namespace {

struct ChipOptions : CommonOptions {
  std::string chip;
  int node = 0;
  double power_cap_w = 0;
  std::string technology = "modern";
  hw::Site site;
  std::vector<std::string> settings;
};

int run_chip(const ChipOptions& options) {
  Diagnostics diagnostics;
  std::vector<std::string> settings = options.settings;
  if (options.node != 0) {
    settings.push_back("node_nm=" + std::to_string(options.node));
  }
  const std::optional<hw::Technology> technology = hw::parse_technology(options.technology);
  if (!technology) {
    diagnostics.error({"command line", 0, 0, "--technology"},
                      "expected modern or phaze22, found \"" + options.technology + "\"" +
                          did_you_mean(options.technology, {"modern", "phaze22"}));
  }
  const std::optional<hw::Chip> chip = presets::load_chip(
      options.chip, settings, diagnostics, technology.value_or(hw::Technology::kModern));
  if (!chip || !technology) {
    return report_bad_input(diagnostics);
  }
  std::optional<Watts> cap;
  if (options.power_cap_w > 0) {
    cap = Watts(options.power_cap_w);
  }
  const std::optional<hw::ChipFigures> figures =
      hw::compute_figures(*chip, *technology, cap, options.site);
  if (!figures) {
    return report_no_answer("no clock keeps " + chip->name + " within " +
                            shortest(options.power_cap_w) + " W");
  }
  return print(options.json ? io::write_chip(*chip, *figures)
                            : for_people(report::chip_text(*chip, *figures)));
}

int run_chips(const CommonOptions& options) {
  std::vector<hw::Chip> chips;
  std::vector<hw::ChipFigures> figures;
  for (const std::string& name : presets::chip_names()) {
    Diagnostics diagnostics;
    const std::optional<hw::Chip> chip = presets::load_chip(name, {}, diagnostics);
    CHECK(chip, to_string(diagnostics));
    chips.push_back(*chip);
    figures.push_back(*hw::compute_figures(*chip, hw::Technology::kModern));
  }
  if (options.json) {
    return print(io::write_chips(chips, figures));
  }
  using report::Align;
  report::Table table({{"name", Align::kLeft},
                       {"chip", Align::kLeft},
                       {"nm", Align::kRight},
                       {"bf16 FLOP/s", Align::kRight},
                       {"HBM", Align::kRight},
                       {"bandwidth", Align::kRight},
                       {"mm2", Align::kRight},
                       {"W", Align::kRight},
                       {"USD", Align::kRight}});
  for (std::size_t i = 0; i < chips.size(); ++i) {
    const hw::Chip& chip = chips[i];
    const hw::ChipFigures& f = figures[i];
    table.add_row({chip.name, chip.title, std::to_string(chip.node_nm),
                   with_prefix(hw::peak_flops(chip, hw::NumberFormat::kBf16).value(), ""),
                   with_binary_prefix(hw::hbm_capacity(chip).value()),
                   with_prefix(hw::hbm_bandwidth(chip).value(), "B/s"),
                   std::to_string(std::llround(f.area.value())),
                   std::to_string(std::llround(f.tdp.value())),
                   with_thousands(std::llround(hw::total(f.cost).value()))});
  }
  return print(for_people(
      table.to_string(0) +
      "\nmm2, W and USD (to build) are modelled; `phaze chip NAME` shows one beside what "
      "is published.\nA CHIP may also be a YAML file (docs/formats.md).\n"));
}

}  // namespace

void add_chips_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand("chips", "List the built-in chips");
  const auto options = std::make_shared<CommonOptions>();
  add_common_options(*command, *options);
  command->callback([options, &action] { action = [options] { return run_chips(*options); }; });
}

void add_chip_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "chip", "One chip: a drawing to scale, peak rates, area, power, cost and carbon");
  const auto options = std::make_shared<ChipOptions>();
  command->add_option("CHIP", options->chip, "Built-in name or YAML file")->required();
  command
      ->add_option("--node", options->node,
                   "Process node in nm: 22, 16, 7, 5, 4 or 3 (default: the chip's own)")
      ->check(whole_number());
  command
      ->add_option("--grid", options->site.grid_g_per_kwh,
                   "Grams of CO2 equivalent per kWh where it runs (default: 369)")
      ->check(positive_number());
  command
      ->add_option("--pue", options->site.pue,
                   "What the building draws for each watt of the chip (default: 1.1)")
      ->check(positive_number());
  command->add_option("--technology", options->technology,
                      "modern, or phaze22: the area model of Phaze 2024 (default: modern)");
  command
      ->add_option("--power-cap", options->power_cap_w,
                   "Watts: the clock is lowered until the design power stays within (default: "
                   "none)")
      ->check(positive_number());
  command
      ->add_option("--set", options->settings,
                   "FIELD=VALUE, absolute or relative, such as chip.hbm.bandwidth=+20% or "
                   "tensor_cores.count=16; may be given several times")
      ->allow_extra_args(false);
  add_common_options(*command, *options);
  command->callback([options, &action] { action = [options] { return run_chip(*options); }; });
}

}  // namespace phaze::cli
