#pragma once
// A model as arguments of Megatron-LM's pretrain_gpt.py, and back.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "launch/arguments.h"
#include "models/spec.h"

namespace phaze::launch {

// Option and value; a flag's is empty.
using OptionList = std::vector<std::pair<std::string, std::string>>;

// The shape for sequences of so many tokens. What Megatron has no option for goes to `left_out`.
OptionList model_options(const models::ModelSpec& spec, std::int64_t sequence,
                         std::vector<std::string>& left_out);

// Nothing after a fault. Needs the number of layers, the hidden size, the heads and the vocabulary;
// what is not there is as Megatron has it. `tensor` is the width to which it pads the vocabulary.
std::optional<models::ModelSpec> read_model(Arguments& arguments, std::int64_t tensor,
                                            Diagnostics& diagnostics);

// Are there arguments that say a model's shape?
bool has_model(const Arguments& arguments);

}  // namespace phaze::launch
