// How long does the exact mapping of a matrix product take? All products of the built-in models,
// forward and backward, on the original's whole space of chips. A sample of the answers goes
// through verify/.
//
// With PHAZE_SUNSTONE naming a CSV of mappings by Sunstone, the original's mapper: time a mapping
// and utilisation beside its own.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "cost/machine.h"
#include "cost/operator.h"
#include "cost/product.h"
#include "graph/training.h"
#include "models/build.h"
#include "models/zoo.h"
#include "presets/chips.h"
#include "presets/spaces.h"
#include "space/enumerate.h"
#include "verify/product.h"

namespace phaze {
namespace {

using cost::ProductAnswer;
using plan::ProductProblem;
using plan::TensorMachine;

std::string text_of(const ProductProblem& p) {
  std::ostringstream text;
  text << p.batch << " x " << p.m << " x " << p.n << " x " << p.k;
  return text.str();
}
std::string text_of(const TensorMachine& t) {
  std::ostringstream text;
  text << t.cores << " x (" << t.rows << " x " << t.columns << "), "
       << (t.global_buffer.value() >> 20) << " MiB";
  return text.str();
}

// Median, and the like, of values that get sorted.
double quantile(std::vector<double>& values, double share) {
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size() - 1);
  return values[static_cast<std::size_t>(share * last)];
}

auto key_of(const ProductProblem& p) {
  return std::tuple(p.batch, p.m, p.n, p.k, p.a_element.value(), p.b_element.value(),
                    p.c_element.value());
}

// Distinct products of training steps of all built-in models; attention as separate products too.
std::vector<ProductProblem> zoo_products() {
  std::vector<ProductProblem> products;
  std::set<decltype(key_of(ProductProblem{}))> seen;
  for (const std::string& name : models::zoo_names()) {
    const models::ModelSpec spec = models::find_zoo_model(name)->spec;
    const std::vector<std::int64_t> widths = models::tensor_widths(spec);
    for (const std::int64_t width : {1, 8}) {
      if (std::find(widths.begin(), widths.end(), width) == widths.end()) {
        continue;
      }
      for (const std::int64_t microbatch : {1, 8}) {
        models::BuildOptions options;
        options.tensor_width = width;
        options.microbatch = microbatch;
        options.attention = models::AttentionMode::kEager;
        Diagnostics diagnostics;
        const graph::Model model =
            graph::to_training(*models::build_model(spec, options, diagnostics), {});
        for (const graph::Layer& layer : model.layers) {
          for (const graph::Operator& op : layer.operators) {
            if (op.product) {
              const ProductProblem problem = cost::product_problem(layer, op);
              if (seen.insert(key_of(problem)).second) {
                products.push_back(problem);
              }
            }
          }
        }
      }
    }
  }
  return products;
}

hw::Chip base_chip() {
  Diagnostics diagnostics;
  return presets::load_chip("tpuv4", {}, diagnostics, hw::Technology::kPhaze22).value();
}

// All distinct tensor cores with all their global buffers; vector cores do not matter here.
std::vector<TensorMachine> phaze_machines() {
  std::vector<TensorMachine> machines;
  std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>> seen;
  Diagnostics diagnostics;
  space::Space space = presets::load_space("phaze2024", diagnostics).value();
  space.base = base_chip();
  space::visit_chips(space, 0, space::combinations(space),
                     [&](std::int64_t, const hw::Chip& chip, SquareMillimetres) {
                       const TensorMachine machine =
                           cost::tensor_machine(chip, hw::NumberFormat::kBf16);
                       if (seen.insert({machine.cores, machine.rows, machine.columns,
                                        machine.global_buffer.value()})
                               .second) {
                         machines.push_back(machine);
                       }
                     });
  return machines;
}

struct Timed {
  std::optional<ProductAnswer> answer;
  double us = 0;
};

Timed solve(const ProductProblem& problem, const TensorMachine& machine) {
  const auto begin = std::chrono::steady_clock::now();
  Timed timed{cost::solve_product(problem, machine), 0};
  const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  timed.us = took.count();
  return timed;
}

bool is_sound(const ProductProblem& problem, const TensorMachine& machine,
              const ProductAnswer& answer) {
  return verify::verify_product(problem, machine, answer.mapping, answer.cost).empty();
}

// Every machine gets an equal part of the products, each machine other ones.
void zoo_on_phaze_chips(benchmark::State& state) {
  constexpr std::size_t kSolved = 1'000'000;
  const std::vector<ProductProblem> products = zoo_products();
  const std::vector<TensorMachine> machines = phaze_machines();
  const std::size_t each = std::min(products.size(), kSolved / machines.size());
  const std::size_t stride = products.size() / each;
  std::vector<double> times;
  double candidates = 0;
  double most_candidates = 0;
  double worst = 0;
  std::string worst_at;
  std::size_t unsolved = 0;
  std::size_t verified = 0;
  std::string fault;
  for (auto _ : state) {
    for (std::size_t i = 0; i < machines.size(); ++i) {
      for (std::size_t j = 0; j < each; ++j) {
        const ProductProblem& problem = products[(i + j * stride) % products.size()];
        const TensorMachine& machine = machines[i];
        Timed timed = solve(problem, machine);
        if (!timed.answer) {
          ++unsolved;
          continue;
        }
        for (int again = 0; again < 2 && timed.us > 200; ++again) {  // or was the machine busy?
          timed.us = std::min(timed.us, solve(problem, machine).us);
        }
        times.push_back(timed.us);
        const auto priced = static_cast<double>(timed.answer->candidates);
        candidates += priced;
        most_candidates = std::max(most_candidates, priced);
        if (timed.us > worst) {
          worst = timed.us;
          worst_at = text_of(problem) + " on " + text_of(machine);
        }
        if ((i * each + j) % 101 == 0) {
          ++verified;
          if (!is_sound(problem, machine, *timed.answer)) {
            fault = text_of(problem) + " on " + text_of(machine);
          }
        }
      }
    }
  }
  if (!fault.empty() || verified == 0) {
    state.SkipWithError(("not sound: " + fault).c_str());
    return;
  }
  state.counters["products"] = static_cast<double>(products.size());
  state.counters["machines"] = static_cast<double>(machines.size());
  state.counters["solved"] = static_cast<double>(times.size());
  state.counters["unsolved"] = static_cast<double>(unsolved);
  state.counters["verified"] = static_cast<double>(verified);
  state.counters["mean_candidates"] = candidates / static_cast<double>(times.size());
  state.counters["most_candidates"] = most_candidates;
  state.counters["median_us"] = quantile(times, 0.5);
  state.counters["p99_us"] = quantile(times, 0.99);
  state.counters["worst_us"] = worst;
  state.SetLabel("targets: median 20 us, p99 200 us, worst 2000 us; worst " + worst_at);
}
BENCHMARK(zoo_on_phaze_chips)->Iterations(1)->Unit(benchmark::kSecond);

// One row of Sunstone's answers.
struct SunstoneRow {
  ProductProblem problem;
  TensorMachine machine;
  double seconds = 0;
  double utilisation = 0;
};

// The machine is the chip of the original's space with these cores and buffer.
TensorMachine machine_of(const hw::Chip& base, std::int64_t count, std::int64_t rows,
                         std::int64_t columns, std::int64_t buffer) {
  hw::Chip chip = base;
  chip.tensor.count = chip.tensor.fabricated = count;
  chip.tensor.rows = rows;
  chip.tensor.columns = columns;
  chip.tensor.local_buffer = hw::default_local_buffer(rows * columns);
  chip.tensor.local_bytes_per_cycle = hw::default_local_bytes_per_cycle(rows, columns);
  chip.tensor.port_bytes_per_cycle = hw::default_port_bytes_per_cycle(rows, columns);
  chip.global.size = chip.global.fabricated = Bytes(buffer);
  chip.global.bytes_per_cycle = hw::default_global_bytes_per_cycle(chip.tensor);
  return cost::tensor_machine(chip, hw::NumberFormat::kBf16);
}

std::vector<SunstoneRow> read_sunstone(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  const auto split = [](const std::string& text) {
    std::vector<std::string> fields;
    std::stringstream stream(text);
    for (std::string field; std::getline(stream, field, ',');) {
      fields.push_back(field);
    }
    return fields;
  };
  std::getline(file, line);
  std::map<std::string, std::size_t> columns;
  const std::vector<std::string> names = split(line);
  for (std::size_t i = 0; i < names.size(); ++i) {
    columns[names[i]] = i;
  }
  const hw::Chip base = base_chip();
  std::vector<SunstoneRow> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line);
    const auto number = [&](const char* name) { return std::stoll(fields.at(columns.at(name))); };
    SunstoneRow row;
    row.problem.batch = number("batch");
    row.problem.m = number("rows_n");
    row.problem.n = number("cols_k");
    row.problem.k = number("contract_c");
    row.machine =
        machine_of(base, number("num_tc"), number("pe_y"), number("pe_x"), number("glb_bytes"));
    row.seconds = std::stod(fields.at(columns.at("wall_s")));
    row.utilisation = std::stod(fields.at(columns.at("utilisation")));
    rows.push_back(row);
  }
  return rows;
}

