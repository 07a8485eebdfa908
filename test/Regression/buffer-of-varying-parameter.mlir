// SPDX-License-Identifier: Apache-2.0
// A buffer that follows a parameter which varies is combined as all are, by the step and by what it is compared with.
// RUN: split-file %s %t
// RUN: fsdp-run %t/step.mlir --config=%t/plan.yaml --verify --steps=2 --quiet

//--- plan.yaml
world: {ranks: 4}
units: [{match: a, process_group: mod2}]
shardings: [{match: a.w, varying: [set2]}]

//--- step.mlir
func.func @step(%p0: tensor<5x2xf32> {fsdp.param = "a.w"}, %x0: tensor<5x2xf32> {fsdp.input = "x0", fsdp.batch_dim = 0 : i64}, %p1: tensor<7xf32> {fsdp.param = "b.w"}, %x1: tensor<7xf32> {fsdp.input = "x1", fsdp.batch_dim = 0 : i64}, %ema: tensor<5x2xf32> {fsdp.buffer = "ema"}, %cnt: tensor<i64> {fsdp.buffer = "cnt"}, %bf: tensor<7xf32> {fsdp.buffer="bf"}, %bq: tensor<7xf32> {fsdp.buffer="bq"}) -> (tensor<f32> {fsdp.loss}, tensor<5x2xf32> {fsdp.updated = "a.w"}, tensor<7xf32> {fsdp.updated = "b.w"}, tensor<5x2xf32> {fsdp.updated="ema"}, tensor<i64> {fsdp.updated="cnt"}, tensor<7xf32> {fsdp.updated = "bf"}, tensor<7xf32> {fsdp.updated = "bq"}) {
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
%em = arith.addf %ema, %u0 : tensor<5x2xf32>
%o1 = arith.constant dense<1> : tensor<i64>
%cn = arith.addi %cnt, %o1 : tensor<i64>
%bb = arith.addf %bf, %x1 : tensor<7xf32>
%bp = arith.mulf %bq, %p1 : tensor<7xf32>
return %l1, %u0, %u1, %em, %cn, %bb, %bp : tensor<f32>, tensor<5x2xf32>, tensor<7xf32>, tensor<5x2xf32>, tensor<i64>, tensor<7xf32>, tensor<7xf32>
}
