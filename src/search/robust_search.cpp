// Which chips can win: with every rate at most h times the stated one nothing is faster than h
// times before, and with every rate at least l times it nothing is slower than l times before
// (times are maxima and sums of work over rates, and more of a rate is never slower). So in a draw
// with highest and lowest factors h and l a chip whose bound is b can pass the winner of value v
// only if b h >= v l. The same holds of each shape (tensor width, micro-batch) of a chip, so that
// most of them are never priced again. Chips that another one dominates stay dominated.
#include "search/robust_search.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>

#include "base/check.h"

namespace phaze::search {
namespace {

constexpr double kSlack = 1 + 1e-4;  // rounding of durations, in bounds that are compared

struct Rival {
  SearchChip chip;
  hw::Chip made;
  std::vector<Bytes> memories;
  double price = 1;
  double bound = 0;                               // of the objective
  std::vector<std::vector<double>> shape_bounds;  // by model
};

// A value with what unproved schedules leave open of it.
struct DrawValue {
  double value = 0, most = 0;
  bool is_exact = true;
};

struct DrawOutcome {
  bool is_done = false;
  double winner = 0, winner_most = 0, best = 0;
  std::size_t best_rival = 0;  // 0: the winner
};

class Robust {
 public:
  Robust(const SearchQuestion& question, const SearchAnswer& answer, const RobustOptions& options)
      : question_(question),
        answer_(answer),
        options_(options),
        assumptions_(question.models.front().setting.assumptions),
        found_(answer.common ? *answer.common : answer.own.front()),
        best_(answer.common ? answer.common_best.value() : answer.own_best.front().value()),
        draws_(draw_constants(options.uncertainty, assumptions_, options.draws, options.seed)) {
    for (const SearchModel& model : question.models) {
      models_.emplace_back(model.setting);
    }
  }

  plan::Robustness run() {
    list_rivals();
    std::vector<DrawOutcome> outcomes(draws_.size());
    // Batches, so that a stop comes soon and leaves whole draws.
    constexpr std::size_t kBatch = 8;
    std::size_t done = 0;
    while (done < draws_.size() &&
           !(options_.is_cancelled && options_.is_cancelled(static_cast<std::int64_t>(done)))) {
      const std::size_t end = std::min(done + kBatch, draws_.size());
      tbb::parallel_for(done, end, [&](std::size_t i) { outcomes[i] = look_at(draws_[i]); });
      done = end;
    }
    return summarise(outcomes);
  }

 private:
  std::vector<double> scale(const std::vector<double>& reference) const {
    // As in the search: shares of the reference's throughput, which the draw changes too. What
    // the models' own best chips would reach is not searched again.
    std::vector<double> nominal = scale_of(question_, answer_);
    if (question_.combination == Combination::kMean ||
        question_.combination == Combination::kGeometric) {
      for (std::size_t i = 0; i < nominal.size(); ++i) {
        nominal[i] = reference[i] > 0 ? reference[i] : nominal[i];
      }
    }
    return nominal;
  }

  double combined(const std::vector<double>& throughput, const std::vector<double>& over) const {
    return models_.size() == 1 ? throughput.front()
                               : combine_throughputs(question_, over, throughput);
  }

  Rival make_rival(const SearchChip& chip, double bound) const {
    Rival rival;
    rival.chip = chip;
    rival.made = make_chip(question_, chip);
    rival.memories = memories_of(question_, chip);
    rival.price = price_of(question_, rival.made);
    rival.bound = bound;
    return rival;
  }

