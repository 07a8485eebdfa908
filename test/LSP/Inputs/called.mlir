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
    %c0 = arith.constant 0 : index
    %i = fsdp.rank_index @node
    %first = arith.cmpi eq, %i, %c0 : index
    %0 = func.call @sum(%x, %first) : (tensor<4xf32>, i1) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
