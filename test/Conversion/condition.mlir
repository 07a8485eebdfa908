// Where both branches make new tensors, kernels get the result of a condition as
// a pointer alone, without strides.
// RUN: fsdp-opt %s --fsdp-codegen | FileCheck %s

// CHECK: llvm.func {{.*}}@kernel_0(%{{[a-z0-9]*}}: !llvm.ptr {{[^:]*}}, %{{[a-z0-9]*}}: !llvm.ptr {{[^:]*}})
// CHECK: llvm.func {{.*}}@kernel_1(%{{[a-z0-9]*}}: !llvm.ptr {{[^:]*}}, %{{[a-z0-9]*}}: !llvm.ptr {{[^:]*}})
// CHECK: llvm.func {{.*}}@kernel_2(%{{[a-z0-9]*}}: !llvm.ptr, %{{[a-z0-9]*}}: !llvm.ptr)
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  func.func @step(%x: tensor<4x2xf32>, %p: i1) -> tensor<2x4xf32> {
    %c = scf.if %p -> (tensor<4x2xf32>) {
      %e = tensor.empty() : tensor<4x2xf32>
      %t = linalg.exp ins(%x : tensor<4x2xf32>) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
      scf.yield %t : tensor<4x2xf32>
    } else {
      %e = tensor.empty() : tensor<4x2xf32>
      %t = linalg.abs ins(%x : tensor<4x2xf32>) outs(%e : tensor<4x2xf32>) -> tensor<4x2xf32>
      scf.yield %t : tensor<4x2xf32>
    }
    %e = tensor.empty() : tensor<2x4xf32>
    %y = linalg.transpose ins(%c : tensor<4x2xf32>) outs(%e : tensor<2x4xf32>) permutation = [1, 0]
    return %y : tensor<2x4xf32>
  }
}
