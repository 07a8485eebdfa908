// SPDX-License-Identifier: Apache-2.0
// Losses and storages that make no sense: each with its error.
// RUN: fsdp-opt %s --fsdp-place-boundary --split-input-file --verify-diagnostics

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @below {{expected 'fsdp.loss' to say how the loss is combined, #fsdp.loss<mean = [...]>}}
  func.func @exported(%l: tensor<f32> {fsdp.input = "l"}) -> (tensor<f32> {fsdp.loss}) {
    return %l : tensor<f32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 6>} {
  fsdp.process_group @two = #fsdp.classes<[3, 2] from [6]>
  fsdp.process_group @three = #fsdp.classes<[2, 3] from [6]>
  // expected-error @below {{expected compatible groups at the loss, but it varies over other groups than it combines}}
  func.func @incompatible(%l: tensor<f32> {fsdp.input = "l",
                              fsdp.sharding = #fsdp.sharding<[], varying = {@two}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@three]>}) {
    return %l : tensor<f32>
  }
}

// -----

// The loss was averaged already, on the ranks of a node: twice the scale.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  func.func @equal(%l: tensor<f32> {fsdp.input = "l",
                       fsdp.sharding = #fsdp.sharding<[], varying = {@across}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>}) {
    // expected-error @below {{expected the loss to vary over the groups that it is combined over, but got a loss that is equal on the ranks of #fsdp.classes<[2, 4] from [8]>}}
    %0 = arith.addf %l, %l : tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

// Experts that differ make the loss differ, too.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  func.func @missing(%l: tensor<f32> {fsdp.input = "l",
                         fsdp.sharding = #fsdp.sharding<[], varying = {@node}>},
                     %e: tensor<f32> {fsdp.param = "e",
                         fsdp.sharding = #fsdp.sharding<[], varying = {@across}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@node]>}) {
    // expected-error @below {{expected the loss to be combined over all groups that it varies over, but got none for #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>}}
    %0 = arith.addf %l, %e : tensor<f32>
    return %0 : tensor<f32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  // expected-error @below {{expected a unit for parameter 'w'}}
  func.func @without_unit(%w: tensor<4xf32> {fsdp.param = "w"}) {
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 6>} {
  fsdp.process_group @two = #fsdp.classes<[3, 2] from [6]>
  fsdp.process_group @three = #fsdp.classes<[2, 3] from [6]>
  // expected-error @below {{expected compatible groups for parameter 'w', but got @two and @three}}
  fsdp.unit @u {shard = @three, reshard_after_forward = true}
  // expected-note @below {{the parameter is here}}
  func.func @storage_breaks_the_chain(%w: tensor<4xf32> {fsdp.param = "w", fsdp.unit = @u,
      fsdp.sharding = #fsdp.sharding<[{@two} ]>}) {
    return
  }
}

// -----

// Slices of different experts would be mixed. The error names the group that
// would be right.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @ep = #fsdp.classes<[4, 2] from [8]>
  fsdp.process_group @edp = #fsdp.classes<[2, 4] from [4, 2] T(1, 0)>
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  // expected-error @below {{expected storage of parameter 'e' to be split over ranks that hold the same value, but got @world, along which it differs; use its complement @edp}}
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  // expected-note @below {{the parameter's placement is #fsdp.sharding<[{}], varying = {@ep}>}}
  func.func @mixture(%e: tensor<4xf32> {fsdp.param = "e", fsdp.unit = @u,
      fsdp.sharding = #fsdp.sharding<[{} ], varying = {@ep}>}) {
    return
  }
}

// -----

// The complement may have no name yet; a sharded parameter is refused alike.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @tp = #fsdp.classes<[4, 2] from [8]>
  // expected-error @below {{but got @tp, along which it differs; use its complement #fsdp.classes<[2, 4] from [4, 2] T(1, 0)>}}
  fsdp.unit @u {shard = @tp, reshard_after_forward = true}
  // expected-note @below {{the parameter's placement is}}
  func.func @sharded(%w: tensor<4xf32> {fsdp.param = "w", fsdp.unit = @u,
      fsdp.sharding = #fsdp.sharding<[{@tp} ]>}) {
    return
  }
}

// -----

// Naming the replicate group is a check: it follows from the loss.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  fsdp.process_group @pair = #fsdp.classes<[4, 2] from [8]>
  // expected-error @below {{expected the replicate group of parameter 'w' to be @across, but got @pair}}
  fsdp.unit @u {shard = @node, replicate = @pair, reshard_after_forward = true}
  func.func @replicate(%w: tensor<4xf32> {fsdp.param = "w", fsdp.unit = @u},
                       %l: tensor<f32> {fsdp.input = "l",
                           fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>}) {
    return %l : tensor<f32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  func.func @no_loss(%w: tensor<4xf32> {fsdp.param = "w", fsdp.unit = @u},
                     %x: tensor<4xf32> {fsdp.input = "x",
                         fsdp.sharding = #fsdp.sharding<[{} ], varying = {@world}>})
      -> (tensor<4xf32> {fsdp.grad = "w"}) {
    // expected-error @below {{expected a loss, which says how gradients of ranks are combined, but got no result 'fsdp.loss'}}
    %0 = fsdp.local_grad %x of "w" : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// A gradient that no marker announces: replicas would drift.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  // expected-note @below {{an update may use gradients, but no input and nothing that is computed of one rank's batch}}
  func.func @drift(%w: tensor<f32> {fsdp.param = "w", fsdp.unit = @u},
                   %x: tensor<f32> {fsdp.input = "x",
                       fsdp.sharding = #fsdp.sharding<[], varying = {@world}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>}, tensor<f32> {fsdp.updated = "w"}) {
    // expected-error @below {{expected 'w' to be updated alike on ranks that hold the same value, but got an update that differs along @world}}
    %0 = arith.subf %w, %x : tensor<f32>
    return %x, %0 : tensor<f32>, tensor<f32>
  }
}

// -----

// The loss of a global batch is equal on all ranks: there is nothing to average.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 8] from [8]>
  func.func @global(%x: tensor<8xf32> {fsdp.input = "x", fsdp.batch_dim = 0,
                        fsdp.sharding = #fsdp.sharding<[{@world} ]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    // expected-error @below {{but got a loss that is equal on the ranks of #fsdp.classes<[1, 8] from [8]>}}
    %0 = linalg.reduce { arith.addf } ins(%x : tensor<8xf32>) outs(%zero : tensor<f32>) dimensions = [0]
    return %0 : tensor<f32>
  }
}

// -----

// Of a global batch the replicate group holds no rank that has no part in it.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
  fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  // expected-error @below {{expected the replicate group of parameter 'w' to be #fsdp.classes<[8, 1] from [8]>, but got @across}}
  fsdp.unit @u {shard = @node, replicate = @across, reshard_after_forward = true}
  func.func @replicate(%w: tensor<4xf32> {fsdp.param = "w", fsdp.unit = @u},
                       %x: tensor<4xf32> {fsdp.input = "x",
                           fsdp.sharding = #fsdp.sharding<[{@node} ]>},
                       %l: tensor<f32> {fsdp.input = "l"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>}) {
    return %l : tensor<f32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  // expected-error @below {{expected an output "token" that divides the loss, but got none; did you mean 'tokens'?}}
  func.func @no_divisor(%n: tensor<f32> {fsdp.input = "n"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [], divide_by = "token">},
          tensor<f32> {fsdp.output = "tokens"}) {
    return %n, %n : tensor<f32>, tensor<f32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  // expected-error @below {{expected output "tokens", which divides the loss, to be a scalar, but got 'tensor<2xf32>'}}
  func.func @divisor(%l: tensor<f32> {fsdp.input = "l"}, %n: tensor<2xf32> {fsdp.input = "n"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [], divide_by = "tokens">},
          tensor<2xf32> {fsdp.output = "tokens"}) {
    return %l, %n : tensor<f32>, tensor<2xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @ep = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.unit @u {shard = @dp, reshard_after_forward = true}
  // expected-note @below {{the loss is #fsdp.loss<mean = [@dp]>}}
  func.func @drift(%w: tensor<4xf32> {fsdp.param = "w", fsdp.unit = @u},
                   %e: tensor<4xf32> {fsdp.buffer = "e",
                       fsdp.sharding = #fsdp.sharding<[{} ], varying = {@ep}>},
                   %l: tensor<f32> {fsdp.input = "l",
                       fsdp.sharding = #fsdp.sharding<[], varying = {@dp}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>},
          tensor<4xf32> {fsdp.grad = "w"}) {
    // expected-error @below {{expected the gradient of parameter 'w' to vary only over groups that the loss is combined over, but got one that differs along @ep}}
    %m = fsdp.local_grad %e of "w" : tensor<4xf32>
    return %l, %m : tensor<f32>, tensor<4xf32>
  }
}
