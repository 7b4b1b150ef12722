#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/check.h"
#include "base/text.h"
#include "cli/assumptions.h"
#include "cli/layer_schedules.h"
#include "cli/search_run.h"
#include "cli/value_lists.h"
#include "presets/chips.h"
#include "presets/clusters.h"

namespace phaze::cli {
namespace {

using search::SearchQuestion;

void fault(Diagnostics& diagnostics, const std::string& option, const std::string& message) {
  diagnostics.error({"command line", 0, 0, option}, message);
}

// The same choices for every model; what the space says goes for all chips.
search::PlanSetting read_model(const ChipSearchOptions& options, Assumptions assumptions,
                               const space::Space& space, const hw::Cluster& cluster,
                               const std::string& name, Diagnostics& diagnostics) {
  search::PlanSetting setting;
  setting.assumptions = assumptions;
  setting.chip = space.base;
  setting.cluster = cluster;
  setting.devices = options.devices > 0 ? options.devices : search::default_devices(assumptions);
  setting.global_batch =
      options.global_batch > 0 ? options.global_batch : search::default_global_batch(assumptions);
  setting.limits.microbatch = space.training.microbatches;
  setting.limits.tensor = space.training.tensor_widths;
  for (const space::Recompute each : space.training.recompute) {
    setting.limits.recompute.push_back(plan::parse_recompute(space::to_string(each)).value());
  }
  setting.scheduling.exclusive_wide = exclusive_wide(assumptions);
  ModelOptions model = options.model;
  model.model = name;
  assume(assumptions, model);
  if (auto workload = load_workload(model, diagnostics)) {
    setting.model = std::move(workload->model);
    setting.build = workload->build;
    setting.build.pads_vocabulary = !search::is_original(setting.assumptions);
    setting.training = workload->training;
    search::chain_length(setting, diagnostics);  // can it be built as it is asked for?
  }
  return setting;
}

// Every chip reaches its peaks.
void make_ideal(hw::Chip& chip) {
  chip.sustained.matrix = chip.sustained.core = chip.sustained.vector = chip.sustained.hbm = 1;
}

// What kernels sustain where a chip says nothing: as on the H100, the nearest machine that was
// measured. Says what is assumed.
std::string assume_sustained(hw::Chip& chip) {
  const hw::Sustained& own = chip.sustained;
  const auto text = [&chip](const std::string& whose) {
    const auto share = [](double value) { return with_prefix(100 * value, "%"); };
    return "sustained: inner loops " + share(chip.sustained.core) + ", lanes " +
           share(chip.sustained.vector) + ", HBM " + share(chip.sustained.hbm) +
           ", matrix units within power " + share(chip.sustained.matrix) + "; " + whose;
  };
  if (own.matrix != 1 || own.core != 1 || own.vector != 1 || own.hbm != 1) {
    return text("the base chip's own");
  }
  Diagnostics diagnostics;
  const std::optional<hw::Chip> measured = presets::load_chip("h100", {}, diagnostics);
  CHECK(measured, "a built-in chip");
  chip.sustained.core = measured->sustained.core;
  chip.sustained.vector = measured->sustained.vector;
  chip.sustained.hbm = measured->sustained.hbm;
  return text(
      "the H100's, the nearest that was measured, but for power: design power counts all "
      "units at their peak");
}

// "gpt3-175b=2": of a model that is asked for, each at most once.
void read_weights(const ChipSearchOptions& options, SearchQuestion& question,
                  Diagnostics& diagnostics) {
  if (!options.weights.empty() && question.combination == search::Combination::kWorst) {
    fault(diagnostics, "--weight",
          "means nothing with --combine worst: the model that loses most counts alone");
  } else if (!options.weights.empty() && question.models.size() == 1) {
    fault(diagnostics, "--weight", "means nothing with one model");
  }
  std::vector<std::string> seen;
  for (const std::string& text : options.weights) {
    const std::size_t equals = text.rfind('=');
    const std::string name = text.substr(0, equals);
    const std::string_view number =
        equals == std::string::npos ? "" : std::string_view(text).substr(equals + 1);
    double weight = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), weight);
    if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(weight) ||
        weight <= 0) {
      fault(diagnostics, "--weight",
            "expected MODEL=NUMBER with a number above 0, found \"" + text + "\"");
      continue;
    }
    const auto model = std::ranges::find(question.models, name, &search::SearchModel::name);
    if (model == question.models.end()) {
      fault(diagnostics, "--weight", "\"" + name + "\" is none of the models");
    } else if (std::ranges::find(seen, name) != seen.end()) {
      fault(diagnostics, "--weight", "\"" + name + "\" has two");
    } else {
      model->weight = weight;
      seen.push_back(name);
    }
  }
}

