// SPDX-License-Identifier: Apache-2.0
// A global seed becomes an argument, and what is stored last a result; a load
// reads what was stored before it.
// RUN: fsdp-opt %s --fsdp-legalize-seeds | FileCheck %s

// CHECK-NOT: ml_program
// CHECK: func.func @step(%{{.*}}: tensor<i64> {fsdp.input = "x"}, %[[SEED:.*]]: tensor<i64> {fsdp.seed})
// CHECK-SAME: -> (tensor<i64> {fsdp.output = "mask"}, tensor<i64> {fsdp.updated_seed})
// CHECK-NOT: ml_program
// CHECK: %[[FIRST:.*]] = arith.addi %[[SEED]],
// CHECK-NEXT: %[[SECOND:.*]] = arith.muli %[[FIRST]],
// CHECK-NOT: ml_program
// CHECK: return %{{.*}}, %[[SECOND]] : tensor<i64>, tensor<i64>
ml_program.global private mutable @seed(dense<0> : tensor<i64>) : tensor<i64>
func.func @step(%x: tensor<i64> {fsdp.input = "x"})
    -> (tensor<i64> {fsdp.output = "mask"}) {
  %0 = ml_program.global_load @seed : tensor<i64>
  %1 = arith.addi %0, %x : tensor<i64>
  ml_program.global_store @seed = %1 : tensor<i64>
  %2 = ml_program.global_load @seed : tensor<i64>
  %3 = arith.muli %2, %x : tensor<i64>
  ml_program.global_store @seed = %3 : tensor<i64>
  %4 = arith.addi %2, %x : tensor<i64>
  return %4 : tensor<i64>
}
