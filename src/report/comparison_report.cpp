#include "report/comparison_report.h"

#include <cmath>

#include "base/text.h"
#include "report/plan_report.h"
#include "report/table.h"

namespace phaze::report {
namespace {

std::string one_digit(double value) { return shortest(std::round(value * 10) / 10); }

std::string time_text(Seconds time) {
  return time == Seconds() ? "0 s" : with_prefix(time.value(), "s");
}

std::string change_text(Seconds change) {
  return (change > Seconds() ? "+" : "") + time_text(change);
}

std::string share_text(double change, double whole) {
  if (whole == 0) {
    return "";
  }
  const double percent = std::round(1000 * change / whole) / 10;
  return (percent > 0 ? "+" : "") + shortest(percent == 0 ? 0 : percent) + " %";
}

std::string figure_text(double value, const std::string& unit) {
  if (unit == "B") {
    return with_binary_prefix(std::llround(value));
  }
  return unit == "mm2" || unit.empty() ? one_digit(value) + (unit.empty() ? "" : " " + unit)
                                       : with_prefix(value, unit);
}

struct Titles {
  std::string parts, a, b;
};

// Times are those of iterations, times these factors.
std::string parts_table(const plan::TrainingPlan& a, const plan::TrainingPlan& b,
                        const Titles& titles, double factor_a = 1, double factor_b = 1) {
  Table table({{titles.parts, Align::kLeft},
               {titles.a, Align::kRight},
               {titles.b, Align::kRight},
               {"difference", Align::kRight},
               {"of " + titles.a, Align::kRight}});
  const Seconds whole = a.iteration * factor_a;
  const auto row = [&](const std::string& name, Seconds of_a, Seconds of_b) {
    // Below that it is a rounding.
    constexpr double kRounding = 1e-12;
    of_a = of_a * factor_a;
    of_b = of_b * factor_b;
    if (std::abs((of_b - of_a).value()) < kRounding * whole.value()) {
      of_b = of_a;
    }
    table.add_row({name, time_text(of_a), time_text(of_b), change_text(of_b - of_a),
                   share_text((of_b - of_a).value(), whole.value())});
  };
  for (const plan::NamedPart& part : plan::named_parts()) {
    const Seconds of_a = a.parts.*part.part, of_b = b.parts.*part.part;
    if (of_a != Seconds() || of_b != Seconds()) {
      row(part.name, of_a, of_b);
    }
  }
  table.add_rule();
  row("all", a.iteration, b.iteration);
  return table.to_string(2);
}

}  // namespace

std::string best_text(const plan::TrainingPlan& given, const plan::TrainingPlan& best) {
  const double gain = given.iteration.value() / best.iteration.value() - 1;
  constexpr double kNothing = 5e-4;
  std::string text = "  best plan: " + strategy_text(best) + "\n";
  if (std::abs(gain) < kNothing) {
    return text + "  it takes as long\n";
  }
  return text + "  it is " + one_digit(100 * std::abs(gain)) + " % " +
         (gain > 0 ? "faster" : "slower") + (given.fits ? "" : ", and fits") + "\n" +
         parts_table(given, best, {"part of an iteration", "today", "best"});
}

std::string comparison_text(const plan::Comparison& comparison) {
  std::string text = printable(comparison.a) + " and " + printable(comparison.b) + "\n\n";
  // Names that are equal, or files' long ones, would not do as titles of columns.
  const bool is_short =
      comparison.a.size() <= 20 && comparison.b.size() <= 20 && comparison.a != comparison.b;
  const std::string a = is_short ? comparison.a : "A";
  const std::string b = is_short ? comparison.b : "B";
  if (!comparison.figures.empty()) {
    Table table({{"", Align::kLeft},
                 {a, Align::kRight},
                 {b, Align::kRight},
                 {"difference", Align::kRight}});
    for (const plan::ComparedFigure& figure : comparison.figures) {
      table.add_row({figure.name, figure_text(figure.a, figure.unit),
                     figure_text(figure.b, figure.unit),
                     share_text(figure.b - figure.a, figure.a)});
    }
    text += table.to_string(2);
  }
  if (!comparison.plan_a || !comparison.plan_b) {
    return text;
  }
  text += "\n  " + a + ": " + strategy_text(comparison.plan_a->plan) + "\n  " + b + ": " +
          strategy_text(comparison.plan_b->plan) + "\n\n";
  // Iterations that train unlike numbers of tokens say nothing beside one another.
  constexpr double kMillion = 1e6;
  const double tokens_a = plan::tokens_of(*comparison.plan_a);
  const double tokens_b = plan::tokens_of(*comparison.plan_b);
  text += tokens_a == tokens_b ? parts_table(comparison.plan_a->plan, comparison.plan_b->plan,
                                             {"part of an iteration", a, b})
                               : parts_table(comparison.plan_a->plan, comparison.plan_b->plan,
                                             {"part of a million tokens' time", a, b},
                                             kMillion / tokens_a, kMillion / tokens_b);
  if (!comparison.causes.empty()) {
    Table table(
        {{"because of", Align::kLeft}, {"difference", Align::kRight}, {"of " + a, Align::kRight}});
    Seconds sum;
    for (const plan::Cause& cause : comparison.causes) {
      sum += cause.change;
      table.add_row({cause.name, change_text(cause.change),
                     share_text(cause.change.value(), comparison.plan_a->plan.iteration.value())});
    }
    table.add_rule();
    table.add_row({"all", change_text(sum),
                   share_text(sum.value(), comparison.plan_a->plan.iteration.value())});
    text += "\n" + table.to_string(2) +
            "  each group of fields changed alone, on average over all orders of changing them\n";
  }
  return text;
}

}  // namespace phaze::report
