// SPDX-License-Identifier: Apache-2.0
// The optimizer contracts over a parameter's rows with a named op, as Muon does: the 5 rows are padded to 6 or 8, and a
// named op has no room for the mask that keeps padding out.
// RUN: fsdp-run %s --ranks=2 --verify=f64 --quiet
// RUN: fsdp-run %s --ranks=4 --verify=f64 --quiet
// RUN: fsdp-opt %s --fsdp-compile=ranks=4 | FileCheck %s
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: arith.select
#m0 = affine_map<(d0,d1)->(d0,d1)>
#r0 = affine_map<(d0,d1)->(d0)>
#c0 = affine_map<(d0,d1)->(d1)>
#s0 = affine_map<(d0,d1)->()>
#v0 = affine_map<(d0)->(d0)>
#vs = affine_map<(d0)->()>
#e = affine_map<()->()>
func.func @step(%w: tensor<5x3xf32> {fsdp.param = "w"}, %x: tensor<4x3xf32> {fsdp.input = "x", fsdp.batch_dim = 0 : i64}) -> (tensor<f32> {fsdp.loss}, tensor<5x3xf32> {fsdp.updated = "w"}) {
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
  %m = fsdp.local_grad %g of "w" : tensor<5x3xf32>
  %ae = tensor.empty() : tensor<3x5xf32>
  %mt = linalg.transpose ins(%m : tensor<5x3xf32>) outs(%ae : tensor<3x5xf32>) permutation = [1, 0]
  %be = tensor.empty() : tensor<3x3xf32>
  %bz = linalg.fill ins(%zero : f32) outs(%be : tensor<3x3xf32>) -> tensor<3x3xf32>
  %b = linalg.matmul ins(%mt, %m : tensor<3x5xf32>, tensor<5x3xf32>) outs(%bz : tensor<3x3xf32>) -> tensor<3x3xf32>
  %u0 = linalg.matmul ins(%m, %b : tensor<5x3xf32>, tensor<3x3xf32>) outs(%gz : tensor<5x3xf32>) -> tensor<5x3xf32>
  %u = linalg.sub ins(%w, %u0 : tensor<5x3xf32>, tensor<5x3xf32>) outs(%ge : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %loss, %u : tensor<f32>, tensor<5x3xf32>
}
