// SPDX-License-Identifier: Apache-2.0
// From one dimension to another, orders of groups, sums that are wanted later:
// each pair of placements becomes the moves that send the fewest bytes.
// RUN: fsdp-opt %s --fsdp-lower-reshards --split-input-file | FileCheck %s

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>

  // CHECK-LABEL: @moved
  // CHECK-NEXT: fsdp.all_to_all %arg0 over @node split 0 concat 1 : (tensor<8x1xf32>) -> tensor<2x4xf32>
  // CHECK-NEXT: return
  func.func @moved(%x: tensor<8x1xf32>) -> tensor<2x4xf32> {
    %0 = fsdp.reshard %x of [8, 4] from <[{}, {@node} ]> to <[{@node}, {} ]> : tensor<8x1xf32> to tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }

  // What stays in front does not matter; two groups go as one.
  // CHECK-LABEL: @moved_minor
  // CHECK-NEXT: fsdp.all_to_all %arg0 over @node split 1 concat 0 : (tensor<1x8xf32>) -> tensor<4x2xf32>
  // CHECK-NEXT: fsdp.all_to_all %arg1 over @world split 2 concat 1
  // CHECK-NOT: fsdp.
  func.func @moved_minor(%x: tensor<1x8xf32>, %y: tensor<8x1x8xf32>) -> (tensor<4x2xf32>, tensor<8x8x1xf32>) {
    %0 = fsdp.reshard %x of [8, 8] from <[{@across, @node}, {} ]> to <[{@across}, {@node} ]> : tensor<1x8xf32> to tensor<4x2xf32>
    %1 = fsdp.reshard %y of [8, 8, 8] from <[{}, {@across, @node}, {} ]> to <[{}, {}, {@world} ]> : tensor<8x1x8xf32> to tensor<8x8x1xf32>
    return %0, %1 : tensor<4x2xf32>, tensor<8x8x1xf32>
  }

  // The dimension that is split is padded, the one that is gathered is cut.
  // CHECK-LABEL: @moved_uneven
  // CHECK: %[[P:.*]] = tensor.pad %arg0 low[0, 0] high[3, 0]
  // CHECK: %[[M:.*]] = fsdp.all_to_all %[[P]] over @node split 0 concat 1 : (tensor<8x2xf32>) -> tensor<2x8xf32>
  // CHECK: tensor.extract_slice %[[M]][0, 0] [2, 6] [1, 1]
  // CHECK-NOT: fsdp.
  func.func @moved_uneven(%x: tensor<5x2xf32>) -> tensor<2x6xf32> {
    %0 = fsdp.reshard %x of [5, 6] from <[{}, {@node} ]> to <[{@node}, {} ]> : tensor<5x2xf32> to tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }

  // What is cut is cut before the rest is gathered or added: fewer bytes.
  // CHECK-LABEL: @slice_first
  // CHECK-NEXT: %[[A:.*]] = fsdp.slice %arg0 over @across dim 0 : tensor<8x2xf32> to tensor<4x2xf32>
  // CHECK-NEXT: fsdp.all_gather %[[A]] over @node dim 1 : (tensor<4x2xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %[[B:.*]] = fsdp.slice %arg1 over @across dim 0 : tensor<8x8xf32> to tensor<4x8xf32>
  // CHECK-NEXT: fsdp.all_reduce {{ ?}}max %[[B]] over @node : (tensor<4x8xf32>)
  // CHECK-NOT: fsdp.
  func.func @slice_first(%x: tensor<8x2xf32>, %y: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %0 = fsdp.reshard %x of [8, 8] from <[{}, {@node} ]> to <[{@across}, {} ]> : tensor<8x2xf32> to tensor<4x8xf32>
    %1 = fsdp.reshard %y of [8, 8] from <[{}, {} ], partial = max {@node}> to <[{@across}, {} ]> : tensor<8x8xf32> to tensor<4x8xf32>
    return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
  }

  // A sum over chunks is done before they are gathered.
  // CHECK-LABEL: @gather_last
  // CHECK-NEXT: %[[A:.*]] = fsdp.all_reduce {{ ?}}sum %arg0 over @across : (tensor<8x2xf32>)
  // CHECK-NEXT: fsdp.all_gather %[[A]] over @node dim 1
  func.func @gather_last(%x: tensor<8x2xf32>) -> tensor<8x8xf32> {
    %0 = fsdp.reshard %x of [8, 8] from <[{}, {@node} ], partial = {@across}> to <[{}, {} ]> : tensor<8x2xf32> to tensor<8x8xf32>
    return %0 : tensor<8x8xf32>
  }

  // B7: a sum over both groups is done over both, though one only is split.
  // CHECK-LABEL: @both
  // CHECK-NEXT: %[[A:.*]] = fsdp.reduce_scatter {{ ?}}sum %arg0 over @node dim 0 : (tensor<8x8xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: fsdp.all_reduce {{ ?}}sum %[[A]] over @across : (tensor<2x8xf32>)
  // CHECK-NEXT: %[[B:.*]] = fsdp.reduce_scatter {{ ?}}min %arg0 over @across dim 1
  // CHECK-NEXT: fsdp.all_reduce {{ ?}}min %[[B]] over @node : (tensor<8x4xf32>)
  func.func @both(%x: tensor<8x8xf32>) -> (tensor<2x8xf32>, tensor<8x4xf32>) {
    %0 = fsdp.reshard %x of [8, 8] from <[{}, {} ], partial = {@node, @across}> to <[{@node}, {} ]> : tensor<8x8xf32> to tensor<2x8xf32>
    %1 = fsdp.reshard %x of [8, 8] from <[{}, {} ], partial = min {@world}> to <[{}, {@across} ]> : tensor<8x8xf32> to tensor<8x4xf32>
    return %0, %1 : tensor<2x8xf32>, tensor<8x4xf32>
  }

  // Groups that overlap: only what is not shared moves. On one dimension
  // @node has to go first, since it is minor.
  // CHECK-LABEL: @overlap
  // CHECK-NEXT: fsdp.all_gather %arg0 over @node dim 0 : (tensor<1xf32>) -> tensor<4xf32>
  // CHECK-NEXT: fsdp.slice %arg1 over @node dim 0 : tensor<4xf32> to tensor<1xf32>
  // CHECK-NEXT: %[[G:.*]] = fsdp.all_gather %arg0 over @world dim 0 : (tensor<1xf32>) -> tensor<8xf32>
  // CHECK-NEXT: fsdp.slice %[[G]] over @node dim 0 : tensor<8xf32> to tensor<2xf32>
  // CHECK-NEXT: return
  func.func @overlap(%x: tensor<1xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<1xf32>, tensor<2xf32>) {
    %0 = fsdp.reshard %x of [8] from <[{@world} ]> to <[{@across} ]> : tensor<1xf32> to tensor<4xf32>
    %1 = fsdp.reshard %y of [8] from <[{@across} ]> to <[{@world} ]> : tensor<4xf32> to tensor<1xf32>
    %2 = fsdp.reshard %x of [8] from <[{@world} ]> to <[{@node} ]> : tensor<1xf32> to tensor<2xf32>
    return %0, %1, %2 : tensor<4xf32>, tensor<1xf32>, tensor<2xf32>
  }

  // The same on a matrix: both go to the other dimension and @node comes back;
  // 42 elements are sent instead of 112.
  // CHECK-LABEL: @overlap_matrix
  // CHECK-NEXT: %[[A:.*]] = fsdp.all_to_all %arg0 over @world split 1 concat 0 : (tensor<1x16xf32>) -> tensor<8x2xf32>
  // CHECK-NEXT: %[[B:.*]] = fsdp.all_to_all %[[A]] over @node split 0 concat 1 : (tensor<8x2xf32>) -> tensor<2x8xf32>
  // CHECK-NEXT: fsdp.all_gather %[[B]] over @across dim 1 : (tensor<2x8xf32>) -> tensor<2x16xf32>
  // CHECK-NEXT: return
  func.func @overlap_matrix(%x: tensor<1x16xf32>) -> tensor<2x16xf32> {
    %0 = fsdp.reshard %x of [8, 16] from <[{@world}, {} ]> to <[{@node}, {} ]> : tensor<1x16xf32> to tensor<2x16xf32>
    return %0 : tensor<2x16xf32>
  }

  // Two groups swap.
  // CHECK-LABEL: @swap(
  // CHECK-NEXT: fsdp.all_to_all {{.*}} over @node split 1 concat 0
  // CHECK-NEXT: fsdp.all_to_all {{.*}} over @across split 1 concat 0
  // CHECK-NEXT: fsdp.all_to_all {{.*}} over @[[R:ranks.*]] split 0 concat 1
  // CHECK-NEXT: return
  func.func @swap(%x: tensor<1x16xf32>) -> tensor<1x16xf32> {
    %0 = fsdp.reshard %x of [8, 16] from <[{@across, @node}, {} ]> to <[{@node, @across}, {} ]> : tensor<1x16xf32> to tensor<1x16xf32>
    return %0 : tensor<1x16xf32>
  }

  // Split on one dimension only, there is nowhere to go.
  // CHECK-LABEL: @swap_vector
  // CHECK-NEXT: fsdp.all_gather {{.*}} over @world dim 0 : (tensor<2xf32>) -> tensor<16xf32>
  // CHECK-NEXT: fsdp.slice {{.*}} over @[[R:ranks.*]] dim 0 : tensor<16xf32> to tensor<2xf32>
  // CHECK-NEXT: return
  func.func @swap_vector(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = fsdp.reshard %x of [16] from <[{@across, @node} ]> to <[{@node, @across} ]> : tensor<2xf32> to tensor<2xf32>
    return %0 : tensor<2xf32>
  }

  // A sum that is wanted later, of a replicated value: the first rank keeps it.
  // CHECK-LABEL: @mask
  // CHECK: %[[I:.*]] = fsdp.rank_index @node
  // CHECK: %[[K:.*]] = arith.cmpi eq, %[[I]], %c0
  // CHECK: linalg.generic
  // CHECK: arith.select %[[K]], %{{.*}}, %{{.*}} : i64
  // CHECK-NOT: fsdp.
  func.func @mask(%x: tensor<8xi64>) -> tensor<8xi64> {
    %0 = fsdp.reshard %x of [8] from <[{} ]> to <[{} ], partial = {@node}> : tensor<8xi64> to tensor<8xi64>
    return %0 : tensor<8xi64>
  }

  // Of a split value: each rank keeps its rows where they belong.
  // CHECK-LABEL: @embed
  // CHECK: %[[Z:.*]] = tensor.splat %{{.*}} : tensor<8xf32>
  // CHECK: %[[I:.*]] = fsdp.rank_index @node
  // CHECK: %[[O:.*]] = arith.muli %[[I]], %c2
  // CHECK: %[[E:.*]] = tensor.insert_slice %arg0 into %[[Z]][%[[O]]] [2] [1]
  // CHECK: tensor.extract_slice %[[E]][0] [5] [1]
  // CHECK-NOT: fsdp.
  func.func @embed(%x: tensor<2xf32>) -> tensor<5xf32> {
    %0 = fsdp.reshard %x of [5] from <[{@node} ]> to <[{} ], partial = {@node}> : tensor<2xf32> to tensor<5xf32>
    return %0 : tensor<5xf32>
  }

  // The maximum of equal values is what they are.
  // CHECK-LABEL: @maximum
  // CHECK-NEXT: return %arg0
  func.func @maximum(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = fsdp.reshard %x of [8] from <[{} ]> to <[{} ], partial = max {@node}> : tensor<8xf32> to tensor<8xf32>
    return %0 : tensor<8xf32>
  }

  // A sum of maxima: the maximum is taken first.
  // CHECK-LABEL: @sum_of_maxima
  // CHECK: %[[M:.*]] = fsdp.all_reduce {{ ?}}max %arg0 over @node
  // CHECK: fsdp.rank_index @node
  func.func @sum_of_maxima(%x: tensor<8xf32>) -> tensor<8xf32> {
    %0 = fsdp.reshard %x of [8] from <[{} ], partial = max {@node}> to <[{} ], partial = {@node}> : tensor<8xf32> to tensor<8xf32>
    return %0 : tensor<8xf32>
  }

  // Complex numbers have zeros too.
  // CHECK-LABEL: @complex
  // CHECK: complex.constant [0.000000e+00 : f32, 0.000000e+00 : f32] : complex<f32>
  // CHECK: fsdp.slice
  func.func @complex(%x: tensor<5xcomplex<f32>>) -> tensor<2xcomplex<f32>> {
    %0 = fsdp.reshard %x of [5] from <[{} ]> to <[{@node} ]> : tensor<5xcomplex<f32>> to tensor<2xcomplex<f32>>
    return %0 : tensor<2xcomplex<f32>>
  }

  // Nothing is sent of nothing.
  // CHECK-LABEL: @empty
  // CHECK-NEXT: tensor.empty() : tensor<0x4xf32>
  // CHECK-NEXT: return
  func.func @empty(%x: tensor<0x1xf32>) -> tensor<0x4xf32> {
    %0 = fsdp.reshard %x of [0, 4] from <[{}, {@node} ]> to <[{}, {} ]> : tensor<0x1xf32> to tensor<0x4xf32>
    return %0 : tensor<0x4xf32>
  }
}

