// The relaxed schedule of moments (rates.h) cuts tasks into pieces: when a product ends before the
// others beside it, a piece of another one fills its core until the segment ends. Here tasks that
// are added to a segment are whole.
//
// Let a segment end at E. All of its tasks have ended by then, and what is left after it takes at
// least as long as its values, so that all ends no earlier than
//   E + values of all that is left now - what is earned in the segment from now on,
// where a task earns its value, and one that runs what was left of it. For a kind of core:
// - A core is free from the end of what runs on it on, and then has tasks one after another that
//   take no longer than until E together: no more value than the best such set of tasks that are
//   left. Where there are fewer of the longest tasks than cores, only so many cores have one.
// - Tasks of other kinds earn no more than their values together, and no more than the heaviest of
//   them at one moment, as long as the segment goes on.
// Between two ends at which something more fits, earning stays the same or grows no faster than
// time, so that only these ends count, from the latest end of what runs on.
// A task that has to wait for others of the segment cannot end in it before these have, one after
// another on one core each, and not at all if one of them cannot run there (find_ends). That is
// asked only if nothing is found without it.
// What waits for nothing in the segment may run alone before it: all ends then move by as much,
// which is no less than its value, and it earns nothing.
#include "schedule/segment_waste.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace phaze::schedule {

using Running = SegmentStates::Running;

namespace {

constexpr std::size_t kMostSteps = 128;
constexpr std::size_t kMostFillings = 5'000;  // 10 MB, then anew
constexpr std::int64_t kStepsForTry = 8;      // take as long
constexpr std::size_t kMostLengths = 8;       // of many, some fit nearly everywhere
constexpr std::size_t kMany = 3;              // of a length count as all of them

}  // namespace

SegmentWaste::SegmentWaste(const Piece& piece, const Intervals& order, const SegmentTasks& tasks,
                           const Rates& rates)
    : piece_(piece), order_(order), tasks_(tasks), rates_(rates), ends_(piece.tasks.size()) {
  for (std::size_t kind = 0; kind < kKinds && !rates.value.empty(); ++kind) {
    std::vector<double> of_others;
    std::vector<std::size_t> by_length;
    for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
      if ((tasks.in_segments & bit(i)) == 0 || tasks.beside[i] == 0) {
        continue;
      }
      if ((tasks.users[kind] & bit(i)) == 0) {
        of_others.push_back(rates.one[i]);
      } else if (rates.value[i] > 0) {
        fillers_[kind] |= bit(i);
        by_length.push_back(i);
      }
    }
    std::ranges::stable_sort(by_length, {}, [&](std::size_t i) { return tasks.beside[i]; });
    std::ranges::sort(of_others, std::greater<>());
    const auto most = static_cast<std::size_t>(piece.cores[kKinds - 1 - kind]);
    for (std::size_t i = 0; i < std::min(most, of_others.size()); ++i) {
      rate_of_others_[kind] += of_others[i];
    }
    rate_of_others_[kind] = std::min(1.0, rate_of_others_[kind]);
    for (const std::size_t i : by_length) {
      std::vector<Mask>& alike = alike_[kind];
      const bool is_first = alike.empty() || tasks.beside[lowest(alike.back())] != tasks.beside[i];
      if (is_first) {
        alike.push_back(0);
      }
      alike.back() |= bit(i);
    }
    most_value_[kind].resize(piece.tasks.size());
    for (const Mask alike : alike_[kind]) {
      double value = 0;
      for (Mask rest = alike; rest != 0; rest &= rest - 1) {
        value = std::max(value, rates.value[lowest(rest)]);
      }
      for (Mask rest = alike; rest != 0; rest &= rest - 1) {
        most_value_[kind][lowest(rest)] = value;
      }
    }
    is_asked_[kind] = piece.cores[kind] <= kMostCores && fillers_[kind] != 0 &&
                      alike_[kind].size() <= kMostLengths;
  }
}

bool SegmentWaste::is_too_much(const SegmentState& state, std::span<const Running> running,
                               Time limit) {
  if (!is_asked_[kTensor] && !is_asked_[kVector]) {
    return false;
  }
  Question question{state, running, state.values_left, limit};
  for (const Running& one : running) {
    question.values += value_left(state, one);
  }
  for (const bool by_ends : {false, true}) {
    if (by_ends) {
      find_ends(state, running);
    }
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      if (is_asked_[kind] && is_too_much(kind, question, by_ends)) {
        return true;
      }
    }
  }
  return false;
}

