// SPDX-License-Identifier: Apache-2.0
// Units that cannot store their parameters, and gradients that cannot be reduced.
// RUN: fsdp-opt %s --fsdp-shard-storage --split-input-file --verify-diagnostics

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 6>} {
  fsdp.process_group @two = #fsdp.classes<[3, 2] from [6]>
  fsdp.process_group @three = #fsdp.classes<[2, 3] from [6]>
  // expected-error @below {{expected compatible groups for parameter 'w', but got @two and @three}}
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

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 6, ranks_per_node = 6>} {
  fsdp.process_group @two = #fsdp.classes<[3, 2] from [6]>
  fsdp.process_group @three = #fsdp.classes<[2, 3] from [6]>
  fsdp.unit @u {shard = @three, reshard_after_forward = true}
  func.func @gradient_elsewhere(%w: tensor<6xf32> {fsdp.param = "w", fsdp.unit = @u})
      -> (tensor<6xf32> {fsdp.grad = "w"}) {
    // expected-error @below {{expected compatible groups for parameter 'w', but got @three and @two}}
    %m = fsdp.local_grad %w of "w" : tensor<6xf32>
    %g = fsdp.reshard %m of [6] from <[{}], partial = {@two}> to <[{}]> : tensor<6xf32> to tensor<6xf32>
    return %g : tensor<6xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  func.func @largest(%w: tensor<6xf32> {fsdp.param = "w", fsdp.unit = @u})
      -> (tensor<6xf32> {fsdp.grad = "w"}) {
    // expected-error @below {{expected a gradient that is a sum, but got #fsdp.sharding<[{}], partial = max {@world}>}}
    %m = fsdp.local_grad %w of "w" : tensor<6xf32>
    %g = fsdp.reshard %m of [6] from <[{}], partial = max {@world}> to <[{}]> : tensor<6xf32> to tensor<6xf32>
    return %g : tensor<6xf32>
  }
}

// -----

// A gradient that is not added up, one that is from something, and one whose sum
// so far is used.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  func.func @used(%w: tensor<6xf32> {fsdp.param = "w", fsdp.unit = @u})
      -> (tensor<6xf32> {fsdp.grad = "w"}) {
    %z = arith.constant dense<0.0> : tensor<6xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %z) -> (tensor<6xf32>) {
      // expected-error @below {{expected a gradient in a loop to be added up there from zero, and nothing else}}
      %m = fsdp.local_grad %w of "w" : tensor<6xf32>
      %b = arith.mulf %a, %m : tensor<6xf32>
      scf.yield %b : tensor<6xf32>
    }
    return %0 : tensor<6xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  func.func @start(%w: tensor<6xf32> {fsdp.param = "w", fsdp.unit = @u})
      -> (tensor<6xf32> {fsdp.grad = "w"}) {
    %z = arith.constant dense<1.0> : tensor<6xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %z) -> (tensor<6xf32>) {
      // expected-error @below {{expected a gradient in a loop to be added up there from zero}}
      %m = fsdp.local_grad %w of "w" : tensor<6xf32>
      %b = arith.addf %m, %a : tensor<6xf32>
      scf.yield %b : tensor<6xf32>
    }
    return %0 : tensor<6xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  fsdp.unit @u {shard = @world, reshard_after_forward = true}
  func.func @so_far(%w: tensor<6xf32> {fsdp.param = "w", fsdp.unit = @u})
      -> (tensor<6xf32> {fsdp.grad = "w"}, tensor<6xf32> {fsdp.output = "o"}) {
    %z = arith.constant dense<0.0> : tensor<6xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%a = %z, %last = %z) -> (tensor<6xf32>, tensor<6xf32>) {
      // expected-error @below {{expected a gradient in a loop to be added up there from zero}}
      %m = fsdp.local_grad %w of "w" : tensor<6xf32>
      %b = arith.addf %a, %m : tensor<6xf32>
      scf.yield %b, %a : tensor<6xf32>, tensor<6xf32>
    }
    return %0#0, %0#1 : tensor<6xf32>, tensor<6xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @world = #fsdp.classes<[1, 2] from [2]>
  // expected-error @below {{expected no gradient_divide_factor beside a loss that is divided by "n"}}
  fsdp.unit @u {shard = @world, reshard_after_forward = true, gradient_divide_factor = 2.0}
  func.func @both(%w: tensor<6xf32> {fsdp.param = "w", fsdp.unit = @u}, %n: tensor<f32> {fsdp.input = "n"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [], divide_by = "n">}, tensor<f32> {fsdp.output = "n"}) {
    %m = arith.negf %n {fsdp.divisor} : tensor<f32>
    return %m, %n : tensor<f32>, tensor<f32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  // expected-error @below {{expected a loss over "n" to be combined first, by fsdp-combine-results}}
  func.func @not_combined(%n: tensor<f32> {fsdp.input = "n"})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [], divide_by = "n">}, tensor<f32> {fsdp.output = "n"}) {
    %0 = tensor.empty() {fsdp.divisor} : tensor<2xf32>
    return %n, %n : tensor<f32>, tensor<f32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  // expected-error @below {{expected a unit for parameter 'w'}}
  func.func @no_unit(%w: tensor<6xf32> {fsdp.param = "w"}) {
    return
  }
}
