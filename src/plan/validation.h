#pragma once
// What a comparison of predictions with measurements says. trust/ makes it, io/ and report/ show
// it.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plan/measured_run.h"

namespace phaze::plan {

// Of absolute errors, predicted / measured - 1; `bias` of errors with their sign.
struct ErrorSummary {
  std::size_t count = 0;
  double mean = 0, median = 0, p90 = 0, worst = 0, bias = 0;
  std::optional<double> rank_correlation;  // nothing for fewer than three

  bool operator==(const ErrorSummary&) const = default;
};

// Of the rows of a group that measured the same thing.
struct GroupSummary {
  std::string group;
  Measure measure = Measure::kIteration;
  ErrorSummary errors;
};

// Several strategies for one model, cluster, number of devices and batch.
struct RegretCase {
  std::string name;  // of the model and the devices
  std::size_t strategies = 0;
  std::size_t chosen = 0;  // row of the one with the least predicted time, of those that fit
  std::size_t best = 0;    // row of the one with the least measured time
  double regret = 1;       // measured time of the chosen one over that of the best
};

// What measurements say of their own scatter: rows that repeat others, and rows that lie between
// two others that differ in layers or batch alone, where time grows in proportion; or in
// micro-batch alone, where time is convex: a row above the line between its neighbours is off by at
// least that. docs/models.md, section 26.2.
struct NoiseFloor {
  std::size_t repeats = 0, neighbours = 0;  // rows that could be compared
  double mean = 0, median = 0;              // absolute share that a row is off by, of both together
  std::size_t microbatches = 0;             // rows between two that differ in micro-batch alone
  double least_mean = 0;                    // of these, at least; rows below the line count as 0
};

// Operators, layers and steps on one device, of one kind.
struct ComparedRow {
  std::string label;
  double measured = 0, predicted = 0;  // seconds or bytes

  double error() const { return predicted / measured - 1; }
};
struct ComparedGroup {
  std::string name;
  std::string status;  // whether constants were fitted on it
  bool is_time = true;
  std::vector<ComparedRow> rows;
  ErrorSummary errors;
};

struct Validation {
  std::vector<ValidatedRun> runs;  // in the order of the file
  std::vector<GroupSummary> groups;
  std::vector<GroupSummary> overall;  // by measure
  std::vector<RegretCase> regrets;
  double mean_regret = 1, worst_regret = 1;  // of all cases
  NoiseFloor noise;
  std::vector<ComparedGroup> own;  // the project's own measurements of one device, where asked for
  std::size_t own_host_bound = 0;  // of these, steps that the host limits, left out
  std::vector<GroupSummary> held_out;  // of runs that no constant was fitted to, where asked for
  std::size_t unfit = 0;               // rows that ran, and do not fit as predicted
  std::size_t unpriced = 0;            // rows without a prediction
};

}  // namespace phaze::plan
