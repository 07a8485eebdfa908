// RUN: fsdp-opt %s --fsdp-codegen --split-input-file --verify-diagnostics --allow-unregistered-dialect

// What cannot be lowered is an error that names it, at every step of the way.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = "node"
  func.func @unresolved(%x: tensor<2xf32>) -> tensor<8xf32> {
    // expected-error @below {{expected a resolved process group}}
    %0 = fsdp.all_gather %x over @node dim 0
        : (tensor<2xf32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  func.func @element_type(%x: tensor<2xi16>) -> tensor<8xi16> {
    // expected-error @below {{expected elements that the runtime knows}}
    %0 = fsdp.all_gather %x over @node dim 0
        : (tensor<2xi16>) -> tensor<8xi16>
    return %0 : tensor<8xi16>
  }
}

// -----

func.func @foreign(%x: tensor<2xf32>) -> tensor<2xf32> {
  // expected-error @below {{op was not bufferized}}
  %0 = "test.opaque"(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// expected-error @below {{expected a step that returns tensors only}}
func.func @scalar_result(%x: tensor<f32>) -> f32 {
  %0 = tensor.extract %x[] : tensor<f32>
  return %0 : f32
}

// -----

func.func private @external(tensor<4xf32>) -> tensor<4xf32>

func.func @call(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expected a callee that can be inlined}}
  %0 = call @external(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  // expected-error @below {{expected a static shape}}
  %0 = arith.addf %x, %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
