#include "io/chip_reader.h"

#include <cmath>

#include "base/text.h"
#include "hw/area.h"
#include "io/map_reader.h"

namespace phaze::io {
namespace {

using hw::Chip;

constexpr std::int64_t kMostCores = 1 << 20;
constexpr std::int64_t kMostSide = 1 << 14;
constexpr double kMostBytes = 1e15;
constexpr double kMostRate = 1e18;
constexpr Bounds kShare{0, 1, true};
constexpr Bounds kUtilised{0, 1, false};
constexpr Bounds kBytesRange{0, kMostBytes, false};
constexpr Bounds kRateRange{0, kMostRate, false};

Bytes bytes_of(double value) { return Bytes(static_cast<std::int64_t>(std::llround(value))); }

class ChipReader {
 public:
  ChipReader(const Value& document, Diagnostics& diagnostics)
      : diagnostics_(diagnostics),
        faults_before_(diagnostics.error_count()),
        top_(document, diagnostics) {}

  Chip read() {
    top_.ignore({"derive"});
    chip_.title = top_.text("title", "");
    chip_.source = top_.text("source", "");
    static_cast<void>(top_.text("note", ""));
    const std::int64_t node = top_.count("node_nm", 7, 1, 1000);
    chip_.node_nm = static_cast<int>(node);
    if (hw::find_node(chip_.node_nm) == nullptr) {
      top_.error("node_nm", "expected one of 22, 16, 7, 5, 4, 3, found " + std::to_string(node));
    }
    chip_.dies = top_.count("dies", 1, 1, 64);
    constexpr Bounds kClock{1e6, 1e11, true};
    chip_.clock = Hertz(top_.quantity("clock", Dimension::kFrequency, std::nullopt, kClock));
    chip_.nominal_clock =
        Hertz(top_.quantity("nominal_clock", Dimension::kFrequency, chip_.clock.value(), kClock));
    chip_.control = top_.choice<hw::ControlStyle>("control", hw::ControlStyle::kSystolic,
                                                  hw::parse_control_style, {"simt", "systolic"});
    chip_.concurrent_operators = top_.flag("concurrent_operators", true);
    constexpr Bounds kOverhead{0, 1, true};
    chip_.launch_overhead =
        Seconds(top_.quantity("launch_overhead", Dimension::kSeconds, 0.0, kOverhead));
    chip_.idle_overhead =
        Seconds(top_.quantity("idle_overhead", Dimension::kSeconds, 0.0, kOverhead));
    constexpr Bounds kWorkspace{0, kMostBytes, true};
    chip_.reserved = bytes_of(top_.quantity("reserved", Dimension::kBytes, 0.0, kWorkspace));
    chip_.workspace = bytes_of(top_.quantity("workspace", Dimension::kBytes, 0.0, kWorkspace));
    chip_.host_launch = Seconds(top_.quantity("host_launch", Dimension::kSeconds, 0.0, kOverhead));
    chip_.host_recompute =
        Seconds(top_.quantity("host_recompute", Dimension::kSeconds, 0.0, kOverhead));
    chip_.host_microbatch =
        Seconds(top_.quantity("host_microbatch", Dimension::kSeconds, 0.0, kOverhead));
    if (const auto tdp = top_.optional_quantity("published_tdp", Dimension::kPower)) {
      chip_.published_tdp = Watts(*tdp);
    }
    if (const auto area = top_.optional_quantity("published_area", Dimension::kArea)) {
      chip_.published_area = SquareMillimetres(*area);
    }
    read_tensor();
    read_vector();
    read_global();
    read_hbm();
    read_links();
    read_formats();
    read_sustained();
    check_reserved();
    top_.finish();
    return chip_;
  }

