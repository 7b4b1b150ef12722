#pragma once
// Text to values and back to what a user would read.

#include <string>
#include <vector>

#include "base/diagnostics.h"
#include "io/document.h"

namespace phaze::tests {

// A document without fault; one with a fault fails the test with an exception.
io::Value parse(const std::string& text, const std::string& source = "test.yaml");

// Each as it is printed: "test.yaml:1:2: error: key: message".
std::vector<std::string> lines_of(const Diagnostics& diagnostics);

// What parsing this text complains about.
std::vector<std::string> document_faults(const std::string& text);

// One text a line, for messages.
std::string joined(const std::vector<std::string>& lines);

}  // namespace phaze::tests
