#include "cli/search_study.h"

#include <array>
#include <cstdint>
#include <cstdio>

#include "base/text.h"
#include "base/version.h"
#include "cli/output.h"
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

// Names of metrics of a model.
std::string throughput_key(const std::string& model) {
  return "throughput_" + model + "_sequences_per_s";
}
std::string bound_key(const std::string& model) { return "bound_" + model + "_sequences_per_s"; }
std::string most_key(const std::string& model) { return "most_" + model + "_sequences_per_s"; }
std::string memory_key(const std::string& model) { return "hbm_" + model + "_bytes"; }

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

// All that a space's chips are: those at both ends, every axis, and which are within.
std::string definition_of(const search::SearchQuestion& question,
                          const std::vector<search::SearchChip>& chips) {
  std::string text = io::write_spaces({question.space});
  for (const search::SearchChip& chip : {chips.front(), chips.back()}) {
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

plan::StudyQuestion question_of(const search::SearchQuestion& question,
                                const std::vector<search::SearchChip>& chips) {
  plan::StudyQuestion asked;
  const search::PlanSetting& setting = question.models.front().setting;
  std::string models, definitions, sequences;
  for (const search::SearchModel& model : question.models) {
    const std::string space = models.empty() ? "" : " ";
    models += space + model.name;
    definitions += space + definition_of(model.setting);
    sequences += space + std::to_string(search::sequence_of(model.setting));
  }
  asked.parts = {{"space", question.space.name},
                 {"space_definition", definition_of(question, chips)},
                 {"models", models},
                 {"model_definitions", definitions},
                 {"sequence", sequences},
                 {"reference", question.reference.name},
                 {"assumptions", std::string(to_string(setting.assumptions))},
                 {"cluster", setting.cluster.name},
                 {"cluster_definition", io::write_clusters({setting.cluster})},
                 {"devices", std::to_string(setting.devices)},
                 {"global_batch", std::to_string(setting.global_batch)},
                 {"objective", std::string(search::to_string(question.objective))},
                 {"combination", std::string(search::to_string(question.combination))},
                 {"version", std::string(kVersion)}};
  asked.chips_total = static_cast<std::int64_t>(chips.size());
  return asked;
}

}  // namespace

SearchStudy::SearchStudy(study::Study study, const search::SearchQuestion& question,
                         const std::vector<search::SearchChip>& chips)
    : study_(std::move(study)),
      question_(&question),
      chips_(chips),
      values_(chips.size(), std::vector<std::optional<search::ChipValue>>(question.models.size())) {
}

std::optional<SearchStudy> SearchStudy::open(const std::string& path,
                                             const search::SearchQuestion& question,
                                             const std::vector<search::SearchChip>& chips,
                                             Diagnostics& diagnostics) {
  std::optional<study::Study> opened =
      study::Study::open(path, question_of(question, chips), diagnostics);
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
        const auto memory = row.metrics.find(memory_key(name));
        value.memory = memory != row.metrics.end()
                           ? Bytes(static_cast<std::int64_t>(memory->second))
                           : Bytes();
      } else if (bound != row.metrics.end()) {
        value.throughput = bound->second;
        value.is_exact = false;
      } else {
        continue;
      }
      made.values_[static_cast<std::size_t>(row.chip)][i] = value;
      made.known_.push_back({i, static_cast<std::size_t>(row.chip), value});
    }
  }
  return made;
}

plan::ChipRow SearchStudy::row_of(std::size_t chip) const {
  plan::ChipRow row;
  row.chip = static_cast<std::int64_t>(chip);
  const search::SearchChip& at = chips_[chip];
  row.id = search::search_chip_id(*question_, at);
  bool is_exact = true;
  for (std::size_t i = 0; i < question_->models.size(); ++i) {
    const std::string& name = question_->models[i].name;
    const std::optional<search::ChipValue>& value = values_[chip][i];
    if (!value) {
      is_exact = false;
    } else if (value->is_exact) {
      row.metrics[throughput_key(name)] = value->throughput;
      row.metrics[most_key(name)] = value->most;
      row.metrics[memory_key(name)] = static_cast<double>(value->memory.value());
    } else {
      row.metrics[bound_key(name)] = value->throughput;
      is_exact = false;
    }
  }
  const hw::Chip made = search::make_chip(*question_, at);
  const hw::ChipFigures figures = hw::compute_figures(made, question_->space.technology).value();
  row.metrics["area_mm2"] = figures.area.value();
  row.metrics["tdp_w"] = figures.tdp.value();
  row.metrics["build_cost_usd"] = hw::total(figures.cost).value();
  row.state = is_exact ? plan::ChipState::kEvaluated : plan::ChipState::kExcluded;
  if (question_->models.size() == 1 && values_[chip][0]) {
    const double value = values_[chip][0]->throughput / search::price_of(*question_, made);
    if (is_exact && value > 0) {
      row.value = value;
    } else if (!is_exact) {
      row.bound = value;
    }
  }
  return row;
}

void SearchStudy::keep(const std::vector<search::Known>& found) {
  plan::StudyBatch batch;
  std::vector<std::size_t> chips;
  for (const search::Known& known : found) {
    values_[known.chip][known.model] = known.value;
    if (chips.empty() || chips.back() != known.chip) {
      chips.push_back(known.chip);
    }
  }
  for (const std::size_t chip : chips) {
    batch.chips.push_back(row_of(chip));
  }
  study_.add(batch, diagnostics_);
}

bool SearchStudy::finish(const plan::SearchRecord& record, const search::SearchAnswer& answer,
                         const std::string& json) {
  const plan::SearchResult& best = record.common ? *record.common : record.own.front();
  const search::CoSearchAnswer& found = answer.common ? *answer.common : answer.own.front();
  plan::StudyBatch batch;
  for (std::size_t chip = 0; chip < found.outcomes.size(); ++chip) {
    const search::ChipOutcome& outcome = found.outcomes[chip];
    plan::ChipRow row = row_of(chip);
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
  plan::StudyAnswer stored;
  stored.status = best.is_proved() ? "optimal" : "feasible";
  stored.chip = static_cast<std::int64_t>(found.best.value());
  stored.value = best.value;
  stored.bound = best.bound;
  stored.json = json;
  return study_.add(batch, diagnostics_) && study_.finish(stored, diagnostics_);
}

int SearchStudy::report_failure() const { return report_bad_input(diagnostics_); }

}  // namespace phaze::cli
