// `phaze compare`: two chips, clusters or plans side by side, and where the difference comes from.
#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/commands.h"
#include "cli/output.h"
#include "cli/place_plan.h"
#include "cli/place_setting.h"
#include "cli/plan_file.h"
#include "cli/progress.h"
#include "io/comparison_json.h"
#include "io/document.h"
#include "plan/compared_figures.h"
#include "presets/chips.h"
#include "presets/clusters.h"
#include "report/comparison_report.h"
#include "search/attribution.h"

namespace phaze::cli {
namespace {

using plan::Comparison;

struct CompareOptions : PlanOptions {
  std::string a, b;
};

enum class Kind { kChip, kCluster, kPlan };

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// Built-in names tell what they are; of a file its keys do.
std::optional<Kind> find_kind(const std::string& name, const char* where,
                              Diagnostics& diagnostics) {
  if (is_in(presets::chip_names(), name)) {
    return Kind::kChip;
  }
  if (is_in(presets::cluster_names(), name)) {
    return Kind::kCluster;
  }
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored)) {
    std::vector<std::string> known = presets::chip_names();
    for (const std::string& cluster : presets::cluster_names()) {
      known.push_back(cluster);
    }
    diagnostics.error({"command line", 0, 0, where},
                      "expected a chip, a cluster or a plan by name or file, found \"" + name +
                          "\"" + did_you_mean(name, known));
    return std::nullopt;
  }
  const auto text = io::read_text_file(name, diagnostics);
  const auto document = text ? io::parse_document(*text, name, diagnostics) : std::nullopt;
  if (!document) {
    return std::nullopt;
  }
  if (document->find("schema") != nullptr && document->find("stages") == nullptr) {
    diagnostics.error(document->where,
                      "expected a chip, a cluster or a plan, found another answer of phaze");
    return std::nullopt;
  }
  return document->find("stages") != nullptr   ? Kind::kPlan
         : document->find("levels") != nullptr ? Kind::kCluster
                                               : Kind::kChip;
}

// The best plan of a setting; nothing, after it was said why, when there is none.
std::optional<plan::PlanRecord> plan_of(const search::PlanSetting& setting,
                                        const CompareOptions& options, int& exit_code) {
  const search::PlanAnswer answer = solve_plan(setting, 1);
  check_plans(setting, answer);
  if (!answer.has_fitting()) {
    report_note("with " + setting.chip.name + " and " + setting.cluster.name + ":");
    exit_code = show_no_plan(setting, options.json, answer);
    return std::nullopt;
  }
  plan::PlanRecord record = search::make_record(setting, answer);
  record.model = options.model.model;
  return record;
}

int show(const Comparison& comparison, bool json) {
  for (const std::string& note : comparison.notes) {
    report_note(note);
  }
  return print(json ? io::write_comparison(comparison)
                    : for_people(report::comparison_text(comparison)));
}

int compare_plans(const CompareOptions& options, Diagnostics& diagnostics) {
  for (const std::string& name : options.given) {
    diagnostics.error({"command line", 0, 0, name},
                      "means nothing with two plans, which say what they are of: leave it out");
  }
  Comparison comparison{"plans", options.a, options.b, {}, {}, {}, {}, {}};
  comparison.plan_a = load_plan(options.a, diagnostics);
  comparison.plan_b = load_plan(options.b, diagnostics);
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  const plan::PlanRecord& a = *comparison.plan_a;
  const plan::PlanRecord& b = *comparison.plan_b;
  comparison.figures = plan::plan_figures(a, b);
  std::string differ;
  const auto note = [&differ](bool differs, const std::string& what) {
    if (differs) {
      differ += (differ.empty() ? "" : ", ") + what;
    }
  };
  note(a.model != b.model, "model");
  note(a.sequence != b.sequence, "sequence");
  note(a.plan.global_batch != b.plan.global_batch, "global batch");
  note(a.chip != b.chip, "chip");
  note(a.cluster != b.cluster, "cluster");
  note(a.plan.devices != b.plan.devices, "devices");
  if (!differ.empty()) {
    comparison.notes.push_back("the plans differ in their " + differ);
  }
  return show(comparison, options.json);
}

