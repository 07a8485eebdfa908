// SPDX-License-Identifier: Apache-2.0
// An output uses the parameter behind its first use in backward: nothing is freed in between, so it is gathered once.
// RUN: split-file %s %t
// RUN: fsdp-run %t/step.mlir --config=%t/plan.yaml --verify --quiet
// RUN: fsdp-opt %t/step.mlir --fsdp-compile=config=%t/plan.yaml | FileCheck %s
// CHECK-COUNT-1: fsdp.all_gather
// CHECK-NOT: fsdp.all_gather

//--- plan.yaml
world: {ranks: 4}
defaults: {reshard_after_forward: 2}

//--- step.mlir
#m0 = affine_map<(d0,d1)->(d0,d1)>
#r0 = affine_map<(d0,d1)->(d0)>
#c0 = affine_map<(d0,d1)->(d1)>
#s0 = affine_map<(d0,d1)->()>
#v0 = affine_map<(d0)->(d0)>
#vs = affine_map<(d0)->()>
#e = affine_map<()->()>
func.func @step(%w: tensor<5x3xf32> {fsdp.param = "w"}, %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.batch_dim = 0 : i64}) -> (tensor<f32> {fsdp.loss}, tensor<5x3xf32> {fsdp.grad = "w"}, tensor<5x3xf32> {fsdp.output="late"}) {
  %zero = arith.constant 0.0 : f32
  %wte = tensor.empty() : tensor<3x5xf32>
  %wt = linalg.transpose ins(%w : tensor<5x3xf32>) outs(%wte : tensor<3x5xf32>) permutation = [1, 0]
  %ye = tensor.empty() : tensor<4x5xf32>
  %yz = linalg.fill ins(%zero : f32) outs(%ye : tensor<4x5xf32>) -> tensor<4x5xf32>
  %y = linalg.matmul ins(%x, %wt : tensor<4x3xf32>, tensor<3x5xf32>) outs(%yz : tensor<4x5xf32>) -> tensor<4x5xf32>
  %le = tensor.empty() : tensor<f32>
  %lz = linalg.fill ins(%zero : f32) outs(%le : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps=[#m0,#s0], iterator_types=["reduction","reduction"]} ins(%y : tensor<4x5xf32>) outs(%lz : tensor<f32>) {
  ^bb0(%a: f32, %s: f32):
    %q = arith.mulf %a, %a : f32
    %r = arith.addf %s, %q : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %y2 = arith.addf %y, %y : tensor<4x5xf32>
  %yte = tensor.empty() : tensor<5x4xf32>
  %yt = linalg.transpose ins(%y2 : tensor<4x5xf32>) outs(%yte : tensor<5x4xf32>) permutation = [1, 0]
  %ge = tensor.empty() : tensor<5x3xf32>
  %gz = linalg.fill ins(%zero : f32) outs(%ge : tensor<5x3xf32>) -> tensor<5x3xf32>
  %g = linalg.matmul ins(%yt, %x : tensor<5x4xf32>, tensor<4x3xf32>) outs(%gz : tensor<5x3xf32>) -> tensor<5x3xf32>
  %xe = tensor.empty() : tensor<4x3xf32>
%xz = linalg.fill ins(%zero : f32) outs(%xe : tensor<4x3xf32>) -> tensor<4x3xf32>
%dx = linalg.matmul ins(%y2, %w : tensor<4x5xf32>, tensor<5x3xf32>) outs(%xz : tensor<4x3xf32>) -> tensor<4x3xf32>
%g2 = linalg.matmul ins(%yt, %dx : tensor<5x4xf32>, tensor<4x3xf32>) outs(%gz : tensor<5x3xf32>) -> tensor<5x3xf32>
%late = linalg.exp ins(%w : tensor<5x3xf32>) outs(%ge : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %loss, %g2, %late : tensor<f32>, tensor<5x3xf32>, tensor<5x3xf32>
}
