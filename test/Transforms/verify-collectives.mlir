// SPDX-License-Identifier: Apache-2.0
// No rank can hang in these; silent, and the module is as it was.
// RUN: fsdp-opt %s --split-input-file --verify-diagnostics --fsdp-verify-collectives | FileCheck %s

// The condition differs between nodes only: a node takes one branch.
// CHECK-LABEL: func.func @other_axis
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @other_axis(%x: tensor<4xf32>) -> tensor<4xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %i = fsdp.rank_index @across
    %first = arith.cmpi eq, %i, %c0 : index
    %0 = scf.if %first -> tensor<4xf32> {
      %1 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %1 : tensor<4xf32>
    } else {
      scf.yield %x : tensor<4xf32>
    }
    %2 = scf.for %k = %c0 to %i step %c1 iter_args(%y = %0) -> tensor<4xf32> {
      %3 = fsdp.all_reduce sum %y over @node : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %3 : tensor<4xf32>
    }
    return %2 : tensor<4xf32>
  }
}

// -----

// What is made equal decides; so does what no rank is told apart by.
// CHECK-LABEL: func.func @made_equal
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @made_equal(
      %x: tensor<f32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[], varying = {@world}>},
      %steps: index) -> tensor<f32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %limit = arith.constant 1.0 : f32
    %largest = fsdp.all_reduce max %x over @world : (tensor<f32>) -> tensor<f32>
    %v = tensor.extract %largest[] : tensor<f32>
    %skip = arith.cmpf ogt, %v, %limit : f32
    %0 = scf.if %skip -> tensor<f32> {
      scf.yield %x : tensor<f32>
    } else {
      %1 = fsdp.all_reduce sum %x over @world : (tensor<f32>) -> tensor<f32>
      scf.yield %1 : tensor<f32>
    }
    %2 = scf.for %k = %c0 to %steps step %c1 iter_args(%y = %0) -> tensor<f32> {
      %3 = fsdp.all_reduce sum %y over @world : (tensor<f32>) -> tensor<f32>
      scf.yield %3 : tensor<f32>
    }
    return %2 : tensor<f32>
  }
}

// -----

// Different branches, equal sequences; a loop of a constant trip count in each,
// and a collective that only ranks of one branch meet in.
// CHECK-LABEL: func.func @equal_sequences
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  func.func @equal_sequences(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %i = fsdp.rank_index @node
    %first = arith.cmpi eq, %i, %c0 : index
    %0 = scf.if %first -> tensor<4xf32> {
      %1 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
      %2 = fsdp.all_reduce sum %1 over @across : (tensor<4xf32>) -> tensor<4xf32>
      %3 = scf.for %k = %c0 to %c3 step %c1 iter_args(%z = %2) -> tensor<4xf32> {
        %4 = fsdp.all_reduce max %z over @node : (tensor<4xf32>) -> tensor<4xf32>
        scf.yield %4 : tensor<4xf32>
      }
      scf.yield %3 : tensor<4xf32>
    } else {
      %1 = fsdp.all_reduce sum %y over @node : (tensor<4xf32>) -> tensor<4xf32>
      %3 = scf.for %k = %c1 to %c4 step %c1 iter_args(%z = %1) -> tensor<4xf32> {
        %4 = fsdp.all_reduce max %z over @node : (tensor<4xf32>) -> tensor<4xf32>
        scf.yield %4 : tensor<4xf32>
      }
      scf.yield %3 : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
}

// -----

// A callee, called with a condition that is equal; it is checked where it is
// called, and stays as it was.
// CHECK-LABEL: func.func private @sum
// CHECK: call @sum
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  func.func private @sum(%x: tensor<4xf32>, %sums: i1) -> tensor<4xf32> {
    %0 = scf.if %sums -> tensor<4xf32> {
      %1 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
      scf.yield %1 : tensor<4xf32>
    } else {
      scf.yield %x : tensor<4xf32>
    }
    return %0 : tensor<4xf32>
  }
  func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
    %true = arith.constant true
    %0 = func.call @sum(%x, %true) : (tensor<4xf32>, i1) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Groups that are incompatible (2 does not divide 3), each with a condition
// that is equal along it.
// CHECK-LABEL: func.func @incompatible
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 6>} {
  fsdp.process_group @pairs = #fsdp.classes<[3, 2] from [6]>
  fsdp.process_group @others = #fsdp.classes<[2, 3] from [3, 2] T(1, 0)>
  fsdp.process_group @threes = #fsdp.classes<[2, 3] from [6]>
  func.func @incompatible(%x: tensor<4xf32>) {
    %c0 = arith.constant 0 : index
    %i = fsdp.rank_index @others
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {
      %0 = fsdp.all_reduce sum %x over @pairs : (tensor<4xf32>) -> tensor<4xf32>
    }
    %c = arith.constant true
    scf.if %c {
      %0 = fsdp.all_reduce sum %x over @threes : (tensor<4xf32>) -> tensor<4xf32>
    }
    return
  }
}

