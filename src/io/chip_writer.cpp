#include <nlohmann/json.hpp>

#include "io/chip_json.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;

Json area_json(const hw::AreaBreakdown& a) {
  return {{"tensor_cores", a.tensor_cores.value()},
          {"vector_cores", a.vector_cores.value()},
          {"local_buffers", a.local_buffers.value()},
          {"control", a.control.value()},
          {"global_buffer", a.global_buffer.value()},
          {"interconnect", a.interconnect.value()},
          {"memory_phy", a.memory_phy.value()},
          {"memory_controller", a.memory_controller.value()},
          {"link_phy", a.link_phy.value()},
          {"die_to_die", a.die_to_die.value()},
          {"other", a.other.value()}};
}

Json power_json(const hw::PowerBreakdown& p) {
  return {{"matrix", p.matrix.value()},
          {"local_buffers", p.local_buffers.value()},
          {"vector", p.vector.value()},
          {"control", p.control.value()},
          {"global_buffer", p.global_buffer.value()},
          {"hbm", p.hbm.value()},
          {"links", p.links.value()},
          {"die_to_die", p.die_to_die.value()},
          {"other", p.other.value()},
          {"leakage", p.leakage.value()}};
}

Json dataflows(const hw::TensorCores& tensor) {
  Json names = Json::array();
  if (tensor.holds_outputs) {
    names.push_back("output");
  }
  if (tensor.holds_weights) {
    names.push_back("weight");
  }
  if (tensor.holds_inputs) {
    names.push_back("input");
  }
  return names;
}

Json description_json(const hw::Chip& chip) {
  Json formats = Json::object();
  for (std::size_t i = 0; i < hw::kNumberFormats; ++i) {
    const auto format = static_cast<hw::NumberFormat>(i);
    if (hw::format_rate(chip, format) > 0) {
      formats[std::string(hw::to_string(format))] = hw::peak_flops(chip, format).value();
    }
  }
  return {{"tensor_cores",
           {{"count", chip.tensor.count},
            {"fabricated", chip.tensor.fabricated},
            {"rows", chip.tensor.rows},
            {"columns", chip.tensor.columns},
            {"local_buffer_bytes", chip.tensor.local_buffer.value()},
            {"local_bytes_per_cycle", chip.tensor.local_bytes_per_cycle},
            {"port_bytes_per_cycle", chip.tensor.port_bytes_per_cycle},
            {"dataflows", dataflows(chip.tensor)},
            {"tile_step", chip.tensor.tile_step},
            {"alignment_bytes", chip.tensor.alignment.value()},
            {"accumulators", chip.tensor.accumulators},
            {"multicast", chip.tensor.multicast},
            {"tile_start_s", chip.tensor.tile_start.value()}}},
          {"vector_cores",
           {{"count", chip.vector.count},
            {"fabricated", chip.vector.fabricated},
            {"lanes", chip.vector.lanes},
            {"operations_per_lane", chip.vector.operations_per_lane},
            {"fp64_share", chip.vector.fp64_share},
            {"special_cycles", chip.vector.special_cycles},
            {"operand_cycles", chip.vector.operand_cycles},
            {"row_cycles", chip.vector.row_cycles},
            {"address_cycles", chip.vector.address_cycles},
            {"reduction_latency_s", chip.vector.reduction_latency.value()},
            {"local_buffer_bytes", chip.vector.local_buffer.value()}}},
          {"global_buffer",
           {{"size_bytes", chip.global.size.value()},
            {"fabricated_bytes", chip.global.fabricated.value()},
            {"bytes_per_cycle", chip.global.bytes_per_cycle},
            {"bandwidth_bytes_per_s", hw::global_bandwidth(chip).value()}}},
          {"hbm",
           {{"generation", hw::to_string(chip.hbm.generation)},
            {"stacks", chip.hbm.stacks},
            {"sites", chip.hbm.sites},
            {"capacity_bytes", hw::hbm_capacity(chip).value()},
            {"bandwidth_bytes_per_s", hw::hbm_bandwidth(chip).value()}}},
          {"links",
           {{"count", chip.links.count}, {"bandwidth_bytes_per_s", chip.links.bandwidth.value()}}},
          {"control", hw::to_string(chip.control)},
          {"peak_flops_by_format", formats},
          {"peak_vector_flops", hw::peak_vector_flops(chip).value()}};
}

