// SPDX-License-Identifier: Apache-2.0
// Three layers of test/Cases/Inputs/layers.mlir with FSDP, their gradients sent as one bucket.
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> ()>
module attributes {fsdp.stage = "sharded", fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]> spelled "world"
  fsdp.unit @root {reshard_after_forward = false, shard = @world}
  func.func @step(%arg0: tensor<3xf64> {fsdp.global_shape = array<i64: 6>, fsdp.param = "h.0.w", fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>, fsdp.unit = @root}, %arg1: tensor<3xf64> {fsdp.global_shape = array<i64: 6>, fsdp.param = "mid.w", fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>, fsdp.unit = @root}, %arg2: tensor<3xf64> {fsdp.global_shape = array<i64: 6>, fsdp.param = "head.w", fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>, fsdp.unit = @root}, %arg3: tensor<6xf64> {fsdp.global_shape = array<i64: 6>, fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>, fsdp.storage = #fsdp.sharding<[{}], varying = {@world}>}, %arg4: tensor<f64> {fsdp.global_shape = array<i64>, fsdp.hyper = "lr", fsdp.sharding = #fsdp.sharding<[]>, fsdp.storage = #fsdp.sharding<[]>, fsdp.value = 1.000000e-01 : f64}) -> (tensor<f64> {fsdp.global_shape = array<i64>, fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>, fsdp.storage = #fsdp.sharding<[]>}, tensor<3xf64> {fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>, fsdp.updated = "h.0.w"}, tensor<3xf64> {fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>, fsdp.updated = "mid.w"}, tensor<3xf64> {fsdp.global_shape = array<i64: 6>, fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>, fsdp.updated = "head.w"}) {
    %cst = arith.constant dense<0.000000e+00> : tensor<f64>
    %0 = tensor.empty() : tensor<6xf64>
    %1 = fsdp.all_gather %arg0 over @world dim 0 {fsdp.param = "h.0.w"} : (tensor<3xf64>) -> tensor<6xf64>
    %2 = linalg.mul ins(%arg3, %1 : tensor<6xf64>, tensor<6xf64>) outs(%0 : tensor<6xf64>) -> tensor<6xf64>
    %3 = fsdp.all_gather %arg1 over @world dim 0 {fsdp.param = "mid.w"} : (tensor<3xf64>) -> tensor<6xf64>
    %4 = linalg.mul ins(%2, %3 : tensor<6xf64>, tensor<6xf64>) outs(%0 : tensor<6xf64>) -> tensor<6xf64>
    %5 = fsdp.local_grad %4 of "head.w" : tensor<6xf64>
    %8 = fsdp.all_gather %arg2 over @world dim 0 {fsdp.param = "head.w"} : (tensor<3xf64>) -> tensor<6xf64>
    %9 = linalg.dot ins(%4, %8 : tensor<6xf64>, tensor<6xf64>) outs(%cst : tensor<f64>) -> tensor<f64>
    %10 = linalg.mul ins(%8, %2 : tensor<6xf64>, tensor<6xf64>) outs(%0 : tensor<6xf64>) -> tensor<6xf64>
    %11 = fsdp.local_grad %10 of "mid.w" : tensor<6xf64>
    %14 = linalg.mul ins(%8, %3 : tensor<6xf64>, tensor<6xf64>) outs(%0 : tensor<6xf64>) -> tensor<6xf64>
    %15 = linalg.mul ins(%14, %arg3 : tensor<6xf64>, tensor<6xf64>) outs(%0 : tensor<6xf64>) -> tensor<6xf64>
    %16 = fsdp.local_grad %15 of "h.0.w" : tensor<6xf64>
    %rs:3 = fsdp.reduce_scatter sum %5, %11, %16 over @world dim 0 : (tensor<6xf64>, tensor<6xf64>, tensor<6xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
    %7 = fsdp.scale %rs#0 by 1 over 2 : tensor<3xf64>
    %13 = fsdp.scale %rs#1 by 1 over 2 : tensor<3xf64>
    %18 = fsdp.scale %rs#2 by 1 over 2 : tensor<3xf64>
    %19 = tensor.empty() : tensor<3xf64>
    %20 = linalg.generic {indexing_maps = [#map, #map, #map1, #map], iterator_types = ["parallel"]} ins(%arg0, %18, %arg4 : tensor<3xf64>, tensor<3xf64>, tensor<f64>) outs(%19 : tensor<3xf64>) {
    ^bb0(%in: f64, %in_0: f64, %in_1: f64, %out: f64):
      %27 = arith.mulf %in_1, %in_0 : f64
      %28 = arith.subf %in, %27 : f64
      linalg.yield %28 : f64
    } -> tensor<3xf64>
    %21 = tensor.empty() : tensor<3xf64>
    %22 = linalg.generic {indexing_maps = [#map, #map, #map1, #map], iterator_types = ["parallel"]} ins(%arg1, %13, %arg4 : tensor<3xf64>, tensor<3xf64>, tensor<f64>) outs(%21 : tensor<3xf64>) {
    ^bb0(%in: f64, %in_0: f64, %in_1: f64, %out: f64):
      %27 = arith.mulf %in_1, %in_0 : f64
      %28 = arith.subf %in, %27 : f64
      linalg.yield %28 : f64
    } -> tensor<3xf64>
    %23 = tensor.empty() : tensor<3xf64>
    %24 = linalg.generic {indexing_maps = [#map, #map, #map1, #map], iterator_types = ["parallel"]} ins(%arg2, %7, %arg4 : tensor<3xf64>, tensor<3xf64>, tensor<f64>) outs(%23 : tensor<3xf64>) {
    ^bb0(%in: f64, %in_0: f64, %in_1: f64, %out: f64):
      %27 = arith.mulf %in_1, %in_0 : f64
      %28 = arith.subf %in, %27 : f64
      linalg.yield %28 : f64
    } -> tensor<3xf64>
    %25 = fsdp.all_reduce  sum %9 over @world : (tensor<f64>) -> tensor<f64>
    %26 = fsdp.scale %25 by 1 over 2 : tensor<f64>
    return %26, %20, %22, %24 : tensor<f64>, tensor<3xf64>, tensor<3xf64>, tensor<3xf64>
  }
}

