// SPDX-License-Identifier: Apache-2.0
// Gathers, slices and reductions. lower-reshards-moves.mlir has the rest.
// RUN: fsdp-opt %s --fsdp-lower-reshards --split-input-file | FileCheck %s

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  fsdp.process_group @self = #fsdp.classes<[8, 1] from [8]>

  // Chunks are padded on the way in, and the padding is cut on the way out.
  // CHECK-LABEL: @gather
  // CHECK: %[[F:.*]] = fsdp.all_gather %{{.*}} over @node dim 0 : (tensor<2x3xf32>) -> tensor<8x3xf32>
  // CHECK: tensor.extract_slice %[[F]][0, 0] [5, 3] [1, 1] : tensor<8x3xf32> to tensor<5x3xf32>
  func.func @gather(%x: tensor<2x3xf32>) -> tensor<5x3xf32> {
    %0 = fsdp.reshard %x of [5, 3] from <[{@node}, {} ]> to <[{}, {} ]> : tensor<2x3xf32> to tensor<5x3xf32>
    return %0 : tensor<5x3xf32>
  }

  // CHECK-LABEL: @slice
  // CHECK: %[[P:.*]] = tensor.pad %{{.*}} low[0, 0] high[3, 0]
  // CHECK: fsdp.slice %[[P]] over @node dim 0 : tensor<8x3xf32> to tensor<2x3xf32>
  func.func @slice(%x: tensor<5x3xf32>) -> tensor<2x3xf32> {
    %0 = fsdp.reshard %x of [5, 3] from <[{}, {} ]> to <[{@node}, {} ]> : tensor<5x3xf32> to tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }

  // HSDP: reduce-scatter inside, then all-reduce of the shard across.
  // CHECK-LABEL: @hybrid
  // CHECK: %[[P:.*]] = tensor.pad %{{.*}} low[0] high[3]
  // CHECK: %[[S:.*]] = fsdp.reduce_scatter {{ ?}}sum %[[P]] over @node dim 0 : (tensor<8xf32>) -> tensor<2xf32>
  // CHECK: %[[R:.*]] = fsdp.all_reduce {{ ?}}sum %[[S]] over @across : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: return %[[R]]
  func.func @hybrid(%x: tensor<5xf32>) -> tensor<2xf32> {
    %0 = fsdp.reshard %x of [5] from <[{} ], partial = {@world}> to <[{@node} ]> : tensor<5xf32> to tensor<2xf32>
    return %0 : tensor<2xf32>
  }

  // The sum that waits for the last micro-batch.
  // CHECK-LABEL: @later
  // CHECK: fsdp.reduce_scatter {{ ?}}sum %{{.*}} over @node
  // CHECK-NOT: fsdp.all_reduce
  // CHECK: return
  func.func @later(%x: tensor<8xf32>) -> tensor<2xf32> {
    %0 = fsdp.reshard %x of [8] from <[{} ], partial = {@world}> to <[{@node} ], partial = {@across}> : tensor<8xf32> to tensor<2xf32>
    return %0 : tensor<2xf32>
  }

  // CHECK-LABEL: @reduce
  // CHECK: fsdp.all_reduce {{ ?}}max %{{.*}} over @node : (tensor<f32>) -> tensor<f32>
  func.func @reduce(%x: tensor<f32>) -> tensor<f32> {
    %0 = fsdp.reshard %x of [] from <[], partial = max {@node}> to <[]> : tensor<f32> to tensor<f32>
    return %0 : tensor<f32>
  }

  // Storage over more ranks than the sum: what is no sum is cut.
  // CHECK-LABEL: @part
  // CHECK: %[[A:.*]] = fsdp.slice %{{.*}} over @across dim 0 : tensor<8xf32> to tensor<4xf32>
  // CHECK: fsdp.reduce_scatter {{ ?}}sum %[[A]] over @node dim 0 : (tensor<4xf32>) -> tensor<1xf32>
  func.func @part(%x: tensor<8xf32>) -> tensor<1xf32> {
    %0 = fsdp.reshard %x of [8] from <[{} ], partial = {@node}> to <[{@world} ]> : tensor<8xf32> to tensor<1xf32>
    return %0 : tensor<1xf32>
  }

  // Two groups on a dim: as one where no chunk in between is padded, else the
  // minor one first, cut to the chunk of the one above; what both sides share
  // in front stays.
  // CHECK-LABEL: @nested
  // CHECK: %[[A:.*]] = fsdp.all_gather %{{.*}} over @[[R:ranks.*]] dim 0 : (tensor<1xf32>) -> tensor<8xf32>
  // CHECK: tensor.extract_slice %[[A]][0] [6] [1]
  // CHECK: %[[B:.*]] = fsdp.all_gather %{{.*}} over @node dim 0 : (tensor<1xf32>) -> tensor<4xf32>
  // CHECK: %[[C:.*]] = tensor.extract_slice %[[B]][0] [3] [1]
  // CHECK: fsdp.all_gather %[[C]] over @across dim 0 : (tensor<3xf32>) -> tensor<6xf32>
  // CHECK: %[[D:.*]] = fsdp.all_gather %{{.*}} over @across dim 0 : (tensor<1xf32>) -> tensor<2xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %[[D]]
  func.func @nested(%x: tensor<1xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<2xf32>) {
    %0 = fsdp.reshard %x of [6] from <[{@node, @across} ]> to <[{} ]> : tensor<1xf32> to tensor<6xf32>
    %1 = fsdp.reshard %x of [6] from <[{@across, @node} ]> to <[{} ]> : tensor<1xf32> to tensor<6xf32>
    %2 = fsdp.reshard %x of [6] from <[{@node, @across} ]> to <[{@node} ]> : tensor<1xf32> to tensor<2xf32>
    return %0, %1, %2 : tensor<6xf32>, tensor<6xf32>, tensor<2xf32>
  }

  // V8: 6 rows over @across (major), then @node inside: 3 rows each, padded to 4.
  // CHECK-LABEL: @nested_slice
  // CHECK: %[[A:.*]] = fsdp.slice %{{.*}} over @across dim 0 : tensor<6xf32> to tensor<3xf32>
  // CHECK: %[[B:.*]] = tensor.pad %[[A]] low[0] high[1]
  // CHECK: fsdp.slice %[[B]] over @node dim 0 : tensor<4xf32> to tensor<1xf32>
  func.func @nested_slice(%x: tensor<6xf32>) -> tensor<1xf32> {
    %0 = fsdp.reshard %x of [6] from <[{} ]> to <[{@across, @node} ]> : tensor<6xf32> to tensor<1xf32>
    return %0 : tensor<1xf32>
  }

  // Over groups of one rank nothing is sent.
  // CHECK-LABEL: @alone
  // CHECK-NOT: fsdp.
  // CHECK: return %arg0
  func.func @alone(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = fsdp.reshard %x of [8] from <[{} ], partial = {@self}> to <[{@self} ]> : tensor<8xf32> to tensor<8xf32>
    return %0 : tensor<8xf32>
  }
}
