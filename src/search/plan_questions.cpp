#include "search/plan_questions.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "base/plural.h"
#include "base/text.h"
#include "search/plan_record.h"
#include "search/training_run.h"

namespace phaze::search {
namespace {

constexpr double kSecondsPerDay = 86400;
constexpr double kHoursPerYear = 24 * 365;
constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;

std::string two_digits(double value) { return shortest(std::round(value * 100) / 100); }

// Best plans by a value that changes the setting; each is solved once.
class LeastSolver {
 public:
  using Change = void (*)(PlanSetting& setting, std::int64_t value);

  LeastSolver(const PlanSetting& setting, Change change)
      : setting_(setting), costs_(setting_), change_(change) {}

  // Nothing: no plan fits.
  const PlanAnswer& solve(std::int64_t value) {
    const auto known = answers_.find(value);
    if (known != answers_.end()) {
      return known->second;
    }
    PlanSearchOptions options;
    options.bounds_layers = false;
    return answers_.emplace(value, find_modern_plan(changed(value), costs_, options)).first->second;
  }
  std::optional<double> time_s(std::int64_t value) {
    const PlanAnswer& answer = solve(value);
    return answer.has_fitting() ? std::optional(answer.plans.front().iteration.value())
                                : std::nullopt;
  }
  PlanSetting changed(std::int64_t value) const {
    PlanSetting other = setting_;
    change_(other, value);
    return other;
  }
  std::vector<std::int64_t> solved() const {
    std::vector<std::int64_t> values;
    for (const auto& [value, answer] : answers_) {
      values.push_back(value);
    }
    return values;
  }

 private:
  const PlanSetting setting_;
  SettingCosts costs_;
  Change change_;
  std::map<std::int64_t, PlanAnswer> answers_;
};

void change_devices(PlanSetting& setting, std::int64_t devices) { setting.devices = devices; }

// Whole stacks: a stack's share of the memory.
void change_memory(PlanSetting& setting, std::int64_t bytes) {
  setting.chip.hbm.stack_capacity = Bytes(bytes / setting.chip.hbm.stacks);
}

double iterations_of(const PlanSetting& setting, double tokens) {
  return tokens /
         (static_cast<double>(setting.global_batch) * static_cast<double>(sequence_of(setting)));
}

// The least k of 1 .. most for which `does(k)`, which holds for all above one for which it holds;
// nothing when it does not for `most`.
template <class Predicate>
std::optional<std::int64_t> least_that_does(std::int64_t most, Predicate does) {
  if (most < 1 || !does(most)) {
    return std::nullopt;
  }
  std::int64_t low = 0, high = most;  // not low, but high
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (does(middle) ? high : low) = middle;
  }
  return high;
}

QuestionAnswer no_answer(const PlanSetting& setting, std::optional<double> time_s) {
  QuestionAnswer none{std::nullopt, setting, std::nullopt};
  if (time_s) {
    none.nearest = Seconds(*time_s);
  }
  return none;
}

// Costs of the fastest plans by device count.
class Purse {
 public:
  Purse(const PlanSetting& setting, LeastSolver& solver, double tokens,
        const plan::RunPrices& prices)
      : setting_(setting), solver_(solver), tokens_(tokens), prices_(prices) {}

  double cost_usd(std::int64_t devices) { return run(devices).cost().value(); }

  // What so many devices cost at least in iterations of this time: idle devices and hosts draw
  // power too.
  double least_usd(std::int64_t devices, std::int64_t like, double time_s) {
    const plan::TrainingRun sample = run(like);
    const double hours = iterations_of(setting_, tokens_) * time_s / 3600;
    const double each =
        prices_.usd_per_device_hour
            ? *prices_.usd_per_device_hour
            : sample.device_price.value() / (prices_.life_years * kHoursPerYear) +
                  (std::min(sample.idle_device, sample.device) + sample.host).value() / 1000 *
                      prices_.pue * prices_.usd_per_kwh;
    return each * hours * static_cast<double>(devices);
  }

 private:
  plan::TrainingRun run(std::int64_t devices) {
    const PlanAnswer& answer = solver_.solve(devices);
    const auto peak = peak_of(setting_);
    CHECK(answer.has_fitting() && peak, "only plans that fit have a cost");
    plan::PlanRecord record = make_record(answer.plans.front(), answer.chains.front(),
                                          setting_.chip, *peak, answer.bound, false);
    record.sequence = sequence_of(setting_);
    return compute_training_run(record, setting_.chip, tokens_, prices_);
  }

  const PlanSetting& setting_;
  LeastSolver& solver_;
  double tokens_;
  const plan::RunPrices& prices_;
};

}  // namespace

