// SPDX-License-Identifier: Apache-2.0
// The loss is combined as it says, buffers as the plan says, and each rank draws
// its own random numbers while the next seed stays common.
// RUN: fsdp-opt %s --fsdp-combine-results --split-input-file --verify-diagnostics | FileCheck %s

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  // The product of both groups is the world, a group of its own.
  // CHECK: fsdp.process_group @[[LOSS:.*]] = #fsdp.classes<[1, 8] from [8]>
  // CHECK-LABEL: @mean
  // CHECK: %[[L:.*]] = arith.mulf
  // CHECK: %[[SUM:.*]] = fsdp.all_reduce {{ ?}}sum %[[L]] over @[[LOSS]]
  // CHECK: %[[MEAN:.*]] = fsdp.scale %[[SUM]] by 1 over 8
  // A buffer is averaged where it varies, over that only.
  // CHECK: %[[BSUM:.*]] = fsdp.all_reduce {{ ?}}sum %{{.*}} over @across
  // CHECK: %[[BMEAN:.*]] = fsdp.scale %[[BSUM]] by 1 over 2
  // CHECK: return %[[MEAN]], %[[BMEAN]], %{{.*}}, %{{.*}} :
  func.func @mean(%x: tensor<f32> {fsdp.input = "x",
                      fsdp.sharding = #fsdp.sharding<[], varying = {@node, @across}>},
                  %y: tensor<f32> {fsdp.input = "y",
                      fsdp.sharding = #fsdp.sharding<[], varying = {@across}>},
                  %b: tensor<f32> {fsdp.buffer = "b"}, %n: tensor<i64> {fsdp.buffer = "n"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@node, @across]>},
          tensor<f32> {fsdp.updated = "b"}, tensor<i64> {fsdp.updated = "n"},
          tensor<f32> {fsdp.output = "o"}) {
    %l = arith.mulf %x, %x : tensor<f32>
    %b1 = arith.addf %b, %y : tensor<f32>
    // Integers that do not depend on the batch are equal.
    %n1 = arith.addi %n, %n : tensor<i64>
    return %l, %b1, %n1, %x : tensor<f32>, tensor<f32>, tensor<i64>, tensor<f32>
  }
}

// -----

