// Edge finding (Carlier and Pinson 1989; for cores that are shared: Nuijten 1994), on a kind of
// core or the network: tasks that all lie between a and d have room for their core time there. What
// has no room there together with them, and could begin there, ends after d: then it starts when
// they have ended, if it takes all cores, and not before what they leave of the other cores
// otherwise. The same from the end.
#include "schedule/squeeze.h"

#include <algorithm>

namespace phaze::schedule {
namespace {

constexpr int kMostRounds = 12;
constexpr std::int64_t kFar = std::int64_t{1} << 61;

}  // namespace

Squeezer::Squeezer(const Piece& piece, const Order& order)
    : piece_(piece), n_(piece.tasks.size()), order_(order) {
  std::vector<int> behind(n_, 0);
  for (std::size_t i = 0; i < n_; ++i) {
    for (const std::size_t j : order.before_lists[i]) {
      ++behind[j];
    }
    joins_ |= order.before_lists[i].size() > 1 ? bit(i) : 0;
  }
  for (std::size_t i = 0; i < n_; ++i) {
    forks_ |= behind[i] > 1 ? bit(i) : 0;
  }
  length_.resize(n_);
  longest_.resize(n_);
  loads_.resize(n_);
}

bool Squeezer::run(Time limit, const Widths& widths) {
  limit_ = limit;
  widths_ = useful_widths(piece_, widths);
  starts_.assign(n_, 0);
  ends_.assign(n_, 0);
  last_starts_.assign(n_, limit - 1);
  last_ends_.assign(n_, limit - 1);
  edges_.clear();
  above_ = order_.above;
  below_ = order_.below;
  touched_ = ~0U;
  return go_on();
}

bool Squeezer::limit_to(Time limit) {
  limit_ = limit;
  for (std::size_t i = 0; i < n_; ++i) {
    lower(i, last_ends_[i], limit - 1);
  }
  return go_on();
}
bool Squeezer::leave_out(std::size_t task, bool wide) {
  (wide ? widths_.wide : widths_.one) &= ~bit(task);
  touch(task);
  return go_on();
}
bool Squeezer::put_before(std::size_t first, std::size_t second) {
  edges_.emplace_back(first, second);
  const Mask firsts = above_[first] | bit(first), seconds = below_[second] | bit(second);
  for (Mask rest = firsts; rest != 0; rest &= rest - 1) {
    below_[lowest(rest)] |= seconds;
  }
  for (Mask rest = seconds; rest != 0; rest &= rest - 1) {
    above_[lowest(rest)] |= firsts;
  }
  return go_on();
}

void Squeezer::go_back(const Mark& mark) {
  limit_ = mark.limit;
  widths_ = mark.widths;
  starts_ = mark.starts;
  ends_ = mark.ends;
  last_starts_ = mark.last_starts;
  last_ends_ = mark.last_ends;
  edges_.resize(mark.edges);
  above_ = mark.above;
  below_ = mark.below;
  touched_ = 0;
}

bool Squeezer::go_on() {
  for (int round = 0; round < kMostRounds; ++round) {
    has_changed_ = false;
    if (!set_lengths() || !go_along_edges()) {
      return false;
    }
    for (std::size_t r = 0; r < kResources; ++r) {
      if ((touched_ >> r & 1) == 0) {
        continue;
      }
      touched_ &= ~(1U << r);
      if (!find_room(r, false) || !find_room(r, true)) {
        return false;
      }
    }
    if (!order_pairs()) {
      return false;
    }
    if (!has_changed_) {
      return true;
    }
  }
  return set_lengths() && go_along_edges();
}

bool Squeezer::set_lengths() {
  for (std::size_t i = 0; i < n_; ++i) {
    const PieceTask& task = piece_.tasks[i];
    const Time room = last_ends_[i] - starts_[i];
    const auto leave_out = [&](Mask& mask, Time length) {
      if ((mask & bit(i)) != 0 && length > room) {
        mask &= ~bit(i);
        touch(i);
      }
    };
    leave_out(widths_.one, task.one);
    leave_out(widths_.wide, task.all);
    const bool can_one = (widths_.one & bit(i)) != 0, can_wide = (widths_.wide & bit(i)) != 0;
    if (!can_one && !can_wide) {
      return false;
    }
    length_[i] = !can_wide ? task.one : !can_one ? task.all : task.fastest();
    longest_[i] = !can_wide ? task.one : !can_one ? task.all : std::max(task.one, task.all);
    loads_[i] = least_loads(piece_, i, can_one, can_wide);
  }
  return true;
}

bool Squeezer::takes_all(std::size_t task, std::size_t resource) const {
  return resource == kNetwork || piece_.cores[resource] == 1 || (widths_.one & bit(task)) == 0;
}

// Mirrored: times are negative.
bool Squeezer::find_room(std::size_t resource, bool is_mirrored) {
  users_.clear();
  std::int64_t sum = 0;
  const std::int64_t cores = resource == kNetwork ? 1 : piece_.cores[resource];
  for (std::size_t i = 0; i < n_; ++i) {
    if (loads_[i][resource] > 0) {
      const Time from = is_mirrored ? -last_ends_[i] : starts_[i];
      const Time to = is_mirrored ? -starts_[i] : last_ends_[i];
      users_.push_back({i, from, to, loads_[i][resource], from, from});
      if (loads_[i][resource] > kFar / 4 - sum || last_ends_[i] > kFar / 4 / cores) {
        return true;  // out of range: nothing is said
      }
      sum += loads_[i][resource];
    }
  }
  if (users_.size() < 2) {
    return true;
  }
  std::sort(users_.begin(), users_.end(), [](const User& a, const User& b) {
    return a.from != b.from ? a.from > b.from : a.task < b.task;
  });
  for (const User& last : users_) {
    if (!find_room_before(last.to, cores, resource)) {
      return false;
    }
  }
  if (is_mirrored) {
    put_behind_all(forks_, below_, cores, true);
  } else {
    put_behind_all(joins_, above_, cores, false);
  }
  for (const User& user : users_) {
    const std::size_t i = user.task;
    if (is_mirrored) {
      lower(i, last_ends_[i], -user.start);
      lower(i, last_starts_[i], -user.end);
    } else {
      raise(i, starts_[i], user.start);
      raise(i, ends_[i], user.end);
    }
  }
  return true;
}

bool Squeezer::find_room_before(Time to, std::int64_t cores, std::size_t resource) {
  inside_.clear();
  outside_.clear();
  std::int64_t load = 0;
  Time end = -kFar;
  for (std::size_t k = 0; k < users_.size(); ++k) {
    const User& user = users_[k];
    if (user.to > to) {
      if (user.from < to) {
        outside_.push_back({k, inside_.size()});
      }
      continue;
    }
    load += user.load;
    const std::int64_t left = (to - user.from) * cores - load;
    if (left < 0) {
      return false;
    }
    end = std::max(end, user.from + (cores == 1 ? load : (load + cores - 1) / cores));
    inside_.push_back({user.from, load, end, left, left});
  }
  if (inside_.empty() || outside_.empty()) {
    return true;
  }
  for (std::size_t k = inside_.size() - 1; k-- > 0;) {
    inside_[k].least = std::min(inside_[k].left, inside_[k + 1].least);
  }
  for (const Outside& one : outside_) {
    User& user = users_[one.user];
    put_behind(user, one.inside, to, cores, takes_all(user.task, resource));
  }
  return true;
}

// One that may end after `to`, behind what leaves no room for it.
void Squeezer::put_behind(User& user, std::size_t before, Time to, std::int64_t cores,
                          bool takes_all) const {
  const auto put_behind = [&](const Inside& inside) {
    user.end = std::max(user.end, to + 1);
    const std::int64_t rest = inside.load - (to - inside.from) * (cores - 1);
    const Time start = takes_all ? inside.end : rest > 0 ? inside.from + rest : user.from;
    user.start = std::max(user.start, start);
  };
  if (before > 0 && inside_[before - 1].load + user.load > (to - user.from) * cores) {
    put_behind(inside_[before - 1]);
  }
  if (before == inside_.size() || inside_[before].least >= user.load) {
    return;
  }
  for (std::size_t k = inside_.size(); k-- > before;) {
    if (inside_[k].left < user.load) {
      put_behind(inside_[k]);
      if (takes_all) {
        return;  // fewer end no later
      }
    }
  }
}

// A task starts when all that comes before it has ended.
void Squeezer::put_behind_all(Mask tasks, const std::vector<Mask>& all, std::int64_t cores,
                              bool is_mirrored) {
  for (const auto& [first, second] : edges_) {
    tasks |= bit(is_mirrored ? first : second);
  }
  for (; tasks != 0; tasks &= tasks - 1) {
    const std::size_t i = lowest(tasks);
    std::int64_t load = 0;
    Time end = -kFar;
    for (const User& user : users_) {
      if ((all[i] & bit(user.task)) != 0) {
        load += user.load;
        end = std::max(end, cores == 1 ? user.from + load : user.from + (load + cores - 1) / cores);
      }
    }
    if (load == 0) {
      continue;
    }
    if (is_mirrored) {
      lower(i, last_ends_[i], -end);
    } else {
      raise(i, starts_[i], end);
    }
  }
}

// A task that runs wide and one that may run on one core, which its core time says little about:
// whichever cannot come first comes second.
bool Squeezer::order_pairs() {
  if (piece_.cores[kTensor] == 1 && piece_.cores[kVector] == 1 && !piece_.exclusive_wide) {
    return true;  // there is room for no two
  }
  const Mask wide = all_of(piece_) & ~widths_.one;
  for (Mask rest = wide; rest != 0; rest &= rest - 1) {
    const std::size_t i = lowest(rest);
    if (length_[i] == 0) {
      continue;
    }
    Mask others = all_of(piece_) & ~above_[i] & ~below_[i] & ~bit(i);
    others &= ~(wide & (bit(i) - 1));
    for (; others != 0; others &= others - 1) {
      const std::size_t j = lowest(others);
      if (starts_[i] < last_ends_[j] && starts_[j] < last_ends_[i] && length_[j] > 0 &&
          exclude_each_other(piece_, widths_, i, j) && !order_pair(i, j)) {
        return false;
      }
    }
  }
  return true;
}
bool Squeezer::order_pair(std::size_t a, std::size_t b) {
  const bool can_be_first = starts_[a] + length_[a] + length_[b] <= last_ends_[b];
  const bool can_be_second = starts_[b] + length_[b] + length_[a] <= last_ends_[a];
  if (!can_be_first && !can_be_second) {
    return false;
  }
  if (can_be_first != can_be_second) {
    const std::size_t first = can_be_first ? a : b, second = can_be_first ? b : a;
    raise(second, starts_[second], starts_[first] + length_[first]);
    lower(first, last_ends_[first], last_ends_[second] - length_[second]);
  }
  return true;
}

// Until starts and ends keep every edge; edges that were added may lead back in the order.
bool Squeezer::go_along_edges() {
  for (bool is_over = false; !is_over;) {
    for (const std::size_t i : order_.order) {
      Time start = std::max(starts_[i], ends_[i] - longest_[i]);
      for (const std::size_t j : order_.before_lists[i]) {
        start = std::max(start, ends_[j]);
      }
      raise(i, starts_[i], start);
      ends_[i] = std::max(ends_[i], starts_[i] + length_[i]);
      if (ends_[i] > last_ends_[i]) {
        return false;
      }
    }
    is_over = true;
    for (const auto& [first, second] : edges_) {
      if (ends_[first] > starts_[second]) {
        raise(second, starts_[second], ends_[first]);
        is_over = false;
      }
    }
  }
  for (bool is_over = false; !is_over;) {
    for (auto at = order_.order.rbegin(); at != order_.order.rend(); ++at) {
      const std::size_t i = *at;
      lower(i, last_ends_[i], last_starts_[i] + longest_[i]);
      last_starts_[i] = std::min(last_starts_[i], last_ends_[i] - length_[i]);
      if (last_starts_[i] < starts_[i]) {
        return false;
      }
      for (const std::size_t j : order_.before_lists[i]) {
        lower(j, last_ends_[j], last_starts_[i]);
      }
    }
    is_over = true;
    for (const auto& [first, second] : edges_) {
      if (last_ends_[first] > last_starts_[second]) {
        lower(first, last_ends_[first], last_starts_[second]);
        is_over = false;
      }
    }
  }
  return true;
}

void Squeezer::touch(std::size_t task) {
  has_changed_ = true;
  const PieceTask& t = piece_.tasks[task];
  touched_ |= t.is_network ? 1U << kNetwork : 0;
  const bool is_everywhere = piece_.exclusive_wide && t.needs_cores();
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    touched_ |= t.needs[kind] || is_everywhere ? 1U << kind : 0;
  }
}
void Squeezer::raise(std::size_t task, Time& time, Time to) {
  if (to > time) {
    time = to;
    touch(task);
  }
}
void Squeezer::lower(std::size_t task, Time& time, Time to) {
  if (to < time) {
    time = to;
    touch(task);
  }
}

}  // namespace phaze::schedule
