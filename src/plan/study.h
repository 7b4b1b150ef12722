#pragma once
// What a search over chips has found so far, and the question that it answers. Of an objective more
// is better.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace phaze::plan {

// Two runs ask the same when all of this is equal.
struct StudyQuestion {
  // Name to canonical text: space, models, assumptions, objective, version, ...
  std::map<std::string, std::string> parts;
  std::int64_t chips_total = 0;  // of the space; chips are numbered from 0

  bool operator==(const StudyQuestion&) const = default;
};

enum class ChipState { kEvaluated, kExcluded, kDominated };
std::string_view to_string(ChipState state);
std::optional<ChipState> parse_chip_state(std::string_view name);

// One chip that is settled.
struct ChipRow {
  std::int64_t chip = 0;
  std::string id;
  ChipState state = ChipState::kEvaluated;
  std::optional<double> value;            // objective; none when evaluated: no plan fits
  std::optional<double> bound;            // no plan is above; none when excluded: no plan fits
  std::optional<std::int64_t> witness;    // the chip that dominates this one
  std::map<std::string, double> metrics;  // keys end in their unit
  std::string plans_json;                 // a JSON document or empty

  bool operator==(const ChipRow&) const = default;
};

// Chips first to last, all of them excluded; the bound is as in ChipRow and holds for each.
struct ExcludedChips {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::optional<double> bound;

  bool operator==(const ExcludedChips&) const = default;
};

// What a search has settled since it last said so.
struct StudyBatch {
  std::vector<ChipRow> chips;
  std::vector<ExcludedChips> excluded;
  // No chip that is still open has a plan above this. None: as it was.
  std::optional<double> open_bound;
};

struct StudyAnswer {
  std::string status;
  std::optional<std::int64_t> chip;
  std::optional<double> value;
  std::optional<double> bound;
  std::string json;  // the whole answer, a JSON document or empty

  bool operator==(const StudyAnswer&) const = default;
};

// All that a study holds. A chip's row goes before a range that it lies in.
struct StudyRecord {
  StudyQuestion question;
  std::vector<ChipRow> chips;           // by number
  std::vector<ExcludedChips> excluded;  // by number, apart from one another
  std::optional<double> open_bound;
  std::optional<StudyAnswer> answer;
  bool is_being_written = false;  // by a process that runs now
};

struct StudyCounts {
  std::int64_t total = 0;
  std::int64_t settled = 0;    // the sum of the next three
  std::int64_t evaluated = 0;  // of these without_plan have none
  std::int64_t excluded = 0;
  std::int64_t dominated = 0;
  std::int64_t without_plan = 0;

  bool operator==(const StudyCounts&) const = default;
};

// "value" or the key of a metric, and which way is better.
struct FrontAxis {
  std::string name;
  bool is_maximised = false;

  bool operator==(const FrontAxis&) const = default;
};
using FrontAxes = std::array<FrontAxis, 2>;

// What a record says; chips are indices into its rows.
struct StudySummary {
  StudyCounts counts;
  std::optional<std::size_t> best;
  std::optional<double> bound;   // no chip of the space is above; none: not known yet
  std::vector<std::size_t> top;  // by value, the best first
  std::optional<FrontAxes> axes;
  std::vector<std::size_t> front;  // of the evaluated chips, along the first axis
};

// The value or a metric of a chip, where it has it.
std::optional<double> figure_of(const ChipRow& row, const std::string& name);

// (bound - value) / value, where both are known and the value is not 0.
std::optional<double> gap_of(const StudyRecord& record, const StudySummary& summary);

}  // namespace phaze::plan
