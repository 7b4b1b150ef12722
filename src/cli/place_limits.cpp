#include "cli/place_limits.h"

#include "cli/experts.h"
#include "cli/value_lists.h"

namespace phaze::cli {
namespace {

using place::PlanLimits;

// Values by name, such as "none,full".
template <class T, class Parser>
std::vector<T> parse_names(const std::string& option, const std::string& text,
                           const std::string& expected, Parser parser, Diagnostics& diagnostics) {
  std::vector<T> values;
  for (const std::string& part : text.empty() ? std::vector<std::string>() : split_list(text)) {
    if (const auto value = parser(part)) {
      values.push_back(*value);
    } else {
      diagnostics.error({"command line", 0, 0, option},
                        "expected " + expected + ", found \"" + part + "\"");
    }
  }
  return values;
}

}  // namespace

PlanLimits read_limits(const PlanOptions& options, Diagnostics& diagnostics) {
  PlanLimits limits;
  for (const auto& [option, text] :
       {std::pair("--tensor", &options.tensor), std::pair("--pipeline", &options.pipeline),
        std::pair("--data", &options.data), std::pair("--microbatch", &options.microbatch),
        std::pair("--interleave", &options.interleave), std::pair("--zero", &options.zero),
        std::pair("--recompute", &options.recompute), std::pair("--schedule", &options.schedule),
        std::pair("--order", &options.order),
        std::pair("--sequence-parallel", &options.sequence_parallel),
        std::pair("--strategy", &options.strategy)}) {
    if (text->empty() && is_given(options, option)) {
      diagnostics.error({"command line", 0, 0, option}, "expected a value, found nothing");
    }
  }
  limits.tensor = parse_numbers("--tensor", options.tensor, 1, diagnostics);
  limits.pipeline = parse_numbers("--pipeline", options.pipeline, 1, diagnostics);
  limits.data = parse_numbers("--data", options.data, 1, diagnostics);
  limits.microbatch = parse_numbers("--microbatch", options.microbatch, 1, diagnostics);
  limits.interleave = parse_numbers("--interleave", options.interleave, 1, diagnostics);
  limits.zero = parse_numbers("--zero", options.zero, 0, diagnostics);
  if (!limits.zero.empty() && limits.zero.back() > 3) {
    diagnostics.error({"command line", 0, 0, "--zero"}, "expected stages from 0 to 3");
  }
  limits.recompute =
      parse_names<plan::Recompute>("--recompute", options.recompute, "none, selective or full",
                                   plan::parse_recompute, diagnostics);
  limits.schedule = parse_names<plan::PipelineSchedule>("--schedule", options.schedule,
                                                        "1f1b, gpipe or interleaved",
                                                        plan::parse_pipeline_schedule, diagnostics);
  limits.order = parse_names<plan::AxisOrder>(
      "--order", options.order, "the letters t, d and p from the innermost group out, such as tdp",
      plan::parse_axis_order, diagnostics);
  limits.sequence_parallel = parse_names<bool>(
      "--sequence-parallel", options.sequence_parallel, "on or off",
      [](std::string_view text) {
        return text == "on"    ? std::optional(true)
               : text == "off" ? std::optional(false)
                               : std::nullopt;
      },
      diagnostics);
  return limits;
}

void apply_strategy(const PlanOptions& options, PlanLimits& limits, Diagnostics& diagnostics) {
  if (options.strategy.empty()) {
    return;
  }
  const auto fault = [&diagnostics](const std::string& option, const std::string& message) {
    diagnostics.error({"command line", 0, 0, option}, message);
  };
  if (options.strategy != "expert") {
    fault("--strategy", "expected expert, found \"" + options.strategy + "\"");
    return;
  }
  for (const char* option : {"--tensor", "--pipeline", "--data"}) {
    if (is_given(options, option)) {
      fault(option, "the expert's strategy has its own");
    }
  }
  const auto expert = find_expert_strategy(options.model.model);
  if (!expert) {
    fault("--strategy", "no expert's strategy is known for " + options.model.model +
                            "; expected one of " + expert_models());
    return;
  }
  limits.tensor = {expert->tensor};
  limits.pipeline = {expert->pipeline};
  limits.data = {expert->data};
}

}  // namespace phaze::cli
