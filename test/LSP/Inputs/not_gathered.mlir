module attributes {fsdp.stage = "sharded", fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @root {shard = @world, reshard_after_forward = true}
  func.func @step(
      %w: tensor<2xf32> {fsdp.param = "w", fsdp.unit = @root, fsdp.global_shape = array<i64: 8>,
        fsdp.sharding = #fsdp.sharding<[{}]>, fsdp.storage = #fsdp.sharding<[{@world}]>})
      -> (tensor<8xf32> {fsdp.output = "y", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %exp = math.exp %w : tensor<2xf32>
    %y = fsdp.all_gather %exp over @world dim 0 : (tensor<2xf32>) -> tensor<8xf32>
    return %y : tensor<8xf32>
  }
}