 private:
  // A part of the chip that must be there.
  const Value& part(const std::string& key) {
    static const Value empty = [] {
      Value value;
      value.kind = ValueKind::kMap;
      return value;
    }();
    const Value* value = top_.child(key);
    if (value == nullptr && !top_.has(key)) {
      top_.error(key, "this part is required");
    }
    return value != nullptr ? *value : empty;
  }
  bool has_part(const std::string& key) {
    const Value* value = top_.find(key);
    return value != nullptr && value->kind == ValueKind::kMap;
  }

  std::int64_t fabricated(MapReader& map, std::int64_t count) {
    const std::int64_t made = map.count("fabricated", count, 1, kMostCores);
    if (made < count) {
      map.error("fabricated", "expected at least the count " + std::to_string(count) + ", found " +
                                  std::to_string(made) + "; raise it with the count");
    }
    return made;
  }

  void read_tensor() {
    const bool is_given = has_part("tensor_cores");
    MapReader map(part("tensor_cores"), diagnostics_);
    if (!is_given) {
      return;
    }
    hw::TensorCores& t = chip_.tensor;
    t.count = map.count("count", std::nullopt, 1, kMostCores);
    t.fabricated = fabricated(map, t.count);
    t.rows = map.count("rows", std::nullopt, 1, kMostSide);
    t.columns = map.count("columns", std::nullopt, 1, kMostSide);
    const auto rule = static_cast<double>(hw::default_local_buffer(t.rows * t.columns).value());
    t.local_buffer = bytes_of(map.quantity("local_buffer", Dimension::kBytes, rule, kBytesRange));
    t.local_bytes_per_cycle =
        map.number("local_bytes_per_cycle", hw::default_local_bytes_per_cycle(t.rows, t.columns),
                   Bounds{0, 1e9, false});
    t.port_bytes_per_cycle =
        map.number("port_bytes_per_cycle", hw::default_port_bytes_per_cycle(t.rows, t.columns),
                   Bounds{0, 1e9, false});
    t.tile_step = map.count("tile_step", 1, 1, 1 << 12);
    t.alignment =
        bytes_of(map.quantity("alignment", Dimension::kBytes, 0.0, Bounds{0, 4096, true}));
    t.accumulators = map.count("accumulators", t.accumulators, 1, t.accumulators);
    t.multicast = map.number("multicast", 1.0, Bounds{1, 64, true});
    t.tile_start =
        Seconds(map.quantity("tile_start", Dimension::kSeconds, 0.0, Bounds{0, 1, true}));
    read_dataflows(map);
    map.finish();
  }

  // What the array may hold still; all unless some are named.
  void read_dataflows(MapReader& map) {
    if (!map.has("dataflows")) {
      return;
    }
    hw::TensorCores& t = chip_.tensor;
    t.holds_outputs = t.holds_weights = t.holds_inputs = false;
    for (const Value& item : map.full_list("dataflows", "a list of what stays in the array",
                                           "output, weight or input")) {
      if (item.text == "output") {
        t.holds_outputs = true;
      } else if (item.text == "weight") {
        t.holds_weights = true;
      } else if (item.text == "input") {
        t.holds_inputs = true;
      } else {
        diagnostics_.error(item.where, "expected output, weight or input");
      }
    }
  }

  void read_vector() {
    const bool is_given = has_part("vector_cores");
    MapReader map(part("vector_cores"), diagnostics_);
    if (!is_given) {
      return;
    }
    hw::VectorCores& v = chip_.vector;
    v.count = map.count("count", std::nullopt, 1, kMostCores);
    v.fabricated = fabricated(map, v.count);
    v.lanes = map.count("lanes", std::nullopt, 1, 1 << 20);
    v.operations_per_lane = map.count("operations_per_lane", 1, 1, 64);
    v.fp64_share = map.number("fp64_share", 0.0, kShare);
    constexpr Bounds kCycles{0, 1000, true};
    v.special_cycles = map.number("special_cycles", 1.0, kCycles);
    v.operand_cycles = map.number("operand_cycles", 0.0, kCycles);
    v.row_cycles = map.number("row_cycles", 0.0, kCycles);
    v.address_cycles = map.number("address_cycles", 0.0, kCycles);
    v.reduction_latency =
        Seconds(map.quantity("reduction_latency", Dimension::kSeconds, 0.0, Bounds{0, 1, true}));
    const auto rule = static_cast<double>(hw::default_local_buffer(v.lanes).value());
    v.local_buffer = bytes_of(map.quantity("local_buffer", Dimension::kBytes, rule, kBytesRange));
    map.finish();
  }

