#include "io/original_graphs.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "io/map_reader.h"
#include "io/original_order.h"
#include "io/original_reader.h"

namespace phaze::io {
namespace {

using plan::OriginalEdge;
using plan::OriginalGraph;
using plan::OriginalLayer;

constexpr Bounds kSizes{0};
constexpr std::int64_t kMostId = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kMostNamedInCycle = 20;

std::string layer_text(std::int64_t id) { return "layer " + std::to_string(id); }

// Layers and edges are known by their places in the lists of the first width.
class Reader {
 public:
  explicit Reader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  std::vector<OriginalGraph> read(const std::vector<OriginalWidth>& widths) {
    for (const OriginalWidth& width : widths) {
      const std::size_t before = diagnostics_.error_count();
      OriginalGraph graph;
      graph.width = width.width;
      read_layers(*width.nodes, graph);
      if (diagnostics_.error_count() == before) {
        read_edges(*width.edges, graph);
      }
      if (graphs_.empty() && diagnostics_.error_count() > before) {
        return {};  // nothing to hold the other widths to
      }
      graphs_.push_back(std::move(graph));
    }
    put_in_order(*widths.front().edges);
    return std::move(graphs_);
  }

 private:
  bool is_first() const { return graphs_.empty(); }
  std::string first_text() const { return "width " + std::to_string(graphs_.front().width); }

  void read_layers(const Value& list, OriginalGraph& graph) {
    if (list.items.empty() || list.items.size() > kMostOriginalLayers) {
      diagnostics_.error(list.where, "expected 1 to " + std::to_string(kMostOriginalLayers) +
                                         " layers, found " + std::to_string(list.items.size()));
      return;
    }
    graph.layers.resize(is_first() ? list.items.size() : places_.size());
    std::unordered_map<std::int64_t, std::size_t> seen;
    std::size_t found = 0;  // of the first width's
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const std::size_t before = diagnostics_.error_count();
      const OriginalLayer layer = read_layer(list.items[i], graph.width);
      if (diagnostics_.error_count() > before) {
        continue;
      }
      const auto [known, is_new] = seen.emplace(layer.id, i);
      if (!is_new) {
        diagnostics_.error(list.items[i].where, "the id " + std::to_string(layer.id) +
                                                    " is that of [" +
                                                    std::to_string(known->second) + "] too");
      } else if (is_first()) {
        places_.emplace(layer.id, i);
        graph.layers[i] = layer;
      } else if (const auto place = places_.find(layer.id); place != places_.end()) {
        graph.layers[place->second] = layer;
        ++found;
      } else {
        diagnostics_.error(list.items[i].where, first_text() + " has no " + layer_text(layer.id));
      }
    }
    if (!is_first() && found < places_.size()) {
      const auto& all = graphs_.front().layers;
      const auto missing = std::ranges::find_if(
          all, [&](const OriginalLayer& layer) { return !seen.contains(layer.id); });
      diagnostics_.error(list.where,
                         "lacks " + layer_text(missing->id) + ", which " + first_text() + " has");
    }
  }

  OriginalLayer read_layer(const Value& item, std::int64_t width) {
    MapReader map(item, diagnostics_);
    OriginalLayer layer;
    layer.id = map.count("id", std::nullopt, -kMostId - 1, kMostId);
    layer.parameters = plan::RealBytes(map.number("parameterSize", std::nullopt, kSizes));
    layer.activations = plan::RealBytes(map.number("activationSize", std::nullopt, kSizes));
    layer.forward = Seconds(map.number("optimalLatencyFw", std::nullopt, kSizes));
    layer.backward = Seconds(map.number("optimalLatencyBw", std::nullopt, kSizes));
    layer.is_tensor_parallel = map.flag("isTensorParallelized", std::nullopt);
    if (layer.is_tensor_parallel && width == 1) {
      map.error("isTensorParallelized", "expected false at width 1, found true");
    }
    map.ignore({"energy"});  // the original writes it, and does not read it
    map.finish();
    return layer;
  }