double SegmentWaste::value_left(const SegmentState& state, const Running& one) const {
  return one.task == state.task
             ? rates_.value[one.task]
             : rates_.one[one.task] * static_cast<double>(one.end - state.last_start);
}

void SegmentWaste::find_ends(const SegmentState& state, std::span<const Running> running) {
  const Time now = state.last_start;
  std::fill(ends_.begin(), ends_.end(), now);
  for (const Running& one : running) {
    ends_[one.task] = std::max(now, one.end);
  }
  for (const std::size_t i : order_.order) {
    if ((state.done & bit(i)) != 0) {
      continue;
    }
    Time start = now;
    if ((state.behind & bit(i)) != 0) {
      for (Mask rest = order_.before[i] & (state.behind | state.done); rest != 0;
           rest &= rest - 1) {
        start = std::max(start, ends_[lowest(rest)]);
      }
    }
    const bool can = start != kNever && (tasks_.in_segments & bit(i)) != 0;
    ends_[i] = can ? start + tasks_.beside[i] : kNever;
  }
}

// When cores of a kind are free, and what those that run earn.
SegmentWaste::Busy SegmentWaste::busy_of(std::size_t kind, const Question& question) const {
  Busy busy;
  busy.cores = static_cast<std::size_t>(piece_.cores[kind]);
  std::size_t running = 0;
  for (const Running& one : question.running) {
    const double value = value_left(question.state, one);
    if ((tasks_.users[kind] & bit(one.task)) == 0) {
      busy.of_others += value;
      continue;
    }
    busy.earned += value;
    if (running < busy.cores) {  // those behind it end right now
      busy.free[running++] = one.end;
    }
  }
  std::fill_n(busy.free.begin() + static_cast<std::ptrdiff_t>(running), busy.cores - running,
              question.state.last_start);
  return busy;
}

// Adds what other kinds can earn before the first end, and lists what they can earn later.
Mask SegmentWaste::look_at_ends(std::size_t kind, const Question& question, Busy& busy) {
  Mask in_time = 0;
  later_.clear();
  for (Mask rest = all_of(piece_) & ~question.state.done; rest != 0; rest &= rest - 1) {
    const std::size_t i = lowest(rest);
    if (ends_[i] >= question.limit) {
      continue;
    }
    in_time |= bit(i);
    if ((tasks_.users[kind] & bit(i)) != 0 || rates_.value[i] <= 0) {
      continue;
    }
    if (ends_[i] <= question.state.latest_end) {
      busy.of_others += rates_.value[i];
    } else {
      later_.push_back({ends_[i], rates_.value[i]});
    }
  }
  std::ranges::sort(later_, {}, &Later::end);
  return in_time;
}

bool SegmentWaste::is_too_much(std::size_t kind, const Question& question, bool by_ends) {
  const SegmentState& state = question.state;
  Busy busy = busy_of(kind, question);
  Mask left = fillers_[kind] & ~state.done;
  if (by_ends) {
    left &= look_at_ends(kind, question, busy);
  }
  const Kin& kin = kin_of(kind, left);
  if (!by_ends) {
    later_.clear();
    busy.of_others = question.values - busy.earned - kin.value;
  }
  std::size_t next_later = 0;
  Steps steps;
  for (Time end = state.latest_end; end < question.limit;) {
    ++tried_;
    while (next_later < later_.size() && later_[next_later].end <= end) {
      busy.of_others += later_[next_later++].value;
    }
    Time next = next_later < later_.size() ? later_[next_later].end : kNever;
    const double filled = fill(*kin.fillings, busy, end, steps, next);
    const double of_others = std::min(
        busy.of_others, rate_of_others_[kind] * static_cast<double>(end - state.last_start));
    const double earned = busy.earned + std::min(filled, kin.value) + of_others;
    // A difference, but none of its terms is above the limit by more than a little.
    if (round_up(static_cast<double>(end) + question.values - earned) < question.limit) {
      return false;
    }
    if (next == kNever) {
      return true;
    }
    end = next;
  }
  return true;
}

// The value of what fits until `end` on a core that is free from some time on, from the last step
// that was asked for on; `next` becomes no later than the end at which more fits.
double SegmentWaste::value_by(const std::vector<Step>& steps, std::size_t& step, Time end,
                              Time free, Time& next) {
  while (step + 1 < steps.size() && steps[step + 1].time <= end - free) {
    ++step;
  }
  if (step + 1 < steps.size()) {
    next = std::min(next, free + steps[step + 1].time);
  }
  return steps[step].value;
}

