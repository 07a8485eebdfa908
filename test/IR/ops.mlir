// SPDX-License-Identifier: Apache-2.0
// Every op parses, prints and parses again to the same.
// RUN: fsdp-opt %s | fsdp-opt | FileCheck %s
// RUN: fsdp-opt %s --mlir-print-op-generic | fsdp-opt | FileCheck %s

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // CHECK: fsdp.process_group @node = "node"
  fsdp.process_group @node = "node"
  // CHECK: fsdp.process_group @pairs = {{\[}}[0, 4], [1, 5], [2, 6], [3, 7]]
  fsdp.process_group @pairs = [[0, 4], [1, 5], [2, 6], [3, 7]]
  // CHECK: fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>
  // CHECK: fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)> spelled "mod4"
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)> spelled "mod4"

  // CHECK: fsdp.unit @plain {reshard_after_forward = true, shard = @g}
  fsdp.unit @plain {shard = @g, reshard_after_forward = true}
  // CHECK: fsdp.unit @all {gradient_divide_factor = 2.000000e+00 : f64, output_dtype = f64, param_dtype = bf16, reduce_dtype = f32, replicate = @across, reshard_after_forward = 2 : i64, shard = @g}
  fsdp.unit @all {shard = @g, replicate = @across, reshard_after_forward = 2,
                  param_dtype = bf16, reduce_dtype = f32, output_dtype = f64,
                  gradient_divide_factor = 2.0}

  // CHECK-LABEL: func.func @blocking
  func.func @blocking(%a: tensor<8x4xf32>, %b: tensor<4x8xf32>) {
    // CHECK: fsdp.all_gather %{{.*}} over @g dim 1 : (tensor<8x4xf32>) -> tensor<8x16xf32>
    %0 = fsdp.all_gather %a over @g dim 1 : (tensor<8x4xf32>) -> tensor<8x16xf32>
    // CHECK: fsdp.reduce_scatter sum %{{.*}}, %{{.*}} over @g dim 0 : (tensor<8x4xf32>, tensor<4x8xf32>) -> (tensor<2x4xf32>, tensor<1x8xf32>)
    %1:2 = fsdp.reduce_scatter sum %a, %b over @g dim 0
        : (tensor<8x4xf32>, tensor<4x8xf32>) -> (tensor<2x4xf32>, tensor<1x8xf32>)
    // CHECK: fsdp.all_reduce max %{{.*}} over @g : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %2 = fsdp.all_reduce max %a over @g : (tensor<8x4xf32>) -> tensor<8x4xf32>
    // CHECK: fsdp.all_reduce min %{{.*}} over @node {tag} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %3 = fsdp.all_reduce min %a over @node {tag} : (tensor<8x4xf32>) -> tensor<8x4xf32>
    // CHECK: fsdp.all_to_all %{{.*}} over @across split 0 concat 1 : (tensor<8x4xf32>) -> tensor<4x8xf32>
    %4 = fsdp.all_to_all %a over @across split 0 concat 1 : (tensor<8x4xf32>) -> tensor<4x8xf32>
    // CHECK: fsdp.broadcast %{{.*}} over @g root 3 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %5 = fsdp.broadcast %a over @g root 3 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    // CHECK: fsdp.permute %{{.*}} over @g shift -1 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    %6 = fsdp.permute %a over @g shift -1 : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return
  }

  // CHECK-LABEL: func.func @started
  func.func @started(%x: tensor<4xf32>, %y: tensor<1xf32>, %d: tensor<16xf32>,
                     %e: tensor<4xf32>) {
    // CHECK: %[[T:.*]], %[[P:.*]]:2 = fsdp.start_all_gather ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<1xf32>) outs(%{{.*}}, %{{.*}} : tensor<16xf32>, tensor<4xf32>) {channel = 3 : i64, dim = 0 : i64, group = @g} -> tensor<16xf32>, tensor<4xf32>
    %t0, %p0:2 = fsdp.start_all_gather ins(%x, %y : tensor<4xf32>, tensor<1xf32>)
        outs(%d, %e : tensor<16xf32>, tensor<4xf32>)
        {group = @g, dim = 0 : i64, channel = 3 : i64} -> tensor<16xf32>, tensor<4xf32>
    // CHECK: fsdp.wait %[[T]], %[[P]]#0, %[[P]]#1 : tensor<16xf32>, tensor<4xf32> holding %{{.*}}, %{{.*}} : tensor<4xf32>, tensor<1xf32>
    %r:2 = fsdp.wait %t0, %p0#0, %p0#1 : tensor<16xf32>, tensor<4xf32>
        holding %x, %y : tensor<4xf32>, tensor<1xf32>
    // CHECK: fsdp.start_reduce_scatter ins(%{{.*}} : tensor<4xf32>) outs(%{{.*}} : tensor<1xf32>) {dim = 0 : i64, group = @g, reduction = #fsdp<reduction sum>} -> tensor<1xf32>
    %t1, %p1 = fsdp.start_reduce_scatter ins(%x : tensor<4xf32>) outs(%y : tensor<1xf32>)
        {group = @g, dim = 0 : i64, reduction = #fsdp<reduction sum>} -> tensor<1xf32>
    // CHECK: fsdp.start_all_reduce ins
    %t2, %p2 = fsdp.start_all_reduce ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
        {group = @g, reduction = #fsdp<reduction max>} -> tensor<4xf32>
    // CHECK: fsdp.start_all_to_all ins
    %t3, %p3 = fsdp.start_all_to_all ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
        {group = @g, split_dim = 0 : i64, concat_dim = 0 : i64} -> tensor<4xf32>
    // CHECK: fsdp.start_broadcast ins
    %t4, %p4 = fsdp.start_broadcast ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
        {group = @g, root = 0 : i64} -> tensor<4xf32>
    // CHECK: fsdp.start_permute ins
    %t5, %p5 = fsdp.start_permute ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>)
        {group = @g, shift = 1 : i64} -> tensor<4xf32>
    return
  }

  // CHECK-LABEL: func.func @started_on_buffers
  func.func @started_on_buffers(%x: memref<4xf32>, %d: memref<4xf32>) {
    // CHECK: %[[T:.*]] = fsdp.start_all_reduce ins(%{{.*}} : memref<4xf32>) outs(%{{.*}} : memref<4xf32>) {group = @g, reduction = #fsdp<reduction sum>}
    %t = fsdp.start_all_reduce ins(%x : memref<4xf32>) outs(%d : memref<4xf32>)
        {group = @g, reduction = #fsdp<reduction sum>}
    // CHECK: fsdp.wait %[[T]] holding %{{.*}} : memref<4xf32>
    fsdp.wait %t holding %x : memref<4xf32>
    return
  }

  // CHECK-LABEL: func.func @local
  func.func @local(%x: tensor<5x3xf32>, %y: tensor<2x3xf32>) -> index {
    // CHECK: fsdp.slice %{{.*}} over @g dim 0 : tensor<5x3xf32> to tensor<2x3xf32>
    %0 = fsdp.slice %x over @g dim 0 : tensor<5x3xf32> to tensor<2x3xf32>
    // CHECK: fsdp.scale %{{.*}} by 1 over 8 : tensor<5x3xf32>
    %1 = fsdp.scale %x by 1 over 8 : tensor<5x3xf32>
    // CHECK: fsdp.local_grad %{{.*}} of "h.0.w" : tensor<5x3xf32>
    %2 = fsdp.local_grad %x of "h.0.w" : tensor<5x3xf32>
    // CHECK: fsdp.global_norm %{{.*}}, %{{.*}} {shardings = [#fsdp.sharding<[{}, {}]>, #fsdp.sharding<[{@g}, {}]>]} : (tensor<5x3xf32>, tensor<2x3xf32>) -> tensor<f32>
    %3 = fsdp.global_norm %x, %y {shardings = [
        #fsdp.sharding<[{}, {}]>, #fsdp.sharding<[{@g}, {}]>]}
        : (tensor<5x3xf32>, tensor<2x3xf32>) -> tensor<f32>
    // CHECK: fsdp.reshard %{{.*}} of [5, 3] from <[{}, {}]> to <[{@g}, {}]> : tensor<5x3xf32> to tensor<2x3xf32>
    %4 = fsdp.reshard %x of [5, 3] from <[{}, {}]> to <[{@g}, {}]>
        : tensor<5x3xf32> to tensor<2x3xf32>
    // CHECK: fsdp.optimization_barrier %{{.*}}, %{{.*}} : tensor<5x3xf32>, tensor<2x3xf32>
    %5:2 = fsdp.optimization_barrier %x, %y : tensor<5x3xf32>, tensor<2x3xf32>
    // CHECK: fsdp.rank_index @g
    %6 = fsdp.rank_index @g
    return %6 : index
  }

  // CHECK-LABEL: func.func @scatter
  func.func @scatter(%u: tensor<4x1x8xf32>, %i: tensor<4x1xi64>,
                     %d: tensor<16x8xf32>) -> tensor<16x8xf32> {
    // CHECK: fsdp.scatter ins(%{{.*}}, %{{.*}} : tensor<4x1x8xf32>, tensor<4x1xi64>) outs(%{{.*}} : tensor<16x8xf32>) dims [0] unique {
    // CHECK: fsdp.yield %{{.*}} : f32
    // CHECK: } -> tensor<16x8xf32>
    %0 = fsdp.scatter ins(%u, %i : tensor<4x1x8xf32>, tensor<4x1xi64>)
        outs(%d : tensor<16x8xf32>) dims [0] unique {
    ^bb0(%update: f32, %current: f32):
      %1 = arith.addf %current, %update : f32
      fsdp.yield %1 : f32
    } -> tensor<16x8xf32>
    return %0 : tensor<16x8xf32>
  }

  // CHECK-LABEL: func.func @scatter_on_buffers
  func.func @scatter_on_buffers(%u: memref<4xf32>, %i: memref<4x1xi32>,
                                %d: memref<16xf32>) {
    // CHECK: fsdp.scatter ins(%{{.*}}, %{{.*}} : memref<4xf32>, memref<4x1xi32>) outs(%{{.*}} : memref<16xf32>) dims [0] {
    fsdp.scatter ins(%u, %i : memref<4xf32>, memref<4x1xi32>)
        outs(%d : memref<16xf32>) dims [0] {
    ^bb0(%update: f32, %current: f32):
      fsdp.yield %update : f32
    }
    return
  }
}
