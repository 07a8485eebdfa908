// SPDX-License-Identifier: Apache-2.0
// The bits of an f32 say nothing of an f64.
// RUN: fsdp-opt %s --fsdp-widen --verify-diagnostics

func.func @step(%x: tensor<4xf32> {fsdp.input = "x"}) -> (tensor<4xi32> {fsdp.output = "y"}) {
  // expected-error @below {{expected no bit patterns of numbers in a step that is to run in f64}}
  %0 = arith.bitcast %x : tensor<4xf32> to tensor<4xi32>
  return %0 : tensor<4xi32>
}