  void read_edges(const Value& list, OriginalGraph& graph) {
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (const Value& item : list.items) {
      const std::size_t before = diagnostics_.error_count();
      const OriginalEdge edge = read_edge(item);
      if (diagnostics_.error_count() > before) {
        continue;
      }
      const std::string text = "an edge from " + layer_text(graph.layers[edge.from].id) + " to " +
                               std::to_string(graph.layers[edge.to].id);
      if (edge.from == edge.to) {
        diagnostics_.error(item.where,
                           "an edge from " + layer_text(graph.layers[edge.from].id) + " to itself");
      } else if (!seen.emplace(edge.from, edge.to).second) {
        diagnostics_.error(item.where, text + " is there twice");
      } else if (!is_first() && !edges_.contains({edge.from, edge.to})) {
        diagnostics_.error(item.where, first_text() + " has no such edge");
      }
      graph.edges.push_back(edge);
    }
    if (is_first()) {
      edges_ = std::move(seen);
    } else if (seen.size() < edges_.size()) {
      const auto missing = std::ranges::find_if(
          edges_,
          [&](const std::pair<std::size_t, std::size_t>& edge) { return !seen.contains(edge); });
      diagnostics_.error(list.where, "lacks an edge from " +
                                         layer_text(graph.layers[missing->first].id) + " to " +
                                         std::to_string(graph.layers[missing->second].id) +
                                         ", which " + first_text() + " has");
    }
  }

  OriginalEdge read_edge(const Value& item) {
    MapReader map(item, diagnostics_);
    OriginalEdge edge;
    edge.from = read_end(map, "sourceId");
    edge.to = read_end(map, "destId");
    edge.bytes = plan::RealBytes(map.number("communicationCost", std::nullopt, kSizes));
    map.finish();
    return edge;
  }

  std::size_t read_end(MapReader& map, const std::string& key) {
    const std::size_t before = diagnostics_.error_count();
    const std::int64_t id = map.count(key, std::nullopt, -kMostId - 1, kMostId);
    const auto place = places_.find(id);
    if (place != places_.end()) {
      return place->second;
    }
    if (diagnostics_.error_count() == before) {
      map.error(key, "expected the id of a layer, found " + std::to_string(id));
    }
    return 0;
  }

  // Layers as the edges have them; nothing else is a chain.
  void put_in_order(const Value& list) {
    const std::vector<OriginalLayer>& layers = graphs_.front().layers;
    const LayerOrder found = order_layers(layers.size(), {edges_.begin(), edges_.end()});
    if (!found.cycle.empty()) {
      std::string text = "the edges close a cycle: layers ";
      for (std::size_t i = 0; i < std::min(found.cycle.size(), kMostNamedInCycle); ++i) {
        text += std::to_string(layers[found.cycle[i]].id) + " -> ";
      }
      text += found.cycle.size() > kMostNamedInCycle ? "... -> " : "";
      diagnostics_.error(list.where, text + std::to_string(layers[found.cycle.front()].id));
      return;
    }
    if (found.branches) {
      diagnostics_.error(list.where, "the graph branches: layers " +
                                         std::to_string(layers[found.branches->first].id) +
                                         " and " +
                                         std::to_string(layers[found.branches->second].id) +
                                         " do not wait for one another; expected a chain");
      return;
    }
    std::vector<std::size_t> position(layers.size());
    for (std::size_t i = 0; i < found.order.size(); ++i) {
      position[found.order[i]] = i;
    }
    for (OriginalGraph& graph : graphs_) {
      std::vector<OriginalLayer> ordered(graph.layers.size());
      for (std::size_t i = 0; i < graph.layers.size(); ++i) {
        ordered[position[i]] = graph.layers[i];
      }
      graph.layers = std::move(ordered);
      for (OriginalEdge& edge : graph.edges) {
        edge.from = position[edge.from];
        edge.to = position[edge.to];
      }
      std::ranges::sort(graph.edges, {},
                        [](const OriginalEdge& edge) { return std::pair(edge.to, edge.from); });
    }
  }

  Diagnostics& diagnostics_;
  std::vector<OriginalGraph> graphs_;
  std::unordered_map<std::int64_t, std::size_t> places_;  // of layers, by id
  std::set<std::pair<std::size_t, std::size_t>> edges_;
};

}  // namespace

std::vector<OriginalGraph> read_original_graphs(const std::vector<OriginalWidth>& widths,
                                                Diagnostics& diagnostics) {
  return Reader(diagnostics).read(widths);
}

}  // namespace phaze::io
