// SPDX-License-Identifier: Apache-2.0
// An exported step becomes one function of ops that are known, with a marker
// per gradient.
// RUN: fsdp-opt %S/Inputs/step.mlir --allow-unregistered-dialect --fsdp-import | FileCheck %s
// RUN: not fsdp-opt %s --allow-unregistered-dialect --fsdp-import 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: module attributes {fsdp.stage = "imported"}
// CHECK-NOT: ml_program
// CHECK-NOT: func.func private
// CHECK: func.func @step(
// CHECK-SAME: {fsdp.frozen, fsdp.param = "scale"}
// CHECK-SAME: %[[SEED:[a-z0-9]*]]: tensor<i64> {fsdp.seed})
// CHECK-SAME: tensor<i64> {fsdp.updated_seed})
// CHECK-NOT: cf.assert
// CHECK: %[[NEXT:.*]] = arith.addi %[[SEED]], %[[SEED]]
// CHECK-NOT: call
// CHECK: math.tanh
// CHECK: fsdp.optimization_barrier
// CHECK-DAG: %[[G0:.*]] = fsdp.local_grad %{{.*}} of "h.0.w"
// CHECK-DAG: %[[G1:.*]] = fsdp.local_grad %{{.*}} of "h.1.w"
// CHECK: return %{{.*}}, %[[G0]], %[[G1]], %[[NEXT]]

// ERROR: error: expected no 'fsdp.global_norm' at stage 'imported'
func.func @norm(%w: tensor<4xf32> {fsdp.param = "w"}) -> (tensor<f32> {fsdp.output = "n"}) {
  %0 = fsdp.global_norm %w {shardings = [#fsdp.sharding<[{} ]>]} : (tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