// Sunstone's cycles are the largest of seven terms at rates that are fixed for a whole chip: 64
// words a cycle between the L1 buffers of all cores and their arrays, 256 at the global buffer, 128
// at DRAM. Its L1 does not get faster with more cores, so that on chips with several its
// utilisation falls with their number. Three comparisons, therefore: chips of one core; chips of
// several, both on all cores; and there one core of ours, with all that is shared to itself,
// against Sunstone's whole chip where that does no more than one core could, in peaks of one core.
// Sunstone folds a batch into the rows, as if all of it had one B. The machine is the same array
// with rates that grow with it (docs/models.md, 8.1) and the HBM of a TPU v4.
struct Comparison {
  std::vector<double> ours, theirs;  // utilisation
  std::map<std::string, int> lower;  // by what bounds ours
  double faster = 1;                 // largest ratio

  void add(double our, double their, plan::Bound bound) {
    ours.push_back(our);
    theirs.push_back(their);
    if (our < 0.98 * their) {
      ++lower[std::string(to_string(bound))];
    }
    faster = std::max(faster, our / their);
  }
  void print(const char* what) {
    int count = 0;
    for (const auto& [bound, rows] : lower) {
      count += rows;
    }
    std::printf(
        "%s: %zu rows, median utilisation %.3f ours, %.3f Sunstone's; "
        "ours lower by more than 2 %% in %d, by our bound:",
        what, ours.size(), quantile(ours, 0.5), quantile(theirs, 0.5), count);
    for (const auto& [bound, rows] : lower) {
      std::printf(" %s %d", bound.c_str(), rows);
    }
    std::printf("; largest ratio %.1f\n", faster);
  }
};

