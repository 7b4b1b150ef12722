#include "plan/model_schedule.h"

namespace phaze::plan {

Seconds total_time(const ModelSchedule& schedule, LayerPass pass) {
  double total = 0;
  for (const LayerSchedule& layer : schedule.layers) {
    if (layer.pass == pass) {
      total += to_seconds(layer.time()).value() * static_cast<double>(layer.repeat);
    }
  }
  return Seconds(total);
}

}  // namespace phaze::plan
