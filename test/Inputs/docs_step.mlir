// SPDX-License-Identifier: Apache-2.0
// A step of one module for the plans in docs/: loss = sum (w + b) * x.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#none = affine_map<(i, j) -> ()>
module {
  func.func @step(
      %w: tensor<8x4xf32> {fsdp.param = "h.0.w"},
      %b: tensor<4xf32> {fsdp.param = "h.0.experts.b"},
      %x: tensor<8x4xf32> {fsdp.input = "x", fsdp.batch_dim = 0 : i64})
      -> (tensor<f32> {fsdp.loss}, tensor<8x4xf32> {fsdp.grad = "h.0.w"},
          tensor<4xf32> {fsdp.grad = "h.0.experts.b"}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %zeros = arith.constant dense<0.0> : tensor<4xf32>
    %loss = linalg.generic {
        indexing_maps = [#id, #row, #id, #none],
        iterator_types = ["reduction", "reduction"]}
        ins(%w, %b, %x : tensor<8x4xf32>, tensor<4xf32>, tensor<8x4xf32>)
        outs(%zero : tensor<f32>) {
    ^bb0(%wi: f32, %bi: f32, %xi: f32, %sum: f32):
      %0 = arith.addf %wi, %bi : f32
      %1 = arith.mulf %0, %xi : f32
      %2 = arith.addf %sum, %1 : f32
      linalg.yield %2 : f32
    } -> tensor<f32>
    %db = linalg.generic {
        indexing_maps = [#id, #row], iterator_types = ["reduction", "parallel"]}
        ins(%x : tensor<8x4xf32>) outs(%zeros : tensor<4xf32>) {
    ^bb0(%xi: f32, %sum: f32):
      %0 = arith.addf %sum, %xi : f32
      linalg.yield %0 : f32
    } -> tensor<4xf32>
    return %loss, %x, %db : tensor<f32>, tensor<8x4xf32>, tensor<4xf32>
  }
}
