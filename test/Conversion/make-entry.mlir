// RUN: fsdp-opt %s --fsdp-codegen | FileCheck %s

// CHECK-LABEL: llvm.func @fsdp_entry_f
// CHECK-SAME: (%{{.*}}: !llvm.ptr, %[[ARGS:.*]]: !llvm.ptr, %[[RESULTS:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr)
// CHECK-SAME: fsdp.arena = 0 : i64
// CHECK-DAG: %[[X:.*]] = llvm.load %[[ARGS]]
// CHECK-DAG: %[[Y:.*]] = llvm.load %[[RESULTS]]
// CHECK: llvm.call @kernel_0(%[[X]], %[[Y]])
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %empty = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%empty : tensor<4xf32>)
      -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
