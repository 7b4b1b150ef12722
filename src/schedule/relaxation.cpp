// Bounds that hold for every schedule, with d the duration of a task in its width:
//   load    core time of a kind over its cores, with what a wide task takes or excludes, and with
//           idle(i) for the tasks i along any path: these run one after another, and while i runs
//           only tasks that are neither before nor after it can use the other cores;
//   way     tasks of which each comes before the next, and what must fit between two of them
//           (intervals.h): the sum of d of these tasks, and of the load of a kind of core, or of
//           the network, between them. No task counts twice.
// Where wide tasks exclude all others, time is either some wide task's or no wide task's: then the
// durations of all wide tasks may count fully, and of a way one-core durations and loads of tasks
// that need cores.
//
// Each is a sum over tasks, so that any mean of them is one too, and the least over both widths of
// each task is a bound for all choices of widths. The best mean is the value of a matrix game: one
// side mixes bounds, the other widths. Fictitious play (Brown 1951, Robinson 1951) lets both answer
// the mean of what the other has played, later rounds weighing more; every mean of bounds on the
// way is a bound. This is the Lagrangian dual of choosing widths against all bounds at once.
#include "schedule/relaxation.h"

#include <algorithm>

#include "schedule/intervals.h"

namespace phaze::schedule {
namespace {

// What a task adds to a bound, by width.
struct Term {
  double one = 0, wide = 0;
  double at(double share_wide) const { return one + (wide - one) * share_wide; }
  Term& operator+=(const Term& other) {
    one += other.one;
    wide += other.wide;
    return *this;
  }
};

// What tasks add to ways: by themselves, between two others, and in any case.
struct WayTerms {
  std::vector<Term> task, always;
  std::array<std::vector<Term>, kResources> between;
};

class Game {
 public:
  Game(const Piece& piece, const Intervals& intervals, const Widths& widths)
      : piece_(piece), widths_(widths), intervals_(intervals), tasks_(intervals.order) {
    const std::size_t n = piece.tasks.size();
    ways_.resize(piece.exclusive_wide ? 2 : 1);
    for (WayTerms& way : ways_) {
      way.task.resize(n);
      way.always.resize(n);
      for (std::vector<Term>& terms : way.between) {
        terms.resize(n);
      }
    }
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      area_[kind].resize(n);
      idle_[kind].resize(n);
    }
    for (const std::size_t i : tasks_) {
      add_terms(i);
    }
    total_.resize(n);
    played_.resize(n);
    wide_.assign(n, 0);
    start_widths();
    reach_.resize(n);
    from_.resize(n);
  }

  std::vector<Shares> play(int rounds, Time enough) {
    std::vector<Shares> all;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      forget();
      play_load(kind);
      add_played(1);
      all.push_back(shares());
    }
    forget();
    start_widths();
    Shares best;
    for (int round = 1; round <= rounds; ++round) {
      play_best();
      add_played(round);
      answer(2.0 / (round + 1));
      const bool is_sampled = (round & (round - 1)) == 0 || round % 16 == 0 || round == rounds;
      if (is_sampled) {
        Shares now = shares();
        if (best.tasks.empty() || now.sum > best.sum) {
          best = std::move(now);
        }
        if (round_up(best.sum) >= enough) {
          break;
        }
      }
    }
    all.push_back(std::move(best));
    return all;
  }

 private:
  double cores(std::size_t kind) const {
    return static_cast<double>(std::max<std::int64_t>(1, piece_.cores[kind]));
  }

  bool can_one(std::size_t i) const { return (widths_.one & bit(i)) != 0; }
  bool can_wide(std::size_t i) const {
    return piece_.tasks[i].all != kNever && (widths_.wide & bit(i)) != 0;
  }

