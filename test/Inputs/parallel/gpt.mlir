// SPDX-License-Identifier: Apache-2.0
// One layer between an embedding and a head of its own. Made by steps.py.
module {
  func.func @step(%arg0: tensor<4x8xi64> {fsdp.batch_dim = 0 : i64, fsdp.input = "tokens"},
      %arg1: tensor<40x16xf32> {fsdp.param = "embed.weight"},
      %arg2: tensor<16xf32> {fsdp.param = "h.0.attn.ln.weight"},
      %arg3: tensor<16xf32> {fsdp.param = "h.0.attn.ln.bias"},
      %arg4: tensor<16x16xf32> {fsdp.param = "h.0.attn.q.weight"},
      %arg5: tensor<16x16xf32> {fsdp.param = "h.0.attn.k.weight"},
      %arg6: tensor<16x16xf32> {fsdp.param = "h.0.attn.v.weight"},
      %arg7: tensor<16x16xf32> {fsdp.param = "h.0.attn.o.weight"},
      %arg8: tensor<16xf32> {fsdp.param = "h.0.attn.o.bias"},
      %arg9: tensor<16xf32> {fsdp.param = "h.0.mlp.ln.weight"},
      %arg10: tensor<16xf32> {fsdp.param = "h.0.mlp.ln.bias"},
      %arg11: tensor<48x16xf32> {fsdp.param = "h.0.mlp.fc1.weight"},
      %arg12: tensor<48xf32> {fsdp.param = "h.0.mlp.fc1.bias"},
      %arg13: tensor<16x48xf32> {fsdp.param = "h.0.mlp.fc2.weight"},
      %arg14: tensor<16xf32> {fsdp.param = "h.0.mlp.fc2.bias"},
      %arg15: tensor<16xf32> {fsdp.param = "norm.weight"},
      %arg16: tensor<16xf32> {fsdp.param = "norm.bias"},
      %arg17: tensor<40x16xf32> {fsdp.param = "head.weight"},
      %arg18: tensor<4x8xi64> {fsdp.batch_dim = 0 : i64, fsdp.input = "targets"})
      -> (tensor<f32> {fsdp.loss},
          tensor<40x16xf32> {fsdp.grad = "embed.weight"},
          tensor<16xf32> {fsdp.grad = "h.0.attn.ln.weight"},
          tensor<16xf32> {fsdp.grad = "h.0.attn.ln.bias"},
          tensor<16x16xf32> {fsdp.grad = "h.0.attn.q.weight"},
          tensor<16x16xf32> {fsdp.grad = "h.0.attn.k.weight"},
          tensor<16x16xf32> {fsdp.grad = "h.0.attn.v.weight"},
          tensor<16x16xf32> {fsdp.grad = "h.0.attn.o.weight"},
          tensor<16xf32> {fsdp.grad = "h.0.attn.o.bias"},
          tensor<16xf32> {fsdp.grad = "h.0.mlp.ln.weight"},
          tensor<16xf32> {fsdp.grad = "h.0.mlp.ln.bias"},
          tensor<48x16xf32> {fsdp.grad = "h.0.mlp.fc1.weight"},
          tensor<48xf32> {fsdp.grad = "h.0.mlp.fc1.bias"},
          tensor<16x48xf32> {fsdp.grad = "h.0.mlp.fc2.weight"},
          tensor<16xf32> {fsdp.grad = "h.0.mlp.fc2.bias"},
          tensor<16xf32> {fsdp.grad = "norm.weight"},
          tensor<16xf32> {fsdp.grad = "norm.bias"},
          tensor<40x16xf32> {fsdp.grad = "head.weight"}) {
    %cst_0 = arith.constant 0.00000000e+00 : f32
    %cst_1 = arith.constant 1.00000000e+00 : f32
    %cst_2 = arith.constant -5.00000000e-01 : f32
    %cst_3 = arith.constant 6.25000000e-02 : f32
    %cst_4 = arith.constant 1.00000000e-05 : f32
    %cst_5 = arith.constant 5.00000000e-01 : f32
    %cst_6 = arith.constant -1.00000000e+30 : f32
    %cst_7 = arith.constant 3.12500000e-02 : f32
    %1 = tensor.empty() : tensor<4x8x16xf32> loc("embed"("fwd"))
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<4x8xi64>) outs(%1 : tensor<4x8x16xf32>) {
    ^bb0(%in2_0: i64, %out2: f32):
      %i2 = arith.index_cast %in2_0 : i64 to index loc("embed"("fwd"))
      %j2 = linalg.index 2 : index loc("embed"("fwd"))
      %r2 = tensor.extract %arg1[%i2, %j2] : tensor<40x16xf32> loc("embed"("fwd"))
      linalg.yield %r2 : f32 loc("embed"("fwd"))
    } -> tensor<4x8x16xf32> loc("embed"("fwd"))
    %3 = tensor.empty() : tensor<4x8xf32> loc("h.0.attn.ln"("fwd"))
    %4 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.attn.ln"("fwd"))
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<4x8x16xf32>) outs(%4 : tensor<4x8xf32>) {
    ^bb0(%in5_0: f32, %out5: f32):
      %r5 = arith.addf %in5_0, %out5 : f32 loc("h.0.attn.ln"("fwd"))
      linalg.yield %r5 : f32 loc("h.0.attn.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.attn.ln"("fwd"))
    %6 = tensor.empty() : tensor<4x8xf32> loc("h.0.attn.ln"("fwd"))
    %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<4x8xf32>) outs(%6 : tensor<4x8xf32>) {
    ^bb0(%in7_0: f32, %out7: f32):
      %r7 = arith.mulf %in7_0, %cst_3 : f32 loc("h.0.attn.ln"("fwd"))
      linalg.yield %r7 : f32 loc("h.0.attn.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.attn.ln"("fwd"))
    %8 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("fwd"))
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %7 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%8 : tensor<4x8x16xf32>) {
    ^bb0(%in9_0: f32, %in9_1: f32, %out9: f32):
      %r9 = arith.subf %in9_0, %in9_1 : f32 loc("h.0.attn.ln"("fwd"))
      linalg.yield %r9 : f32 loc("h.0.attn.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("fwd"))
    %10 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("fwd"))
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %9 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%10 : tensor<4x8x16xf32>) {
    ^bb0(%in11_0: f32, %in11_1: f32, %out11: f32):
      %r11 = arith.mulf %in11_0, %in11_1 : f32 loc("h.0.attn.ln"("fwd"))
      linalg.yield %r11 : f32 loc("h.0.attn.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("fwd"))
    %12 = tensor.empty() : tensor<4x8xf32> loc("h.0.attn.ln"("fwd"))
    %13 = linalg.fill ins(%cst_0 : f32) outs(%12 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.attn.ln"("fwd"))
    %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<4x8x16xf32>) outs(%13 : tensor<4x8xf32>) {
    ^bb0(%in14_0: f32, %out14: f32):
      %r14 = arith.addf %in14_0, %out14 : f32 loc("h.0.attn.ln"("fwd"))
      linalg.yield %r14 : f32 loc("h.0.attn.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.attn.ln"("fwd"))
    %15 = tensor.empty() : tensor<4x8xf32> loc("h.0.attn.ln"("fwd"))
    %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<4x8xf32>) outs(%15 : tensor<4x8xf32>) {
    ^bb0(%in16_0: f32, %out16: f32):
      %r16 = arith.mulf %in16_0, %cst_3 : f32 loc("h.0.attn.ln"("fwd"))
      linalg.yield %r16 : f32 loc("h.0.attn.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.attn.ln"("fwd"))
    %17 = tensor.empty() : tensor<4x8xf32> loc("h.0.attn.ln"("fwd"))
    %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<4x8xf32>) outs(%17 : tensor<4x8xf32>) {
    ^bb0(%in18_0: f32, %out18: f32):
      %r18 = arith.addf %in18_0, %cst_4 : f32 loc("h.0.attn.ln"("fwd"))
      linalg.yield %r18 : f32 loc("h.0.attn.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.attn.ln"("fwd"))
    %19 = tensor.empty() : tensor<4x8xf32> loc("h.0.attn.ln"("fwd"))
    %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<4x8xf32>) outs(%19 : tensor<4x8xf32>) {
    ^bb0(%in20_0: f32, %out20: f32):
      %r20 = math.rsqrt %in20_0 : f32 loc("h.0.attn.ln"("fwd"))
      linalg.yield %r20 : f32 loc("h.0.attn.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.attn.ln"("fwd"))
    %21 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("fwd"))
    %22 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %20 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%21 : tensor<4x8x16xf32>) {
    ^bb0(%in22_0: f32, %in22_1: f32, %out22: f32):
      %r22 = arith.mulf %in22_0, %in22_1 : f32 loc("h.0.attn.ln"("fwd"))
      linalg.yield %r22 : f32 loc("h.0.attn.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("fwd"))
    %23 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("fwd"))
    %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22, %arg2 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%23 : tensor<4x8x16xf32>) {
    ^bb0(%in24_0: f32, %in24_1: f32, %out24: f32):
      %r24 = arith.mulf %in24_0, %in24_1 : f32 loc("h.0.attn.ln"("fwd"))
      linalg.yield %r24 : f32 loc("h.0.attn.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("fwd"))
    %25 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("fwd"))
    %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %arg3 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%25 : tensor<4x8x16xf32>) {
    ^bb0(%in26_0: f32, %in26_1: f32, %out26: f32):
      %r26 = arith.addf %in26_0, %in26_1 : f32 loc("h.0.attn.ln"("fwd"))
      linalg.yield %r26 : f32 loc("h.0.attn.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("fwd"))
    %27 = tensor.collapse_shape %26 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.attn.q"("fwd"))
    %28 = tensor.empty() : tensor<16x16xf32> loc("h.0.attn.q"("fwd"))
    %29 = linalg.transpose ins(%arg4 : tensor<16x16xf32>) outs(%28 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.attn.q"("fwd"))
    %30 = tensor.empty() : tensor<32x16xf32> loc("h.0.attn.q"("fwd"))
    %31 = linalg.fill ins(%cst_0 : f32) outs(%30 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.q"("fwd"))
    %32 = linalg.matmul ins(%27, %29 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%31 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.q"("fwd"))
    %33 = tensor.expand_shape %32 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.attn.q"("fwd"))
    %34 = tensor.collapse_shape %26 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.attn.k"("fwd"))
    %35 = tensor.empty() : tensor<16x16xf32> loc("h.0.attn.k"("fwd"))
    %36 = linalg.transpose ins(%arg5 : tensor<16x16xf32>) outs(%35 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.attn.k"("fwd"))
    %37 = tensor.empty() : tensor<32x16xf32> loc("h.0.attn.k"("fwd"))
    %38 = linalg.fill ins(%cst_0 : f32) outs(%37 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.k"("fwd"))
    %39 = linalg.matmul ins(%34, %36 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%38 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.k"("fwd"))
    %40 = tensor.expand_shape %39 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.attn.k"("fwd"))
    %41 = tensor.collapse_shape %26 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.attn.v"("fwd"))
    %42 = tensor.empty() : tensor<16x16xf32> loc("h.0.attn.v"("fwd"))
    %43 = linalg.transpose ins(%arg6 : tensor<16x16xf32>) outs(%42 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.attn.v"("fwd"))
    %44 = tensor.empty() : tensor<32x16xf32> loc("h.0.attn.v"("fwd"))
    %45 = linalg.fill ins(%cst_0 : f32) outs(%44 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.v"("fwd"))
    %46 = linalg.matmul ins(%41, %43 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%45 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.v"("fwd"))
    %47 = tensor.expand_shape %46 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.attn.v"("fwd"))
    %48 = tensor.expand_shape %33 [[0], [1], [2, 3]] output_shape [4, 8, 4, 4] : tensor<4x8x16xf32> into tensor<4x8x4x4xf32> loc("h.0.attn"("fwd"))
    %49 = tensor.empty() : tensor<4x4x8x4xf32> loc("h.0.attn"("fwd"))
    %50 = linalg.transpose ins(%48 : tensor<4x8x4x4xf32>) outs(%49 : tensor<4x4x8x4xf32>) permutation = [0, 2, 1, 3] loc("h.0.attn"("fwd"))
    %51 = tensor.expand_shape %40 [[0], [1], [2, 3]] output_shape [4, 8, 4, 4] : tensor<4x8x16xf32> into tensor<4x8x4x4xf32> loc("h.0.attn"("fwd"))
    %52 = tensor.empty() : tensor<4x4x8x4xf32> loc("h.0.attn"("fwd"))
    %53 = linalg.transpose ins(%51 : tensor<4x8x4x4xf32>) outs(%52 : tensor<4x4x8x4xf32>) permutation = [0, 2, 1, 3] loc("h.0.attn"("fwd"))
    %54 = tensor.expand_shape %47 [[0], [1], [2, 3]] output_shape [4, 8, 4, 4] : tensor<4x8x16xf32> into tensor<4x8x4x4xf32> loc("h.0.attn"("fwd"))
    %55 = tensor.empty() : tensor<4x4x8x4xf32> loc("h.0.attn"("fwd"))
    %56 = linalg.transpose ins(%54 : tensor<4x8x4x4xf32>) outs(%55 : tensor<4x4x8x4xf32>) permutation = [0, 2, 1, 3] loc("h.0.attn"("fwd"))
    %57 = tensor.collapse_shape %50 [[0, 1], [2], [3]] : tensor<4x4x8x4xf32> into tensor<16x8x4xf32> loc("h.0.attn"("fwd"))
    %58 = tensor.empty() : tensor<4x4x4x8xf32> loc("h.0.attn"("fwd"))
    %59 = linalg.transpose ins(%53 : tensor<4x4x8x4xf32>) outs(%58 : tensor<4x4x4x8xf32>) permutation = [0, 1, 3, 2] loc("h.0.attn"("fwd"))
    %60 = tensor.collapse_shape %59 [[0, 1], [2], [3]] : tensor<4x4x4x8xf32> into tensor<16x4x8xf32> loc("h.0.attn"("fwd"))
    %61 = tensor.empty() : tensor<16x8x8xf32> loc("h.0.attn"("fwd"))
    %62 = linalg.fill ins(%cst_0 : f32) outs(%61 : tensor<16x8x8xf32>) -> tensor<16x8x8xf32> loc("h.0.attn"("fwd"))
    %63 = linalg.batch_matmul ins(%57, %60 : tensor<16x8x4xf32>, tensor<16x4x8xf32>) outs(%62 : tensor<16x8x8xf32>) -> tensor<16x8x8xf32> loc("h.0.attn"("fwd"))
    %64 = tensor.expand_shape %63 [[0, 1], [2], [3]] output_shape [4, 4, 8, 8] : tensor<16x8x8xf32> into tensor<4x4x8x8xf32> loc("h.0.attn"("fwd"))
    %65 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0.attn"("fwd"))
    %66 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%64 : tensor<4x4x8x8xf32>) outs(%65 : tensor<4x4x8x8xf32>) {
    ^bb0(%in66_0: f32, %out66: f32):
      %r66 = arith.mulf %in66_0, %cst_5 : f32 loc("h.0.attn"("fwd"))
      linalg.yield %r66 : f32 loc("h.0.attn"("fwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0.attn"("fwd"))
    %67 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0.attn"("fwd"))
    %68 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%66 : tensor<4x4x8x8xf32>) outs(%67 : tensor<4x4x8x8xf32>) {
    ^bb0(%in68_0: f32, %out68: f32):
      %t68 = linalg.index 2 : index loc("h.0.attn"("fwd"))
      %s68 = linalg.index 3 : index loc("h.0.attn"("fwd"))
      %a68 = arith.cmpi ule, %s68, %t68 : index loc("h.0.attn"("fwd"))
      %r68 = arith.select %a68, %in68_0, %cst_6 : f32 loc("h.0.attn"("fwd"))
      linalg.yield %r68 : f32 loc("h.0.attn"("fwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0.attn"("fwd"))
    %69 = tensor.empty() : tensor<4x4x8xf32> loc("h.0.attn"("fwd"))
    %70 = linalg.fill ins(%cst_6 : f32) outs(%69 : tensor<4x4x8xf32>) -> tensor<4x4x8xf32> loc("h.0.attn"("fwd"))
    %71 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%68 : tensor<4x4x8x8xf32>) outs(%70 : tensor<4x4x8xf32>) {
    ^bb0(%in71_0: f32, %out71: f32):
      %r71 = arith.maximumf %in71_0, %out71 : f32 loc("h.0.attn"("fwd"))
      linalg.yield %r71 : f32 loc("h.0.attn"("fwd"))
    } -> tensor<4x4x8xf32> loc("h.0.attn"("fwd"))
    %72 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0.attn"("fwd"))
    %73 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%68, %71 : tensor<4x4x8x8xf32>, tensor<4x4x8xf32>) outs(%72 : tensor<4x4x8x8xf32>) {
    ^bb0(%in73_0: f32, %in73_1: f32, %out73: f32):
      %r73 = arith.subf %in73_0, %in73_1 : f32 loc("h.0.attn"("fwd"))
      linalg.yield %r73 : f32 loc("h.0.attn"("fwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0.attn"("fwd"))
    %74 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0.attn"("fwd"))
    %75 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%73 : tensor<4x4x8x8xf32>) outs(%74 : tensor<4x4x8x8xf32>) {
    ^bb0(%in75_0: f32, %out75: f32):
      %r75 = math.exp %in75_0 : f32 loc("h.0.attn"("fwd"))
      linalg.yield %r75 : f32 loc("h.0.attn"("fwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0.attn"("fwd"))
    %76 = tensor.empty() : tensor<4x4x8xf32> loc("h.0.attn"("fwd"))
    %77 = linalg.fill ins(%cst_0 : f32) outs(%76 : tensor<4x4x8xf32>) -> tensor<4x4x8xf32> loc("h.0.attn"("fwd"))
    %78 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%75 : tensor<4x4x8x8xf32>) outs(%77 : tensor<4x4x8xf32>) {
    ^bb0(%in78_0: f32, %out78: f32):
      %r78 = arith.addf %in78_0, %out78 : f32 loc("h.0.attn"("fwd"))
      linalg.yield %r78 : f32 loc("h.0.attn"("fwd"))
    } -> tensor<4x4x8xf32> loc("h.0.attn"("fwd"))
    %79 = tensor.empty() : tensor<4x4x8xf32> loc("h.0.attn"("fwd"))
    %80 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%78 : tensor<4x4x8xf32>) outs(%79 : tensor<4x4x8xf32>) {
    ^bb0(%in80_0: f32, %out80: f32):
      %r80 = math.log %in80_0 : f32 loc("h.0.attn"("fwd"))
      linalg.yield %r80 : f32 loc("h.0.attn"("fwd"))
    } -> tensor<4x4x8xf32> loc("h.0.attn"("fwd"))
    %81 = tensor.empty() : tensor<4x4x8xf32> loc("h.0.attn"("fwd"))
    %82 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%80 : tensor<4x4x8xf32>) outs(%81 : tensor<4x4x8xf32>) {
    ^bb0(%in82_0: f32, %out82: f32):
      %r82 = arith.negf %in82_0 : f32 loc("h.0.attn"("fwd"))
      linalg.yield %r82 : f32 loc("h.0.attn"("fwd"))
    } -> tensor<4x4x8xf32> loc("h.0.attn"("fwd"))
    %83 = tensor.empty() : tensor<4x4x8xf32> loc("h.0.attn"("fwd"))
    %84 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82 : tensor<4x4x8xf32>) outs(%83 : tensor<4x4x8xf32>) {
    ^bb0(%in84_0: f32, %out84: f32):
      %r84 = math.exp %in84_0 : f32 loc("h.0.attn"("fwd"))
      linalg.yield %r84 : f32 loc("h.0.attn"("fwd"))
    } -> tensor<4x4x8xf32> loc("h.0.attn"("fwd"))
    %85 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0.attn"("fwd"))
    %86 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%75, %84 : tensor<4x4x8x8xf32>, tensor<4x4x8xf32>) outs(%85 : tensor<4x4x8x8xf32>) {
    ^bb0(%in86_0: f32, %in86_1: f32, %out86: f32):
      %r86 = arith.mulf %in86_0, %in86_1 : f32 loc("h.0.attn"("fwd"))
      linalg.yield %r86 : f32 loc("h.0.attn"("fwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0.attn"("fwd"))
    %87 = tensor.collapse_shape %86 [[0, 1], [2], [3]] : tensor<4x4x8x8xf32> into tensor<16x8x8xf32> loc("h.0.attn"("fwd"))
    %88 = tensor.collapse_shape %56 [[0, 1], [2], [3]] : tensor<4x4x8x4xf32> into tensor<16x8x4xf32> loc("h.0.attn"("fwd"))
    %89 = tensor.empty() : tensor<16x8x4xf32> loc("h.0.attn"("fwd"))
    %90 = linalg.fill ins(%cst_0 : f32) outs(%89 : tensor<16x8x4xf32>) -> tensor<16x8x4xf32> loc("h.0.attn"("fwd"))
    %91 = linalg.batch_matmul ins(%87, %88 : tensor<16x8x8xf32>, tensor<16x8x4xf32>) outs(%90 : tensor<16x8x4xf32>) -> tensor<16x8x4xf32> loc("h.0.attn"("fwd"))
    %92 = tensor.expand_shape %91 [[0, 1], [2], [3]] output_shape [4, 4, 8, 4] : tensor<16x8x4xf32> into tensor<4x4x8x4xf32> loc("h.0.attn"("fwd"))
    %93 = tensor.empty() : tensor<4x8x4x4xf32> loc("h.0.attn"("fwd"))
    %94 = linalg.transpose ins(%92 : tensor<4x4x8x4xf32>) outs(%93 : tensor<4x8x4x4xf32>) permutation = [0, 2, 1, 3] loc("h.0.attn"("fwd"))
    %95 = tensor.collapse_shape %94 [[0], [1], [2, 3]] : tensor<4x8x4x4xf32> into tensor<4x8x16xf32> loc("h.0.attn"("fwd"))
    %96 = tensor.collapse_shape %95 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.attn.o"("fwd"))
    %97 = tensor.empty() : tensor<16x16xf32> loc("h.0.attn.o"("fwd"))
    %98 = linalg.transpose ins(%arg7 : tensor<16x16xf32>) outs(%97 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.attn.o"("fwd"))
    %99 = tensor.empty() : tensor<32x16xf32> loc("h.0.attn.o"("fwd"))
    %100 = linalg.fill ins(%cst_0 : f32) outs(%99 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.o"("fwd"))
    %101 = linalg.matmul ins(%96, %98 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%100 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.o"("fwd"))
    %102 = tensor.expand_shape %101 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.attn.o"("fwd"))
    %103 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.o"("fwd"))
    %104 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%102, %arg8 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%103 : tensor<4x8x16xf32>) {
    ^bb0(%in104_0: f32, %in104_1: f32, %out104: f32):
      %r104 = arith.addf %in104_0, %in104_1 : f32 loc("h.0.attn.o"("fwd"))
      linalg.yield %r104 : f32 loc("h.0.attn.o"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.o"("fwd"))
    %105 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn"("fwd"))
    %106 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %104 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%105 : tensor<4x8x16xf32>) {
    ^bb0(%in106_0: f32, %in106_1: f32, %out106: f32):
      %r106 = arith.addf %in106_0, %in106_1 : f32 loc("h.0.attn"("fwd"))
      linalg.yield %r106 : f32 loc("h.0.attn"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn"("fwd"))
    %107 = tensor.empty() : tensor<4x8xf32> loc("h.0.mlp.ln"("fwd"))
    %108 = linalg.fill ins(%cst_0 : f32) outs(%107 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.mlp.ln"("fwd"))
    %109 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%106 : tensor<4x8x16xf32>) outs(%108 : tensor<4x8xf32>) {
    ^bb0(%in109_0: f32, %out109: f32):
      %r109 = arith.addf %in109_0, %out109 : f32 loc("h.0.mlp.ln"("fwd"))
      linalg.yield %r109 : f32 loc("h.0.mlp.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.mlp.ln"("fwd"))
    %110 = tensor.empty() : tensor<4x8xf32> loc("h.0.mlp.ln"("fwd"))
    %111 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%109 : tensor<4x8xf32>) outs(%110 : tensor<4x8xf32>) {
    ^bb0(%in111_0: f32, %out111: f32):
      %r111 = arith.mulf %in111_0, %cst_3 : f32 loc("h.0.mlp.ln"("fwd"))
      linalg.yield %r111 : f32 loc("h.0.mlp.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.mlp.ln"("fwd"))
    %112 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("fwd"))
    %113 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%106, %111 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%112 : tensor<4x8x16xf32>) {
    ^bb0(%in113_0: f32, %in113_1: f32, %out113: f32):
      %r113 = arith.subf %in113_0, %in113_1 : f32 loc("h.0.mlp.ln"("fwd"))
      linalg.yield %r113 : f32 loc("h.0.mlp.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("fwd"))
    %114 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("fwd"))
    %115 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%113, %113 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%114 : tensor<4x8x16xf32>) {
    ^bb0(%in115_0: f32, %in115_1: f32, %out115: f32):
      %r115 = arith.mulf %in115_0, %in115_1 : f32 loc("h.0.mlp.ln"("fwd"))
      linalg.yield %r115 : f32 loc("h.0.mlp.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("fwd"))
    %116 = tensor.empty() : tensor<4x8xf32> loc("h.0.mlp.ln"("fwd"))
    %117 = linalg.fill ins(%cst_0 : f32) outs(%116 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.mlp.ln"("fwd"))
    %118 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%115 : tensor<4x8x16xf32>) outs(%117 : tensor<4x8xf32>) {
    ^bb0(%in118_0: f32, %out118: f32):
      %r118 = arith.addf %in118_0, %out118 : f32 loc("h.0.mlp.ln"("fwd"))
      linalg.yield %r118 : f32 loc("h.0.mlp.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.mlp.ln"("fwd"))
    %119 = tensor.empty() : tensor<4x8xf32> loc("h.0.mlp.ln"("fwd"))
    %120 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%118 : tensor<4x8xf32>) outs(%119 : tensor<4x8xf32>) {
    ^bb0(%in120_0: f32, %out120: f32):
      %r120 = arith.mulf %in120_0, %cst_3 : f32 loc("h.0.mlp.ln"("fwd"))
      linalg.yield %r120 : f32 loc("h.0.mlp.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.mlp.ln"("fwd"))
    %121 = tensor.empty() : tensor<4x8xf32> loc("h.0.mlp.ln"("fwd"))
    %122 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%120 : tensor<4x8xf32>) outs(%121 : tensor<4x8xf32>) {
    ^bb0(%in122_0: f32, %out122: f32):
      %r122 = arith.addf %in122_0, %cst_4 : f32 loc("h.0.mlp.ln"("fwd"))
      linalg.yield %r122 : f32 loc("h.0.mlp.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.mlp.ln"("fwd"))
    %123 = tensor.empty() : tensor<4x8xf32> loc("h.0.mlp.ln"("fwd"))
    %124 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%122 : tensor<4x8xf32>) outs(%123 : tensor<4x8xf32>) {
    ^bb0(%in124_0: f32, %out124: f32):
      %r124 = math.rsqrt %in124_0 : f32 loc("h.0.mlp.ln"("fwd"))
      linalg.yield %r124 : f32 loc("h.0.mlp.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.mlp.ln"("fwd"))
    %125 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("fwd"))
    %126 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%113, %124 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%125 : tensor<4x8x16xf32>) {
    ^bb0(%in126_0: f32, %in126_1: f32, %out126: f32):
      %r126 = arith.mulf %in126_0, %in126_1 : f32 loc("h.0.mlp.ln"("fwd"))
      linalg.yield %r126 : f32 loc("h.0.mlp.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("fwd"))
    %127 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("fwd"))
    %128 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%126, %arg9 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%127 : tensor<4x8x16xf32>) {
    ^bb0(%in128_0: f32, %in128_1: f32, %out128: f32):
      %r128 = arith.mulf %in128_0, %in128_1 : f32 loc("h.0.mlp.ln"("fwd"))
      linalg.yield %r128 : f32 loc("h.0.mlp.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("fwd"))
    %129 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("fwd"))
    %130 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%128, %arg10 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%129 : tensor<4x8x16xf32>) {
    ^bb0(%in130_0: f32, %in130_1: f32, %out130: f32):
      %r130 = arith.addf %in130_0, %in130_1 : f32 loc("h.0.mlp.ln"("fwd"))
      linalg.yield %r130 : f32 loc("h.0.mlp.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("fwd"))
    %131 = tensor.collapse_shape %130 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.mlp.fc1"("fwd"))
    %132 = tensor.empty() : tensor<16x48xf32> loc("h.0.mlp.fc1"("fwd"))
    %133 = linalg.transpose ins(%arg11 : tensor<48x16xf32>) outs(%132 : tensor<16x48xf32>) permutation = [1, 0] loc("h.0.mlp.fc1"("fwd"))
    %134 = tensor.empty() : tensor<32x48xf32> loc("h.0.mlp.fc1"("fwd"))
    %135 = linalg.fill ins(%cst_0 : f32) outs(%134 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.0.mlp.fc1"("fwd"))
    %136 = linalg.matmul ins(%131, %133 : tensor<32x16xf32>, tensor<16x48xf32>) outs(%135 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.0.mlp.fc1"("fwd"))
    %137 = tensor.expand_shape %136 [[0, 1], [2]] output_shape [4, 8, 48] : tensor<32x48xf32> into tensor<4x8x48xf32> loc("h.0.mlp.fc1"("fwd"))
    %138 = tensor.empty() : tensor<4x8x48xf32> loc("h.0.mlp.fc1"("fwd"))
    %139 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%137, %arg12 : tensor<4x8x48xf32>, tensor<48xf32>) outs(%138 : tensor<4x8x48xf32>) {
    ^bb0(%in139_0: f32, %in139_1: f32, %out139: f32):
      %r139 = arith.addf %in139_0, %in139_1 : f32 loc("h.0.mlp.fc1"("fwd"))
      linalg.yield %r139 : f32 loc("h.0.mlp.fc1"("fwd"))
    } -> tensor<4x8x48xf32> loc("h.0.mlp.fc1"("fwd"))
    %140 = tensor.empty() : tensor<4x8x48xf32> loc("h.0.mlp"("fwd"))
    %141 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%139 : tensor<4x8x48xf32>) outs(%140 : tensor<4x8x48xf32>) {
    ^bb0(%in141_0: f32, %out141: f32):
      %r141 = math.tanh %in141_0 : f32 loc("h.0.mlp"("fwd"))
      linalg.yield %r141 : f32 loc("h.0.mlp"("fwd"))
    } -> tensor<4x8x48xf32> loc("h.0.mlp"("fwd"))
    %142 = tensor.collapse_shape %141 [[0, 1], [2]] : tensor<4x8x48xf32> into tensor<32x48xf32> loc("h.0.mlp.fc2"("fwd"))
    %143 = tensor.empty() : tensor<48x16xf32> loc("h.0.mlp.fc2"("fwd"))
    %144 = linalg.transpose ins(%arg13 : tensor<16x48xf32>) outs(%143 : tensor<48x16xf32>) permutation = [1, 0] loc("h.0.mlp.fc2"("fwd"))
    %145 = tensor.empty() : tensor<32x16xf32> loc("h.0.mlp.fc2"("fwd"))
    %146 = linalg.fill ins(%cst_0 : f32) outs(%145 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.mlp.fc2"("fwd"))
    %147 = linalg.matmul ins(%142, %144 : tensor<32x48xf32>, tensor<48x16xf32>) outs(%146 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.mlp.fc2"("fwd"))
    %148 = tensor.expand_shape %147 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.mlp.fc2"("fwd"))
    %149 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.fc2"("fwd"))
    %150 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%148, %arg14 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%149 : tensor<4x8x16xf32>) {
    ^bb0(%in150_0: f32, %in150_1: f32, %out150: f32):
      %r150 = arith.addf %in150_0, %in150_1 : f32 loc("h.0.mlp.fc2"("fwd"))
      linalg.yield %r150 : f32 loc("h.0.mlp.fc2"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.fc2"("fwd"))
    %151 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp"("fwd"))
    %152 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%106, %150 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%151 : tensor<4x8x16xf32>) {
    ^bb0(%in152_0: f32, %in152_1: f32, %out152: f32):
      %r152 = arith.addf %in152_0, %in152_1 : f32 loc("h.0.mlp"("fwd"))
      linalg.yield %r152 : f32 loc("h.0.mlp"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp"("fwd"))
    %153 = tensor.empty() : tensor<4x8xf32> loc("norm"("fwd"))
    %154 = linalg.fill ins(%cst_0 : f32) outs(%153 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("norm"("fwd"))
    %155 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%152 : tensor<4x8x16xf32>) outs(%154 : tensor<4x8xf32>) {
    ^bb0(%in155_0: f32, %out155: f32):
      %r155 = arith.addf %in155_0, %out155 : f32 loc("norm"("fwd"))
      linalg.yield %r155 : f32 loc("norm"("fwd"))
    } -> tensor<4x8xf32> loc("norm"("fwd"))
    %156 = tensor.empty() : tensor<4x8xf32> loc("norm"("fwd"))
    %157 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%155 : tensor<4x8xf32>) outs(%156 : tensor<4x8xf32>) {
    ^bb0(%in157_0: f32, %out157: f32):
      %r157 = arith.mulf %in157_0, %cst_3 : f32 loc("norm"("fwd"))
      linalg.yield %r157 : f32 loc("norm"("fwd"))
    } -> tensor<4x8xf32> loc("norm"("fwd"))
    %158 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("fwd"))
    %159 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%152, %157 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%158 : tensor<4x8x16xf32>) {
    ^bb0(%in159_0: f32, %in159_1: f32, %out159: f32):
      %r159 = arith.subf %in159_0, %in159_1 : f32 loc("norm"("fwd"))
      linalg.yield %r159 : f32 loc("norm"("fwd"))
    } -> tensor<4x8x16xf32> loc("norm"("fwd"))
    %160 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("fwd"))
    %161 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%159, %159 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%160 : tensor<4x8x16xf32>) {
    ^bb0(%in161_0: f32, %in161_1: f32, %out161: f32):
      %r161 = arith.mulf %in161_0, %in161_1 : f32 loc("norm"("fwd"))
      linalg.yield %r161 : f32 loc("norm"("fwd"))
    } -> tensor<4x8x16xf32> loc("norm"("fwd"))
    %162 = tensor.empty() : tensor<4x8xf32> loc("norm"("fwd"))
    %163 = linalg.fill ins(%cst_0 : f32) outs(%162 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("norm"("fwd"))
    %164 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%161 : tensor<4x8x16xf32>) outs(%163 : tensor<4x8xf32>) {
    ^bb0(%in164_0: f32, %out164: f32):
      %r164 = arith.addf %in164_0, %out164 : f32 loc("norm"("fwd"))
      linalg.yield %r164 : f32 loc("norm"("fwd"))
    } -> tensor<4x8xf32> loc("norm"("fwd"))
    %165 = tensor.empty() : tensor<4x8xf32> loc("norm"("fwd"))
    %166 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%164 : tensor<4x8xf32>) outs(%165 : tensor<4x8xf32>) {
    ^bb0(%in166_0: f32, %out166: f32):
      %r166 = arith.mulf %in166_0, %cst_3 : f32 loc("norm"("fwd"))
      linalg.yield %r166 : f32 loc("norm"("fwd"))
    } -> tensor<4x8xf32> loc("norm"("fwd"))
    %167 = tensor.empty() : tensor<4x8xf32> loc("norm"("fwd"))
    %168 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%166 : tensor<4x8xf32>) outs(%167 : tensor<4x8xf32>) {
    ^bb0(%in168_0: f32, %out168: f32):
      %r168 = arith.addf %in168_0, %cst_4 : f32 loc("norm"("fwd"))
      linalg.yield %r168 : f32 loc("norm"("fwd"))
    } -> tensor<4x8xf32> loc("norm"("fwd"))
    %169 = tensor.empty() : tensor<4x8xf32> loc("norm"("fwd"))
    %170 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%168 : tensor<4x8xf32>) outs(%169 : tensor<4x8xf32>) {
    ^bb0(%in170_0: f32, %out170: f32):
      %r170 = math.rsqrt %in170_0 : f32 loc("norm"("fwd"))
      linalg.yield %r170 : f32 loc("norm"("fwd"))
    } -> tensor<4x8xf32> loc("norm"("fwd"))
    %171 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("fwd"))
    %172 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%159, %170 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%171 : tensor<4x8x16xf32>) {
    ^bb0(%in172_0: f32, %in172_1: f32, %out172: f32):
      %r172 = arith.mulf %in172_0, %in172_1 : f32 loc("norm"("fwd"))
      linalg.yield %r172 : f32 loc("norm"("fwd"))
    } -> tensor<4x8x16xf32> loc("norm"("fwd"))
    %173 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("fwd"))
    %174 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%172, %arg15 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%173 : tensor<4x8x16xf32>) {
    ^bb0(%in174_0: f32, %in174_1: f32, %out174: f32):
      %r174 = arith.mulf %in174_0, %in174_1 : f32 loc("norm"("fwd"))
      linalg.yield %r174 : f32 loc("norm"("fwd"))
    } -> tensor<4x8x16xf32> loc("norm"("fwd"))
    %175 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("fwd"))
    %176 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%174, %arg16 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%175 : tensor<4x8x16xf32>) {
    ^bb0(%in176_0: f32, %in176_1: f32, %out176: f32):
      %r176 = arith.addf %in176_0, %in176_1 : f32 loc("norm"("fwd"))
      linalg.yield %r176 : f32 loc("norm"("fwd"))
    } -> tensor<4x8x16xf32> loc("norm"("fwd"))
    %177 = tensor.collapse_shape %176 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("head"("fwd"))
    %178 = tensor.empty() : tensor<16x40xf32> loc("head"("fwd"))
    %179 = linalg.transpose ins(%arg17 : tensor<40x16xf32>) outs(%178 : tensor<16x40xf32>) permutation = [1, 0] loc("head"("fwd"))
    %180 = tensor.empty() : tensor<32x40xf32> loc("head"("fwd"))
    %181 = linalg.fill ins(%cst_0 : f32) outs(%180 : tensor<32x40xf32>) -> tensor<32x40xf32> loc("head"("fwd"))
    %182 = linalg.matmul ins(%177, %179 : tensor<32x16xf32>, tensor<16x40xf32>) outs(%181 : tensor<32x40xf32>) -> tensor<32x40xf32> loc("head"("fwd"))
    %183 = tensor.expand_shape %182 [[0, 1], [2]] output_shape [4, 8, 40] : tensor<32x40xf32> into tensor<4x8x40xf32> loc("head"("fwd"))
    %184 = tensor.collapse_shape %183 [[0, 1], [2]] : tensor<4x8x40xf32> into tensor<32x40xf32> loc("head"("fwd"))
    %185 = tensor.collapse_shape %arg18 [[0, 1]] : tensor<4x8xi64> into tensor<32xi64> loc("<root>"("fwd"))
    %186 = tensor.empty() : tensor<32xf32> loc("<root>"("fwd"))
    %187 = linalg.fill ins(%cst_6 : f32) outs(%186 : tensor<32xf32>) -> tensor<32xf32> loc("<root>"("fwd"))
    %188 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%184 : tensor<32x40xf32>) outs(%187 : tensor<32xf32>) {
    ^bb0(%in188_0: f32, %out188: f32):
      %r188 = arith.maximumf %in188_0, %out188 : f32 loc("<root>"("fwd"))
      linalg.yield %r188 : f32 loc("<root>"("fwd"))
    } -> tensor<32xf32> loc("<root>"("fwd"))
    %189 = tensor.empty() : tensor<32x40xf32> loc("<root>"("fwd"))
    %190 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%184, %188 : tensor<32x40xf32>, tensor<32xf32>) outs(%189 : tensor<32x40xf32>) {
    ^bb0(%in190_0: f32, %in190_1: f32, %out190: f32):
      %r190 = arith.subf %in190_0, %in190_1 : f32 loc("<root>"("fwd"))
      linalg.yield %r190 : f32 loc("<root>"("fwd"))
    } -> tensor<32x40xf32> loc("<root>"("fwd"))
    %191 = tensor.empty() : tensor<32x40xf32> loc("<root>"("fwd"))
    %192 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%190 : tensor<32x40xf32>) outs(%191 : tensor<32x40xf32>) {
    ^bb0(%in192_0: f32, %out192: f32):
      %r192 = math.exp %in192_0 : f32 loc("<root>"("fwd"))
      linalg.yield %r192 : f32 loc("<root>"("fwd"))
    } -> tensor<32x40xf32> loc("<root>"("fwd"))
    %193 = tensor.empty() : tensor<32xf32> loc("<root>"("fwd"))
    %194 = linalg.fill ins(%cst_0 : f32) outs(%193 : tensor<32xf32>) -> tensor<32xf32> loc("<root>"("fwd"))
    %195 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%192 : tensor<32x40xf32>) outs(%194 : tensor<32xf32>) {
    ^bb0(%in195_0: f32, %out195: f32):
      %r195 = arith.addf %in195_0, %out195 : f32 loc("<root>"("fwd"))
      linalg.yield %r195 : f32 loc("<root>"("fwd"))
    } -> tensor<32xf32> loc("<root>"("fwd"))
    %196 = tensor.empty() : tensor<32xf32> loc("<root>"("fwd"))
    %197 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%195 : tensor<32xf32>) outs(%196 : tensor<32xf32>) {
    ^bb0(%in197_0: f32, %out197: f32):
      %r197 = math.log %in197_0 : f32 loc("<root>"("fwd"))
      linalg.yield %r197 : f32 loc("<root>"("fwd"))
    } -> tensor<32xf32> loc("<root>"("fwd"))
    %198 = tensor.empty() : tensor<32xf32> loc("<root>"("fwd"))
    %199 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%185 : tensor<32xi64>) outs(%198 : tensor<32xf32>) {
    ^bb0(%in199_0: i64, %out199: f32):
      %i199 = linalg.index 0 : index loc("<root>"("fwd"))
      %j199 = arith.index_cast %in199_0 : i64 to index loc("<root>"("fwd"))
      %r199 = tensor.extract %190[%i199, %j199] : tensor<32x40xf32> loc("<root>"("fwd"))
      linalg.yield %r199 : f32 loc("<root>"("fwd"))
    } -> tensor<32xf32> loc("<root>"("fwd"))
    %200 = tensor.empty() : tensor<32xf32> loc("<root>"("fwd"))
    %201 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%197, %199 : tensor<32xf32>, tensor<32xf32>) outs(%200 : tensor<32xf32>) {
    ^bb0(%in201_0: f32, %in201_1: f32, %out201: f32):
      %r201 = arith.subf %in201_0, %in201_1 : f32 loc("<root>"("fwd"))
      linalg.yield %r201 : f32 loc("<root>"("fwd"))
    } -> tensor<32xf32> loc("<root>"("fwd"))
    %202 = tensor.empty() : tensor<f32> loc("<root>"("fwd"))
    %203 = linalg.fill ins(%cst_0 : f32) outs(%202 : tensor<f32>) -> tensor<f32> loc("<root>"("fwd"))
    %204 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%201 : tensor<32xf32>) outs(%203 : tensor<f32>) {
    ^bb0(%in204_0: f32, %out204: f32):
      %r204 = arith.addf %in204_0, %out204 : f32 loc("<root>"("fwd"))
      linalg.yield %r204 : f32 loc("<root>"("fwd"))
    } -> tensor<f32> loc("<root>"("fwd"))
    %205 = tensor.empty() : tensor<f32> loc("<root>"("fwd"))
    %206 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%204 : tensor<f32>) outs(%205 : tensor<f32>) {
    ^bb0(%in206_0: f32, %out206: f32):
      %r206 = arith.mulf %in206_0, %cst_7 : f32 loc("<root>"("fwd"))
      linalg.yield %r206 : f32 loc("<root>"("fwd"))
    } -> tensor<f32> loc("<root>"("fwd"))
    %207 = arith.constant dense<1.0> : tensor<f32> loc("<root>"("bwd"))
    %208 = tensor.empty() : tensor<f32> loc("<root>"("bwd"))
    %209 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%207 : tensor<f32>) outs(%208 : tensor<f32>) {
    ^bb0(%in209_0: f32, %out209: f32):
      %r209 = arith.mulf %in209_0, %cst_7 : f32 loc("<root>"("bwd"))
      linalg.yield %r209 : f32 loc("<root>"("bwd"))
    } -> tensor<f32> loc("<root>"("bwd"))
    %210 = tensor.empty() : tensor<32xf32> loc("<root>"("bwd"))
    %211 = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%209 : tensor<f32>) outs(%210 : tensor<32xf32>) {
    ^bb0(%in211_0: f32, %out211: f32):
      %r211 = arith.addf %in211_0, %cst_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r211 : f32 loc("<root>"("bwd"))
    } -> tensor<32xf32> loc("<root>"("bwd"))
    %212 = tensor.empty() : tensor<32xf32> loc("<root>"("bwd"))
    %213 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%211 : tensor<32xf32>) outs(%212 : tensor<32xf32>) {
    ^bb0(%in213_0: f32, %out213: f32):
      %r213 = arith.negf %in213_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r213 : f32 loc("<root>"("bwd"))
    } -> tensor<32xf32> loc("<root>"("bwd"))
    %214 = tensor.empty() : tensor<32x40xf32> loc("<root>"("bwd"))
    %215 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%213, %185 : tensor<32xf32>, tensor<32xi64>) outs(%214 : tensor<32x40xf32>) {
    ^bb0(%in215_0: f32, %in215_1: i64, %out215: f32):
      %v215 = linalg.index 1 : index loc("<root>"("bwd"))
      %i215 = arith.index_cast %v215 : index to i64 loc("<root>"("bwd"))
      %a215 = arith.cmpi eq, %i215, %in215_1 : i64 loc("<root>"("bwd"))
      %r215 = arith.select %a215, %in215_0, %cst_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r215 : f32 loc("<root>"("bwd"))
    } -> tensor<32x40xf32> loc("<root>"("bwd"))
    %216 = tensor.empty() : tensor<32xf32> loc("<root>"("bwd"))
    %217 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%211, %195 : tensor<32xf32>, tensor<32xf32>) outs(%216 : tensor<32xf32>) {
    ^bb0(%in217_0: f32, %in217_1: f32, %out217: f32):
      %r217 = arith.divf %in217_0, %in217_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r217 : f32 loc("<root>"("bwd"))
    } -> tensor<32xf32> loc("<root>"("bwd"))
    %218 = tensor.empty() : tensor<32x40xf32> loc("<root>"("bwd"))
    %219 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%217 : tensor<32xf32>) outs(%218 : tensor<32x40xf32>) {
    ^bb0(%in219_0: f32, %out219: f32):
      %r219 = arith.addf %in219_0, %cst_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r219 : f32 loc("<root>"("bwd"))
    } -> tensor<32x40xf32> loc("<root>"("bwd"))
    %220 = tensor.empty() : tensor<32x40xf32> loc("<root>"("bwd"))
    %221 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%219, %192 : tensor<32x40xf32>, tensor<32x40xf32>) outs(%220 : tensor<32x40xf32>) {
    ^bb0(%in221_0: f32, %in221_1: f32, %out221: f32):
      %r221 = arith.mulf %in221_0, %in221_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r221 : f32 loc("<root>"("bwd"))
    } -> tensor<32x40xf32> loc("<root>"("bwd"))
    %222 = tensor.empty() : tensor<32x40xf32> loc("<root>"("bwd"))
    %223 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%215, %221 : tensor<32x40xf32>, tensor<32x40xf32>) outs(%222 : tensor<32x40xf32>) {
    ^bb0(%in223_0: f32, %in223_1: f32, %out223: f32):
      %r223 = arith.addf %in223_0, %in223_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r223 : f32 loc("<root>"("bwd"))
    } -> tensor<32x40xf32> loc("<root>"("bwd"))
    %224 = tensor.empty() : tensor<32x40xf32> loc("<root>"("bwd"))
    %225 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%223 : tensor<32x40xf32>) outs(%224 : tensor<32x40xf32>) {
    ^bb0(%in225_0: f32, %out225: f32):
      %r225 = arith.negf %in225_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r225 : f32 loc("<root>"("bwd"))
    } -> tensor<32x40xf32> loc("<root>"("bwd"))
    %226 = tensor.empty() : tensor<32xf32> loc("<root>"("bwd"))
    %227 = linalg.fill ins(%cst_0 : f32) outs(%226 : tensor<32xf32>) -> tensor<32xf32> loc("<root>"("bwd"))
    %228 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%225 : tensor<32x40xf32>) outs(%227 : tensor<32xf32>) {
    ^bb0(%in228_0: f32, %out228: f32):
      %r228 = arith.addf %in228_0, %out228 : f32 loc("<root>"("bwd"))
      linalg.yield %r228 : f32 loc("<root>"("bwd"))
    } -> tensor<32xf32> loc("<root>"("bwd"))
    %229 = tensor.expand_shape %223 [[0, 1], [2]] output_shape [4, 8, 40] : tensor<32x40xf32> into tensor<4x8x40xf32> loc("head"("bwd"))
    %230 = tensor.collapse_shape %229 [[0, 1], [2]] : tensor<4x8x40xf32> into tensor<32x40xf32> loc("head"("bwd"))
    %231 = tensor.empty() : tensor<32x16xf32> loc("head"("bwd"))
    %232 = linalg.fill ins(%cst_0 : f32) outs(%231 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("head"("bwd"))
    %233 = linalg.matmul ins(%230, %arg17 : tensor<32x40xf32>, tensor<40x16xf32>) outs(%232 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("head"("bwd"))
    %234 = tensor.expand_shape %233 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("head"("bwd"))
    %235 = tensor.empty() : tensor<16x4x8xf32> loc("head"("bwd"))
    %236 = linalg.transpose ins(%176 : tensor<4x8x16xf32>) outs(%235 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("head"("bwd"))
    %237 = tensor.collapse_shape %236 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("head"("bwd"))
    %238 = tensor.collapse_shape %229 [[0, 1], [2]] : tensor<4x8x40xf32> into tensor<32x40xf32> loc("head"("bwd"))
    %239 = tensor.empty() : tensor<16x40xf32> loc("head"("bwd"))
    %240 = linalg.fill ins(%cst_0 : f32) outs(%239 : tensor<16x40xf32>) -> tensor<16x40xf32> loc("head"("bwd"))
    %241 = linalg.matmul ins(%237, %238 : tensor<16x32xf32>, tensor<32x40xf32>) outs(%240 : tensor<16x40xf32>) -> tensor<16x40xf32> loc("head"("bwd"))
    %242 = tensor.empty() : tensor<40x16xf32> loc("head"("bwd"))
    %243 = linalg.transpose ins(%241 : tensor<16x40xf32>) outs(%242 : tensor<40x16xf32>) permutation = [1, 0] loc("head"("bwd"))
    %244 = tensor.empty() : tensor<16xf32> loc("norm"("bwd"))
    %245 = linalg.fill ins(%cst_0 : f32) outs(%244 : tensor<16xf32>) -> tensor<16xf32> loc("norm"("bwd"))
    %246 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%234 : tensor<4x8x16xf32>) outs(%245 : tensor<16xf32>) {
    ^bb0(%in246_0: f32, %out246: f32):
      %r246 = arith.addf %in246_0, %out246 : f32 loc("norm"("bwd"))
      linalg.yield %r246 : f32 loc("norm"("bwd"))
    } -> tensor<16xf32> loc("norm"("bwd"))
    %247 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %248 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%234, %arg15 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%247 : tensor<4x8x16xf32>) {
    ^bb0(%in248_0: f32, %in248_1: f32, %out248: f32):
      %r248 = arith.mulf %in248_0, %in248_1 : f32 loc("norm"("bwd"))
      linalg.yield %r248 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %249 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %250 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%234, %172 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%249 : tensor<4x8x16xf32>) {
    ^bb0(%in250_0: f32, %in250_1: f32, %out250: f32):
      %r250 = arith.mulf %in250_0, %in250_1 : f32 loc("norm"("bwd"))
      linalg.yield %r250 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %251 = tensor.empty() : tensor<16xf32> loc("norm"("bwd"))
    %252 = linalg.fill ins(%cst_0 : f32) outs(%251 : tensor<16xf32>) -> tensor<16xf32> loc("norm"("bwd"))
    %253 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%250 : tensor<4x8x16xf32>) outs(%252 : tensor<16xf32>) {
    ^bb0(%in253_0: f32, %out253: f32):
      %r253 = arith.addf %in253_0, %out253 : f32 loc("norm"("bwd"))
      linalg.yield %r253 : f32 loc("norm"("bwd"))
    } -> tensor<16xf32> loc("norm"("bwd"))
    %254 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %255 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%248, %170 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%254 : tensor<4x8x16xf32>) {
    ^bb0(%in255_0: f32, %in255_1: f32, %out255: f32):
      %r255 = arith.mulf %in255_0, %in255_1 : f32 loc("norm"("bwd"))
      linalg.yield %r255 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %256 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %257 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%248, %159 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%256 : tensor<4x8x16xf32>) {
    ^bb0(%in257_0: f32, %in257_1: f32, %out257: f32):
      %r257 = arith.mulf %in257_0, %in257_1 : f32 loc("norm"("bwd"))
      linalg.yield %r257 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %258 = tensor.empty() : tensor<4x8xf32> loc("norm"("bwd"))
    %259 = linalg.fill ins(%cst_0 : f32) outs(%258 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("norm"("bwd"))
    %260 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%257 : tensor<4x8x16xf32>) outs(%259 : tensor<4x8xf32>) {
    ^bb0(%in260_0: f32, %out260: f32):
      %r260 = arith.addf %in260_0, %out260 : f32 loc("norm"("bwd"))
      linalg.yield %r260 : f32 loc("norm"("bwd"))
    } -> tensor<4x8xf32> loc("norm"("bwd"))
    %261 = tensor.empty() : tensor<4x8xf32> loc("norm"("bwd"))
    %262 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%260, %170 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%261 : tensor<4x8xf32>) {
    ^bb0(%in262_0: f32, %in262_1: f32, %out262: f32):
      %a262 = arith.mulf %in262_1, %in262_1 : f32 loc("norm"("bwd"))
      %b262 = arith.mulf %a262, %in262_1 : f32 loc("norm"("bwd"))
      %c262 = arith.mulf %b262, %cst_2 : f32 loc("norm"("bwd"))
      %r262 = arith.mulf %c262, %in262_0 : f32 loc("norm"("bwd"))
      linalg.yield %r262 : f32 loc("norm"("bwd"))
    } -> tensor<4x8xf32> loc("norm"("bwd"))
    %263 = tensor.empty() : tensor<4x8xf32> loc("norm"("bwd"))
    %264 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%262 : tensor<4x8xf32>) outs(%263 : tensor<4x8xf32>) {
    ^bb0(%in264_0: f32, %out264: f32):
      %r264 = arith.mulf %in264_0, %cst_3 : f32 loc("norm"("bwd"))
      linalg.yield %r264 : f32 loc("norm"("bwd"))
    } -> tensor<4x8xf32> loc("norm"("bwd"))
    %265 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %266 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%264 : tensor<4x8xf32>) outs(%265 : tensor<4x8x16xf32>) {
    ^bb0(%in266_0: f32, %out266: f32):
      %r266 = arith.addf %in266_0, %cst_0 : f32 loc("norm"("bwd"))
      linalg.yield %r266 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %267 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %268 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%266, %159 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%267 : tensor<4x8x16xf32>) {
    ^bb0(%in268_0: f32, %in268_1: f32, %out268: f32):
      %r268 = arith.mulf %in268_0, %in268_1 : f32 loc("norm"("bwd"))
      linalg.yield %r268 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %269 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %270 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%266, %159 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%269 : tensor<4x8x16xf32>) {
    ^bb0(%in270_0: f32, %in270_1: f32, %out270: f32):
      %r270 = arith.mulf %in270_0, %in270_1 : f32 loc("norm"("bwd"))
      linalg.yield %r270 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %271 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %272 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%255, %268 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%271 : tensor<4x8x16xf32>) {
    ^bb0(%in272_0: f32, %in272_1: f32, %out272: f32):
      %r272 = arith.addf %in272_0, %in272_1 : f32 loc("norm"("bwd"))
      linalg.yield %r272 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %273 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %274 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%272, %270 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%273 : tensor<4x8x16xf32>) {
    ^bb0(%in274_0: f32, %in274_1: f32, %out274: f32):
      %r274 = arith.addf %in274_0, %in274_1 : f32 loc("norm"("bwd"))
      linalg.yield %r274 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %275 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %276 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%274 : tensor<4x8x16xf32>) outs(%275 : tensor<4x8x16xf32>) {
    ^bb0(%in276_0: f32, %out276: f32):
      %r276 = arith.negf %in276_0 : f32 loc("norm"("bwd"))
      linalg.yield %r276 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %277 = tensor.empty() : tensor<4x8xf32> loc("norm"("bwd"))
    %278 = linalg.fill ins(%cst_0 : f32) outs(%277 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("norm"("bwd"))
    %279 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%276 : tensor<4x8x16xf32>) outs(%278 : tensor<4x8xf32>) {
    ^bb0(%in279_0: f32, %out279: f32):
      %r279 = arith.addf %in279_0, %out279 : f32 loc("norm"("bwd"))
      linalg.yield %r279 : f32 loc("norm"("bwd"))
    } -> tensor<4x8xf32> loc("norm"("bwd"))
    %280 = tensor.empty() : tensor<4x8xf32> loc("norm"("bwd"))
    %281 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%279 : tensor<4x8xf32>) outs(%280 : tensor<4x8xf32>) {
    ^bb0(%in281_0: f32, %out281: f32):
      %r281 = arith.mulf %in281_0, %cst_3 : f32 loc("norm"("bwd"))
      linalg.yield %r281 : f32 loc("norm"("bwd"))
    } -> tensor<4x8xf32> loc("norm"("bwd"))
    %282 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %283 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%281 : tensor<4x8xf32>) outs(%282 : tensor<4x8x16xf32>) {
    ^bb0(%in283_0: f32, %out283: f32):
      %r283 = arith.addf %in283_0, %cst_0 : f32 loc("norm"("bwd"))
      linalg.yield %r283 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %284 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %285 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%274, %283 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%284 : tensor<4x8x16xf32>) {
    ^bb0(%in285_0: f32, %in285_1: f32, %out285: f32):
      %r285 = arith.addf %in285_0, %in285_1 : f32 loc("norm"("bwd"))
      linalg.yield %r285 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %286 = tensor.empty() : tensor<16xf32> loc("h.0.mlp.fc2"("bwd"))
    %287 = linalg.fill ins(%cst_0 : f32) outs(%286 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.mlp.fc2"("bwd"))
    %288 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%285 : tensor<4x8x16xf32>) outs(%287 : tensor<16xf32>) {
    ^bb0(%in288_0: f32, %out288: f32):
      %r288 = arith.addf %in288_0, %out288 : f32 loc("h.0.mlp.fc2"("bwd"))
      linalg.yield %r288 : f32 loc("h.0.mlp.fc2"("bwd"))
    } -> tensor<16xf32> loc("h.0.mlp.fc2"("bwd"))
    %289 = tensor.collapse_shape %285 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.mlp.fc2"("bwd"))
    %290 = tensor.empty() : tensor<32x48xf32> loc("h.0.mlp.fc2"("bwd"))
    %291 = linalg.fill ins(%cst_0 : f32) outs(%290 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.0.mlp.fc2"("bwd"))
    %292 = linalg.matmul ins(%289, %arg13 : tensor<32x16xf32>, tensor<16x48xf32>) outs(%291 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.0.mlp.fc2"("bwd"))
    %293 = tensor.expand_shape %292 [[0, 1], [2]] output_shape [4, 8, 48] : tensor<32x48xf32> into tensor<4x8x48xf32> loc("h.0.mlp.fc2"("bwd"))
    %294 = tensor.empty() : tensor<48x4x8xf32> loc("h.0.mlp.fc2"("bwd"))
    %295 = linalg.transpose ins(%141 : tensor<4x8x48xf32>) outs(%294 : tensor<48x4x8xf32>) permutation = [2, 0, 1] loc("h.0.mlp.fc2"("bwd"))
    %296 = tensor.collapse_shape %295 [[0], [1, 2]] : tensor<48x4x8xf32> into tensor<48x32xf32> loc("h.0.mlp.fc2"("bwd"))
    %297 = tensor.collapse_shape %285 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.mlp.fc2"("bwd"))
    %298 = tensor.empty() : tensor<48x16xf32> loc("h.0.mlp.fc2"("bwd"))
    %299 = linalg.fill ins(%cst_0 : f32) outs(%298 : tensor<48x16xf32>) -> tensor<48x16xf32> loc("h.0.mlp.fc2"("bwd"))
    %300 = linalg.matmul ins(%296, %297 : tensor<48x32xf32>, tensor<32x16xf32>) outs(%299 : tensor<48x16xf32>) -> tensor<48x16xf32> loc("h.0.mlp.fc2"("bwd"))
    %301 = tensor.empty() : tensor<16x48xf32> loc("h.0.mlp.fc2"("bwd"))
    %302 = linalg.transpose ins(%300 : tensor<48x16xf32>) outs(%301 : tensor<16x48xf32>) permutation = [1, 0] loc("h.0.mlp.fc2"("bwd"))
    %303 = tensor.empty() : tensor<4x8x48xf32> loc("h.0.mlp"("bwd"))
    %304 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%293, %141 : tensor<4x8x48xf32>, tensor<4x8x48xf32>) outs(%303 : tensor<4x8x48xf32>) {
    ^bb0(%in304_0: f32, %in304_1: f32, %out304: f32):
      %a304 = arith.mulf %in304_1, %in304_1 : f32 loc("h.0.mlp"("bwd"))
      %b304 = arith.subf %cst_1, %a304 : f32 loc("h.0.mlp"("bwd"))
      %r304 = arith.mulf %in304_0, %b304 : f32 loc("h.0.mlp"("bwd"))
      linalg.yield %r304 : f32 loc("h.0.mlp"("bwd"))
    } -> tensor<4x8x48xf32> loc("h.0.mlp"("bwd"))
    %305 = tensor.empty() : tensor<48xf32> loc("h.0.mlp.fc1"("bwd"))
    %306 = linalg.fill ins(%cst_0 : f32) outs(%305 : tensor<48xf32>) -> tensor<48xf32> loc("h.0.mlp.fc1"("bwd"))
    %307 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%304 : tensor<4x8x48xf32>) outs(%306 : tensor<48xf32>) {
    ^bb0(%in307_0: f32, %out307: f32):
      %r307 = arith.addf %in307_0, %out307 : f32 loc("h.0.mlp.fc1"("bwd"))
      linalg.yield %r307 : f32 loc("h.0.mlp.fc1"("bwd"))
    } -> tensor<48xf32> loc("h.0.mlp.fc1"("bwd"))
    %308 = tensor.collapse_shape %304 [[0, 1], [2]] : tensor<4x8x48xf32> into tensor<32x48xf32> loc("h.0.mlp.fc1"("bwd"))
    %309 = tensor.empty() : tensor<32x16xf32> loc("h.0.mlp.fc1"("bwd"))
    %310 = linalg.fill ins(%cst_0 : f32) outs(%309 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.mlp.fc1"("bwd"))
    %311 = linalg.matmul ins(%308, %arg11 : tensor<32x48xf32>, tensor<48x16xf32>) outs(%310 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.mlp.fc1"("bwd"))
    %312 = tensor.expand_shape %311 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.mlp.fc1"("bwd"))
    %313 = tensor.empty() : tensor<16x4x8xf32> loc("h.0.mlp.fc1"("bwd"))
    %314 = linalg.transpose ins(%130 : tensor<4x8x16xf32>) outs(%313 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("h.0.mlp.fc1"("bwd"))
    %315 = tensor.collapse_shape %314 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("h.0.mlp.fc1"("bwd"))
    %316 = tensor.collapse_shape %304 [[0, 1], [2]] : tensor<4x8x48xf32> into tensor<32x48xf32> loc("h.0.mlp.fc1"("bwd"))
    %317 = tensor.empty() : tensor<16x48xf32> loc("h.0.mlp.fc1"("bwd"))
    %318 = linalg.fill ins(%cst_0 : f32) outs(%317 : tensor<16x48xf32>) -> tensor<16x48xf32> loc("h.0.mlp.fc1"("bwd"))
    %319 = linalg.matmul ins(%315, %316 : tensor<16x32xf32>, tensor<32x48xf32>) outs(%318 : tensor<16x48xf32>) -> tensor<16x48xf32> loc("h.0.mlp.fc1"("bwd"))
    %320 = tensor.empty() : tensor<48x16xf32> loc("h.0.mlp.fc1"("bwd"))
    %321 = linalg.transpose ins(%319 : tensor<16x48xf32>) outs(%320 : tensor<48x16xf32>) permutation = [1, 0] loc("h.0.mlp.fc1"("bwd"))
    %322 = tensor.empty() : tensor<16xf32> loc("h.0.mlp.ln"("bwd"))
    %323 = linalg.fill ins(%cst_0 : f32) outs(%322 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.mlp.ln"("bwd"))
    %324 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%312 : tensor<4x8x16xf32>) outs(%323 : tensor<16xf32>) {
    ^bb0(%in324_0: f32, %out324: f32):
      %r324 = arith.addf %in324_0, %out324 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r324 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<16xf32> loc("h.0.mlp.ln"("bwd"))
    %325 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %326 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%312, %arg9 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%325 : tensor<4x8x16xf32>) {
    ^bb0(%in326_0: f32, %in326_1: f32, %out326: f32):
      %r326 = arith.mulf %in326_0, %in326_1 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r326 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %327 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %328 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%312, %126 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%327 : tensor<4x8x16xf32>) {
    ^bb0(%in328_0: f32, %in328_1: f32, %out328: f32):
      %r328 = arith.mulf %in328_0, %in328_1 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r328 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %329 = tensor.empty() : tensor<16xf32> loc("h.0.mlp.ln"("bwd"))
    %330 = linalg.fill ins(%cst_0 : f32) outs(%329 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.mlp.ln"("bwd"))
    %331 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%328 : tensor<4x8x16xf32>) outs(%330 : tensor<16xf32>) {
    ^bb0(%in331_0: f32, %out331: f32):
      %r331 = arith.addf %in331_0, %out331 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r331 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<16xf32> loc("h.0.mlp.ln"("bwd"))
    %332 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %333 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%326, %124 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%332 : tensor<4x8x16xf32>) {
    ^bb0(%in333_0: f32, %in333_1: f32, %out333: f32):
      %r333 = arith.mulf %in333_0, %in333_1 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r333 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %334 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %335 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%326, %113 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%334 : tensor<4x8x16xf32>) {
    ^bb0(%in335_0: f32, %in335_1: f32, %out335: f32):
      %r335 = arith.mulf %in335_0, %in335_1 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r335 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %336 = tensor.empty() : tensor<4x8xf32> loc("h.0.mlp.ln"("bwd"))
    %337 = linalg.fill ins(%cst_0 : f32) outs(%336 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.mlp.ln"("bwd"))
    %338 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%335 : tensor<4x8x16xf32>) outs(%337 : tensor<4x8xf32>) {
    ^bb0(%in338_0: f32, %out338: f32):
      %r338 = arith.addf %in338_0, %out338 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r338 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.mlp.ln"("bwd"))
    %339 = tensor.empty() : tensor<4x8xf32> loc("h.0.mlp.ln"("bwd"))
    %340 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%338, %124 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%339 : tensor<4x8xf32>) {
    ^bb0(%in340_0: f32, %in340_1: f32, %out340: f32):
      %a340 = arith.mulf %in340_1, %in340_1 : f32 loc("h.0.mlp.ln"("bwd"))
      %b340 = arith.mulf %a340, %in340_1 : f32 loc("h.0.mlp.ln"("bwd"))
      %c340 = arith.mulf %b340, %cst_2 : f32 loc("h.0.mlp.ln"("bwd"))
      %r340 = arith.mulf %c340, %in340_0 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r340 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.mlp.ln"("bwd"))
    %341 = tensor.empty() : tensor<4x8xf32> loc("h.0.mlp.ln"("bwd"))
    %342 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%340 : tensor<4x8xf32>) outs(%341 : tensor<4x8xf32>) {
    ^bb0(%in342_0: f32, %out342: f32):
      %r342 = arith.mulf %in342_0, %cst_3 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r342 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.mlp.ln"("bwd"))
    %343 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %344 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%342 : tensor<4x8xf32>) outs(%343 : tensor<4x8x16xf32>) {
    ^bb0(%in344_0: f32, %out344: f32):
      %r344 = arith.addf %in344_0, %cst_0 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r344 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %345 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %346 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%344, %113 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%345 : tensor<4x8x16xf32>) {
    ^bb0(%in346_0: f32, %in346_1: f32, %out346: f32):
      %r346 = arith.mulf %in346_0, %in346_1 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r346 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %347 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %348 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%344, %113 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%347 : tensor<4x8x16xf32>) {
    ^bb0(%in348_0: f32, %in348_1: f32, %out348: f32):
      %r348 = arith.mulf %in348_0, %in348_1 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r348 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %349 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %350 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%333, %346 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%349 : tensor<4x8x16xf32>) {
    ^bb0(%in350_0: f32, %in350_1: f32, %out350: f32):
      %r350 = arith.addf %in350_0, %in350_1 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r350 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %351 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %352 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%350, %348 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%351 : tensor<4x8x16xf32>) {
    ^bb0(%in352_0: f32, %in352_1: f32, %out352: f32):
      %r352 = arith.addf %in352_0, %in352_1 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r352 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %353 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %354 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%352 : tensor<4x8x16xf32>) outs(%353 : tensor<4x8x16xf32>) {
    ^bb0(%in354_0: f32, %out354: f32):
      %r354 = arith.negf %in354_0 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r354 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %355 = tensor.empty() : tensor<4x8xf32> loc("h.0.mlp.ln"("bwd"))
    %356 = linalg.fill ins(%cst_0 : f32) outs(%355 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.mlp.ln"("bwd"))
    %357 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%354 : tensor<4x8x16xf32>) outs(%356 : tensor<4x8xf32>) {
    ^bb0(%in357_0: f32, %out357: f32):
      %r357 = arith.addf %in357_0, %out357 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r357 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.mlp.ln"("bwd"))
    %358 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %359 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%285, %352 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%358 : tensor<4x8x16xf32>) {
    ^bb0(%in359_0: f32, %in359_1: f32, %out359: f32):
      %r359 = arith.addf %in359_0, %in359_1 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r359 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %360 = tensor.empty() : tensor<4x8xf32> loc("h.0.mlp.ln"("bwd"))
    %361 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%357 : tensor<4x8xf32>) outs(%360 : tensor<4x8xf32>) {
    ^bb0(%in361_0: f32, %out361: f32):
      %r361 = arith.mulf %in361_0, %cst_3 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r361 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.mlp.ln"("bwd"))
    %362 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %363 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%361 : tensor<4x8xf32>) outs(%362 : tensor<4x8x16xf32>) {
    ^bb0(%in363_0: f32, %out363: f32):
      %r363 = arith.addf %in363_0, %cst_0 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r363 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %364 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %365 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%359, %363 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%364 : tensor<4x8x16xf32>) {
    ^bb0(%in365_0: f32, %in365_1: f32, %out365: f32):
      %r365 = arith.addf %in365_0, %in365_1 : f32 loc("h.0.mlp.ln"("bwd"))
      linalg.yield %r365 : f32 loc("h.0.mlp.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.mlp.ln"("bwd"))
    %366 = tensor.empty() : tensor<16xf32> loc("h.0.attn.o"("bwd"))
    %367 = linalg.fill ins(%cst_0 : f32) outs(%366 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.attn.o"("bwd"))
    %368 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%365 : tensor<4x8x16xf32>) outs(%367 : tensor<16xf32>) {
    ^bb0(%in368_0: f32, %out368: f32):
      %r368 = arith.addf %in368_0, %out368 : f32 loc("h.0.attn.o"("bwd"))
      linalg.yield %r368 : f32 loc("h.0.attn.o"("bwd"))
    } -> tensor<16xf32> loc("h.0.attn.o"("bwd"))
    %369 = tensor.collapse_shape %365 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.attn.o"("bwd"))
    %370 = tensor.empty() : tensor<32x16xf32> loc("h.0.attn.o"("bwd"))
    %371 = linalg.fill ins(%cst_0 : f32) outs(%370 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.o"("bwd"))
    %372 = linalg.matmul ins(%369, %arg7 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%371 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.o"("bwd"))
    %373 = tensor.expand_shape %372 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.attn.o"("bwd"))
    %374 = tensor.empty() : tensor<16x4x8xf32> loc("h.0.attn.o"("bwd"))
    %375 = linalg.transpose ins(%95 : tensor<4x8x16xf32>) outs(%374 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("h.0.attn.o"("bwd"))
    %376 = tensor.collapse_shape %375 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("h.0.attn.o"("bwd"))
    %377 = tensor.collapse_shape %365 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.attn.o"("bwd"))
    %378 = tensor.empty() : tensor<16x16xf32> loc("h.0.attn.o"("bwd"))
    %379 = linalg.fill ins(%cst_0 : f32) outs(%378 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.attn.o"("bwd"))
    %380 = linalg.matmul ins(%376, %377 : tensor<16x32xf32>, tensor<32x16xf32>) outs(%379 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.attn.o"("bwd"))
    %381 = tensor.empty() : tensor<16x16xf32> loc("h.0.attn.o"("bwd"))
    %382 = linalg.transpose ins(%380 : tensor<16x16xf32>) outs(%381 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.attn.o"("bwd"))
    %383 = tensor.expand_shape %373 [[0], [1], [2, 3]] output_shape [4, 8, 4, 4] : tensor<4x8x16xf32> into tensor<4x8x4x4xf32> loc("h.0.attn"("bwd"))
    %384 = tensor.empty() : tensor<4x4x8x4xf32> loc("h.0.attn"("bwd"))
    %385 = linalg.transpose ins(%383 : tensor<4x8x4x4xf32>) outs(%384 : tensor<4x4x8x4xf32>) permutation = [0, 2, 1, 3] loc("h.0.attn"("bwd"))
    %386 = tensor.collapse_shape %385 [[0, 1], [2], [3]] : tensor<4x4x8x4xf32> into tensor<16x8x4xf32> loc("h.0.attn"("bwd"))
    %387 = tensor.empty() : tensor<4x4x4x8xf32> loc("h.0.attn"("bwd"))
    %388 = linalg.transpose ins(%56 : tensor<4x4x8x4xf32>) outs(%387 : tensor<4x4x4x8xf32>) permutation = [0, 1, 3, 2] loc("h.0.attn"("bwd"))
    %389 = tensor.collapse_shape %388 [[0, 1], [2], [3]] : tensor<4x4x4x8xf32> into tensor<16x4x8xf32> loc("h.0.attn"("bwd"))
    %390 = tensor.empty() : tensor<16x8x8xf32> loc("h.0.attn"("bwd"))
    %391 = linalg.fill ins(%cst_0 : f32) outs(%390 : tensor<16x8x8xf32>) -> tensor<16x8x8xf32> loc("h.0.attn"("bwd"))
    %392 = linalg.batch_matmul ins(%386, %389 : tensor<16x8x4xf32>, tensor<16x4x8xf32>) outs(%391 : tensor<16x8x8xf32>) -> tensor<16x8x8xf32> loc("h.0.attn"("bwd"))
    %393 = tensor.expand_shape %392 [[0, 1], [2], [3]] output_shape [4, 4, 8, 8] : tensor<16x8x8xf32> into tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %394 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %395 = linalg.transpose ins(%86 : tensor<4x4x8x8xf32>) outs(%394 : tensor<4x4x8x8xf32>) permutation = [0, 1, 3, 2] loc("h.0.attn"("bwd"))
    %396 = tensor.collapse_shape %395 [[0, 1], [2], [3]] : tensor<4x4x8x8xf32> into tensor<16x8x8xf32> loc("h.0.attn"("bwd"))
    %397 = tensor.collapse_shape %385 [[0, 1], [2], [3]] : tensor<4x4x8x4xf32> into tensor<16x8x4xf32> loc("h.0.attn"("bwd"))
    %398 = tensor.empty() : tensor<16x8x4xf32> loc("h.0.attn"("bwd"))
    %399 = linalg.fill ins(%cst_0 : f32) outs(%398 : tensor<16x8x4xf32>) -> tensor<16x8x4xf32> loc("h.0.attn"("bwd"))
    %400 = linalg.batch_matmul ins(%396, %397 : tensor<16x8x8xf32>, tensor<16x8x4xf32>) outs(%399 : tensor<16x8x4xf32>) -> tensor<16x8x4xf32> loc("h.0.attn"("bwd"))
    %401 = tensor.expand_shape %400 [[0, 1], [2], [3]] output_shape [4, 4, 8, 4] : tensor<16x8x4xf32> into tensor<4x4x8x4xf32> loc("h.0.attn"("bwd"))
    %402 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %403 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%393, %84 : tensor<4x4x8x8xf32>, tensor<4x4x8xf32>) outs(%402 : tensor<4x4x8x8xf32>) {
    ^bb0(%in403_0: f32, %in403_1: f32, %out403: f32):
      %r403 = arith.mulf %in403_0, %in403_1 : f32 loc("h.0.attn"("bwd"))
      linalg.yield %r403 : f32 loc("h.0.attn"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %404 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %405 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%393, %75 : tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) outs(%404 : tensor<4x4x8x8xf32>) {
    ^bb0(%in405_0: f32, %in405_1: f32, %out405: f32):
      %r405 = arith.mulf %in405_0, %in405_1 : f32 loc("h.0.attn"("bwd"))
      linalg.yield %r405 : f32 loc("h.0.attn"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %406 = tensor.empty() : tensor<4x4x8xf32> loc("h.0.attn"("bwd"))
    %407 = linalg.fill ins(%cst_0 : f32) outs(%406 : tensor<4x4x8xf32>) -> tensor<4x4x8xf32> loc("h.0.attn"("bwd"))
    %408 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%405 : tensor<4x4x8x8xf32>) outs(%407 : tensor<4x4x8xf32>) {
    ^bb0(%in408_0: f32, %out408: f32):
      %r408 = arith.addf %in408_0, %out408 : f32 loc("h.0.attn"("bwd"))
      linalg.yield %r408 : f32 loc("h.0.attn"("bwd"))
    } -> tensor<4x4x8xf32> loc("h.0.attn"("bwd"))
    %409 = tensor.empty() : tensor<4x4x8xf32> loc("h.0.attn"("bwd"))
    %410 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%408, %84 : tensor<4x4x8xf32>, tensor<4x4x8xf32>) outs(%409 : tensor<4x4x8xf32>) {
    ^bb0(%in410_0: f32, %in410_1: f32, %out410: f32):
      %r410 = arith.mulf %in410_0, %in410_1 : f32 loc("h.0.attn"("bwd"))
      linalg.yield %r410 : f32 loc("h.0.attn"("bwd"))
    } -> tensor<4x4x8xf32> loc("h.0.attn"("bwd"))
    %411 = tensor.empty() : tensor<4x4x8xf32> loc("h.0.attn"("bwd"))
    %412 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%410 : tensor<4x4x8xf32>) outs(%411 : tensor<4x4x8xf32>) {
    ^bb0(%in412_0: f32, %out412: f32):
      %r412 = arith.negf %in412_0 : f32 loc("h.0.attn"("bwd"))
      linalg.yield %r412 : f32 loc("h.0.attn"("bwd"))
    } -> tensor<4x4x8xf32> loc("h.0.attn"("bwd"))
    %413 = tensor.empty() : tensor<4x4x8xf32> loc("h.0.attn"("bwd"))
    %414 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%412, %78 : tensor<4x4x8xf32>, tensor<4x4x8xf32>) outs(%413 : tensor<4x4x8xf32>) {
    ^bb0(%in414_0: f32, %in414_1: f32, %out414: f32):
      %r414 = arith.divf %in414_0, %in414_1 : f32 loc("h.0.attn"("bwd"))
      linalg.yield %r414 : f32 loc("h.0.attn"("bwd"))
    } -> tensor<4x4x8xf32> loc("h.0.attn"("bwd"))
    %415 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %416 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%414 : tensor<4x4x8xf32>) outs(%415 : tensor<4x4x8x8xf32>) {
    ^bb0(%in416_0: f32, %out416: f32):
      %r416 = arith.addf %in416_0, %cst_0 : f32 loc("h.0.attn"("bwd"))
      linalg.yield %r416 : f32 loc("h.0.attn"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %417 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %418 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%403, %416 : tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) outs(%417 : tensor<4x4x8x8xf32>) {
    ^bb0(%in418_0: f32, %in418_1: f32, %out418: f32):
      %r418 = arith.addf %in418_0, %in418_1 : f32 loc("h.0.attn"("bwd"))
      linalg.yield %r418 : f32 loc("h.0.attn"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %419 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %420 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%418, %75 : tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) outs(%419 : tensor<4x4x8x8xf32>) {
    ^bb0(%in420_0: f32, %in420_1: f32, %out420: f32):
      %r420 = arith.mulf %in420_0, %in420_1 : f32 loc("h.0.attn"("bwd"))
      linalg.yield %r420 : f32 loc("h.0.attn"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %421 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %422 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%420 : tensor<4x4x8x8xf32>) outs(%421 : tensor<4x4x8x8xf32>) {
    ^bb0(%in422_0: f32, %out422: f32):
      %r422 = arith.negf %in422_0 : f32 loc("h.0.attn"("bwd"))
      linalg.yield %r422 : f32 loc("h.0.attn"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %423 = tensor.empty() : tensor<4x4x8xf32> loc("h.0.attn"("bwd"))
    %424 = linalg.fill ins(%cst_0 : f32) outs(%423 : tensor<4x4x8xf32>) -> tensor<4x4x8xf32> loc("h.0.attn"("bwd"))
    %425 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%422 : tensor<4x4x8x8xf32>) outs(%424 : tensor<4x4x8xf32>) {
    ^bb0(%in425_0: f32, %out425: f32):
      %r425 = arith.addf %in425_0, %out425 : f32 loc("h.0.attn"("bwd"))
      linalg.yield %r425 : f32 loc("h.0.attn"("bwd"))
    } -> tensor<4x4x8xf32> loc("h.0.attn"("bwd"))
    %426 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %427 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%420 : tensor<4x4x8x8xf32>) outs(%426 : tensor<4x4x8x8xf32>) {
    ^bb0(%in427_0: f32, %out427: f32):
      %t427 = linalg.index 2 : index loc("h.0.attn"("bwd"))
      %s427 = linalg.index 3 : index loc("h.0.attn"("bwd"))
      %a427 = arith.cmpi ule, %s427, %t427 : index loc("h.0.attn"("bwd"))
      %r427 = arith.select %a427, %in427_0, %cst_0 : f32 loc("h.0.attn"("bwd"))
      linalg.yield %r427 : f32 loc("h.0.attn"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %428 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %429 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%427 : tensor<4x4x8x8xf32>) outs(%428 : tensor<4x4x8x8xf32>) {
    ^bb0(%in429_0: f32, %out429: f32):
      %r429 = arith.mulf %in429_0, %cst_5 : f32 loc("h.0.attn"("bwd"))
      linalg.yield %r429 : f32 loc("h.0.attn"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0.attn"("bwd"))
    %430 = tensor.collapse_shape %429 [[0, 1], [2], [3]] : tensor<4x4x8x8xf32> into tensor<16x8x8xf32> loc("h.0.attn"("bwd"))
    %431 = tensor.collapse_shape %53 [[0, 1], [2], [3]] : tensor<4x4x8x4xf32> into tensor<16x8x4xf32> loc("h.0.attn"("bwd"))
    %432 = tensor.empty() : tensor<16x8x4xf32> loc("h.0.attn"("bwd"))
    %433 = linalg.fill ins(%cst_0 : f32) outs(%432 : tensor<16x8x4xf32>) -> tensor<16x8x4xf32> loc("h.0.attn"("bwd"))
    %434 = linalg.batch_matmul ins(%430, %431 : tensor<16x8x8xf32>, tensor<16x8x4xf32>) outs(%433 : tensor<16x8x4xf32>) -> tensor<16x8x4xf32> loc("h.0.attn"("bwd"))
    %435 = tensor.expand_shape %434 [[0, 1], [2], [3]] output_shape [4, 4, 8, 4] : tensor<16x8x4xf32> into tensor<4x4x8x4xf32> loc("h.0.attn"("bwd"))
    %436 = tensor.empty() : tensor<4x4x4x8xf32> loc("h.0.attn"("bwd"))
    %437 = linalg.transpose ins(%50 : tensor<4x4x8x4xf32>) outs(%436 : tensor<4x4x4x8xf32>) permutation = [0, 1, 3, 2] loc("h.0.attn"("bwd"))
    %438 = tensor.collapse_shape %437 [[0, 1], [2], [3]] : tensor<4x4x4x8xf32> into tensor<16x4x8xf32> loc("h.0.attn"("bwd"))
    %439 = tensor.collapse_shape %429 [[0, 1], [2], [3]] : tensor<4x4x8x8xf32> into tensor<16x8x8xf32> loc("h.0.attn"("bwd"))
    %440 = tensor.empty() : tensor<16x4x8xf32> loc("h.0.attn"("bwd"))
    %441 = linalg.fill ins(%cst_0 : f32) outs(%440 : tensor<16x4x8xf32>) -> tensor<16x4x8xf32> loc("h.0.attn"("bwd"))
    %442 = linalg.batch_matmul ins(%438, %439 : tensor<16x4x8xf32>, tensor<16x8x8xf32>) outs(%441 : tensor<16x4x8xf32>) -> tensor<16x4x8xf32> loc("h.0.attn"("bwd"))
    %443 = tensor.expand_shape %442 [[0, 1], [2], [3]] output_shape [4, 4, 4, 8] : tensor<16x4x8xf32> into tensor<4x4x4x8xf32> loc("h.0.attn"("bwd"))
    %444 = tensor.empty() : tensor<4x4x8x4xf32> loc("h.0.attn"("bwd"))
    %445 = linalg.transpose ins(%443 : tensor<4x4x4x8xf32>) outs(%444 : tensor<4x4x8x4xf32>) permutation = [0, 1, 3, 2] loc("h.0.attn"("bwd"))
    %446 = tensor.empty() : tensor<4x8x4x4xf32> loc("h.0.attn"("bwd"))
    %447 = linalg.transpose ins(%401 : tensor<4x4x8x4xf32>) outs(%446 : tensor<4x8x4x4xf32>) permutation = [0, 2, 1, 3] loc("h.0.attn"("bwd"))
    %448 = tensor.collapse_shape %447 [[0], [1], [2, 3]] : tensor<4x8x4x4xf32> into tensor<4x8x16xf32> loc("h.0.attn"("bwd"))
    %449 = tensor.empty() : tensor<4x8x4x4xf32> loc("h.0.attn"("bwd"))
    %450 = linalg.transpose ins(%445 : tensor<4x4x8x4xf32>) outs(%449 : tensor<4x8x4x4xf32>) permutation = [0, 2, 1, 3] loc("h.0.attn"("bwd"))
    %451 = tensor.collapse_shape %450 [[0], [1], [2, 3]] : tensor<4x8x4x4xf32> into tensor<4x8x16xf32> loc("h.0.attn"("bwd"))
    %452 = tensor.empty() : tensor<4x8x4x4xf32> loc("h.0.attn"("bwd"))
    %453 = linalg.transpose ins(%435 : tensor<4x4x8x4xf32>) outs(%452 : tensor<4x8x4x4xf32>) permutation = [0, 2, 1, 3] loc("h.0.attn"("bwd"))
    %454 = tensor.collapse_shape %453 [[0], [1], [2, 3]] : tensor<4x8x4x4xf32> into tensor<4x8x16xf32> loc("h.0.attn"("bwd"))
    %455 = tensor.collapse_shape %448 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.attn.v"("bwd"))
    %456 = tensor.empty() : tensor<32x16xf32> loc("h.0.attn.v"("bwd"))
    %457 = linalg.fill ins(%cst_0 : f32) outs(%456 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.v"("bwd"))
    %458 = linalg.matmul ins(%455, %arg6 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%457 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.v"("bwd"))
    %459 = tensor.expand_shape %458 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.attn.v"("bwd"))
    %460 = tensor.empty() : tensor<16x4x8xf32> loc("h.0.attn.v"("bwd"))
    %461 = linalg.transpose ins(%26 : tensor<4x8x16xf32>) outs(%460 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("h.0.attn.v"("bwd"))
    %462 = tensor.collapse_shape %461 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("h.0.attn.v"("bwd"))
    %463 = tensor.collapse_shape %448 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.attn.v"("bwd"))
    %464 = tensor.empty() : tensor<16x16xf32> loc("h.0.attn.v"("bwd"))
    %465 = linalg.fill ins(%cst_0 : f32) outs(%464 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.attn.v"("bwd"))
    %466 = linalg.matmul ins(%462, %463 : tensor<16x32xf32>, tensor<32x16xf32>) outs(%465 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.attn.v"("bwd"))
    %467 = tensor.empty() : tensor<16x16xf32> loc("h.0.attn.v"("bwd"))
    %468 = linalg.transpose ins(%466 : tensor<16x16xf32>) outs(%467 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.attn.v"("bwd"))
    %469 = tensor.collapse_shape %451 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.attn.k"("bwd"))
    %470 = tensor.empty() : tensor<32x16xf32> loc("h.0.attn.k"("bwd"))
    %471 = linalg.fill ins(%cst_0 : f32) outs(%470 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.k"("bwd"))
    %472 = linalg.matmul ins(%469, %arg5 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%471 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.k"("bwd"))
    %473 = tensor.expand_shape %472 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.attn.k"("bwd"))
    %474 = tensor.empty() : tensor<16x4x8xf32> loc("h.0.attn.k"("bwd"))
    %475 = linalg.transpose ins(%26 : tensor<4x8x16xf32>) outs(%474 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("h.0.attn.k"("bwd"))
    %476 = tensor.collapse_shape %475 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("h.0.attn.k"("bwd"))
    %477 = tensor.collapse_shape %451 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.attn.k"("bwd"))
    %478 = tensor.empty() : tensor<16x16xf32> loc("h.0.attn.k"("bwd"))
    %479 = linalg.fill ins(%cst_0 : f32) outs(%478 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.attn.k"("bwd"))
    %480 = linalg.matmul ins(%476, %477 : tensor<16x32xf32>, tensor<32x16xf32>) outs(%479 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.attn.k"("bwd"))
    %481 = tensor.empty() : tensor<16x16xf32> loc("h.0.attn.k"("bwd"))
    %482 = linalg.transpose ins(%480 : tensor<16x16xf32>) outs(%481 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.attn.k"("bwd"))
    %483 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.k"("bwd"))
    %484 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%459, %473 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%483 : tensor<4x8x16xf32>) {
    ^bb0(%in484_0: f32, %in484_1: f32, %out484: f32):
      %r484 = arith.addf %in484_0, %in484_1 : f32 loc("h.0.attn.k"("bwd"))
      linalg.yield %r484 : f32 loc("h.0.attn.k"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.k"("bwd"))
    %485 = tensor.collapse_shape %454 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.attn.q"("bwd"))
    %486 = tensor.empty() : tensor<32x16xf32> loc("h.0.attn.q"("bwd"))
    %487 = linalg.fill ins(%cst_0 : f32) outs(%486 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.q"("bwd"))
    %488 = linalg.matmul ins(%485, %arg4 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%487 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.attn.q"("bwd"))
    %489 = tensor.expand_shape %488 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.attn.q"("bwd"))
    %490 = tensor.empty() : tensor<16x4x8xf32> loc("h.0.attn.q"("bwd"))
    %491 = linalg.transpose ins(%26 : tensor<4x8x16xf32>) outs(%490 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("h.0.attn.q"("bwd"))
    %492 = tensor.collapse_shape %491 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("h.0.attn.q"("bwd"))
    %493 = tensor.collapse_shape %454 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.attn.q"("bwd"))
    %494 = tensor.empty() : tensor<16x16xf32> loc("h.0.attn.q"("bwd"))
    %495 = linalg.fill ins(%cst_0 : f32) outs(%494 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.attn.q"("bwd"))
    %496 = linalg.matmul ins(%492, %493 : tensor<16x32xf32>, tensor<32x16xf32>) outs(%495 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.attn.q"("bwd"))
    %497 = tensor.empty() : tensor<16x16xf32> loc("h.0.attn.q"("bwd"))
    %498 = linalg.transpose ins(%496 : tensor<16x16xf32>) outs(%497 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.attn.q"("bwd"))
    %499 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.q"("bwd"))
    %500 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%484, %489 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%499 : tensor<4x8x16xf32>) {
    ^bb0(%in500_0: f32, %in500_1: f32, %out500: f32):
      %r500 = arith.addf %in500_0, %in500_1 : f32 loc("h.0.attn.q"("bwd"))
      linalg.yield %r500 : f32 loc("h.0.attn.q"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.q"("bwd"))
    %501 = tensor.empty() : tensor<16xf32> loc("h.0.attn.ln"("bwd"))
    %502 = linalg.fill ins(%cst_0 : f32) outs(%501 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.attn.ln"("bwd"))
    %503 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%500 : tensor<4x8x16xf32>) outs(%502 : tensor<16xf32>) {
    ^bb0(%in503_0: f32, %out503: f32):
      %r503 = arith.addf %in503_0, %out503 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r503 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<16xf32> loc("h.0.attn.ln"("bwd"))
    %504 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %505 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%500, %arg2 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%504 : tensor<4x8x16xf32>) {
    ^bb0(%in505_0: f32, %in505_1: f32, %out505: f32):
      %r505 = arith.mulf %in505_0, %in505_1 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r505 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %506 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %507 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%500, %22 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%506 : tensor<4x8x16xf32>) {
    ^bb0(%in507_0: f32, %in507_1: f32, %out507: f32):
      %r507 = arith.mulf %in507_0, %in507_1 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r507 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %508 = tensor.empty() : tensor<16xf32> loc("h.0.attn.ln"("bwd"))
    %509 = linalg.fill ins(%cst_0 : f32) outs(%508 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.attn.ln"("bwd"))
    %510 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%507 : tensor<4x8x16xf32>) outs(%509 : tensor<16xf32>) {
    ^bb0(%in510_0: f32, %out510: f32):
      %r510 = arith.addf %in510_0, %out510 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r510 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<16xf32> loc("h.0.attn.ln"("bwd"))
    %511 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %512 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%505, %20 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%511 : tensor<4x8x16xf32>) {
    ^bb0(%in512_0: f32, %in512_1: f32, %out512: f32):
      %r512 = arith.mulf %in512_0, %in512_1 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r512 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %513 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %514 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%505, %9 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%513 : tensor<4x8x16xf32>) {
    ^bb0(%in514_0: f32, %in514_1: f32, %out514: f32):
      %r514 = arith.mulf %in514_0, %in514_1 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r514 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %515 = tensor.empty() : tensor<4x8xf32> loc("h.0.attn.ln"("bwd"))
    %516 = linalg.fill ins(%cst_0 : f32) outs(%515 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.attn.ln"("bwd"))
    %517 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%514 : tensor<4x8x16xf32>) outs(%516 : tensor<4x8xf32>) {
    ^bb0(%in517_0: f32, %out517: f32):
      %r517 = arith.addf %in517_0, %out517 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r517 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.attn.ln"("bwd"))
    %518 = tensor.empty() : tensor<4x8xf32> loc("h.0.attn.ln"("bwd"))
    %519 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%517, %20 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%518 : tensor<4x8xf32>) {
    ^bb0(%in519_0: f32, %in519_1: f32, %out519: f32):
      %a519 = arith.mulf %in519_1, %in519_1 : f32 loc("h.0.attn.ln"("bwd"))
      %b519 = arith.mulf %a519, %in519_1 : f32 loc("h.0.attn.ln"("bwd"))
      %c519 = arith.mulf %b519, %cst_2 : f32 loc("h.0.attn.ln"("bwd"))
      %r519 = arith.mulf %c519, %in519_0 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r519 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.attn.ln"("bwd"))
    %520 = tensor.empty() : tensor<4x8xf32> loc("h.0.attn.ln"("bwd"))
    %521 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%519 : tensor<4x8xf32>) outs(%520 : tensor<4x8xf32>) {
    ^bb0(%in521_0: f32, %out521: f32):
      %r521 = arith.mulf %in521_0, %cst_3 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r521 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.attn.ln"("bwd"))
    %522 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %523 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%521 : tensor<4x8xf32>) outs(%522 : tensor<4x8x16xf32>) {
    ^bb0(%in523_0: f32, %out523: f32):
      %r523 = arith.addf %in523_0, %cst_0 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r523 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %524 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %525 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%523, %9 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%524 : tensor<4x8x16xf32>) {
    ^bb0(%in525_0: f32, %in525_1: f32, %out525: f32):
      %r525 = arith.mulf %in525_0, %in525_1 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r525 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %526 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %527 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%523, %9 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%526 : tensor<4x8x16xf32>) {
    ^bb0(%in527_0: f32, %in527_1: f32, %out527: f32):
      %r527 = arith.mulf %in527_0, %in527_1 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r527 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %528 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %529 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%512, %525 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%528 : tensor<4x8x16xf32>) {
    ^bb0(%in529_0: f32, %in529_1: f32, %out529: f32):
      %r529 = arith.addf %in529_0, %in529_1 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r529 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %530 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %531 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%529, %527 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%530 : tensor<4x8x16xf32>) {
    ^bb0(%in531_0: f32, %in531_1: f32, %out531: f32):
      %r531 = arith.addf %in531_0, %in531_1 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r531 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %532 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %533 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%531 : tensor<4x8x16xf32>) outs(%532 : tensor<4x8x16xf32>) {
    ^bb0(%in533_0: f32, %out533: f32):
      %r533 = arith.negf %in533_0 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r533 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %534 = tensor.empty() : tensor<4x8xf32> loc("h.0.attn.ln"("bwd"))
    %535 = linalg.fill ins(%cst_0 : f32) outs(%534 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.attn.ln"("bwd"))
    %536 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%533 : tensor<4x8x16xf32>) outs(%535 : tensor<4x8xf32>) {
    ^bb0(%in536_0: f32, %out536: f32):
      %r536 = arith.addf %in536_0, %out536 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r536 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.attn.ln"("bwd"))
    %537 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %538 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%365, %531 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%537 : tensor<4x8x16xf32>) {
    ^bb0(%in538_0: f32, %in538_1: f32, %out538: f32):
      %r538 = arith.addf %in538_0, %in538_1 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r538 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %539 = tensor.empty() : tensor<4x8xf32> loc("h.0.attn.ln"("bwd"))
    %540 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%536 : tensor<4x8xf32>) outs(%539 : tensor<4x8xf32>) {
    ^bb0(%in540_0: f32, %out540: f32):
      %r540 = arith.mulf %in540_0, %cst_3 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r540 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.attn.ln"("bwd"))
    %541 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %542 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%540 : tensor<4x8xf32>) outs(%541 : tensor<4x8x16xf32>) {
    ^bb0(%in542_0: f32, %out542: f32):
      %r542 = arith.addf %in542_0, %cst_0 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r542 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %543 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %544 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%538, %542 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%543 : tensor<4x8x16xf32>) {
    ^bb0(%in544_0: f32, %in544_1: f32, %out544: f32):
      %r544 = arith.addf %in544_0, %in544_1 : f32 loc("h.0.attn.ln"("bwd"))
      linalg.yield %r544 : f32 loc("h.0.attn.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.attn.ln"("bwd"))
    %545 = tensor.collapse_shape %544 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("embed"("bwd"))
    %546 = tensor.expand_shape %545 [[0], [1, 2]] output_shape [32, 1, 16] : tensor<32x16xf32> into tensor<32x1x16xf32> loc("embed"("bwd"))
    %547 = tensor.collapse_shape %arg0 [[0, 1]] : tensor<4x8xi64> into tensor<32xi64> loc("embed"("bwd"))
    %548 = tensor.expand_shape %547 [[0, 1]] output_shape [32, 1] : tensor<32xi64> into tensor<32x1xi64> loc("embed"("bwd"))
    %549 = tensor.empty() : tensor<40x16xf32> loc("embed"("bwd"))
    %550 = linalg.fill ins(%cst_0 : f32) outs(%549 : tensor<40x16xf32>) -> tensor<40x16xf32> loc("embed"("bwd"))
    %551 = "tm_tensor.scatter"(%546, %548, %550) <{dimension_map = array<i64: 0>, operandSegmentSizes = array<i32: 2, 1>, unique_indices = false}> ({
    ^bb0(%u551: f32, %v551: f32):
      %w551 = arith.addf %v551, %u551 : f32
      "tm_tensor.yield"(%w551) : (f32) -> ()
    }) : (tensor<32x1x16xf32>, tensor<32x1xi64>, tensor<40x16xf32>) -> tensor<40x16xf32> loc("embed"("bwd"))
    return %206, %551, %510, %503, %498, %482, %468, %382, %368, %331, %324, %321, %307, %302, %288, %253, %246, %243 : tensor<f32>, tensor<40x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<48x16xf32>, tensor<48xf32>, tensor<16x48xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<40x16xf32>
  }
}