QuestionAnswer find_fewest_devices(const PlanSetting& setting, const Deadline& deadline) {
  CHECK(!is_original(setting.assumptions), "questions are for our own plans");
  LeastSolver solver(setting, change_devices);
  const double limit_s = deadline.days * kSecondsPerDay / iterations_of(setting, deadline.tokens);
  const auto does = [&](std::int64_t devices) {
    const auto time = solver.time_s(devices);
    return time && *time <= limit_s;
  };
  const auto fewest = least_that_does(setting.devices, does);
  if (!fewest) {
    return no_answer(setting, solver.time_s(setting.devices));
  }
  plan::PlanQuestion question;
  question.question = "fewest_devices";
  question.least = 1;
  question.most = setting.devices;
  question.answer = *fewest;
  question.solved = solver.solved();
  question.words =
      counted(*fewest, "device is", "devices are") + " the fewest of 1 to " +
      with_thousands(setting.devices) + " that train " + with_prefix(deadline.tokens, "tokens") +
      " in " + shortest(deadline.days) + (deadline.days == 1 ? " day (" : " days (") +
      counted(question.solved.size(), "count") + " solved; more devices never take longer)";
  return {question, solver.changed(*fewest), std::nullopt};
}

QuestionAnswer find_least_money(const PlanSetting& setting, const Deadline& deadline,
                                const plan::RunPrices& prices) {
  CHECK(!is_original(setting.assumptions), "questions are for our own plans");
  LeastSolver solver(setting, change_devices);
  const std::int64_t node =
      setting.cluster.levels.size() > 1 ? setting.cluster.levels.front().members.value_or(1) : 1;
  const std::int64_t step = std::clamp<std::int64_t>(node, 1, setting.devices);
  const std::int64_t most = setting.devices / step;
  const double limit_s = deadline.days * kSecondsPerDay / iterations_of(setting, deadline.tokens);
  const auto does = [&](std::int64_t nodes) {
    const auto time = solver.time_s(nodes * step);
    return time && *time <= limit_s;
  };
  const auto least = least_that_does(most, does);
  if (!least) {
    return no_answer(setting, solver.time_s(most * step));
  }
  Purse purse(setting, solver, deadline.tokens, prices);
  std::int64_t best = *least * step;
  double best_usd = purse.cost_usd(best);
  const auto consider = [&](std::int64_t devices) {
    const double cost = purse.cost_usd(devices);
    if (cost < best_usd || (cost == best_usd && devices < best)) {
      best = devices;
      best_usd = cost;
    }
  };
  consider(most * step);
  std::vector<std::pair<std::int64_t, std::int64_t>> open = {{*least, most}};
  while (!open.empty()) {
    const auto [low, high] = open.back();
    open.pop_back();
    if (high - low < 2 ||
        purse.least_usd((low + 1) * step, high * step, *solver.time_s(high * step)) >= best_usd) {
      continue;
    }
    const std::int64_t middle = low + (high - low) / 2;
    consider(middle * step);
    open.emplace_back(middle, high);
    open.emplace_back(low, middle);
  }
  plan::PlanQuestion question;
  question.question = "least_money";
  question.least = step;
  question.most = most * step;
  question.step = step;
  question.answer = best;
  question.solved = solver.solved();
  question.words =
      counted(best, "device costs", "devices cost") + " least, " + with_prefix(best_usd, "USD") +
      ", of the multiples of " + std::to_string(step) + " up to " + with_thousands(question.most) +
      " that train " + with_prefix(deadline.tokens, "tokens") + " in " + shortest(deadline.days) +
      (deadline.days == 1 ? " day (" : " days (") + counted(question.solved.size(), "count") +
      " solved, the others cannot cost less)";
  return {question, solver.changed(best), std::nullopt};
}

QuestionAnswer find_smallest_memory(const PlanSetting& setting, double share) {
  CHECK(!is_original(setting.assumptions), "questions are for our own plans");
  LeastSolver solver(setting, change_memory);
  const std::int64_t own = hw::hbm_capacity(setting.chip).value();
  const auto time = solver.time_s(own);
  if (!time) {
    return no_answer(setting, std::nullopt);
  }
  const auto does = [&](std::int64_t gibibytes) {
    const auto other = solver.time_s(gibibytes * kGibibyte);
    return other && *other <= *time * (1 + share);
  };
  const auto least = least_that_does(own / kGibibyte, does);
  plan::PlanQuestion question;
  question.question = "smallest_hbm";
  question.least = kGibibyte;
  question.most = own;
  question.step = kGibibyte;
  const std::int64_t asked = least ? *least * kGibibyte : own;
  // To a few bytes: stacks are equal.
  question.answer = hw::hbm_capacity(solver.changed(asked).chip).value();
  question.solved = solver.solved();
  const double longer = *solver.time_s(asked) / *time - 1;
  question.words = with_binary_prefix(question.answer) +
                   " are the smallest memory of a device, in " + "whole GiB up to the chip's " +
                   with_binary_prefix(own) + ", with which an iteration is at most " +
                   shortest(share * 100) + " % longer: it is " + two_digits(longer * 100) + " % (" +
                   counted(question.solved.size(), "size") +
                   " solved; more memory never takes longer)";
  return {question, solver.changed(asked), std::nullopt};
}

}  // namespace phaze::search