// -----

// In flight together: on one channel, on groups that meet in one rank at most,
// and on others behind a wait. Sources are read, other buffers written, and
// what is waited for is used.
// CHECK-LABEL: func.func @in_flight
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 2>} {
  fsdp.process_group @node = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @across = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  memref.global "private" constant @ones : memref<4xf32> = dense<1.0>
  func.func private @kernel(%from: memref<4xf32>, %to: memref<4xf32>) {
    memref.copy %from, %to : memref<4xf32> to memref<4xf32>
    return
  }
  func.func @in_flight(%x: memref<4xf32>, %arena: memref<256xi8>, %d: memref<16xf32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %a = memref.view %arena[%c0][] : memref<256xi8> to memref<4xf32>
    %b = memref.view %arena[%c64][] : memref<256xi8> to memref<4xf32>
    %e = memref.view %arena[%c128][] : memref<256xi8> to memref<4xf32>
    %half = memref.subview %d[0] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1]>>
    %rest = memref.subview %d[4] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: 4>>
    %t = fsdp.start_all_reduce ins(%x : memref<4xf32>) outs(%a : memref<4xf32>)
        {group = @node, reduction = #fsdp<reduction sum>, channel = 1 : i64}
    %u = fsdp.start_all_reduce ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
        {group = @across, reduction = #fsdp<reduction sum>}
    %v = fsdp.start_all_reduce ins(%x : memref<4xf32>) outs(%half : memref<4xf32, strided<[1]>>)
        {group = @node, reduction = #fsdp<reduction sum>, channel = 1 : i64}
    %ones = memref.get_global @ones : memref<4xf32>
    func.call @kernel(%ones, %e) : (memref<4xf32>, memref<4xf32>) -> ()
    func.call @kernel(%x, %e) : (memref<4xf32>, memref<4xf32>) -> ()
    memref.copy %x, %rest : memref<4xf32> to memref<4xf32, strided<[1], offset: 4>>
    fsdp.wait %u holding %x : memref<4xf32>
    memref.copy %b, %rest : memref<4xf32> to memref<4xf32, strided<[1], offset: 4>>
    fsdp.wait %v holding %x : memref<4xf32>
    fsdp.wait %t holding %x : memref<4xf32>
    memref.copy %a, %x : memref<4xf32> to memref<4xf32>
    %w = fsdp.start_all_reduce ins(%x : memref<4xf32>) outs(%b : memref<4xf32>)
        {group = @world, reduction = #fsdp<reduction sum>}
    fsdp.wait %w holding %x : memref<4xf32>
    return
  }
}

// -----

// Lists whose classes meet in one rank, on two channels.
// CHECK-LABEL: func.func @lists
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 6>} {
  fsdp.process_group @list = #fsdp.classes<[[0, 1, 5], [2, 3, 4]]>
  fsdp.process_group @pairs = #fsdp.classes<[[0, 2], [1, 3], [5, 4]]>
  func.func @lists(%x: tensor<4xf32>, %y: tensor<4xf32>, %d: tensor<4xf32>) -> tensor<4xf32> {
    %t, %p = fsdp.start_all_reduce ins(%x : tensor<4xf32>) outs(%d : tensor<4xf32>)
        {group = @list, reduction = #fsdp<reduction sum>, channel = 2 : i64} -> tensor<4xf32>
    %0 = fsdp.all_reduce sum %y over @pairs : (tensor<4xf32>) -> tensor<4xf32>
    %1 = fsdp.wait %t, %p : tensor<4xf32> holding %x : tensor<4xf32>
    return %1 : tensor<4xf32>
  }
}

// -----

// A pipeline of two stages of 50,000 ranks: micro-batches go one way, gradients
// the other. One stage unrolls what the other loops over; each reduces over
// ranks of its own as often as it likes.
// CHECK-LABEL: func.func @first
module attributes {fsdp.world = #fsdp.world<ranks = 100000, ranks_per_node = 8>} {
  fsdp.process_group @stages = #fsdp.classes<[50000, 2] from [2, 50000] T(1, 0)>
  fsdp.process_group @node = #fsdp.classes<[12500, 8] from [100000]>
  func.func @first(%x: tensor<4xf32>, %c: i1) attributes {fsdp.ranks = array<i64: 0, 49999>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %k = %c0 to %c2 step %c1 {
      %0 = fsdp.permute %x over @stages shift 1 : (tensor<4xf32>) -> tensor<4xf32>
      %1 = fsdp.permute %0 over @stages shift -1 : (tensor<4xf32>) -> tensor<4xf32>
    }
    scf.if %c {
      %2 = fsdp.all_reduce sum %x over @node : (tensor<4xf32>) -> tensor<4xf32>
    }
    return
  }
  func.func @second(%x: tensor<4xf32>, %c: i1) attributes {fsdp.ranks = array<i64: 50000, 99999>} {
    %0 = fsdp.permute %x over @stages shift 1 : (tensor<4xf32>) -> tensor<4xf32>
    %1 = fsdp.permute %0 over @stages shift -1 : (tensor<4xf32>) -> tensor<4xf32>
    %2 = fsdp.permute %x over @stages shift 1 : (tensor<4xf32>) -> tensor<4xf32>
    scf.if %c {
      %3 = fsdp.permute %2 over @stages shift -1 : (tensor<4xf32>) -> tensor<4xf32>
    } else {
      %3 = fsdp.permute %x over @stages shift -1 : (tensor<4xf32>) -> tensor<4xf32>
    }
    return
  }
}

// -----

// Three programs that meet in pairs, in one order; started ones run behind one
// another on a channel, and in any order on two.
// CHECK-LABEL: func.func @a
module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 2>} {
  fsdp.process_group @ab = #fsdp.classes<[[0, 2], [1, 3], [4, 5]]>
  fsdp.process_group @bc = #fsdp.classes<[[2, 4], [3, 5], [0, 1]]>
  fsdp.process_group @ca = #fsdp.classes<[[4, 0], [5, 1], [2, 3]]>
  func.func @a(%x: memref<4xf32>, %d: memref<4xf32>, %e: memref<4xf32>) attributes {fsdp.ranks = array<i64: 0, 1>} {
    %t = fsdp.start_permute ins(%x : memref<4xf32>) outs(%d : memref<4xf32>) {group = @ab, shift = 1 : i64}
    %u = fsdp.start_permute ins(%x : memref<4xf32>) outs(%e : memref<4xf32>) {group = @ca, shift = 1 : i64, channel = 1 : i64}
    fsdp.wait %t holding %x : memref<4xf32>
    fsdp.wait %u holding %x : memref<4xf32>
    return
  }
  func.func @b(%x: memref<4xf32>, %d: memref<4xf32>, %e: memref<4xf32>) attributes {fsdp.ranks = array<i64: 2, 3>} {
    %u = fsdp.start_permute ins(%x : memref<4xf32>) outs(%d : memref<4xf32>) {group = @bc, shift = 1 : i64}
    fsdp.wait %u holding %x : memref<4xf32>
    %t = fsdp.start_permute ins(%x : memref<4xf32>) outs(%e : memref<4xf32>) {group = @ab, shift = 1 : i64}
    fsdp.wait %t holding %x : memref<4xf32>
    return
  }
  func.func @c(%x: memref<4xf32>, %d: memref<4xf32>, %e: memref<4xf32>) attributes {fsdp.ranks = array<i64: 4, 5>} {
    %u = fsdp.start_permute ins(%x : memref<4xf32>) outs(%e : memref<4xf32>) {group = @ca, shift = 1 : i64, channel = 1 : i64}
    %t = fsdp.start_permute ins(%x : memref<4xf32>) outs(%d : memref<4xf32>) {group = @bc, shift = 1 : i64}
    fsdp.wait %t holding %x : memref<4xf32>
    fsdp.wait %u holding %x : memref<4xf32>
    return
  }
}

// -----

// CHECK-LABEL: func.func @no_collectives
func.func @no_collectives(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
