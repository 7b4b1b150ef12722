#include <algorithm>

#include "cli/place_plan.h"

namespace phaze::cli {

bool is_given(const PlanOptions& options, std::string_view name) {
  return std::ranges::find(options.given, name) != options.given.end();
}

std::vector<CLI::Option*> add_plan_options(CLI::App& command, PlanOptions& options) {
  return {
      command.add_option("--chip", options.chip,
                         "Built-in name or YAML file (default: none; a model needs one)"),
      command
          .add_option("--set", options.settings,
                      "FIELD=VALUE of the chip or the cluster, absolute or relative, such as "
                      "chip.hbm.bandwidth=+20% or cluster.nvlink.bandwidth=+20%; may be given "
                      "several times")
          ->allow_extra_args(false),
      command.add_option("--cluster", options.cluster,
                         "Built-in name or YAML file (default: dgx-h100; of phaze2024: flat)"),
      command.add_option("--devices", options.devices, "Devices that there are (default: 1024)")
          ->check(whole_number()),
      command
          .add_option("--global-batch", options.global_batch,
                      "Sequences of an iteration (default: 2048; of phaze2024: 4096)")
          ->check(whole_number()),
      command.add_option("--tensor", options.tensor,
                         "Tensor-parallel widths: numbers and ranges, such as 4,8 or 1:16 "
                         "(default: all that divide the model)"),
      command.add_option("--sequence-parallel", options.sequence_parallel,
                         "on or off (default: either)"),
      command.add_option("--pipeline", options.pipeline,
                         "Pipeline stages: numbers and ranges (default: any)"),
      command.add_option("--data", options.data,
                         "Data-parallel widths: numbers and ranges (default: any that divides the "
                         "global batch)"),
      command.add_option("--microbatch", options.microbatch,
                         "Sequences of a micro-batch: numbers and ranges (default: any)"),
      command.add_option("--interleave", options.interleave,
                         "Chunks of layers on each device: numbers and ranges; all chunks have "
                         "equally many layers (default: any)"),
      command.add_option("--schedule", options.schedule,
                         "1f1b, gpipe, interleaved, or several of them (default: any)"),
      command.add_option("--recompute", options.recompute,
                         "none, selective, full, or several of them; each stage takes the best "
                         "that fits (default: any)"),
      command.add_option("--zero", options.zero,
                         "Stages of ZeRO, 0 to 3: numbers and ranges; above 0 only with a data "
                         "width above 1 (default: any)"),
      command.add_option("--order", options.order,
                         "Groups of devices from the innermost out: t tensor, d data, p pipeline, "
                         "such as tdp (default: any)"),
      command.add_flag("--no-overlap", options.no_overlap,
                       "Gradients are reduced and weights gathered after backward, not beside it"),
      command.add_option("--layer-schedule", options.layer_schedule,
                         "Who schedules the operators of layers on chips that run several at "
                         "once. exact: by search; ilp: by integer programs, slow (default: exact)"),
      command
          .add_option("--ilp-time-limit", options.ilp_time_limit_s,
                      "Seconds for each integer program (default: 30)")
          ->check(positive_number()),
      command.add_option("--strategy", options.strategy,
                         "expert: the stages, data and tensor widths that experts chose for the "
                         "original's models on 1024 devices; all else is chosen; exit code 1 when "
                         "they do not fit (default: none)"),
      command.add_option("--assumptions", options.assumptions,
                         "What is assumed where no option says otherwise. modern: as they say; "
                         "phaze2024: the original's, with its cost function; phaze2024-released: "
                         "with the faults of its code, see docs/models.md 20 (default: modern)"),
      command
          .add_option("--alternatives", options.alternatives,
                      "So many of the next best plans too (default: 0)")
          ->check(whole_number()),
      command.add_flag("--why", options.why,
                       "What binds: how the best time changes with more of each resource; "
                       "Ctrl-C stops this, and the plan is shown"),
      command.add_option("--tokens", options.tokens,
                         "A whole training of so many tokens, such as 300e9, 300B or 15T: days, "
                         "energy, dollars, carbon (default: none)"),
      command.add_option("--fewest", options.fewest,
                         "devices or money: the fewest of up to --devices that train --tokens in "
                         "--days, or those with the least cost (default: none)"),
      command
          .add_option("--days", options.days,
                      "For --fewest: the training ends in so many days (default: none)")
          ->check(positive_number()),
      command
          .add_option(
              "--smallest-hbm", options.smallest_hbm,
              "The smallest memory of a device, in whole GiB, with which an iteration is at "
              "most so many percent longer (default: none)")
          ->check(number_from_zero()),
      command
          .add_option("--pue", options.pue,
                      "What the building draws for each watt of devices and hosts (default: 1.1)")
          ->check(positive_number()),
      command
          .add_option("--usd-per-kwh", options.usd_per_kwh,
                      "Price of electricity in USD/kWh (default: 0.08)")
          ->check(number_from_zero()),
      command
          .add_option("--kg-per-kwh", options.kg_per_kwh,
                      "Carbon of electricity in kg CO2e/kWh (default: 0.369)")
          ->check(number_from_zero()),
      command
          .add_option("--life-years", options.life_years,
                      "Years over which devices are written off (default: 4)")
          ->check(positive_number()),
      command
          .add_option("--usd-per-device", options.usd_per_device,
                      "Price of a device in USD (default: what its chip costs to build)")
          ->check(positive_number()),
      command
          .add_option("--usd-per-device-hour", options.usd_per_device_hour,
                      "Rent of a device in USD/h, electricity included, in place of its price "
                      "(default: bought)")
          ->check(positive_number()),
      command.add_option(
          "--output", options.output,
          "Also write the plan to this file, for phaze simulate and phaze report (default: none)"),
      command.add_option("--report", options.report,
                         "Also write a page for any browser that shows the plan (default: none)"),
  };
}

}  // namespace phaze::cli
