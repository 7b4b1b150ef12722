#pragma once
// What a plan file holds: a training plan, the names of what it is for, and figures beside it.
// io/plan_json.h reads and writes it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/prediction_range.h"
#include "plan/schedule.h"
#include "plan/training_plan.h"
#include "plan/training_run.h"

namespace phaze::plan {

// Shares of what the devices could do in an iteration.
struct PlanUtilisation {
  double tensor = 0, vector = 0, hbm = 0, link = 0;

  bool operator==(const PlanUtilisation&) const = default;
};

// What follows from a plan with its model and chip, and what the search for it can say.
struct PlanFigures {
  double mfu = 0, hfu = 0;
  PlanUtilisation utilisation;
  SolveStatus status = SolveStatus::kFeasible;
  Seconds bound;  // no plan that was allowed is faster

  bool operator==(const PlanFigures&) const = default;
};

// What the best plan's time becomes with more of something.
struct Sensitivity {
  std::string resource;              // "memory", "hbm_bandwidth", "cores", "link", "devices"
  std::string name;                  // of it, for people
  std::string what;                  // "10 % more memory"
  double factor = 1;                 // times as much
  std::optional<Seconds> iteration;  // nothing: no plan
  // Share of the factor that the iteration gains: 1, as much faster as there is more of it; 0, not.
  double elasticity = 0;

  bool operator==(const Sensitivity&) const = default;
};

// What binds a plan.
struct PlanWhy {
  std::vector<Sensitivity> with;
  std::vector<std::string> binds;  // resources with an elasticity of 0.05 and more, most first
  std::string words;
  bool is_complete = true;  // not stopped before all were tried

  bool operator==(const PlanWhy&) const = default;
};

// Whether the layer times that a plan was made from are proved to be the shortest. Shares of a time
// that a better schedule of operators could save at most.
struct LayerProof {
  double largest_gap = 0;  // of all layers that were priced for the search; 0: all are proved
  double plan_gap = 0;     // of the layers in the plan

  bool operator==(const LayerProof&) const = default;
};

// How the model trains, in the words of the options that say so.
struct PlanWorkload {
  std::string precision = "mixed", optimizer = "adam", attention = "flash", execution = "fused";
  bool overlap = true;  // of gradients and weights with backward and forward

  bool operator==(const PlanWorkload&) const = default;
};

// A question for the least of something, which a plan answers: the fewest devices, the least money,
// the smallest memory.
struct PlanQuestion {
  std::string question;  // "fewest_devices", "least_money", "smallest_hbm"
  std::string words;     // the answer, for people
  // What was asked over: all values from the least to the most by this step, devices or bytes.
  std::int64_t least = 0, most = 0, step = 1;
  std::int64_t answer = 0;
  std::vector<std::int64_t> solved;  // of these; the others follow from them. Ascending

  bool operator==(const PlanQuestion&) const = default;
};

struct PlanRecord {
  std::string model, chip, cluster, assumptions;
  std::int64_t sequence = 1;             // tokens
  std::optional<PlanWorkload> workload;  // nothing: the file does not say
  std::vector<std::string> layers;       // names of the chain's; every one is in some stage
  TrainingPlan plan;
  std::optional<PlanFigures> figures;
  // Written, not read.
  std::vector<std::string> notes;
  std::optional<LayerProof> proof;
  std::optional<PredictionRange> range;    // that the measured iteration would lie in
  std::optional<Seconds> simulated;        // the iteration, event by event
  std::vector<TrainingPlan> alternatives;  // the next best plans, the best first
  std::optional<TrainingRun> run;
  std::optional<PlanWhy> why;
  std::optional<PlanQuestion> question;
  std::optional<TrainingPlan> best;  // the best of all, where the plan itself was given

  bool operator==(const PlanRecord&) const = default;
};

// By how much an iteration of `plan` is longer than the best one, as a share of that.
double loss(const TrainingPlan& plan, const TrainingPlan& best);

// Sequences a second; 0 when an iteration takes no time.
double throughput(const TrainingPlan& plan);

// "none", "selective" or "full" where all stages agree, otherwise "mixed".
std::string recompute_of(const TrainingPlan& plan);

}  // namespace phaze::plan
