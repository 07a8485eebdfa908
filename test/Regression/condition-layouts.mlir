// SPDX-License-Identifier: Apache-2.0
// What a condition chooses may lie in memory in several ways, and loops may carry it; the sum is known.
// RUN: split-file %s %t
// RUN: fsdp-run %t/step.mlir --config=%t/plan.yaml --verify --quiet | FileCheck %s
// CHECK: step 1 loss 1356

//--- plan.yaml
world: {ranks: 2}

//--- step.mlir
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @step(%x: tensor<2x3xf32> {fsdp.input = "x", fsdp.batch_dim = 0 : i64}) -> (tensor<f32> {fsdp.loss}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c6 = arith.constant 6 : index
  %zero = arith.constant 0.0 : f32
  %large = arith.constant 1.0e9 : f32
  %first = tensor.extract %x[%c0, %c0] : tensor<2x3xf32>
  %yes = arith.cmpf olt, %first, %large : f32
  %no = arith.cmpf ogt, %first, %large : f32
  %dynamic = arith.select %yes, %c1, %c0 : index
  // 0, 1, 2, ...
  %big_e = tensor.empty() : tensor<4x6xf32>
  %big = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%big_e : tensor<4x6xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %row = arith.muli %i, %c6 : index
    %at = arith.addi %row, %j : index
    %integer = arith.index_cast %at : index to i64
    %number = arith.sitofp %integer : i64 to f32
    linalg.yield %number : f32
  } -> tensor<4x6xf32>

  // Two slices: 72.
  %r0 = scf.if %yes -> (tensor<2x3xf32>) {
    %s = tensor.extract_slice %big[1, 2] [2, 3] [1, 1] : tensor<4x6xf32> to tensor<2x3xf32>
    scf.yield %s : tensor<2x3xf32>
  } else {
    %s = tensor.extract_slice %big[%dynamic, 0] [2, 3] [1, 2] : tensor<4x6xf32> to tensor<2x3xf32>
    scf.yield %s : tensor<2x3xf32>
  }
  // A slice or a new tensor: 144.
  %r1 = scf.if %no -> (tensor<2x3xf32>) {
    %s = tensor.extract_slice %big[0, %dynamic] [2, 3] [1, 1] : tensor<4x6xf32> to tensor<2x3xf32>
    scf.yield %s : tensor<2x3xf32>
  } else {
    %t = arith.addf %r0, %r0 : tensor<2x3xf32>
    scf.yield %t : tensor<2x3xf32>
  }
  // Nested: 144.
  %r2 = scf.if %yes -> (tensor<2x3xf32>) {
    %inner = scf.if %no -> (tensor<2x3xf32>) {
      scf.yield %r0 : tensor<2x3xf32>
    } else {
      scf.yield %r1 : tensor<2x3xf32>
    }
    scf.yield %inner : tensor<2x3xf32>
  } else {
    %s = tensor.extract_slice %big[0, 0] [2, 3] [2, 2] : tensor<4x6xf32> to tensor<2x3xf32>
    scf.yield %s : tensor<2x3xf32>
  }
  // Both the same: 72.
  %r3 = scf.if %no -> (tensor<2x3xf32>) {
    scf.yield %r0 : tensor<2x3xf32>
  } else {
    scf.yield %r0 : tensor<2x3xf32>
  }
  // An argument, or not: 72.
  %r4 = scf.if %no -> (tensor<2x3xf32>) {
    scf.yield %x : tensor<2x3xf32>
  } else {
    scf.yield %r0 : tensor<2x3xf32>
  }
  // In a loop, which carries it: 144, 66, 138.
  %r5 = scf.for %i = %c0 to %c3 step %c1 iter_args(%c = %r0) -> (tensor<2x3xf32>) {
    %odd = arith.cmpi eq, %i, %c1 : index
    %next = scf.if %odd -> (tensor<2x3xf32>) {
      %s = tensor.extract_slice %big[%i, 1] [2, 3] [1, 1] : tensor<4x6xf32> to tensor<2x3xf32>
      scf.yield %s : tensor<2x3xf32>
    } else {
      %t = linalg.add ins(%r0, %c : tensor<2x3xf32>, tensor<2x3xf32>) outs(%c : tensor<2x3xf32>) -> tensor<2x3xf32>
      scf.yield %t : tensor<2x3xf32>
    }
    scf.yield %next : tensor<2x3xf32>
  }
  // Two that change places: 138 and 72.
  %r6, %other = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %r0, %b = %r5) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    scf.yield %b, %a : tensor<2x3xf32>, tensor<2x3xf32>
  }
  // 72, 144, 288, 576.
  %r7, %n = scf.while (%c = %other, %k = %c0) : (tensor<2x3xf32>, index) -> (tensor<2x3xf32>, index) {
    %go = arith.cmpi slt, %k, %c3 : index
    scf.condition(%go) %c, %k : tensor<2x3xf32>, index
  } do {
  ^bb0(%c: tensor<2x3xf32>, %k: index):
    %t = arith.addf %c, %c : tensor<2x3xf32>
    %k1 = arith.addi %k, %c1 : index
    scf.yield %t, %k1 : tensor<2x3xf32>, index
  }

  %s0 = arith.addf %r0, %r1 : tensor<2x3xf32>
  %s1 = arith.addf %r2, %r3 : tensor<2x3xf32>
  %s2 = arith.addf %r4, %r5 : tensor<2x3xf32>
  %s3 = arith.addf %r6, %r7 : tensor<2x3xf32>
  %s4 = arith.addf %s0, %s1 : tensor<2x3xf32>
  %s5 = arith.addf %s2, %s3 : tensor<2x3xf32>
  %sum = arith.addf %s4, %s5 : tensor<2x3xf32>
  %loss_z = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.generic {indexing_maps = [#id, #id, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%sum, %x : tensor<2x3xf32>, tensor<2x3xf32>) outs(%loss_z : tensor<f32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %nothing = arith.mulf %b, %zero : f32
    %t = arith.addf %a, %nothing : f32
    %u = arith.addf %o, %t : f32
    linalg.yield %u : f32
  } -> tensor<f32>
  return %loss : tensor<f32>
}
