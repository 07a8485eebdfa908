// loss = sum(w * x), so the gradient of w is x.
func.func @step(%w: tensor<6xf32> {fsdp.param = "w"},
                %x: tensor<6xf32> {fsdp.input = "x"})
    -> (tensor<f32> {fsdp.loss}, tensor<6xf32> {fsdp.grad = "w"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %y = arith.mulf %x, %w : tensor<6xf32>
  %l = linalg.reduce { arith.addf } ins(%y : tensor<6xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %g = fsdp.local_grad %x of "w" : tensor<6xf32>
  return %l, %g : tensor<f32>, tensor<6xf32>
}
