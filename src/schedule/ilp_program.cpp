#include "schedule/ilp_program.h"

#include <algorithm>

#include "base/check.h"

namespace phaze::schedule::ilp {

Expression& Expression::operator+=(const Expression& other) {
  constant_ += other.constant_;
  for (const Term& term : other.terms_) {
    const auto place =
        std::lower_bound(terms_.begin(), terms_.end(), term.column,
                         [](const Term& a, int column) { return a.column < column; });
    if (place == terms_.end() || place->column != term.column) {
      terms_.insert(place, term);
    } else {
      place->factor += term.factor;
      if (place->factor == 0) {
        terms_.erase(place);
      }
    }
  }
  return *this;
}

Expression& Expression::operator-=(const Expression& other) { return *this += -1 * other; }

Expression& Expression::operator*=(double factor) {
  if (factor == 0) {
    return *this = Expression();
  }
  constant_ *= factor;
  for (Term& term : terms_) {
    term.factor *= factor;
  }
  return *this;
}

Expression Expression::of(int column) {
  Expression expression;
  expression.terms_.push_back({column, 1});
  return expression;
}

Expression Program::add_column(double lower, double upper, bool is_integer) {
  CHECK(lower <= upper, "a column without a value");
  columns.push_back({lower, upper, is_integer});
  return Expression::of(static_cast<int>(columns.size()) - 1);
}

void Program::require_at_least(const Expression& a, const Expression& b) {
  const Expression difference = a - b;
  if (difference.is_constant()) {
    CHECK(difference.constant() >= -1e-6, "a program that contradicts itself");
    return;
  }
  rows.push_back({difference.terms(), -difference.constant()});
}

double value_of(const Expression& expression, const std::vector<double>& values) {
  double value = expression.constant();
  for (const Term& term : expression.terms()) {
    value += term.factor * values.at(static_cast<std::size_t>(term.column));
  }
  return value;
}

}  // namespace phaze::schedule::ilp
