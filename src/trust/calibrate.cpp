// The constants are few and physical, so the fit is a small one: shares of peaks and overheads on a
// logarithmic scale, all measurements priced for each try. Folds are every k-th measurement.
#include "trust/calibrate.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/check.h"
#include "cost/measured_sample.h"
#include "cost/operator.h"
#include "trust/minimise.h"
#include "trust/predict_runs.h"
#include "trust/statistics.h"

namespace phaze::trust {
namespace {

using plan::FittedConstant;
using plan::MeasuredOperator;

struct Machine {
  hw::Chip chip;
  std::optional<hw::Cluster> cluster;
};

// A constant: where it lives and how far it may go.
struct Constant {
  FittedConstant described;
  double low = 0, high = 1;
  std::function<double(const Machine&)> get;
  std::function<void(Machine&, double)> set;
};

Constant share(const std::string& field, double hw::Sustained::*member) {
  constexpr double kLeastShare = 0.05;
  return {{field, false, false, 0, 0, true},
          kLeastShare,
          1,
          [member](const Machine& m) { return m.chip.sustained.*member; },
          [member](Machine& m, double value) { m.chip.sustained.*member = value; }};
}

std::vector<Constant> constants_of(const Machine& machine) {
  constexpr double kLeastTime = 1e-8, kMostTime = 1e-3, kLeastShare = 0.05;
  std::vector<Constant> all = {share("sustained.matrix", &hw::Sustained::matrix),
                               share("sustained.core", &hw::Sustained::core),
                               share("sustained.vector", &hw::Sustained::vector),
                               share("sustained.hbm", &hw::Sustained::hbm)};
  all.push_back({{"launch_overhead", false, true, 0, 0, true},
                 kLeastTime,
                 kMostTime,
                 [](const Machine& m) { return m.chip.launch_overhead.value(); },
                 [](Machine& m, double value) { m.chip.launch_overhead = Seconds(value); }});
  if (machine.cluster) {
    all.push_back({{"start", true, true, 0, 0, true},
                   kLeastTime,
                   kMostTime,
                   [](const Machine& m) { return m.cluster->start.value(); },
                   [](Machine& m, double value) { m.cluster->start = Seconds(value); }});
    for (std::size_t i = 0; i < machine.cluster->levels.size(); ++i) {
      const std::string name = machine.cluster->levels[i].name;
      all.push_back({{name + ".efficiency", true, false, 0, 0, true},
                     kLeastShare,
                     1,
                     [i](const Machine& m) { return m.cluster->levels[i].efficiency; },
                     [i](Machine& m, double value) { m.cluster->levels[i].efficiency = value; }});
    }
  }
  // A constant that is zero, or at a bound that means "not known", stays what it is by its scale.
  std::erase_if(all, [&machine](const Constant& one) { return !(one.get(machine) > 0); });
  for (Constant& one : all) {
    one.described.before = one.described.after = one.get(machine);
  }
  return all;
}

struct Pairs {
  std::vector<double> measured, predicted;
};

class Calibrator {
 public:
  explicit Calibrator(const CalibrationRequest& request)
      : request_(request), start_{request.chip, request.cluster}, constants_(constants_of(start_)) {
    for (std::size_t i = 0; i < request.operators.size(); ++i) {
      if (predict_operator(request.chip, request.operators[i])) {
        operators_.push_back(i);
      }
    }
    for (std::size_t i = 0; i < request.runs.size(); ++i) {
      runs_.push_back(i);
    }
    const Pairs priced = price_runs(start_, runs_);
    std::erase_if(runs_, [&](std::size_t i) { return !(priced.predicted[i] > 0); });
    CHECK(!operators_.empty() || !runs_.empty(), "there is something to fit to");
  }