// Both settings: with A, and with B.
int compare_settings(CompareOptions options, Kind kind, Diagnostics& diagnostics) {
  const bool is_chips = kind == Kind::kChip;
  std::string& choice = is_chips ? options.chip : options.cluster;
  const char* name = is_chips ? "--chip" : "--cluster";
  if (is_given(options, name)) {
    diagnostics.error(
        {"command line", 0, 0, name},
        "the two that are compared are " + std::string(is_chips ? "chips" : "clusters"));
    return report_bad_input(diagnostics);
  }
  options.given.emplace_back(name);
  Comparison comparison{is_chips ? "chips" : "clusters", options.a, options.b, {}, {}, {}, {}, {}};
  const bool has_model = is_given(options, "--model");
  if (is_chips) {
    const auto a = presets::load_chip(options.a, options.settings, diagnostics);
    const auto b = presets::load_chip(options.b, options.settings, diagnostics);
    if (!a || !b) {
      return report_bad_input(diagnostics);
    }
    comparison.figures = plan::chip_figures(*a, *b);
  } else {
    const auto a = presets::load_cluster(options.a, {}, diagnostics);
    const auto b = presets::load_cluster(options.b, {}, diagnostics);
    if (!a || !b) {
      return report_bad_input(diagnostics);
    }
    comparison.figures = plan::cluster_figures(*a, *b);
  }
  if (!has_model) {
    for (const std::string& given : options.given) {
      if (given != name && given != "--set") {
        diagnostics.error({"command line", 0, 0, given}, "means nothing without --model");
      }
    }
    return diagnostics.has_errors() ? report_bad_input(diagnostics)
                                    : show(comparison, options.json);
  }
  choice = options.a;
  const auto with_a = read_setting(options, diagnostics);
  choice = options.b;
  const auto with_b = with_a ? read_setting(options, diagnostics) : std::nullopt;
  if (!with_b) {
    return report_bad_input(diagnostics);
  }
  int exit_code = kAnswer;
  comparison.plan_a = plan_of(*with_a, options, exit_code);
  comparison.plan_b = comparison.plan_a ? plan_of(*with_b, options, exit_code) : std::nullopt;
  if (!comparison.plan_b) {
    return exit_code;
  }
  const auto changes = is_chips ? search::chip_changes(with_a->chip, with_b->chip)
                                : search::cluster_changes(with_a->cluster, with_b->cluster);
  if (changes.empty()) {
    comparison.notes.emplace_back(
        "the clusters have different numbers of levels: which of them makes the difference is not "
        "said");
  } else {
    Progress progress;
    search::AttributionOptions how;
    how.first = comparison.plan_a->plan.iteration;
    how.last = comparison.plan_b->plan.iteration;
    how.on_done = [&progress, all = std::size_t{1} << changes.size()](std::size_t done) {
      progress.show("planning mixtures of the two: " + std::to_string(done) + " of " +
                    std::to_string(all) + " done");
    };
    if (auto causes = search::attribute(*with_a, changes, how)) {
      comparison.causes = *std::move(causes);
    } else {
      comparison.notes.emplace_back("some mixture of the two has no plan that fits: no causes");
    }
  }
  return show(comparison, options.json);
}

int run_compare(const CompareOptions& options) {
  Diagnostics diagnostics;
  const auto a = find_kind(options.a, "A", diagnostics);
  const auto b = find_kind(options.b, "B", diagnostics);
  if (a && b && *a != *b) {
    diagnostics.error({"command line", 0, 0, "B"},
                      "expected two chips, two clusters or two plans, found one of each of two");
  }
  if (diagnostics.has_errors()) {
    return report_bad_input(diagnostics);
  }
  return *a == Kind::kPlan ? compare_plans(options, diagnostics)
                           : compare_settings(options, *a, diagnostics);
}

}  // namespace

void add_compare_command(CLI::App& program, Action& action) {
  CLI::App* command = program.add_subcommand(
      "compare", "Two chips, clusters or plans side by side, and what makes the difference");
  const auto options = std::make_shared<CompareOptions>();
  command->add_option("A", options->a, "Chip, cluster or plan: built-in name or file")->required();
  command->add_option("B", options->b, "Another of the same kind")->required();
  const std::vector<CLI::Option*> own = {
      command->add_option("--model", options->model.model,
                          "Compare by the best plans for this model: built-in name, config.json "
                          "or graph file (default: none)"),
      command->add_option("--chip", options->chip, "With two clusters: the chip (default: none)"),
      command->add_option("--cluster", options->cluster,
                          "With two chips: the cluster (default: dgx-h100)"),
      command
          ->add_option("--set", options->settings,
                       "FIELD=VALUE of both chips, such as chip.hbm.bandwidth=+20%; may be given "
                       "several times")
          ->allow_extra_args(false),
      command->add_option("--devices", options->devices, "Devices that there are (default: 1024)")
          ->check(whole_number()),
      command
          ->add_option("--global-batch", options->global_batch,
                       "Sequences of an iteration (default: 2048)")
          ->check(whole_number()),
      command
          ->add_option("--sequence", options->model.sequence,
                       "Tokens per sequence (default: the model's own, at most 8192)")
          ->check(whole_number()),
  };
  add_common_options(*command, *options);
  command->callback([options, own, &action] {
    for (const CLI::Option* option : own) {
      if (option->count() > 0) {
        options->given.push_back(option->get_name());
        if (option->get_name() == "--sequence") {
          options->model.given.push_back(option->get_name());
        }
      }
    }
    action = [options] { return run_compare(*options); };
  });
}

}  // namespace phaze::cli
