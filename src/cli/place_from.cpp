#include "cli/place_from.h"

#include <algorithm>

#include "base/check.h"
#include "base/plural.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/place_setting.h"
#include "cli/ranges.h"
#include "io/document.h"
#include "io/file_writer.h"
#include "io/plan_json.h"
#include "launch/megatron_job.h"
#include "report/plan_report.h"
#include "search/given_plan.h"
#include "search/training_run.h"

namespace phaze::cli {
namespace {

using launch::MegatronJob;
using search::PlanSetting;

// What the arguments say themselves.
constexpr const char* kFromArguments[] = {
    "--tensor",     "--pipeline",  "--data",         "--microbatch",  "--interleave",
    "--schedule",   "--recompute", "--zero",         "--order",       "--sequence-parallel",
    "--no-overlap", "--strategy",  "--global-batch", "--assumptions", "--alternatives",
    "--fewest",     "--days",      "--smallest-hbm", "--why"};
constexpr const char* kOfModel[] = {"--sequence", "--decoder-sequence", "--attention",
                                    "--precision", "--optimizer"};

void check_options(const PlanOptions& options, Diagnostics& diagnostics) {
  for (const char* name : kFromArguments) {
    if (is_given(options, name)) {
      diagnostics.error({"command line", 0, 0, name}, "means nothing beside --from");
    }
  }
  for (const char* name : kOfModel) {
    if (std::ranges::find(options.model.given, name) != options.model.given.end()) {
      diagnostics.error({"command line", 0, 0, name}, "comes from the arguments of --from");
    }
  }
}

// Where a text or a file of arguments is from.
std::string source_of(const std::string& arguments) {
  return arguments.starts_with("@") ? arguments.substr(1) : "--from";
}

std::optional<MegatronJob> read_job(const PlanOptions& options, const std::string& program,
                                    const std::string& arguments, Diagnostics& diagnostics) {
  if (program != "megatron") {
    diagnostics.error({"command line", 0, 0, "--from"},
                      "expected megatron, found \"" + program + "\"");
    return std::nullopt;
  }
  if (arguments.empty()) {
    diagnostics.error({"command line", 0, 0, "--from"},
                      "expected the arguments after megatron, as one text or @FILE");
    return std::nullopt;
  }
  const std::string source = source_of(arguments);
  const auto text = arguments.starts_with("@") ? io::read_text_file(source, diagnostics)
                                               : std::optional(arguments);
  if (!text) {
    return std::nullopt;
  }
  launch::JobRequest request;
  request.needs_model = options.model.model.empty();
  if (options.devices > 0) {
    request.devices = options.devices;
  }
  return launch::read_megatron(*text, source, request, diagnostics);
}

void say_unused(const MegatronJob& job) {
  const auto say = [](const std::vector<std::string>& names, const std::string& what) {
    std::string list;
    for (const std::string& name : names) {
      list += (list.empty() ? "" : ", ") + name;
    }
    if (!names.empty()) {
      report_note(what + list);
    }
  };
  say(job.unused, "arguments that nothing here depends on: ");
  say(job.not_modelled,
      "arguments that change time or memory, and by how much is not known here: ");
}

// The layers of each stage, from the layout or even. Nothing after a fault.
std::optional<search::GivenPlan> make_given(const MegatronJob& job, const PlanSetting& setting,
                                            Diagnostics& diagnostics) {
  const auto length = search::chain_length(setting, diagnostics);
  if (!length) {
    return std::nullopt;
  }
  const std::int64_t blocks = *length - 2;  // but the embedding and the head
  const std::int64_t stages = job.strategy.pipeline;
  const auto even = launch::even_shapes(blocks, stages * job.strategy.interleave);
  const auto shapes = job.layout ? job.layout : even;
  std::int64_t sum = 0;
  for (const launch::StageShape& shape : shapes.value_or(std::vector<launch::StageShape>())) {
    sum += shape.blocks;
  }
  if (!shapes || sum != blocks) {
    diagnostics.error(
        job.layout_where,
        shapes ? "has " + counted(sum, "layer") + "; the model has " + std::to_string(blocks)
               : counted(blocks, "layer does not divide over", "layers do not divide over") + " " +
                     counted(stages * job.strategy.interleave, "stage") +
                     "; expected --pipeline-model-parallel-layout");
    return std::nullopt;
  }
  search::GivenPlan given{job.strategy, job.recompute, {}};
  given.stages.resize(static_cast<std::size_t>(stages));
  std::size_t at = 0;
  for (std::size_t i = 0; i < shapes->size(); ++i) {
    const launch::StageShape& shape = (*shapes)[i];
    const std::size_t end = at + (shape.has_embedding ? 1 : 0) +
                            static_cast<std::size_t>(shape.blocks) + (shape.has_head ? 1 : 0);
    given.stages[i % given.stages.size()].emplace_back(at, end);
    at = end;
  }
  for (std::size_t i = 0; i < given.stages.size(); ++i) {
    for (const auto& [begin, end] : given.stages[i]) {
      if (begin == end) {
        diagnostics.error(job.layout_where, "stage " + std::to_string(i) + " has no layers");
        return std::nullopt;
      }
    }
  }
  return given;
}

// Is the model a decoder with an embedding in front and a head behind, as pretrain_gpt.py trains?
bool is_decoder(const PlanSetting& setting) {
  const auto* spec = std::get_if<models::ModelSpec>(&setting.model);
  return spec != nullptr && spec->stacks.size() == 1 && spec->head.vocabulary.has_value() &&
         spec->embedding.vocabulary > 0;
}

// Arguments beside a MODEL must not tell of another one. It is a decoder.
void check_shape(const MegatronJob& job, const PlanSetting& setting, const std::string& source,
                 Diagnostics& diagnostics) {
  const auto& spec = std::get<models::ModelSpec>(setting.model);
  const auto check = [&](const char* name, std::optional<std::int64_t> said, std::int64_t own) {
    if (said && *said != own) {
      diagnostics.error({source, 0, 0, name},
                        std::to_string(*said) + " contradicts MODEL, which has " +
                            std::to_string(own) + "; without MODEL the arguments tell its shape");
    }
  };
  std::int64_t layers = 0;
  for (const models::Run& run : spec.stacks.front().runs) {
    layers += run.count;
  }
  check("--num-layers", job.layers, layers);
  check("--hidden-size", job.hidden, spec.hidden);
  check("--num-attention-heads", job.heads, spec.stacks.front().runs.front().block.attention.heads);
}

void check_width(const MegatronJob& job, const PlanSetting& setting, const std::string& source,
                 Diagnostics& diagnostics) {
  const std::vector<std::int64_t> widths = search::possible_widths(setting);
  if (std::ranges::find(widths, job.strategy.tensor) == widths.end()) {
    diagnostics.error(
        {source, 0, 0, "--tensor-model-parallel-size"},
        std::to_string(job.strategy.tensor) +
            " does not divide the model's heads, key-value heads or feed-forward width");
  }
  if (const auto most = hw::device_count(setting.cluster); most && *most < setting.devices) {
    diagnostics.error({"command line", 0, 0, "--cluster"},
                      setting.cluster.name + " has " + counted(*most, "device"));
  }
}

}  // namespace

int run_from(PlanOptions options, const std::string& program, const std::string& arguments) {
  Diagnostics diagnostics;
  check_options(options, diagnostics);
  const auto job = read_job(options, program, arguments, diagnostics);
  const Inputs inputs = {{"job", arguments.starts_with("@") ? source_of(arguments) : ""}};
  for (const auto& [name, path] :
       {std::pair("--output", options.output), std::pair("--report", options.report)}) {
    const auto why = path.empty() ? std::nullopt : find_output_fault(path, inputs);
    if (why) {
      diagnostics.error({"command line", 0, 0, name}, *why);
    }
  }
  if (!job || diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  if (job->spec) {
    options.model.loaded = *job->spec;
    options.model.model = "megatron";
  }
  if (options.devices > 0 && options.devices < job->devices) {
    diagnostics.error(
        {"command line", 0, 0, "--devices"},
        "expected at least the " + counted(job->devices, "device") + " that the arguments start");
    return report_bad_input(diagnostics);
  }
  options.devices = std::max(options.devices, job->devices);
  options.global_batch = job->global_batch;
  options.no_overlap = !job->workload.overlap;
  options.model.sequence = job->sequence;
  options.model.precision = job->workload.precision;
  options.model.optimizer = job->workload.optimizer;
  options.model.attention = job->workload.attention;
  const auto setting = read_setting(options, diagnostics);
  const auto run = read_run(options, diagnostics);
  if (!setting || diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  if (!is_decoder(*setting)) {
    diagnostics.error({"command line", 0, 0, "MODEL"},
                      "expected a decoder with a vocabulary, as pretrain_gpt.py trains");
    return report_bad_input(diagnostics);
  }
  check_shape(*job, *setting, source_of(arguments), diagnostics);
  check_width(*job, *setting, source_of(arguments), diagnostics);
  const auto given = make_given(*job, *setting, diagnostics);
  if (!given || diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  say_unused(*job);
  const search::PlanAnswer today = search::price_given_plan(*setting, *given);
  if (today.plans.empty()) {
    return report_no_answer(today.reason);
  }
  check_plans(*setting, today);
  const search::PlanAnswer best = solve_plan(*setting, 1);
  check_plans(*setting, best);

  report::PlanReport report;
  report.record = search::make_record(*setting, today);
  report.record.model = options.model.model;
  report.title = plan_title(*setting, options.model.model) + ", as it is started today";
  if (best.has_fitting()) {
    report.record.best = search::make_record(*setting, best).plan;
  }
  add_range(report.record, setting->chip);
  add_simulated(report.record);
  if (run && today.has_fitting()) {
    report.record.run =
        search::compute_training_run(report.record, setting->chip, run->tokens, run->prices);
  }
  for (const std::string& note : report.record.notes) {
    report_note(note);
  }
  if (!today.has_fitting()) {
    report_note("does not fit: " + report::missing_memory_text(today.plans.front()));
  }
  const std::string json = io::write_plan(report.record);
  if (!options.output.empty()) {
    const HoldInterrupts hold;
    if (!io::write_text_file(options.output, json, diagnostics)) {
      return report_bad_input(diagnostics);
    }
  }
  const int exit_code = print(options.json ? json : for_people(report::plan_text(report)));
  if (was_interrupted()) {
    report_note("interrupted: the best plan is the best so far");
    return kInterrupted;
  }
  return today.has_fitting() ? exit_code : std::max(exit_code, kNoAnswer);
}

}  // namespace phaze::cli