  // The least core time of a kind that nobody uses while a task runs, over the cores.
  double idle(std::size_t i, bool wide, std::size_t kind) const {
    const PieceTask& t = piece_.tasks[i];
    const auto length = static_cast<double>(wide ? t.all : t.one);
    const bool excludes = piece_.exclusive_wide && t.needs_cores();
    if (wide && (t.needs[kind] || excludes)) {
      return 0;  // it takes or excludes all
    }
    double free = (cores(kind) - (t.needs[kind] ? 1 : 0)) * length;
    const Mask related = intervals_.above[i] | intervals_.below[i] | bit(i);
    for (const std::size_t j : tasks_) {
      if (free <= 0) {
        break;
      }
      if (related & bit(j)) {
        continue;
      }
      const PieceTask& other = piece_.tasks[j];
      const bool meets =
          (t.needs[kTensor] && other.needs[kTensor]) || (t.needs[kVector] && other.needs[kVector]);
      if (wide && meets) {
        continue;
      }
      const double one =
          other.needs[kind] && can_one(j) ? std::min(static_cast<double>(other.one), length) : 0;
      const bool takes_all = other.needs[kind] || (piece_.exclusive_wide && other.needs_cores());
      const bool may_be_wide = can_wide(j) && takes_all && !meets && !excludes;
      const double all =
          may_be_wide ? cores(kind) * std::min(static_cast<double>(other.all), length) : 0;
      free -= std::max(one, all);
    }
    return std::max(0.0, free) / cores(kind);
  }

