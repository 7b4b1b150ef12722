#pragma once
// How Megatron-LM cuts layers into stages, and stages into chunks. Inside launch/ only.

#include "launch/arguments.h"
#include "launch/megatron_job.h"

namespace phaze::launch {

// Sets the job's layout, interleaving and schedule; its widths and batches are read already. Layers
// are cut evenly, by a layout, or with other numbers at the ends; two of these at once are a fault.
void read_cuts(Arguments& arguments, MegatronJob& job);

}  // namespace phaze::launch
