// SPDX-License-Identifier: Apache-2.0
// What folds, and what must not.
// RUN: fsdp-opt %s --split-input-file --canonicalize | FileCheck %s

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @g = #fsdp.classes<[2, 4] from [8]>

  // CHECK-LABEL: func.func @scale(
  // CHECK-SAME: %[[X:.*]]: tensor<4xf32>)
  func.func @scale(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    // CHECK-NEXT: %[[S:.*]] = fsdp.scale %[[X]] by 2 over 4
    // CHECK-NEXT: return %[[X]], %[[S]]
    %0 = fsdp.scale %x by 3 over 3 : tensor<4xf32>
    %1 = fsdp.scale %x by 2 over 4 : tensor<4xf32>
    return %0, %1 : tensor<4xf32>, tensor<4xf32>
  }

  // CHECK-LABEL: func.func @there_and_back(
  // CHECK-SAME: %[[X:.*]]: tensor<2xf32>)
  func.func @there_and_back(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
    // CHECK-NEXT: return %[[X]], %[[X]]
    %0 = fsdp.reshard %x of [8] from <[{@g}]> to <[{}]> : tensor<2xf32> to tensor<8xf32>
    %1 = fsdp.reshard %0 of [8] from <[{}]> to <[{@g}]> : tensor<8xf32> to tensor<2xf32>
    %2 = fsdp.reshard %x of [8] from <[{@g}]> to <[{@g}]> : tensor<2xf32> to tensor<2xf32>
    return %1, %2 : tensor<2xf32>, tensor<2xf32>
  }

  // There and back, but not from where it went.
  // CHECK-LABEL: func.func @elsewhere_and_back(
  func.func @elsewhere_and_back(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
    // CHECK-COUNT-2: fsdp.reshard
    %0 = fsdp.reshard %x of [8, 8] from <[{@g}, {}]> to <[{}, {}], partial = {@g}> : tensor<2x8xf32> to tensor<8x8xf32>
    %1 = fsdp.reshard %0 of [8, 8] from <[{}, {}]> to <[{@g}, {}]> : tensor<8x8xf32> to tensor<2x8xf32>
    return %1 : tensor<2x8xf32>
  }

  // A sum that was done is not undone.
  // CHECK-LABEL: func.func @sum_is_kept(
  func.func @sum_is_kept(%x: tensor<8xf32>) -> tensor<8xf32> {
    // CHECK-COUNT-2: fsdp.reshard
    %0 = fsdp.reshard %x of [8] from <[{}], partial = {@g}> to <[{}]> : tensor<8xf32> to tensor<8xf32>
    %1 = fsdp.reshard %0 of [8] from <[{}]> to <[{}], partial = {@g}> : tensor<8xf32> to tensor<8xf32>
    return %1 : tensor<8xf32>
  }

  // Equal collectives stay apart: two gathers of one unit are on purpose.
  // CHECK-LABEL: func.func @gathers_stay(
  func.func @gathers_stay(%x: tensor<2xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
    // CHECK-COUNT-2: fsdp.all_gather
    %0 = fsdp.all_gather %x over @g dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    %1 = fsdp.all_gather %x over @g dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    return %0, %1 : tensor<8xf32>, tensor<8xf32>
  }
}

// -----

// The types of an unresolved group say nothing yet; nothing may fold to a value
// of another type.
fsdp.process_group @g = "node"
// CHECK-LABEL: func.func @unresolved(
func.func @unresolved(%x: tensor<2xf32>) -> (tensor<4xf32>, tensor<3xf32>) {
  // CHECK-COUNT-3: fsdp.reshard
  %0 = fsdp.reshard %x of [8] from <[{@g}]> to <[{@g}]> : tensor<2xf32> to tensor<4xf32>
  %1 = fsdp.reshard %x of [8] from <[{@g}]> to <[{}]> : tensor<2xf32> to tensor<8xf32>
  %2 = fsdp.reshard %1 of [8] from <[{}]> to <[{@g}]> : tensor<8xf32> to tensor<3xf32>
  return %0, %2 : tensor<4xf32>, tensor<3xf32>
}

// -----

// Another logical shape on the way back is no way back.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @four = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @two = #fsdp.classes<[4, 2] from [8]>
  // CHECK-LABEL: func.func @other_shape(
  func.func @other_shape(%x: tensor<2xf32>) -> tensor<2xf32> {
    // CHECK-COUNT-2: fsdp.reshard
    %0 = fsdp.reshard %x of [8] from <[{@four}]> to <[{@two}]> : tensor<2xf32> to tensor<4xf32>
    %1 = fsdp.reshard %0 of [7] from <[{@two}]> to <[{@four}]> : tensor<4xf32> to tensor<2xf32>
    return %1 : tensor<2xf32>
  }
}