// -----

// Groups without digits.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  fsdp.process_group @next = #fsdp.classes<[[1, 2, 3, 0], [5, 6, 7, 4]]>
  fsdp.process_group @other = #fsdp.classes<[[0, 1, 3, 2], [4, 5, 7, 6]]>
  fsdp.process_group @far = #fsdp.classes<[[0, 5, 6, 3], [4, 1, 2, 7]]>

  // The same classes one rank further: chunk i goes from rank i to rank i + 1.
  // CHECK-LABEL: @rotated
  // CHECK-NEXT: fsdp.permute %arg0 over @node shift 1 : (tensor<2x4xf32>)
  // CHECK-NEXT: fsdp.permute %arg0 over @next shift 3 : (tensor<2x4xf32>)
  // CHECK-NEXT: return
  func.func @rotated(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
    %0 = fsdp.reshard %x of [8, 8] from <[{@node}, {@across} ]> to <[{@next}, {@across} ]> : tensor<2x4xf32> to tensor<2x4xf32>
    %1 = fsdp.reshard %x of [8, 8] from <[{@next}, {@across} ]> to <[{@node}, {@across} ]> : tensor<2x4xf32> to tensor<2x4xf32>
    return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
  }

  // In another order that is no rotation; the shared group stays.
  // CHECK-LABEL: @shuffled
  // CHECK-NEXT: fsdp.all_gather %arg0 over @node dim 0 : (tensor<2x4xf32>) -> tensor<8x4xf32>
  // CHECK-NEXT: fsdp.slice {{.*}} over @other dim 0 : tensor<8x4xf32> to tensor<2x4xf32>
  // CHECK-NEXT: return
  func.func @shuffled(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = fsdp.reshard %x of [8, 8] from <[{@node}, {@across} ]> to <[{@other}, {@across} ]> : tensor<2x4xf32> to tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }

  // A sum over the world has no order, rows over it do.
  // CHECK-LABEL: @whole
  // CHECK-NEXT: %[[A:.*]] = fsdp.reduce_scatter {{ ?}}sum %arg0 over @far dim 0
  // CHECK-NEXT: fsdp.all_reduce {{ ?}}sum %[[A]] over @[[C:ranks.*]] :
  // CHECK-NEXT: %[[B:.*]] = fsdp.all_gather %arg1 over @far dim 0
  // CHECK-NEXT: fsdp.slice %[[B]] over @world dim 0
  // CHECK-NEXT: return
  func.func @whole(%x: tensor<8xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<1xf32>) {
    %0 = fsdp.reshard %x of [8] from <[{} ], partial = {@world}> to <[{@far} ]> : tensor<8xf32> to tensor<2xf32>
    %1 = fsdp.reshard %y of [8] from <[{@far} ]> to <[{@world} ]> : tensor<2xf32> to tensor<1xf32>
    return %0, %1 : tensor<2xf32>, tensor<1xf32>
  }
}