// The most that whole tasks on all cores are worth by some end, no earlier than the last that was
// asked for; `next` becomes no later than the end at which more fits.
double SegmentWaste::fill(const Fillings& fillings, const Busy& busy, Time end, Steps& steps,
                          Time& next) {
  double filled = 0;
  std::array<double, kMostCores> more;
  for (std::size_t core = 0; core < busy.cores; ++core) {
    const Time free = busy.free[core];
    const double value = value_by(fillings.steps, steps.all[core], end, free, next);
    if (fillings.others == nullptr) {
      filled += value;
      continue;
    }
    const double without = value_by(fillings.others->steps, steps.others[core], end, free, next);
    filled += without;
    more[core] = value - without;
  }
  if (fillings.others != nullptr) {
    const auto few = more.begin() + static_cast<std::ptrdiff_t>(fillings.few);
    std::partial_sort(more.begin(), few, more.begin() + static_cast<std::ptrdiff_t>(busy.cores),
                      std::greater<>());
    filled = std::accumulate(more.begin(), few, filled);
  }
  return filled;
}

const SegmentWaste::Kin& SegmentWaste::kin_of(std::size_t kind, Mask left) {
  Kin& kin = kin_[kind][MaskHash()(left) >> kBitsOfHash];
  if (kin.fillings != nullptr && kin.left == left) {
    return kin;
  }
  kin = {left, 0, nullptr};
  Mask tasks = 0;
  for (const Mask alike : alike_[kind]) {
    std::size_t number = 0;
    for (Mask rest = left & alike; rest != 0; rest &= rest - 1, ++number) {
      kin.value += rates_.value[lowest(rest)];
    }
    if (number >= kMany) {
      tasks |= alike;
      continue;
    }
    for (Mask rest = alike; number > 0; rest &= rest - 1, --number) {
      tasks |= rest & ~(rest - 1);
    }
  }
  if (fillings_[kind].size() > kMostFillings) {
    const Kin now = kin;
    fillings_[kind].clear();
    kin_[kind].fill({});
    kin = now;
  }
  kin.fillings = &fillings_of(kind, tasks);
  return kin;
}

Mask SegmentWaste::longest_of(std::size_t kind, Mask left) const {
  for (std::size_t at = alike_[kind].size(); at-- > 0;) {
    if ((left & alike_[kind][at]) != 0) {
      return left & alike_[kind][at];
    }
  }
  return 0;
}

const SegmentWaste::Fillings& SegmentWaste::fillings_of(std::size_t kind, Mask left) {
  const auto [known, is_new] = fillings_[kind].try_emplace(left);
  Fillings& fillings = known->second;
  if (!is_new) {
    return fillings;
  }
  std::vector<Step> steps = {{0, 0}}, with;
  for (const Mask alike : alike_[kind]) {
    for (Mask rest = left & alike; rest != 0; rest &= rest - 1) {
      const Step more{tasks_.beside[lowest(rest)], most_value_[kind][lowest(rest)]};
      tried_ += static_cast<std::int64_t>(steps.size()) / kStepsForTry;
      // The best of both: without it, and with it.
      with.clear();
      std::size_t a = 0, b = 0;
      while (a < steps.size() || b < steps.size()) {
        Step step;
        if (b == steps.size() || (a < steps.size() && steps[a].time <= steps[b].time + more.time)) {
          step = steps[a++];
        } else {
          step = {steps[b].time + more.time, steps[b].value + more.value};
          ++b;
        }
        if (!with.empty() && step.value <= with.back().value) {
          continue;
        }
        if (!with.empty() && step.time == with.back().time) {
          with.back() = step;
        } else {
          with.push_back(step);
        }
      }
      steps.swap(with);
      if (steps.size() > kMostSteps) {
        // Two become one: as soon as the first, as good as the second.
        for (std::size_t at = 1; at < steps.size(); at += 2) {
          steps[at / 2 + 1] = {steps[at].time, steps[std::min(at + 1, steps.size() - 1)].value};
        }
        steps.resize(steps.size() / 2 + 1);
      }
    }
  }
  fillings.steps.assign(steps.begin(), steps.end());  // no longer than it has to be
  const Mask longest = longest_of(kind, left);
  if (longest != 0 && count(longest) < static_cast<std::size_t>(piece_.cores[kind])) {
    fillings.few = count(longest);
    fillings.others = &fillings_of(kind, left & ~longest);  // of fewer tasks
  }
  return fillings;
}

}  // namespace phaze::schedule
