#pragma once
// `phaze search MODEL...`: the search itself.

#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/model_options.h"
#include "search/chip_search.h"
#include "space/space.h"

namespace phaze::cli {

struct ChipSearchOptions : CommonOptions {
  std::string space = "phaze2024";
  std::vector<std::string> models;
  ModelOptions model;  // how they train; its name does not matter
  std::string assumptions = "phaze2024";
  std::string cluster;  // empty: that of the assumptions
  std::int64_t devices = 0, global_batch = 0;
  std::string reference;  // empty: that of the assumptions
  std::string objective = "throughput", combination = "mean";
  std::vector<std::string> weights;  // "MODEL=NUMBER"
  std::string schedule = "exact";
  double ilp_time_limit_s = 30;
  std::string study;
  std::string report;
  bool has_report = false;
  std::int64_t robust = 0;  // draws; 0: not asked for
  std::int64_t seed = 1;
  std::string csv;
  bool has_csv = false;
  std::string chip_output;
  bool has_chip_output = false;
  bool exhaustive = false, verify = false, no_dominance = false, no_bounds = false;
  bool by_sets = false;  // also where the space is small
};

// What is asked, with every model read. Under the original's assumptions the space's chips reach
// their peaks, under modern ones what the nearest measured family does where the base chip says
// nothing.
std::optional<search::SearchQuestion> read_question(const ChipSearchOptions& options,
                                                    space::Space space, Diagnostics& diagnostics);

int run_chip_search(const ChipSearchOptions& options, space::Space space);

}  // namespace phaze::cli
