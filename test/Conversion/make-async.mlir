// RUN: fsdp-opt %s --fsdp-make-async | FileCheck %s

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>

  // A bucket stays one collective, and the wait holds all of its sources.
  // CHECK-LABEL: func @bucket
  // CHECK-SAME: (%[[A:.*]]: tensor<2x4xf32>, %[[B:.*]]: tensor<3xf32>)
  // CHECK: %[[DA:.*]] = tensor.empty() : tensor<8x4xf32>
  // CHECK: %[[DB:.*]] = tensor.empty() : tensor<12xf32>
  // CHECK: %[[TOKEN:.*]], %[[P:.*]]:2 = fsdp.start_all_gather ins(%[[A]], %[[B]] : tensor<2x4xf32>, tensor<3xf32>) outs(%[[DA]], %[[DB]] : {{.*}}) {dim = 0 : i64, group = @node}
  // CHECK-NEXT: %[[FULL:.*]]:2 = fsdp.wait %[[TOKEN]], %[[P]]#0, %[[P]]#1 : {{.*}} holding %[[A]], %[[B]]
  // CHECK-NEXT: return %[[FULL]]#0, %[[FULL]]#1
  func.func @bucket(%a: tensor<2x4xf32>, %b: tensor<3xf32>)
      -> (tensor<8x4xf32>, tensor<12xf32>) {
    %0:2 = fsdp.all_gather %a, %b over @node dim 0
        : (tensor<2x4xf32>, tensor<3xf32>) -> (tensor<8x4xf32>, tensor<12xf32>)
    return %0#0, %0#1 : tensor<8x4xf32>, tensor<12xf32>
  }

  // CHECK-LABEL: func @attributes
  // CHECK: fsdp.start_reduce_scatter {{.*}} {dim = 1 : i64, group = @node, reduction = #fsdp<reduction max>}
  // CHECK: fsdp.start_broadcast {{.*}} {group = @node, root = 2 : i64}
  // CHECK: fsdp.start_permute {{.*}} {group = @node, shift = -1 : i64}
  func.func @attributes(%a: tensor<2x4xf32>)
      -> (tensor<2x1xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
    %0 = fsdp.reduce_scatter max %a over @node dim 1
        : (tensor<2x4xf32>) -> tensor<2x1xf32>
    %1 = fsdp.broadcast %a over @node root 2
        : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = fsdp.permute %a over @node shift -1
        : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %0, %1, %2 : tensor<2x1xf32>, tensor<2x4xf32>, tensor<2x4xf32>
  }

  // The blocks of an all-to-all get a leading dimension: from dim 1, to dim 0
  // (where they stay in front).
  // CHECK-LABEL: func @all_to_all
  // CHECK: %[[E:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2]] output_shape [3, 4, 2]
  // CHECK: %[[T:.*]] = linalg.transpose ins(%[[E]] : {{.*}}) outs({{.*}} : tensor<4x3x2xf32>) permutation = [1, 0, 2]
  // CHECK: fsdp.start_all_to_all ins(%[[T]] : {{.*}}) {{.*}} {concat_dim = 0 : i64, group = @node, split_dim = 0 : i64}
  // CHECK: %[[R:.*]] = fsdp.wait
  // CHECK-NEXT: tensor.collapse_shape %[[R]] {{\[}}[0, 1], [2]] : tensor<4x3x2xf32> into tensor<12x2xf32>
  func.func @all_to_all(%a: tensor<3x8xf32>) -> tensor<12x2xf32> {
    %0 = fsdp.all_to_all %a over @node split 1 concat 0
        : (tensor<3x8xf32>) -> tensor<12x2xf32>
    return %0 : tensor<12x2xf32>
  }
}