  CalibrationAnswer run() {
    find_known();
    CalibrationAnswer answer;
    answer.calibration.folds = request_.folds;
    const Minimum fitted = fit(operators_, runs_);
    answer.calibration.evaluations = fitted.evaluations;
    const Machine after = machine_at(fitted.at);
    for (std::size_t i = 0, k = 0; i < constants_.size(); ++i) {
      FittedConstant described = constants_[i].described;
      described.after = described.is_known ? std::exp(fitted.at[k++]) : described.before;
      answer.calibration.constants.push_back(std::move(described));
    }
    add_errors(after, answer.calibration);
    answer.chip = after.chip;
    answer.cluster = after.cluster;
    return answer;
  }

 private:
  Machine machine_at(const std::vector<double>& logs) const {
    Machine machine = start_;
    for (std::size_t i = 0, k = 0; i < constants_.size(); ++i) {
      if (constants_[i].described.is_known) {
        constants_[i].set(machine, std::exp(logs[k++]));
      }
    }
    return machine;
  }

  // In the order of `which`.
  Pairs price_operators(const Machine& machine, const std::vector<std::size_t>& which) const {
    Pairs pairs;
    pairs.measured.resize(which.size());
    pairs.predicted.resize(which.size());
    tbb::parallel_for(std::size_t{0}, which.size(), [&](std::size_t i) {
      const MeasuredOperator& one = request_.operators[which[i]];
      pairs.measured[i] = one.time.value();
      pairs.predicted[i] = predict_operator(machine.chip, one).value_or(0);
    });
    return pairs;
  }

  Pairs price_runs(const Machine& machine, const std::vector<std::size_t>& which) const {
    std::vector<RunSetting> settings;
    for (const std::size_t i : which) {
      RunSetting setting = request_.runs[i];
      setting.setting.chip = machine.chip;
      if (machine.cluster) {
        setting.setting.cluster = *machine.cluster;
      }
      settings.push_back(std::move(setting));
    }
    Pairs pairs;
    constexpr auto kIteration = static_cast<std::size_t>(plan::Measure::kIteration);
    for (const plan::ValidatedRun& run : predict_runs(settings)) {
      pairs.measured.push_back(run.run.measured[kIteration].value_or(0));
      pairs.predicted.push_back(run.prediction ? run.prediction->predicted[kIteration].value_or(0)
                                               : 0);
    }
    return pairs;
  }

  // Squares of logarithmic errors, those beyond a tenth counted linearly (Huber 1964): a few
  // kernels that the model does not know must not bend the constants of all others.
  static double mean_loss(const Pairs& pairs) {
    constexpr double kKnee = 0.1;
    double sum = 0;
    for (std::size_t i = 0; i < pairs.measured.size(); ++i) {
      const double off = std::abs(std::log(pairs.predicted[i] / pairs.measured[i]));
      sum += off < kKnee ? off * off : kKnee * (2 * off - kKnee);
    }
    return pairs.measured.empty() ? 0 : sum / static_cast<double>(pairs.measured.size());
  }

  // Operators and runs count as much as one another, however many there are of each.
  double misfit(const Machine& machine, const std::vector<std::size_t>& operators,
                const std::vector<std::size_t>& runs) const {
    return mean_loss(price_operators(machine, operators)) +
           (runs.empty() ? 0 : mean_loss(price_runs(machine, runs)));
  }

  // Constants that nothing measured depends on are left alone.
  void find_known() {
    constexpr double kLess = 0.8, kMatters = 1e-6;
    const double before = misfit(start_, operators_, runs_);
    for (Constant& one : constants_) {
      Machine other = start_;
      one.set(other, std::max(one.low, kLess * one.get(start_)));
      one.described.is_known = std::abs(misfit(other, operators_, runs_) - before) > kMatters;
    }
  }

