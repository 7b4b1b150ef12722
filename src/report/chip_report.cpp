#include "report/chip_report.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/plural.h"
#include "base/text.h"
#include "report/table.h"

namespace phaze::report {
namespace {

struct Part {
  char letter;
  std::string name;
  std::string size;
  SquareMillimetres area;
};

// Words up to 100 columns, lines after the first indented further.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t further) {
  constexpr std::size_t kColumns = 100;
  std::string result;
  std::string line(indent, ' ');
  bool is_first_word = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!is_first_word && line.size() + 1 + word.size() > kColumns) {
      result += line + "\n";
      line = std::string(indent + further, ' ') + word;
    } else {
      line += (is_first_word ? "" : " ") + word;
    }
    is_first_word = false;
    at = end + 1;
  }
  return result + line + "\n";
}

std::string fixed(double value, int decimals) {
  std::string text = std::to_string(value);
  const std::size_t dot = text.find('.');
  return text.substr(0, decimals == 0 ? dot : dot + 1 + static_cast<std::size_t>(decimals));
}

std::string rounded(double value) {
  const double decimals = value >= 99.95 ? 1 : 10;
  return fixed(std::round(value * decimals) / decimals, value >= 99.95 ? 0 : 1);
}

std::vector<Part> parts_of(const hw::Chip& chip, const hw::AreaBreakdown& a) {
  const auto count = [](std::int64_t used, std::int64_t made) {
    return std::to_string(used) + (made > used ? " of " + std::to_string(made) : "");
  };
  return {
      {'T', "tensor cores",
       count(chip.tensor.count, chip.tensor.fabricated) + " x (" +
           std::to_string(chip.tensor.rows) + " x " + std::to_string(chip.tensor.columns) + ")",
       a.tensor_cores},
      {'v', "vector cores",
       count(chip.vector.count, chip.vector.fabricated) + " x " +
           std::to_string(chip.vector.lanes) + (chip.vector.lanes == 1 ? " lane" : " lanes"),
       a.vector_cores},
      {'l', "local buffers",
       with_binary_prefix(chip.tensor.local_buffer.value()) + " + " +
           with_binary_prefix(chip.vector.local_buffer.value()),
       a.local_buffers},
      {'c', "core control", std::string(hw::to_string(chip.control)), a.control},
      {'G', "global buffer",
       with_binary_prefix(chip.global.size.value()) + " at " +
           with_prefix(hw::global_bandwidth(chip).value(), "B/s"),
       a.global_buffer},
      {'x', "interconnect", "", a.interconnect},
      {'M', "memory interface",
       std::to_string(chip.hbm.sites) + " x " + std::string(hw::to_string(chip.hbm.generation)),
       a.memory_phy + a.memory_controller},
      {'L', "links",
       chip.links.count == 0 ? "none"
                             : std::to_string(chip.links.count) + " x " +
                                   with_prefix(chip.links.bandwidth.value(), "B/s"),
       a.link_phy},
      {'D', "die to die",
       chip.dies == 1
           ? "none"
           : with_prefix(hw::die_to_die_bandwidth(chip, chip.nominal_clock).value(), "B/s"),
       a.die_to_die},
      {'.', "other", "", a.other},
  };
}

// The die as a field of letters, each the same area, with its HBM stacks on both sides. A stack
// is drawn to the same scale (110 mm2).
std::vector<std::string> drawing(const hw::Chip& chip, const std::vector<Part>& parts,
                                 SquareMillimetres area) {
  constexpr std::size_t kColumns = 40;
  constexpr int kRows = 14;
  constexpr std::size_t kCells = kColumns * kRows;
  constexpr double kStackArea = 110;
  const double cell = area.value() / static_cast<double>(kCells);
  std::string cells;
  double due = 0;
  for (const Part& part : parts) {
    due += part.area.value() / cell;
    while (static_cast<double>(cells.size()) + 0.5 < due && cells.size() < kCells) {
      cells += part.letter;
    }
  }
  cells.resize(kCells, '.');
  const std::int64_t left = (chip.hbm.stacks + 1) / 2;
  const std::int64_t right = chip.hbm.stacks - left;
  // Stacks of one height on both sides, as tall as their area is or as there is room.
  constexpr int kStackWidth = 5;
  const int pitch = std::max(1, kRows / static_cast<int>(left));
  const int by_area = static_cast<int>(std::lround(kStackArea / cell / kStackWidth));
  const int height = std::clamp(by_area, 1, std::max(1, pitch - 1));
  const auto side = [&](std::int64_t stacks, int row) -> std::string {
    const bool is_stack = row / pitch < stacks && row % pitch < height;
    return is_stack ? (row % pitch == height / 2 ? "[HBM]" : "[   ]") : "";
  };
  std::vector<std::string> lines;
  const std::string edge = "      +" + std::string(kColumns, '-') + "+";
  lines.push_back(edge);
  for (int row = 0; row < kRows; ++row) {
    const std::string west = side(left, row);
    const std::string east = side(right, row);
    lines.push_back((west.empty() ? "     " : west) + " |" +
                    cells.substr(static_cast<std::size_t>(row) * kColumns, kColumns) + "|" +
                    (east.empty() ? "" : " " + east));
  }
  lines.push_back(edge);
  return lines;
}

}  // namespace

