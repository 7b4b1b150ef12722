// The relaxed schedule: time is shared among moments (moments.h); a task may be interrupted, and
// run partly on one core and partly wide, as long as the parts make up the whole. No order of
// moments is asked for. The least time is a linear program,
//   min sum of x_S   with, for every task t, the sum over moments S that run t of x_S / d(t, S) =
//   1,
// (Mingozzi, Maniezzo, Ricciardelli and Bianco 1998, for projects; here with widths), solved by the
// simplex method with columns found as they are needed (Gilmore and Gomory 1961): the dual gives
// every task a value v_t, and the heaviest moment for weights v_t / d(t) is the next column.
//
// The bound does not lean on the program: for any values, let h be the heaviest moment's weight.
// Whatever runs from some time on, values earned per unit of time are at most h; so all of it takes
// at least the sum of the values that are left over h.
#include "schedule/rates.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace phaze::schedule {
namespace {

constexpr double kTolerance = 1e-9;
constexpr double kPivot = 1e-7, kNoStep = 1e300;
constexpr double kPenalty = 1'000;           // times as dear is a moment that is not allowed
constexpr int kMostPivots = 1'000;           // before errors of rounding add up
constexpr std::int64_t kMostNodes = 20'000;  // to find a moment
// Or so few, as long as they find one that is this heavy.
constexpr std::int64_t kFewNodes = 20;
constexpr double kHeavy = 1.01;
constexpr std::size_t kMostKnown = 2'000;

}  // namespace

