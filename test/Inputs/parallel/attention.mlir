// SPDX-License-Identifier: Apache-2.0
// One attention half block behind a projection. Made by steps.py.
module {
  func.func @step(%arg0: tensor<4x8x16xf32> {fsdp.batch_dim = 0 : i64, fsdp.input = "x"},
      %arg1: tensor<16x16xf32> {fsdp.param = "first.weight"},
      %arg2: tensor<16xf32> {fsdp.param = "first.bias"},
      %arg3: tensor<16xf32> {fsdp.param = "h.0.ln.weight"},
      %arg4: tensor<16xf32> {fsdp.param = "h.0.ln.bias"},
      %arg5: tensor<16x16xf32> {fsdp.param = "h.0.q.weight"},
      %arg6: tensor<16x16xf32> {fsdp.param = "h.0.k.weight"},
      %arg7: tensor<16x16xf32> {fsdp.param = "h.0.v.weight"},
      %arg8: tensor<16x16xf32> {fsdp.param = "h.0.o.weight"},
      %arg9: tensor<16xf32> {fsdp.param = "h.0.o.bias"},
      %arg10: tensor<4x8x16xf32> {fsdp.batch_dim = 0 : i64, fsdp.input = "target"})
      -> (tensor<f32> {fsdp.loss},
          tensor<16x16xf32> {fsdp.grad = "first.weight"},
          tensor<16xf32> {fsdp.grad = "first.bias"},
          tensor<16xf32> {fsdp.grad = "h.0.ln.weight"},
          tensor<16xf32> {fsdp.grad = "h.0.ln.bias"},
          tensor<16x16xf32> {fsdp.grad = "h.0.q.weight"},
          tensor<16x16xf32> {fsdp.grad = "h.0.k.weight"},
          tensor<16x16xf32> {fsdp.grad = "h.0.v.weight"},
          tensor<16x16xf32> {fsdp.grad = "h.0.o.weight"},
          tensor<16xf32> {fsdp.grad = "h.0.o.bias"}) {
    %cst_0 = arith.constant 0.00000000e+00 : f32
    %cst_1 = arith.constant 1.00000000e+00 : f32
    %cst_2 = arith.constant -5.00000000e-01 : f32
    %cst_3 = arith.constant 6.25000000e-02 : f32
    %cst_4 = arith.constant 1.00000000e-05 : f32
    %cst_5 = arith.constant 5.00000000e-01 : f32
    %cst_6 = arith.constant -1.00000000e+30 : f32
    %cst_7 = arith.constant 1.95312500e-03 : f32
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
    %34 = tensor.collapse_shape %33 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.q"("fwd"))
    %35 = tensor.empty() : tensor<16x16xf32> loc("h.0.q"("fwd"))
    %36 = linalg.transpose ins(%arg5 : tensor<16x16xf32>) outs(%35 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.q"("fwd"))
    %37 = tensor.empty() : tensor<32x16xf32> loc("h.0.q"("fwd"))
    %38 = linalg.fill ins(%cst_0 : f32) outs(%37 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.q"("fwd"))
    %39 = linalg.matmul ins(%34, %36 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%38 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.q"("fwd"))
    %40 = tensor.expand_shape %39 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.q"("fwd"))
    %41 = tensor.collapse_shape %33 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.k"("fwd"))
    %42 = tensor.empty() : tensor<16x16xf32> loc("h.0.k"("fwd"))
    %43 = linalg.transpose ins(%arg6 : tensor<16x16xf32>) outs(%42 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.k"("fwd"))
    %44 = tensor.empty() : tensor<32x16xf32> loc("h.0.k"("fwd"))
    %45 = linalg.fill ins(%cst_0 : f32) outs(%44 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.k"("fwd"))
    %46 = linalg.matmul ins(%41, %43 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%45 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.k"("fwd"))
    %47 = tensor.expand_shape %46 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.k"("fwd"))
    %48 = tensor.collapse_shape %33 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.v"("fwd"))
    %49 = tensor.empty() : tensor<16x16xf32> loc("h.0.v"("fwd"))
    %50 = linalg.transpose ins(%arg7 : tensor<16x16xf32>) outs(%49 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.v"("fwd"))
    %51 = tensor.empty() : tensor<32x16xf32> loc("h.0.v"("fwd"))
    %52 = linalg.fill ins(%cst_0 : f32) outs(%51 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.v"("fwd"))
    %53 = linalg.matmul ins(%48, %50 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%52 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.v"("fwd"))
    %54 = tensor.expand_shape %53 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.v"("fwd"))
    %55 = tensor.expand_shape %40 [[0], [1], [2, 3]] output_shape [4, 8, 4, 4] : tensor<4x8x16xf32> into tensor<4x8x4x4xf32> loc("h.0"("fwd"))
    %56 = tensor.empty() : tensor<4x4x8x4xf32> loc("h.0"("fwd"))
    %57 = linalg.transpose ins(%55 : tensor<4x8x4x4xf32>) outs(%56 : tensor<4x4x8x4xf32>) permutation = [0, 2, 1, 3] loc("h.0"("fwd"))
    %58 = tensor.expand_shape %47 [[0], [1], [2, 3]] output_shape [4, 8, 4, 4] : tensor<4x8x16xf32> into tensor<4x8x4x4xf32> loc("h.0"("fwd"))
    %59 = tensor.empty() : tensor<4x4x8x4xf32> loc("h.0"("fwd"))
    %60 = linalg.transpose ins(%58 : tensor<4x8x4x4xf32>) outs(%59 : tensor<4x4x8x4xf32>) permutation = [0, 2, 1, 3] loc("h.0"("fwd"))
    %61 = tensor.expand_shape %54 [[0], [1], [2, 3]] output_shape [4, 8, 4, 4] : tensor<4x8x16xf32> into tensor<4x8x4x4xf32> loc("h.0"("fwd"))
    %62 = tensor.empty() : tensor<4x4x8x4xf32> loc("h.0"("fwd"))
    %63 = linalg.transpose ins(%61 : tensor<4x8x4x4xf32>) outs(%62 : tensor<4x4x8x4xf32>) permutation = [0, 2, 1, 3] loc("h.0"("fwd"))
    %64 = tensor.collapse_shape %57 [[0, 1], [2], [3]] : tensor<4x4x8x4xf32> into tensor<16x8x4xf32> loc("h.0"("fwd"))
    %65 = tensor.empty() : tensor<4x4x4x8xf32> loc("h.0"("fwd"))
    %66 = linalg.transpose ins(%60 : tensor<4x4x8x4xf32>) outs(%65 : tensor<4x4x4x8xf32>) permutation = [0, 1, 3, 2] loc("h.0"("fwd"))
    %67 = tensor.collapse_shape %66 [[0, 1], [2], [3]] : tensor<4x4x4x8xf32> into tensor<16x4x8xf32> loc("h.0"("fwd"))
    %68 = tensor.empty() : tensor<16x8x8xf32> loc("h.0"("fwd"))
    %69 = linalg.fill ins(%cst_0 : f32) outs(%68 : tensor<16x8x8xf32>) -> tensor<16x8x8xf32> loc("h.0"("fwd"))
    %70 = linalg.batch_matmul ins(%64, %67 : tensor<16x8x4xf32>, tensor<16x4x8xf32>) outs(%69 : tensor<16x8x8xf32>) -> tensor<16x8x8xf32> loc("h.0"("fwd"))
    %71 = tensor.expand_shape %70 [[0, 1], [2], [3]] output_shape [4, 4, 8, 8] : tensor<16x8x8xf32> into tensor<4x4x8x8xf32> loc("h.0"("fwd"))
    %72 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0"("fwd"))
    %73 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%71 : tensor<4x4x8x8xf32>) outs(%72 : tensor<4x4x8x8xf32>) {
    ^bb0(%in73_0: f32, %out73: f32):
      %r73 = arith.mulf %in73_0, %cst_5 : f32 loc("h.0"("fwd"))
      linalg.yield %r73 : f32 loc("h.0"("fwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0"("fwd"))
    %74 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0"("fwd"))
    %75 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%73 : tensor<4x4x8x8xf32>) outs(%74 : tensor<4x4x8x8xf32>) {
    ^bb0(%in75_0: f32, %out75: f32):
      %t75 = linalg.index 2 : index loc("h.0"("fwd"))
      %s75 = linalg.index 3 : index loc("h.0"("fwd"))
      %a75 = arith.cmpi ule, %s75, %t75 : index loc("h.0"("fwd"))
      %r75 = arith.select %a75, %in75_0, %cst_6 : f32 loc("h.0"("fwd"))
      linalg.yield %r75 : f32 loc("h.0"("fwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0"("fwd"))
    %76 = tensor.empty() : tensor<4x4x8xf32> loc("h.0"("fwd"))
    %77 = linalg.fill ins(%cst_6 : f32) outs(%76 : tensor<4x4x8xf32>) -> tensor<4x4x8xf32> loc("h.0"("fwd"))
    %78 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%75 : tensor<4x4x8x8xf32>) outs(%77 : tensor<4x4x8xf32>) {
    ^bb0(%in78_0: f32, %out78: f32):
      %r78 = arith.maximumf %in78_0, %out78 : f32 loc("h.0"("fwd"))
      linalg.yield %r78 : f32 loc("h.0"("fwd"))
    } -> tensor<4x4x8xf32> loc("h.0"("fwd"))
    %79 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0"("fwd"))
    %80 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%75, %78 : tensor<4x4x8x8xf32>, tensor<4x4x8xf32>) outs(%79 : tensor<4x4x8x8xf32>) {
    ^bb0(%in80_0: f32, %in80_1: f32, %out80: f32):
      %r80 = arith.subf %in80_0, %in80_1 : f32 loc("h.0"("fwd"))
      linalg.yield %r80 : f32 loc("h.0"("fwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0"("fwd"))
    %81 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0"("fwd"))
    %82 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%80 : tensor<4x4x8x8xf32>) outs(%81 : tensor<4x4x8x8xf32>) {
    ^bb0(%in82_0: f32, %out82: f32):
      %r82 = math.exp %in82_0 : f32 loc("h.0"("fwd"))
      linalg.yield %r82 : f32 loc("h.0"("fwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0"("fwd"))
    %83 = tensor.empty() : tensor<4x4x8xf32> loc("h.0"("fwd"))
    %84 = linalg.fill ins(%cst_0 : f32) outs(%83 : tensor<4x4x8xf32>) -> tensor<4x4x8xf32> loc("h.0"("fwd"))
    %85 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%82 : tensor<4x4x8x8xf32>) outs(%84 : tensor<4x4x8xf32>) {
    ^bb0(%in85_0: f32, %out85: f32):
      %r85 = arith.addf %in85_0, %out85 : f32 loc("h.0"("fwd"))
      linalg.yield %r85 : f32 loc("h.0"("fwd"))
    } -> tensor<4x4x8xf32> loc("h.0"("fwd"))
    %86 = tensor.empty() : tensor<4x4x8xf32> loc("h.0"("fwd"))
    %87 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%85 : tensor<4x4x8xf32>) outs(%86 : tensor<4x4x8xf32>) {
    ^bb0(%in87_0: f32, %out87: f32):
      %r87 = math.log %in87_0 : f32 loc("h.0"("fwd"))
      linalg.yield %r87 : f32 loc("h.0"("fwd"))
    } -> tensor<4x4x8xf32> loc("h.0"("fwd"))
    %88 = tensor.empty() : tensor<4x4x8xf32> loc("h.0"("fwd"))
    %89 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%87 : tensor<4x4x8xf32>) outs(%88 : tensor<4x4x8xf32>) {
    ^bb0(%in89_0: f32, %out89: f32):
      %r89 = arith.negf %in89_0 : f32 loc("h.0"("fwd"))
      linalg.yield %r89 : f32 loc("h.0"("fwd"))
    } -> tensor<4x4x8xf32> loc("h.0"("fwd"))
    %90 = tensor.empty() : tensor<4x4x8xf32> loc("h.0"("fwd"))
    %91 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%89 : tensor<4x4x8xf32>) outs(%90 : tensor<4x4x8xf32>) {
    ^bb0(%in91_0: f32, %out91: f32):
      %r91 = math.exp %in91_0 : f32 loc("h.0"("fwd"))
      linalg.yield %r91 : f32 loc("h.0"("fwd"))
    } -> tensor<4x4x8xf32> loc("h.0"("fwd"))
    %92 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0"("fwd"))
    %93 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%82, %91 : tensor<4x4x8x8xf32>, tensor<4x4x8xf32>) outs(%92 : tensor<4x4x8x8xf32>) {
    ^bb0(%in93_0: f32, %in93_1: f32, %out93: f32):
      %r93 = arith.mulf %in93_0, %in93_1 : f32 loc("h.0"("fwd"))
      linalg.yield %r93 : f32 loc("h.0"("fwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0"("fwd"))
    %94 = tensor.collapse_shape %93 [[0, 1], [2], [3]] : tensor<4x4x8x8xf32> into tensor<16x8x8xf32> loc("h.0"("fwd"))
    %95 = tensor.collapse_shape %63 [[0, 1], [2], [3]] : tensor<4x4x8x4xf32> into tensor<16x8x4xf32> loc("h.0"("fwd"))
    %96 = tensor.empty() : tensor<16x8x4xf32> loc("h.0"("fwd"))
    %97 = linalg.fill ins(%cst_0 : f32) outs(%96 : tensor<16x8x4xf32>) -> tensor<16x8x4xf32> loc("h.0"("fwd"))
    %98 = linalg.batch_matmul ins(%94, %95 : tensor<16x8x8xf32>, tensor<16x8x4xf32>) outs(%97 : tensor<16x8x4xf32>) -> tensor<16x8x4xf32> loc("h.0"("fwd"))
    %99 = tensor.expand_shape %98 [[0, 1], [2], [3]] output_shape [4, 4, 8, 4] : tensor<16x8x4xf32> into tensor<4x4x8x4xf32> loc("h.0"("fwd"))
    %100 = tensor.empty() : tensor<4x8x4x4xf32> loc("h.0"("fwd"))
    %101 = linalg.transpose ins(%99 : tensor<4x4x8x4xf32>) outs(%100 : tensor<4x8x4x4xf32>) permutation = [0, 2, 1, 3] loc("h.0"("fwd"))
    %102 = tensor.collapse_shape %101 [[0], [1], [2, 3]] : tensor<4x8x4x4xf32> into tensor<4x8x16xf32> loc("h.0"("fwd"))
    %103 = tensor.collapse_shape %102 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.o"("fwd"))
    %104 = tensor.empty() : tensor<16x16xf32> loc("h.0.o"("fwd"))
    %105 = linalg.transpose ins(%arg8 : tensor<16x16xf32>) outs(%104 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.o"("fwd"))
    %106 = tensor.empty() : tensor<32x16xf32> loc("h.0.o"("fwd"))
    %107 = linalg.fill ins(%cst_0 : f32) outs(%106 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.o"("fwd"))
    %108 = linalg.matmul ins(%103, %105 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%107 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.o"("fwd"))
    %109 = tensor.expand_shape %108 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.o"("fwd"))
    %110 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.o"("fwd"))
    %111 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%109, %arg9 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%110 : tensor<4x8x16xf32>) {
    ^bb0(%in111_0: f32, %in111_1: f32, %out111: f32):
      %r111 = arith.addf %in111_0, %in111_1 : f32 loc("h.0.o"("fwd"))
      linalg.yield %r111 : f32 loc("h.0.o"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.o"("fwd"))
    %112 = tensor.empty() : tensor<4x8x16xf32> loc("h.0"("fwd"))
    %113 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %111 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%112 : tensor<4x8x16xf32>) {
    ^bb0(%in113_0: f32, %in113_1: f32, %out113: f32):
      %r113 = arith.addf %in113_0, %in113_1 : f32 loc("h.0"("fwd"))
      linalg.yield %r113 : f32 loc("h.0"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0"("fwd"))
    %114 = tensor.empty() : tensor<4x8x16xf32> loc("<root>"("fwd"))
    %115 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%113, %arg10 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%114 : tensor<4x8x16xf32>) {
    ^bb0(%in115_0: f32, %in115_1: f32, %out115: f32):
      %r115 = arith.subf %in115_0, %in115_1 : f32 loc("<root>"("fwd"))
      linalg.yield %r115 : f32 loc("<root>"("fwd"))
    } -> tensor<4x8x16xf32> loc("<root>"("fwd"))
    %116 = tensor.empty() : tensor<4x8x16xf32> loc("<root>"("fwd"))
    %117 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%115, %115 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%116 : tensor<4x8x16xf32>) {
    ^bb0(%in117_0: f32, %in117_1: f32, %out117: f32):
      %r117 = arith.mulf %in117_0, %in117_1 : f32 loc("<root>"("fwd"))
      linalg.yield %r117 : f32 loc("<root>"("fwd"))
    } -> tensor<4x8x16xf32> loc("<root>"("fwd"))
    %118 = tensor.empty() : tensor<f32> loc("<root>"("fwd"))
    %119 = linalg.fill ins(%cst_0 : f32) outs(%118 : tensor<f32>) -> tensor<f32> loc("<root>"("fwd"))
    %120 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> ()>], iterator_types = ["reduction", "reduction", "reduction"]} ins(%117 : tensor<4x8x16xf32>) outs(%119 : tensor<f32>) {
    ^bb0(%in120_0: f32, %out120: f32):
      %r120 = arith.addf %in120_0, %out120 : f32 loc("<root>"("fwd"))
      linalg.yield %r120 : f32 loc("<root>"("fwd"))
    } -> tensor<f32> loc("<root>"("fwd"))
    %121 = tensor.empty() : tensor<f32> loc("<root>"("fwd"))
    %122 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%120 : tensor<f32>) outs(%121 : tensor<f32>) {
    ^bb0(%in122_0: f32, %out122: f32):
      %r122 = arith.mulf %in122_0, %cst_7 : f32 loc("<root>"("fwd"))
      linalg.yield %r122 : f32 loc("<root>"("fwd"))
    } -> tensor<f32> loc("<root>"("fwd"))
    %123 = arith.constant dense<1.0> : tensor<f32> loc("<root>"("bwd"))
    %124 = tensor.empty() : tensor<f32> loc("<root>"("bwd"))
    %125 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%123 : tensor<f32>) outs(%124 : tensor<f32>) {
    ^bb0(%in125_0: f32, %out125: f32):
      %r125 = arith.mulf %in125_0, %cst_7 : f32 loc("<root>"("bwd"))
      linalg.yield %r125 : f32 loc("<root>"("bwd"))
    } -> tensor<f32> loc("<root>"("bwd"))
    %126 = tensor.empty() : tensor<4x8x16xf32> loc("<root>"("bwd"))
    %127 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%125 : tensor<f32>) outs(%126 : tensor<4x8x16xf32>) {
    ^bb0(%in127_0: f32, %out127: f32):
      %r127 = arith.addf %in127_0, %cst_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r127 : f32 loc("<root>"("bwd"))
    } -> tensor<4x8x16xf32> loc("<root>"("bwd"))
    %128 = tensor.empty() : tensor<4x8x16xf32> loc("<root>"("bwd"))
    %129 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%127, %115 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%128 : tensor<4x8x16xf32>) {
    ^bb0(%in129_0: f32, %in129_1: f32, %out129: f32):
      %r129 = arith.mulf %in129_0, %in129_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r129 : f32 loc("<root>"("bwd"))
    } -> tensor<4x8x16xf32> loc("<root>"("bwd"))
    %130 = tensor.empty() : tensor<4x8x16xf32> loc("<root>"("bwd"))
    %131 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%127, %115 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%130 : tensor<4x8x16xf32>) {
    ^bb0(%in131_0: f32, %in131_1: f32, %out131: f32):
      %r131 = arith.mulf %in131_0, %in131_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r131 : f32 loc("<root>"("bwd"))
    } -> tensor<4x8x16xf32> loc("<root>"("bwd"))
    %132 = tensor.empty() : tensor<4x8x16xf32> loc("<root>"("bwd"))
    %133 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%129, %131 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%132 : tensor<4x8x16xf32>) {
    ^bb0(%in133_0: f32, %in133_1: f32, %out133: f32):
      %r133 = arith.addf %in133_0, %in133_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r133 : f32 loc("<root>"("bwd"))
    } -> tensor<4x8x16xf32> loc("<root>"("bwd"))
    %134 = tensor.empty() : tensor<4x8x16xf32> loc("<root>"("bwd"))
    %135 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%133 : tensor<4x8x16xf32>) outs(%134 : tensor<4x8x16xf32>) {
    ^bb0(%in135_0: f32, %out135: f32):
      %r135 = arith.negf %in135_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r135 : f32 loc("<root>"("bwd"))
    } -> tensor<4x8x16xf32> loc("<root>"("bwd"))
    %136 = tensor.empty() : tensor<16xf32> loc("h.0.o"("bwd"))
    %137 = linalg.fill ins(%cst_0 : f32) outs(%136 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.o"("bwd"))
    %138 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%133 : tensor<4x8x16xf32>) outs(%137 : tensor<16xf32>) {
    ^bb0(%in138_0: f32, %out138: f32):
      %r138 = arith.addf %in138_0, %out138 : f32 loc("h.0.o"("bwd"))
      linalg.yield %r138 : f32 loc("h.0.o"("bwd"))
    } -> tensor<16xf32> loc("h.0.o"("bwd"))
    %139 = tensor.collapse_shape %133 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.o"("bwd"))
    %140 = tensor.empty() : tensor<32x16xf32> loc("h.0.o"("bwd"))
    %141 = linalg.fill ins(%cst_0 : f32) outs(%140 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.o"("bwd"))
    %142 = linalg.matmul ins(%139, %arg8 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%141 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.o"("bwd"))
    %143 = tensor.expand_shape %142 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.o"("bwd"))
    %144 = tensor.empty() : tensor<16x4x8xf32> loc("h.0.o"("bwd"))
    %145 = linalg.transpose ins(%102 : tensor<4x8x16xf32>) outs(%144 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("h.0.o"("bwd"))
    %146 = tensor.collapse_shape %145 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("h.0.o"("bwd"))
    %147 = tensor.collapse_shape %133 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.o"("bwd"))
    %148 = tensor.empty() : tensor<16x16xf32> loc("h.0.o"("bwd"))
    %149 = linalg.fill ins(%cst_0 : f32) outs(%148 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.o"("bwd"))
    %150 = linalg.matmul ins(%146, %147 : tensor<16x32xf32>, tensor<32x16xf32>) outs(%149 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.o"("bwd"))
    %151 = tensor.empty() : tensor<16x16xf32> loc("h.0.o"("bwd"))
    %152 = linalg.transpose ins(%150 : tensor<16x16xf32>) outs(%151 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.o"("bwd"))
    %153 = tensor.expand_shape %143 [[0], [1], [2, 3]] output_shape [4, 8, 4, 4] : tensor<4x8x16xf32> into tensor<4x8x4x4xf32> loc("h.0"("bwd"))
    %154 = tensor.empty() : tensor<4x4x8x4xf32> loc("h.0"("bwd"))
    %155 = linalg.transpose ins(%153 : tensor<4x8x4x4xf32>) outs(%154 : tensor<4x4x8x4xf32>) permutation = [0, 2, 1, 3] loc("h.0"("bwd"))
    %156 = tensor.collapse_shape %155 [[0, 1], [2], [3]] : tensor<4x4x8x4xf32> into tensor<16x8x4xf32> loc("h.0"("bwd"))
    %157 = tensor.empty() : tensor<4x4x4x8xf32> loc("h.0"("bwd"))
    %158 = linalg.transpose ins(%63 : tensor<4x4x8x4xf32>) outs(%157 : tensor<4x4x4x8xf32>) permutation = [0, 1, 3, 2] loc("h.0"("bwd"))
    %159 = tensor.collapse_shape %158 [[0, 1], [2], [3]] : tensor<4x4x4x8xf32> into tensor<16x4x8xf32> loc("h.0"("bwd"))
    %160 = tensor.empty() : tensor<16x8x8xf32> loc("h.0"("bwd"))
    %161 = linalg.fill ins(%cst_0 : f32) outs(%160 : tensor<16x8x8xf32>) -> tensor<16x8x8xf32> loc("h.0"("bwd"))
    %162 = linalg.batch_matmul ins(%156, %159 : tensor<16x8x4xf32>, tensor<16x4x8xf32>) outs(%161 : tensor<16x8x8xf32>) -> tensor<16x8x8xf32> loc("h.0"("bwd"))
    %163 = tensor.expand_shape %162 [[0, 1], [2], [3]] output_shape [4, 4, 8, 8] : tensor<16x8x8xf32> into tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %164 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %165 = linalg.transpose ins(%93 : tensor<4x4x8x8xf32>) outs(%164 : tensor<4x4x8x8xf32>) permutation = [0, 1, 3, 2] loc("h.0"("bwd"))
    %166 = tensor.collapse_shape %165 [[0, 1], [2], [3]] : tensor<4x4x8x8xf32> into tensor<16x8x8xf32> loc("h.0"("bwd"))
    %167 = tensor.collapse_shape %155 [[0, 1], [2], [3]] : tensor<4x4x8x4xf32> into tensor<16x8x4xf32> loc("h.0"("bwd"))
    %168 = tensor.empty() : tensor<16x8x4xf32> loc("h.0"("bwd"))
    %169 = linalg.fill ins(%cst_0 : f32) outs(%168 : tensor<16x8x4xf32>) -> tensor<16x8x4xf32> loc("h.0"("bwd"))
    %170 = linalg.batch_matmul ins(%166, %167 : tensor<16x8x8xf32>, tensor<16x8x4xf32>) outs(%169 : tensor<16x8x4xf32>) -> tensor<16x8x4xf32> loc("h.0"("bwd"))
    %171 = tensor.expand_shape %170 [[0, 1], [2], [3]] output_shape [4, 4, 8, 4] : tensor<16x8x4xf32> into tensor<4x4x8x4xf32> loc("h.0"("bwd"))
    %172 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %173 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%163, %91 : tensor<4x4x8x8xf32>, tensor<4x4x8xf32>) outs(%172 : tensor<4x4x8x8xf32>) {
    ^bb0(%in173_0: f32, %in173_1: f32, %out173: f32):
      %r173 = arith.mulf %in173_0, %in173_1 : f32 loc("h.0"("bwd"))
      linalg.yield %r173 : f32 loc("h.0"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %174 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %175 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%163, %82 : tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) outs(%174 : tensor<4x4x8x8xf32>) {
    ^bb0(%in175_0: f32, %in175_1: f32, %out175: f32):
      %r175 = arith.mulf %in175_0, %in175_1 : f32 loc("h.0"("bwd"))
      linalg.yield %r175 : f32 loc("h.0"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %176 = tensor.empty() : tensor<4x4x8xf32> loc("h.0"("bwd"))
    %177 = linalg.fill ins(%cst_0 : f32) outs(%176 : tensor<4x4x8xf32>) -> tensor<4x4x8xf32> loc("h.0"("bwd"))
    %178 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%175 : tensor<4x4x8x8xf32>) outs(%177 : tensor<4x4x8xf32>) {
    ^bb0(%in178_0: f32, %out178: f32):
      %r178 = arith.addf %in178_0, %out178 : f32 loc("h.0"("bwd"))
      linalg.yield %r178 : f32 loc("h.0"("bwd"))
    } -> tensor<4x4x8xf32> loc("h.0"("bwd"))
    %179 = tensor.empty() : tensor<4x4x8xf32> loc("h.0"("bwd"))
    %180 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%178, %91 : tensor<4x4x8xf32>, tensor<4x4x8xf32>) outs(%179 : tensor<4x4x8xf32>) {
    ^bb0(%in180_0: f32, %in180_1: f32, %out180: f32):
      %r180 = arith.mulf %in180_0, %in180_1 : f32 loc("h.0"("bwd"))
      linalg.yield %r180 : f32 loc("h.0"("bwd"))
    } -> tensor<4x4x8xf32> loc("h.0"("bwd"))
    %181 = tensor.empty() : tensor<4x4x8xf32> loc("h.0"("bwd"))
    %182 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%180 : tensor<4x4x8xf32>) outs(%181 : tensor<4x4x8xf32>) {
    ^bb0(%in182_0: f32, %out182: f32):
      %r182 = arith.negf %in182_0 : f32 loc("h.0"("bwd"))
      linalg.yield %r182 : f32 loc("h.0"("bwd"))
    } -> tensor<4x4x8xf32> loc("h.0"("bwd"))
    %183 = tensor.empty() : tensor<4x4x8xf32> loc("h.0"("bwd"))
    %184 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%182, %85 : tensor<4x4x8xf32>, tensor<4x4x8xf32>) outs(%183 : tensor<4x4x8xf32>) {
    ^bb0(%in184_0: f32, %in184_1: f32, %out184: f32):
      %r184 = arith.divf %in184_0, %in184_1 : f32 loc("h.0"("bwd"))
      linalg.yield %r184 : f32 loc("h.0"("bwd"))
    } -> tensor<4x4x8xf32> loc("h.0"("bwd"))
    %185 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %186 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%184 : tensor<4x4x8xf32>) outs(%185 : tensor<4x4x8x8xf32>) {
    ^bb0(%in186_0: f32, %out186: f32):
      %r186 = arith.addf %in186_0, %cst_0 : f32 loc("h.0"("bwd"))
      linalg.yield %r186 : f32 loc("h.0"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %187 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %188 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%173, %186 : tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) outs(%187 : tensor<4x4x8x8xf32>) {
    ^bb0(%in188_0: f32, %in188_1: f32, %out188: f32):
      %r188 = arith.addf %in188_0, %in188_1 : f32 loc("h.0"("bwd"))
      linalg.yield %r188 : f32 loc("h.0"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %189 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %190 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%188, %82 : tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) outs(%189 : tensor<4x4x8x8xf32>) {
    ^bb0(%in190_0: f32, %in190_1: f32, %out190: f32):
      %r190 = arith.mulf %in190_0, %in190_1 : f32 loc("h.0"("bwd"))
      linalg.yield %r190 : f32 loc("h.0"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %191 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %192 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%190 : tensor<4x4x8x8xf32>) outs(%191 : tensor<4x4x8x8xf32>) {
    ^bb0(%in192_0: f32, %out192: f32):
      %r192 = arith.negf %in192_0 : f32 loc("h.0"("bwd"))
      linalg.yield %r192 : f32 loc("h.0"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %193 = tensor.empty() : tensor<4x4x8xf32> loc("h.0"("bwd"))
    %194 = linalg.fill ins(%cst_0 : f32) outs(%193 : tensor<4x4x8xf32>) -> tensor<4x4x8xf32> loc("h.0"("bwd"))
    %195 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%192 : tensor<4x4x8x8xf32>) outs(%194 : tensor<4x4x8xf32>) {
    ^bb0(%in195_0: f32, %out195: f32):
      %r195 = arith.addf %in195_0, %out195 : f32 loc("h.0"("bwd"))
      linalg.yield %r195 : f32 loc("h.0"("bwd"))
    } -> tensor<4x4x8xf32> loc("h.0"("bwd"))
    %196 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %197 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%190 : tensor<4x4x8x8xf32>) outs(%196 : tensor<4x4x8x8xf32>) {
    ^bb0(%in197_0: f32, %out197: f32):
      %t197 = linalg.index 2 : index loc("h.0"("bwd"))
      %s197 = linalg.index 3 : index loc("h.0"("bwd"))
      %a197 = arith.cmpi ule, %s197, %t197 : index loc("h.0"("bwd"))
      %r197 = arith.select %a197, %in197_0, %cst_0 : f32 loc("h.0"("bwd"))
      linalg.yield %r197 : f32 loc("h.0"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %198 = tensor.empty() : tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %199 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%197 : tensor<4x4x8x8xf32>) outs(%198 : tensor<4x4x8x8xf32>) {
    ^bb0(%in199_0: f32, %out199: f32):
      %r199 = arith.mulf %in199_0, %cst_5 : f32 loc("h.0"("bwd"))
      linalg.yield %r199 : f32 loc("h.0"("bwd"))
    } -> tensor<4x4x8x8xf32> loc("h.0"("bwd"))
    %200 = tensor.collapse_shape %199 [[0, 1], [2], [3]] : tensor<4x4x8x8xf32> into tensor<16x8x8xf32> loc("h.0"("bwd"))
    %201 = tensor.collapse_shape %60 [[0, 1], [2], [3]] : tensor<4x4x8x4xf32> into tensor<16x8x4xf32> loc("h.0"("bwd"))
    %202 = tensor.empty() : tensor<16x8x4xf32> loc("h.0"("bwd"))
    %203 = linalg.fill ins(%cst_0 : f32) outs(%202 : tensor<16x8x4xf32>) -> tensor<16x8x4xf32> loc("h.0"("bwd"))
    %204 = linalg.batch_matmul ins(%200, %201 : tensor<16x8x8xf32>, tensor<16x8x4xf32>) outs(%203 : tensor<16x8x4xf32>) -> tensor<16x8x4xf32> loc("h.0"("bwd"))
    %205 = tensor.expand_shape %204 [[0, 1], [2], [3]] output_shape [4, 4, 8, 4] : tensor<16x8x4xf32> into tensor<4x4x8x4xf32> loc("h.0"("bwd"))
    %206 = tensor.empty() : tensor<4x4x4x8xf32> loc("h.0"("bwd"))
    %207 = linalg.transpose ins(%57 : tensor<4x4x8x4xf32>) outs(%206 : tensor<4x4x4x8xf32>) permutation = [0, 1, 3, 2] loc("h.0"("bwd"))
    %208 = tensor.collapse_shape %207 [[0, 1], [2], [3]] : tensor<4x4x4x8xf32> into tensor<16x4x8xf32> loc("h.0"("bwd"))
    %209 = tensor.collapse_shape %199 [[0, 1], [2], [3]] : tensor<4x4x8x8xf32> into tensor<16x8x8xf32> loc("h.0"("bwd"))
    %210 = tensor.empty() : tensor<16x4x8xf32> loc("h.0"("bwd"))
    %211 = linalg.fill ins(%cst_0 : f32) outs(%210 : tensor<16x4x8xf32>) -> tensor<16x4x8xf32> loc("h.0"("bwd"))
    %212 = linalg.batch_matmul ins(%208, %209 : tensor<16x4x8xf32>, tensor<16x8x8xf32>) outs(%211 : tensor<16x4x8xf32>) -> tensor<16x4x8xf32> loc("h.0"("bwd"))
    %213 = tensor.expand_shape %212 [[0, 1], [2], [3]] output_shape [4, 4, 4, 8] : tensor<16x4x8xf32> into tensor<4x4x4x8xf32> loc("h.0"("bwd"))
    %214 = tensor.empty() : tensor<4x4x8x4xf32> loc("h.0"("bwd"))
    %215 = linalg.transpose ins(%213 : tensor<4x4x4x8xf32>) outs(%214 : tensor<4x4x8x4xf32>) permutation = [0, 1, 3, 2] loc("h.0"("bwd"))
    %216 = tensor.empty() : tensor<4x8x4x4xf32> loc("h.0"("bwd"))
    %217 = linalg.transpose ins(%171 : tensor<4x4x8x4xf32>) outs(%216 : tensor<4x8x4x4xf32>) permutation = [0, 2, 1, 3] loc("h.0"("bwd"))
    %218 = tensor.collapse_shape %217 [[0], [1], [2, 3]] : tensor<4x8x4x4xf32> into tensor<4x8x16xf32> loc("h.0"("bwd"))
    %219 = tensor.empty() : tensor<4x8x4x4xf32> loc("h.0"("bwd"))
    %220 = linalg.transpose ins(%215 : tensor<4x4x8x4xf32>) outs(%219 : tensor<4x8x4x4xf32>) permutation = [0, 2, 1, 3] loc("h.0"("bwd"))
    %221 = tensor.collapse_shape %220 [[0], [1], [2, 3]] : tensor<4x8x4x4xf32> into tensor<4x8x16xf32> loc("h.0"("bwd"))
    %222 = tensor.empty() : tensor<4x8x4x4xf32> loc("h.0"("bwd"))
    %223 = linalg.transpose ins(%205 : tensor<4x4x8x4xf32>) outs(%222 : tensor<4x8x4x4xf32>) permutation = [0, 2, 1, 3] loc("h.0"("bwd"))
    %224 = tensor.collapse_shape %223 [[0], [1], [2, 3]] : tensor<4x8x4x4xf32> into tensor<4x8x16xf32> loc("h.0"("bwd"))
    %225 = tensor.collapse_shape %218 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.v"("bwd"))
    %226 = tensor.empty() : tensor<32x16xf32> loc("h.0.v"("bwd"))
    %227 = linalg.fill ins(%cst_0 : f32) outs(%226 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.v"("bwd"))
    %228 = linalg.matmul ins(%225, %arg7 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%227 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.v"("bwd"))
    %229 = tensor.expand_shape %228 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.v"("bwd"))
    %230 = tensor.empty() : tensor<16x4x8xf32> loc("h.0.v"("bwd"))
    %231 = linalg.transpose ins(%33 : tensor<4x8x16xf32>) outs(%230 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("h.0.v"("bwd"))
    %232 = tensor.collapse_shape %231 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("h.0.v"("bwd"))
    %233 = tensor.collapse_shape %218 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.v"("bwd"))
    %234 = tensor.empty() : tensor<16x16xf32> loc("h.0.v"("bwd"))
    %235 = linalg.fill ins(%cst_0 : f32) outs(%234 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.v"("bwd"))
    %236 = linalg.matmul ins(%232, %233 : tensor<16x32xf32>, tensor<32x16xf32>) outs(%235 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.v"("bwd"))
    %237 = tensor.empty() : tensor<16x16xf32> loc("h.0.v"("bwd"))
    %238 = linalg.transpose ins(%236 : tensor<16x16xf32>) outs(%237 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.v"("bwd"))
    %239 = tensor.collapse_shape %221 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.k"("bwd"))
    %240 = tensor.empty() : tensor<32x16xf32> loc("h.0.k"("bwd"))
    %241 = linalg.fill ins(%cst_0 : f32) outs(%240 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.k"("bwd"))
    %242 = linalg.matmul ins(%239, %arg6 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%241 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.k"("bwd"))
    %243 = tensor.expand_shape %242 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.k"("bwd"))
    %244 = tensor.empty() : tensor<16x4x8xf32> loc("h.0.k"("bwd"))
    %245 = linalg.transpose ins(%33 : tensor<4x8x16xf32>) outs(%244 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("h.0.k"("bwd"))
    %246 = tensor.collapse_shape %245 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("h.0.k"("bwd"))
    %247 = tensor.collapse_shape %221 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.k"("bwd"))
    %248 = tensor.empty() : tensor<16x16xf32> loc("h.0.k"("bwd"))
    %249 = linalg.fill ins(%cst_0 : f32) outs(%248 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.k"("bwd"))
    %250 = linalg.matmul ins(%246, %247 : tensor<16x32xf32>, tensor<32x16xf32>) outs(%249 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.k"("bwd"))
    %251 = tensor.empty() : tensor<16x16xf32> loc("h.0.k"("bwd"))
    %252 = linalg.transpose ins(%250 : tensor<16x16xf32>) outs(%251 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.k"("bwd"))
    %253 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.k"("bwd"))
    %254 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%229, %243 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%253 : tensor<4x8x16xf32>) {
    ^bb0(%in254_0: f32, %in254_1: f32, %out254: f32):
      %r254 = arith.addf %in254_0, %in254_1 : f32 loc("h.0.k"("bwd"))
      linalg.yield %r254 : f32 loc("h.0.k"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.k"("bwd"))
    %255 = tensor.collapse_shape %224 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.q"("bwd"))
    %256 = tensor.empty() : tensor<32x16xf32> loc("h.0.q"("bwd"))
    %257 = linalg.fill ins(%cst_0 : f32) outs(%256 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.q"("bwd"))
    %258 = linalg.matmul ins(%255, %arg5 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%257 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.q"("bwd"))
    %259 = tensor.expand_shape %258 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.q"("bwd"))
    %260 = tensor.empty() : tensor<16x4x8xf32> loc("h.0.q"("bwd"))
    %261 = linalg.transpose ins(%33 : tensor<4x8x16xf32>) outs(%260 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("h.0.q"("bwd"))
    %262 = tensor.collapse_shape %261 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("h.0.q"("bwd"))
    %263 = tensor.collapse_shape %224 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.q"("bwd"))
    %264 = tensor.empty() : tensor<16x16xf32> loc("h.0.q"("bwd"))
    %265 = linalg.fill ins(%cst_0 : f32) outs(%264 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.q"("bwd"))
    %266 = linalg.matmul ins(%262, %263 : tensor<16x32xf32>, tensor<32x16xf32>) outs(%265 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("h.0.q"("bwd"))
    %267 = tensor.empty() : tensor<16x16xf32> loc("h.0.q"("bwd"))
    %268 = linalg.transpose ins(%266 : tensor<16x16xf32>) outs(%267 : tensor<16x16xf32>) permutation = [1, 0] loc("h.0.q"("bwd"))
    %269 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.q"("bwd"))
    %270 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%254, %259 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%269 : tensor<4x8x16xf32>) {
    ^bb0(%in270_0: f32, %in270_1: f32, %out270: f32):
      %r270 = arith.addf %in270_0, %in270_1 : f32 loc("h.0.q"("bwd"))
      linalg.yield %r270 : f32 loc("h.0.q"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.q"("bwd"))
    %271 = tensor.empty() : tensor<16xf32> loc("h.0.ln"("bwd"))
    %272 = linalg.fill ins(%cst_0 : f32) outs(%271 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.ln"("bwd"))
    %273 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%270 : tensor<4x8x16xf32>) outs(%272 : tensor<16xf32>) {
    ^bb0(%in273_0: f32, %out273: f32):
      %r273 = arith.addf %in273_0, %out273 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r273 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<16xf32> loc("h.0.ln"("bwd"))
    %274 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %275 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%270, %arg3 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%274 : tensor<4x8x16xf32>) {
    ^bb0(%in275_0: f32, %in275_1: f32, %out275: f32):
      %r275 = arith.mulf %in275_0, %in275_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r275 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %276 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %277 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%270, %29 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%276 : tensor<4x8x16xf32>) {
    ^bb0(%in277_0: f32, %in277_1: f32, %out277: f32):
      %r277 = arith.mulf %in277_0, %in277_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r277 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %278 = tensor.empty() : tensor<16xf32> loc("h.0.ln"("bwd"))
    %279 = linalg.fill ins(%cst_0 : f32) outs(%278 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.ln"("bwd"))
    %280 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%277 : tensor<4x8x16xf32>) outs(%279 : tensor<16xf32>) {
    ^bb0(%in280_0: f32, %out280: f32):
      %r280 = arith.addf %in280_0, %out280 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r280 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<16xf32> loc("h.0.ln"("bwd"))
    %281 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %282 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%275, %27 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%281 : tensor<4x8x16xf32>) {
    ^bb0(%in282_0: f32, %in282_1: f32, %out282: f32):
      %r282 = arith.mulf %in282_0, %in282_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r282 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %283 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %284 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%275, %16 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%283 : tensor<4x8x16xf32>) {
    ^bb0(%in284_0: f32, %in284_1: f32, %out284: f32):
      %r284 = arith.mulf %in284_0, %in284_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r284 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %285 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %286 = linalg.fill ins(%cst_0 : f32) outs(%285 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %287 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%284 : tensor<4x8x16xf32>) outs(%286 : tensor<4x8xf32>) {
    ^bb0(%in287_0: f32, %out287: f32):
      %r287 = arith.addf %in287_0, %out287 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r287 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %288 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %289 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%287, %27 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%288 : tensor<4x8xf32>) {
    ^bb0(%in289_0: f32, %in289_1: f32, %out289: f32):
      %a289 = arith.mulf %in289_1, %in289_1 : f32 loc("h.0.ln"("bwd"))
      %b289 = arith.mulf %a289, %in289_1 : f32 loc("h.0.ln"("bwd"))
      %c289 = arith.mulf %b289, %cst_2 : f32 loc("h.0.ln"("bwd"))
      %r289 = arith.mulf %c289, %in289_0 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r289 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %290 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %291 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%289 : tensor<4x8xf32>) outs(%290 : tensor<4x8xf32>) {
    ^bb0(%in291_0: f32, %out291: f32):
      %r291 = arith.mulf %in291_0, %cst_3 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r291 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %292 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %293 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%291 : tensor<4x8xf32>) outs(%292 : tensor<4x8x16xf32>) {
    ^bb0(%in293_0: f32, %out293: f32):
      %r293 = arith.addf %in293_0, %cst_0 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r293 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %294 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %295 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%293, %16 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%294 : tensor<4x8x16xf32>) {
    ^bb0(%in295_0: f32, %in295_1: f32, %out295: f32):
      %r295 = arith.mulf %in295_0, %in295_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r295 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %296 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %297 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%293, %16 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%296 : tensor<4x8x16xf32>) {
    ^bb0(%in297_0: f32, %in297_1: f32, %out297: f32):
      %r297 = arith.mulf %in297_0, %in297_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r297 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %298 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %299 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%282, %295 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%298 : tensor<4x8x16xf32>) {
    ^bb0(%in299_0: f32, %in299_1: f32, %out299: f32):
      %r299 = arith.addf %in299_0, %in299_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r299 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %300 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %301 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%299, %297 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%300 : tensor<4x8x16xf32>) {
    ^bb0(%in301_0: f32, %in301_1: f32, %out301: f32):
      %r301 = arith.addf %in301_0, %in301_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r301 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %302 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %303 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%301 : tensor<4x8x16xf32>) outs(%302 : tensor<4x8x16xf32>) {
    ^bb0(%in303_0: f32, %out303: f32):
      %r303 = arith.negf %in303_0 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r303 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %304 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %305 = linalg.fill ins(%cst_0 : f32) outs(%304 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %306 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%303 : tensor<4x8x16xf32>) outs(%305 : tensor<4x8xf32>) {
    ^bb0(%in306_0: f32, %out306: f32):
      %r306 = arith.addf %in306_0, %out306 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r306 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %307 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %308 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%133, %301 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%307 : tensor<4x8x16xf32>) {
    ^bb0(%in308_0: f32, %in308_1: f32, %out308: f32):
      %r308 = arith.addf %in308_0, %in308_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r308 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %309 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %310 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%306 : tensor<4x8xf32>) outs(%309 : tensor<4x8xf32>) {
    ^bb0(%in310_0: f32, %out310: f32):
      %r310 = arith.mulf %in310_0, %cst_3 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r310 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %311 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %312 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%310 : tensor<4x8xf32>) outs(%311 : tensor<4x8x16xf32>) {
    ^bb0(%in312_0: f32, %out312: f32):
      %r312 = arith.addf %in312_0, %cst_0 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r312 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %313 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %314 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%308, %312 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%313 : tensor<4x8x16xf32>) {
    ^bb0(%in314_0: f32, %in314_1: f32, %out314: f32):
      %r314 = arith.addf %in314_0, %in314_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r314 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %315 = tensor.empty() : tensor<16xf32> loc("first"("bwd"))
    %316 = linalg.fill ins(%cst_0 : f32) outs(%315 : tensor<16xf32>) -> tensor<16xf32> loc("first"("bwd"))
    %317 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%314 : tensor<4x8x16xf32>) outs(%316 : tensor<16xf32>) {
    ^bb0(%in317_0: f32, %out317: f32):
      %r317 = arith.addf %in317_0, %out317 : f32 loc("first"("bwd"))
      linalg.yield %r317 : f32 loc("first"("bwd"))
    } -> tensor<16xf32> loc("first"("bwd"))
    %318 = tensor.collapse_shape %314 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("first"("bwd"))
    %319 = tensor.empty() : tensor<32x16xf32> loc("first"("bwd"))
    %320 = linalg.fill ins(%cst_0 : f32) outs(%319 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("first"("bwd"))
    %321 = linalg.matmul ins(%318, %arg1 : tensor<32x16xf32>, tensor<16x16xf32>) outs(%320 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("first"("bwd"))
    %322 = tensor.expand_shape %321 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("first"("bwd"))
    %323 = tensor.empty() : tensor<16x4x8xf32> loc("first"("bwd"))
    %324 = linalg.transpose ins(%arg0 : tensor<4x8x16xf32>) outs(%323 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("first"("bwd"))
    %325 = tensor.collapse_shape %324 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("first"("bwd"))
    %326 = tensor.collapse_shape %314 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("first"("bwd"))
    %327 = tensor.empty() : tensor<16x16xf32> loc("first"("bwd"))
    %328 = linalg.fill ins(%cst_0 : f32) outs(%327 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("first"("bwd"))
    %329 = linalg.matmul ins(%325, %326 : tensor<16x32xf32>, tensor<32x16xf32>) outs(%328 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("first"("bwd"))
    %330 = tensor.empty() : tensor<16x16xf32> loc("first"("bwd"))
    %331 = linalg.transpose ins(%329 : tensor<16x16xf32>) outs(%330 : tensor<16x16xf32>) permutation = [1, 0] loc("first"("bwd"))
    return %122, %331, %317, %280, %273, %268, %252, %238, %152, %138 : tensor<f32>, tensor<16x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16xf32>
  }
}
