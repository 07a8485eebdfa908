module attributes {fsdp.stage = "annotated", fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  func.func @step(%x: tensor<4xf32> {fsdp.input = "x"}) -> tensor<4xf32> {
    %0 = fsdp.all_reduce sum %x over @nodes : (tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