  // The winner first, then what could pass it in some draw.
  void list_rivals() {
    double reach = 1;
    for (const ConstantDraw& draw : draws_) {
      reach = std::min(reach, draw.lowest() / draw.highest());
    }
    // Of several models a draw also changes what they count, by what it does to the reference.
    reach *= models_.size() > 1 ? reach : 1;
    const double least = best_.value * reach / kSlack;
    std::vector<Rival> rivals;
    for (std::size_t i = 0; i < found_.outcomes.size(); ++i) {
      const ChipOutcome& outcome = found_.outcomes[i];
      const double bound = std::max(outcome.value, outcome.most);
      if (i == best_.chip || outcome.state == ChipState::kDominated || bound < least) {
        continue;
      }
      rivals.push_back(make_rival(answer_.chips[i], bound));
    }
    Rival winner = make_rival(answer_.chips[best_.chip], best_.value);
    rivals.insert(rivals.begin(), std::move(winner));
    tbb::parallel_for(std::size_t{0}, rivals.size(), [&](std::size_t i) {
      for (const ModelOnChips& model : models_) {
        rivals[i].shape_bounds.push_back(model.shape_bounds(rivals[i].made));
      }
    });
    const std::vector<double> over = scale_of(question_, answer_);
    for (std::size_t i = 1; i < rivals.size(); ++i) {
      std::vector<double> most;
      for (const std::vector<double>& bounds : rivals[i].shape_bounds) {
        most.push_back(bounds.empty() ? 0 : *std::ranges::max_element(bounds));
      }
      rivals[i].bound = std::min(rivals[i].bound, combined(most, over) / rivals[i].price);
    }
    std::stable_sort(rivals.begin() + 1, rivals.end(),
                     [](const Rival& a, const Rival& b) { return a.bound > b.bound; });
    const auto out = std::partition_point(rivals.begin() + 1, rivals.end(),
                                          [&](const Rival& rival) { return rival.bound >= least; });
    rivals.erase(out, rivals.end());
    if (rivals.size() > options_.most_rivals + 1) {
      left_out_ = static_cast<std::int64_t>(rivals.size() - options_.most_rivals - 1);
      rivals.resize(options_.most_rivals + 1);
    }
    rivals_ = std::move(rivals);
  }

  // Exact where it is at least `enough`.
  DrawValue value_of(const std::vector<ModelOnChips>& models, const Rival& rival,
                     const ConstantDraw& draw, const std::vector<double>& over,
                     double enough) const {
    const hw::Chip chip = with_draw(rival.made, draw, assumptions_);
    std::vector<std::vector<double>> bounds = rival.shape_bounds;
    std::vector<double> throughput;
    for (std::vector<double>& of_model : bounds) {
      for (double& bound : of_model) {
        bound *= draw.highest() * kSlack;
      }
      const std::size_t i = throughput.size();
      const double highest = of_model.empty() ? 0 : *std::ranges::max_element(of_model);
      throughput.push_back(std::min(highest, models[i].bound(chip)));
    }
    if (options_.use_bounds && combined(throughput, over) / rival.price < enough) {
      return {0, 0, false};
    }
    const Judge judge(question_, over);
    std::vector<double> most = throughput;
    DrawValue found;
    for (std::size_t i = 0; i < models.size(); ++i) {
      const double needed = models.size() == 1 ? enough * rival.price
                                               : judge.needed(i, enough * rival.price, throughput);
      const ChipValue value =
          models[i].evaluate(chip, rival.memories,
                             {needed, 0, options_.use_bounds ? bounds[i] : std::vector<double>()});
      throughput[i] = value.throughput;
      most[i] = value.most;
      if (!value.is_exact) {
        found.is_exact = false;
        break;
      }
    }
    found.value = combined(throughput, over) / rival.price;
    found.most = combined(most, over) / rival.price;
    return found;
  }

