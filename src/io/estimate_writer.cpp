#include <nlohmann/json.hpp>

#include "io/estimate_json.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;

Json mapping_json(const plan::ProductMapping& m) {
  Json json = {{"dataflow", plan::to_string(m.dataflow)},
               {"tile_m", m.tile_m},
               {"tile_n", m.tile_n},
               {"k_splits", m.k_splits},
               {"local_stationary", plan::to_string(m.local)},
               {"global_stationary", plan::to_string(m.global)}};
  if (m.global == plan::Stationary::kC) {
    json["group_m"] = m.group_m;
    json["group_n"] = m.group_n;
  } else {
    json["panel"] = m.panel;
  }
  return json;
}

Json operator_json(const graph::Operator& op, const plan::OperatorCost& cost) {
  Json json = {{"name", op.name},
               {"kind", graph::to_string(op.kind)},
               {"pass", graph::to_string(op.pass)},
               {"time_s", cost.time.value()},
               {"bound", plan::to_string(cost.bound)},
               {"utilisation", cost.utilisation},
               {"energy_j", cost.energy.value()},
               {"flops", cost.matrix_flops.value()},
               {"vector_flops", cost.vector_flops.value()},
               {"local_bytes", cost.local_bytes.value()},
               {"global_bytes", cost.global_bytes.value()},
               {"hbm_bytes", cost.hbm_bytes.value()},
               {"network_bytes", cost.network_bytes.value()},
               {"source", plan::to_string(cost.source)}};
  if (cost.spills) {
    json["spills"] = true;
  }
  if (cost.mapping) {
    json["mapping"] = mapping_json(*cost.mapping);
  }
  return json;
}

Json layer_json(const graph::Layer& layer, const plan::LayerCost& cost) {
  Json operators = Json::array();
  for (const graph::OpId id : ids_of(layer.operators)) {
    operators.push_back(operator_json(layer.operators[id], cost.operators[id]));
  }
  return {
      {"name", layer.name},
      {"repeat", layer.repeat},
      {"forward_s", cost.forward.time.value()},
      {"backward_s", cost.backward.time.value()},
      {"recompute_s", cost.recompute.time.value()},
      {"optimizer_s", cost.optimizer.time.value()},
      {"energy_j", (cost.forward.energy + cost.backward.energy + cost.optimizer.energy).value()},
      {"operators", operators}};
}

Json alternatives_json(const std::vector<plan::ProductAlternative>& alternatives) {
  Json json = Json::array();
  for (const plan::ProductAlternative& other : alternatives) {
    Json item = {{"what", other.what}};
    if (other.mapping) {
      item["time_s"] = other.time.value();
      item["mapping"] = mapping_json(*other.mapping);
    } else {
      item["time_s"] = nullptr;  // does not fit
    }
    json.push_back(item);
  }
  return json;
}

}  // namespace

std::string write_estimate(const plan::Estimate& e) {
  Json layers = Json::array();
  for (std::size_t i = 0; i < e.model.layers.size(); ++i) {
    layers.push_back(layer_json(e.model.layers[i], e.step.layers[i]));
  }
  const plan::StepCost& s = e.step;
  // Of a graph without timed operators nothing can be said by the second.
  const auto ratio = [](double a, double b) { return b > 0 ? Json(a / b) : Json(nullptr); };
  const double pace = e.pace.value();
  const Joules energy = s.forward.energy + s.backward.energy + s.optimizer.energy;
  const graph::PeakMemory& memory = e.memory;
  const Json json = {
      {"schema", 1},
      {"model", e.model.name},
      {"chip", e.chip.name},
      {"chip_settings", e.chip_settings},
      {"cluster", e.cluster.empty() ? Json(nullptr) : Json(e.cluster)},
      {"sequence", e.model.sequence},
      {"microbatch", e.model.microbatch},
      {"tensor", e.model.tensor_width},
      {"settings", e.model.settings},
      {"step",
       {{"forward_s", s.forward.time.value()},
        {"backward_s", s.backward.time.value()},
        {"recompute_s", s.recompute.time.value()},
        {"optimizer_s", s.optimizer.time.value()},
        {"total_s", s.total.value()},
        {"host_s", s.host.value()},
        {"host_bound", s.is_host_bound},
        {"launches", s.forward.launches + s.backward.launches + s.optimizer.launches},
        {"energy_j", energy.value()},
        {"tokens_per_s", ratio(e.tokens, pace)},
        {"mfu", ratio(e.model_flops.value(), pace * e.peak.value())},
        {"hfu", ratio(e.run_flops.value(), pace * e.peak.value())},
        {"peak_memory_bytes", memory.total.value()},
        {"fits", memory.total <= hw::usable_memory(e.chip)}}},
      {"memory",
       {{"capacity_bytes", hw::usable_memory(e.chip).value()},
        {"moment", graph::to_string(memory.moment)},
        {"layer", memory.layer},
        {"parameters_bytes", memory.parameters.value()},
        {"gradients_bytes", memory.gradients.value()},
        {"optimizer_states_bytes", memory.optimizer_states.value()},
        {"saved_activations_bytes", memory.saved_activations.value()},
        {"constants_bytes", memory.constants.value()},
        {"transient_bytes", memory.transient.value()},
        {"workspace_bytes", memory.workspace.value()}}},
      {"measured", {{"exact", e.exact}, {"interpolated", e.interpolated}}},
      {"layers", layers}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string write_product_estimate(const plan::ProductEstimate& e) {
  const plan::ProductCost& c = e.cost;
  Json json = {{"schema", 1},
               {"chip", e.chip.name},
               {"m", e.problem.m},
               {"n", e.problem.n},
               {"k", e.problem.k},
               {"batch", e.problem.batch},
               {"format", hw::to_string(e.format)},
               {"time_s", e.time.value()},
               {"in_sequence_s", c.time.value()},
               {"bound", plan::to_string(c.bound)},
               {"utilisation", c.utilisation * c.time.value() / e.time.value()},
               {"energy_j", e.energy.value()},
               {"mapping", mapping_json(e.mapping)},
               {"waves", c.waves},
               {"parts",
                {{"launch_s", c.launch.value()},
                 {"fill_s", c.fill.value()},
                 {"core_s", c.core.value()},
                 {"power_s", c.power.value()},
                 {"global_buffer_s", c.global.value()},
                 {"hbm_s", c.hbm.value()},
                 {"reduction_s", c.reduction.value()}}},
               {"local_bytes", c.local_bytes.value()},
               {"global_bytes", c.global_bytes.value()},
               {"hbm_bytes", c.hbm_bytes.value()},
               {"candidates", e.candidates},
               {"alternatives", alternatives_json(e.alternatives)},
               {"changes", alternatives_json(e.changes)}};
  if (e.unpadded) {
    json["unpadded_s"] = e.unpadded->value();
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace phaze::io
