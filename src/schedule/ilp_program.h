#pragma once
// Mixed integer programs as plain data, the two formulations of a scheduling problem, and CBC
// behind one function.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/units.h"
#include "schedule/ilp_serial.h"
#include "schedule/ilp_tasks.h"

namespace phaze::schedule::ilp {

struct Term {
  int column;
  double factor;
};

// A sum of columns and a constant.
class Expression {
 public:
  Expression() = default;
  Expression(double constant) : constant_(constant) {}  // NOLINT(google-explicit-constructor)

  Expression& operator+=(const Expression& other);
  Expression& operator-=(const Expression& other);
  Expression& operator*=(double factor);
  friend Expression operator+(Expression a, const Expression& b) { return a += b; }
  friend Expression operator-(Expression a, const Expression& b) { return a -= b; }
  friend Expression operator*(double factor, Expression a) { return a *= factor; }

  static Expression of(int column);
  double constant() const { return constant_; }
  bool is_constant() const { return terms_.empty(); }
  // By column, each once.
  const std::vector<Term>& terms() const { return terms_; }

 private:
  std::vector<Term> terms_;
  double constant_ = 0;
};

// Minimise the first column.
struct Program {
  struct Column {
    double lower, upper;
    bool is_integer;
  };
  struct Row {  // sum of terms >= right
    std::vector<Term> terms;
    double right;
  };
  std::vector<Column> columns;
  std::vector<Row> rows;

  Expression add_column(double lower, double upper, bool is_integer = false);
  Expression add_binary() { return add_column(0, 1, true); }
  // a >= b; without columns it must hold already.
  void require_at_least(const Expression& a, const Expression& b);
};

// A program and how to read a schedule in its answer. Times are in units of `unit` picoseconds.
struct ScheduleProgram {
  Program program;
  double unit = 1;
  std::vector<Expression> start, wide;
  // Values of the integer columns in a known schedule; empty: none.
  std::vector<Term> known;
};

ScheduleProgram write_original(const Tasks& tasks, double unit, const Limits& limits);
ScheduleProgram write_strong(const Tasks& tasks, double unit, const Placement& known);

struct ProgramLimits {
  Seconds time{0};
  std::int64_t nodes = 0;
  double gap = 0;
  std::function<bool()> is_cancelled;  // asked several times a second, where there is one
};

struct ProgramAnswer {
  std::optional<std::vector<double>> values;  // by column; nothing: none found
  bool is_finished = false;                   // the values are best, within the gap
  std::optional<double> bound;                // on the first column
  std::int64_t nodes = 0;
};

bool has_cbc();
// Nothing in the answer without CBC.
ProgramAnswer solve_by_cbc(const ScheduleProgram& program, const ProgramLimits& limits);

double value_of(const Expression& expression, const std::vector<double>& values);

}  // namespace phaze::schedule::ilp
