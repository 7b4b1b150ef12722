#pragma once
// Arguments of Megatron-LM that have no price here, or one that nothing here knows. Inside launch/
// only. Every name is one of Megatron-LM 0.17.1, or of a version before it.

#include <string_view>

#include "launch/arguments.h"

namespace phaze::launch {

// A fault for each argument that makes another run of it: another model, other numbers, another way
// to split work. To take it for a run without would give a price to something else.
void refuse_unpriced(Arguments& arguments);

// Does this argument change the time or the memory of an iteration, by an amount not known here?
bool changes_time(std::string_view name);

}  // namespace phaze::launch