module attributes {fsdp.buffers = "rank0", fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  // CHECK-LABEL: @sum
  // CHECK: fsdp.all_reduce {{ ?}}sum %{{.*}} over @world
  // CHECK-NOT: fsdp.scale
  // CHECK: %[[B:.*]] = fsdp.broadcast %{{.*}} over @world root 0
  // CHECK: return %{{.*}}, %[[B]]
  func.func @sum(%x: tensor<f32> {fsdp.input = "x",
                     fsdp.sharding = #fsdp.sharding<[], varying = {@world}>},
                 %i: tensor<i64> {fsdp.input = "i",
                     fsdp.sharding = #fsdp.sharding<[], varying = {@world}>},
                 %n: tensor<i64> {fsdp.buffer = "n"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@world]>},
          tensor<i64> {fsdp.updated = "n"}) {
    %n1 = arith.addi %n, %i : tensor<i64>
    return %x, %n1 : tensor<f32>, tensor<i64>
  }
}

// -----

module attributes {fsdp.buffers = "local", fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  // CHECK-LABEL: @local
  // CHECK-NOT: fsdp.{{all_reduce|broadcast}}
  // CHECK: return
  func.func @local(%i: tensor<i64> {fsdp.input = "i",
                       fsdp.sharding = #fsdp.sharding<[], varying = {@world}>},
                   %n: tensor<i64> {fsdp.buffer = "n"})
      -> (tensor<i64> {fsdp.updated = "n"}) {
    %n1 = arith.addi %n, %i : tensor<i64>
    return %n1 : tensor<i64>
  }
}

// -----

// f16: the sum may overflow where the mean does not, so the scale comes first.
// Groups that are not compatible hold no value together but what varies over all.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 6>} {
  fsdp.process_group @two = #fsdp.classes<[3, 2] from [6]>
  fsdp.process_group @three = #fsdp.classes<[2, 3] from [6]>
  // CHECK-LABEL: @half
  // CHECK: %[[S:.*]] = fsdp.scale %{{.*}} by 1 over 6
  // CHECK: fsdp.all_reduce {{ ?}}sum %[[S]] over @buffers
  func.func @half(%x: tensor<f16> {fsdp.input = "x",
                      fsdp.sharding = #fsdp.sharding<[], varying = {@two}>},
                  %y: tensor<f16> {fsdp.input = "y",
                      fsdp.sharding = #fsdp.sharding<[], varying = {@three}>},
                  %b: tensor<f16> {fsdp.buffer = "b"})
      -> (tensor<f16> {fsdp.updated = "b"}) {
    %b1 = arith.addf %x, %y : tensor<f16>
    return %b1 : tensor<f16>
  }
}

// -----

// Groups of one rank: nothing to do.
module attributes {fsdp.world = #fsdp.world<ranks = 1, ranks_per_node = 1>} {
  fsdp.process_group @world = #fsdp.classes<[1, 1] from [1]>
  // CHECK-LABEL: @alone
  // CHECK-NEXT: return
  func.func @alone(%x: tensor<f32> {fsdp.input = "x",
                       fsdp.sharding = #fsdp.sharding<[], varying = {@world}>},
                   %b: tensor<f32> {fsdp.buffer = "b"}, %s: tensor<i64> {fsdp.seed})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>},
          tensor<f32> {fsdp.updated = "b"}, tensor<i64> {fsdp.updated_seed}) {
    return %x, %x, %s : tensor<f32>, tensor<f32>, tensor<i64>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  // CHECK-LABEL: @seed
  // CHECK-SAME: %[[SEED:[a-z0-9]*]]: tensor<i64> {fsdp.seed}
  // CHECK: %[[RANK:.*]] = fsdp.rank_index @world
  // CHECK: %[[CAST:.*]] = arith.index_cast %[[RANK]] : index to i64
  // CHECK: %[[OWN:.*]] = linalg.generic {{.*}} ins(%[[SEED]] : tensor<i64>)
  // CHECK: arith.addi %{{.*}}, %[[CAST]] : i64
  // CHECK: %[[DRAWN:.*]] = arith.muli %[[OWN]], %[[OWN]]
  // CHECK: %[[OUT:.*]] = arith.xori %[[DRAWN]], %[[OWN]]
  // CHECK: %[[NEXT:.*]] = arith.muli %[[SEED]], %[[SEED]]
  // CHECK: return %[[OUT]], %[[NEXT]]
  func.func @seed(%s: tensor<i64> {fsdp.seed})
      -> (tensor<i64> {fsdp.output = "mask"}, tensor<i64> {fsdp.updated_seed}) {
    %next = arith.muli %s, %s : tensor<i64>
    %mask = arith.xori %next, %s : tensor<i64>
    return %mask, %next : tensor<i64>, tensor<i64>
  }
}

// -----

// With micro-batches the loop carries the common seed.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  // CHECK-LABEL: @seed_in_loop
  // CHECK-SAME: %[[SEED:[a-z0-9]*]]: tensor<i64> {fsdp.seed}
  // CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %[[SEED]], %
  // CHECK: fsdp.rank_index @world
  // CHECK: %[[OWN:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<i64>)
  // CHECK: %[[DRAWN:.*]] = arith.muli %[[OWN]], %[[OWN]]
  // CHECK: %[[NEXT:.*]] = arith.muli %[[S]], %[[S]]
  // CHECK: scf.yield %[[NEXT]], %[[DRAWN]]
  func.func @seed_in_loop(%s: tensor<i64> {fsdp.seed})
      -> (tensor<i64> {fsdp.updated_seed}, tensor<i64> {fsdp.output = "mask"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %0:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %s, %m = %s) -> (tensor<i64>, tensor<i64>) {
      %next = arith.muli %a, %a : tensor<i64>
      scf.yield %next, %next : tensor<i64>, tensor<i64>
    }
    return %0#0, %0#1 : tensor<i64>, tensor<i64>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @integers(%i: tensor<i64> {fsdp.input = "i",
                          fsdp.sharding = #fsdp.sharding<[], varying = {@world}>},
                      %n: tensor<i64> {fsdp.buffer = "n"})
      -> (tensor<i64> {fsdp.updated = "n"}) {
    // expected-error @below {{expected a buffer of integers to be equal on all ranks, but got 'n', which depends on the batch; say 'buffers: rank0' or 'local'}}
    %n1 = arith.addi %n, %i : tensor<i64>
    return %n1 : tensor<i64>
  }
}
