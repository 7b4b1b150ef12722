#include <nlohmann/json.hpp>

#include "io/cluster_json.h"

namespace phaze::io {
namespace {

using Json = nlohmann::ordered_json;

template <class Quantity>
Json value_or_null(const std::optional<Quantity>& quantity) {
  return quantity ? Json(quantity->value()) : Json(nullptr);
}

Json count_or_null(const std::optional<std::int64_t>& count) {
  return count ? Json(*count) : Json(nullptr);
}

Json level_json(const hw::Cluster& cluster, std::size_t index) {
  const hw::Level& level = cluster.levels[index];
  Json algorithms = {"ring"};
  if (level.patterns.tree) {
    algorithms.push_back("tree");
  }
  if (level.patterns.halving_doubling) {
    algorithms.push_back("halving_doubling");
  }
  Json json = {{"name", level.name},
               {"kind", hw::to_string(level.kind)},
               {"members", count_or_null(level.members)},
               {"devices_per_member", hw::devices_per_part(cluster, index)},
               {"bandwidth_bytes_per_s", level.bandwidth.value()},
               {"latency_s", level.latency.value()},
               {"efficiency", level.efficiency}};
  if (level.kind == hw::LevelKind::kFatTree) {
    json["oversubscription"] = level.oversubscription;
    json["crossing_share"] = level.crossing_share;
  }
  if (hw::has_neighbours_only(level.kind)) {
    json["wraparound"] = level.wraparound;
  } else {
    json["in_network_reduction"] = level.in_network_efficiency.has_value();
  }
  if (level.in_network_efficiency) {
    json["in_network_efficiency"] = *level.in_network_efficiency;
  }
  json["algorithms"] = std::move(algorithms);
  json["bisection_bytes_per_s"] = value_or_null(hw::bisection_bandwidth(cluster, index));
  return json;
}

void add_description(const hw::Cluster& cluster, Json& json) {
  json["name"] = cluster.name;
  json["title"] = cluster.title;
  json["devices"] = count_or_null(hw::device_count(cluster));
  json["bisection_bytes_per_s"] = value_or_null(hw::bisection_bandwidth(cluster));
  json["start_s"] = cluster.start.value();
  json["copy_bandwidth_bytes_per_s"] = value_or_null(cluster.copy_bandwidth);
  json["hierarchical"] = cluster.hierarchical;
  json["levels"] = Json::array();
  for (std::size_t i = 0; i < cluster.levels.size(); ++i) {
    json["levels"].push_back(level_json(cluster, i));
  }
  json["source"] = cluster.source;
  json["calibration"] = cluster.calibration;
}

}  // namespace

std::string write_cluster(const hw::Cluster& cluster,
                          const std::vector<CollectiveSample>& all_reduces) {
  Json json = {{"schema", 1}};
  add_description(cluster, json);
  json["all_reduces"] = Json::array();
  for (const CollectiveSample& sample : all_reduces) {
    json["all_reduces"].push_back({{"members", sample.members},
                                   {"bytes", sample.bytes.value()},
                                   {"time_s", sample.time.value()},
                                   {"algorithm", sample.algorithm},
                                   {"bound", sample.bound},
                                   {"level", sample.level}});
  }
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string write_clusters(const std::vector<hw::Cluster>& clusters) {
  Json list = Json::array();
  for (const hw::Cluster& cluster : clusters) {
    Json json = Json::object();
    add_description(cluster, json);
    list.push_back(std::move(json));
  }
  return list.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace phaze::io
