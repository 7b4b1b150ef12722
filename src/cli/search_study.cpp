#include "cli/search_study.h"

#include <array>
#include <cstdint>
#include <cstdio>

#include "base/text.h"
#include "base/version.h"
#include "cli/output.h"
#include "cli/search_rows.h"
#include "hw/cost.h"
#include "hw/figures.h"
#include "io/chip_json.h"
#include "io/cluster_json.h"
#include "io/graph_json.h"
#include "io/space_json.h"
#include "search/original_layers.h"
#include "space/chips.h"

namespace phaze::cli {
namespace {

// Of a chip that bounds others in a large space: as close as it gets, or far above what was enough.
std::string close_key(const std::string& model) { return "close_" + model + "_sequences_per_s"; }
std::string far_key(const std::string& model) { return "far_" + model + "_sequences_per_s"; }
// The same for the same text; others have another one.
std::string fingerprint(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char c : text) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(hash));
  return digits.data();
}

// What leaves chips of a space out.
std::string limits_text(const space::Space& space) {
  std::string text;
  const auto number = [&text](double value) { text += std::to_string(value) + " "; };
  for (const space::Filter& filter : space.filters) {
    text += std::string(space::traits(filter.left).path) + " " +
            std::string(space::to_string(filter.comparison)) + " " +
            std::string(filter.right ? space::traits(*filter.right).path : "") + " ";
    number(filter.value);
  }
  for (const space::Tie& tie : space.ties) {
    text += std::string(space::traits(tie.field).path) + " " +
            std::to_string(static_cast<int>(tie.kind)) + " " +
            std::string(space::traits(tie.of).path) + " ";
    number(tie.factor);
  }
  const space::Budgets& budgets = space.budgets;
  number(budgets.area ? budgets.area->value() : 0);
  number(budgets.power ? budgets.power->value() : 0);
  number(budgets.die_cost ? budgets.die_cost->value() : 0);
  number(budgets.least_area ? budgets.least_area->share : 0);
  return text;
}

// All that a space's chips are: those at both ends, every axis, and which are within. Chips of a
// large space are not listed.
std::string definition_of(const search::SearchQuestion& question,
                          const std::vector<search::SearchChip>& chips) {
  std::string text = io::write_spaces({question.space});
  if (chips.empty()) {
    text += limits_text(question.space);
  }
  const search::SearchChip first, last{space::combinations(question.space) - 1, std::nullopt};
  for (const search::SearchChip& chip :
       {chips.empty() ? first : chips.front(), chips.empty() ? last : chips.back()}) {
    const hw::Chip made = search::make_chip(question, chip);
    text += io::write_chip(made, hw::compute_figures(made, question.space.technology).value());
  }
  for (const space::Axis& axis : question.space.axes) {
    text += space::traits(axis.field).path;
    for (const double value : axis.values) {
      text += " " + space::value_text(axis.field, value);
    }
    text += "\n";
  }
  for (const search::SearchChip& chip : chips) {
    text += std::to_string(chip.index) + " ";
  }
  return fingerprint(text);
}

// The graph of a whole model on one device.
std::string definition_of(const search::PlanSetting& setting) {
  const search::OriginalGraphs graphs =
      search::make_original_graphs(search::make_original_request(setting));
  return graphs.shapes.empty() ? graphs.reason
                               : fingerprint(io::write_graph(graphs.shapes.front().model));
}

}  // namespace

