// SPDX-License-Identifier: Apache-2.0
// Each promise of the stages `imported`, `annotated` and `sharded`, broken.
// RUN: split-file %s %t
// RUN: fsdp-opt %t/imported.mlir --allow-unregistered-dialect --fsdp-verify-stage=stage=imported --split-input-file --verify-diagnostics
// RUN: fsdp-opt %t/annotated.mlir --fsdp-verify-stage=stage=annotated --split-input-file --verify-diagnostics
// RUN: fsdp-opt %t/sharded.mlir --fsdp-verify-stage=stage=sharded --split-input-file --verify-diagnostics

//--- imported.mlir
func.func @foreign(%x: tensor<4xf32> {fsdp.input = "x"}) {
  // expected-error @below {{expected no 'test.op' at stage 'imported'}}
  "test.op"() : () -> ()
  return
}

// -----

func.func @later(%w: tensor<4xf32> {fsdp.param = "w"}) {
  // expected-error @below {{expected no 'fsdp.global_norm' at stage 'imported'}}
  %0 = fsdp.global_norm %w {shardings = [#fsdp.sharding<[{} ]>]} : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

// expected-error @below {{expected a role on argument 1}}
func.func @argument(%x: tensor<4xf32> {fsdp.input = "x"}, %y: tensor<4xf32>) {
  return
}

// -----

// expected-error @below {{expected a role on result 0}}
func.func @result(%x: tensor<4xf32> {fsdp.input = "x"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{expected a marked gradient of parameter 'w'}}
func.func @marker(%w: tensor<4xf32> {fsdp.param = "w"}) -> (tensor<4xf32> {fsdp.grad = "w"}) {
  return %w : tensor<4xf32>
}

//--- annotated.mlir
// expected-error @below {{expected 'fsdp.world'}}
module {
  func.func @world(%x: tensor<4xf32> {fsdp.input = "x"}) {
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @below {{expected a resolved process group}}
  fsdp.process_group @node = "node"
  func.func @group(%x: tensor<4xf32> {fsdp.input = "x"}) {
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @below {{expected a unit for parameter 'w'}}
  func.func @unit(%w: tensor<4xf32> {fsdp.param = "w"}) {
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @below {{expected a placement of argument 0}}
  func.func @argument(%x: tensor<4xf32> {fsdp.input = "x"}) {
    return
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  // expected-error @below {{expected a placement of result 0}}
  func.func @result(%x: tensor<4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{} ]>})
      -> (tensor<4xf32> {fsdp.output = "x"}) {
    return %x : tensor<4xf32>
  }
}

//--- sharded.mlir
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  func.func @reshard(%x: tensor<2xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{} ]>}) {
    // expected-error @below {{expected no 'fsdp.reshard' at stage 'sharded'}}
    %0 = fsdp.reshard %x of [8] from <[{@world} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    return
  }
}