Json headline_json(const hw::Chip& chip, const hw::ChipFigures& f) {
  return {{"name", chip.name},
          {"title", chip.title},
          {"node_nm", f.node_nm},
          {"node_is_interpolated", f.is_node_interpolated},
          {"technology", hw::to_string(f.technology)},
          {"clock_hz", f.chip.clock.value()},
          {"nominal_clock_hz", f.chip.nominal_clock.value()},
          {"peak_flops", hw::peak_flops(f.chip, hw::NumberFormat::kBf16).value()},
          {"hbm_capacity_bytes", hw::hbm_capacity(chip).value()},
          {"hbm_bandwidth_bytes_per_s", hw::hbm_bandwidth(chip).value()},
          {"area_mm2", f.area.value()},
          {"tdp_w", f.tdp.value()},
          {"die_cost_usd", f.cost.logic.value()},
          {"build_cost_usd", hw::total(f.cost).value()},
          {"embodied_carbon_kg", hw::total(f.carbon).value()}};
}

}  // namespace

std::string write_chip(const hw::Chip& chip, const hw::ChipFigures& f) {
  Json json = {{"schema", 1}};
  json.update(headline_json(chip, f));
  json["area_breakdown_mm2"] = area_json(f.area_breakdown);
  json["dies"] = chip.dies;
  json["fits_reticle"] = f.fits_reticle;
  json["yield"] = f.yield;
  json["power_breakdown_w"] = power_json(f.power);
  json["cost_breakdown_usd"] = {{"logic", f.cost.logic.value()},
                                {"hbm", f.cost.hbm.value()},
                                {"package", f.cost.package.value()},
                                {"test", f.cost.test.value()}};
  json["carbon_breakdown_kg"] = {{"logic", f.carbon.logic.value()},
                                 {"hbm", f.carbon.hbm.value()},
                                 {"package", f.carbon.package.value()}};
  json["operating_carbon_kg_per_year"] = f.operating_carbon.value();
  json["grid_g_per_kwh"] = f.site.grid_g_per_kwh;
  json["pue"] = f.site.pue;
  if (chip.published_area) {
    json["published_area_mm2"] = chip.published_area->value();
  }
  if (chip.published_tdp) {
    json["published_tdp_w"] = chip.published_tdp->value();
  }
  json["description"] = description_json(f.chip);
  json["concurrent_operators"] = chip.concurrent_operators;
  json["launch_overhead_s"] = chip.launch_overhead.value();
  json["idle_overhead_s"] = chip.idle_overhead.value();
  json["reserved_bytes"] = chip.reserved.value();
  json["workspace_bytes"] = chip.workspace.value();
  json["host_launch_s"] = chip.host_launch.value();
  json["host_recompute_s"] = chip.host_recompute.value();
  json["host_microbatch_s"] = chip.host_microbatch.value();
  json["sustained"] = {{"matrix", chip.sustained.matrix},
                       {"core", chip.sustained.core},
                       {"vector", chip.sustained.vector},
                       {"hbm", chip.sustained.hbm},
                       {"step", chip.sustained.step}};
  json["source"] = chip.source;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string write_chips(const std::vector<hw::Chip>& chips,
                        const std::vector<hw::ChipFigures>& figures) {
  Json list = Json::array();
  for (std::size_t i = 0; i < chips.size(); ++i) {
    list.push_back(headline_json(chips[i], figures[i]));
  }
  return list.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace phaze::io
