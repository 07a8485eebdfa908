// SPDX-License-Identifier: Apache-2.0
// Two feed-forward half blocks behind a projection. Made by steps.py.
module {
  func.func @step(%arg0: tensor<4x8x16xf32> {fsdp.batch_dim = 0 : i64, fsdp.input = "x"},
      %arg1: tensor<16x16xf32> {fsdp.param = "first.weight"},
      %arg2: tensor<16xf32> {fsdp.param = "first.bias"},
      %arg3: tensor<16xf32> {fsdp.param = "h.0.ln.weight"},
      %arg4: tensor<16xf32> {fsdp.param = "h.0.ln.bias"},
      %arg5: tensor<48x16xf32> {fsdp.param = "h.0.fc1.weight"},
      %arg6: tensor<48xf32> {fsdp.param = "h.0.fc1.bias"},
      %arg7: tensor<16x48xf32> {fsdp.param = "h.0.fc2.weight"},
      %arg8: tensor<16xf32> {fsdp.param = "h.0.fc2.bias"},
      %arg9: tensor<16xf32> {fsdp.param = "h.1.ln.weight"},
      %arg10: tensor<16xf32> {fsdp.param = "h.1.ln.bias"},
      %arg11: tensor<48x16xf32> {fsdp.param = "h.1.fc1.weight"},
      %arg12: tensor<48xf32> {fsdp.param = "h.1.fc1.bias"},
      %arg13: tensor<16x48xf32> {fsdp.param = "h.1.fc2.weight"},
      %arg14: tensor<16xf32> {fsdp.param = "h.1.fc2.bias"},
      %arg15: tensor<4x8x16xf32> {fsdp.batch_dim = 0 : i64, fsdp.input = "target"})
      -> (tensor<f32> {fsdp.loss},
          tensor<16x16xf32> {fsdp.grad = "first.weight"},
          tensor<16xf32> {fsdp.grad = "first.bias"},
          tensor<16xf32> {fsdp.grad = "h.0.ln.weight"},
          tensor<16xf32> {fsdp.grad = "h.0.ln.bias"},
          tensor<48x16xf32> {fsdp.grad = "h.0.fc1.weight"},
          tensor<48xf32> {fsdp.grad = "h.0.fc1.bias"},
          tensor<16x48xf32> {fsdp.grad = "h.0.fc2.weight"},
          tensor<16xf32> {fsdp.grad = "h.0.fc2.bias"},
          tensor<16xf32> {fsdp.grad = "h.1.ln.weight"},
          tensor<16xf32> {fsdp.grad = "h.1.ln.bias"},
          tensor<48x16xf32> {fsdp.grad = "h.1.fc1.weight"},
          tensor<48xf32> {fsdp.grad = "h.1.fc1.bias"},
          tensor<16x48xf32> {fsdp.grad = "h.1.fc2.weight"},
          tensor<16xf32> {fsdp.grad = "h.1.fc2.bias"}) {
    %cst_0 = arith.constant 0.00000000e+00 : f32
    %cst_1 = arith.constant 1.00000000e+00 : f32
    %cst_2 = arith.constant -5.00000000e-01 : f32
    %cst_3 = arith.constant 6.25000000e-02 : f32
    %cst_4 = arith.constant 1.00000000e-05 : f32
    %cst_5 = arith.constant 1.95312500e-03 : f32
    %1 = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("first"("fwd"))
    %2 = tensor.empty() : tensor<16x16xf32> loc("first"("fwd"))
    %3 = linalg.transpose ins(%arg1 : tensor<16x16xf32>) outs(%2 : tensor<16x16xf32>) permutation = [1, 0] loc("first"("fwd"))
    %4 = tensor.empty() : tensor<32x16xf32> loc("first"("fwd"))
    %5 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("first"("fwd"))
    %6 = linalg.matmul ins(%1, %3 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%5 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("first"("fwd"))
    %7 = tensor.expand_shape %6 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("first"("fwd"))
    %8 = tensor.empty() : tensor<4x8x16xf32> loc("first"("fwd"))
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %arg2 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%8 : tensor<4x8x16xf32>) {
    ^bb0(%in9_0: f32, %in9_1: f32, %out9: f32):
      %r9 = arith.addf %in9_0, %in9_1 : f32 loc("first"("fwd"))
      linalg.yield %r9 : f32 loc("first"("fwd"))
    } -> tensor<4x8x16xf32> loc("first"("fwd"))
    %10 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %11 = linalg.fill ins(%cst_0 : f32) outs(%10 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %12 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%9 : tensor<4x8x16xf32>) outs(%11 : tensor<4x8xf32>) {
    ^bb0(%in12_0: f32, %out12: f32):
      %r12 = arith.addf %in12_0, %out12 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r12 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %13 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%12 : tensor<4x8xf32>) outs(%13 : tensor<4x8xf32>) {
    ^bb0(%in14_0: f32, %out14: f32):
      %r14 = arith.mulf %in14_0, %cst_3 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r14 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %15 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %14 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%15 : tensor<4x8x16xf32>) {
    ^bb0(%in16_0: f32, %in16_1: f32, %out16: f32):
      %r16 = arith.subf %in16_0, %in16_1 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r16 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %17 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %16 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%17 : tensor<4x8x16xf32>) {
    ^bb0(%in18_0: f32, %in18_1: f32, %out18: f32):
      %r18 = arith.mulf %in18_0, %in18_1 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r18 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %19 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %20 = linalg.fill ins(%cst_0 : f32) outs(%19 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %21 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%18 : tensor<4x8x16xf32>) outs(%20 : tensor<4x8xf32>) {
    ^bb0(%in21_0: f32, %out21: f32):
      %r21 = arith.addf %in21_0, %out21 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r21 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %22 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %23 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%21 : tensor<4x8xf32>) outs(%22 : tensor<4x8xf32>) {
    ^bb0(%in23_0: f32, %out23: f32):
      %r23 = arith.mulf %in23_0, %cst_3 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r23 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %24 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %25 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%23 : tensor<4x8xf32>) outs(%24 : tensor<4x8xf32>) {
    ^bb0(%in25_0: f32, %out25: f32):
      %r25 = arith.addf %in25_0, %cst_4 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r25 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %26 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%25 : tensor<4x8xf32>) outs(%26 : tensor<4x8xf32>) {
    ^bb0(%in27_0: f32, %out27: f32):
      %r27 = math.rsqrt %in27_0 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r27 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %28 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%16, %27 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%28 : tensor<4x8x16xf32>) {
    ^bb0(%in29_0: f32, %in29_1: f32, %out29: f32):
      %r29 = arith.mulf %in29_0, %in29_1 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r29 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %30 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%29, %arg3 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%30 : tensor<4x8x16xf32>) {
    ^bb0(%in31_0: f32, %in31_1: f32, %out31: f32):
      %r31 = arith.mulf %in31_0, %in31_1 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r31 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %32 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %33 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %arg4 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%32 : tensor<4x8x16xf32>) {
    ^bb0(%in33_0: f32, %in33_1: f32, %out33: f32):
      %r33 = arith.addf %in33_0, %in33_1 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r33 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %34 = tensor.collapse_shape %33 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.fc1"("fwd"))
    %35 = tensor.empty() : tensor<16x48xf32> loc("h.0.fc1"("fwd"))
    %36 = linalg.transpose ins(%arg5 : tensor<48x16xf32>) outs(%35 : tensor<16x48xf32>) permutation = [1, 0] loc("h.0.fc1"("fwd"))
    %37 = tensor.empty() : tensor<32x48xf32> loc("h.0.fc1"("fwd"))
    %38 = linalg.fill ins(%cst_0 : f32) outs(%37 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.0.fc1"("fwd"))
    %39 = linalg.matmul ins(%34, %36 : tensor<32x16xf32>, tensor<16x48xf32>) outs(%38 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.0.fc1"("fwd"))
    %40 = tensor.expand_shape %39 [[0, 1], [2]] output_shape [4, 8, 48] : tensor<32x48xf32> into tensor<4x8x48xf32> loc("h.0.fc1"("fwd"))
    %41 = tensor.empty() : tensor<4x8x48xf32> loc("h.0.fc1"("fwd"))
    %42 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%40, %arg6 : tensor<4x8x48xf32>, tensor<48xf32>) outs(%41 : tensor<4x8x48xf32>) {
    ^bb0(%in42_0: f32, %in42_1: f32, %out42: f32):
      %r42 = arith.addf %in42_0, %in42_1 : f32 loc("h.0.fc1"("fwd"))
      linalg.yield %r42 : f32 loc("h.0.fc1"("fwd"))
    } -> tensor<4x8x48xf32> loc("h.0.fc1"("fwd"))
    %43 = tensor.empty() : tensor<4x8x48xf32> loc("h.0"("fwd"))
    %44 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%42 : tensor<4x8x48xf32>) outs(%43 : tensor<4x8x48xf32>) {
    ^bb0(%in44_0: f32, %out44: f32):
      %r44 = math.tanh %in44_0 : f32 loc("h.0"("fwd"))
      linalg.yield %r44 : f32 loc("h.0"("fwd"))
    } -> tensor<4x8x48xf32> loc("h.0"("fwd"))
    %45 = tensor.collapse_shape %44 [[0, 1], [2]] : tensor<4x8x48xf32> into tensor<32x48xf32> loc("h.0.fc2"("fwd"))
    %46 = tensor.empty() : tensor<48x16xf32> loc("h.0.fc2"("fwd"))
    %47 = linalg.transpose ins(%arg7 : tensor<16x48xf32>) outs(%46 : tensor<48x16xf32>) permutation = [1, 0] loc("h.0.fc2"("fwd"))
    %48 = tensor.empty() : tensor<32x16xf32> loc("h.0.fc2"("fwd"))
    %49 = linalg.fill ins(%cst_0 : f32) outs(%48 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.fc2"("fwd"))
    %50 = linalg.matmul ins(%45, %47 : tensor<32x48xf32>, tensor<48x16xf32>) outs(%49 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.fc2"("fwd"))
    %51 = tensor.expand_shape %50 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.fc2"("fwd"))
    %52 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.fc2"("fwd"))
    %53 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %arg8 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%52 : tensor<4x8x16xf32>) {
    ^bb0(%in53_0: f32, %in53_1: f32, %out53: f32):
      %r53 = arith.addf %in53_0, %in53_1 : f32 loc("h.0.fc2"("fwd"))
      linalg.yield %r53 : f32 loc("h.0.fc2"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.fc2"("fwd"))
    %54 = tensor.empty() : tensor<4x8x16xf32> loc("h.0"("fwd"))
    %55 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %53 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%54 : tensor<4x8x16xf32>) {
    ^bb0(%in55_0: f32, %in55_1: f32, %out55: f32):
      %r55 = arith.addf %in55_0, %in55_1 : f32 loc("h.0"("fwd"))
      linalg.yield %r55 : f32 loc("h.0"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0"("fwd"))
    %56 = tensor.empty() : tensor<4x8xf32> loc("h.1.ln"("fwd"))
    %57 = linalg.fill ins(%cst_0 : f32) outs(%56 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.1.ln"("fwd"))
    %58 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%55 : tensor<4x8x16xf32>) outs(%57 : tensor<4x8xf32>) {
    ^bb0(%in58_0: f32, %out58: f32):
      %r58 = arith.addf %in58_0, %out58 : f32 loc("h.1.ln"("fwd"))
      linalg.yield %r58 : f32 loc("h.1.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.1.ln"("fwd"))
    %59 = tensor.empty() : tensor<4x8xf32> loc("h.1.ln"("fwd"))
    %60 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%58 : tensor<4x8xf32>) outs(%59 : tensor<4x8xf32>) {
    ^bb0(%in60_0: f32, %out60: f32):
      %r60 = arith.mulf %in60_0, %cst_3 : f32 loc("h.1.ln"("fwd"))
      linalg.yield %r60 : f32 loc("h.1.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.1.ln"("fwd"))
    %61 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("fwd"))
    %62 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55, %60 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%61 : tensor<4x8x16xf32>) {
    ^bb0(%in62_0: f32, %in62_1: f32, %out62: f32):
      %r62 = arith.subf %in62_0, %in62_1 : f32 loc("h.1.ln"("fwd"))
      linalg.yield %r62 : f32 loc("h.1.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("fwd"))
    %63 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("fwd"))
    %64 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %62 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%63 : tensor<4x8x16xf32>) {
    ^bb0(%in64_0: f32, %in64_1: f32, %out64: f32):
      %r64 = arith.mulf %in64_0, %in64_1 : f32 loc("h.1.ln"("fwd"))
      linalg.yield %r64 : f32 loc("h.1.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("fwd"))
    %65 = tensor.empty() : tensor<4x8xf32> loc("h.1.ln"("fwd"))
    %66 = linalg.fill ins(%cst_0 : f32) outs(%65 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.1.ln"("fwd"))
    %67 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%64 : tensor<4x8x16xf32>) outs(%66 : tensor<4x8xf32>) {
    ^bb0(%in67_0: f32, %out67: f32):
      %r67 = arith.addf %in67_0, %out67 : f32 loc("h.1.ln"("fwd"))
      linalg.yield %r67 : f32 loc("h.1.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.1.ln"("fwd"))
    %68 = tensor.empty() : tensor<4x8xf32> loc("h.1.ln"("fwd"))
    %69 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%67 : tensor<4x8xf32>) outs(%68 : tensor<4x8xf32>) {
    ^bb0(%in69_0: f32, %out69: f32):
      %r69 = arith.mulf %in69_0, %cst_3 : f32 loc("h.1.ln"("fwd"))
      linalg.yield %r69 : f32 loc("h.1.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.1.ln"("fwd"))
    %70 = tensor.empty() : tensor<4x8xf32> loc("h.1.ln"("fwd"))
    %71 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%69 : tensor<4x8xf32>) outs(%70 : tensor<4x8xf32>) {
    ^bb0(%in71_0: f32, %out71: f32):
      %r71 = arith.addf %in71_0, %cst_4 : f32 loc("h.1.ln"("fwd"))
      linalg.yield %r71 : f32 loc("h.1.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.1.ln"("fwd"))
    %72 = tensor.empty() : tensor<4x8xf32> loc("h.1.ln"("fwd"))
    %73 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%71 : tensor<4x8xf32>) outs(%72 : tensor<4x8xf32>) {
    ^bb0(%in73_0: f32, %out73: f32):
      %r73 = math.rsqrt %in73_0 : f32 loc("h.1.ln"("fwd"))
      linalg.yield %r73 : f32 loc("h.1.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.1.ln"("fwd"))
    %74 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("fwd"))
    %75 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%62, %73 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%74 : tensor<4x8x16xf32>) {
    ^bb0(%in75_0: f32, %in75_1: f32, %out75: f32):
      %r75 = arith.mulf %in75_0, %in75_1 : f32 loc("h.1.ln"("fwd"))
      linalg.yield %r75 : f32 loc("h.1.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("fwd"))
    %76 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("fwd"))
    %77 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%75, %arg9 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%76 : tensor<4x8x16xf32>) {
    ^bb0(%in77_0: f32, %in77_1: f32, %out77: f32):
      %r77 = arith.mulf %in77_0, %in77_1 : f32 loc("h.1.ln"("fwd"))
      linalg.yield %r77 : f32 loc("h.1.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("fwd"))
    %78 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("fwd"))
    %79 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%77, %arg10 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%78 : tensor<4x8x16xf32>) {
    ^bb0(%in79_0: f32, %in79_1: f32, %out79: f32):
      %r79 = arith.addf %in79_0, %in79_1 : f32 loc("h.1.ln"("fwd"))
      linalg.yield %r79 : f32 loc("h.1.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("fwd"))
    %80 = tensor.collapse_shape %79 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.1.fc1"("fwd"))
    %81 = tensor.empty() : tensor<16x48xf32> loc("h.1.fc1"("fwd"))
    %82 = linalg.transpose ins(%arg11 : tensor<48x16xf32>) outs(%81 : tensor<16x48xf32>) permutation = [1, 0] loc("h.1.fc1"("fwd"))
    %83 = tensor.empty() : tensor<32x48xf32> loc("h.1.fc1"("fwd"))
    %84 = linalg.fill ins(%cst_0 : f32) outs(%83 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.1.fc1"("fwd"))
    %85 = linalg.matmul ins(%80, %82 : tensor<32x16xf32>, tensor<16x48xf32>) outs(%84 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.1.fc1"("fwd"))
    %86 = tensor.expand_shape %85 [[0, 1], [2]] output_shape [4, 8, 48] : tensor<32x48xf32> into tensor<4x8x48xf32> loc("h.1.fc1"("fwd"))
    %87 = tensor.empty() : tensor<4x8x48xf32> loc("h.1.fc1"("fwd"))
    %88 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%86, %arg12 : tensor<4x8x48xf32>, tensor<48xf32>) outs(%87 : tensor<4x8x48xf32>) {
    ^bb0(%in88_0: f32, %in88_1: f32, %out88: f32):
      %r88 = arith.addf %in88_0, %in88_1 : f32 loc("h.1.fc1"("fwd"))
      linalg.yield %r88 : f32 loc("h.1.fc1"("fwd"))
    } -> tensor<4x8x48xf32> loc("h.1.fc1"("fwd"))
    %89 = tensor.empty() : tensor<4x8x48xf32> loc("h.1"("fwd"))
    %90 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%88 : tensor<4x8x48xf32>) outs(%89 : tensor<4x8x48xf32>) {
    ^bb0(%in90_0: f32, %out90: f32):
      %r90 = math.tanh %in90_0 : f32 loc("h.1"("fwd"))
      linalg.yield %r90 : f32 loc("h.1"("fwd"))
    } -> tensor<4x8x48xf32> loc("h.1"("fwd"))
    %91 = tensor.collapse_shape %90 [[0, 1], [2]] : tensor<4x8x48xf32> into tensor<32x48xf32> loc("h.1.fc2"("fwd"))
    %92 = tensor.empty() : tensor<48x16xf32> loc("h.1.fc2"("fwd"))
    %93 = linalg.transpose ins(%arg13 : tensor<16x48xf32>) outs(%92 : tensor<48x16xf32>) permutation = [1, 0] loc("h.1.fc2"("fwd"))
    %94 = tensor.empty() : tensor<32x16xf32> loc("h.1.fc2"("fwd"))
    %95 = linalg.fill ins(%cst_0 : f32) outs(%94 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.1.fc2"("fwd"))
    %96 = linalg.matmul ins(%91, %93 : tensor<32x48xf32>, tensor<48x16xf32>) outs(%95 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.1.fc2"("fwd"))
    %97 = tensor.expand_shape %96 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.1.fc2"("fwd"))
    %98 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.fc2"("fwd"))
    %99 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%97, %arg14 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%98 : tensor<4x8x16xf32>) {
    ^bb0(%in99_0: f32, %in99_1: f32, %out99: f32):
      %r99 = arith.addf %in99_0, %in99_1 : f32 loc("h.1.fc2"("fwd"))
      linalg.yield %r99 : f32 loc("h.1.fc2"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.1.fc2"("fwd"))
    %100 = tensor.empty() : tensor<4x8x16xf32> loc("h.1"("fwd"))
    %101 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55, %99 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%100 : tensor<4x8x16xf32>) {
    ^bb0(%in101_0: f32, %in101_1: f32, %out101: f32):
      %r101 = arith.addf %in101_0, %in101_1 : f32 loc("h.1"("fwd"))
      linalg.yield %r101 : f32 loc("h.1"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.1"("fwd"))
    %102 = tensor.empty() : tensor<4x8x16xf32> loc("<root>"("fwd"))
    %103 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%101, %arg15 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%102 : tensor<4x8x16xf32>) {
    ^bb0(%in103_0: f32, %in103_1: f32, %out103: f32):
      %r103 = arith.subf %in103_0, %in103_1 : f32 loc("<root>"("fwd"))
      linalg.yield %r103 : f32 loc("<root>"("fwd"))
    } -> tensor<4x8x16xf32> loc("<root>"("fwd"))
    %104 = tensor.empty() : tensor<4x8x16xf32> loc("<root>"("fwd"))
    %105 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%103, %103 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%104 : tensor<4x8x16xf32>) {
    ^bb0(%in105_0: f32, %in105_1: f32, %out105: f32):
      %r105 = arith.mulf %in105_0, %in105_1 : f32 loc("<root>"("fwd"))
      linalg.yield %r105 : f32 loc("<root>"("fwd"))
    } -> tensor<4x8x16xf32> loc("<root>"("fwd"))
    %106 = tensor.empty() : tensor<f32> loc("<root>"("fwd"))
    %107 = linalg.fill ins(%cst_0 : f32) outs(%106 : tensor<f32>) -> tensor<f32> loc("<root>"("fwd"))
    %108 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> ()>], iterator_types = ["reduction", "reduction", "reduction"]} ins(%105 : tensor<4x8x16xf32>) outs(%107 : tensor<f32>) {
    ^bb0(%in108_0: f32, %out108: f32):
      %r108 = arith.addf %in108_0, %out108 : f32 loc("<root>"("fwd"))
      linalg.yield %r108 : f32 loc("<root>"("fwd"))
    } -> tensor<f32> loc("<root>"("fwd"))
    %109 = tensor.empty() : tensor<f32> loc("<root>"("fwd"))
    %110 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%108 : tensor<f32>) outs(%109 : tensor<f32>) {
    ^bb0(%in110_0: f32, %out110: f32):
      %r110 = arith.mulf %in110_0, %cst_5 : f32 loc("<root>"("fwd"))
      linalg.yield %r110 : f32 loc("<root>"("fwd"))
    } -> tensor<f32> loc("<root>"("fwd"))
    %111 = arith.constant dense<1.0> : tensor<f32> loc("<root>"("bwd"))
    %112 = tensor.empty() : tensor<f32> loc("<root>"("bwd"))
    %113 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%111 : tensor<f32>) outs(%112 : tensor<f32>) {
    ^bb0(%in113_0: f32, %out113: f32):
      %r113 = arith.mulf %in113_0, %cst_5 : f32 loc("<root>"("bwd"))
      linalg.yield %r113 : f32 loc("<root>"("bwd"))
    } -> tensor<f32> loc("<root>"("bwd"))
    %114 = tensor.empty() : tensor<4x8x16xf32> loc("<root>"("bwd"))
    %115 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%113 : tensor<f32>) outs(%114 : tensor<4x8x16xf32>) {
    ^bb0(%in115_0: f32, %out115: f32):
      %r115 = arith.addf %in115_0, %cst_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r115 : f32 loc("<root>"("bwd"))
    } -> tensor<4x8x16xf32> loc("<root>"("bwd"))
    %116 = tensor.empty() : tensor<4x8x16xf32> loc("<root>"("bwd"))
    %117 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%115, %103 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%116 : tensor<4x8x16xf32>) {
    ^bb0(%in117_0: f32, %in117_1: f32, %out117: f32):
      %r117 = arith.mulf %in117_0, %in117_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r117 : f32 loc("<root>"("bwd"))
    } -> tensor<4x8x16xf32> loc("<root>"("bwd"))
    %118 = tensor.empty() : tensor<4x8x16xf32> loc("<root>"("bwd"))
    %119 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%115, %103 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%118 : tensor<4x8x16xf32>) {
    ^bb0(%in119_0: f32, %in119_1: f32, %out119: f32):
      %r119 = arith.mulf %in119_0, %in119_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r119 : f32 loc("<root>"("bwd"))
    } -> tensor<4x8x16xf32> loc("<root>"("bwd"))
    %120 = tensor.empty() : tensor<4x8x16xf32> loc("<root>"("bwd"))
    %121 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%117, %119 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%120 : tensor<4x8x16xf32>) {
    ^bb0(%in121_0: f32, %in121_1: f32, %out121: f32):
      %r121 = arith.addf %in121_0, %in121_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r121 : f32 loc("<root>"("bwd"))
    } -> tensor<4x8x16xf32> loc("<root>"("bwd"))
    %122 = tensor.empty() : tensor<4x8x16xf32> loc("<root>"("bwd"))
    %123 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%121 : tensor<4x8x16xf32>) outs(%122 : tensor<4x8x16xf32>) {
    ^bb0(%in123_0: f32, %out123: f32):
      %r123 = arith.negf %in123_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r123 : f32 loc("<root>"("bwd"))
    } -> tensor<4x8x16xf32> loc("<root>"("bwd"))
    %124 = tensor.empty() : tensor<16xf32> loc("h.1.fc2"("bwd"))
    %125 = linalg.fill ins(%cst_0 : f32) outs(%124 : tensor<16xf32>) -> tensor<16xf32> loc("h.1.fc2"("bwd"))
    %126 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%121 : tensor<4x8x16xf32>) outs(%125 : tensor<16xf32>) {
    ^bb0(%in126_0: f32, %out126: f32):
      %r126 = arith.addf %in126_0, %out126 : f32 loc("h.1.fc2"("bwd"))
      linalg.yield %r126 : f32 loc("h.1.fc2"("bwd"))
    } -> tensor<16xf32> loc("h.1.fc2"("bwd"))
    %127 = tensor.collapse_shape %121 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.1.fc2"("bwd"))
    %128 = tensor.empty() : tensor<32x48xf32> loc("h.1.fc2"("bwd"))
    %129 = linalg.fill ins(%cst_0 : f32) outs(%128 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.1.fc2"("bwd"))
    %130 = linalg.matmul ins(%127, %arg13 : tensor<32x16xf32>, tensor<16x48xf32>) outs(%129 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.1.fc2"("bwd"))
    %131 = tensor.expand_shape %130 [[0, 1], [2]] output_shape [4, 8, 48] : tensor<32x48xf32> into tensor<4x8x48xf32> loc("h.1.fc2"("bwd"))
    %132 = tensor.empty() : tensor<48x4x8xf32> loc("h.1.fc2"("bwd"))
    %133 = linalg.transpose ins(%90 : tensor<4x8x48xf32>) outs(%132 : tensor<48x4x8xf32>) permutation = [2, 0, 1] loc("h.1.fc2"("bwd"))
    %134 = tensor.collapse_shape %133 [[0], [1, 2]] : tensor<48x4x8xf32> into tensor<48x32xf32> loc("h.1.fc2"("bwd"))
    %135 = tensor.collapse_shape %121 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.1.fc2"("bwd"))
    %136 = tensor.empty() : tensor<48x16xf32> loc("h.1.fc2"("bwd"))
    %137 = linalg.fill ins(%cst_0 : f32) outs(%136 : tensor<48x16xf32>) -> tensor<48x16xf32> loc("h.1.fc2"("bwd"))
    %138 = linalg.matmul ins(%134, %135 : tensor<48x32xf32>, tensor<32x16xf32>) outs(%137 : tensor<48x16xf32>) -> tensor<48x16xf32> loc("h.1.fc2"("bwd"))
    %139 = tensor.empty() : tensor<16x48xf32> loc("h.1.fc2"("bwd"))
    %140 = linalg.transpose ins(%138 : tensor<48x16xf32>) outs(%139 : tensor<16x48xf32>) permutation = [1, 0] loc("h.1.fc2"("bwd"))
    %141 = tensor.empty() : tensor<4x8x48xf32> loc("h.1"("bwd"))
    %142 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%131, %90 : tensor<4x8x48xf32>, tensor<4x8x48xf32>) outs(%141 : tensor<4x8x48xf32>) {
    ^bb0(%in142_0: f32, %in142_1: f32, %out142: f32):
      %a142 = arith.mulf %in142_1, %in142_1 : f32 loc("h.1"("bwd"))
      %b142 = arith.subf %cst_1, %a142 : f32 loc("h.1"("bwd"))
      %r142 = arith.mulf %in142_0, %b142 : f32 loc("h.1"("bwd"))
      linalg.yield %r142 : f32 loc("h.1"("bwd"))
    } -> tensor<4x8x48xf32> loc("h.1"("bwd"))
    %143 = tensor.empty() : tensor<48xf32> loc("h.1.fc1"("bwd"))
    %144 = linalg.fill ins(%cst_0 : f32) outs(%143 : tensor<48xf32>) -> tensor<48xf32> loc("h.1.fc1"("bwd"))
    %145 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%142 : tensor<4x8x48xf32>) outs(%144 : tensor<48xf32>) {
    ^bb0(%in145_0: f32, %out145: f32):
      %r145 = arith.addf %in145_0, %out145 : f32 loc("h.1.fc1"("bwd"))
      linalg.yield %r145 : f32 loc("h.1.fc1"("bwd"))
    } -> tensor<48xf32> loc("h.1.fc1"("bwd"))
    %146 = tensor.collapse_shape %142 [[0, 1], [2]] : tensor<4x8x48xf32> into tensor<32x48xf32> loc("h.1.fc1"("bwd"))
    %147 = tensor.empty() : tensor<32x16xf32> loc("h.1.fc1"("bwd"))
    %148 = linalg.fill ins(%cst_0 : f32) outs(%147 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.1.fc1"("bwd"))
    %149 = linalg.matmul ins(%146, %arg11 : tensor<32x48xf32>, tensor<48x16xf32>) outs(%148 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.1.fc1"("bwd"))
    %150 = tensor.expand_shape %149 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.1.fc1"("bwd"))
    %151 = tensor.empty() : tensor<16x4x8xf32> loc("h.1.fc1"("bwd"))
    %152 = linalg.transpose ins(%79 : tensor<4x8x16xf32>) outs(%151 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("h.1.fc1"("bwd"))
    %153 = tensor.collapse_shape %152 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("h.1.fc1"("bwd"))
    %154 = tensor.collapse_shape %142 [[0, 1], [2]] : tensor<4x8x48xf32> into tensor<32x48xf32> loc("h.1.fc1"("bwd"))
    %155 = tensor.empty() : tensor<16x48xf32> loc("h.1.fc1"("bwd"))
    %156 = linalg.fill ins(%cst_0 : f32) outs(%155 : tensor<16x48xf32>) -> tensor<16x48xf32> loc("h.1.fc1"("bwd"))
    %157 = linalg.matmul ins(%153, %154 : tensor<16x32xf32>, tensor<32x48xf32>) outs(%156 : tensor<16x48xf32>) -> tensor<16x48xf32> loc("h.1.fc1"("bwd"))
    %158 = tensor.empty() : tensor<48x16xf32> loc("h.1.fc1"("bwd"))
    %159 = linalg.transpose ins(%157 : tensor<16x48xf32>) outs(%158 : tensor<48x16xf32>) permutation = [1, 0] loc("h.1.fc1"("bwd"))
    %160 = tensor.empty() : tensor<16xf32> loc("h.1.ln"("bwd"))
    %161 = linalg.fill ins(%cst_0 : f32) outs(%160 : tensor<16xf32>) -> tensor<16xf32> loc("h.1.ln"("bwd"))
    %162 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%150 : tensor<4x8x16xf32>) outs(%161 : tensor<16xf32>) {
    ^bb0(%in162_0: f32, %out162: f32):
      %r162 = arith.addf %in162_0, %out162 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r162 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<16xf32> loc("h.1.ln"("bwd"))
    %163 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %164 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%150, %arg9 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%163 : tensor<4x8x16xf32>) {
    ^bb0(%in164_0: f32, %in164_1: f32, %out164: f32):
      %r164 = arith.mulf %in164_0, %in164_1 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r164 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %165 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %166 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%150, %75 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%165 : tensor<4x8x16xf32>) {
    ^bb0(%in166_0: f32, %in166_1: f32, %out166: f32):
      %r166 = arith.mulf %in166_0, %in166_1 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r166 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %167 = tensor.empty() : tensor<16xf32> loc("h.1.ln"("bwd"))
    %168 = linalg.fill ins(%cst_0 : f32) outs(%167 : tensor<16xf32>) -> tensor<16xf32> loc("h.1.ln"("bwd"))
    %169 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%166 : tensor<4x8x16xf32>) outs(%168 : tensor<16xf32>) {
    ^bb0(%in169_0: f32, %out169: f32):
      %r169 = arith.addf %in169_0, %out169 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r169 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<16xf32> loc("h.1.ln"("bwd"))
    %170 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %171 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%164, %73 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%170 : tensor<4x8x16xf32>) {
    ^bb0(%in171_0: f32, %in171_1: f32, %out171: f32):
      %r171 = arith.mulf %in171_0, %in171_1 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r171 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %172 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %173 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%164, %62 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%172 : tensor<4x8x16xf32>) {
    ^bb0(%in173_0: f32, %in173_1: f32, %out173: f32):
      %r173 = arith.mulf %in173_0, %in173_1 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r173 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %174 = tensor.empty() : tensor<4x8xf32> loc("h.1.ln"("bwd"))
    %175 = linalg.fill ins(%cst_0 : f32) outs(%174 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.1.ln"("bwd"))
    %176 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%173 : tensor<4x8x16xf32>) outs(%175 : tensor<4x8xf32>) {
    ^bb0(%in176_0: f32, %out176: f32):
      %r176 = arith.addf %in176_0, %out176 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r176 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.1.ln"("bwd"))
    %177 = tensor.empty() : tensor<4x8xf32> loc("h.1.ln"("bwd"))
    %178 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%176, %73 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%177 : tensor<4x8xf32>) {
    ^bb0(%in178_0: f32, %in178_1: f32, %out178: f32):
      %a178 = arith.mulf %in178_1, %in178_1 : f32 loc("h.1.ln"("bwd"))
      %b178 = arith.mulf %a178, %in178_1 : f32 loc("h.1.ln"("bwd"))
      %c178 = arith.mulf %b178, %cst_2 : f32 loc("h.1.ln"("bwd"))
      %r178 = arith.mulf %c178, %in178_0 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r178 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.1.ln"("bwd"))
    %179 = tensor.empty() : tensor<4x8xf32> loc("h.1.ln"("bwd"))
    %180 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%178 : tensor<4x8xf32>) outs(%179 : tensor<4x8xf32>) {
    ^bb0(%in180_0: f32, %out180: f32):
      %r180 = arith.mulf %in180_0, %cst_3 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r180 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.1.ln"("bwd"))
    %181 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %182 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%180 : tensor<4x8xf32>) outs(%181 : tensor<4x8x16xf32>) {
    ^bb0(%in182_0: f32, %out182: f32):
      %r182 = arith.addf %in182_0, %cst_0 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r182 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %183 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %184 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%182, %62 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%183 : tensor<4x8x16xf32>) {
    ^bb0(%in184_0: f32, %in184_1: f32, %out184: f32):
      %r184 = arith.mulf %in184_0, %in184_1 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r184 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %185 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %186 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%182, %62 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%185 : tensor<4x8x16xf32>) {
    ^bb0(%in186_0: f32, %in186_1: f32, %out186: f32):
      %r186 = arith.mulf %in186_0, %in186_1 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r186 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %187 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %188 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%171, %184 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%187 : tensor<4x8x16xf32>) {
    ^bb0(%in188_0: f32, %in188_1: f32, %out188: f32):
      %r188 = arith.addf %in188_0, %in188_1 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r188 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %189 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %190 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%188, %186 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%189 : tensor<4x8x16xf32>) {
    ^bb0(%in190_0: f32, %in190_1: f32, %out190: f32):
      %r190 = arith.addf %in190_0, %in190_1 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r190 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %191 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %192 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%190 : tensor<4x8x16xf32>) outs(%191 : tensor<4x8x16xf32>) {
    ^bb0(%in192_0: f32, %out192: f32):
      %r192 = arith.negf %in192_0 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r192 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %193 = tensor.empty() : tensor<4x8xf32> loc("h.1.ln"("bwd"))
    %194 = linalg.fill ins(%cst_0 : f32) outs(%193 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.1.ln"("bwd"))
    %195 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%192 : tensor<4x8x16xf32>) outs(%194 : tensor<4x8xf32>) {
    ^bb0(%in195_0: f32, %out195: f32):
      %r195 = arith.addf %in195_0, %out195 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r195 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.1.ln"("bwd"))
    %196 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %197 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%121, %190 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%196 : tensor<4x8x16xf32>) {
    ^bb0(%in197_0: f32, %in197_1: f32, %out197: f32):
      %r197 = arith.addf %in197_0, %in197_1 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r197 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %198 = tensor.empty() : tensor<4x8xf32> loc("h.1.ln"("bwd"))
    %199 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%195 : tensor<4x8xf32>) outs(%198 : tensor<4x8xf32>) {
    ^bb0(%in199_0: f32, %out199: f32):
      %r199 = arith.mulf %in199_0, %cst_3 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r199 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.1.ln"("bwd"))
    %200 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %201 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%199 : tensor<4x8xf32>) outs(%200 : tensor<4x8x16xf32>) {
    ^bb0(%in201_0: f32, %out201: f32):
      %r201 = arith.addf %in201_0, %cst_0 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r201 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %202 = tensor.empty() : tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %203 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%197, %201 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%202 : tensor<4x8x16xf32>) {
    ^bb0(%in203_0: f32, %in203_1: f32, %out203: f32):
      %r203 = arith.addf %in203_0, %in203_1 : f32 loc("h.1.ln"("bwd"))
      linalg.yield %r203 : f32 loc("h.1.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.1.ln"("bwd"))
    %204 = tensor.empty() : tensor<16xf32> loc("h.0.fc2"("bwd"))
    %205 = linalg.fill ins(%cst_0 : f32) outs(%204 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.fc2"("bwd"))
    %206 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%203 : tensor<4x8x16xf32>) outs(%205 : tensor<16xf32>) {
    ^bb0(%in206_0: f32, %out206: f32):
      %r206 = arith.addf %in206_0, %out206 : f32 loc("h.0.fc2"("bwd"))
      linalg.yield %r206 : f32 loc("h.0.fc2"("bwd"))
    } -> tensor<16xf32> loc("h.0.fc2"("bwd"))
    %207 = tensor.collapse_shape %203 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.fc2"("bwd"))
    %208 = tensor.empty() : tensor<32x48xf32> loc("h.0.fc2"("bwd"))
    %209 = linalg.fill ins(%cst_0 : f32) outs(%208 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.0.fc2"("bwd"))
    %210 = linalg.matmul ins(%207, %arg7 : tensor<32x16xf32>, tensor<16x48xf32>) outs(%209 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.0.fc2"("bwd"))
    %211 = tensor.expand_shape %210 [[0, 1], [2]] output_shape [4, 8, 48] : tensor<32x48xf32> into tensor<4x8x48xf32> loc("h.0.fc2"("bwd"))
    %212 = tensor.empty() : tensor<48x4x8xf32> loc("h.0.fc2"("bwd"))
    %213 = linalg.transpose ins(%44 : tensor<4x8x48xf32>) outs(%212 : tensor<48x4x8xf32>) permutation = [2, 0, 1] loc("h.0.fc2"("bwd"))
    %214 = tensor.collapse_shape %213 [[0], [1, 2]] : tensor<48x4x8xf32> into tensor<48x32xf32> loc("h.0.fc2"("bwd"))
    %215 = tensor.collapse_shape %203 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.fc2"("bwd"))
    %216 = tensor.empty() : tensor<48x16xf32> loc("h.0.fc2"("bwd"))
    %217 = linalg.fill ins(%cst_0 : f32) outs(%216 : tensor<48x16xf32>) -> tensor<48x16xf32> loc("h.0.fc2"("bwd"))
    %218 = linalg.matmul ins(%214, %215 : tensor<48x32xf32>, tensor<32x16xf32>) outs(%217 : tensor<48x16xf32>) -> tensor<48x16xf32> loc("h.0.fc2"("bwd"))
    %219 = tensor.empty() : tensor<16x48xf32> loc("h.0.fc2"("bwd"))
    %220 = linalg.transpose ins(%218 : tensor<48x16xf32>) outs(%219 : tensor<16x48xf32>) permutation = [1, 0] loc("h.0.fc2"("bwd"))
    %221 = tensor.empty() : tensor<4x8x48xf32> loc("h.0"("bwd"))
    %222 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%211, %44 : tensor<4x8x48xf32>, tensor<4x8x48xf32>) outs(%221 : tensor<4x8x48xf32>) {
    ^bb0(%in222_0: f32, %in222_1: f32, %out222: f32):
      %a222 = arith.mulf %in222_1, %in222_1 : f32 loc("h.0"("bwd"))
      %b222 = arith.subf %cst_1, %a222 : f32 loc("h.0"("bwd"))
      %r222 = arith.mulf %in222_0, %b222 : f32 loc("h.0"("bwd"))
      linalg.yield %r222 : f32 loc("h.0"("bwd"))
    } -> tensor<4x8x48xf32> loc("h.0"("bwd"))
    %223 = tensor.empty() : tensor<48xf32> loc("h.0.fc1"("bwd"))
    %224 = linalg.fill ins(%cst_0 : f32) outs(%223 : tensor<48xf32>) -> tensor<48xf32> loc("h.0.fc1"("bwd"))
    %225 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%222 : tensor<4x8x48xf32>) outs(%224 : tensor<48xf32>) {
    ^bb0(%in225_0: f32, %out225: f32):
      %r225 = arith.addf %in225_0, %out225 : f32 loc("h.0.fc1"("bwd"))
      linalg.yield %r225 : f32 loc("h.0.fc1"("bwd"))
    } -> tensor<48xf32> loc("h.0.fc1"("bwd"))
    %226 = tensor.collapse_shape %222 [[0, 1], [2]] : tensor<4x8x48xf32> into tensor<32x48xf32> loc("h.0.fc1"("bwd"))
    %227 = tensor.empty() : tensor<32x16xf32> loc("h.0.fc1"("bwd"))
    %228 = linalg.fill ins(%cst_0 : f32) outs(%227 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.fc1"("bwd"))
    %229 = linalg.matmul ins(%226, %arg5 : tensor<32x48xf32>, tensor<48x16xf32>) outs(%228 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.fc1"("bwd"))
    %230 = tensor.expand_shape %229 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.fc1"("bwd"))
    %231 = tensor.empty() : tensor<16x4x8xf32> loc("h.0.fc1"("bwd"))
    %232 = linalg.transpose ins(%33 : tensor<4x8x16xf32>) outs(%231 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("h.0.fc1"("bwd"))
    %233 = tensor.collapse_shape %232 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("h.0.fc1"("bwd"))
    %234 = tensor.collapse_shape %222 [[0, 1], [2]] : tensor<4x8x48xf32> into tensor<32x48xf32> loc("h.0.fc1"("bwd"))
    %235 = tensor.empty() : tensor<16x48xf32> loc("h.0.fc1"("bwd"))
    %236 = linalg.fill ins(%cst_0 : f32) outs(%235 : tensor<16x48xf32>) -> tensor<16x48xf32> loc("h.0.fc1"("bwd"))
    %237 = linalg.matmul ins(%233, %234 : tensor<16x32xf32>, tensor<32x48xf32>) outs(%236 : tensor<16x48xf32>) -> tensor<16x48xf32> loc("h.0.fc1"("bwd"))
    %238 = tensor.empty() : tensor<48x16xf32> loc("h.0.fc1"("bwd"))
    %239 = linalg.transpose ins(%237 : tensor<16x48xf32>) outs(%238 : tensor<48x16xf32>) permutation = [1, 0] loc("h.0.fc1"("bwd"))
    %240 = tensor.empty() : tensor<16xf32> loc("h.0.ln"("bwd"))
    %241 = linalg.fill ins(%cst_0 : f32) outs(%240 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.ln"("bwd"))
    %242 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%230 : tensor<4x8x16xf32>) outs(%241 : tensor<16xf32>) {
    ^bb0(%in242_0: f32, %out242: f32):
      %r242 = arith.addf %in242_0, %out242 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r242 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<16xf32> loc("h.0.ln"("bwd"))
    %243 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %244 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%230, %arg3 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%243 : tensor<4x8x16xf32>) {
    ^bb0(%in244_0: f32, %in244_1: f32, %out244: f32):
      %r244 = arith.mulf %in244_0, %in244_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r244 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %245 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %246 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%230, %29 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%245 : tensor<4x8x16xf32>) {
    ^bb0(%in246_0: f32, %in246_1: f32, %out246: f32):
      %r246 = arith.mulf %in246_0, %in246_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r246 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %247 = tensor.empty() : tensor<16xf32> loc("h.0.ln"("bwd"))
    %248 = linalg.fill ins(%cst_0 : f32) outs(%247 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.ln"("bwd"))
    %249 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%246 : tensor<4x8x16xf32>) outs(%248 : tensor<16xf32>) {
    ^bb0(%in249_0: f32, %out249: f32):
      %r249 = arith.addf %in249_0, %out249 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r249 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<16xf32> loc("h.0.ln"("bwd"))
    %250 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %251 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%244, %27 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%250 : tensor<4x8x16xf32>) {
    ^bb0(%in251_0: f32, %in251_1: f32, %out251: f32):
      %r251 = arith.mulf %in251_0, %in251_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r251 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %252 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %253 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%244, %16 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%252 : tensor<4x8x16xf32>) {
    ^bb0(%in253_0: f32, %in253_1: f32, %out253: f32):
      %r253 = arith.mulf %in253_0, %in253_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r253 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %254 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %255 = linalg.fill ins(%cst_0 : f32) outs(%254 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %256 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%253 : tensor<4x8x16xf32>) outs(%255 : tensor<4x8xf32>) {
    ^bb0(%in256_0: f32, %out256: f32):
      %r256 = arith.addf %in256_0, %out256 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r256 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %257 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %258 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%256, %27 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%257 : tensor<4x8xf32>) {
    ^bb0(%in258_0: f32, %in258_1: f32, %out258: f32):
      %a258 = arith.mulf %in258_1, %in258_1 : f32 loc("h.0.ln"("bwd"))
      %b258 = arith.mulf %a258, %in258_1 : f32 loc("h.0.ln"("bwd"))
      %c258 = arith.mulf %b258, %cst_2 : f32 loc("h.0.ln"("bwd"))
      %r258 = arith.mulf %c258, %in258_0 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r258 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %259 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %260 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%258 : tensor<4x8xf32>) outs(%259 : tensor<4x8xf32>) {
    ^bb0(%in260_0: f32, %out260: f32):
      %r260 = arith.mulf %in260_0, %cst_3 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r260 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %261 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %262 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%260 : tensor<4x8xf32>) outs(%261 : tensor<4x8x16xf32>) {
    ^bb0(%in262_0: f32, %out262: f32):
      %r262 = arith.addf %in262_0, %cst_0 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r262 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %263 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %264 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%262, %16 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%263 : tensor<4x8x16xf32>) {
    ^bb0(%in264_0: f32, %in264_1: f32, %out264: f32):
      %r264 = arith.mulf %in264_0, %in264_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r264 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %265 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %266 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%262, %16 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%265 : tensor<4x8x16xf32>) {
    ^bb0(%in266_0: f32, %in266_1: f32, %out266: f32):
      %r266 = arith.mulf %in266_0, %in266_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r266 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %267 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %268 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%251, %264 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%267 : tensor<4x8x16xf32>) {
    ^bb0(%in268_0: f32, %in268_1: f32, %out268: f32):
      %r268 = arith.addf %in268_0, %in268_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r268 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %269 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %270 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%268, %266 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%269 : tensor<4x8x16xf32>) {
    ^bb0(%in270_0: f32, %in270_1: f32, %out270: f32):
      %r270 = arith.addf %in270_0, %in270_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r270 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %271 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %272 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%270 : tensor<4x8x16xf32>) outs(%271 : tensor<4x8x16xf32>) {
    ^bb0(%in272_0: f32, %out272: f32):
      %r272 = arith.negf %in272_0 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r272 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %273 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %274 = linalg.fill ins(%cst_0 : f32) outs(%273 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %275 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%272 : tensor<4x8x16xf32>) outs(%274 : tensor<4x8xf32>) {
    ^bb0(%in275_0: f32, %out275: f32):
      %r275 = arith.addf %in275_0, %out275 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r275 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %276 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %277 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%203, %270 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%276 : tensor<4x8x16xf32>) {
    ^bb0(%in277_0: f32, %in277_1: f32, %out277: f32):
      %r277 = arith.addf %in277_0, %in277_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r277 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %278 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %279 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%275 : tensor<4x8xf32>) outs(%278 : tensor<4x8xf32>) {
    ^bb0(%in279_0: f32, %out279: f32):
      %r279 = arith.mulf %in279_0, %cst_3 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r279 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %280 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %281 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%279 : tensor<4x8xf32>) outs(%280 : tensor<4x8x16xf32>) {
    ^bb0(%in281_0: f32, %out281: f32):
      %r281 = arith.addf %in281_0, %cst_0 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r281 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %282 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %283 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%277, %281 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%282 : tensor<4x8x16xf32>) {
    ^bb0(%in283_0: f32, %in283_1: f32, %out283: f32):
      %r283 = arith.addf %in283_0, %in283_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r283 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %284 = tensor.empty() : tensor<16xf32> loc("first"("bwd"))
    %285 = linalg.fill ins(%cst_0 : f32) outs(%284 : tensor<16xf32>) -> tensor<16xf32> loc("first"("bwd"))
    %286 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%283 : tensor<4x8x16xf32>) outs(%285 : tensor<16xf32>) {
    ^bb0(%in286_0: f32, %out286: f32):
      %r286 = arith.addf %in286_0, %out286 : f32 loc("first"("bwd"))
      linalg.yield %r286 : f32 loc("first"("bwd"))
    } -> tensor<16xf32> loc("first"("bwd"))
    %287 = tensor.collapse_shape %283 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("first"("bwd"))
    %288 = tensor.empty() : tensor<32x16xf32> loc("first"("bwd"))
    %289 = linalg.fill ins(%cst_0 : f32) outs(%288 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("first"("bwd"))
    %290 = linalg.matmul ins(%287, %arg1 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%289 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("first"("bwd"))
    %291 = tensor.expand_shape %290 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("first"("bwd"))
    %292 = tensor.empty() : tensor<16x4x8xf32> loc("first"("bwd"))
    %293 = linalg.transpose ins(%arg0 : tensor<4x8x16xf32>) outs(%292 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("first"("bwd"))
    %294 = tensor.collapse_shape %293 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("first"("bwd"))
    %295 = tensor.collapse_shape %283 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("first"("bwd"))
    %296 = tensor.empty() : tensor<16x16xf32> loc("first"("bwd"))
    %297 = linalg.fill ins(%cst_0 : f32) outs(%296 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("first"("bwd"))
    %298 = linalg.matmul ins(%294, %295 : tensor<16x32xf32>, tensor<32x16xf32>) outs(%297 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("first"("bwd"))
    %299 = tensor.empty() : tensor<16x16xf32> loc("first"("bwd"))
    %300 = linalg.transpose ins(%298 : tensor<16x16xf32>) outs(%299 : tensor<16x16xf32>) permutation = [1, 0] loc("first"("bwd"))
    return %110, %300, %286, %249, %242, %239, %225, %220, %206, %169, %162, %159, %145, %140, %126 : tensor<f32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<48x16xf32>, tensor<48xf32>, tensor<16x48xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<48x16xf32>, tensor<48xf32>, tensor<16x48xf32>, tensor<16xf32>
  }
}
