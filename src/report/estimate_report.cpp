#include "report/estimate_report.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/check.h"
#include "base/plural.h"
#include "base/text.h"
#include "report/operator_text.h"
#include "report/table.h"

namespace phaze::report {
namespace {

using plan::Bound;
using plan::Estimate;

constexpr std::size_t kShown = 12;  // operators of a layer, unless all are asked for

std::string time_text(Seconds time) {
  return time.value() > 0 ? with_prefix(time.value(), "s") : "0 s";
}

std::string percent(double share) {
  const double value = 100 * share;
  const double scale = value < 10 ? 10 : 1;
  return shortest(std::round(value * scale) / scale) + " %";
}

std::string bytes_text(Bytes bytes) {
  return bytes == Bytes() ? "" : with_binary_prefix(bytes.value());
}

std::string header(const Estimate& e) {
  std::string text = printable(e.model.name) + " on " + printable(e.chip.name);
  for (const std::string& setting : e.chip_settings) {
    text += " " + printable(setting);
  }
  text += ", sequence " + with_thousands(e.model.sequence) + ", micro-batch " +
          with_thousands(e.model.microbatch);
  if (e.model.tensor_width > 1) {
    text += ", one of " + with_thousands(e.model.tensor_width) + " tensor-parallel devices of " +
            printable(e.cluster);
  }
  text += "\n";
  std::string how;
  for (const char* key : {"execution", "attention", "precision", "optimizer", "recompute"}) {
    const auto setting = e.model.settings.find(key);
    if (setting != e.model.settings.end()) {
      how += (how.empty() ? "" : ", ") + std::string(key) + " " + printable(setting->second);
    }
  }
  return text + (how.empty() ? "" : how + "\n") + "\n";
}

std::string step_lines(const Estimate& e) {
  const plan::StepCost& s = e.step;
  const double total = s.total.value();
  std::string text = "Step     " + time_text(s.total) + " = " + time_text(s.forward.time) +
                     " forward + " + time_text(s.backward.time) + " backward";
  if (s.recompute.time.value() > 0) {
    text += " (" + time_text(s.recompute.time) + " recomputed)";
  }
  text += " + " + time_text(s.optimizer.time) + " optimiser\n";
  const double pace = e.pace.value();
  if (pace > 0) {
    text += "Rate     " + with_thousands(std::llround(e.tokens / pace)) + " tok/s" +
            (e.model.tensor_width > 1 ? " of the group" : "") +
            (s.is_host_bound ? " at the host's pace" : "") + ", MFU " +
            percent(e.model_flops.value() / pace / e.peak.value()) + ", HFU " +
            percent(e.run_flops.value() / pace / e.peak.value()) + " of " +
            with_prefix(e.peak.value(), "FLOP/s") + "\n";
  }
  const Joules energy = s.forward.energy + s.backward.energy + s.optimizer.energy;
  text += "Energy   " + with_prefix(energy.value(), "J") +
          " of work and traffic a step, without leakage and clocks\n";
  constexpr double kWorthSaying = 0.5;
  if (s.host.value() > kWorthSaying * total) {
    text += "Host     " + time_text(s.host) + " to launch it operator by operator: " +
            (s.is_host_bound ? "the host is the limit, the step takes longer than above"
                             : "the device is the limit") +
            "\n";
  }
  return text;
}

std::string memory_lines(const Estimate& e) {
  const graph::PeakMemory& m = e.memory;
  const Bytes capacity = hw::usable_memory(e.chip);
  std::string text = "Memory   " + with_binary_prefix(m.total.value()) + " of " +
                     with_binary_prefix(capacity.value()) + " at the peak, in the " +
                     std::string(graph::to_string(m.moment)) +
                     (m.layer.empty() ? "" : " of layer " + printable(m.layer)) + ": ";
  const std::pair<const char*, Bytes> parts[] = {{"parameters", m.parameters},
                                                 {"gradients", m.gradients},
                                                 {"optimiser states", m.optimizer_states},
                                                 {"saved activations", m.saved_activations},
                                                 {"constants", m.constants},
                                                 {"transient", m.transient},
                                                 {"workspace", m.workspace}};
  std::string list;
  for (const auto& [name, bytes] : parts) {
    if (bytes > Bytes()) {
      list +=
          (list.empty() ? "" : ", ") + std::string(name) + " " + with_binary_prefix(bytes.value());
    }
  }
  text += list + "\n";
  if (m.total > capacity) {
    text += "         it does not fit: " + with_binary_prefix((m.total - capacity).value()) +
            " too much\n";
  }
  return text;
}

// Share of the step by what its operators wait for.
std::string bound_line(const Estimate& e) {
  std::map<Bound, double> seconds;
  for (std::size_t i = 0; i < e.model.layers.size(); ++i) {
    for (const plan::OperatorCost& cost : e.step.layers[i].operators) {
      seconds[cost.bound] += cost.time.value() * static_cast<double>(e.model.layers[i].repeat);
    }
  }
  std::vector<std::pair<double, Bound>> sorted;
  for (const auto& [bound, time] : seconds) {
    if (time > 0) {
      sorted.emplace_back(time, bound);
    }
  }
  std::ranges::sort(sorted, std::greater<>());
  std::string text;
  for (const auto& [time, bound] : sorted) {
    text +=
        (text.empty() ? "" : ", ") + bound_text(bound) + " " + percent(time / e.step.total.value());
  }
  return text.empty() ? "" : "Waits    for " + text + "\n";
}

std::string layers_table(const Estimate& e) {
  Table table({{"layer", Align::kLeft},
               {"repeat", Align::kRight},
               {"forward", Align::kRight},
               {"backward", Align::kRight},
               {"recomputed", Align::kRight},
               {"optimiser", Align::kRight},
               {"of the step", Align::kRight}});
  for (std::size_t i = 0; i < e.model.layers.size(); ++i) {
    const graph::Layer& layer = e.model.layers[i];
    const plan::LayerCost& cost = e.step.layers[i];
    const Seconds all = cost.forward.time + cost.backward.time + cost.optimizer.time;
    table.add_row(
        {layer.name, with_thousands(layer.repeat), time_text(cost.forward.time),
         time_text(cost.backward.time),
         cost.recompute.time.value() > 0 ? time_text(cost.recompute.time) : "",
         time_text(cost.optimizer.time),
         percent(all.value() * static_cast<double>(layer.repeat) / e.step.total.value())});
  }
  return table.to_string(2);
}

std::string operators_table(const graph::Layer& layer, const plan::LayerCost& cost,
                            bool all_operators) {
  std::vector<graph::OpId> ids;
  for (const graph::OpId id : ids_of(layer.operators)) {
    if (cost.operators[id].time.value() > 0) {
      ids.push_back(id);
    }
  }
  const std::size_t total = ids.size();
  if (!all_operators && total > kShown) {
    std::ranges::stable_sort(ids, [&cost](graph::OpId a, graph::OpId b) {
      return cost.operators[a].time > cost.operators[b].time;
    });
    ids.resize(kShown);
  }
  Table table({{"operator", Align::kLeft},
               {"pass", Align::kLeft},
               {"shape", Align::kLeft},
               {"time", Align::kRight},
               {"waits for", Align::kLeft},
               {"of peak", Align::kRight},
               {"HBM", Align::kRight},
               {"energy", Align::kRight},
               {"", Align::kLeft}});
  for (const graph::OpId id : ids) {
    const graph::Operator& op = layer.operators[id];
    const plan::OperatorCost& c = cost.operators[id];
    std::string note = c.spills ? "does not fit on chip" : "";
    if (c.source != plan::CostSource::kModel) {
      note += (note.empty() ? "" : ", ") + std::string(plan::to_string(c.source));
    }
    table.add_row({operator_name(op), std::string(graph::to_string(op.pass)),
                   operator_shape(layer, op), time_text(c.time), bound_text(c.bound),
                   percent(c.utilisation), bytes_text(c.hbm_bytes),
                   with_prefix(c.energy.value(), "J"), note});
  }
  std::string text = table.to_string(2);
  if (ids.size() < total) {
    Seconds rest;
    for (const graph::OpId id : ids_of(layer.operators)) {
      if (std::ranges::find(ids, id) == ids.end()) {
        rest += cost.operators[id].time;
      }
    }
    text += "  and " + std::to_string(total - ids.size()) + " more, together " + time_text(rest) +
            " (--operators shows all)\n";
  }
  return text;
}

}  // namespace

std::string bound_text(Bound bound) {
  switch (bound) {
    case Bound::kCompute:
      return "arrays";
    case Bound::kPower:
      return "arrays at sustained power";
    case Bound::kLocal:
      return "local buffers";
    case Bound::kPort:
      return "core ports";
    case Bound::kGlobal:
      return "global buffer";
    case Bound::kHbm:
      return "HBM";
    case Bound::kLaunch:
      return "launch";
    case Bound::kVector:
      return "vector lanes";
    case Bound::kNetwork:
      return "network";
    case Bound::kNothing:
      return "nothing";
  }
  CHECK(false, "unknown bound");
}

std::string estimate_text(const Estimate& e, bool all_operators) {
  std::string text = header(e) + step_lines(e) + memory_lines(e) + bound_line(e);
  if (e.has_table) {
    text += "Table    " + counted(e.exact, "operator") + " measured, " +
            with_thousands(e.interpolated) + " interpolated, the others modelled\n";
  }
  text += "\n" + layers_table(e);
  for (std::size_t i = 0; i < e.model.layers.size(); ++i) {
    const graph::Layer& layer = e.model.layers[i];
    text += "\n" + printable(layer.name) +
            (layer.repeat > 1 ? ", one of " + with_thousands(layer.repeat) : "") + "\n" +
            operators_table(layer, e.step.layers[i], all_operators);
  }
  return text;
}

}  // namespace phaze::report
