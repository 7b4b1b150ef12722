// The one file that knows CBC. It runs in a process of its own: as Debian builds it, it has its
// assertions on and some program in thousands, however small, fails one, which would be the end of
// this process; and it would print.

#include "schedule/ilp_program.h"

#ifdef PHAZE_HAS_CBC
#include <coin/Cbc_C_Interface.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>

#include "base/check.h"
#include "base/text.h"
#include "schedule/ilp_process.h"
#endif

namespace phaze::schedule::ilp {

#ifdef PHAZE_HAS_CBC

namespace {

using Model = std::unique_ptr<Cbc_Model, void (*)(Cbc_Model*)>;

// CBC's own limit of time is seen late, at times.
constexpr double kGraceShare = 0.2;
constexpr double kGraceSeconds = 2;

void load(const Program& program, Cbc_Model* model) {
  for (const Program::Column& column : program.columns) {
    Cbc_addCol(model, "", column.lower, column.upper, 0, column.is_integer ? 1 : 0, 0, nullptr,
               nullptr);
  }
  // CBC keeps no answer of a program without integers: one that cannot vary makes it do so.
  Cbc_addCol(model, "", 0, 0, 0, 1, 0, nullptr, nullptr);
  Cbc_setObjCoeff(model, 0, 1);
  Cbc_setObjSense(model, 1);
  std::vector<int> columns;
  std::vector<double> factors;
  for (const Program::Row& row : program.rows) {
    columns.clear();
    factors.clear();
    for (const Term& term : row.terms) {
      columns.push_back(term.column);
      factors.push_back(term.factor);
    }
    Cbc_addRow(model, "", static_cast<int>(columns.size()), columns.data(), factors.data(), 'G',
               row.right);
  }
}

// Where everything starts from: the original's tolerance of integers, and one like it for the rest.
constexpr const char* kTolerance = "1e-9";

void set_limits(const ProgramLimits& limits, Cbc_Model* model) {
  const auto set = [model](const char* name, const std::string& value) {
    Cbc_setParameter(model, name, value.c_str());
  };
  set("log", "0");
  set("timeMode", "elapsed");
  set("sec", shortest(limits.time.value()));
  set("maxNodes", std::to_string(std::min<std::int64_t>(limits.nodes, 2'000'000'000)));
  set("ratioGap", shortest(limits.gap));
  set("allow", "0");
  set("integerT", kTolerance);
  set("primalT", kTolerance);
  set("dualT", kTolerance);
}

void set_known(const std::vector<Term>& known, Cbc_Model* model) {
  std::vector<int> columns;
  std::vector<double> values;
  for (const Term& term : known) {
    columns.push_back(term.column);
    values.push_back(term.factor);
  }
  if (!columns.empty()) {
    Cbc_setMIPStartI(model, static_cast<int>(columns.size()), columns.data(), values.data());
  }
}

// The answer as numbers, to go from process to process: nodes, bound, finished or not, values.
std::vector<double> solve_here(const ScheduleProgram& program, const ProgramLimits& limits,
                               bool preprocess) {
  const Model model(Cbc_newModel(), Cbc_deleteModel);
  load(program.program, model.get());
  set_limits(limits, model.get());
  if (!preprocess) {
    Cbc_setParameter(model.get(), "preprocess", "off");
  }
  set_known(program.known, model.get());
  Cbc_solve(model.get());
  std::vector<double> numbers = {static_cast<double>(Cbc_getNodeCount(model.get())),
                                 Cbc_getBestPossibleObjValue(model.get()),
                                 Cbc_isProvenOptimal(model.get()) != 0 ? 1.0 : 0.0};
  if (const double* values = Cbc_bestSolution(model.get())) {
    numbers.insert(numbers.end(), values, values + program.program.columns.size());
  }
  return numbers;
}

ProgramAnswer read_answer(const std::vector<double>& numbers) {
  // What CBC calls no bound.
  constexpr double kNoBound = 1e30;
  constexpr std::size_t kHead = 3;
  CHECK(numbers.size() >= kHead, "an answer without a head");
  ProgramAnswer answer;
  answer.nodes = static_cast<std::int64_t>(std::max(numbers[0], 0.0));
  if (std::abs(numbers[1]) < kNoBound) {
    answer.bound = numbers[1];
  }
  if (numbers.size() > kHead) {
    answer.is_finished = numbers[2] != 0;
    answer.values.emplace(numbers.begin() + kHead, numbers.end());
  }
  return answer;
}

}  // namespace

bool has_cbc() { return true; }

ProgramAnswer solve_by_cbc(const ScheduleProgram& program, const ProgramLimits& limits) {
  const auto start = std::chrono::steady_clock::now();
  // Where CBC dies, another way through the same program mostly does not meet the same assertion.
  for (const bool preprocess : {true, false}) {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - start;
    ProgramLimits left = limits;
    left.time = Seconds(limits.time.value() - gone.count());
    if (left.time.value() <= 0 || (limits.is_cancelled && limits.is_cancelled())) {
      break;
    }
    const auto numbers = run_apart([&] { return solve_here(program, left, preprocess); },
                                   Seconds(left.time.value() * (1 + kGraceShare) + kGraceSeconds),
                                   limits.is_cancelled);
    if (numbers) {
      return read_answer(*numbers);
    }
  }
  return {};
}

#else

bool has_cbc() { return false; }

ProgramAnswer solve_by_cbc(const ScheduleProgram&, const ProgramLimits&) { return {}; }

#endif

}  // namespace phaze::schedule::ilp
