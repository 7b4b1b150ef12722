#include <nlohmann/json.hpp>

#include "io/launch_json.h"

namespace phaze::io {

using Json = nlohmann::ordered_json;

std::string write_deepspeed(const plan::DeepSpeedSettings& settings) {
  Json json;
  if (!settings.comments.empty()) {
    json["_comment"] = settings.comments;
  }
  json["train_batch_size"] = settings.train_batch;
  json["train_micro_batch_size_per_gpu"] = settings.microbatch;
  json["gradient_accumulation_steps"] = settings.accumulation;
  if (settings.zero) {
    Json zero = {{"stage", *settings.zero}};
    if (*settings.zero > 0) {
      zero["overlap_comm"] = settings.overlap;
    }
    json["zero_optimization"] = std::move(zero);
  }
  if (settings.has_bf16) {
    json["bf16"] = {{"enabled", true}};
    json["data_types"] = {{"grad_accum_dtype", "fp32"}};
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string write_launch(const std::string& target, const plan::LaunchFile& file) {
  const Json json = {
      {"schema", 1}, {"target", target}, {"text", file.text}, {"left_out", file.left_out}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace phaze::io
