// Bounds that hold for every schedule, with d the duration of a task in its width:
//   path    the sum of d along any path of the graph;
//   load    core time of a kind over its cores, with what a wide task takes or excludes, and with
//           idle(i) for the tasks i along any path: these run one after another, and while i runs
//           only tasks that are neither before nor after it can use the other cores;
//   head    the path up to a task, then the load of all that come after it;
//   tail    the load of all that come before a task, then the path from it on;
//   network the time of all tasks on the network.
// Where wide tasks exclude all others, time is either some wide task's or no wide task's: then the
// durations of all wide tasks count fully in path, head and tail, and the rest of these bounds is
// one-core durations of tasks that need cores. The plain path counts beside it.
//
// Each is a sum over tasks, so that any mean of them is one too, and the least over both widths of
// each task is a bound for all choices of widths. The best mean is the value of a matrix game: one
// side mixes bounds, the other widths. Fictitious play (Brown 1951, Robinson 1951) lets both answer
// the mean of what the other has played, later rounds weighing more; every mean of bounds on the
// way is a bound. This is the Lagrangian dual of choosing widths against all bounds at once.
#include "schedule/relaxation.h"

#include <algorithm>

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

class Game {
 public:
  Game(const Piece& piece, Mask left) : piece_(piece) {
    std::vector<std::size_t> place(piece.tasks.size(), 0);
    for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
      if (left & bit(i)) {
        place[i] = tasks_.size();
        tasks_.push_back(i);
      }
    }
    n_ = tasks_.size();
    is_split_ = piece.exclusive_wide;
    before_.resize(n_);
    above_.assign(n_, 0);
    below_.assign(n_, 0);
    for (std::size_t i = 0; i < n_; ++i) {
      for (Mask before = task(i).before & left; before != 0; before &= before - 1) {
        const std::size_t j = place[lowest(before)];
        before_[i].push_back(j);
        above_[i] |= above_[j] | bit(j);
      }
      for (Mask above = above_[i]; above != 0; above &= above - 1) {
        below_[lowest(above)] |= bit(i);
      }
    }
    for (std::size_t i = 0; i < n_; ++i) {
      add_terms(i);
    }
    total_.resize(n_);
    played_.resize(n_);
    wide_.assign(n_, 0);
    head_.resize(n_);
    tail_.resize(n_);
    plain_head_.resize(n_);
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
    wide_.assign(n_, 0);
    Shares best;
    for (int round = 1; round <= rounds; ++round) {
      play_best();
      add_played(round);
      answer(2.0 / (round + 1));
      const bool is_sampled = (round & (round - 1)) == 0 || round % 16 == 0 || round == rounds;
      if (is_sampled) {
        Shares now = shares();
        if (now.sum > best.sum) {
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
  const PieceTask& task(std::size_t i) const { return piece_.tasks[tasks_[i]]; }
  double cores(std::size_t kind) const {
    return static_cast<double>(std::max<std::int64_t>(1, piece_.cores[kind]));
  }
  static bool needs_cores(const PieceTask& task) {
    return task.needs[kTensor] || task.needs[kVector];
  }

  // The least core time of a kind that nobody uses while a task runs, over the cores.
  double idle(std::size_t i, bool wide, std::size_t kind) const {
    const PieceTask& t = task(i);
    const auto length = static_cast<double>(wide ? t.all : t.one);
    const bool excludes = piece_.exclusive_wide && needs_cores(t);
    if (wide && (t.needs[kind] || excludes)) {
      return 0;  // it takes or excludes all
    }
    double free = (cores(kind) - (t.needs[kind] ? 1 : 0)) * length;
    for (std::size_t j = 0; j < n_ && free > 0; ++j) {
      const PieceTask& other = task(j);
      if (i == j || ((above_[i] | below_[i]) & bit(j))) {
        continue;
      }
      const bool meets =
          (t.needs[kTensor] && other.needs[kTensor]) || (t.needs[kVector] && other.needs[kVector]);
      if (wide && meets) {
        continue;
      }
      const double one = other.needs[kind] ? std::min(static_cast<double>(other.one), length) : 0;
      const bool takes_all = other.needs[kind] || (piece_.exclusive_wide && needs_cores(other));
      const bool may_be_wide = other.all != kNever && takes_all && !meets && !excludes;
      const double all =
          may_be_wide ? cores(kind) * std::min(static_cast<double>(other.all), length) : 0;
      free -= std::max(one, all);
    }
    return std::max(0.0, free) / cores(kind);
  }

  void add_terms(std::size_t i) {
    const PieceTask& t = task(i);
    const auto one = static_cast<double>(t.one);
    const double all = t.all == kNever ? 0 : static_cast<double>(t.all);
    const bool excludes = piece_.exclusive_wide && needs_cores(t);
    plain_.push_back({one, all});
    path_.push_back({is_split_ && !needs_cores(t) ? 0 : one, is_split_ ? 0 : all});
    always_.push_back({0, is_split_ ? all : 0});
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      const bool uses = t.needs[kind];
      const double share = uses ? one / cores(kind) : 0;
      area_[kind].push_back({share, uses || excludes ? all : 0});
      part_[kind].push_back({share, !is_split_ && (uses || excludes) ? all : 0});
      idle_[kind].push_back({idle(i, false, kind), t.all == kNever ? 0 : idle(i, true, kind)});
    }
    network_.push_back({t.is_network ? one : 0, 0});
  }

  // Longest ways from a beginning through each task, and from each task through an end.
  void find_heads(const std::vector<Term>& terms, std::vector<double>& heads) const {
    for (std::size_t i = 0; i < n_; ++i) {
      heads[i] = 0;
      for (const std::size_t j : before_[i]) {
        heads[i] = std::max(heads[i], heads[j]);
      }
      heads[i] += terms[i].at(wide_[i]);
    }
  }
  void find_tails(const std::vector<Term>& terms, std::vector<double>& tails) const {
    tails.assign(n_, 0);
    for (std::size_t i = n_; i-- > 0;) {
      tails[i] += terms[i].at(wide_[i]);
      for (const std::size_t j : before_[i]) {
        tails[j] = std::max(tails[j], tails[i]);
      }
    }
  }

  void play_head(const std::vector<Term>& terms, const std::vector<double>& heads, std::size_t i) {
    for (;;) {
      played_[i] += terms[i];
      if (before_[i].empty()) {
        return;
      }
      std::size_t longest = before_[i].front();
      for (const std::size_t j : before_[i]) {
        longest = heads[j] > heads[longest] ? j : longest;
      }
      i = longest;
    }
  }
  void play_tail(const std::vector<Term>& terms, const std::vector<double>& tails, std::size_t i) {
    for (std::size_t next = i; next != n_;) {
      i = next;
      played_[i] += terms[i];
      next = n_;
      for (Mask below = below_[i]; below != 0; below &= below - 1) {
        const std::size_t j = lowest(below);
        const bool follows = std::find(before_[j].begin(), before_[j].end(), i) != before_[j].end();
        next = follows && (next == n_ || tails[j] > tails[next]) ? j : next;
      }
    }
  }
  void play_all(const std::vector<Term>& terms) {
    for (std::size_t i = 0; i < n_; ++i) {
      played_[i] += terms[i];
    }
  }
  void play_set(const std::vector<Term>& terms, Mask set) {
    for (; set != 0; set &= set - 1) {
      played_[lowest(set)] += terms[lowest(set)];
    }
  }
  double sum(const std::vector<Term>& terms) const {
    double total = 0;
    for (std::size_t i = 0; i < n_; ++i) {
      total += terms[i].at(wide_[i]);
    }
    return total;
  }
  std::size_t longest(const std::vector<double>& ways) const {
    return static_cast<std::size_t>(std::max_element(ways.begin(), ways.end()) - ways.begin());
  }

  double play_load(std::size_t kind) {
    find_heads(idle_[kind], head_);
    const std::size_t last = longest(head_);
    played_.assign(n_, {});
    play_all(area_[kind]);
    play_head(idle_[kind], head_, last);
    load_played_ = {};
    load_played_[kind] = 1;
    return sum(area_[kind]) + head_[last];
  }

  // The bound that is highest for the mean of the widths so far.
  void play_best() {
    std::size_t best_kind = 0;
    double best = -1;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      find_heads(idle_[kind], head_);
      const double value = sum(area_[kind]) + head_[longest(head_)];
      if (value > best) {
        best = value;
        best_kind = kind;
      }
    }
    find_heads(path_, head_);
    find_tails(path_, tail_);
    const double base = sum(always_);
    std::size_t best_head = n_, best_tail = n_;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      for (std::size_t i = 0; i < n_; ++i) {
        value_[i] = part_[kind][i].at(wide_[i]);
      }
      for (std::size_t i = 0; i < n_; ++i) {
        double after = base + head_[i];
        for (Mask set = below_[i]; set != 0; set &= set - 1) {
          after += value_[lowest(set)];
        }
        if (after > best) {
          best = after;
          best_kind = kind;
          best_head = i;
          best_tail = n_;
        }
        double ahead = base + tail_[i];
        for (Mask set = above_[i]; set != 0; set &= set - 1) {
          ahead += value_[lowest(set)];
        }
        if (ahead > best) {
          best = ahead;
          best_kind = kind;
          best_tail = i;
          best_head = n_;
        }
      }
    }
    if (sum(network_) > best) {
      best = sum(network_);
      played_ = network_;
      load_played_ = {};
      best_kind = kKinds;
    }
    if (is_split_) {
      find_heads(plain_, plain_head_);
      const std::size_t last = longest(plain_head_);
      if (plain_head_[last] > best) {
        played_.assign(n_, {});
        play_head(plain_, plain_head_, last);
        load_played_ = {};
        return;
      }
    }
    if (best_kind == kKinds) {
      return;
    }
    if (best_head == n_ && best_tail == n_) {
      play_load(best_kind);
      return;
    }
    load_played_ = {};
    played_.assign(n_, {});
    play_all(always_);
    if (best_head != n_) {
      play_head(path_, head_, best_head);
      play_set(part_[best_kind], below_[best_head]);
    } else {
      play_tail(path_, tail_, best_tail);
      play_set(part_[best_kind], above_[best_tail]);
    }
  }

