module attributes {fsdp.stage = "sharded", fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.unit @root {shard = @world, reshard_after_forward = true}
  func.func @step(
      %w: tensor<64xf32> {fsdp.param = "w", fsdp.unit = @root, fsdp.sharding = #fsdp.sharding<[{}]>},
      %x: tensor<64xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<64xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.dot ins(%w, %x : tensor<64xf32>, tensor<64xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
    %total = fsdp.all_reduce sum %loss over @world : (tensor<f32>) -> tensor<f32>
    %mean = fsdp.scale %total by 1 over 8 : tensor<f32>
    %local = fsdp.local_grad %x of "w" : tensor<64xf32>
    %sum = fsdp.all_reduce sum %local over @node : (tensor<64xf32>) -> tensor<64xf32>
    %grad = fsdp.scale %sum by 1 over 8 : tensor<64xf32>
    return %mean, %grad : tensor<f32>, tensor<64xf32>
  }
}