void beside_sunstone(benchmark::State& state) {
  const std::vector<SunstoneRow> rows = read_sunstone(std::getenv("PHAZE_SUNSTONE"));
  std::vector<double> ours, theirs;
  Comparison one, several, one_of_several;
  for (auto _ : state) {
    for (const SunstoneRow& row : rows) {
      Timed timed = solve(row.problem, row.machine);
      if (!timed.answer || !is_sound(row.problem, row.machine, *timed.answer)) {
        state.SkipWithError("a product without a sound mapping");
        return;
      }
      ours.push_back(timed.us * 1e-6);
      theirs.push_back(row.seconds);
      Comparison& comparison = row.machine.cores == 1 ? one : several;
      comparison.add(timed.answer->cost.utilisation, row.utilisation, timed.answer->cost.bound);
      if (row.machine.cores > 1) {
        const auto cores = static_cast<double>(row.machine.cores);
        TensorMachine alone = row.machine;
        alone.cores = 1;
        alone.peak = alone.sustained = alone.peak * (1 / cores);
        const ProductAnswer answer = cost::solve_product(row.problem, alone).value();
        if (row.utilisation * cores <= 1) {
          one_of_several.add(answer.cost.utilisation, row.utilisation * cores, answer.cost.bound);
        }
      }
    }
  }
  if (rows.empty()) {
    state.SkipWithError("no rows");
    return;
  }
  one.print("chips of one core");
  several.print("chips of several cores");
  one_of_several.print("one core of several");
  const double our_median = quantile(ours, 0.5);
  const double their_median = quantile(theirs, 0.5);
  state.counters["rows"] = static_cast<double>(rows.size());
  state.counters["ours_us"] = our_median * 1e6;
  state.counters["sunstone_us"] = their_median * 1e6;
  state.counters["ratio"] = their_median / our_median;
}
const bool kHasSunstone = [] {
  if (std::getenv("PHAZE_SUNSTONE") == nullptr) {
    return false;
  }
  benchmark::RegisterBenchmark("beside_sunstone", beside_sunstone)
      ->Iterations(1)
      ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace phaze