  void forget() {
    total_.assign(n_, {});
    load_ = {};
    weight_ = 0;
  }
  void add_played(double weight) {
    weight_ += weight;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      load_[kind] += weight * load_played_[kind];
    }
    for (std::size_t i = 0; i < n_; ++i) {
      total_[i].one += weight * played_[i].one;
      total_[i].wide += weight * played_[i].wide;
    }
  }
  void answer(double step) {
    for (std::size_t i = 0; i < n_; ++i) {
      const bool wide = task(i).all != kNever && total_[i].wide < total_[i].one;
      wide_[i] += step * ((wide ? 1.0 : 0.0) - wide_[i]);
    }
  }

  Shares shares() const {
    Shares shares;
    shares.load = {load_[kTensor] / weight_, load_[kVector] / weight_};
    shares.tasks.resize(piece_.tasks.size());
    for (std::size_t i = 0; i < n_; ++i) {
      Shares::Task& share = shares.tasks[tasks_[i]];
      const Term& total = total_[i];
      share.one = total.one / weight_;
      share.wide = task(i).all == kNever ? share.one : total.wide / weight_;
      shares.sum += share.least();
    }
    return shares;
  }

  const Piece& piece_;
  std::size_t n_ = 0;
  bool is_split_ = false;
  std::vector<std::size_t> tasks_;
  std::vector<std::vector<std::size_t>> before_;
  std::vector<Mask> above_, below_;  // all that come before and after
  std::vector<Term> plain_, path_, always_, network_;
  std::array<std::vector<Term>, kKinds> area_, part_, idle_;

  std::vector<Term> played_, total_;
  double weight_ = 0;
  std::array<double, kKinds> load_played_{}, load_{};
  std::vector<double> wide_;  // mean of the widths played
  std::vector<double> head_, tail_, plain_head_;
  std::array<double, kMostTasks> value_{};
};

}  // namespace

std::vector<Shares> compute_shares(const Piece& piece, Mask left, int rounds, Time enough) {
  return Game(piece, left).play(rounds, enough);
}

}  // namespace phaze::schedule
