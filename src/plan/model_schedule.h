#pragma once
// The answer of `phaze schedule MODEL`.

#include <string>
#include <vector>

#include "graph/layer.h"
#include "hw/chip.h"
#include "plan/schedule.h"

namespace phaze::plan {

struct ModelSchedule {
  graph::Model model;  // of the training step
  hw::Chip chip;
  std::vector<LayerSchedule> layers;  // forward and backward of each distinct layer
  bool exclusive_wide = false;
  // What was asked for, for people.
  std::string assumptions;
  std::vector<std::string> chip_settings;
  std::string cluster;  // empty: none is needed
  std::string method;
};

// Of one pass over all layers and their repeats.
Seconds total_time(const ModelSchedule& schedule, LayerPass pass);

}  // namespace phaze::plan
