#pragma once
// Checks what a mapping of a matrix product is said to cost, against docs/models.md, section 10, by
// code of its own: it shares no line with the search nor with the formulas that the search uses.

#include <optional>
#include <string>
#include <vector>

#include "plan/product.h"

namespace phaze::verify {

// Items of a product up to which they are walked one by one.
inline constexpr double kMostWalkedItems = 20'000;

// What is wrong with a mapping or with its claimed cost; empty when both are sound.
//
// The claim must be what full tiles give, whole time and parts, to 1e-9. Beside that, products of
// up to kMostWalkedItems are walked item by item with the rows, columns and depth that each item
// really has, edges included. What crosses the ports, the global buffer and HBM in total is never
// padded: claimed and counted bytes are equal. A core's time and the bytes of the local buffers are
// padded to full tiles: claimed >= counted.
std::vector<std::string> verify_product(const plan::ProductProblem& problem,
                                        const plan::TensorMachine& machine,
                                        const plan::ProductMapping& mapping,
                                        const plan::ProductCost& claimed);

// What a mapping costs by this module's own arithmetic; nothing when it breaks a rule or a
// capacity.
std::optional<plan::ProductCost> price_product(const plan::ProductProblem& problem,
                                               const plan::TensorMachine& machine,
                                               const plan::ProductMapping& mapping);

}  // namespace phaze::verify