// The simplex method on a dense inverse of the basis; rows are tasks that take time.
class RateFinder::Program {
 public:
  Program(const Piece& piece, const Company& company) : piece_(&piece), row_(piece.tasks.size()) {
    for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
      if (((company.one | company.wide) & bit(i)) != 0) {
        row_[i] = tasks_.size();
        tasks_.push_back(i);
      }
    }
    rows_ = company.one | company.wide;
    const std::size_t m = tasks_.size();
    cost_.assign(m, 1);
    inverse_.assign(m * m, 0);
    x_.resize(m);
    basis_.resize(m);
    column_.resize(m);
    for (std::size_t r = 0; r < m; ++r) {  // each task by itself
      const std::size_t i = tasks_[r];
      const PieceTask& task = piece.tasks[i];
      const bool wide =
          (company.wide & bit(i)) != 0 && ((company.one & bit(i)) == 0 || task.all < task.one);
      basis_[r] = wide ? Moment{0, bit(i)} : Moment{bit(i), 0};
      x_[r] = inverse_[r * m + r] = static_cast<double>(wide ? task.all : task.one);
    }
    find_values();
    scale_ = length();
  }

  // Whether it can go on with other company: moments of the relaxed schedule that are not allowed
  // any more are made dear.
  bool restart(const Company& company) {
    if ((company.one | company.wide) != rows_ || pivots_ > kMostPivots) {
      return false;
    }
    for (std::size_t r = 0; r < basis_.size(); ++r) {
      cost_[r] = fits(company, basis_[r]) ? 1 : kPenalty;
    }
    find_values();
    return true;
  }
  // Whether the relaxed schedule has moments that are not allowed: they were not dear enough.
  bool is_stuck() const {
    for (std::size_t r = 0; r < x_.size(); ++r) {
      if (cost_[r] > 1 && x_[r] > kTolerance * scale_) {
        return true;
      }
    }
    return false;
  }
  // Of the relaxed schedule as it stands, with what is dear.
  double length() const {
    double sum = 0;
    for (std::size_t r = 0; r < x_.size(); ++r) {
      sum += cost_[r] * x_[r];
    }
    return sum;
  }

  // Of each task in the relaxed schedule as it stands; below 0 where there is too much of it.
  void copy_values(std::vector<double>& values) const {
    std::fill(values.begin(), values.end(), 0);
    for (std::size_t r = 0; r < tasks_.size(); ++r) {
      values[tasks_[r]] = values_[r];
    }
  }

  // Lets time be spent on a moment; whether that was possible.
  bool enter(const Moment& moment) {
    const std::size_t m = tasks_.size();
    std::fill(column_.begin(), column_.end(), 0);
    double weight = 0;
    for (Mask rest = moment.one | moment.wide; rest != 0; rest &= rest - 1) {
      const std::size_t i = lowest(rest);
      const double done =
          1 / static_cast<double>(duration(piece_->tasks[i], (moment.wide & bit(i)) != 0));
      weight += values_[row_[i]] * done;
      for (std::size_t r = 0; r < m; ++r) {
        column_[r] += inverse_[r * m + row_[i]] * done;
      }
    }
    // Of all that would be used up first, within a little, the one with the safest pivot (Harris
    // 1973).
    double most = kNoStep;
    for (std::size_t r = 0; r < m; ++r) {
      if (column_[r] > kPivot) {
        most = std::min(most, (x_[r] + kTolerance * scale_) / column_[r]);
      }
    }
    std::size_t leaving = m;
    for (std::size_t r = 0; r < m; ++r) {
      if (column_[r] > kPivot && x_[r] <= most * column_[r] &&
          (leaving == m || column_[r] > column_[leaving])) {
        leaving = r;
      }
    }
    if (leaving == m) {
      return false;
    }
    const double step = x_[leaving] / column_[leaving];
    for (std::size_t r = 0; r < m; ++r) {
      x_[r] = r == leaving ? step : std::max(0.0, x_[r] - step * column_[r]);
    }
    double* pivot = &inverse_[leaving * m];
    for (std::size_t c = 0; c < m; ++c) {
      pivot[c] /= column_[leaving];
      values_[c] += (1 - weight) * pivot[c];
    }
    for (std::size_t r = 0; r < m; ++r) {
      if (r == leaving || column_[r] == 0) {
        continue;
      }
      double* row = &inverse_[r * m];
      for (std::size_t c = 0; c < m; ++c) {
        row[c] -= column_[r] * pivot[c];
      }
    }
    basis_[leaving] = moment;
    cost_[leaving] = 1;
    ++pivots_;
    return true;
  }

  std::vector<Rates::Spent> spent() const {
    std::vector<Rates::Spent> all;
    for (std::size_t r = 0; r < basis_.size(); ++r) {
      if (x_[r] > 0) {
        all.push_back({basis_[r], x_[r]});
      }
    }
    return all;
  }

 private:
  void find_values() {
    const std::size_t m = tasks_.size();
    values_.assign(m, 0);
    for (std::size_t r = 0; r < m; ++r) {
      for (std::size_t c = 0; c < m; ++c) {
        values_[c] += cost_[r] * inverse_[r * m + c];
      }
    }
  }

  const Piece* piece_;
  std::vector<std::size_t> tasks_, row_;
  Mask rows_ = 0;
  std::vector<double> inverse_, x_, column_, cost_, values_;
  double scale_ = 0;  // of times
  int pivots_ = 0;
  std::vector<Moment> basis_;
};

namespace {

double weight_of(const Moment& moment, const Rates& rates) {
  double weight = 0;
  for (Mask rest = moment.one; rest != 0; rest &= rest - 1) {
    weight += rates.one[lowest(rest)];
  }
  for (Mask rest = moment.wide; rest != 0; rest &= rest - 1) {
    weight += rates.wide[lowest(rest)];
  }
  return weight;
}

void set_rates(const Piece& piece, const Company& company, Rates& rates) {
  rates.sum = 0;
  for (std::size_t i = 0; i < piece.tasks.size(); ++i) {
    const PieceTask& task = piece.tasks[i];
    rates.one[i] = (company.one & bit(i)) != 0 ? rates.value[i] / static_cast<double>(task.one) : 0;
    rates.wide[i] =
        (company.wide & bit(i)) != 0 ? rates.value[i] / static_cast<double>(task.all) : 0;
    rates.sum += rates.value[i];
  }
}

void scale(Rates& rates, double by) {
  for (std::size_t i = 0; i < rates.value.size(); ++i) {
    rates.value[i] *= by;
    rates.one[i] *= by;
    rates.wide[i] *= by;
  }
  rates.sum *= by;
}

}  // namespace

