// RUN: fsdp-opt %s --fsdp-outline-kernels --split-input-file | FileCheck %s

// Equal ops call one kernel, wherever they came from.
// CHECK-LABEL: func @equal_ops
// CHECK-SAME: (%[[A:.*]]: memref<4xf32>, %[[B:.*]]: memref<4xf32>)
// CHECK: %[[C:.*]] = memref.alloc
// CHECK: call @kernel_0(%[[A]], %[[B]], %[[C]])
// CHECK: call @kernel_0(%[[C]], %[[A]], %[[B]])
// CHECK: call @kernel_1
// CHECK: func private @kernel_0(%[[X:.*]]: memref<4xf32> {llvm.noalias}, %[[Y:.*]]: memref<4xf32> {llvm.noalias}, %[[Z:.*]]: memref<4xf32> {llvm.noalias})
// CHECK-SAME: passthrough = ["noinline", "nounwind", ["prefer-vector-width", "512"]]
// CHECK-NEXT: linalg.add ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[Z]] :
// CHECK-NEXT: return
// CHECK: func private @kernel_1
// CHECK-NEXT: linalg.sub
// CHECK-NOT: @kernel_2
func.func @equal_ops(%a: memref<4xf32>, %b: memref<4xf32>) {
  %c = memref.alloc() : memref<4xf32>
  linalg.add ins(%a, %b : memref<4xf32>, memref<4xf32>)
      outs(%c : memref<4xf32>) loc("h.0"("fwd"))
  linalg.add {test.note} ins(%c, %a : memref<4xf32>, memref<4xf32>)
      outs(%b : memref<4xf32>) loc("h.1"("fwd"))
  linalg.sub ins(%c, %a : memref<4xf32>, memref<4xf32>)
      outs(%b : memref<4xf32>)
  return
}

// -----

// Views of one buffer may alias. A view whose offset is known only at run time
// is made in the kernel: a pointer alone does not carry an offset.
// CHECK-LABEL: func @views
// CHECK: call @kernel_0(%[[A:.*]], %[[I:.*]], %{{.*}}) : (memref<8xf32>, index, memref<8xf32>)
// CHECK: call @kernel_1
// CHECK: func private @kernel_0(%[[A:.*]]: memref<8xf32> {llvm.noalias}, %[[I:.*]]: index, %{{.*}}: memref<8xf32> {llvm.noalias})
// CHECK: memref.subview %[[A]][%[[I]]] [4] [1]
// CHECK: memref.load
// CHECK: func private @kernel_1(%{{.*}}: memref<4xf32, strided<[1]>>, %{{.*}}: memref<4xf32, strided<[1], offset: 4>>)
func.func @views(%a: memref<8xf32>, %b: memref<8xf32>, %i: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %four = arith.constant 4 : index
  %view = memref.subview %a[%i] [4] [1]
      : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
  scf.for %k = %zero to %four step %one {
    %0 = memref.load %view[%k] : memref<4xf32, strided<[1], offset: ?>>
    memref.store %0, %b[%k] : memref<8xf32>
  }
  %low = memref.subview %a[0] [4] [1]
      : memref<8xf32> to memref<4xf32, strided<[1]>>
  %high = memref.subview %a[4] [4] [1]
      : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  linalg.copy ins(%low : memref<4xf32, strided<[1]>>)
      outs(%high : memref<4xf32, strided<[1], offset: 4>>)
  return
}

// -----

// A loop with a collective stays; what it computes is outlined.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  // CHECK-LABEL: func @loop
  // CHECK: scf.for
  // CHECK-NEXT: fsdp.start_all_reduce
  // CHECK-NEXT: fsdp.wait
  // CHECK-NEXT: call @kernel_0
  func.func @loop(%a: memref<4xf32>, %b: memref<4xf32>, %n: index) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    scf.for %k = %zero to %n step %one {
      %token = fsdp.start_all_reduce ins(%a : memref<4xf32>)
          outs(%b : memref<4xf32>)
          {group = @node, reduction = #fsdp<reduction sum>}
      fsdp.wait %token holding %a : memref<4xf32>
      linalg.copy ins(%b : memref<4xf32>) outs(%a : memref<4xf32>)
    }
    return
  }
}

// -----

// A condition chooses among layouts: a kernel gets a pointer and numbers.
// CHECK-LABEL: func @layouts
// CHECK: %[[C:.*]] = scf.if
// CHECK: %[[BASE:.*]], %[[OFFSET:.*]], %{{.*}}, %[[STRIDE:.*]] = memref.extract_strided_metadata %[[C]]
// CHECK: call @kernel_0(%[[BASE]], %[[OFFSET]], %[[STRIDE]], %{{.*}}) : (memref<f32>, index, index, memref<4xf32>)
// CHECK: func private @kernel_0(%[[BASE:.*]]: memref<f32>, %[[OFFSET:.*]]: index, %[[STRIDE:.*]]: index,
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [4], strides: [%[[STRIDE]]]
// CHECK: linalg.exp
func.func @layouts(%a: memref<8xf32>, %b: memref<4xf32>, %p: i1) {
  %low = memref.subview %a[1] [4] [1]
      : memref<8xf32> to memref<4xf32, strided<[1], offset: 1>>
  %even = memref.subview %a[0] [4] [2]
      : memref<8xf32> to memref<4xf32, strided<[2]>>
  %c = scf.if %p -> (memref<4xf32, strided<[?], offset: ?>>) {
    %0 = memref.cast %low : memref<4xf32, strided<[1], offset: 1>>
        to memref<4xf32, strided<[?], offset: ?>>
    scf.yield %0 : memref<4xf32, strided<[?], offset: ?>>
  } else {
    %0 = memref.cast %even : memref<4xf32, strided<[2]>>
        to memref<4xf32, strided<[?], offset: ?>>
    scf.yield %0 : memref<4xf32, strided<[?], offset: ?>>
  }
  linalg.exp ins(%c : memref<4xf32, strided<[?], offset: ?>>)
      outs(%b : memref<4xf32>)
  return
}
