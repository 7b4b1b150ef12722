// `phaze export`: a plan as a file for another program.
#include <algorithm>
#include <memory>

#include "base/plural.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/plan_file.h"
#include "io/file_writer.h"
#include "io/launch_json.h"
#include "launch/launch.h"
#include "launch/layout.h"
#include "models/load.h"
#include "presets/clusters.h"
#include "simulate/simulate.h"

namespace phaze::cli {
namespace {

struct ExportOptions : CommonOptions {
  std::string plan, target, model, output;
  bool has_output = false;
};

const std::vector<std::string> kTargets = {"megatron", "deepspeed", "torchtitan", "perfetto"};

// Of a built-in cluster: what its innermost level joins.
std::optional<std::int64_t> devices_per_node(const std::string& cluster) {
  const std::vector<std::string> names = presets::cluster_names();
  if (std::ranges::find(names, cluster) == names.end()) {
    return std::nullopt;
  }
  Diagnostics ignored;
  const auto found = presets::load_cluster(cluster, {}, ignored);
  return found && found->levels.size() > 1 ? found->levels.front().members : std::nullopt;
}

std::int64_t blocks_of(const models::ModelSpec& spec) {
  std::int64_t blocks = 0;
  for (const models::Stack& stack : spec.stacks) {
    for (const models::Run& run : stack.runs) {
      blocks += run.count;
    }
  }
  return blocks;
}

// The model that the plan is for, by its name or where --model says it is. Nothing after a fault.
std::optional<launch::LaunchRequest> make_request(const ExportOptions& options,
                                                  const plan::PlanRecord& record,
                                                  Diagnostics& diagnostics) {
  launch::LaunchRequest request;
  request.record = &record;
  request.devices_per_node = devices_per_node(record.cluster);
  if (options.target != "megatron") {
    return request;
  }
  const std::string name = options.model.empty() ? record.model : options.model;
  if (name.empty() || name == "-") {
    diagnostics.error({"command line", 0, 0, "--model"},
                      "the plan does not say where its model is; expected a name or a file");
    return std::nullopt;
  }
  auto model = models::load_model(name, diagnostics);
  if (!model) {
    return std::nullopt;
  }
  if (auto* spec = std::get_if<models::ModelSpec>(&*model)) {
    std::int64_t planned = 0;
    for (const launch::StageShape& shape : launch::shapes_of(record)) {
      planned += shape.blocks;
    }
    // Of encoders with decoders no layers are written: stages have more than those of the stacks.
    if (spec->stacks.size() == 1 && blocks_of(*spec) != planned) {
      diagnostics.error({options.plan, 0, 0, "stages"}, "have " + counted(planned, "layer") +
                                                            ", and model " + name + " has " +
                                                            std::to_string(blocks_of(*spec)));
      return std::nullopt;
    }
    request.spec = std::move(*spec);
  }
  return request;
}

std::optional<plan::LaunchFile> make_file(const ExportOptions& options,
                                          const plan::PlanRecord& record,
                                          Diagnostics& diagnostics) {
  if (options.target == "perfetto") {
    if (!can_simulate(record, options.plan, diagnostics)) {
      return std::nullopt;
    }
    auto text = make_trace(record, simulate::simulate(record.plan), "--to", diagnostics);
    return text ? std::optional(plan::LaunchFile{*std::move(text), {}}) : std::nullopt;
  }
  const auto request = make_request(options, record, diagnostics);
  if (!request) {
    return std::nullopt;
  }
  return options.target == "megatron"    ? launch::write_megatron(*request)
         : options.target == "deepspeed" ? launch::write_deepspeed(*request)
                                         : launch::write_torchtitan(*request);
}

int run_export(const ExportOptions& options) {
  Diagnostics diagnostics;
  if (std::ranges::find(kTargets, options.target) == kTargets.end()) {
    diagnostics.error({"command line", 0, 0, "--to"},
                      "expected megatron, deepspeed, torchtitan or perfetto, found \"" +
                          options.target + "\"" + did_you_mean(options.target, kTargets));
  }
  if (options.has_output) {
    if (const auto why =
            find_output_fault(options.output, {{"plan", options.plan}, {"model", options.model}})) {
      diagnostics.error({"command line", 0, 0, "--output"}, *why);
    } else {
      io::check_writable(options.output, diagnostics);
    }
  }
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  const auto record = load_plan(options.plan, diagnostics);
  const auto file = record ? make_file(options, *record, diagnostics) : std::nullopt;
  if (!file) {
    return report_bad_input(diagnostics);
  }
  for (const std::string& what : file->left_out) {
    report_note("warning: left out: " + what);
  }
  if (options.has_output) {
    const HoldInterrupts hold;
    if (!io::write_text_file(options.output, file->text, diagnostics)) {
      return report_bad_input(diagnostics);
    }
  }
  if (options.json) {
    return print(io::write_launch(options.target, *file));
  }
  return options.has_output ? kAnswer : print(file->text);
}

}  // namespace

void add_export_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "export", "A plan as a file that starts its training run, or as a trace");
  const auto options = std::make_shared<ExportOptions>();
  command
      ->add_option("PLAN", options->plan,
                   "A plan as phaze place writes it, see docs/formats.md; - for standard input")
      ->required();
  command
      ->add_option("--to", options->target,
                   "megatron: arguments of Megatron-LM as Bash arrays; deepspeed: its JSON; "
                   "torchtitan: its TOML; perfetto: the trace of one iteration. What a program "
                   "has no setting for is left out, with a warning and a comment in the file")
      ->required();
  command->add_option("--model", options->model,
                      "The plan's model: built-in name, config.json or its folder; megatron only "
                      "(default: what the plan says)");
  const CLI::Option* output = command->add_option("-o,--output", options->output,
                                                  "Write to this file (default: standard output)");
  add_common_options(*command, *options);
  command->callback([options, output, &action] {
    options->has_output = output->count() > 0;
    action = [options] { return run_export(*options); };
  });
}

}  // namespace phaze::cli
