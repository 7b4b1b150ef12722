#pragma once
// Two things side by side, and where the difference between their plans comes from.

#include <optional>
#include <string>
#include <vector>

#include "plan/plan_record.h"

namespace phaze::plan {

struct ComparedFigure {
  std::string key;   // with its unit, as in JSON
  std::string name;  // for people
  std::string unit;
  double a = 0, b = 0;

  bool operator==(const ComparedFigure&) const = default;
};

// What changing one group of fields from A to B does to an iteration, on average over all orders in
// which groups can change. They add up to the difference.
struct Cause {
  std::string name;  // "compute", "memory bandwidth", ...
  Seconds change;

  bool operator==(const Cause&) const = default;
};

struct Comparison {
  std::string kind;  // "chips", "clusters", "plans"
  std::string a, b;
  std::vector<ComparedFigure> figures;
  std::optional<PlanRecord> plan_a, plan_b;  // both or none
  std::vector<Cause> causes;                 // none where fields have no counterparts
  std::vector<std::string> notes;            // what makes the two hard to compare

  bool operator==(const Comparison&) const = default;
};

// Tokens of an iteration.
double tokens_of(const PlanRecord& record);

// Parts of an iteration by name, in the order in which they are shown.
struct NamedPart {
  std::string key;   // "compute_s"
  std::string name;  // "compute"
  Seconds IterationParts::*part;
};
const std::vector<NamedPart>& named_parts();

}  // namespace phaze::plan
