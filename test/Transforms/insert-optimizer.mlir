// SPDX-License-Identifier: Apache-2.0
// The plan's optimizer on whole tensors: gradient results become updates, states
// and scalars arguments. The numbers are compared with the framework's
// elsewhere; here, what each optimizer adds.
// RUN: split-file %s %t
// RUN: fsdp-opt %t/step.mlir --fsdp-insert-optimizer=config=%t/sgd.yaml | FileCheck %s --check-prefix=SGD
// RUN: fsdp-opt %t/step.mlir --fsdp-insert-optimizer=config=%t/momentum.yaml | FileCheck %s --check-prefix=MOMENTUM
// RUN: fsdp-opt %t/step.mlir --fsdp-insert-optimizer=config=%t/adamw.yaml | FileCheck %s --check-prefix=ADAMW
// RUN: fsdp-opt %t/step.mlir --fsdp-insert-optimizer=config=%t/none.yaml | FileCheck %s --check-prefix=NONE
// RUN: not fsdp-opt %t/updated.mlir --fsdp-insert-optimizer=config=%t/sgd.yaml 2>&1 | FileCheck %s --check-prefix=UPDATED
// RUN: not fsdp-opt %t/inference.mlir --fsdp-insert-optimizer=config=%t/sgd.yaml 2>&1 | FileCheck %s --check-prefix=INFERENCE

// w - lr * g; the frozen parameter and the output stay as they are.
// SGD: func.func @step(%[[W:[a-z0-9]*]]: tensor<4x2xf32> {fsdp.param = "w"}, %{{.*}}: tensor<4xbf16> {fsdp.param = "b"}, %{{.*}}: tensor<4xf32> {fsdp.frozen, fsdp.param = "f"}
// SGD-SAME: %[[LR:[a-z0-9]*]]: tensor<f32> {fsdp.hyper = "lr", fsdp.value = 5.000000e-01 : f64})
// SGD-SAME: -> (tensor<4xf32> {fsdp.output = "y"}, tensor<4x2xf32> {fsdp.updated = "w"}, tensor<4xbf16> {fsdp.updated = "b"})
// SGD: %[[M:.*]] = fsdp.local_grad %{{.*}} of "w"
// SGD: %[[W1:.*]] = linalg.generic {{.*}} ins(%[[W]], %[[M]], %[[LR]] : tensor<4x2xf32>, tensor<4x2xf32>, tensor<f32>)
// SGD: ^bb0(%[[W0:[a-z0-9_]*]]: f32, %[[G0:[a-z0-9_]*]]: f32, %[[LR0:[a-z0-9_]*]]: f32, %{{.*}}: f32):
// SGD-NEXT: %[[D:.*]] = arith.mulf %[[LR0]], %[[G0]]
// SGD-NEXT: %[[R:.*]] = arith.subf %[[W0]], %[[D]]
// SGD-NEXT: linalg.yield %[[R]]
// In f32 where the parameter is narrower.
// SGD: linalg.generic
// SGD: arith.extf %{{.*}} : bf16 to f32
// SGD: arith.truncf %{{.*}} : f32 to bf16
// SGD-NEXT: linalg.yield
// SGD: return %{{.*}}, %[[W1]], %{{.*}} :

// buf = momentum * buf + (g + decay * w); `b` does not decay, by its rank.
// MOMENTUM: {fsdp.state = "momentum_buffer:w"}
// MOMENTUM-SAME: {fsdp.state = "momentum_buffer:b"}
// MOMENTUM-SAME: fsdp.updated = "w"}, tensor<4x2xf32> {fsdp.updated_state = "momentum_buffer:w"}, tensor<4xbf16> {fsdp.updated = "b"}, tensor<4xbf16> {fsdp.updated_state = "momentum_buffer:b"})
// MOMENTUM: linalg.generic
// MOMENTUM: ^bb0(%[[W:[a-z0-9_]*]]: f32, %[[G:[a-z0-9_]*]]: f32, %[[BUF:[a-z0-9_]*]]: f32, %[[LR:[a-z0-9_]*]]: f32,
// MOMENTUM: %[[WD:.*]] = arith.mulf %{{.*}}, %[[W]]
// MOMENTUM: %[[GD:.*]] = arith.addf %[[G]], %[[WD]]
// MOMENTUM: %[[OLD:.*]] = arith.mulf %{{.*}}, %[[BUF]]
// MOMENTUM: %[[NEW:.*]] = arith.addf %[[OLD]], %[[GD]]
// MOMENTUM: %[[D:.*]] = arith.mulf %[[LR]], %[[NEW]]
// MOMENTUM: %[[W1:.*]] = arith.subf %[[W]], %[[D]]
// MOMENTUM: linalg.yield %[[W1]], %[[NEW]]
// MOMENTUM: linalg.generic
// MOMENTUM-NOT: 1.250000e-01
// MOMENTUM: return

