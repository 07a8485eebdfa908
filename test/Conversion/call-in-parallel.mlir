// SPDX-License-Identifier: Apache-2.0
// RUN: fsdp-opt %s --fsdp-call-in-parallel | FileCheck %s

// CHECK: llvm.func @fsdp_parallel(!llvm.ptr, i64, !llvm.ptr, !llvm.ptr)
// CHECK: llvm.func @kernel_range(%[[C:.*]]: !llvm.ptr, %[[B:.*]]: i64, %[[E:.*]]: i64)
// CHECK: %[[P:.*]] = llvm.getelementptr %[[C]][0]
// CHECK: %[[X:.*]] = llvm.load %[[P]] : !llvm.ptr -> !llvm.ptr
// CHECK: %[[Q:.*]] = llvm.getelementptr %[[C]][1]
// CHECK: %[[N:.*]] = llvm.load %[[Q]] : !llvm.ptr -> i64
// CHECK: llvm.call @kernel(%[[X]], %[[N]], %[[B]], %[[E]])
llvm.func @kernel(%x: !llvm.ptr, %n: i64, %begin: i64, %end: i64) attributes {fsdp.parallel = 64 : i64} {
  llvm.return
}

// One place for the arguments of all calls.
// CHECK: llvm.func @step(%[[RANK:.*]]: !llvm.ptr, %[[A:.*]]: !llvm.ptr)
// CHECK: %[[SIZE:.*]] = llvm.mlir.constant(2 : i64)
// CHECK: %[[CONTEXT:.*]] = llvm.alloca %[[SIZE]] x i64
// CHECK: llvm.store %[[A]],
// CHECK: %[[BODY:.*]] = llvm.mlir.addressof @kernel_range
// CHECK: llvm.call @fsdp_parallel(%[[RANK]], %{{.*}}, %[[BODY]], %[[CONTEXT]])
// CHECK: llvm.call @fsdp_parallel(%[[RANK]], %{{.*}}, %{{.*}}, %[[CONTEXT]])
// CHECK-NOT: llvm.call @kernel
llvm.func @step(%rank: !llvm.ptr, %a: !llvm.ptr) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %all = llvm.mlir.constant(64 : i64) : i64
  llvm.call @kernel(%a, %all, %zero, %all) : (!llvm.ptr, i64, i64, i64) -> ()
  llvm.call @kernel(%a, %zero, %zero, %all) : (!llvm.ptr, i64, i64, i64) -> ()
  llvm.return
}