  void read_global() {
    const bool is_given = has_part("global_buffer");
    MapReader map(part("global_buffer"), diagnostics_);
    if (!is_given) {
      return;
    }
    hw::GlobalBuffer& g = chip_.global;
    const double size = map.quantity("size", Dimension::kBytes, std::nullopt, kBytesRange);
    g.size = bytes_of(size);
    const double made = map.quantity("fabricated", Dimension::kBytes, size, kBytesRange);
    if (made < size) {
      map.error("fabricated", "expected at least the size");
    }
    g.fabricated = bytes_of(made);
    // Wires a cycle, or bytes a second at the chip's clock.
    const std::optional<double> bandwidth =
        map.optional_quantity("bandwidth", Dimension::kBytesPerSecond, kRateRange);
    if (bandwidth && map.has("bytes_per_cycle")) {
      map.error("bandwidth", "given twice: as bandwidth and as bytes_per_cycle");
    }
    const double rule = bandwidth ? *bandwidth / chip_.clock.value()
                                  : hw::default_global_bytes_per_cycle(chip_.tensor);
    g.bytes_per_cycle = map.number("bytes_per_cycle", rule, Bounds{0, 1e9, false});
    const bool is_sound = diagnostics_.error_count() == faults_before_;
    if (is_sound && chip_.tensor.local_buffer > g.size) {
      map.error("size", "a tensor core's local buffer (" +
                            with_binary_prefix(chip_.tensor.local_buffer.value()) +
                            ") is larger than the global buffer (" +
                            with_binary_prefix(g.size.value()) + ")");
    }
    map.finish();
  }

  void read_hbm() {
    const bool is_given = has_part("hbm");
    MapReader map(part("hbm"), diagnostics_);
    if (!is_given) {
      return;
    }
    hw::Hbm& h = chip_.hbm;
    h.generation =
        map.choice<hw::HbmGeneration>("generation", hw::HbmGeneration::kHbm2e,
                                      hw::parse_hbm_generation, {"hbm2", "hbm2e", "hbm3", "hbm3e"});
    h.stacks = map.count("stacks", 1, 1, 64);
    h.sites = map.count("sites", h.stacks, 1, 64);
    if (h.sites < h.stacks) {
      map.error("sites", "expected at least as many interfaces as stacks");
    }
    const auto stacks = static_cast<double>(h.stacks);
    h.stack_capacity = bytes_of(of_stack(map, "capacity", Dimension::kBytes, stacks, kBytesRange));
    h.stack_bandwidth =
        BytesPerSecond(of_stack(map, "bandwidth", Dimension::kBytesPerSecond, stacks, kRateRange));
    map.finish();
  }

  // Given for each stack, or for all together.
  double of_stack(MapReader& map, const std::string& name, Dimension dimension, double stacks,
                  Bounds bounds) {
    const std::optional<double> each = map.optional_quantity("stack_" + name, dimension, bounds);
    const std::optional<double> all = map.optional_quantity(name, dimension, bounds);
    if (each && all) {
      map.error(name, "given twice: for each stack and for all");
    }
    if (!each && !all && !map.has(name) && !map.has("stack_" + name)) {
      map.error(name, "this key is required: expected " + std::string(example(dimension)));
    }
    return each ? *each : all.value_or(1) / stacks;
  }

  void read_links() {
    if (!has_part("links")) {
      return;  // none
    }
    MapReader map(part("links"), diagnostics_);
    chip_.links.count = map.count("count", std::nullopt, 0, 4096);
    chip_.links.bandwidth = BytesPerSecond(
        map.quantity("bandwidth", Dimension::kBytesPerSecond, std::nullopt, kRateRange));
    map.finish();
  }

