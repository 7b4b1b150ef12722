#pragma once
// Options that choose a model and how it trains: the same for every command that takes MODEL.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "graph/layer.h"
#include "graph/training.h"
#include "models/build.h"
#include "models/load.h"

namespace phaze::cli {

struct ModelOptions {
  std::string model;
  std::optional<models::LoadedModel> loaded;  // in place of what `model` names
  std::int64_t sequence = 0;
  std::int64_t decoder_sequence = 0;
  std::int64_t microbatch = 1;
  std::int64_t tensor = 1;
  bool sequence_parallel = false;
  bool expand_kv = false;
  std::string attention = "flash";
  std::string execution = "fused";
  std::string recompute = "none";
  std::string precision = "mixed";
  std::string optimizer = "adam";
  std::string fusion;              // when given
  std::vector<std::string> given;  // options that were on the command line
};

// A model, and how graphs of it are built.
struct Workload {
  models::LoadedModel model;
  models::BuildOptions build;
  graph::TrainingOptions training;
};
std::optional<Workload> load_workload(const ModelOptions& options, Diagnostics& diagnostics);

// Adds MODEL and the options that say how it trains, but not how it is cut.
std::vector<CLI::Option*> add_workload_options(CLI::App& command, ModelOptions& options,
                                               bool model_required);

// Adds MODEL and the options. They note themselves in `given` when the command line was read, by
// note_given.
std::vector<CLI::Option*> add_model_options(CLI::App& command, ModelOptions& options,
                                            bool model_required = true);
void note_given(const std::vector<CLI::Option*>& added, ModelOptions& options);

// The graph of a config, or of a graph file that has its sizes built in: of a training step, or of
// the forward pass alone.
std::optional<graph::Model> make_graph(const ModelOptions& options, bool forward_only,
                                       Diagnostics& diagnostics);

}  // namespace phaze::cli
