#pragma once
// docs/validation.md and its plots: what Phaze predicts beside what was measured, as a document.

#include <string>
#include <vector>

#include "plan/validation.h"

namespace phaze::report {

struct DocumentFile {
  std::string path;  // in the folder that the document lies in
  std::string text;
};

// Of the built-in runs and the project's own measurements: the document first, then its plots.
std::vector<DocumentFile> validation_document(const plan::Validation& validation);

}  // namespace phaze::report
