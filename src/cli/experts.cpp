#include "cli/experts.h"

#include <array>

namespace phaze::cli {
namespace {

struct Expert {
  std::string_view model;
  std::int64_t pipeline, data, tensor;
};

constexpr std::array<Expert, 9> kExperts = {{
    {"opt-350m", 12, 85, 1},
    {"bert-large", 8, 128, 1},
    {"gpt2-xl", 32, 32, 1},
    {"megatron-bert", 8, 128, 1},
    {"megatron-gpt2-xl", 8, 128, 1},
    {"megatron-gpt2-2.5b", 8, 32, 4},
    {"megatron-gpt2-8.3b", 8, 16, 8},
    {"gpt3-175b", 32, 8, 4},
    {"llama2-7b", 8, 128, 1},
}};

}  // namespace

std::optional<plan::Strategy> find_expert_strategy(std::string_view model) {
  for (const Expert& expert : kExperts) {
    if (expert.model == model) {
      plan::Strategy strategy;
      strategy.pipeline = expert.pipeline;
      strategy.data = expert.data;
      strategy.tensor = expert.tensor;
      return strategy;
    }
  }
  return std::nullopt;
}

std::string expert_models() {
  std::string names;
  for (const Expert& expert : kExperts) {
    names += (names.empty() ? "" : ", ") + std::string(expert.model);
  }
  return names;
}

}  // namespace phaze::cli
