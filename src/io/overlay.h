#pragma once
// Changing a document before it is read: a file that derives from another, `--set` on the command
// line.

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "io/document.h"

namespace phaze::io {

// `over` on top of `base`: maps are merged key by key, everything else is replaced. A key with a
// unit (clock_hz) replaces the same key without one (clock), and the other way round.
Value merged(const Value& base, const Value& over);

// Applies "path=value" to a document; the path is dotted, such as hbm.bandwidth or
// tensor_cores.count, with or without the unit in the key. The value is absolute ("2 TB/s", 16) or
// relative to what is there ("+20%", "-5%", "x2"). `kind` is a word that a path may start with
// ("chip"). Faults have the place "command line".
void apply_setting(Value& document, const std::string& setting, const std::string& kind,
                   Diagnostics& diagnostics);

}  // namespace phaze::io
