// SPDX-License-Identifier: Apache-2.0
// A module-level variable that is no seed, and a seed used where no order of
// loads and stores is known.
// RUN: fsdp-opt %s --fsdp-legalize-seeds --split-input-file --verify-diagnostics

// expected-error @below {{expected a private mutable tensor of integers (a random seed)}}
ml_program.global private mutable @cache(dense<0.0> : tensor<4xf32>) : tensor<4xf32>
func.func @step(%x: tensor<i64> {fsdp.input = "x"}) {
  return
}

// -----

// expected-error @below {{expected a private mutable tensor of integers}}
ml_program.global private @constant(dense<0> : tensor<i64>) : tensor<i64>
func.func @step(%x: tensor<i64> {fsdp.input = "x"}) {
  return
}

// -----

ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>
func.func @step(%x: tensor<i64> {fsdp.input = "x"}, %d: tensor<i1> {fsdp.input = "drop"}) {
  %drop = tensor.extract %d[] : tensor<i1>
  scf.if %drop {
    // expected-error @below {{expected a random seed to be used in the body of the step only}}
    ml_program.global_store @seed = %x : tensor<i64>
  }
  return
}

// -----

ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>
func.func @step(%x: tensor<i64> {fsdp.input = "x"}) {
  return
}
func.func private @draw() -> tensor<i64> {
  // expected-error @below {{expected a random seed to be used in the body of the step only}}
  %0 = ml_program.global_load @seed : tensor<i64>
  return %0 : tensor<i64>
}
