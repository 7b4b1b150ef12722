#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>

#include "base/check.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/experts.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/output_file.h"
#include "cli/place_plan.h"
#include "cli/progress.h"
#include "cli/search_run.h"
#include "io/file_writer.h"
#include "io/reproduction_json.h"
#include "presets/clusters.h"
#include "presets/spaces.h"
#include "report/reproduce_report.h"
#include "search/large_search.h"
#include "search/reproduce.h"

namespace phaze::cli {
namespace {

// Chips with the means of a TPUv4.
constexpr const char* kEqualMeans = "tpuv4-class";

struct ReproduceCommandOptions : CommonOptions {
  std::string space = "phaze2024";
  std::vector<std::string> models = {"bert-large",         "megatron-bert",    "gpt2-xl",
                                     "opt-350m",           "megatron-gpt2-xl", "megatron-gpt2-2.5b",
                                     "megatron-gpt2-8.3b", "gpt3-175b",        "llama2-7b"};
  std::vector<std::string> columns = {"phaze2024-released", "phaze2024", "tpuv4", "modern"};
  std::string modern_space = kEqualMeans;
  std::string write;
};

constexpr const char* kReleased = "phaze2024-released";
constexpr const char* kOriginal = "phaze2024";
constexpr const char* kReal = "tpuv4";
constexpr const char* kModern = "modern";

std::string words_of(const std::string& column, const std::string& space) {
  if (column == kReleased) {
    return "as the released code counts: communication a thousand times too cheap, no weight "
           "gradients";
  }
  if (column == kOriginal) {
    return "the same in right units, with weight gradients";
  }
  if (column == kReal) {
    return "right units; the reference is the TPUv4 with its real vector units and HBM, all links "
           "as fast as one dimension of its torus";
  }
  const std::string training =
      "today's training (fused operators, Adam in mixed precision, sharding, all choices of `phaze "
      "place`) and its costs";
  return space == kEqualMeans
             ? "what we stand by: " + training +
                   ", node, clock, HBM, links and torus of the TPUv4 for all chips, none with more "
                   "area or power"
             : training + " on the TPUv4's torus, chips as their space has them";
}

// One link of a TPUv4's torus for everything, since the original knows one link only.
void use_real_network(search::SearchQuestion& question, Diagnostics& diagnostics) {
  const auto pod = presets::load_cluster("tpuv4-pod", {}, diagnostics);
  CHECK(pod.has_value(), to_string(diagnostics));
  for (search::SearchModel& model : question.models) {
    model.setting.cluster.name = "flat, with the bandwidth of " + pod->name;
    model.setting.cluster.levels.front().bandwidth = pod->levels.front().bandwidth;
  }
}

std::optional<search::ReproduceQuestion> read_column(const ReproduceCommandOptions& options,
                                                     const space::Space& space,
                                                     const std::string& column,
                                                     Diagnostics& diagnostics) {
  ChipSearchOptions asked;
  asked.models = options.models;
  asked.assumptions = column == kReleased || column == kModern ? column : kOriginal;
  asked.reference = column == kReal || column == kModern ? "tpuv4" : "phaze-reference";
  asked.global_batch = search::default_global_batch(search::Assumptions::kPhaze2024);
  asked.cluster = column == kModern ? "tpuv4-pod" : "";
  std::optional<search::SearchQuestion> question = read_question(asked, space, diagnostics);
  if (!question) {
    return std::nullopt;
  }
  search::ReproduceQuestion made;
  made.name = column;
  made.words = words_of(column, space.name);
  if (column == kReal) {
    use_real_network(*question, diagnostics);
  }
  made.search = std::move(*question);
  for (const std::string& model : options.models) {
    made.experts.push_back(find_expert_strategy(model).value());
  }
  return made;
}

void check_options(const ReproduceCommandOptions& options, Diagnostics& diagnostics) {
  const auto fault = [&](const char* option, const std::string& message) {
    diagnostics.error({"command line", 0, 0, option}, message);
  };
  for (std::size_t i = 0; i < options.models.size(); ++i) {
    const std::string& model = options.models[i];
    if (!find_expert_strategy(model)) {
      fault("--models",
            "expected models of the paper (" + expert_models() + "), found \"" + model + "\"");
    }
    if (std::ranges::count(options.models, model) > 1) {
      fault("--models", "\"" + model + "\" is there twice");
      break;
    }
  }
  for (const std::string& column : options.columns) {
    if (column != kReleased && column != kOriginal && column != kReal && column != kModern) {
      fault("--columns",
            "expected phaze2024-released, phaze2024, tpuv4 or modern, found \"" + column + "\"");
    }
    if (std::ranges::count(options.columns, column) > 1) {
      fault("--columns", "\"" + column + "\" is there twice");
      break;
    }
  }
  if (!options.write.empty()) {
    if (const auto why = find_output_fault(
            options.write, {{"space", options.space}, {"modern space", options.modern_space}})) {
      fault("--write", *why);
    } else {
      io::check_writable(options.write, diagnostics);
    }
  }
}

plan::Reproduction reproduce(const ReproduceCommandOptions& options,
                             const std::vector<search::ReproduceQuestion>& questions) {
  Progress progress;
  search::ReproduceOptions how;
  how.check = check_plans;
  std::string column;
  how.search.is_cancelled = [&](const search::SearchOptions::Progress& at) {
    progress.show(column + ", " + at.stage + ": " +
                  with_thousands(static_cast<std::int64_t>(at.settled)) + " of " +
                  with_thousands(static_cast<std::int64_t>(at.total)) + " chips settled");
    return was_interrupted();
  };
  progress.show("pricing chips");
  const NoteInterrupts note;
  plan::Reproduction made;
  made.devices = questions.front().search.models.front().setting.devices;
  made.global_batch = questions.front().search.models.front().setting.global_batch;
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  for (const search::ReproduceQuestion& question : questions) {
    column = question.name;
    arena.execute([&] {
      if (auto found = search::reproduce_column(question, how)) {
        made.columns.push_back(std::move(*found));
      }
    });
    if (made.columns.empty() || made.columns.back().name != question.name) {
      break;
    }
  }
  return made;
}

// With faults where a column cannot be asked.
std::vector<search::ReproduceQuestion> read_columns(const ReproduceCommandOptions& options,
                                                    Diagnostics& diagnostics) {
  std::vector<search::ReproduceQuestion> questions;
  for (const bool is_modern : {false, true}) {
    const std::string& name = is_modern ? options.modern_space : options.space;
    const auto is_of_it = [&](const std::string& column) {
      return (column == kModern) == is_modern;
    };
    if (diagnostics.has_errors() || std::ranges::none_of(options.columns, is_of_it)) {
      continue;
    }
    const std::optional<space::Space> space = presets::load_space(name, diagnostics);
    if (space && !space->budgets.area) {
      diagnostics.error({"command line", 0, 0, is_modern ? "--modern-space" : "--space"},
                        "expected a space with a budget of area, found none in " + space->name);
    }
    if (space && search::is_large(*space)) {
      diagnostics.error({"command line", 0, 0, is_modern ? "--modern-space" : "--space"},
                        "expected a space whose chips can be listed, with up to 1,000,000 "
                        "combinations, found " +
                            with_thousands(space::combinations(*space)) + " in " + space->name);
    }
    if (!space || diagnostics.has_errors()) {
      continue;
    }
    for (const std::string& column : options.columns) {
      if (is_of_it(column)) {
        if (auto question = read_column(options, *space, column, diagnostics)) {
          questions.push_back(std::move(*question));
        }
      }
    }
  }
  return questions;
}

int run_reproduce(const ReproduceCommandOptions& options) {
  Diagnostics diagnostics;
  check_options(options, diagnostics);
  const std::vector<search::ReproduceQuestion> questions = read_columns(options, diagnostics);
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  const plan::Reproduction made = reproduce(options, questions);
  if (made.columns.size() < questions.size() && !was_interrupted()) {
    return report_no_answer("no chip of " + questions[made.columns.size()].search.space.name +
                            " is within its budgets and can run the models");
  }
  if (made.columns.empty()) {
    report_note("interrupted before a column was done");
    return kInterrupted;
  }
  if (!options.write.empty() && !was_interrupted()) {
    const HoldInterrupts hold;
    if (!io::write_text_file(options.write, report::reproduction_markdown(made), diagnostics)) {
      return report_bad_input(diagnostics);
    }
  }
  const int exit_code =
      print(options.json ? io::write_reproduction(made) : report::reproduction_text(made));
  if (was_interrupted()) {
    report_note("interrupted: these are the columns that were done");
    return kInterrupted;
  }
  return exit_code;
}

}  // namespace

void add_reproduce_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "reproduce", "Run the evaluation of the Phaze paper again, beside its findings");
  const auto options = std::make_shared<ReproduceCommandOptions>();
  command
      ->add_option("--models", options->models,
                   "Models of the paper, with commas (default: all nine: " + expert_models() + ")")
      ->delimiter(',');
  command
      ->add_option("--columns", options->columns,
                   "Assumptions, with commas: phaze2024-released (the released code's faults), "
                   "phaze2024 (right units), tpuv4 (and the TPUv4's real vector units, HBM and "
                   "link), modern (today's training at the TPUv4's node, clock, HBM, network, area "
                   "and power) (default: all four)")
      ->delimiter(',');
  command->add_option("--space", options->space,
                      "Built-in name or YAML file of the chips (default: phaze2024)");
  command->add_option("--modern-space", options->modern_space,
                      "The same of the column modern (default: tpuv4-class)");
  command->add_option("--write", options->write,
                      "Write the tables and what they mean to a Markdown file too (default: none)");
  add_common_options(*command, *options);
  command->callback([options, &action] { action = [options] { return run_reproduce(*options); }; });
}

}  // namespace phaze::cli