Mask mostly_wide(const Piece& piece, const Rates& rates) {
  std::vector<double> shares(piece.tasks.size(), 0);
  for (const Rates::Spent& spent : rates.spent) {
    for (Mask rest = spent.moment.wide; rest != 0; rest &= rest - 1) {
      const std::size_t i = lowest(rest);
      shares[i] += spent.time / static_cast<double>(piece.tasks[i].all);
    }
  }
  Mask wide = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    wide |= shares[i] > 0.5 ? bit(i) : 0;
  }
  return wide;
}

RateFinder::RateFinder(const Piece& piece) : piece_(piece) {}
RateFinder::~RateFinder() = default;

Rates RateFinder::find(const Company& company, Time enough, int steps) {
  if (last_ != nullptr && last_->restart(company)) {
    Rates rates = solve(*last_, company, {enough, false}, steps);
    if (!last_->is_stuck() || round_up(rates.sum) >= enough) {
      return rates;
    }
  }
  last_ = std::make_unique<Program>(piece_, company);
  return solve(*last_, company, {enough, false}, steps);
}

bool RateFinder::reaches(const Company& company, Time enough, int steps) {
  const auto does_reach = [&](Program program) {
    const bool does = round_up(solve(program, company, {enough, true}, steps).sum) >= enough;
    return does || !program.is_stuck() ? std::optional(does) : std::nullopt;
  };
  std::optional<bool> reached;
  if (last_ != nullptr) {
    Program program = *last_;
    reached = program.restart(company) ? does_reach(std::move(program)) : std::nullopt;
  }
  return reached ? *reached : does_reach(Program(piece_, company)).value_or(false);
}

Rates RateFinder::solve(Program& program, const Company& company, const Goal& goal, int steps) {
  const std::size_t n = piece_.tasks.size();
  Rates rates{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n), 0, {}};
  Rates best = rates;
  HeaviestMoment heaviest(piece_, company);
  std::vector<const Moment*> usable;
  if (known_.size() > kMostKnown) {
    known_.clear();
  }
  known_.reserve(known_.size() + static_cast<std::size_t>(steps));
  for (const Moment& moment : known_) {
    if (fits(company, moment)) {
      usable.push_back(&moment);
    }
  }
  for (int step = 0; step < steps; ++step) {
    if (goal.gives_up && program.length() < static_cast<double>(goal.enough - 1)) {
      break;
    }
    program.copy_values(rates.value);
    set_rates(piece_, company, rates);
    const Moment* next = nullptr;
    double most = 1 + kTolerance;
    for (const Moment* moment : usable) {
      const double weight = weight_of(*moment, rates);
      if (weight > most) {
        most = weight;
        next = moment;
      }
    }
    if (next == nullptr) {
      for (double& value : rates.value) {
        value = std::max(0.0, value);
      }
      set_rates(piece_, company, rates);
      HeaviestMoment::Found found = heaviest.find(rates.one, rates.wide, 1 + kTolerance, kFewNodes);
      if (found.weight <= kHeavy) {
        found = heaviest.find(rates.one, rates.wide, 1 + kTolerance, kMostNodes);
      }
      if (rates.sum / found.most > best.sum) {
        best = rates;
        scale(best, 1 / std::max(1.0, found.most));
      }
      if (found.weight <= 1 + kTolerance ||
          std::ceil(best.sum) >= static_cast<double>(goal.enough)) {
        break;
      }
      known_.push_back(found.moment);
      usable.push_back(&known_.back());
      next = &known_.back();
    }
    if (!program.enter(*next)) {
      break;
    }
  }
  best.spent = program.spent();
  return best;
}

}  // namespace phaze::schedule