// How operators of layers are put on cores.
void read_scheduling(const ChipSearchOptions& options, SearchQuestion& question,
                     Diagnostics& diagnostics) {
  const std::optional<search::Solver> solve =
      read_layer_schedules("--schedule", options.schedule, options.ilp_time_limit_s, diagnostics);
  if (!solve || !*solve) {
    return;
  }
  question.schedules = options.schedule;
  question.schedule_limit = Seconds(options.ilp_time_limit_s);
  question.notes.push_back("layers are scheduled by integer programs, " +
                           with_prefix(options.ilp_time_limit_s, "s") + " for each at most");
  for (search::SearchModel& model : question.models) {
    model.setting.scheduling.solve = *solve;
  }
}

}  // namespace

std::optional<SearchQuestion> read_question(const ChipSearchOptions& options, space::Space space,
                                            Diagnostics& diagnostics) {
  const auto assumptions = parse_assumptions(options.assumptions);
  const std::vector<std::string> names = split_list(options.objective);
  std::optional<search::Objective> objective;
  for (std::size_t i = names.size(); i-- > 0;) {
    objective = search::parse_objective(names[i]);
    if (!objective) {
      break;
    }
  }
  for (const std::string& name : names) {
    if (std::ranges::count(names, name) > 1) {
      fault(diagnostics, "--objective", "\"" + name + "\" is there twice");
      break;
    }
  }
  if (names.size() > 1 && options.models.size() > 1) {
    fault(diagnostics, "--objective", "a front of several objectives is of one model");
  }
  const auto combination = search::parse_combination(options.combination);
  if (!assumptions) {
    fault(
        diagnostics, "--assumptions",
        "expected modern, phaze2024 or phaze2024-released, found \"" + options.assumptions + "\"");
  }
  if (!objective) {
    fault(diagnostics, "--objective",
          "expected throughput, per-watt, per-dollar or per-carbon, or several of them, found \"" +
              options.objective + "\"");
  }
  if (!combination) {
    fault(diagnostics, "--combine",
          "expected mean, geometric, raw or worst, found \"" + options.combination + "\"");
  }
  if (diagnostics.has_errors()) {
    return std::nullopt;
  }
  SearchQuestion question;
  question.objective = *objective;
  question.combination = *combination;
  const auto cluster = presets::load_cluster(
      options.cluster.empty() ? default_cluster(*assumptions) : options.cluster, {}, diagnostics);
  const bool is_original = search::is_original(*assumptions);
  const auto reference = presets::load_chip(!options.reference.empty() ? options.reference
                                            : is_original              ? "phaze-reference"
                                                                       : "h100",
                                            chip_settings(*assumptions), diagnostics);
  if (!cluster || !reference) {
    return std::nullopt;
  }
  if (is_original && cluster->levels.size() != 1) {
    fault(diagnostics, "--cluster",
          "the original knows one link for everything: expected a cluster of one level, such as "
          "flat");
    return std::nullopt;
  }
  question.reference = *reference;
  if (is_original) {
    make_ideal(space.base);
  } else {
    question.notes.push_back(assume_sustained(space.base));
    assume_sustained(question.reference);
  }
  for (const std::string& name : options.models) {
    if (std::ranges::find(question.models, name, &search::SearchModel::name) !=
        question.models.end()) {
      fault(diagnostics, "MODEL", "\"" + name + "\" is there twice; --weight makes one count more");
      continue;
    }
    question.models.push_back(
        {name, read_model(options, *assumptions, space, *cluster, name, diagnostics), 1});
  }
  read_weights(options, question, diagnostics);
  read_scheduling(options, question, diagnostics);
  question.space = std::move(space);
  return diagnostics.has_errors() ? std::nullopt : std::optional(std::move(question));
}

}  // namespace phaze::cli
