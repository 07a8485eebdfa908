// SPDX-License-Identifier: Apache-2.0
// An optimizer of which it cannot be told where it begins; a marker, and
// functions, that are not those of one step.
// RUN: fsdp-opt %s --fsdp-mark-gradients --split-input-file --verify-diagnostics

// Two values of backward that have no common origin.
#opt = loc("opt")
// expected-error @below {{expected one gradient of parameter 'w' to enter the optimizer, but got several}}
func.func @several(%w: tensor<4xf32> {fsdp.param = "w"},
                   // expected-note @below {{another is here}}
                   %x: tensor<4xf32> {fsdp.input = "x"},
                   // expected-note @below {{one is here}}
                   %y: tensor<4xf32> {fsdp.input = "y"})
    -> (tensor<4xf32> {fsdp.updated = "w"}) {
  %0 = arith.mulf %x, %y : tensor<4xf32> loc("l"(#opt))
  %1 = arith.subf %w, %0 : tensor<4xf32> loc("l"(#opt))
  return %1 : tensor<4xf32>
}

// -----

// Plain SGD: w - lr * g could be a part of the model.
func.func @unknown(%w: tensor<4xf32> {fsdp.param = "w"},
                   %lr: tensor<4xf32> {fsdp.hyper = "lr"},
                   %x: tensor<4xf32> {fsdp.input = "x"})
    -> (tensor<4xf32> {fsdp.updated = "w"}) {
  %g = arith.mulf %x, %w : tensor<4xf32>
  %d = arith.mulf %g, %lr : tensor<4xf32>
  // expected-error @below {{expected locations or states to say where the optimizer of parameter 'w' begins, but got neither}}
  %w1 = arith.subf %w, %d : tensor<4xf32>
  return %w1 : tensor<4xf32>
}

// -----

func.func @marker_of_none(%w: tensor<4xf32> {fsdp.param = "w"}) {
  // expected-error @below {{expected the name of a parameter, but got "v"}}
  %0 = fsdp.local_grad %w of "v" : tensor<4xf32>
  return
}

// -----

// expected-note @below {{the first is here}}
func.func @first(%w: tensor<4xf32> {fsdp.param = "w"}) {
  return
}
func.func private @helper(%w: tensor<4xf32> {fsdp.param = "w"}) {
  return
}
func.func @no_roles(%w: tensor<4xf32>) {
  return
}
// expected-error @below {{expected one step function, but got a second one with roles}}
func.func @second(%w: tensor<4xf32>) -> (tensor<4xf32> {fsdp.output = "y"}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error @below {{expected a public function with fsdp roles, but got none}}
module {
  func.func @no_roles(%w: tensor<4xf32>) {
    return
  }
}

// -----

// expected-error @below {{expected a step function of one block}}
func.func @blocks(%w: tensor<4xf32> {fsdp.param = "w"}) {
  cf.br ^bb1
^bb1:
  return
}

// -----

// expected-error @below {{expected one argument 'fsdp.param' of each name, but got 'w' twice}}
func.func @twice(%w: tensor<4xf32> {fsdp.param = "w"},
                 %v: tensor<4xf32> {fsdp.param = "w"}) {
  return
}

// -----

// expected-error @below {{expected one result 'fsdp.grad' of each name, but got 'w' twice}}
func.func @results_twice(%w: tensor<4xf32> {fsdp.param = "w"})
    -> (tensor<4xf32> {fsdp.grad = "w"}, tensor<4xf32> {fsdp.grad = "w"}) {
  return %w, %w : tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error @below {{expected an argument for the result 'fsdp.updated_state' to belong to, but got none of name 'exp_avg:w'}}
func.func @result_of_none(%w: tensor<4xf32> {fsdp.param = "w"})
    -> (tensor<4xf32> {fsdp.updated_state = "exp_avg:w"}) {
  return %w : tensor<4xf32>
}

// -----

// expected-error @below {{expected the result 'fsdp.grad' of 'w' to have the shape of 'tensor<4xf32>', but got 'tensor<f32>'}}
func.func @result_of_another_shape(%w: tensor<4xf32> {fsdp.param = "w"},
                                   %x: tensor<f32> {fsdp.input = "x"})
    -> (tensor<f32> {fsdp.grad = "w"}) {
  return %x : tensor<f32>
}
