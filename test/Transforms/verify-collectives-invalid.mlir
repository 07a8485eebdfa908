// SPDX-License-Identifier: Apache-2.0
// Every way in which a rank could hang, one by one; the accepted twins are in
// verify-collectives.mlir.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify-collectives

// A condition that differs inside of the group.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
    %c0 = arith.constant 0 : index
    // expected-note @+1 {{the ranks begin to differ here}}
    %i = fsdp.rank_index @node
    %first = arith.cmpi eq, %i, %c0 : index
    // expected-note @+1 {{it is decided here}}
    %0 = scf.if %first -> tensor<4xf32> {
      // expected-error @+1 {{expected the condition that it runs under to be equal on all ranks of @node, but got one that differs}}
      %1 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %1 : tensor<4xf32>
    } else {
      scf.yield %x : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
}

// -----

// Branches with the same collectives in another order.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    // expected-note @+1 {{the ranks begin to differ here}}
    %i = fsdp.rank_index @node
    // expected-note @+1 {{it is decided here}}
    %0:2 = scf.index_switch %i -> tensor<4xf32>, tensor<4xf32>
    case 0 {
      // expected-note @+1 {{here the branches have different collectives}}
      %1 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
      %2 = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
    }
    default {
      // expected-error @+1 {{expected the condition that it runs under to be equal on all ranks of @world}}
      %2 = fsdp.all_reduce sum %x over @world : (tensor<4xf32>) -> tensor<4xf32>
      %1 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
    }
    return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Branches whose collectives differ in size only.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: tensor<4xf32>, %y: tensor<8xf32>) {
    %c0 = arith.constant 0 : index
    // expected-note @+1 {{the ranks begin to differ here}}
    %i = fsdp.rank_index @node
    %first = arith.cmpi eq, %i, %c0 : index
    // expected-note @+1 {{it is decided here}}
    scf.if %first {
      // expected-error @+1 {{to be equal on all ranks of @node}}
      %1 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
    } else {
      // expected-note @+1 {{here the branches have different collectives}}
      %2 = fsdp.all_reduce sum %y over @node : (tensor<8xf32>) -> tensor<8xf32>
    }
    return
  }
}

// -----

// A trip count that differs.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note @+1 {{the ranks begin to differ here}}
    %i = fsdp.rank_index @node
    // expected-note @+1 {{it is decided here}}
    %0 = scf.for %k = %c0 to %i step %c1 iter_args(%y = %x) -> tensor<4xf32> {
      // expected-error @+1 {{expected the trip count of its loop to be equal on all ranks of @node, but got one that differs}}
      %1 = fsdp.all_reduce sum %y over @node : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %1 : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
}

// -----

// A loop that each rank ends where its own loss is small.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(
      // expected-note @+1 {{the ranks begin to differ here}}
      %x: tensor<f32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[], varying = {@node}>}) -> tensor<f32> {
    %limit = arith.constant 1.0 : f32
    // expected-note @+1 {{it is decided here}}
    %0 = scf.while (%y = %x) : (tensor<f32>) -> tensor<f32> {
      %v = tensor.extract %x[] : tensor<f32>
      %more = arith.cmpf ogt, %v, %limit : f32
      scf.condition(%more) %y : tensor<f32>
    } do {
    ^bb0(%y: tensor<f32>):
      // expected-error @+1 {{expected the trip count of its loop to be equal on all ranks of @node}}
      %1 = fsdp.all_reduce sum %y over @node : (tensor<f32>) -> tensor<f32>
      scf.yield %1 : tensor<f32>
    }
    return %0 : tensor<f32>
  }
}

// -----