  void read_formats() {
    const auto set = [this](hw::NumberFormat format, double rate) {
      chip_.format_rates[static_cast<std::size_t>(format)] = rate;
    };
    set(hw::NumberFormat::kBf16, 1);
    const Value* formats = top_.child("formats");
    if (formats == nullptr) {
      return;
    }
    MapReader map(*formats, diagnostics_);
    for (const auto& [key, value] : formats->members) {
      const std::optional<hw::NumberFormat> format = hw::parse_number_format(key);
      if (!format) {
        std::string names;
        for (const std::string& name : hw::number_format_names()) {
          names += (names.empty() ? "" : ", ") + name;
        }
        diagnostics_.error(value.where, "unknown number format" +
                                            did_you_mean(key, hw::number_format_names()) +
                                            " Known: " + names);
        continue;
      }
      set(*format, map.number(key, std::nullopt, Bounds{0, 64, true}));
    }
  }

  void check_reserved() {
    const bool is_sound = diagnostics_.error_count() == faults_before_;
    if (is_sound && chip_.reserved >= hw::hbm_capacity(chip_)) {
      top_.error("reserved", "expected less than the memory, " +
                                 with_binary_prefix(hw::hbm_capacity(chip_).value()));
    }
  }

  void read_sustained() {
    const Value* given = top_.child("sustained");
    if (given == nullptr) {
      return;
    }
    MapReader map(*given, diagnostics_);
    chip_.sustained.matrix = map.number("matrix", 1.0, kUtilised);
    chip_.sustained.core = map.number("core", 1.0, kUtilised);
    chip_.sustained.vector = map.number("vector", 1.0, kUtilised);
    chip_.sustained.hbm = map.number("hbm", 1.0, kUtilised);
    chip_.sustained.step = map.number("step", 1.0, kUtilised);
    map.finish();
  }

  Diagnostics& diagnostics_;
  std::size_t faults_before_;
  MapReader top_;
  Chip chip_;
};

// A die that nobody could make, and more stacks than its edges have room for.
void check_die(const Chip& chip, const Value& document, hw::Technology technology,
               Diagnostics& diagnostics) {
  const hw::Node& node = *hw::find_node(chip.node_nm);
  const bool is_modern = technology == hw::Technology::kModern;
  const hw::AreaBreakdown area =
      is_modern ? hw::compute_area(chip, node) : hw::compute_area_phaze22(chip);
  const SquareMillimetres die(hw::total(area).value() / static_cast<double>(chip.dies));
  const std::string size = with_thousands(std::llround(std::min(die.value(), 1e15))) + " mm2";
  constexpr double kMostReticles = 10;
  if (die > hw::kReticle * kMostReticles) {
    diagnostics.error(document.where, "a die of " + size + " is more than ten reticles (858 mm2)");
    return;
  }
  const std::int64_t most = hw::most_stacks(die, chip.dies);
  if (is_modern && chip.hbm.stacks > most) {
    const Value* hbm = document.find("hbm");
    diagnostics.error(hbm != nullptr ? hbm->where : document.where,
                      std::to_string(chip.hbm.stacks) +
                          " HBM stacks do not fit along the edges of " +
                          (chip.dies > 1 ? std::to_string(chip.dies) + " dies" : "a die") + " of " +
                          size + ", which have room for " + std::to_string(most));
  }
}

}  // namespace

std::optional<hw::Chip> read_chip(const Value& document, const std::string& name,
                                  hw::Technology technology, Diagnostics& diagnostics) {
  const std::size_t before = diagnostics.error_count();
  Chip chip = ChipReader(document, diagnostics).read();
  chip.name = name;
  if (diagnostics.error_count() == before) {
    check_die(chip, document, technology, diagnostics);
  }
  if (diagnostics.error_count() > before) {
    return std::nullopt;
  }
  return chip;
}

}  // namespace phaze::io
