// SPDX-License-Identifier: Apache-2.0
// Steps whose arguments and results do not fit together: each was a crash, or was compiled to something else.
// RUN: fsdp-opt %s --split-input-file --fsdp-import --fsdp-annotate="ranks=2" --verify-diagnostics

// expected-error @below {{expected a step of tensors of static shape, but got 'f32'}}
func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}, %s: f32 {fsdp.state = "s:w"}) -> (tensor<4xf32> {fsdp.updated = "w"}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error @below {{expected a step of tensors of static shape, but got 'tensor<*xf32>'}}
func.func @step(%w: tensor<*xf32> {fsdp.param = "w"}, %l: tensor<f32> {fsdp.input = "l"}) -> (tensor<f32> {fsdp.loss}) {
  return %l : tensor<f32>
}

// -----

// Only one of two seeds would have been made different on each rank.
// expected-error @below {{expected one argument 'fsdp.seed' of each name, but got '' twice}}
func.func @step(%a: tensor<i64> {fsdp.seed}, %b: tensor<i64> {fsdp.seed}, %l: tensor<f32> {fsdp.input = "l"}) -> (tensor<f32> {fsdp.loss}) {
  return %l : tensor<f32>
}

// -----

// The first of two gradients would have been returned unreduced.
// expected-error @below {{expected one result 'fsdp.grad' of each name, but got 'w' twice}}
func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}, %x: tensor<4xf32> {fsdp.input = "x"}, %l: tensor<f32> {fsdp.input = "l"})
    -> (tensor<f32> {fsdp.loss}, tensor<4xf32> {fsdp.grad = "w"}, tensor<4xf32> {fsdp.grad = "w"}) {
  return %l, %x, %x : tensor<f32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{expected one result 'fsdp.loss' of each name, but got '' twice}}
func.func @step(%l: tensor<f32> {fsdp.input = "l"}) -> (tensor<f32> {fsdp.loss}, tensor<f32> {fsdp.loss}) {
  return %l, %l : tensor<f32>, tensor<f32>
}

// -----

// expected-error @below {{expected floating-point numbers in the result 'fsdp.grad', but got 'tensor<4xi32>'}}
func.func @step(%w: tensor<4xi32> {fsdp.param = "w"}, %x: tensor<4xi32> {fsdp.input = "x"}, %l: tensor<f32> {fsdp.input = "l"})
    -> (tensor<f32> {fsdp.loss}, tensor<4xi32> {fsdp.grad = "w"}) {
  return %l, %x : tensor<f32>, tensor<4xi32>
}

// -----

// expected-error @below {{expected an argument for the result 'fsdp.updated' to belong to, but got none of name 'v'}}
func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}, %l: tensor<f32> {fsdp.input = "l"}) -> (tensor<f32> {fsdp.loss}, tensor<4xf32> {fsdp.updated = "v"}) {
  return %l, %w : tensor<f32>, tensor<4xf32>
}

// -----

// expected-error @below {{expected the result 'fsdp.grad' of 'w' to have the shape of 'tensor<4xf32>', but got 'tensor<2x2xf32>'}}
func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}, %x: tensor<2x2xf32> {fsdp.input = "x"}, %l: tensor<f32> {fsdp.input = "l"})
    -> (tensor<f32> {fsdp.loss}, tensor<2x2xf32> {fsdp.grad = "w"}) {
  return %l, %x : tensor<f32>, tensor<2x2xf32>
}
