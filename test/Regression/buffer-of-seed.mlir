// SPDX-License-Identifier: Apache-2.0
// A buffer that depends on nothing but the seed differs from rank to rank, since each draws with seed + rank: it is averaged.
// RUN: fsdp-run %s --ranks=3 --verify --steps=2 --quiet
func.func @step(%p0: tensor<5x2xf32> {fsdp.param = "a.w"}, %x0: tensor<5x2xf32> {fsdp.input = "x0", fsdp.batch_dim = 0 : i64}, %p1: tensor<7xf32> {fsdp.param = "b.w"}, %x1: tensor<7xf32> {fsdp.input = "x1", fsdp.batch_dim = 0 : i64}, %bf: tensor<f32> {fsdp.buffer="bf"}, %seed: tensor<i64> {fsdp.seed}) -> (tensor<f32> {fsdp.loss}, tensor<5x2xf32> {fsdp.updated = "a.w"}, tensor<7xf32> {fsdp.updated = "b.w"}, tensor<f32> {fsdp.updated = "bf"}, tensor<i64> {fsdp.updated_seed}, tensor<f32> {fsdp.output = "sf"}) {
%zs = arith.constant dense<0.0> : tensor<f32>
%l0 = linalg.generic {indexing_maps=[affine_map<(d0, d1)->(d0, d1)>,affine_map<(d0, d1)->(d0, d1)>,affine_map<(d0, d1)->()>], iterator_types=["reduction", "reduction"]} ins(%p0, %x0 : tensor<5x2xf32>, tensor<5x2xf32>) outs(%zs : tensor<f32>) {
 ^bb0(%a: f32, %b: f32, %s: f32):
  %m = arith.mulf %a, %a : f32
  %m2 = arith.mulf %m, %b : f32
  %r = arith.addf %s, %m2 : f32
  linalg.yield %r : f32
 } -> tensor<f32>
%e0 = tensor.empty() : tensor<5x2xf32>
%g0 = linalg.generic {indexing_maps=[affine_map<(d0, d1)->(d0, d1)>,affine_map<(d0, d1)->(d0, d1)>,affine_map<(d0, d1)->(d0, d1)>], iterator_types=["parallel", "parallel"]} ins(%p0, %x0 : tensor<5x2xf32>, tensor<5x2xf32>) outs(%e0 : tensor<5x2xf32>) {
 ^bb0(%a: f32, %b: f32, %s: f32):
  %m = arith.mulf %a, %b : f32
  %r = arith.addf %m, %m : f32
  linalg.yield %r : f32
 } -> tensor<5x2xf32>
%m0 = fsdp.local_grad %g0 of "a.w" : tensor<5x2xf32>
%l1 = linalg.generic {indexing_maps=[affine_map<(d0)->(d0)>,affine_map<(d0)->(d0)>,affine_map<(d0)->()>], iterator_types=["reduction"]} ins(%p1, %x1 : tensor<7xf32>, tensor<7xf32>) outs(%l0 : tensor<f32>) {
 ^bb0(%a: f32, %b: f32, %s: f32):
  %m = arith.mulf %a, %a : f32
  %m2 = arith.mulf %m, %b : f32
  %r = arith.addf %s, %m2 : f32
  linalg.yield %r : f32
 } -> tensor<f32>
%e1 = tensor.empty() : tensor<7xf32>
%g1 = linalg.generic {indexing_maps=[affine_map<(d0)->(d0)>,affine_map<(d0)->(d0)>,affine_map<(d0)->(d0)>], iterator_types=["parallel"]} ins(%p1, %x1 : tensor<7xf32>, tensor<7xf32>) outs(%e1 : tensor<7xf32>) {
 ^bb0(%a: f32, %b: f32, %s: f32):
  %m = arith.mulf %a, %b : f32
  %r = arith.addf %m, %m : f32
  linalg.yield %r : f32
 } -> tensor<7xf32>
%m1 = fsdp.local_grad %g1 of "b.w" : tensor<7xf32>
%u0 = arith.subf %p0, %m0 : tensor<5x2xf32>
%u1 = arith.subf %p1, %m1 : tensor<7xf32>
%sf = arith.sitofp %seed : tensor<i64> to tensor<f32>
%cc = arith.addf %sf, %bf : tensor<f32>
%k1 = arith.constant dense<7> : tensor<i64>
%ns = arith.addi %seed, %k1 : tensor<i64>
return %l1, %u0, %u1, %cc, %ns, %sf : tensor<f32>, tensor<5x2xf32>, tensor<7xf32>, tensor<f32>, tensor<i64>, tensor<f32>
}
