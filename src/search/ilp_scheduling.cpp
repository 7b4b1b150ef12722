#include "search/ilp_scheduling.h"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "schedule/exact.h"

namespace phaze::search {
namespace {

using plan::Schedule;
using plan::ScheduleProblem;

// All of a problem but the names of its tasks.
std::vector<std::int64_t> key_of(const ScheduleProblem& problem) {
  std::vector<std::int64_t> key = {problem.tensor_cores, problem.vector_cores,
                                   problem.exclusive_wide ? 1 : 0,
                                   static_cast<std::int64_t>(problem.tasks.size())};
  for (const plan::Task& task : problem.tasks) {
    key.push_back(static_cast<std::int64_t>(task.unit));
    key.push_back(task.one_core.value());
    key.push_back(task.all_cores ? task.all_cores->value() : -1);
  }
  for (const auto& [before, after] : problem.edges) {
    key.push_back(static_cast<std::int64_t>(before.index()));
    key.push_back(static_cast<std::int64_t>(after.index()));
  }
  return key;
}

class Solved {
 public:
  std::optional<Schedule> find(const std::vector<std::int64_t>& key) const {
    const std::lock_guard lock(mutex_);
    const auto found = schedules_.find(key);
    return found != schedules_.end() ? std::optional(found->second) : std::nullopt;
  }
  // Of two threads that solved the same problem the first one's schedule is everybody's.
  Schedule keep(std::vector<std::int64_t> key, const Schedule& schedule) {
    const std::lock_guard lock(mutex_);
    return schedules_.try_emplace(std::move(key), schedule).first->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::vector<std::int64_t>, Schedule> schedules_;
};

}  // namespace

Solver make_ilp_solver(const schedule::IlpOptions& options) {
  return [options, solved = std::make_shared<Solved>()](const ScheduleProblem& problem,
                                                        const Wanted& wanted) {
    std::vector<std::int64_t> key = key_of(problem);
    if (std::optional<Schedule> known = solved->find(key)) {
      return *std::move(known);
    }
    if (wanted.cutoff || wanted.is_glance()) {
      Schedule list = schedule::solve_list(problem);
      if (wanted.is_glance() || list.lower_bound >= *wanted.cutoff) {
        return list;  // no program is needed to see that it is of no use
      }
    }
    return solved->keep(std::move(key), schedule::solve_ilp(problem, options));
  };
}

}  // namespace phaze::search
