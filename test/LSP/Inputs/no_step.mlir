module attributes {fsdp.stage = "annotated", fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