plan::StudyQuestion make_study_question(const search::SearchQuestion& question,
                                        const std::vector<search::SearchChip>& chips) {
  plan::StudyQuestion asked;
  const search::PlanSetting& setting = question.models.front().setting;
  std::string models, definitions, sequences, weights;
  for (const search::SearchModel& model : question.models) {
    const std::string space = models.empty() ? "" : " ";
    models += space + model.name;
    definitions += space + definition_of(model.setting);
    weights += space + shortest(model.weight);
    sequences += space + std::to_string(search::sequence_of(model.setting));
  }
  asked.parts = {{"space", question.space.name},
                 {"space_definition", definition_of(question, chips)},
                 {"models", models},
                 {"model_definitions", definitions},
                 {"sequence", sequences},
                 {"reference", question.reference.name},
                 {"reference_definition", fingerprint(io::write_chip(question.reference, {}))},
                 {"assumptions", std::string(to_string(setting.assumptions))},
                 {"cluster", setting.cluster.name},
                 {"cluster_definition", io::write_clusters({setting.cluster})},
                 {"devices", std::to_string(setting.devices)},
                 {"global_batch", std::to_string(setting.global_batch)},
                 {"objective", std::string(search::to_string(question.objective))},
                 {"combination", std::string(search::to_string(question.combination))},
                 {"weights", weights},
                 {"schedule", question.schedules +
                                  (question.schedule_limit
                                       ? ", " + shortest(question.schedule_limit->value()) + " s"
                                       : "")},
                 {"version", std::string(kVersion)}};
  asked.chips_total =
      chips.empty() ? space::combinations(question.space) : static_cast<std::int64_t>(chips.size());
  return asked;
}

SearchStudy::SearchStudy(study::Study study, const search::SearchQuestion& question,
                         const std::vector<search::SearchChip>& chips)
    : study_(std::move(study)), question_(&question), chips_(chips) {}

SearchStudy::Values& SearchStudy::values_of(KnownValues& values, std::size_t chip) {
  Values& found = values[chip];
  found.resize(question_->models.size());
  return found;
}

std::optional<SearchStudy> SearchStudy::open(const std::string& path,
                                             const search::SearchQuestion& question,
                                             const std::vector<search::SearchChip>& chips,
                                             Diagnostics& diagnostics) {
  for (std::size_t i = 0; i < question.models.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      if (study::is_same_metric(question.models[i].name, question.models[k].name)) {
        diagnostics.error({"command line", 0, 0, "--study"},
                          "expected models whose names differ by more than case (they name columns "
                          "of the study), found \"" +
                              question.models[k].name + "\" and \"" + question.models[i].name +
                              "\"");
        return std::nullopt;
      }
    }
  }
  std::optional<study::Study> opened =
      study::Study::open(path, make_study_question(question, chips), diagnostics);
  const std::optional<plan::StudyRecord> record =
      opened ? opened->read(study::Plans::kLeftOut, diagnostics) : std::nullopt;
  if (!record) {
    return std::nullopt;
  }
  SearchStudy made(*std::move(opened), question, chips);
  for (const plan::ChipRow& row : record->chips) {
    for (std::size_t i = 0; i < question.models.size(); ++i) {
      const std::string& name = question.models[i].name;
      const auto exact = row.metrics.find(throughput_key(name));
      const auto bound = row.metrics.find(bound_key(name));
      search::ChipValue value;
      if (exact != row.metrics.end()) {
        value.throughput = value.most = exact->second;
        if (const auto most = row.metrics.find(most_key(name)); most != row.metrics.end()) {
          value.most = most->second;
        }
        const auto whole = [&row](const std::string& key) {
          const auto found = row.metrics.find(key);
          return found != row.metrics.end() ? static_cast<std::int64_t>(found->second) : 0;
        };
        value.nodes = whole(nodes_key(name));
        value.tensor = whole(tensor_key(name));
        value.microbatch = whole(microbatch_key(name));
        const auto memory = row.metrics.find(memory_key(name));
        value.memory = memory != row.metrics.end()
                           ? Bytes(static_cast<std::int64_t>(memory->second))
                           : Bytes();
      } else if (bound != row.metrics.end()) {
        value.throughput = value.most = bound->second;
        value.is_exact = false;
      }
      const auto chip = static_cast<std::size_t>(row.chip);
      if (exact != row.metrics.end() || bound != row.metrics.end()) {
        made.values_of(made.values_, chip)[i] = value;
        made.known_.push_back({i, chip, value, false});
      }
      for (const bool is_close : {true, false}) {
        const auto top = row.metrics.find(is_close ? close_key(name) : far_key(name));
        if (top != row.metrics.end()) {
          search::ChipValue of_top;
          of_top.throughput = of_top.most = top->second;
          of_top.is_exact = is_close;
          made.values_of(made.tops_, chip)[i] = of_top;
          made.known_.push_back({i, chip, of_top, true});
        }
      }
    }
  }
  return made;
}

