#include "trust/validate.h"

#include <algorithm>
#include <map>
#include <utility>

#include "trust/noise.h"
#include "trust/predict_runs.h"
#include "trust/regret.h"
#include "trust/statistics.h"

namespace phaze::trust {
namespace {

using plan::GroupSummary;
using plan::Measure;

struct Pairs {
  std::vector<double> measured, predicted;
};

void add_pair(const plan::ValidatedRun& run, std::size_t measure, Pairs& pairs) {
  pairs.measured.push_back(*run.run.measured[measure]);
  pairs.predicted.push_back(*run.prediction->predicted[measure]);
}

}  // namespace

plan::Validation compare(std::vector<plan::ValidatedRun> runs) {
  plan::Validation validation;
  std::vector<std::string> order;  // of groups, as the file has them
  std::map<std::pair<std::string, std::size_t>, Pairs> by_group;
  plan::ByMeasure<Pairs> by_measure;
  for (const plan::ValidatedRun& run : runs) {
    validation.unpriced += run.prediction ? 0 : 1;
    const bool has_run = run.run.measured[static_cast<std::size_t>(Measure::kIteration)] ||
                         run.run.measured[static_cast<std::size_t>(Measure::kPeakMemory)];
    validation.unfit += has_run && run.prediction && !run.prediction->plan.fits ? 1 : 0;
    if (std::find(order.begin(), order.end(), run.run.group) == order.end()) {
      order.push_back(run.run.group);
    }
    for (std::size_t i = 0; i < plan::kMeasures; ++i) {
      if (run.error(static_cast<Measure>(i))) {
        add_pair(run, i, by_group[{run.run.group, i}]);
        add_pair(run, i, by_measure[i]);
      }
    }
  }
  for (std::size_t i = 0; i < plan::kMeasures; ++i) {
    const auto measure = static_cast<Measure>(i);
    for (const std::string& group : order) {
      if (const auto found = by_group.find({group, i}); found != by_group.end()) {
        validation.groups.push_back(
            {group, measure, summarise(found->second.measured, found->second.predicted)});
      }
    }
    if (!by_measure[i].measured.empty()) {
      validation.overall.push_back(
          {"", measure, summarise(by_measure[i].measured, by_measure[i].predicted)});
    }
  }
  validation.regrets = find_regrets(runs);
  double sum = 0;
  for (const plan::RegretCase& one : validation.regrets) {
    sum += one.regret;
    validation.worst_regret = std::max(validation.worst_regret, one.regret);
  }
  if (!validation.regrets.empty()) {
    validation.mean_regret = sum / static_cast<double>(validation.regrets.size());
  }
  validation.noise = find_noise(runs);
  validation.runs = std::move(runs);
  return validation;
}

plan::Validation validate(const std::vector<RunSetting>& settings) {
  return compare(predict_runs(settings));
}

}  // namespace phaze::trust
