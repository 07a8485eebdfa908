// SPDX-License-Identifier: Apache-2.0
// An integer that does not cut the unit's group evenly.
// RUN: fsdp-opt %s --fsdp-reshard-after-forward --verify-diagnostics

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 8>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  // expected-error @below {{expected reshard_after_forward to cut the unit's group @world of 8 ranks into neighbours evenly, but got 3}}
  fsdp.unit @u {shard = @world, reshard_after_forward = 3 : i64}
  fsdp.unit @v {shard = @world, reshard_after_forward = 8 : i64}
  func.func @integer(%us: tensor<1xf32> {fsdp.param = "u", fsdp.unit = @u},
                     %vs: tensor<1xf32> {fsdp.param = "v", fsdp.unit = @v},
                     %x: tensor<5xf32> {fsdp.input = "x"})
      -> (tensor<5xf32> {fsdp.output = "y"}, tensor<5xf32> {fsdp.grad = "u"}) {
    %u = fsdp.reshard %us of [5] from <[{@world} ]> to <[{} ]> : tensor<1xf32> to tensor<5xf32>
    %v = fsdp.reshard %vs of [5] from <[{@world} ]> to <[{} ]> : tensor<1xf32> to tensor<5xf32>
    %y = arith.mulf %x, %u : tensor<5xf32>
    %z = arith.mulf %y, %v : tensor<5xf32>
    %d = math.exp %z : tensor<5xf32>
    %g = arith.mulf %d, %u : tensor<5xf32>
    %h = arith.mulf %g, %v : tensor<5xf32>
    %m = fsdp.local_grad %h of "u" : tensor<5xf32>
    return %z, %m : tensor<5xf32>, tensor<5xf32>
  }
}
