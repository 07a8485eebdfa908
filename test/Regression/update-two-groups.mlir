// SPDX-License-Identifier: Apache-2.0
// The optimizer multiplies gradients of units on groups that share ranks, or do not fit together: one of them is gathered.
// RUN: split-file %s %t
// RUN: fsdp-run %t/step.mlir --config=%t/nested.yaml --verify --quiet
// RUN: fsdp-run %t/step.mlir --config=%t/incompatible.yaml --verify --quiet

//--- nested.yaml
world: {ranks: 4, ranks_per_node: 2}
units: [{match: a, process_group: node}, {match: b, process_group: world}]

//--- incompatible.yaml
world: {ranks: 6}
units: [{match: a, process_group: set2}, {match: b, process_group: set3}]

//--- step.mlir
func.func @step(%p0: tensor<5x2xf32> {fsdp.param = "a.w"}, %x0: tensor<5x2xf32> {fsdp.input = "x0", fsdp.batch_dim = 0 : i64}, %p1: tensor<7xf32> {fsdp.param = "b.w"}, %x1: tensor<7xf32> {fsdp.input = "x1", fsdp.batch_dim = 0 : i64}) -> (tensor<f32> {fsdp.loss}, tensor<5x2xf32> {fsdp.updated = "a.w"}, tensor<7xf32> {fsdp.updated = "b.w"}, tensor<7x5xf32> {fsdp.output="o"}) {
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
%zz = arith.constant 0.0 : f32
%oe = tensor.empty() : tensor<7x5xf32>
%c = tensor.extract_slice %m0[0,0][5,1][1,1] : tensor<5x2xf32> to tensor<5xf32>
%ce = tensor.empty() : tensor<5xf32>
%rz = linalg.fill ins(%zz : f32) outs(%ce : tensor<5xf32>) -> tensor<5xf32>
%rs = linalg.reduce ins(%m0 : tensor<5x2xf32>) outs(%rz : tensor<5xf32>) dimensions = [1] (%in: f32, %acc: f32) { %r = arith.addf %in, %acc : f32
 linalg.yield %r : f32 }
%o = linalg.generic {indexing_maps=[affine_map<(d0,d1)->(d0)>,affine_map<(d0,d1)->(d1)>,affine_map<(d0,d1)->(d0,d1)>], iterator_types=["parallel","parallel"]} ins(%m1, %rs : tensor<7xf32>, tensor<5xf32>) outs(%oe : tensor<7x5xf32>) {
 ^bb0(%a: f32, %b: f32, %s: f32):
  %r = arith.mulf %a, %b : f32
  linalg.yield %r : f32
 } -> tensor<7x5xf32>
%e1z = linalg.fill ins(%zz : f32) outs(%e1 : tensor<7xf32>) -> tensor<7xf32>
%u1d = linalg.reduce ins(%o : tensor<7x5xf32>) outs(%e1z : tensor<7xf32>) dimensions = [1] (%in: f32, %acc: f32) { %r = arith.addf %in, %acc : f32
 linalg.yield %r : f32 }
%u1 = linalg.sub ins(%p1, %u1d : tensor<7xf32>, tensor<7xf32>) outs(%e1 : tensor<7xf32>) -> tensor<7xf32>
%u0 = linalg.sub ins(%p0, %m0 : tensor<5x2xf32>, tensor<5x2xf32>) outs(%e0 : tensor<5x2xf32>) -> tensor<5x2xf32>
return %l1, %u0, %u1, %o : tensor<f32>, tensor<5x2xf32>, tensor<7xf32>, tensor<7x5xf32>
}
