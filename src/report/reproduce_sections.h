#pragma once
// The evaluation of the original's paper as headings, paragraphs and grids, for a terminal and for
// a document alike. Every figure is computed from what was found.

#include <string>
#include <vector>

#include "plan/reproduction.h"

namespace phaze::report {

struct ReproductionSection {
  std::string heading;
  std::vector<std::string> before;             // paragraphs
  std::vector<std::string> titles;             // of a grid; none: no grid
  std::vector<std::vector<std::string>> rows;  // the first cell is a name, others are figures
  std::vector<std::string> after;              // lines of a list
};

std::vector<ReproductionSection> make_sections(const plan::Reproduction& reproduction);

// What the paper found, and whether it holds in this column.
std::vector<std::string> find_findings(const plan::ReproducedColumn& column);

// What a column's averages say: placement, chip, searching both together, sharing a chip.
ReproductionSection make_meaning(const plan::ReproducedColumn& column);
// What is assumed, and what is left out.
ReproductionSection make_limits(const plan::Reproduction& reproduction);

// "1.85", "91 %".
std::string times_text(double factor);
std::string percent_text(double share);

}  // namespace phaze::report
