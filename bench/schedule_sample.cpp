#include "schedule_sample.h"

#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <numeric>

#include "io/schedule_json.h"

namespace phaze::bench {
namespace {

constexpr std::size_t kWorst = 10;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) /
         static_cast<double>(std::max<std::size_t>(1, values.size()));
}

// Median, and the like; 0 of none.
double quantile(std::vector<double> values, double share) {
  if (values.empty()) {
    return 0;
  }
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

}  // namespace

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Timed solve_timed(const plan::ScheduleProblem& problem, const schedule::ExactOptions& options) {
  const double begin = processor_seconds();
  Timed timed{schedule::solve_exact(problem, options), 0};
  timed.seconds = processor_seconds() - begin;
  return timed;
}

schedule::ExactOptions limited_to(std::int64_t otherwise) {
  const char* given = std::getenv("PHAZE_SCHEDULE_WORK");
  schedule::ExactOptions options;
  options.work_limit = given != nullptr ? std::atoll(given) : otherwise;
  return options;
}

double gap_of(const plan::Schedule& schedule) {
  const auto makespan = static_cast<double>(schedule.makespan.value());
  const auto bound = static_cast<double>(schedule.lower_bound.value());
  return makespan > 0 ? (makespan - bound) / makespan : 0;
}

bool Sample::Case::is_worse_than(const Case& other) const {
  if (is_proved != other.is_proved) {
    return !is_proved;
  }
  return gap != other.gap ? gap > other.gap : seconds > other.seconds;
}

void Sample::add(const std::string& kind, const std::string& name,
                 const plan::ScheduleProblem& problem, const Timed& timed,
                 const std::vector<std::string>& faults) {
  const plan::Schedule& schedule = timed.schedule;
  if (!faults.empty() && fault_.empty()) {
    fault_ = kind + ", " + name + ": " + faults.front();
  }
  tasks_.push_back(static_cast<double>(problem.tasks.size()));
  us_.push_back(timed.seconds * 1e6);
  work_ += schedule.work;
  schedules_ += timed.schedules;
  Case one{kind + ", " + name, {}, timed.seconds, gap_of(schedule), false, schedule.work};
  one.is_proved = schedule.status == plan::SolveStatus::kOptimal && timed.seconds <= time_limit_s_;
  proof_us_.push_back(one.is_proved ? us_.back() : std::numeric_limits<double>::infinity());
  Class& which = !one.is_proved ? open_ : schedule.work == 0 ? settled_ : searched_;
  ++which.count;
  which.seconds += timed.seconds;
  if (!one.is_proved) {
    open_gaps_.push_back(one.gap);
  }
  const auto known = worst_.find(kind);
  if (known == worst_.end() || one.is_worse_than(known->second)) {
    one.problem = problem;
    worst_[kind] = std::move(one);
  }
}

void Sample::count_last_as(const std::string& group) { groups_[group].push_back(us_.size() - 1); }

double Sample::proved_percent() const {
  const auto open = static_cast<double>(open_gaps_.size());
  return 100 * (1 - open / static_cast<double>(us_.size()));
}

double Sample::mean_us() const { return mean(us_); }

void Sample::print(const std::string& title) const {
  std::printf("%s: %zu problems of %.0f tasks (median, most %.0f)\n", title.c_str(), us_.size(),
              quantile(tasks_, 0.5), quantile(tasks_, 1));
  std::printf("  us: mean %.1f, median %.1f, p95 %.0f, p99 %.0f, most %.0f\n", mean(us_),
              quantile(us_, 0.5), quantile(us_, 0.95), quantile(us_, 0.99), quantile(us_, 1));
  const double each =
      static_cast<double>(us_.size()) / static_cast<double>(std::max<std::int64_t>(1, schedules_));
  std::printf("  %.2f schedules each, mean %.1f us a schedule\n", 1 / each, mean(us_) * each);
  std::printf("  proved %.3f %%, mean gap of the other %zu %.3f %%\n", proved_percent(),
              open_gaps_.size(), 100 * mean(open_gaps_));
  std::printf("  us until so many are proved: 95 %% %.0f, 98 %% %.0f, 99 %% %.0f\n",
              quantile(proof_us_, 0.95), quantile(proof_us_, 0.98), quantile(proof_us_, 0.99));
  const auto print_class = [this](const char* text, const Class& one) {
    std::printf("  %s %.2f %%, %.3f s in all;", text,
                100 * static_cast<double>(one.count) / static_cast<double>(us_.size()),
                one.seconds);
  };
  print_class("settled by bounds alone", settled_);
  print_class("searched", searched_);
  print_class("not proved", open_);
  std::printf("  work %lld\n", static_cast<long long>(work_));
  for (const auto& [group, which] : groups_) {
    std::vector<double> us, proofs;
    for (const std::size_t i : which) {
      us.push_back(us_[i]);
      proofs.push_back(proof_us_[i]);
    }
    std::printf("  %-15s %6zu, mean %.1f us, median %.1f, 99 %% proved within %.0f\n",
                group.c_str(), us.size(), mean(us), quantile(us, 0.5), quantile(proofs, 0.99));
  }
  std::printf("  %10s  %7s  %5s  %9s  the worst\n", "ms", "gap %", "tasks", "work");
  const char* folder = std::getenv("PHAZE_SCHEDULE_DUMP");
  std::vector<const Case*> worst;
  for (const auto& [kind, one] : worst_) {
    worst.push_back(&one);
  }
  std::stable_sort(worst.begin(), worst.end(),
                   [](const Case* a, const Case* b) { return a->is_worse_than(*b); });
  worst.resize(std::min(worst.size(), kWorst));
  for (std::size_t i = 0; i < worst.size(); ++i) {
    const Case& one = *worst[i];
    std::printf("  %10.3f  %7.3f  %5zu  %9lld  %s\n", one.seconds * 1e3, one.gap * 100,
                one.problem.tasks.size(), static_cast<long long>(one.work), one.name.c_str());
    if (folder != nullptr) {
      std::ofstream(std::string(folder) + "/" + title + "-" + std::to_string(i) + ".json")
          << io::write_schedule_problem(one.problem);
    }
  }
  std::fflush(stdout);
}

}  // namespace phaze::bench