std::optional<search::ChipValue> SearchStudy::value_of(const KnownValues& values, std::size_t chip,
                                                       std::size_t model) {
  const auto found = values.find(chip);
  return found != values.end() ? found->second[model] : std::nullopt;
}

plan::ChipRow SearchStudy::row_of(std::size_t chip) const {
  const search::SearchChip at =
      !chips_.empty() ? chips_[chip] : search::SearchChip{static_cast<std::int64_t>(chip), {}};
  const auto found = values_.find(chip);
  const Values values = found != values_.end() ? found->second : Values(question_->models.size());
  plan::ChipRow row = cli::row_of(*question_, at, chip, values);
  for (std::size_t i = 0; i < question_->models.size(); ++i) {
    const std::string& name = question_->models[i].name;
    if (const auto top = value_of(tops_, chip, i)) {
      row.metrics[top->is_exact ? close_key(name) : far_key(name)] = top->throughput;
    }
  }
  const auto top = value_of(tops_, chip, 0);
  if (question_->models.size() == 1 && !values[0] && top) {
    row.bound = top->throughput / search::price_of(*question_, search::make_chip(*question_, at));
  }
  return row;
}

void SearchStudy::keep(const std::vector<search::Known>& found) {
  plan::StudyBatch batch;
  std::vector<std::size_t> chips;
  for (const search::Known& known : found) {
    values_of(known.is_top ? tops_ : values_, known.chip)[known.model] = known.value;
    if (chips.empty() || chips.back() != known.chip) {
      chips.push_back(known.chip);
    }
  }
  for (const std::size_t chip : chips) {
    batch.chips.push_back(row_of(chip));
  }
  batch.open_bound = open_bound_;
  study_.add(batch, diagnostics_);
}

bool SearchStudy::finish(const plan::SearchRecord& record, const search::SearchAnswer& answer,
                         const std::string& json) {
  const plan::SearchResult& best = record.common ? *record.common : record.own.front();
  const search::CoSearchAnswer& found = answer.common ? *answer.common : answer.own.front();
  plan::StudyBatch batch;
  for (std::size_t chip = 0; chip < found.outcomes.size(); ++chip) {
    const search::ChipOutcome& outcome = found.outcomes[chip];
    if (chips_.empty() && outcome.state != search::ChipState::kEvaluated) {
      continue;
    }
    plan::ChipRow row =
        row_of(chips_.empty() ? static_cast<std::size_t>(answer.chips[chip].index) : chip);
    switch (outcome.state) {
      case search::ChipState::kEvaluated:
        row.state = plan::ChipState::kEvaluated;
        row.value = outcome.value > 0 ? std::optional(outcome.value) : std::nullopt;
        row.bound.reset();
        break;
      case search::ChipState::kExcluded:
        row.state = plan::ChipState::kExcluded;
        row.value.reset();
        row.bound = outcome.value;
        break;
      case search::ChipState::kDominated:
        row.state = plan::ChipState::kDominated;
        row.value.reset();
        row.bound = outcome.value;
        row.witness = static_cast<std::int64_t>(outcome.dominator);
        break;
    }
    batch.chips.push_back(std::move(row));
  }
  if (chips_.empty()) {
    // All others are excluded by a set, or by a limit of the space.
    batch.excluded.push_back({0, space::combinations(question_->space) - 1, best.bound});
  }
  plan::StudyAnswer stored;
  stored.status = best.is_proved() ? "optimal" : "feasible";
  stored.chip = chips_.empty() ? answer.chips[found.best.value()].index
                               : static_cast<std::int64_t>(found.best.value());
  stored.value = best.value;
  stored.bound = best.bound;
  stored.json = json;
  return study_.add(batch, diagnostics_) && study_.finish(stored, diagnostics_);
}

int SearchStudy::report_failure() const { return report_bad_input(diagnostics_); }

}  // namespace phaze::cli
