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
  func.func @seed(%s: tensor<i64> {fsdp.seed},
                  %x: tensor<f32> {fsdp.input = "x",
                      fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<i64> {fsdp.output = "mask"}, tensor<i64> {fsdp.updated_seed}) {
    %next = arith.muli %s, %s : tensor<i64>
    %mask = arith.xori %next, %s : tensor<i64>
    return %mask, %next : tensor<i64>, tensor<i64>
  }
}

// -----

// With micro-batches the loop carries the common seed. Ranks that see the same
// batch draw the same numbers: what counts is the index among batches.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 8>} {
  fsdp.process_group @a = #fsdp.classes<[4, 2] from [8]>
  fsdp.process_group @b = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  // CHECK: fsdp.process_group @[[BATCH:.*]] = #fsdp.classes<[2, 4] from [2, 2, 2] T(1, 0, 2)>
  // CHECK-LABEL: @seed_in_loop
  // CHECK-SAME: %[[SEED:[a-z0-9]*]]: tensor<i64> {fsdp.seed}
  // CHECK: scf.for {{.*}} iter_args(%[[S:.*]] = %[[SEED]], %
  // CHECK: fsdp.rank_index @[[BATCH]]
  // CHECK: %[[OWN:.*]] = linalg.generic {{.*}} ins(%[[S]] : tensor<i64>)
  // CHECK: %[[DRAWN:.*]] = arith.muli %[[OWN]], %[[OWN]]
  // CHECK: %[[NEXT:.*]] = arith.muli %[[S]], %[[S]]
  // CHECK: scf.yield %[[NEXT]], %[[DRAWN]]
  func.func @seed_in_loop(%s: tensor<i64> {fsdp.seed},
                          %x: tensor<f32> {fsdp.input = "x",
                              fsdp.sharding = #fsdp.sharding<[], varying = {@a}>},
                          %y: tensor<f32> {fsdp.input = "y",
                              fsdp.sharding = #fsdp.sharding<[], varying = {@b}>})
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

// A global batch: nothing varies. The loss is that of the step, the seed draws
// one set of numbers, and a buffer is equal on all ranks.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @dp = #fsdp.classes<[1, 4] from [4]>
  // CHECK-LABEL: @global
  // CHECK-SAME: %[[SEED:[a-z0-9]*]]: tensor<i64> {fsdp.seed}
  // CHECK-NEXT: %[[NEXT:.*]] = arith.muli %[[SEED]], %[[SEED]]
  // CHECK-NEXT: %[[PART:.*]] = linalg.reduce
  // CHECK-NEXT: %[[LOSS:.*]] = fsdp.reshard %[[PART]]
  // CHECK-NEXT: %[[B:.*]] = arith.addf
  // CHECK-NEXT: return %[[LOSS]], %[[B]], %[[NEXT]]
  func.func @global(%s: tensor<i64> {fsdp.seed},
                    %x: tensor<2xf32> {fsdp.input = "x", fsdp.global_shape = array<i64: 8>,
                        fsdp.sharding = #fsdp.sharding<[{@dp}]>},
                    %init: tensor<f32> {fsdp.hyper = "zero"},
                    %b: tensor<f32> {fsdp.buffer = "b"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>}, tensor<f32> {fsdp.updated = "b"},
          tensor<i64> {fsdp.updated_seed}) {
    %next = arith.muli %s, %s : tensor<i64>
    %part = linalg.reduce { arith.addf } ins(%x : tensor<2xf32>) outs(%init : tensor<f32>) dimensions = [0]
    %l = fsdp.reshard %part of [] from <[], partial = {@dp}> to <[]> : tensor<f32> to tensor<f32>
    %b1 = arith.addf %b, %l : tensor<f32>
    return %l, %b1, %next : tensor<f32>, tensor<f32>, tensor<i64>
  }
}

// -----

// A loss over a count: the count of all ranks divides it. The count is made in
// front of the first gradient, with what it needs.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [4]>
  // CHECK-LABEL: @count
  // CHECK-SAME: (%[[W:[a-z0-9]*]]: tensor<f16> {fsdp.param = "w"}, %[[X:[a-z0-9]*]]: tensor<f16> {fsdp.input = "x"
  // CHECK-DAG: %[[L:.*]] = arith.mulf %[[X]], %[[W]]
  // CHECK-DAG: %[[N:.*]] = arith.fptosi %[[X]]
  // CHECK: %[[T:.*]] = linalg.generic {{.*}} ins(%[[N]] : tensor<i32>)
  // CHECK: arith.sitofp %{{.*}} : i32 to f32
  // CHECK: %[[TOTAL:.*]] = fsdp.all_reduce {{ ?}}sum %[[T]] over @dp {fsdp.divisor}
  // CHECK: fsdp.local_grad
  // CHECK: %[[SUM:.*]] = fsdp.all_reduce {{ ?}}sum %[[L]] over @dp
  // CHECK: %[[Q:.*]] = linalg.generic {{.*}} ins(%[[SUM]], %[[TOTAL]] : tensor<f16>, tensor<f32>)
  // CHECK: arith.extf %{{.*}} : f16 to f32
  // CHECK: arith.divf %{{.*}}, %{{.*}} : f32
  // CHECK: arith.truncf %{{.*}} : f32 to f16
  // CHECK: return %[[Q]], %{{.*}}, %[[N]]
  func.func @count(%w: tensor<f16> {fsdp.param = "w"},
                   %x: tensor<f16> {fsdp.input = "x",
                       fsdp.sharding = #fsdp.sharding<[], varying = {@dp}>})
      -> (tensor<f16> {fsdp.loss = #fsdp.loss<sum = [@dp], divide_by = "n">},
          tensor<f16> {fsdp.grad = "w"}, tensor<i32> {fsdp.output = "n"}) {
    %l = arith.mulf %x, %w : tensor<f16>
    %m = fsdp.local_grad %x of "w" : tensor<f16>
    %n = arith.fptosi %x : tensor<f16> to tensor<i32>
    return %l, %m, %n : tensor<f16>, tensor<f16>, tensor<i32>
  }
}

// -----

// Of one batch for all ranks there is nothing to add up but micro-batches: a
// stacked count is added and, where micro-batches are averaged, averaged too.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>,
                   fsdp.accumulate = #fsdp.accumulate<steps = 3, reduce = mean>} {
  // CHECK-LABEL: @stacked
  // CHECK-SAME: %[[N:[a-z0-9]*]]: tensor<3xf64>
  // CHECK: %[[T:.*]] = linalg.generic {{.*}}iterator_types = ["reduction"]} ins(%[[N]] : tensor<3xf64>)
  // CHECK: arith.truncf %{{.*}} : f64 to f32
  // CHECK: fsdp.scale %[[T]] by 1 over 3 {fsdp.divisor}
  // CHECK-NOT: fsdp.all_reduce
  func.func @stacked(%l: tensor<f32> {fsdp.input = "l"}, %n: tensor<3xf64> {fsdp.input = "n"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [], divide_by = "n">},
          tensor<3xf64> {fsdp.output = "n"}) {
    return %l, %n : tensor<f32>, tensor<3xf64>
  }
}

// -----

// One that is equal for all micro-batches is there once for each.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>,
                   fsdp.accumulate = #fsdp.accumulate<steps = 3, reduce = sum>} {
  // CHECK-LABEL: @fixed
  // CHECK: fsdp.scale %{{.*}} by 3 over 1 {fsdp.divisor}
  func.func @fixed(%l: tensor<f32> {fsdp.input = "l"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [], divide_by = "n">},
          tensor<i64> {fsdp.output = "n"}) {
    %n = arith.constant dense<5> : tensor<i64>
    return %l, %n : tensor<f32>, tensor<i64>
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

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @below {{expected an output "n", which the loss is divided by, but got none}}
  func.func @no_count(%l: tensor<f32> {fsdp.input = "l"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [], divide_by = "n">}) {
    return %l : tensor<f32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @below {{expected the output "n", which the loss is divided by, to be one number per batch, but got 'tensor<2xf32>'}}
  func.func @counts(%l: tensor<f32> {fsdp.input = "l"}, %n: tensor<2xf32> {fsdp.input = "n"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [], divide_by = "n">},
          tensor<2xf32> {fsdp.output = "n"}) {
    return %l, %n : tensor<f32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  func.func @count_of_gradient(%w: tensor<f32> {fsdp.param = "w"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [], divide_by = "n">},
          tensor<f32> {fsdp.output = "n"}) {
    // expected-error @below {{expected no gradient in the output "n", which the loss is divided by}}
    %m = fsdp.local_grad %w of "w" : tensor<f32>
    %n = arith.mulf %m, %m : tensor<f32>
    return %w, %n : tensor<f32>, tensor<f32>
  }
}

// -----

// expected-error @below {{expected 'fsdp.world'}}
module {
  func.func @no_world(%x: tensor<f32> {fsdp.input = "x"}) {
    return
  }
}