std::string chip_text(const hw::Chip& described, const hw::ChipFigures& f) {
  const hw::Chip& chip = f.chip;
  std::string text =
      printable(chip.name) + (chip.title.empty() ? "" : "   " + printable(chip.title)) + "\n";
  const bool is_capped = chip.clock < described.clock;
  text +=
      "clock " + with_prefix(chip.clock.value(), "Hz") +
      (is_capped
           ? " under the power cap (its own: " + with_prefix(described.clock.value(), "Hz") + ")"
           : "") +
      ", " + std::to_string(f.node_nm) + " nm" +
      (f.is_node_interpolated ? " (partly interpolated)" : "") + ", technology " +
      std::string(hw::to_string(f.technology)) +
      (chip.dies > 1 ? ", " + std::to_string(chip.dies) + " dies" : "") + "\n\n";
  const SquareMillimetres own = hw::total(f.area_breakdown);
  const std::vector<Part> parts = parts_of(chip, f.area_breakdown);
  for (const std::string& line : drawing(chip, parts, own)) {
    text += "  " + line + "\n";
  }
  text += "\n";
  Table table({{"", Align::kLeft},
               {"part", Align::kLeft},
               {"size", Align::kLeft},
               {"mm2", Align::kRight},
               {"share", Align::kRight}});
  for (const Part& part : parts) {
    if (part.area == SquareMillimetres()) {
      continue;  // not there, or not in this technology
    }
    table.add_row({std::string(1, part.letter), part.name, part.size, rounded(part.area.value()),
                   rounded(100 * part.area.value() / own.value()) + " %"});
  }
  table.add_rule();
  table.add_row({"", "all", "", rounded(own.value()), ""});
  text += table.to_string(2) + "\n";

  const auto line = [&text](const std::string& name, const std::string& value) {
    text += "  " + name + std::string(18 - name.size(), ' ') + value + "\n";
  };
  for (std::size_t i = 0; i < hw::kNumberFormats; ++i) {
    const auto format = static_cast<hw::NumberFormat>(i);
    const double peak = hw::peak_flops(chip, format).value();
    if (peak > 0) {
      line("peak " + std::string(hw::to_string(format)),
           with_prefix(peak, format == hw::NumberFormat::kInt8 ? "OP/s" : "FLOP/s"));
    }
  }
  line("vector", with_prefix(hw::peak_vector_flops(chip).value(), "FLOP/s"));
  line("HBM", with_binary_prefix(hw::hbm_capacity(chip).value()) + " in " +
                  counted(chip.hbm.stacks, "stack") + ", " +
                  with_prefix(hw::hbm_bandwidth(chip).value(), "B/s"));
  line("links", with_prefix(hw::link_bandwidth(chip).value(), "B/s") + " each way");
  const auto published = [](const auto& value, const std::string& unit) {
    return value ? "   (published " + rounded(value->value()) + " " + unit + ")" : std::string();
  };
  line("area", rounded(f.area.value()) + " mm2" + published(chip.published_area, "mm2") +
                   (f.fits_reticle ? "" : "   larger than a reticle (858 mm2 a die)"));
  line("design power", rounded(f.tdp.value()) + " W" + published(chip.published_tdp, "W"));
  line("", "matrix " + rounded(f.power.matrix.value()) + ", local " +
               rounded(f.power.local_buffers.value()) + ", vector " +
               rounded(f.power.vector.value()) + ", control " + rounded(f.power.control.value()) +
               ", global buffer " + rounded(f.power.global_buffer.value()) + ", HBM " +
               rounded(f.power.hbm.value()) + ", links " + rounded(f.power.links.value()) +
               (chip.dies > 1 ? ", die to die " + rounded(f.power.die_to_die.value()) : "") +
               ", other " + rounded(f.power.other.value()) + ", leakage " +
               rounded(f.power.leakage.value()));
  line("build cost", with_thousands(std::llround(hw::total(f.cost).value())) +
                         " USD = " + with_thousands(std::llround(f.cost.logic.value())) +
                         " logic (yield " + rounded(100 * f.yield) + " %) + " +
                         with_thousands(std::llround(f.cost.hbm.value())) + " HBM + " +
                         with_thousands(std::llround(f.cost.package.value())) + " package + " +
                         with_thousands(std::llround(f.cost.test.value())) + " test");
  line("embodied carbon", rounded(hw::total(f.carbon).value()) +
                              " kg CO2e = " + rounded(f.carbon.logic.value()) + " logic + " +
                              rounded(f.carbon.hbm.value()) + " HBM + " +
                              rounded(f.carbon.package.value()) + " package");
  line("in operation", rounded(f.operating_carbon.value()) + " kg CO2e a year at design power (" +
                           shortest(f.site.grid_g_per_kwh) + " g/kWh, PUE " + shortest(f.site.pue) +
                           ")");
  if (!chip.source.empty()) {
    text += wrapped("source            " + printable(chip.source), 2, 18);
  }
  return text;
}

}  // namespace phaze::report