// A collective of a callee: the condition may be anywhere.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func private @sum(%x: tensor<4xf32>, %sums: i1) -> tensor<4xf32> {
    // expected-note @+1 {{it is decided here}}
    %0 = scf.if %sums -> tensor<4xf32> {
      // expected-error @+1 {{to be equal on all ranks of @node}}
      %1 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %1 : tensor<4xf32>
    } else {
      scf.yield %x : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
  func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
    %c0 = arith.constant 0 : index
    // expected-note @+1 {{the ranks begin to differ here}}
    %i = fsdp.rank_index @node
    %first = arith.cmpi eq, %i, %c0 : index
    %0 = func.call @sum(%x, %first) : (tensor<4xf32>, i1) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// A condition that a callee makes.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func private @is_first() -> i1 {
    %c0 = arith.constant 0 : index
    // expected-note @+1 {{the ranks begin to differ here}}
    %i = fsdp.rank_index @node
    %first = arith.cmpi eq, %i, %c0 : index
    return %first : i1
  }
  func.func @step(%x: tensor<4xf32>) {
    %first = func.call @is_first() : () -> i1
    // expected-note @+1 {{it is decided here}}
    scf.if %first {
      // expected-error @+1 {{to be equal on all ranks of @node}}
      %0 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
    }
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error @+1 {{expected no recursion around a collective, but got a call of @f}}
    %1 = func.call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
    cf.br ^bb1
  ^bb1:
    return %0 : tensor<4xf32>
  }
  func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{expected one block in a called function with collectives, but got 2}}
    %0 = func.call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: tensor<4xf32>, %c: i1) {
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    // expected-error @+1 {{expected structured control flow around a collective, but got a branch between blocks}}
    %0 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
    cf.br ^bb2
  ^bb2:
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: tensor<4xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // expected-note @+1 {{which gives none}}
    scf.parallel (%i) = (%c0) to (%c4) step (%c1) {
      // expected-error @+1 {{expected a collective to run in a fixed order, but got one inside of 'scf.parallel'}}
      %0 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
    }
    return
  }
}

// -----

