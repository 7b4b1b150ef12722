#pragma once
// Looks into layers by name, and the small layers that several tests start from.

#include <string>
#include <vector>

#include "graph/builder.h"
#include "graph/layer.h"

namespace phaze::tests {

using Names = std::vector<std::string>;

// By name; a name that is not there fails the test with an exception.
graph::TensorId tensor_id(const graph::Layer& layer, const std::string& name);
graph::OpId op_id(const graph::Layer& layer, const std::string& name);
const graph::Tensor& tensor_of(const graph::Layer& layer, const std::string& name);
const graph::Operator& op_of(const graph::Layer& layer, const std::string& name);
bool has_op(const graph::Layer& layer, const std::string& name);
bool has_tensor(const graph::Layer& layer, const std::string& name);

Names names_of(const graph::Layer& layer, const std::vector<graph::TensorId>& ids);
Names inputs_of(const graph::Layer& layer, const std::string& op);
Names outputs_of(const graph::Layer& layer, const std::string& op);
// In the order in which they run.
Names op_names(const graph::Layer& layer, graph::Pass pass);
// In the order of the tensors.
Names saved_names(const graph::Layer& layer);
Names role_names(const graph::Layer& layer, graph::Role role);
// What verify finds, as "NAME: message", a line each; empty for a layer without fault.
std::string faults_of(const graph::Layer& layer);
std::string faults_of(const graph::Model& model);

double matrix_flops_of(const graph::Layer& layer);
double vector_flops_of(const graph::Layer& layer);
std::int64_t moved_bytes(const graph::Layer& layer);

// With its backward operators, parameter gradients in fp32.
graph::Layer with_backward(graph::Layer forward);

// Two rows of four numbers through a perceptron with one hidden layer of eight:
//   x[2,4] -- fc1[8,4] + bias -- gelu -- fc2[4,8] --+-- residual
//      \____________________________________________/
graph::Layer mlp_layer();

// One sequence of four tokens, eight wide, two heads of four; norm1 in region norms, the operators
// from scores to context in region attention, gelu in region activations:
//   x[1,4,8] - norm1 - q,k,v - scores - softmax - dropout - context - out - residual - gelu
// With a tensor width above 1 the norm's result is gathered from that many devices in region
// regather: x and norm1 hold 4 / width tokens, all between gather and scatter 4.
graph::Layer attention_layer(std::int64_t gathered_from = 1);

}  // namespace phaze::tests
