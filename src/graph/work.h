#pragma once
// What an operator does, from its kind and its tensors: matrix FLOPs, vector operations, bytes
// read and written, bytes handed to the network. Formulas: docs/models.md, "Work of an operator".

#include "graph/layer.h"

namespace phaze::graph {

// Multiplications and additions on matrix units. Fused attention counts what it runs: the visible
// part of a causal or windowed score matrix, and five products instead of two in backward.
Flops matrix_flops(const Operator& op);

// Matrix FLOPs as papers count a model's: attention scores in full, and a fused attention's
// backward at four products (without its own recomputation).
Flops nominal_flops(const Operator& op);

// Element-wise and reduction operations of an operator that was not fused.
Flops compute_vector_flops(const Layer& layer, const Operator& op);

// Query-key pairs that attention computes, of queries x keys. Exact for causal and windowed masks.
double visible_pairs(const AttentionShape& shape);

struct Traffic {
  Bytes read;
  Bytes written;
};

// Bytes that pass through memory when each operand is read once and each result written once.
// Network operators, views and splits move none here.
Traffic compute_traffic(const Layer& layer, const Operator& op);

// The full buffer of a network operator: what is reduced, or what is gathered. Zero otherwise.
Bytes collective_bytes(const Layer& layer, const Operator& op);

}  // namespace phaze::graph
