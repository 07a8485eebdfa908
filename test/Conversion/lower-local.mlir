// RUN: fsdp-opt %s --fsdp-lower-local | FileCheck %s

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>

  // CHECK-LABEL: func @even
  // CHECK-NOT: tensor.pad
  // CHECK: %[[I:.*]] = fsdp.rank_index @node
  // CHECK: %[[C:.*]] = arith.constant 2 : index
  // CHECK: %[[O:.*]] = arith.muli %[[I]], %[[C]]
  // CHECK: tensor.extract_slice %{{.*}}[0, %[[O]]] [3, 2] [1, 1]
  func.func @even(%w: tensor<3x8xf32>) -> tensor<3x2xf32> {
    %0 = fsdp.slice %w over @node dim 1 : tensor<3x8xf32> to tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }

  // CHECK-LABEL: func @uneven
  // CHECK: %[[P:.*]] = tensor.pad %{{.*}} low[0, 0] high[3, 0]
  // CHECK: tensor<5x3xf32> to tensor<8x3xf32>
  // CHECK: tensor.extract_slice %[[P]]
  func.func @uneven(%w: tensor<5x3xf32>) -> tensor<2x3xf32> {
    %0 = fsdp.slice %w over @node dim 0 : tensor<5x3xf32> to tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }

  // The quotient is rounded once, to the element type.
  // CHECK-LABEL: func @scale
  // CHECK: %[[C:.*]] = arith.constant 3.339840e-01 : bf16
  // CHECK: arith.mulf %{{.*}}, %[[C]] : bf16
  func.func @scale(%g: tensor<4xbf16>) -> tensor<4xbf16> {
    %0 = fsdp.scale %g by 1 over 3 : tensor<4xbf16>
    return %0 : tensor<4xbf16>
  }

  // CHECK-LABEL: func @markers
  // CHECK-SAME: (%[[A:.*]]: tensor<4xf32>, %[[B:.*]]: tensor<4xf32>)
  // Barriers keep apart what is computed twice until all is optimized.
  // CHECK-NEXT: %[[C:.*]]:2 = fsdp.optimization_barrier %[[A]], %[[B]]
  // CHECK-NEXT: return %[[C]]#1, %[[C]]#0
  func.func @markers(%a: tensor<4xf32>, %b: tensor<4xf32>)
      -> (tensor<4xf32>, tensor<4xf32>) {
    %0:2 = fsdp.optimization_barrier %a, %b : tensor<4xf32>, tensor<4xf32>
    %1 = fsdp.local_grad %0#1 of "w" : tensor<4xf32>
    return %1, %0#0 : tensor<4xf32>, tensor<4xf32>
  }
}