// Both gradients are clipped by their common norm, an output; `w` alone does not
// decay, by its name.
// ADAMW: {fsdp.hyper = "lr", fsdp.value = 1.000000e-03 : f64}
// ADAMW-SAME: tensor<i64> {fsdp.hyper = "step"}
// ADAMW-SAME: {fsdp.state = "exp_avg:w"}, %{{.*}}: tensor<4x2xf32> {fsdp.state = "exp_avg_sq:w"}
// ADAMW-SAME: -> (tensor<4xf32> {fsdp.output = "y"}, tensor<f32> {fsdp.output = "grad_norm"}, tensor<4x2xf32> {fsdp.updated = "w"}
// ADAMW-DAG: %[[GW:.*]] = fsdp.local_grad %{{.*}} of "w"
// ADAMW-DAG: %[[GB:.*]] = fsdp.local_grad %{{.*}} of "b"
// ADAMW: math.powf
// ADAMW: math.powf
// ADAMW: %[[NORM:.*]] = fsdp.global_norm %[[GW]], %[[GB]] {shardings = [#fsdp.sharding<[{}, {}]>, #fsdp.sharding<[{}]>]}
// ADAMW: %[[CLIP:.*]] = linalg.generic {{.*}} ins(%[[NORM]] : tensor<f32>)
// ADAMW: arith.minimumf
// w - lr/c1 * m / (sqrt(v)/sqrt(c2) + eps).
// ADAMW: linalg.generic {{.*}} ins(%{{.*}}, %[[GW]], %{{.*}}, %{{.*}}, %{{.*}}, %[[CLIP]], %{{.*}}, %{{.*}} :
// ADAMW: ^bb0(%[[W0:[a-z0-9_]*]]: f32, %[[G0:[a-z0-9_]*]]: f32, %[[M0:[a-z0-9_]*]]: f32, %[[V0:[a-z0-9_]*]]: f32, %[[LR:[a-z0-9_]*]]: f32, %[[C:[a-z0-9_]*]]: f32, %[[C1:[a-z0-9_]*]]: f32, %[[C2:[a-z0-9_]*]]: f32,
// ADAMW: %[[G:.*]] = arith.mulf %[[G0]], %[[C]]
// ADAMW: %[[MB:.*]] = arith.mulf %{{.*}}, %[[M0]]
// ADAMW: %[[MG:.*]] = arith.mulf %{{.*}}, %[[G]]
// ADAMW: %[[M:.*]] = arith.addf %[[MB]], %[[MG]]
// ADAMW: %[[VB:.*]] = arith.mulf %{{.*}}, %[[V0]]
// ADAMW: %[[VG:.*]] = arith.mulf %{{.*}}, %[[G]]
// ADAMW: %[[VGG:.*]] = arith.mulf %[[VG]], %[[G]]
// ADAMW: %[[V:.*]] = arith.addf %[[VB]], %[[VGG]]
// ADAMW: %[[RV:.*]] = math.sqrt %[[V]]
// ADAMW: %[[RC:.*]] = math.sqrt %[[C2]]
// ADAMW: %[[Q:.*]] = arith.divf %[[RV]], %[[RC]]
// ADAMW: %[[D:.*]] = arith.addf %[[Q]],
// ADAMW: %[[RATE:.*]] = arith.divf %[[LR]], %[[C1]]
// ADAMW: %[[MD:.*]] = arith.divf %[[M]], %[[D]]
// ADAMW: %[[U:.*]] = arith.mulf %[[RATE]], %[[MD]]
// ADAMW: %[[W1:.*]] = arith.subf %[[W0]], %[[U]]
// ADAMW: linalg.yield %[[W1]], %[[M]], %[[V]]
// ADAMW-NOT: arith.constant 1.250000e-01
// ADAMW: linalg.generic {{.*}} ins(%{{.*}}, %[[GB]], %{{.*}}, %{{.*}}, %{{.*}}, %[[CLIP]],
// ADAMW: arith.constant 1.250000e-01
// ADAMW: return %{{.*}}, %[[NORM]],

// NONE: -> (tensor<4x2xf32> {fsdp.grad = "w"}, tensor<4xf32> {fsdp.output = "y"}, tensor<4xbf16> {fsdp.grad = "b"})
// NONE-NOT: linalg.generic

// UPDATED: sgd.yaml:1:12: error: expected no 'optimizer' for a step that has one
// UPDATED: updated.mlir:2:8: note: parameter 'w' is updated here

// INFERENCE: sgd.yaml:1:12: error: expected gradients for 'optimizer' to use, but the step has none

//--- sgd.yaml
optimizer: {name: sgd, lr: 0.5}
//--- momentum.yaml
optimizer: {name: momentum, lr: 0.5, momentum: 0.75, weight_decay: 0.125, no_decay_below_ndim: 2}
//--- adamw.yaml
optimizer: {name: adamw, lr: 0.001, betas: [0.9, 0.95], eps: 1.0e-8, weight_decay: 0.125, clip_norm: 1.0, no_decay: ["w"]}
//--- none.yaml
world: {ranks: 8}
//--- step.mlir
func.func @step(%w: tensor<4x2xf32> {fsdp.param = "w"},
                %b: tensor<4xbf16> {fsdp.param = "b"},
                %f: tensor<4xf32> {fsdp.param = "f", fsdp.frozen},
                %x: tensor<4x2xf32> {fsdp.input = "x"})
    -> (tensor<4x2xf32> {fsdp.grad = "w"}, tensor<4xf32> {fsdp.output = "y"},
        tensor<4xbf16> {fsdp.grad = "b"}) {
  %gw = fsdp.local_grad %x of "w" : tensor<4x2xf32>
  %gb = fsdp.local_grad %b of "b" : tensor<4xbf16>
  return %gw, %f, %gb : tensor<4x2xf32>, tensor<4xf32>, tensor<4xbf16>
}
//--- updated.mlir
func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}) -> (tensor<4xf32> {fsdp.updated = "w"}) {
  %0 = arith.addf %w, %w : tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- inference.mlir
func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}) -> (tensor<4xf32> {fsdp.output = "y"}) {
  return %w : tensor<4xf32>
}
