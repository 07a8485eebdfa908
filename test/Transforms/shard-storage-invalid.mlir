// SPDX-License-Identifier: Apache-2.0
// Units that cannot store their parameters.
// RUN: fsdp-opt %s --fsdp-shard-storage --split-input-file --verify-diagnostics

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 6>} {
  fsdp.process_group @two = #fsdp.classes<[3, 2] from [6]>
  fsdp.process_group @three = #fsdp.classes<[2, 3] from [6]>
  // expected-error @below {{expected compatible groups for parameter 'w'}}
  fsdp.unit @u {shard = @three, reshard_after_forward = true}
  func.func @incompatible(%w: tensor<6xf32> {fsdp.param = "w", fsdp.unit = @u,
      fsdp.sharding = #fsdp.sharding<[{@two} ]>}) {
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  // expected-error @below {{expected gradient_divide_factor to be a fraction of few bits, but got 3.333300e+00}}
  fsdp.unit @u {shard = @world, reshard_after_forward = true, gradient_divide_factor = 3.3333}
  func.func @factor(%w: tensor<6xf32> {fsdp.param = "w", fsdp.unit = @u}) {
    return
  }
}
