#pragma once
// The parts that layers are made of, each in both executions, with tensor and sequence
// parallelism. Inside models/ only.
//
// Outside a tensor-parallel region every device holds all tokens (or, with sequence parallelism,
// its share of them) at full width; `enter` and `leave` are the borders of the region, within which
// heads, feed-forward columns and vocabulary are split over the devices.

#include <string>

#include "graph/builder.h"
#include "models/build.h"
#include "models/spec.h"

namespace phaze::models {

// Marks the operators that are added while it lives.
class RegionScope {
 public:
  RegionScope(graph::LayerBuilder& build, graph::Region region)
      : build_(build), before_(build.region()) {
    build_.set_region(region);
  }
  ~RegionScope() { build_.set_region(before_); }
  RegionScope(const RegionScope&) = delete;
  RegionScope& operator=(const RegionScope&) = delete;

 private:
  graph::LayerBuilder& build_;
  graph::Region before_;
};

class Parts {
 public:
  Parts(graph::LayerBuilder& build, const BuildOptions& options, std::int64_t hidden,
        std::int64_t sequence)
      : build_(build), options_(options), hidden_(hidden), sequence_(sequence) {}

  // Tokens of one sequence that a device holds outside a tensor-parallel region.
  std::int64_t local_sequence() const;
  graph::Shape token_shape(std::int64_t width) const;
  graph::ElementType type() const { return graph::weight_type(options_.precision); }
  bool is_eager() const { return options_.execution == Execution::kEager; }
  std::int64_t width() const { return options_.tensor_width; }

  graph::TensorId enter(const std::string& name, graph::TensorId x);
  graph::TensorId leave(const std::string& name, graph::TensorId x);

  // A weight that every device holds whole. Its gradient is added up over the group where a device
  // has only a part of it: everywhere with sequence parallelism (it sees some of the tokens), and
  // always inside a tensor-parallel region (it sees some of the heads or columns).
  enum class Place { kOutside, kInside };
  graph::TensorId replicated(const std::string& name, graph::Shape shape,
                             Place place = Place::kOutside);

  // Products: columns split, rows split (leaving the region), and whole on every device.
  graph::TensorId column(const std::string& name, graph::TensorId x, std::int64_t outputs,
                         bool has_bias);
  graph::TensorId row(const std::string& name, graph::TensorId x, bool has_bias);
  graph::TensorId whole(const std::string& name, graph::TensorId x, std::int64_t outputs,
                        bool has_bias);

  graph::TensorId norm(const std::string& name, const Norm& norm, graph::TensorId x,
                       Place place = Place::kOutside);
  graph::TensorId activate(const std::string& name, Activation activation, graph::TensorId x);
  graph::TensorId dropout(const std::string& name, double probability, graph::TensorId x);
  graph::TensorId add(const std::string& name, graph::TensorId a, graph::TensorId b);

  graph::TensorId feed_forward(const FeedForward& spec, graph::TensorId x);

  // Attention of x on itself, or on `other` (an encoder's output) when given. `bias` is a learned
  // bias on the scores.
  graph::TensorId attention(const std::string& name, const Attention& spec, graph::TensorId x,
                            std::optional<graph::TensorId> other,
                            std::optional<graph::TensorId> bias);

 private:
  struct Heads;  // q, k and v on their way through attention.cpp
  Heads project(const std::string& name, const Attention& spec, graph::TensorId x,
                std::optional<graph::TensorId> other);
  graph::TensorId rotate(const std::string& name, const Attention& spec, graph::TensorId x,
                         std::int64_t heads, std::int64_t length);
  graph::TensorId flash_core(const std::string& name, const Attention& spec, const Heads& heads,
                             std::optional<graph::TensorId> bias);
  graph::TensorId unfused_core(const std::string& name, const Attention& spec, const Heads& heads,
                               graph::TensorId bias);
  graph::TensorId fused_core(const std::string& name, const Attention& spec, const Heads& heads,
                             std::optional<graph::TensorId> bias);
  graph::TensorId eager_core(const std::string& name, const Attention& spec, const Heads& heads,
                             std::optional<graph::TensorId> bias);

  graph::TensorId eager_rms_norm(const std::string& name, const Norm& norm, graph::TensorId x,
                                 Place place);
  graph::TensorId eager_gelu_new(const std::string& name, graph::TensorId x);
  graph::TensorId gate(const FeedForward& spec, graph::TensorId gate, graph::TensorId up);
  graph::TensorId experts(const FeedForward& spec, graph::TensorId x);

  graph::LayerBuilder& build_;
  const BuildOptions& options_;
  std::int64_t hidden_;
  std::int64_t sequence_;
};

}  // namespace phaze::models
