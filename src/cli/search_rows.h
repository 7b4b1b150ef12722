#pragma once
// What a search found out about each chip, as rows of a study or of a report.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "plan/study.h"
#include "search/chip_search.h"

namespace phaze::cli {

// By chip and model; nothing where it was not needed.
using ChipValues = std::vector<std::vector<std::optional<search::ChipValue>>>;
// The same by the number of the chip, of large spaces its index.
using KnownValues = std::map<std::size_t, std::vector<std::optional<search::ChipValue>>>;
// Those of the chips of an answer, in their order.
ChipValues line_up(const KnownValues& known, const search::SearchQuestion& question,
                   const search::SearchAnswer& answer, bool is_large);

// Names of metrics of a model.
std::string throughput_key(const std::string& model);
std::string bound_key(const std::string& model);
std::string most_key(const std::string& model);
std::string memory_key(const std::string& model);
// What it took where schedules had more work, so that the plan can be found again.
std::string nodes_key(const std::string& model);
std::string tensor_key(const std::string& model);
std::string microbatch_key(const std::string& model);

// Of the objective: what is counted, over what it is paid with. "sequences_per_joule".
std::string value_unit(search::Objective objective, search::Combination combination,
                       std::size_t models);

// A chip by what is known of the models on it, with its area, power and cost.
plan::ChipRow row_of(const search::SearchQuestion& question, const search::SearchChip& chip,
                     std::size_t number,
                     const std::vector<std::optional<search::ChipValue>>& values);

// How every chip was settled by a search that is complete.
std::vector<plan::ChipRow> settled_rows(const search::SearchQuestion& question,
                                        const std::vector<search::SearchChip>& chips,
                                        const ChipValues& values,
                                        const search::CoSearchAnswer& found);

}  // namespace phaze::cli
