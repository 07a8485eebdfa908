// SPDX-License-Identifier: Apache-2.0
// Updates of one parameter that differ from rank to rank: they were compiled, and shards of different parameters mixed.
// RUN: fsdp-opt %s --split-input-file --fsdp-import --fsdp-annotate="ranks=2" --verify-diagnostics

// The learning rate comes with the batch.
// expected-note @below {{an update may use gradients, but no input and nothing that is computed of one rank's batch}}
func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}, %x: tensor<4xf32> {fsdp.input = "x"}, %lr: tensor<4xf32> {fsdp.input = "lr"},
                %l: tensor<f32> {fsdp.input = "l"}) -> (tensor<f32> {fsdp.loss}, tensor<4xf32> {fsdp.updated = "w"}) {
  %g = fsdp.local_grad %x of "w" : tensor<4xf32>
  %d = arith.mulf %g, %lr : tensor<4xf32>
  // expected-error @below {{expected 'w' to be updated alike on ranks that hold the same value, but got an update that differs along @world}}
  %u = arith.subf %w, %d : tensor<4xf32>
  return %l, %u : tensor<f32>, tensor<4xf32>
}

// -----

// A state keeps the loss of one rank, which the body of an op reads.
// expected-note @below {{an update may use gradients, but no input and nothing that is computed of one rank's batch}}
func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}, %x: tensor<4xf32> {fsdp.input = "x"}, %s: tensor<4xf32> {fsdp.state = "s:w"},
                %l: tensor<f32> {fsdp.input = "l"})
    -> (tensor<f32> {fsdp.loss}, tensor<4xf32> {fsdp.updated = "w"}, tensor<4xf32> {fsdp.updated_state = "s:w"}) {
  %g = fsdp.local_grad %x of "w" : tensor<4xf32>
  %u = arith.subf %w, %g : tensor<4xf32>
  // expected-error @below {{expected 's:w' to be updated alike on ranks that hold the same value, but got an update that differs along @world}}
  %t = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%s : tensor<4xf32>) {
  ^bb0(%o: f32):
    %0 = tensor.extract %l[] : tensor<f32>
    %1 = arith.addf %0, %o : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %l, %u, %t : tensor<f32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Without a loss nothing says how gradients of ranks are combined; they were left as they were.
func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}, %x: tensor<4xf32> {fsdp.input = "x"}) -> (tensor<4xf32> {fsdp.updated = "w"}) {
  // expected-error @below {{'fsdp.local_grad' op expected a loss, which says how gradients of ranks are combined, but got no result 'fsdp.loss'}}
  %g = fsdp.local_grad %x of "w" : tensor<4xf32>
  return %g : tensor<4xf32>
}