module {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: tensor<4xf32>) {
    // expected-error @+1 {{expected a module with 'fsdp.world'}}
    %0 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = "node"
  func.func @step(%x: tensor<4xf32>) {
    // expected-error @+1 {{expected a resolved process group}}
    %0 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: memref<4xf32>, %d: memref<4xf32>) {
    // expected-error @+1 {{expected a channel of at least 0, but got -1}}
    %t = fsdp.start_all_reduce ins(%x : memref<4xf32>) outs(%d : memref<4xf32>)
        {group = @node, reduction = #fsdp<reduction sum>, channel = -1 : i64}
    fsdp.wait %t holding %x : memref<4xf32>
    return
  }
}

//===----------------------------------------------------------------------===//
// Starts and waits
//===----------------------------------------------------------------------===//

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: memref<4xf32>, %d: memref<4xf32>) {
    // expected-error @+1 {{expected one fsdp.wait for a start, but got 0}}
    %t = fsdp.start_all_reduce ins(%x : memref<4xf32>) outs(%d : memref<4xf32>)
        {group = @node, reduction = #fsdp<reduction sum>}
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: memref<4xf32>, %d: memref<4xf32>) {
    // expected-error @+1 {{expected one fsdp.wait for a start, but got 2}}
    %t = fsdp.start_all_reduce ins(%x : memref<4xf32>) outs(%d : memref<4xf32>)
        {group = @node, reduction = #fsdp<reduction sum>}
    fsdp.wait %t holding %x : memref<4xf32>
    // expected-note @+1 {{here}}
    fsdp.wait %t holding %x : memref<4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: memref<4xf32>, %d: memref<4xf32>, %c: i1) {
    // expected-error @+1 {{expected the wait in the block of its start, but got one that may run on another path or another number of times}}
    %t = fsdp.start_all_reduce ins(%x : memref<4xf32>) outs(%d : memref<4xf32>)
        {group = @node, reduction = #fsdp<reduction sum>}
    scf.if %c {
      // expected-note @+1 {{here}}
      fsdp.wait %t holding %x : memref<4xf32>
    }
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: memref<4xf32>, %d: memref<4xf32>) -> !fsdp.token {
    // expected-error @+1 {{expected only fsdp.wait to use a token, but got 'func.return'}}
    %t = fsdp.start_all_reduce ins(%x : memref<4xf32>) outs(%d : memref<4xf32>)
        {group = @node, reduction = #fsdp<reduction sum>}
    // expected-note @+1 {{here}}
    return %t : !fsdp.token
  }
}

// -----

module {
  func.func @step(%x: memref<4xf32>, %t: !fsdp.token) {
    // expected-error @+1 {{expected the token of a start, but got one that is passed on}}
    fsdp.wait %t holding %x : memref<4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: tensor<4xf32>, %y: tensor<4xf32>, %d: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{expected a wait for all pending values in their order, but got one for others}}
    %t, %p:2 = fsdp.start_all_reduce ins(%x, %y : tensor<4xf32>, tensor<4xf32>)
        outs(%d, %e : tensor<4xf32>, tensor<4xf32>)
        {group = @node, reduction = #fsdp<reduction sum>} -> tensor<4xf32>, tensor<4xf32>
    // expected-note @+1 {{here}}
    %0 = fsdp.wait %t, %p#0 : tensor<4xf32> holding %x, %y : tensor<4xf32>, tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: tensor<4xf32>, %y: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error @+1 {{expected a wait that holds the sources of its start, but got one that holds others: they could be overwritten}}
    %t, %p = fsdp.start_all_reduce ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>)
        {group = @node, reduction = #fsdp<reduction sum>} -> tensor<4xf32>
    // expected-note @+1 {{here}}
    %0 = fsdp.wait %t, %p : tensor<4xf32> holding %y : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// The source is overwritten, through a view, by a kernel.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func private @kernel(%from: memref<4xf32>, %to: memref<4xf32>) {
    memref.copy %from, %to : memref<4xf32> to memref<4xf32>
    return
  }
  func.func @step(%arena: memref<128xi8>, %d: memref<4xf32>, %y: memref<4xf32>) {
    %c0 = arith.constant 0 : index
    %x = memref.view %arena[%c0][] : memref<128xi8> to memref<4xf32>
    %again = memref.view %arena[%c0][] : memref<128xi8> to memref<4xf32>
    // expected-note @+1 {{in flight from here}}
    %t = fsdp.start_all_reduce ins(%x : memref<4xf32>) outs(%d : memref<4xf32>)
        {group = @node, reduction = #fsdp<reduction sum>}
    // expected-error @+1 {{expected no write to a source before the wait, but got one}}
    func.call @kernel(%y, %again) : (memref<4xf32>, memref<4xf32>) -> ()
    fsdp.wait %t holding %x : memref<4xf32>
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: memref<4xf32>, %d: memref<8xf32>, %y: memref<4xf32>) {
    // expected-note @+1 {{in flight from here}}
    %t = fsdp.start_all_gather ins(%x : memref<4xf32>) outs(%d : memref<8xf32>)
        {group = @node, dim = 0 : i64}
    %half = memref.subview %d[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
    // expected-error @+1 {{expected no read of a destination before the wait, but got one}}
    memref.copy %half, %y : memref<4xf32, strided<[1], offset: 4>> to memref<4xf32>
    fsdp.wait %t holding %x : memref<4xf32>
    return
  }
}

// -----

// Two collectives into one destination; the second in a branch.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @step(%x: memref<4xf32>, %y: memref<4xf32>, %c: i1) {
    %d = memref.alloc() : memref<4xf32>
    // expected-note @+1 {{in flight from here}}
    %t = fsdp.start_all_reduce ins(%x : memref<4xf32>) outs(%d : memref<4xf32>)
        {group = @node, reduction = #fsdp<reduction sum>}
    scf.if %c {
      // expected-error @+1 {{expected no write to a destination before the wait, but got one}}
      %u = fsdp.start_all_reduce ins(%y : memref<4xf32>) outs(%d : memref<4xf32>)
          {group = @node, reduction = #fsdp<reduction sum>}
      fsdp.wait %u holding %y : memref<4xf32>
    }
    fsdp.wait %t holding %x : memref<4xf32>
    return
  }
}

// -----

// Two streams, and ranks 0 and 1 are on both.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @step(%x: memref<4xf32>, %d: memref<4xf32>, %y: memref<4xf32>, %e: memref<4xf32>) {
    // expected-note @+1 {{in flight from here}}
    %t = fsdp.start_all_reduce ins(%x : memref<4xf32>) outs(%d : memref<4xf32>)
        {group = @node, reduction = #fsdp<reduction sum>, channel = 1 : i64}
    // expected-error @+1 {{expected channel 1, or a wait in front, since ranks of @world meet again in @node, which is in flight, but got channel 0}}
    %u = fsdp.start_all_reduce ins(%y : memref<4xf32>) outs(%e : memref<4xf32>)
        {group = @world, reduction = #fsdp<reduction sum>}
    fsdp.wait %t holding %x : memref<4xf32>
    fsdp.wait %u holding %y : memref<4xf32>
    return
  }
}

// -----

// The same with a blocking one, and a list: ranks 0 and 1 are in a pair as well.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 6>} {
  fsdp.process_group @list = #fsdp.classes<[[0, 1, 5], [2, 3, 4]]>
  fsdp.process_group @pairs = #fsdp.classes<[3, 2] from [6]>
  func.func @step(%x: tensor<4xf32>, %y: tensor<4xf32>, %d: tensor<4xf32>) {
    // expected-note @+1 {{in flight from here}}
    %t, %p = fsdp.start_all_reduce ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>)
        {group = @list, reduction = #fsdp<reduction sum>, channel = 2 : i64} -> tensor<4xf32>
    // expected-error @+1 {{expected channel 2, or a wait in front, since ranks of @pairs meet again in @list, which is in flight, but got channel 0}}
    %0 = fsdp.all_reduce sum %y over @pairs : (tensor<4xf32>) -> tensor<4xf32>
    %1 = fsdp.wait %t, %p : tensor<4xf32> holding %x : tensor<4xf32>
    return
  }
}

//===----------------------------------------------------------------------===//
// Programs of ranges of ranks
//===----------------------------------------------------------------------===//

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  // expected-error @+1 {{expected 'fsdp.ranks' on a function, to be the first and the last of its ranks, but got array<i64: 2, 4>}}
  func.func @a() attributes {fsdp.ranks = array<i64: 2, 4>} { return }
}

// -----

// expected-error @+1 {{expected 'fsdp.world' beside functions with 'fsdp.ranks'}}
module {
  func.func @a() attributes {fsdp.ranks = array<i64: 0, 1>} { return }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  // expected-note @+1 {{the ranges below it end here}}
  func.func @a() attributes {fsdp.ranks = array<i64: 0, 1>} { return }
  // expected-error @+1 {{expected 'fsdp.ranks' to have every rank once, but got rank 1 twice}}
  func.func @b() attributes {fsdp.ranks = array<i64: 1, 3>} { return }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  // expected-note @+1 {{the ranges below it end here}}
  func.func @a() attributes {fsdp.ranks = array<i64: 0, 1>} { return }
  // expected-error @+1 {{expected 'fsdp.ranks' to have every rank once, but got rank 2 in no range}}
  func.func @b() attributes {fsdp.ranks = array<i64: 3, 3>} { return }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  // expected-error @+1 {{expected 'fsdp.ranks' to have every rank once, but got rank 2 in no range}}
  func.func @a() attributes {fsdp.ranks = array<i64: 0, 1>} { return }
}

// -----

// Another kind.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @a(%x: tensor<4xf32>) attributes {fsdp.ranks = array<i64: 0, 1>} {
    // expected-note @+1 {{rank 0 runs this}}
    %0 = fsdp.all_reduce sum %x over @across : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
  func.func @b(%x: tensor<4xf32>) attributes {fsdp.ranks = array<i64: 2, 3>} {
    // expected-error @+1 {{expected all_reduce sum of tensor<4xf32> over @across, as rank 0 runs with rank 2, but got broadcast of tensor<4xf32> root 0 over @across}}
    %0 = fsdp.broadcast %x over @across root 0 : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
}

// -----

// One more, in a loop.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @a(%x: tensor<4xf32>) attributes {fsdp.ranks = array<i64: 0, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      // expected-error @+1 {{expected rank 2 to take part, as rank 0 does, but got a program without it}}
      %0 = fsdp.all_reduce sum %x over @across : (tensor<4xf32>) -> tensor<4xf32>
    }
    return
  }
  // expected-note @+1 {{the program}}
  func.func @b(%x: tensor<4xf32>) attributes {fsdp.ranks = array<i64: 2, 3>} {
    %0 = fsdp.all_reduce sum %x over @across : (tensor<4xf32>) -> tensor<4xf32>
    %1 = fsdp.all_reduce sum %0 over @across : (tensor<4xf32>) -> tensor<4xf32>
    %2 = fsdp.all_reduce sum %1 over @across : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
}

// -----

// How often is not known; within a range of its own it need not be.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func @a(%x: tensor<4xf32>, %c: i1) attributes {fsdp.ranks = array<i64: 0, 1>} {
    scf.if %c {
      %0 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
    }
    // expected-error @+1 {{expected a constant number of collectives with other programs, at most 1048576, but got a condition or a trip count that makes it another}}
    scf.if %c {
      // expected-note @+1 {{one is here}}
      %0 = fsdp.all_reduce sum %x over @across : (tensor<4xf32>) -> tensor<4xf32>
    }
    return
  }
  func.func @b(%x: tensor<4xf32>) attributes {fsdp.ranks = array<i64: 2, 3>} {
    return
  }
}

