// SPDX-License-Identifier: Apache-2.0
// Every floating-point number of a step becomes an f64: types, constants,
// arguments, and the dtypes that units ask for; integers stay.
// RUN: fsdp-opt %s --fsdp-widen | FileCheck %s

// CHECK-NOT: {{b?f16|f32}}
// CHECK: fsdp.unit @u {param_dtype = f64,
// CHECK: func.func @step(%{{.*}}: tensor<4xf64> {{.*}}, %{{.*}}: tensor<4xi64>
// CHECK: arith.constant dense<5.000000e-01> : tensor<4xf64>
// CHECK: arith.addf %{{.*}}, %{{.*}} : tensor<4xf64>
// CHECK-NOT: {{b?f16|f32}}
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = "world"
  fsdp.unit @u {shard = @world, reshard_after_forward = true, param_dtype = bf16}
  func.func @step(%w: tensor<4xbf16> {fsdp.param = "w", fsdp.unit = @u},
                  %i: tensor<4xi64> {fsdp.input = "i"}) -> (tensor<4xbf16> {fsdp.output = "y"}) {
    %half = arith.constant dense<0.5> : tensor<4xbf16>
    %y = arith.addf %w, %half : tensor<4xbf16>
    return %y : tensor<4xbf16>
  }
}
