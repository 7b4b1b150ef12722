#include "cli/place_plan.h"

namespace phaze::cli {

std::vector<CLI::Option*> add_plan_options(CLI::App& command, PlanOptions& options) {
  return {
      command.add_option("--chip", options.chip,
                         "Built-in name or YAML file (default: none; a model needs one)"),
      command
          .add_option("--set", options.settings,
                      "FIELD=VALUE of the chip, absolute or relative, such as "
                      "chip.hbm.bandwidth=+20%; may be given several times")
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
                         "Chunks of layers on each device: numbers and ranges (default: any)"),
      command.add_option("--schedule", options.schedule,
                         "1f1b, gpipe, interleaved, or several of them (default: any)"),
      command.add_option("--recompute", options.recompute,
                         "none, selective, full, or several of them; each stage takes the least "
                         "that fits (default: any)"),
      command.add_option("--zero", options.zero,
                         "Stages of ZeRO, 0 to 3: numbers and ranges (default: any)"),
      command.add_option("--order", options.order,
                         "Groups of devices from the innermost out: t tensor, d data, p pipeline, "
                         "such as tdp (default: any)"),
      command.add_flag("--no-overlap", options.no_overlap,
                       "Gradients are reduced and weights gathered after backward, not beside it"),
      command.add_option("--strategy", options.strategy,
                         "expert: the stages, data and tensor widths that experts chose for the "
                         "original's models (default: none)"),
      command.add_option("--assumptions", options.assumptions,
                         "What options mean that are not given. modern: as they say; phaze2024: "
                         "those of the original (default: modern)"),
      command
          .add_option("--alternatives", options.alternatives,
                      "So many of the next best plans too (default: 0)")
          ->check(whole_number()),
      command.add_flag("--why", options.why,
                       "How the best time changes with a little more of each resource"),
      command.add_option("--output", options.output,
                         "Also write the plan to this file, for phaze simulate (default: none)"),
  };
}

}  // namespace phaze::cli
