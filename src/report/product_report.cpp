#include <cmath>

#include "base/plural.h"
#include "base/text.h"
#include "report/estimate_report.h"
#include "report/table.h"

namespace phaze::report {
namespace {

using plan::ProductMapping;
using plan::Stationary;

std::string time_text(Seconds time) {
  return time.value() > 0 ? with_prefix(time.value(), "s") : "0 s";
}

std::string size_text(std::int64_t m, std::int64_t n) {
  return with_thousands(m) + " x " + with_thousands(n);
}

std::string array_text(plan::Dataflow dataflow) {
  switch (dataflow) {
    case plan::Dataflow::kOutput:
      return "outputs stay in the array (rows m, columns n), k streams";
    case plan::Dataflow::kOutputTransposed:
      return "outputs stay in the array (rows n, columns m), k streams";
    case plan::Dataflow::kWeight:
      return "B stays in the array (rows k, columns n), m streams";
    case plan::Dataflow::kInput:
      return "A stays in the array (rows k, columns m), n streams";
  }
  return "";
}

std::string global_text(const ProductMapping& m) {
  switch (m.global) {
    case Stationary::kA:
      return counted(m.panel, "row of A stays", "rows of A stay") + ", B passes";
    case Stationary::kB:
      return counted(m.panel, "column of B stays", "columns of B stay") + ", A passes";
    case Stationary::kC:
      return size_text(m.group_m, m.group_n) + " tiles run side by side on the same slices";
  }
  return "";
}

std::string signed_percent(double ratio) {
  const double value = std::round((ratio - 1) * 1000) / 10;
  return (value > 0 ? "+" : "") + shortest(value == 0 ? 0 : value) + " %";
}

std::string others_table(const std::vector<plan::ProductAlternative>& others, Seconds best,
                         const std::string& title) {
  Table table({{title, Align::kLeft}, {"time", Align::kRight}, {"", Align::kRight}});
  for (const plan::ProductAlternative& other : others) {
    if (other.mapping) {
      table.add_row(
          {other.what, time_text(other.time), signed_percent(other.time.value() / best.value())});
    } else {
      table.add_row({other.what, "does not fit", ""});
    }
  }
  return table.to_string(2);
}

}  // namespace

std::string product_text(const plan::ProductEstimate& e) {
  const plan::ProductCost& c = e.cost;
  const ProductMapping& m = e.mapping;
  const double share = std::round(1000 * c.utilisation * c.time.value() / e.time.value()) / 10;
  std::string text = (e.problem.batch > 1 ? with_thousands(e.problem.batch) + " times " : "") +
                     with_thousands(e.problem.m) + " x " + with_thousands(e.problem.n) + " x " +
                     with_thousands(e.problem.k) + " (m x n x k) in " +
                     std::string(hw::to_string(e.format)) + " on " + printable(e.chip.name) + "\n";
  text += "Time         " + time_text(e.time) + " alone, " + time_text(c.time) +
          " after another operator; waits for " + bound_text(c.bound) + "; " + shortest(share) +
          " % of " + with_prefix(e.machine.peak.value(), "FLOP/s") + "\n";
  if (e.unpadded) {
    text += "Rows         are taken as padded to " +
            with_binary_prefix(e.chip.tensor.alignment.value()) +
            "; a library that does not pad them takes " + time_text(*e.unpadded) + "\n";
  }
  text += "Energy       " + with_prefix(e.energy.value(), "J") + "\n\n";
  text += "Mapping      best of all, proved (" + with_thousands(e.candidates) + " priced)\n";
  text += "  array      " + array_text(m.dataflow) + "\n";
  text += "  cores      tiles of " + size_text(m.tile_m, m.tile_n) +
          (m.k_splits > 1 ? ", k split " + with_thousands(m.k_splits) + " ways" : "") + ": " +
          with_thousands(c.waves) + " on the busiest of " + counted(e.machine.cores, "core") +
          "; " +
          (m.local == Stationary::kC   ? "C"
           : m.local == Stationary::kA ? "A"
                                       : "B") +
          " stays in the local buffer\n";
  text += "  global     " + global_text(m) + "\n\n";

  Table parts({{"part", Align::kLeft}, {"time", Align::kRight}, {"bytes", Align::kRight}});
  parts.add_row({"launch", time_text(c.launch + (e.time - c.time)), ""});
  parts.add_row({"fill and drain", time_text(c.fill), ""});
  parts.add_row({"cores", time_text(c.core), with_binary_prefix(c.local_bytes.value())});
  parts.add_row({"arrays at sustained power", time_text(c.power), ""});
  parts.add_row({"global buffer", time_text(c.global), with_binary_prefix(c.global_bytes.value())});
  parts.add_row({"HBM", time_text(c.hbm), with_binary_prefix(c.hbm_bytes.value())});
  parts.add_row({"sums of split k", time_text(c.reduction), ""});
  text += parts.to_string(2);
  text +=
      "  time = launch + fill and drain + the longest of cores, power, global buffer and HBM + "
      "sums\n\n";
  text += others_table(e.alternatives, c.time, "other ways (after another operator)") + "\n";
  text += others_table(e.changes, c.time, "on a chip with twice");
  return text;
}

}  // namespace phaze::report
