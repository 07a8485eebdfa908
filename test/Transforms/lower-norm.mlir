// SPDX-License-Identifier: Apache-2.0
// Squares are summed where they are, then over the groups along which a gradient
// is split or varies; a replicated one is in every rank's sum already.
// RUN: fsdp-opt %s --fsdp-lower-norm --split-input-file | FileCheck %s

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  // %a and %d are spread over @node, %b over nothing, %c over both groups, whose
  // product is the world.
  // CHECK: fsdp.process_group @[[NORM:.*]] = #fsdp.classes<[1, 8] from [8]>
  // CHECK-LABEL: @mixed
  // CHECK-SAME: (%[[A:[a-z0-9]*]]: tensor<2x3xf32>, %[[B:[a-z0-9]*]]: tensor<4xf32>, %[[C:[a-z0-9]*]]: tensor<2xf32>, %[[D:[a-z0-9]*]]: tensor<3xf32>)
  // CHECK: %[[A2:.*]] = linalg.generic {{.*}}iterator_types = ["reduction", "reduction"]} ins(%[[A]]
  // CHECK: arith.mulf %[[IN:.*]], %[[IN]]
  // CHECK: %[[B2:.*]] = linalg.generic {{.*}} ins(%[[B]]
  // CHECK: %[[C2:.*]] = linalg.generic {{.*}} ins(%[[C]]
  // CHECK: %[[D2:.*]] = linalg.generic {{.*}} ins(%[[D]]
  // CHECK: %[[AD:.*]] = linalg.generic {{.*}} ins(%[[A2]], %[[D2]] :
  // CHECK: %[[ADS:.*]] = fsdp.all_reduce {{ ?}}sum %[[AD]] over @node
  // CHECK: %[[BS:.*]] = linalg.generic {{.*}} ins(%[[B2]] :
  // CHECK-NOT: fsdp.all_reduce
  // CHECK: %[[CC:.*]] = linalg.generic {{.*}} ins(%[[C2]] :
  // CHECK: %[[CS:.*]] = fsdp.all_reduce {{ ?}}sum %[[CC]] over @[[NORM]]
  // CHECK-NOT: fsdp.all_reduce
  // CHECK: %[[ALL:.*]] = linalg.generic {{.*}} ins(%[[ADS]], %[[BS]], %[[CS]] :
  // CHECK: %[[ROOT:.*]] = linalg.generic {{.*}} ins(%[[ALL]] :
  // CHECK: math.sqrt
  // CHECK: return %[[ROOT]]
  func.func @mixed(%a: tensor<2x3xf32>, %b: tensor<4xf32>, %c: tensor<2xf32>,
                   %d: tensor<3xf32>) -> tensor<f32> {
    %n = fsdp.global_norm %a, %b, %c, %d {shardings = [
        #fsdp.sharding<[{@node}, {} ]>, #fsdp.sharding<[{} ]>,
        #fsdp.sharding<[{@across} ], varying = {@node}>,
        #fsdp.sharding<[{} ], varying = {@node}>]}
        : (tensor<2x3xf32>, tensor<4xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<f32>
    return %n : tensor<f32>
  }
}

// -----

// At least in f32, in f64 where one gradient is; over one rank nothing is sent.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @self = #fsdp.classes<[2, 1] from [2]>
  // CHECK-LABEL: @types
  // CHECK: arith.extf %{{.*}} : bf16 to f32
  // CHECK: arith.mulf %{{.*}}, %{{.*}} : f64
  // CHECK: arith.extf %{{.*}} : f32 to f64
  // CHECK: arith.addf %{{.*}}, %{{.*}} : f64
  // CHECK: math.sqrt %{{.*}} : f64
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  // CHECK-NOT: fsdp.all_reduce
  func.func @types(%a: tensor<2xbf16>, %b: tensor<f64>) -> tensor<f32> {
    %n = fsdp.global_norm %a, %b {shardings = [#fsdp.sharding<[{@self} ]>, #fsdp.sharding<[]>]}
        : (tensor<2xbf16>, tensor<f64>) -> tensor<f32>
    return %n : tensor<f32>
  }
}