  // Of the constants that `is_free` says, the others as in `at`; logarithms of all that are known.
  Minimum improve(Minimum from, const std::function<bool(const Constant&)>& is_free,
                  const std::vector<std::size_t>& operators,
                  const std::vector<std::size_t>& runs) const {
    constexpr double kStep = 0.1;  // of a logarithm: about a tenth
    std::vector<Variable> variables;
    std::size_t k = 0;
    for (const Constant& one : constants_) {
      if (one.described.is_known) {
        const double at = from.at[k++];
        const bool free = is_free(one);
        variables.push_back(
            {at, free ? std::log(one.low) : at, free ? std::log(one.high) : at, free ? kStep : 0});
      }
    }
    Minimum found = minimise(variables, [&](const std::vector<double>& at) {
      return misfit(machine_at(at), operators, runs);
    });
    found.evaluations += from.evaluations;
    return found;
  }

  // Operators say what the chip does, runs what the network does, each apart where both are there;
  // otherwise all constants together.
  Minimum fit(const std::vector<std::size_t>& operators,
              const std::vector<std::size_t>& runs) const {
    Minimum at;
    for (const Constant& one : constants_) {
      if (one.described.is_known) {
        at.at.push_back(std::log(one.described.before));
      }
    }
    if (operators.empty() || runs.empty() || !start_.cluster) {
      return improve(
          std::move(at), [](const Constant&) { return true; }, operators, runs);
    }
    at = improve(std::move(at), [](const Constant& one) { return !one.described.is_of_cluster; },
                 operators, {});
    return improve(
        std::move(at), [](const Constant& one) { return one.described.is_of_cluster; }, {}, runs);
  }

  std::vector<std::size_t> part(const std::vector<std::size_t>& all, std::size_t fold,
                                bool is_inside) const {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((i % request_.folds == fold) == is_inside) {
        chosen.push_back(all[i]);
      }
    }
    return chosen;
  }

  static void append(const Pairs& some, Pairs& all) {
    all.measured.insert(all.measured.end(), some.measured.begin(), some.measured.end());
    all.predicted.insert(all.predicted.end(), some.predicted.begin(), some.predicted.end());
  }

  void add_errors(const Machine& after, plan::Calibration& calibration) const {
    Pairs crossed_operators, crossed_runs;
    for (std::size_t fold = 0; fold < request_.folds; ++fold) {
      const Machine other =
          machine_at(fit(part(operators_, fold, false), part(runs_, fold, false)).at);
      append(price_operators(other, part(operators_, fold, true)), crossed_operators);
      append(price_runs(other, part(runs_, fold, true)), crossed_runs);
    }
    const auto add = [&](const std::string& what, const Pairs& before, const Pairs& fitted,
                         const Pairs& crossed) {
      if (!before.measured.empty()) {
        calibration.errors.push_back({what, summarise(before.measured, before.predicted),
                                      summarise(fitted.measured, fitted.predicted),
                                      summarise(crossed.measured, crossed.predicted)});
      }
    };
    add("operators", price_operators(start_, operators_), price_operators(after, operators_),
        crossed_operators);
    add("runs", price_runs(start_, runs_), price_runs(after, runs_), crossed_runs);
  }

  const CalibrationRequest& request_;
  Machine start_;
  std::vector<Constant> constants_;
  std::vector<std::size_t> operators_, runs_;  // that can be priced
};

}  // namespace

std::optional<double> predict_operator(const hw::Chip& chip, const MeasuredOperator& measured) {
  cost::CostContext context = cost::make_context(chip);
  context.kernels = cost::Kernels::kLibrary;
  const cost::Sample sample = cost::make_sample(measured);
  const graph::Operator& op = sample.layer.operators[sample.op];
  if (cost::find_obstacle(context, sample.layer, op)) {
    return std::nullopt;
  }
  const double time =
      cost::compute_operator_cost(context, sample.layer, op, cost::all_in_hbm(sample.layer, op))
          .time.value();
  return time > 0 ? std::optional(time) : std::nullopt;
}

CalibrationAnswer calibrate(const CalibrationRequest& request) {
  CHECK(request.folds >= 2, "errors are held against measurements that were not fitted");
  return Calibrator(request).run();
}

}  // namespace phaze::trust