// -----

// Each pair agrees on its own sequence; the three wait for each other in a
// circle.
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 2>} {
  fsdp.process_group @ab = #fsdp.classes<[[0, 2], [1, 3], [4, 5]]>
  fsdp.process_group @bc = #fsdp.classes<[[2, 4], [3, 5], [0, 1]]>
  fsdp.process_group @ca = #fsdp.classes<[[4, 0], [5, 1], [2, 3]]>
  func.func @a(%x: tensor<4xf32>) attributes {fsdp.ranks = array<i64: 0, 1>} {
    // expected-note @+2 {{rank 0 of ranks 0 to 1 first runs permute of tensor<4xf32> shift 1 over @ab}}
    // expected-error @+1 {{expected one order of collectives on all ranks, but got a cycle}}
    %0 = fsdp.permute %x over @ab shift 1 : (tensor<4xf32>) -> tensor<4xf32>
    // expected-note @+1 {{and then permute of tensor<4xf32> shift 1 over @ca}}
    %1 = fsdp.permute %x over @ca shift 1 : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
  func.func @b(%x: tensor<4xf32>) attributes {fsdp.ranks = array<i64: 2, 3>} {
    // expected-note @+1 {{rank 2 of ranks 2 to 3 first runs permute of tensor<4xf32> shift 1 over @bc}}
    %1 = fsdp.permute %x over @bc shift 1 : (tensor<4xf32>) -> tensor<4xf32>
    // expected-note @+1 {{and then permute of tensor<4xf32> shift 1 over @ab}}
    %0 = fsdp.permute %x over @ab shift 1 : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
  func.func @c(%x: tensor<4xf32>) attributes {fsdp.ranks = array<i64: 4, 5>} {
    // expected-note @+1 {{rank 4 of ranks 4 to 5 first runs permute of tensor<4xf32> shift 1 over @ca}}
    %0 = fsdp.permute %x over @ca shift 1 : (tensor<4xf32>) -> tensor<4xf32>
    // expected-note @+1 {{and then permute of tensor<4xf32> shift 1 over @bc}}
    %1 = fsdp.permute %x over @bc shift 1 : (tensor<4xf32>) -> tensor<4xf32>
    return
  }
}