  void add_terms(std::size_t i) {
    const PieceTask& t = piece_.tasks[i];
    const auto one = static_cast<double>(t.one);
    const double all = can_wide(i) ? static_cast<double>(t.all) : 0;
    const bool excludes = piece_.exclusive_wide && t.needs_cores();
    ways_[0].task[i] = {one, all};
    ways_[0].between[kNetwork][i] = {t.is_network ? one : 0, 0};
    if (piece_.exclusive_wide) {
      ways_[1].task[i] = {t.needs_cores() ? one : 0, 0};
      ways_[1].always[i] = {0, all};
    }
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const bool uses = t.needs[kind];
      const double share = uses ? one / cores(kind) : 0;
      area_[kind][i] = {share, uses || excludes ? all : 0};
      ways_[0].between[kind][i] = area_[kind][i];
      if (piece_.exclusive_wide) {
        ways_[1].between[kind][i] = {share, 0};
      }
      idle_[kind][i] = {can_one(i) ? idle(i, false, kind) : 0,
                        can_wide(i) ? idle(i, true, kind) : 0};
      has_idle_[kind] = has_idle_[kind] || idle_[kind][i].one > 0 || idle_[kind][i].wide > 0;
    }
  }

  // How the longest way gets to a task: from another, straight or over what is between.
  struct Step {
    std::size_t from = kNoTask;
    const Interval* over = nullptr;
    std::size_t resource = 0;
  };

  // Longest ways to the end of each task along edges; the task at whose end the longest ends.
  std::size_t find_path(const std::vector<Term>& terms) {
    std::size_t last = tasks_.front();
    for (const std::size_t i : tasks_) {
      reach_[i] = 0;
      from_[i] = {};
      for (const std::size_t j : intervals_.before_lists[i]) {
        if (reach_[j] > reach_[i]) {
          reach_[i] = reach_[j];
          from_[i].from = j;
        }
      }
      reach_[i] += terms[i].at(wide_[i]);
      last = reach_[i] > reach_[last] ? i : last;
    }
    return last;
  }

  void try_interval(std::size_t k, double& reach, Step& step) const {
    const Interval& interval = intervals_.all[k];
    const double start = interval.from == kNoTask ? 0 : reach_[interval.from];
    PerResource load{};
    for (const std::size_t i : intervals_.between_lists[k]) {
      const PerResource& one = between_[i];
      for (std::size_t r = 0; r < load.size(); ++r) {
        load[r] += one[r];
      }
    }
    for (std::size_t r = 0; r < kResources; ++r) {
      if (start + load[r] > reach) {
        reach = start + load[r];
        step = {interval.from, &interval, r};
      }
    }
  }

  // The length of the longest way; its last step.
  double find_way(const WayTerms& way, Step& last) {
    double base = 0;
    std::size_t next = 0;
    double longest = 0;
    last = {};
    for (const std::size_t i : tasks_) {
      base += way.always[i].at(wide_[i]);
      for (std::size_t r = 0; r < kResources; ++r) {
        between_[i][r] = way.between[r][i].at(wide_[i]);
      }
      double reach = 0;
      from_[i] = {};
      for (const std::size_t j : intervals_.before_lists[i]) {
        if (reach_[j] > reach) {
          reach = reach_[j];
          from_[i].from = j;
        }
      }
      for (; next < intervals_.all.size() && intervals_.all[next].to == i; ++next) {
        try_interval(next, reach, from_[i]);
      }
      reach_[i] = reach + way.task[i].at(wide_[i]);
      if (reach_[i] > longest) {
        longest = reach_[i];
        last = {i, nullptr, 0};
      }
    }
    for (; next < intervals_.all.size(); ++next) {
      try_interval(next, longest, last);
    }
    return base + longest;
  }

  void play_path(const std::vector<Term>& terms, std::size_t last) {
    for (std::size_t i = last; i != kNoTask; i = from_[i].from) {
      played_[i] += terms[i];
    }
  }
  void play_way(const WayTerms& way, Step step) {
    for (const std::size_t i : tasks_) {
      played_[i] = way.always[i];
    }
    for (;;) {
      for (Mask set = step.over != nullptr ? step.over->between : 0; set != 0; set &= set - 1) {
        played_[lowest(set)] += way.between[step.resource][lowest(set)];
      }
      if (step.from == kNoTask) {
        return;
      }
      played_[step.from] += way.task[step.from];
      step = from_[step.from];
    }
  }

  double sum(const std::vector<Term>& terms) const {
    double total = 0;
    for (const std::size_t i : tasks_) {
      total += terms[i].at(wide_[i]);
    }
    return total;
  }

  double load(std::size_t kind) {
    return sum(area_[kind]) + (has_idle_[kind] ? reach_[find_path(idle_[kind])] : 0);
  }
  void play_load(std::size_t kind) {
    played_ = area_[kind];
    if (has_idle_[kind]) {
      play_path(idle_[kind], find_path(idle_[kind]));
    }
    load_played_ = {};
    load_played_[kind] = 1;
  }

  // The bound that is highest for the mean of the widths so far.
  void play_best() {
    double best = -1;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const double value = load(kind);
      if (value > best) {
        best = value;
        play_load(kind);
      }
    }
    for (const WayTerms& way : ways_) {
      Step last;
      const double value = find_way(way, last);
      if (value > best) {
        best = value;
        load_played_ = {};
        play_way(way, last);
      }
    }
  }

  void start_widths() {
    for (const std::size_t i : tasks_) {
      wide_[i] = can_one(i) ? 0 : 1;
    }
  }
  void forget() {
    total_.assign(total_.size(), {});
    load_ = {};
    weight_ = 0;
  }
  void add_played(double weight) {
    weight_ += weight;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      load_[kind] += weight * load_played_[kind];
    }
    for (const std::size_t i : tasks_) {
      total_[i].one += weight * played_[i].one;
      total_[i].wide += weight * played_[i].wide;
    }
  }
  void answer(double step) {
    for (const std::size_t i : tasks_) {
      const bool wide = can_wide(i) && (!can_one(i) || total_[i].wide < total_[i].one);
      wide_[i] += step * ((wide ? 1.0 : 0.0) - wide_[i]);
    }
  }

  Shares shares() const {
    Shares shares;
    shares.load = {load_[kTensor] / weight_, load_[kVector] / weight_};
    shares.tasks.resize(piece_.tasks.size());
    for (const std::size_t i : tasks_) {
      Shares::Task& share = shares.tasks[i];
      const Term& total = total_[i];
      share.one = (can_one(i) ? total.one : total.wide) / weight_;
      share.wide = (can_wide(i) ? total.wide : total.one) / weight_;
      shares.sum += share.least();
    }
    return shares;
  }

  const Piece& piece_;
  const Widths widths_;
  const Intervals& intervals_;
  const std::vector<std::size_t>& tasks_;
  std::vector<WayTerms> ways_;
  std::array<std::vector<Term>, kKinds> area_, idle_;
  std::array<bool, kKinds> has_idle_{};

  std::vector<Term> played_, total_;
  double weight_ = 0;
  std::array<double, kKinds> load_played_{}, load_{};
  std::vector<double> wide_;  // mean of the widths played
  std::vector<double> reach_;
  std::vector<Step> from_;
  // One more than there are: pairs of numbers are added at once.
  using PerResource = std::array<double, kResources + 1>;
  std::array<PerResource, kMostTasks> between_{};
};

}  // namespace

std::vector<Shares> compute_shares(const Piece& piece, const Intervals& intervals,
                                   const Widths& widths, int rounds, Time enough) {
  return Game(piece, intervals, widths).play(rounds, enough);
}

}  // namespace phaze::schedule