  DrawOutcome look_at(const ConstantDraw& draw) const {
    std::vector<ModelOnChips> models;
    std::vector<double> reference;
    for (std::size_t i = 0; i < models_.size(); ++i) {
      models.push_back(models_[i].on_cluster(
          with_draw(question_.models[i].setting.cluster, draw, assumptions_)));
      reference.push_back(models_.size() == 1
                              ? 1
                              : models[i]
                                    .evaluate(with_draw(question_.reference, draw, assumptions_),
                                              {hw::hbm_capacity(question_.reference)}, 0)
                                    .throughput);
    }
    const std::vector<double> over = scale(reference);
    // The winner is no slower than the lowest factor allows, but for schedules that had more work.
    constexpr double kQuick = 0.9;
    const double low = models_.size() == 1 ? best_.value * draw.lowest() * kQuick : 0;
    DrawValue winner = value_of(models, rivals_.front(), draw, over, low);
    if (!winner.is_exact) {
      winner = value_of(models, rivals_.front(), draw, over, 0);
    }
    DrawOutcome outcome{true, winner.value, winner.most, winner.value, 0};
    for (std::size_t i = 1; i < rivals_.size(); ++i) {
      if (options_.use_bounds && models_.size() == 1 &&
          rivals_[i].bound * draw.highest() * kSlack < outcome.best) {
        break;  // and so are the others
      }
      const DrawValue value =
          value_of(models, rivals_[i], draw, over, options_.use_bounds ? outcome.best : 0);
      if (value.is_exact && value.value > outcome.best) {
        outcome.best = value.value;
        outcome.best_rival = i;
      }
    }
    return outcome;
  }

  plan::Robustness summarise(const std::vector<DrawOutcome>& outcomes) const {
    plan::Robustness robustness;
    robustness.name = answer_.common ? "common" : question_.models.front().name;
    robustness.chip = search_chip_id(question_, rivals_.front().chip);
    for (const DrawnConstant constant : drawn_constants(assumptions_)) {
      robustness.constants.push_back(
          options_.uncertainty.constants[static_cast<std::size_t>(constant)]);
    }
    robustness.seed = options_.seed;
    robustness.asked = options_.draws;
    robustness.looked_at = static_cast<std::int64_t>(rivals_.size());
    robustness.left_out = left_out_;
    robustness.is_whole_space = answer_.sets.empty();
    std::map<std::size_t, plan::RobustRival> wins;
    for (const DrawOutcome& outcome : outcomes) {
      if (!outcome.is_done) {
        continue;
      }
      ++robustness.draws;
      const double loss = 1 - outcome.winner / outcome.best;
      robustness.mean_loss += loss;
      robustness.worst_loss = std::max(robustness.worst_loss, loss);
      if (outcome.best_rival == 0) {
        ++robustness.stays;
        continue;
      }
      robustness.undecided += outcome.best <= outcome.winner_most ? 1 : 0;
      plan::RobustRival& rival = wins[outcome.best_rival];
      rival.chip = search_chip_id(question_, rivals_[outcome.best_rival].chip);
      ++rival.wins;
      const double gain = outcome.best / outcome.winner - 1;
      rival.mean_gain += gain;
      rival.most_gain = std::max(rival.most_gain, gain);
    }
    robustness.mean_loss /= static_cast<double>(std::max<std::int64_t>(1, robustness.draws));
    for (auto& [place, rival] : wins) {
      rival.mean_gain /= static_cast<double>(rival.wins);
      robustness.rivals.push_back(std::move(rival));
    }
    std::ranges::stable_sort(robustness.rivals, std::greater(), &plan::RobustRival::wins);
    return robustness;
  }

  const SearchQuestion& question_;
  const SearchAnswer& answer_;
  const RobustOptions& options_;
  const Assumptions assumptions_;
  const CoSearchAnswer& found_;
  const FoundChip& best_;
  const std::vector<ConstantDraw> draws_;
  std::vector<ModelOnChips> models_;
  std::vector<Rival> rivals_;  // the winner first, then by falling bounds
  std::int64_t left_out_ = 0;
};

}  // namespace

plan::Robustness find_robustness(const SearchQuestion& question, const SearchAnswer& answer,
                                 const RobustOptions& options) {
  CHECK(answer.is_complete, "a search that is complete");
  return Robust(question, answer, options).run();
}

}  // namespace phaze::search
