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

}  // namespace

plan::StudyQuestion make_study_question(const search::SearchQuestion& question,
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
    batch.chips.push_back(row_of(*question_, chips_[chip], chip, values_[chip]));
  }
  study_.add(batch, diagnostics_);
}

bool SearchStudy::finish(const plan::SearchRecord& record, const search::SearchAnswer& answer,
                         const std::string& json) {
  const plan::SearchResult& best = record.common ? *record.common : record.own.front();
  const search::CoSearchAnswer& found = answer.common ? *answer.common : answer.own.front();
  plan::StudyBatch batch;
  batch.chips = settled_rows(*question_, chips_, values_, found);
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
