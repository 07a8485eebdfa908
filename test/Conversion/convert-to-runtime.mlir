// RUN: fsdp-opt %s --fsdp-convert-to-runtime | FileCheck %s

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // CHECK-NOT: fsdp.process_group
  // CHECK-DAG: llvm.mlir.global internal constant @[[AT:fsdp_location_[0-9]+]]("h.0.attn bwd\00")
  // CHECK-DAG: llvm.func @fsdp_open(!llvm.ptr, i32, i64, i64, i32, i32, i64, !llvm.ptr) -> i64
  fsdp.process_group @self = #fsdp.classes<[8, 1] from [8]>
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>

  // Kind 1 on group 1 (the second declared), channel 2, dtype 1 (bf16),
  // reduction 1 (sum); one row of outer, 2 columns of 5 elements of inner.
  // CHECK-LABEL: func @reduce_scatter
  // CHECK-SAME: (%[[RANK:.*]]: !llvm.ptr, %[[X:.*]]: memref<3x8x5xbf16>, %[[Y:.*]]: memref<3x2x5xbf16>)
  // CHECK-DAG: %[[KIND:.*]] = llvm.mlir.constant(1 : i32)
  // CHECK-DAG: %[[CHANNEL:.*]] = llvm.mlir.constant(2 : i64)
  // CHECK-DAG: %[[LOCATION:.*]] = llvm.mlir.addressof @[[AT]]
  // CHECK: %[[TOKEN:.*]] = llvm.call @fsdp_open(%[[RANK]], %[[KIND]], %{{.*}}, %[[CHANNEL]], %{{.*}}, %{{.*}}, %{{.*}}, %[[LOCATION]])
  // CHECK: memref.extract_aligned_pointer_as_index %[[X]]
  // CHECK: memref.extract_aligned_pointer_as_index %[[Y]]
  // CHECK: %[[OUTER:.*]] = llvm.mlir.constant(3 : i64)
  // CHECK: %[[INNER:.*]] = llvm.mlir.constant(10 : i64)
  // CHECK: llvm.call @fsdp_add(%[[RANK]], %[[TOKEN]], %{{.*}}, %{{.*}}, %[[OUTER]], %[[INNER]])
  // CHECK: llvm.call @fsdp_start(%[[RANK]], %[[TOKEN]])
  // CHECK: llvm.call @fsdp_wait(%[[RANK]], %[[TOKEN]])
  func.func @reduce_scatter(%x: memref<3x8x5xbf16>, %y: memref<3x2x5xbf16>) {
    %token = fsdp.start_reduce_scatter ins(%x : memref<3x8x5xbf16>)
        outs(%y : memref<3x2x5xbf16>)
        {group = @node, dim = 1 : i64, reduction = #fsdp<reduction sum>,
         channel = 2 : i64} loc("h.0.attn"("bwd"))
    fsdp.wait %token holding %x : memref<3x8x5xbf16>
    return
  }

  // CHECK-LABEL: func @rank_index
  // CHECK: %[[GROUP:.*]] = llvm.mlir.constant(1 : i64)
  // CHECK: %[[INDEX:.*]] = llvm.call @fsdp_rank_index(%{{.*}}, %[[GROUP]])
  // CHECK: arith.index_cast %[[INDEX]] : i64 to index
  func.func @rank_index(%x: memref<4xindex>) {
    %0 = fsdp.rank_index @node
    memref.store %0, %x[%0] : memref<4xindex>
    return
  }
}
