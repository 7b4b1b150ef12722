#pragma once
// What a search over chips answers, with the names of what it is for: for tables and files.

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hw/figures.h"
#include "plan/plan_details.h"
#include "plan/plan_record.h"
#include "plan/robustness.h"

namespace phaze::plan {

// Chips by how they were settled.
struct SearchCounts {
  std::int64_t total = 0, evaluated = 0, excluded = 0, dominated = 0;
};

struct SearchRival {
  std::string chip;
  double value = 0;
  std::string reason;  // why it lost
};

// One more or one less step of a field.
struct SearchStep {
  std::string field;
  std::string from, to;         // values
  std::optional<double> value;  // of the objective; nothing: the chip is outside the space
  std::string outside;          // then: why
};

// A field that the space varies, with its values as ids of chips have them and as numbers.
struct SearchAxis {
  std::string field, letter;  // "tensor_cores.count", "t"
  std::string unit;           // "B", "Hz", "B/s" or empty
  std::vector<std::string> codes;
  std::vector<double> values;
};

// How far the search was at a moment.
struct SearchMoment {
  std::string stage;  // a model's name, or "common"
  double seconds = 0;
  std::int64_t settled = 0;
  double best = 0, bound = 0;  // of the objective; none that was open is above the bound
};

// The best chip for one model, or for all.
struct SearchResult {
  std::string name;  // of the model, or "common"
  std::string chip;  // its id in the space
  hw::Chip described;
  hw::ChipFigures figures;
  double value = 0, bound = 0;                 // of the objective; no chip is better than the bound
  std::vector<PlanRecord> plans;               // one for each model
  std::vector<PlanDetails> details;            // of these, where a file is to have them
  std::vector<std::optional<double>> speedup;  // of each over the reference chip
  SearchCounts counts;
  bool is_complete = true;
  std::vector<SearchRival> rivals;  // the best first
  std::vector<SearchStep> steps;

  // No chip is better, however the operators of its layers are scheduled.
  bool is_proved() const { return is_complete && bound <= value; }
};

// A chip of the Pareto front.
struct SearchFrontRow {
  std::string chip;
  Bytes memory;
  double throughput = 0;           // sequences a second
  std::vector<double> objectives;  // as in the record
  hw::ChipFigures figures;
};

struct SearchRecord {
  std::string space, assumptions, objective, combination, reference;
  std::string letters;  // what those in ids of chips stand for: "t tensor_cores.count, ..."
  std::vector<SearchAxis> axes;
  std::vector<std::string> models;
  std::vector<double> weights;  // of these
  std::string schedules;        // of layers: "exact" or "ilp"
  std::int64_t devices = 0, global_batch = 0;
  std::string cluster;
  hw::Chip reference_described;
  std::optional<hw::ChipFigures> reference_figures;  // nothing: the technology has none for it
  std::vector<SearchMoment> progress;                // in the order of time; of this run
  std::vector<SearchResult> own;                     // by model
  std::optional<SearchResult> common;                // of several models
  std::vector<std::optional<double>> reference_throughput;  // by model; nothing: does not fit
  std::vector<std::string> front_objectives;
  std::vector<SearchFrontRow> front;     // by the first objective, the best first
  std::optional<Robustness> robustness;  // where it was asked for
  double seconds = 0;
  bool is_complete = true;
  std::vector<std::string> notes;
};

}  // namespace phaze::plan
