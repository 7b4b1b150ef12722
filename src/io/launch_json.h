#pragma once
// Launch files that are JSON, and launch files inside JSON.

#include <string>

#include "plan/launch.h"

namespace phaze::io {

// A configuration of DeepSpeed. JSON knows no comments: they are the value of "_comment", a key at
// the top that DeepSpeed does not ask for.
std::string write_deepspeed(const plan::DeepSpeedSettings& settings);

// {"schema": 1, "target": "megatron", "text": "...", "left_out": [...]}
std::string write_launch(const std::string& target, const plan::LaunchFile& file);

}  // namespace phaze::io
