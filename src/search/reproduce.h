#pragma once
// Runs the evaluation of the original's paper under one set of assumptions: a column of
// plan::Reproduction. docs/reproduction.md says what is compared.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/reproduction.h"
#include "search/chip_search.h"
#include "search/plan_search.h"

namespace phaze::search {

struct ReproduceQuestion {
  std::string name, words;              // of the column, for people
  SearchQuestion search;                // by throughput
  std::vector<plan::Strategy> experts;  // by model: stages, data and tensor width
};

struct ReproduceOptions {
  SearchOptions search;
  // Told of every plan that is shown, before it is.
  std::function<void(const PlanSetting&, const PlanAnswer&)> check;
};

// Nothing: stopped before its end, or no chip can run the models.
std::optional<plan::ReproducedColumn> reproduce_column(const ReproduceQuestion& question,
                                                       const ReproduceOptions& options = {});

}  // namespace phaze::search
