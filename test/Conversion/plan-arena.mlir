// RUN: fsdp-opt %s --fsdp-plan-arena --split-input-file --verify-diagnostics | FileCheck %s

// %a and %c never live at once; each buffer starts at a multiple of 64 bytes.
// CHECK-LABEL: func @reuse
// CHECK-SAME: %[[ARENA:[a-z0-9]+]]: memref<192xi8>) attributes {fsdp.arena = 192 : i64}
// CHECK: memref.view %[[ARENA]][%c0{{.*}}][] : memref<192xi8> to memref<32xf32>
// CHECK: memref.view %[[ARENA]][%c128{{.*}}][] : memref<192xi8> to memref<3xf32>
// CHECK: memref.view %[[ARENA]][%c0{{.*}}][] : memref<192xi8> to memref<32xf32>
// CHECK-NOT: memref.dealloc
func.func @reuse(%x: memref<32xf32>) {
  %zero = arith.constant 0 : index
  %v = arith.constant 1.0 : f32
  %a = memref.alloc() : memref<32xf32>
  memref.copy %x, %a : memref<32xf32> to memref<32xf32>
  %b = memref.alloc() : memref<3xf32>
  %view = memref.expand_shape %a [[0, 1]] output_shape [4, 8]
      : memref<32xf32> into memref<4x8xf32>
  %0 = memref.load %view[%zero, %zero] : memref<4x8xf32>
  memref.store %0, %b[%zero] : memref<3xf32>
  %c = memref.alloc() : memref<32xf32>
  memref.store %v, %c[%zero] : memref<32xf32>
  %1 = memref.load %b[%zero] : memref<3xf32>
  memref.store %1, %c[%zero] : memref<32xf32>
  memref.dealloc %a : memref<32xf32>
  return
}

// -----

// In flight until the wait: %d does not get the place of %s.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  // CHECK-LABEL: func @in_flight
  // CHECK-SAME: fsdp.arena = 192 : i64
  func.func @in_flight(%x: memref<4xf32>) {
    %s = memref.alloc() : memref<4xf32>
    %d = memref.alloc() : memref<4xf32>
    memref.copy %x, %s : memref<4xf32> to memref<4xf32>
    %token = fsdp.start_all_reduce ins(%s : memref<4xf32>)
        outs(%d : memref<4xf32>)
        {group = @node, reduction = #fsdp<reduction sum>}
    %other = memref.alloc() : memref<4xf32>
    memref.copy %x, %other : memref<4xf32> to memref<4xf32>
    fsdp.wait %token
    return
  }
}

// -----

// Used in a loop, %a lives as long as the loop; %b and %c, of one iteration
// each, take turns.
// CHECK-LABEL: func @loop
// CHECK-SAME: fsdp.arena = 128 : i64
func.func @loop(%x: memref<4xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf32>
  memref.copy %x, %a : memref<4xf32> to memref<4xf32>
  scf.for %i = %zero to %n step %one {
    %b = memref.alloc() : memref<4xf32>
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    memref.copy %b, %x : memref<4xf32> to memref<4xf32>
    %c = memref.alloc() : memref<4xf32>
    memref.copy %x, %c : memref<4xf32> to memref<4xf32>
  }
  return
}

// -----

func.func @outlives(%x: memref<4xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = scf.for %i = %zero to %n step %one
      iter_args(%carried = %x) -> (memref<4xf32>) {
    // expected-error @below {{expected a buffer that does not outlive its function or iteration}}
    %b = memref.alloc() : memref<4xf32>
    // expected-note @below {{leaves it here}}
    scf.yield %b : memref<4xf32>
  }
  return
}
