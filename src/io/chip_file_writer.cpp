// A chip as a file that chip_reader reads back as the same chip: every field, units in the keys.
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "io/chip_json.h"

namespace phaze::io {
namespace {

class YamlText {
 public:
  void begin(const std::string& key) {
    text_ += key + ":\n";
    indent_ = "  ";
  }
  void end() { indent_.clear(); }

  void word(const std::string& key, std::string_view value) { line(key, std::string(value)); }
  // In quotes of YAML, which JSON's are.
  void quoted(const std::string& key, const std::string& value) {
    using Json = nlohmann::json;
    line(key, Json(value).dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  void number(const std::string& key, double value) { line(key, shortest(value)); }
  void count(const std::string& key, std::int64_t value) { line(key, std::to_string(value)); }

  std::string take() { return std::move(text_); }

 private:
  void line(const std::string& key, const std::string& value) {
    text_ += indent_ + key + ": " + value + "\n";
  }

  std::string text_, indent_;
};

void write_tensor_cores(const hw::TensorCores& cores, YamlText& yaml) {
  yaml.begin("tensor_cores");
  yaml.count("count", cores.count);
  yaml.count("fabricated", cores.fabricated);
  yaml.count("rows", cores.rows);
  yaml.count("columns", cores.columns);
  yaml.count("local_buffer_bytes", cores.local_buffer.value());
  yaml.number("local_bytes_per_cycle", cores.local_bytes_per_cycle);
  yaml.number("port_bytes_per_cycle", cores.port_bytes_per_cycle);
  yaml.count("tile_step", cores.tile_step);
  yaml.count("alignment_bytes", cores.alignment.value());
  yaml.count("accumulators", cores.accumulators);
  yaml.number("multicast", cores.multicast);
  yaml.number("tile_start_s", cores.tile_start.value());
  std::string dataflows;
  for (const auto& [holds, name] :
       {std::pair(cores.holds_outputs, "output"), std::pair(cores.holds_weights, "weight"),
        std::pair(cores.holds_inputs, "input")}) {
    dataflows += holds ? (dataflows.empty() ? "" : ", ") + std::string(name) : "";
  }
  yaml.word("dataflows", "[" + dataflows + "]");
  yaml.end();
}

void write_vector_cores(const hw::VectorCores& cores, YamlText& yaml) {
  yaml.begin("vector_cores");
  yaml.count("count", cores.count);
  yaml.count("fabricated", cores.fabricated);
  yaml.count("lanes", cores.lanes);
  yaml.count("operations_per_lane", cores.operations_per_lane);
  yaml.number("fp64_share", cores.fp64_share);
  yaml.count("local_buffer_bytes", cores.local_buffer.value());
  yaml.number("special_cycles", cores.special_cycles);
  yaml.number("operand_cycles", cores.operand_cycles);
  yaml.number("row_cycles", cores.row_cycles);
  yaml.number("address_cycles", cores.address_cycles);
  yaml.number("reduction_latency_s", cores.reduction_latency.value());
  yaml.end();
}

void write_memory(const hw::Chip& chip, YamlText& yaml) {
  yaml.begin("global_buffer");
  yaml.count("size_bytes", chip.global.size.value());
  yaml.count("fabricated_bytes", chip.global.fabricated.value());
  yaml.number("bytes_per_cycle", chip.global.bytes_per_cycle);
  yaml.end();
  yaml.begin("hbm");
  yaml.word("generation", hw::to_string(chip.hbm.generation));
  yaml.count("stacks", chip.hbm.stacks);
  yaml.count("sites", chip.hbm.sites);
  yaml.count("stack_capacity_bytes", chip.hbm.stack_capacity.value());
  yaml.number("stack_bandwidth_bytes_per_s", chip.hbm.stack_bandwidth.value());
  yaml.end();
  if (chip.links.bandwidth.value() > 0) {
    yaml.begin("links");
    yaml.count("count", chip.links.count);
    yaml.number("bandwidth_bytes_per_s", chip.links.bandwidth.value());
    yaml.end();
  }
}

}  // namespace

std::string write_chip_file(const hw::Chip& chip) {
  YamlText yaml;
  yaml.quoted("title", chip.title);
  yaml.quoted("source", chip.source);
  yaml.count("node_nm", chip.node_nm);
  yaml.count("dies", chip.dies);
  yaml.number("clock_hz", chip.clock.value());
  yaml.number("nominal_clock_hz", chip.nominal_clock.value());
  yaml.word("control", hw::to_string(chip.control));
  yaml.word("concurrent_operators", chip.concurrent_operators ? "true" : "false");
  write_tensor_cores(chip.tensor, yaml);
  write_vector_cores(chip.vector, yaml);
  write_memory(chip, yaml);
  yaml.begin("formats");
  for (const std::string& name : hw::number_format_names()) {
    yaml.number(name, hw::format_rate(chip, *hw::parse_number_format(name)));
  }
  yaml.end();
  yaml.number("launch_overhead_s", chip.launch_overhead.value());
  yaml.number("idle_overhead_s", chip.idle_overhead.value());
  yaml.count("reserved_bytes", chip.reserved.value());
  yaml.count("workspace_bytes", chip.workspace.value());
  yaml.number("host_launch_s", chip.host_launch.value());
  yaml.number("host_recompute_s", chip.host_recompute.value());
  yaml.number("host_microbatch_s", chip.host_microbatch.value());
  yaml.begin("sustained");
  yaml.number("matrix", chip.sustained.matrix);
  yaml.number("core", chip.sustained.core);
  yaml.number("vector", chip.sustained.vector);
  yaml.number("hbm", chip.sustained.hbm);
  yaml.number("step", chip.sustained.step);
  yaml.end();
  if (chip.published_tdp) {
    yaml.number("published_tdp_w", chip.published_tdp->value());
  }
  if (chip.published_area) {
    yaml.number("published_area_mm2", chip.published_area->value());
  }
  return yaml.take();
}

}  // namespace phaze::io
