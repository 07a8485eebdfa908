// SPDX-License-Identifier: Apache-2.0
// Three elementwise layers: loss = sum(x * first * mid * head). Backward needs
// mid again after other work, head at once, first not at all.
#id = affine_map<(d0) -> (d0)>
func.func @step(%first: tensor<6xf32> {fsdp.param = "h.0.w"}, %mid: tensor<6xf32> {fsdp.param = "mid.w"},
                %head: tensor<6xf32> {fsdp.param = "head.w"}, %x: tensor<6xf32> {fsdp.input = "x"})
    -> (tensor<f32> {fsdp.loss}, tensor<6xf32> {fsdp.grad = "h.0.w"}, tensor<6xf32> {fsdp.grad = "mid.w"},
        tensor<6xf32> {fsdp.grad = "head.w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<6xf32>
  %h1 = linalg.mul ins(%x, %first : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %h2 = linalg.mul ins(%h1, %mid : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %loss = linalg.dot ins(%h2, %head : tensor<6xf32>, tensor<6xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  %dmid = linalg.mul ins(%head, %h1 : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %dh1 = linalg.mul ins(%head, %mid : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  %dfirst = linalg.mul ins(%dh1, %x : tensor<6xf32>, tensor<6xf32>) outs(%e : tensor<6xf32>) -> tensor<6xf32>
  return %loss, %dfirst, %dmid, %h2 : tensor<f32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}
