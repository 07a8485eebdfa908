// RUN: fsdp-opt %s --eliminate-empty-tensors \
// RUN:   --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   | FileCheck %s

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>

  // The addition could be done in place in %x, but for the wait: until then the
  // collective reads it.
  // CHECK-LABEL: func @source_in_flight
  // CHECK-SAME: (%[[X:.*]]: memref<2xf32>)
  // CHECK: %[[D:.*]] = memref.alloc() {{.*}} : memref<8xf32>
  // CHECK: %[[TOKEN:.*]] = fsdp.start_all_gather ins(%[[X]] : memref<2xf32>) outs(%[[D]] : memref<8xf32>)
  // CHECK: %[[Y:.*]] = memref.alloc() {{.*}} : memref<2xf32>
  // CHECK: linalg.add {{.*}} outs(%[[Y]] : memref<2xf32>)
  // CHECK: fsdp.wait %[[TOKEN]] holding %[[X]]
  // CHECK: return %[[D]], %[[Y]]
  func.func @source_in_flight(%x: tensor<2xf32>)
      -> (tensor<8xf32>, tensor<2xf32>) {
    %d = tensor.empty() : tensor<8xf32>
    %token, %pending = fsdp.start_all_gather ins(%x : tensor<2xf32>)
        outs(%d : tensor<8xf32>) {group = @node, dim = 0 : i64}
        -> tensor<8xf32>
    %y = linalg.add ins(%x, %x : tensor<2xf32>, tensor<2xf32>)
        outs(%x : tensor<2xf32>) -> tensor<2xf32>
    %full = fsdp.wait %token, %pending : tensor<8xf32>
        holding %x : tensor<2xf32>
    return %full, %y : tensor<8xf32>, tensor<2xf32>
  }

  // Behind the wait it is done in place.
  // CHECK-LABEL: func @source_released
  // CHECK-SAME: (%[[X:.*]]: memref<2xf32>)
  // CHECK: fsdp.wait
  // CHECK-NEXT: linalg.add {{.*}} outs(%[[X]] : memref<2xf32>)
  func.func @source_released(%x: tensor<2xf32>)
      -> (tensor<8xf32>, tensor<2xf32>) {
    %d = tensor.empty() : tensor<8xf32>
    %token, %pending = fsdp.start_all_gather ins(%x : tensor<2xf32>)
        outs(%d : tensor<8xf32>) {group = @node, dim = 0 : i64}
        -> tensor<8xf32>
    %full = fsdp.wait %token, %pending : tensor<8xf32>
        holding %x : tensor<2xf32>
    %y = linalg.add ins(%x, %x : tensor<2xf32>, tensor<2xf32>)
        outs(%x : tensor<2xf32>) -> tensor<2xf32>
    return %full, %y : tensor<8xf32>, tensor<2xf32>
  }

  // Two writers of one empty tensor: the destination in flight is not reused.
  // CHECK-LABEL: func @destination_in_flight
  // CHECK: fsdp.start_all_gather {{.*}} outs(%[[D:.*]] : memref<8xf32>)
  // CHECK-NOT: outs(%[[D]] :
  // CHECK: fsdp.wait
  func.func @destination_in_flight(%x: tensor<2xf32>, %c: f32)
      -> (tensor<8xf32>, tensor<8xf32>) {
    %d = tensor.empty() : tensor<8xf32>
    %token, %pending = fsdp.start_all_gather ins(%x : tensor<2xf32>)
        outs(%d : tensor<8xf32>) {group = @node, dim = 0 : i64}
        -> tensor<8xf32>
    %y = linalg.fill ins(%c : f32) outs(%d : tensor<8xf32>) -> tensor<8xf32>
    %full = fsdp.wait %token, %pending : tensor<8xf32>
        holding %x : tensor<2xf32>
    return %full, %y : tensor<8xf32>, tensor<8xf32>
  }

  // Sources and destinations are contiguous: a strided source is copied, and a
  // destination is not placed inside of the tensor it is inserted into.
  // CHECK-LABEL: func @contiguous
  // CHECK: %[[D:.*]] = memref.alloc() {{.*}} : memref<4x1xf32>
  // CHECK: %[[S:.*]] = memref.alloc() {{.*}} : memref<4x1xf32>
  // CHECK: memref.copy %{{.*}}, %[[S]]
  // CHECK: fsdp.start_all_reduce ins(%[[S]] : memref<4x1xf32>) outs(%[[D]] : memref<4x1xf32>)
  func.func @contiguous(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %s = tensor.extract_slice %x[0, 0] [4, 1] [1, 1]
        : tensor<4x2xf32> to tensor<4x1xf32>
    %d = tensor.empty() : tensor<4x1xf32>
    %token, %pending = fsdp.start_all_reduce ins(%s : tensor<4x1xf32>)
        outs(%d : tensor<4x1xf32>)
        {group = @node, reduction = #fsdp<reduction sum>} -> tensor<4x1xf32>
    %sum = fsdp.wait %token, %pending : tensor<4x1xf32>
        holding %s : tensor<4x1xf32>
    %y = tensor.insert_slice %sum into %x[0, 1] [4, 1] [1, 1]
        : tensor<4x1xf32> into tensor<4x2xf32>
    return %y : tensor<4x2xf32>
  }
}
