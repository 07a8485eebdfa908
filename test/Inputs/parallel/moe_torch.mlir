// SPDX-License-Identifier: Apache-2.0
// A mixture of experts in GShard's grouped form, the batch's groups first. Made by steps.py.
module {
  func.func @step(%arg0: tensor<8x8x16xf32> {fsdp.batch_dim = 0 : i64, fsdp.input = "x"},
      %arg1: tensor<16x16xf32> {fsdp.param = "first.weight"},
      %arg2: tensor<16x8xf32> {fsdp.param = "moe.gate"},
      %arg3: tensor<8x16x48xf32> {fsdp.param = "moe.experts.w1"},
      %arg4: tensor<8x48x16xf32> {fsdp.param = "moe.experts.w2"},
      %arg5: tensor<8x8x16xf32> {fsdp.batch_dim = 0 : i64, fsdp.input = "target"})
      -> (tensor<f32> {fsdp.loss},
          tensor<16x16xf32> {fsdp.grad = "first.weight"},
          tensor<16x8xf32> {fsdp.grad = "moe.gate"},
          tensor<8x16x48xf32> {fsdp.grad = "moe.experts.w1"},
          tensor<8x48x16xf32> {fsdp.grad = "moe.experts.w2"}) {
    %cst_0 = arith.constant 0.00000000e+00 : f32
    %cst_1 = arith.constant -1.00000000e+30 : f32
    %cst_2 = arith.constant 1.00000000e+00 : f32
    %cst_3 = arith.constant -5.00000000e-01 : f32
    %cst_4 = arith.constant 9.76562500e-04 : f32
    %1 = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<8x8x16xf32> into tensor<64x16xf32> loc("first"("fwd"))
    %2 = tensor.empty() : tensor<64x16xf32> loc("first"("fwd"))
    %3 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<64x16xf32>) -> tensor<64x16xf32> loc("first"("fwd"))
    %4 = linalg.matmul ins(%1, %arg1 : tensor<64x16xf32>, tensor<16x16xf32>) outs(%3 : tensor<64x16xf32>) -> tensor<64x16xf32> loc("first"("fwd"))
    %5 = tensor.expand_shape %4 [[0, 1], [2]] output_shape [8, 8, 16] : tensor<64x16xf32> into tensor<8x8x16xf32> loc("first"("fwd"))
    %6 = tensor.collapse_shape %5 [[0, 1], [2]] : tensor<8x8x16xf32> into tensor<64x16xf32> loc("moe"("fwd"))
    %7 = tensor.empty() : tensor<64x8xf32> loc("moe"("fwd"))
    %8 = linalg.fill ins(%cst_0 : f32) outs(%7 : tensor<64x8xf32>) -> tensor<64x8xf32> loc("moe"("fwd"))
    %9 = linalg.matmul ins(%6, %arg2 : tensor<64x16xf32>, tensor<16x8xf32>) outs(%8 : tensor<64x8xf32>) -> tensor<64x8xf32> loc("moe"("fwd"))
    %10 = tensor.expand_shape %9 [[0, 1], [2]] output_shape [8, 8, 8] : tensor<64x8xf32> into tensor<8x8x8xf32> loc("moe"("fwd"))
    %11 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %12 = linalg.fill ins(%cst_1 : f32) outs(%11 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%10 : tensor<8x8x8xf32>) outs(%12 : tensor<8x8xf32>) {
    ^bb0(%in13_0: f32, %out13: f32):
      %r13 = arith.maximumf %in13_0, %out13 : f32 loc("moe"("fwd"))
      linalg.yield %r13 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %14 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %15 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%10, %13 : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%14 : tensor<8x8x8xf32>) {
    ^bb0(%in15_0: f32, %in15_1: f32, %out15: f32):
      %r15 = arith.subf %in15_0, %in15_1 : f32 loc("moe"("fwd"))
      linalg.yield %r15 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %16 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%15 : tensor<8x8x8xf32>) outs(%16 : tensor<8x8x8xf32>) {
    ^bb0(%in17_0: f32, %out17: f32):
      %r17 = math.exp %in17_0 : f32 loc("moe"("fwd"))
      linalg.yield %r17 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %18 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %19 = linalg.fill ins(%cst_0 : f32) outs(%18 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%17 : tensor<8x8x8xf32>) outs(%19 : tensor<8x8xf32>) {
    ^bb0(%in20_0: f32, %out20: f32):
      %r20 = arith.addf %in20_0, %out20 : f32 loc("moe"("fwd"))
      linalg.yield %r20 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %21 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %22 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<8x8xf32>) outs(%21 : tensor<8x8xf32>) {
    ^bb0(%in22_0: f32, %out22: f32):
      %r22 = math.log %in22_0 : f32 loc("moe"("fwd"))
      linalg.yield %r22 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %23 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%22 : tensor<8x8xf32>) outs(%23 : tensor<8x8xf32>) {
    ^bb0(%in24_0: f32, %out24: f32):
      %r24 = arith.negf %in24_0 : f32 loc("moe"("fwd"))
      linalg.yield %r24 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %25 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%24 : tensor<8x8xf32>) outs(%25 : tensor<8x8xf32>) {
    ^bb0(%in26_0: f32, %out26: f32):
      %r26 = math.exp %in26_0 : f32 loc("moe"("fwd"))
      linalg.yield %r26 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %27 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %28 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17, %26 : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%27 : tensor<8x8x8xf32>) {
    ^bb0(%in28_0: f32, %in28_1: f32, %out28: f32):
      %r28 = arith.mulf %in28_0, %in28_1 : f32 loc("moe"("fwd"))
      linalg.yield %r28 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %29 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %30 = linalg.fill ins(%cst_1 : f32) outs(%29 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%28 : tensor<8x8x8xf32>) outs(%30 : tensor<8x8xf32>) {
    ^bb0(%in31_0: f32, %out31: f32):
      %r31 = arith.maximumf %in31_0, %out31 : f32 loc("moe"("fwd"))
      linalg.yield %r31 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %32 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %33 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28, %31 : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%32 : tensor<8x8x8xf32>) {
    ^bb0(%in33_0: f32, %in33_1: f32, %out33: f32):
      %a33 = arith.cmpf oeq, %in33_0, %in33_1 : f32 loc("moe"("fwd"))
      %r33 = arith.uitofp %a33 : i1 to f32 loc("moe"("fwd"))
      linalg.yield %r33 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %34 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %35 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%28, %33 : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%34 : tensor<8x8x8xf32>) {
    ^bb0(%in35_0: f32, %in35_1: f32, %out35: f32):
      %a35 = arith.subf %cst_2, %in35_1 : f32 loc("moe"("fwd"))
      %r35 = arith.mulf %in35_0, %a35 : f32 loc("moe"("fwd"))
      linalg.yield %r35 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %36 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %37 = linalg.fill ins(%cst_1 : f32) outs(%36 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %38 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%35 : tensor<8x8x8xf32>) outs(%37 : tensor<8x8xf32>) {
    ^bb0(%in38_0: f32, %out38: f32):
      %r38 = arith.maximumf %in38_0, %out38 : f32 loc("moe"("fwd"))
      linalg.yield %r38 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %39 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %40 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%35, %38 : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%39 : tensor<8x8x8xf32>) {
    ^bb0(%in40_0: f32, %in40_1: f32, %out40: f32):
      %a40 = arith.cmpf oeq, %in40_0, %in40_1 : f32 loc("moe"("fwd"))
      %r40 = arith.uitofp %a40 : i1 to f32 loc("moe"("fwd"))
      linalg.yield %r40 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %41 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %42 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%41 : tensor<8x8xf32>) {
    ^bb0(%out42: f32):
      %t42 = linalg.index 0 : index loc("moe"("fwd"))
      %s42 = linalg.index 1 : index loc("moe"("fwd"))
      %a42 = arith.cmpi ult, %s42, %t42 : index loc("moe"("fwd"))
      %r42 = arith.uitofp %a42 : i1 to f32 loc("moe"("fwd"))
      linalg.yield %r42 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %43 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %44 = linalg.transpose ins(%33 : tensor<8x8x8xf32>) outs(%43 : tensor<8x8x8xf32>) permutation = [1, 0, 2] loc("moe"("fwd"))
    %45 = tensor.collapse_shape %44 [[0], [1, 2]] : tensor<8x8x8xf32> into tensor<8x64xf32> loc("moe"("fwd"))
    %46 = tensor.empty() : tensor<8x64xf32> loc("moe"("fwd"))
    %47 = linalg.fill ins(%cst_0 : f32) outs(%46 : tensor<8x64xf32>) -> tensor<8x64xf32> loc("moe"("fwd"))
    %48 = linalg.matmul ins(%42, %45 : tensor<8x8xf32>, tensor<8x64xf32>) outs(%47 : tensor<8x64xf32>) -> tensor<8x64xf32> loc("moe"("fwd"))
    %49 = tensor.expand_shape %48 [[0], [1, 2]] output_shape [8, 8, 8] : tensor<8x64xf32> into tensor<8x8x8xf32> loc("moe"("fwd"))
    %50 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %51 = linalg.transpose ins(%49 : tensor<8x8x8xf32>) outs(%50 : tensor<8x8x8xf32>) permutation = [1, 0, 2] loc("moe"("fwd"))
    %52 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %53 = linalg.fill ins(%cst_0 : f32) outs(%52 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %54 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%33 : tensor<8x8x8xf32>) outs(%53 : tensor<8x8xf32>) {
    ^bb0(%in54_0: f32, %out54: f32):
      %r54 = arith.addf %in54_0, %out54 : f32 loc("moe"("fwd"))
      linalg.yield %r54 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %55 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %56 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%51, %33 : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%55 : tensor<8x8x8xf32>) {
    ^bb0(%in56_0: f32, %in56_1: f32, %out56: f32):
      %r56 = arith.mulf %in56_0, %in56_1 : f32 loc("moe"("fwd"))
      linalg.yield %r56 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %57 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %58 = linalg.fill ins(%cst_0 : f32) outs(%57 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %59 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%56 : tensor<8x8x8xf32>) outs(%58 : tensor<8x8xf32>) {
    ^bb0(%in59_0: f32, %out59: f32):
      %r59 = arith.addf %in59_0, %out59 : f32 loc("moe"("fwd"))
      linalg.yield %r59 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %60 = tensor.empty() : tensor<8x8x3xf32> loc("moe"("fwd"))
    %61 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%59 : tensor<8x8xf32>) outs(%60 : tensor<8x8x3xf32>) {
    ^bb0(%in61_0: f32, %out61: f32):
      %t61 = linalg.index 2 : index loc("moe"("fwd"))
      %i61 = arith.index_cast %t61 : index to i64 loc("moe"("fwd"))
      %f61 = arith.sitofp %i61 : i64 to f32 loc("moe"("fwd"))
      %a61 = arith.cmpf oeq, %in61_0, %f61 : f32 loc("moe"("fwd"))
      %r61 = arith.uitofp %a61 : i1 to f32 loc("moe"("fwd"))
      linalg.yield %r61 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x3xf32> loc("moe"("fwd"))
    %62 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %63 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%33, %61 : tensor<8x8x8xf32>, tensor<8x8x3xf32>) outs(%62 : tensor<8x8x8x3xf32>) {
    ^bb0(%in63_0: f32, %in63_1: f32, %out63: f32):
      %r63 = arith.mulf %in63_0, %in63_1 : f32 loc("moe"("fwd"))
      linalg.yield %r63 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %64 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %65 = linalg.transpose ins(%40 : tensor<8x8x8xf32>) outs(%64 : tensor<8x8x8xf32>) permutation = [1, 0, 2] loc("moe"("fwd"))
    %66 = tensor.collapse_shape %65 [[0], [1, 2]] : tensor<8x8x8xf32> into tensor<8x64xf32> loc("moe"("fwd"))
    %67 = tensor.empty() : tensor<8x64xf32> loc("moe"("fwd"))
    %68 = linalg.fill ins(%cst_0 : f32) outs(%67 : tensor<8x64xf32>) -> tensor<8x64xf32> loc("moe"("fwd"))
    %69 = linalg.matmul ins(%42, %66 : tensor<8x8xf32>, tensor<8x64xf32>) outs(%68 : tensor<8x64xf32>) -> tensor<8x64xf32> loc("moe"("fwd"))
    %70 = tensor.expand_shape %69 [[0], [1, 2]] output_shape [8, 8, 8] : tensor<8x64xf32> into tensor<8x8x8xf32> loc("moe"("fwd"))
    %71 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %72 = linalg.transpose ins(%70 : tensor<8x8x8xf32>) outs(%71 : tensor<8x8x8xf32>) permutation = [1, 0, 2] loc("moe"("fwd"))
    %73 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %74 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%72, %54 : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%73 : tensor<8x8x8xf32>) {
    ^bb0(%in74_0: f32, %in74_1: f32, %out74: f32):
      %r74 = arith.addf %in74_0, %in74_1 : f32 loc("moe"("fwd"))
      linalg.yield %r74 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %75 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %76 = linalg.fill ins(%cst_0 : f32) outs(%75 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %77 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%40 : tensor<8x8x8xf32>) outs(%76 : tensor<8x8xf32>) {
    ^bb0(%in77_0: f32, %out77: f32):
      %r77 = arith.addf %in77_0, %out77 : f32 loc("moe"("fwd"))
      linalg.yield %r77 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %78 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %79 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%74, %40 : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%78 : tensor<8x8x8xf32>) {
    ^bb0(%in79_0: f32, %in79_1: f32, %out79: f32):
      %r79 = arith.mulf %in79_0, %in79_1 : f32 loc("moe"("fwd"))
      linalg.yield %r79 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %80 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %81 = linalg.fill ins(%cst_0 : f32) outs(%80 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %82 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%79 : tensor<8x8x8xf32>) outs(%81 : tensor<8x8xf32>) {
    ^bb0(%in82_0: f32, %out82: f32):
      %r82 = arith.addf %in82_0, %out82 : f32 loc("moe"("fwd"))
      linalg.yield %r82 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %83 = tensor.empty() : tensor<8x8x3xf32> loc("moe"("fwd"))
    %84 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%82 : tensor<8x8xf32>) outs(%83 : tensor<8x8x3xf32>) {
    ^bb0(%in84_0: f32, %out84: f32):
      %t84 = linalg.index 2 : index loc("moe"("fwd"))
      %i84 = arith.index_cast %t84 : index to i64 loc("moe"("fwd"))
      %f84 = arith.sitofp %i84 : i64 to f32 loc("moe"("fwd"))
      %a84 = arith.cmpf oeq, %in84_0, %f84 : f32 loc("moe"("fwd"))
      %r84 = arith.uitofp %a84 : i1 to f32 loc("moe"("fwd"))
      linalg.yield %r84 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x3xf32> loc("moe"("fwd"))
    %85 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %86 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%40, %84 : tensor<8x8x8xf32>, tensor<8x8x3xf32>) outs(%85 : tensor<8x8x8x3xf32>) {
    ^bb0(%in86_0: f32, %in86_1: f32, %out86: f32):
      %r86 = arith.mulf %in86_0, %in86_1 : f32 loc("moe"("fwd"))
      linalg.yield %r86 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %87 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %88 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%63, %86 : tensor<8x8x8x3xf32>, tensor<8x8x8x3xf32>) outs(%87 : tensor<8x8x8x3xf32>) {
    ^bb0(%in88_0: f32, %in88_1: f32, %out88: f32):
      %r88 = arith.addf %in88_0, %in88_1 : f32 loc("moe"("fwd"))
      linalg.yield %r88 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %89 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %90 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%28, %88 : tensor<8x8x8xf32>, tensor<8x8x8x3xf32>) outs(%89 : tensor<8x8x8x3xf32>) {
    ^bb0(%in90_0: f32, %in90_1: f32, %out90: f32):
      %r90 = arith.mulf %in90_0, %in90_1 : f32 loc("moe"("fwd"))
      linalg.yield %r90 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %91 = tensor.empty() : tensor<8x8x3x8xf32> loc("moe.experts"("fwd"))
    %92 = linalg.transpose ins(%88 : tensor<8x8x8x3xf32>) outs(%91 : tensor<8x8x3x8xf32>) permutation = [0, 2, 3, 1] loc("moe.experts"("fwd"))
    %93 = tensor.collapse_shape %92 [[0], [1, 2], [3]] : tensor<8x8x3x8xf32> into tensor<8x24x8xf32> loc("moe.experts"("fwd"))
    %94 = tensor.empty() : tensor<8x24x16xf32> loc("moe.experts"("fwd"))
    %95 = linalg.fill ins(%cst_0 : f32) outs(%94 : tensor<8x24x16xf32>) -> tensor<8x24x16xf32> loc("moe.experts"("fwd"))
    %96 = linalg.batch_matmul ins(%93, %5 : tensor<8x24x8xf32>, tensor<8x8x16xf32>) outs(%95 : tensor<8x24x16xf32>) -> tensor<8x24x16xf32> loc("moe.experts"("fwd"))
    %97 = tensor.expand_shape %96 [[0], [1, 2], [3]] output_shape [8, 8, 3, 16] : tensor<8x24x16xf32> into tensor<8x8x3x16xf32> loc("moe.experts"("fwd"))
    %98 = tensor.empty() : tensor<8x8x3x16xf32> loc("moe.experts"("fwd"))
    %99 = linalg.transpose ins(%97 : tensor<8x8x3x16xf32>) outs(%98 : tensor<8x8x3x16xf32>) permutation = [1, 0, 2, 3] loc("moe.experts"("fwd"))
    %100 = tensor.collapse_shape %99 [[0], [1, 2], [3]] : tensor<8x8x3x16xf32> into tensor<8x24x16xf32> loc("moe.experts"("fwd"))
    %101 = tensor.empty() : tensor<8x24x48xf32> loc("moe.experts"("fwd"))
    %102 = linalg.fill ins(%cst_0 : f32) outs(%101 : tensor<8x24x48xf32>) -> tensor<8x24x48xf32> loc("moe.experts"("fwd"))
    %103 = linalg.batch_matmul ins(%100, %arg3 : tensor<8x24x16xf32>, tensor<8x16x48xf32>) outs(%102 : tensor<8x24x48xf32>) -> tensor<8x24x48xf32> loc("moe.experts"("fwd"))
    %104 = tensor.expand_shape %103 [[0], [1, 2], [3]] output_shape [8, 8, 3, 48] : tensor<8x24x48xf32> into tensor<8x8x3x48xf32> loc("moe.experts"("fwd"))
    %105 = tensor.empty() : tensor<8x8x3x48xf32> loc("moe.experts"("fwd"))
    %106 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%104 : tensor<8x8x3x48xf32>) outs(%105 : tensor<8x8x3x48xf32>) {
    ^bb0(%in106_0: f32, %out106: f32):
      %r106 = math.tanh %in106_0 : f32 loc("moe.experts"("fwd"))
      linalg.yield %r106 : f32 loc("moe.experts"("fwd"))
    } -> tensor<8x8x3x48xf32> loc("moe.experts"("fwd"))
    %107 = tensor.collapse_shape %106 [[0], [1, 2], [3]] : tensor<8x8x3x48xf32> into tensor<8x24x48xf32> loc("moe.experts"("fwd"))
    %108 = tensor.empty() : tensor<8x24x16xf32> loc("moe.experts"("fwd"))
    %109 = linalg.fill ins(%cst_0 : f32) outs(%108 : tensor<8x24x16xf32>) -> tensor<8x24x16xf32> loc("moe.experts"("fwd"))
    %110 = linalg.batch_matmul ins(%107, %arg4 : tensor<8x24x48xf32>, tensor<8x48x16xf32>) outs(%109 : tensor<8x24x16xf32>) -> tensor<8x24x16xf32> loc("moe.experts"("fwd"))
    %111 = tensor.expand_shape %110 [[0], [1, 2], [3]] output_shape [8, 8, 3, 16] : tensor<8x24x16xf32> into tensor<8x8x3x16xf32> loc("moe.experts"("fwd"))
    %112 = tensor.collapse_shape %90 [[0], [1], [2, 3]] : tensor<8x8x8x3xf32> into tensor<8x8x24xf32> loc("moe"("fwd"))
    %113 = tensor.empty() : tensor<8x8x3x16xf32> loc("moe"("fwd"))
    %114 = linalg.transpose ins(%111 : tensor<8x8x3x16xf32>) outs(%113 : tensor<8x8x3x16xf32>) permutation = [1, 0, 2, 3] loc("moe"("fwd"))
    %115 = tensor.collapse_shape %114 [[0], [1, 2], [3]] : tensor<8x8x3x16xf32> into tensor<8x24x16xf32> loc("moe"("fwd"))
    %116 = tensor.empty() : tensor<8x8x16xf32> loc("moe"("fwd"))
    %117 = linalg.fill ins(%cst_0 : f32) outs(%116 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32> loc("moe"("fwd"))
    %118 = linalg.batch_matmul ins(%112, %115 : tensor<8x8x24xf32>, tensor<8x24x16xf32>) outs(%117 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32> loc("moe"("fwd"))
    %119 = tensor.empty() : tensor<8x8x16xf32> loc("moe"("fwd"))
    %120 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %118 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%119 : tensor<8x8x16xf32>) {
    ^bb0(%in120_0: f32, %in120_1: f32, %out120: f32):
      %r120 = arith.addf %in120_0, %in120_1 : f32 loc("moe"("fwd"))
      linalg.yield %r120 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x16xf32> loc("moe"("fwd"))
    %121 = tensor.empty() : tensor<8x8x16xf32> loc("<root>"("fwd"))
    %122 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%120, %arg5 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%121 : tensor<8x8x16xf32>) {
    ^bb0(%in122_0: f32, %in122_1: f32, %out122: f32):
      %r122 = arith.subf %in122_0, %in122_1 : f32 loc("<root>"("fwd"))
      linalg.yield %r122 : f32 loc("<root>"("fwd"))
    } -> tensor<8x8x16xf32> loc("<root>"("fwd"))
    %123 = tensor.empty() : tensor<8x8x16xf32> loc("<root>"("fwd"))
    %124 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%122, %122 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%123 : tensor<8x8x16xf32>) {
    ^bb0(%in124_0: f32, %in124_1: f32, %out124: f32):
      %r124 = arith.mulf %in124_0, %in124_1 : f32 loc("<root>"("fwd"))
      linalg.yield %r124 : f32 loc("<root>"("fwd"))
    } -> tensor<8x8x16xf32> loc("<root>"("fwd"))
    %125 = tensor.empty() : tensor<f32> loc("<root>"("fwd"))
    %126 = linalg.fill ins(%cst_0 : f32) outs(%125 : tensor<f32>) -> tensor<f32> loc("<root>"("fwd"))
    %127 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> ()>], iterator_types = ["reduction", "reduction", "reduction"]} ins(%124 : tensor<8x8x16xf32>) outs(%126 : tensor<f32>) {
    ^bb0(%in127_0: f32, %out127: f32):
      %r127 = arith.addf %in127_0, %out127 : f32 loc("<root>"("fwd"))
      linalg.yield %r127 : f32 loc("<root>"("fwd"))
    } -> tensor<f32> loc("<root>"("fwd"))
    %128 = tensor.empty() : tensor<f32> loc("<root>"("fwd"))
    %129 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%127 : tensor<f32>) outs(%128 : tensor<f32>) {
    ^bb0(%in129_0: f32, %out129: f32):
      %r129 = arith.mulf %in129_0, %cst_4 : f32 loc("<root>"("fwd"))
      linalg.yield %r129 : f32 loc("<root>"("fwd"))
    } -> tensor<f32> loc("<root>"("fwd"))
    %130 = arith.constant dense<1.0> : tensor<f32> loc("<root>"("bwd"))
    %131 = tensor.empty() : tensor<f32> loc("<root>"("bwd"))
    %132 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%130 : tensor<f32>) outs(%131 : tensor<f32>) {
    ^bb0(%in132_0: f32, %out132: f32):
      %r132 = arith.mulf %in132_0, %cst_4 : f32 loc("<root>"("bwd"))
      linalg.yield %r132 : f32 loc("<root>"("bwd"))
    } -> tensor<f32> loc("<root>"("bwd"))
    %133 = tensor.empty() : tensor<8x8x16xf32> loc("<root>"("bwd"))
    %134 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%132 : tensor<f32>) outs(%133 : tensor<8x8x16xf32>) {
    ^bb0(%in134_0: f32, %out134: f32):
      %r134 = arith.addf %in134_0, %cst_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r134 : f32 loc("<root>"("bwd"))
    } -> tensor<8x8x16xf32> loc("<root>"("bwd"))
    %135 = tensor.empty() : tensor<8x8x16xf32> loc("<root>"("bwd"))
    %136 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134, %122 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%135 : tensor<8x8x16xf32>) {
    ^bb0(%in136_0: f32, %in136_1: f32, %out136: f32):
      %r136 = arith.mulf %in136_0, %in136_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r136 : f32 loc("<root>"("bwd"))
    } -> tensor<8x8x16xf32> loc("<root>"("bwd"))
    %137 = tensor.empty() : tensor<8x8x16xf32> loc("<root>"("bwd"))
    %138 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%134, %122 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%137 : tensor<8x8x16xf32>) {
    ^bb0(%in138_0: f32, %in138_1: f32, %out138: f32):
      %r138 = arith.mulf %in138_0, %in138_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r138 : f32 loc("<root>"("bwd"))
    } -> tensor<8x8x16xf32> loc("<root>"("bwd"))
    %139 = tensor.empty() : tensor<8x8x16xf32> loc("<root>"("bwd"))
    %140 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%136, %138 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%139 : tensor<8x8x16xf32>) {
    ^bb0(%in140_0: f32, %in140_1: f32, %out140: f32):
      %r140 = arith.addf %in140_0, %in140_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r140 : f32 loc("<root>"("bwd"))
    } -> tensor<8x8x16xf32> loc("<root>"("bwd"))
    %141 = tensor.empty() : tensor<8x8x16xf32> loc("<root>"("bwd"))
    %142 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140 : tensor<8x8x16xf32>) outs(%141 : tensor<8x8x16xf32>) {
    ^bb0(%in142_0: f32, %out142: f32):
      %r142 = arith.negf %in142_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r142 : f32 loc("<root>"("bwd"))
    } -> tensor<8x8x16xf32> loc("<root>"("bwd"))
    %143 = tensor.empty() : tensor<8x16x8x3xf32> loc("moe"("bwd"))
    %144 = linalg.transpose ins(%111 : tensor<8x8x3x16xf32>) outs(%143 : tensor<8x16x8x3xf32>) permutation = [1, 3, 0, 2] loc("moe"("bwd"))
    %145 = tensor.collapse_shape %144 [[0], [1], [2, 3]] : tensor<8x16x8x3xf32> into tensor<8x16x24xf32> loc("moe"("bwd"))
    %146 = tensor.empty() : tensor<8x8x24xf32> loc("moe"("bwd"))
    %147 = linalg.fill ins(%cst_0 : f32) outs(%146 : tensor<8x8x24xf32>) -> tensor<8x8x24xf32> loc("moe"("bwd"))
    %148 = linalg.batch_matmul ins(%140, %145 : tensor<8x8x16xf32>, tensor<8x16x24xf32>) outs(%147 : tensor<8x8x24xf32>) -> tensor<8x8x24xf32> loc("moe"("bwd"))
    %149 = tensor.expand_shape %148 [[0], [1], [2, 3]] output_shape [8, 8, 8, 3] : tensor<8x8x24xf32> into tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %150 = tensor.empty() : tensor<8x8x3x8xf32> loc("moe"("bwd"))
    %151 = linalg.transpose ins(%90 : tensor<8x8x8x3xf32>) outs(%150 : tensor<8x8x3x8xf32>) permutation = [0, 2, 3, 1] loc("moe"("bwd"))
    %152 = tensor.collapse_shape %151 [[0], [1, 2], [3]] : tensor<8x8x3x8xf32> into tensor<8x24x8xf32> loc("moe"("bwd"))
    %153 = tensor.empty() : tensor<8x24x16xf32> loc("moe"("bwd"))
    %154 = linalg.fill ins(%cst_0 : f32) outs(%153 : tensor<8x24x16xf32>) -> tensor<8x24x16xf32> loc("moe"("bwd"))
    %155 = linalg.batch_matmul ins(%152, %140 : tensor<8x24x8xf32>, tensor<8x8x16xf32>) outs(%154 : tensor<8x24x16xf32>) -> tensor<8x24x16xf32> loc("moe"("bwd"))
    %156 = tensor.expand_shape %155 [[0], [1, 2], [3]] output_shape [8, 8, 3, 16] : tensor<8x24x16xf32> into tensor<8x8x3x16xf32> loc("moe"("bwd"))
    %157 = tensor.empty() : tensor<8x8x3x16xf32> loc("moe"("bwd"))
    %158 = linalg.transpose ins(%156 : tensor<8x8x3x16xf32>) outs(%157 : tensor<8x8x3x16xf32>) permutation = [1, 0, 2, 3] loc("moe"("bwd"))
    %159 = tensor.collapse_shape %158 [[0], [1, 2], [3]] : tensor<8x8x3x16xf32> into tensor<8x24x16xf32> loc("moe.experts"("bwd"))
    %160 = tensor.empty() : tensor<8x16x48xf32> loc("moe.experts"("bwd"))
    %161 = linalg.transpose ins(%arg4 : tensor<8x48x16xf32>) outs(%160 : tensor<8x16x48xf32>) permutation = [0, 2, 1] loc("moe.experts"("bwd"))
    %162 = tensor.empty() : tensor<8x24x48xf32> loc("moe.experts"("bwd"))
    %163 = linalg.fill ins(%cst_0 : f32) outs(%162 : tensor<8x24x48xf32>) -> tensor<8x24x48xf32> loc("moe.experts"("bwd"))
    %164 = linalg.batch_matmul ins(%159, %161 : tensor<8x24x16xf32>, tensor<8x16x48xf32>) outs(%163 : tensor<8x24x48xf32>) -> tensor<8x24x48xf32> loc("moe.experts"("bwd"))
    %165 = tensor.expand_shape %164 [[0], [1, 2], [3]] output_shape [8, 8, 3, 48] : tensor<8x24x48xf32> into tensor<8x8x3x48xf32> loc("moe.experts"("bwd"))
    %166 = tensor.empty() : tensor<8x48x8x3xf32> loc("moe.experts"("bwd"))
    %167 = linalg.transpose ins(%106 : tensor<8x8x3x48xf32>) outs(%166 : tensor<8x48x8x3xf32>) permutation = [0, 3, 1, 2] loc("moe.experts"("bwd"))
    %168 = tensor.collapse_shape %167 [[0], [1], [2, 3]] : tensor<8x48x8x3xf32> into tensor<8x48x24xf32> loc("moe.experts"("bwd"))
    %169 = tensor.collapse_shape %158 [[0], [1, 2], [3]] : tensor<8x8x3x16xf32> into tensor<8x24x16xf32> loc("moe.experts"("bwd"))
    %170 = tensor.empty() : tensor<8x48x16xf32> loc("moe.experts"("bwd"))
    %171 = linalg.fill ins(%cst_0 : f32) outs(%170 : tensor<8x48x16xf32>) -> tensor<8x48x16xf32> loc("moe.experts"("bwd"))
    %172 = linalg.batch_matmul ins(%168, %169 : tensor<8x48x24xf32>, tensor<8x24x16xf32>) outs(%171 : tensor<8x48x16xf32>) -> tensor<8x48x16xf32> loc("moe.experts"("bwd"))
    %173 = tensor.empty() : tensor<8x8x3x48xf32> loc("moe.experts"("bwd"))
    %174 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%165, %106 : tensor<8x8x3x48xf32>, tensor<8x8x3x48xf32>) outs(%173 : tensor<8x8x3x48xf32>) {
    ^bb0(%in174_0: f32, %in174_1: f32, %out174: f32):
      %a174 = arith.mulf %in174_1, %in174_1 : f32 loc("moe.experts"("bwd"))
      %b174 = arith.subf %cst_2, %a174 : f32 loc("moe.experts"("bwd"))
      %r174 = arith.mulf %in174_0, %b174 : f32 loc("moe.experts"("bwd"))
      linalg.yield %r174 : f32 loc("moe.experts"("bwd"))
    } -> tensor<8x8x3x48xf32> loc("moe.experts"("bwd"))
    %175 = tensor.collapse_shape %174 [[0], [1, 2], [3]] : tensor<8x8x3x48xf32> into tensor<8x24x48xf32> loc("moe.experts"("bwd"))
    %176 = tensor.empty() : tensor<8x48x16xf32> loc("moe.experts"("bwd"))
    %177 = linalg.transpose ins(%arg3 : tensor<8x16x48xf32>) outs(%176 : tensor<8x48x16xf32>) permutation = [0, 2, 1] loc("moe.experts"("bwd"))
    %178 = tensor.empty() : tensor<8x24x16xf32> loc("moe.experts"("bwd"))
    %179 = linalg.fill ins(%cst_0 : f32) outs(%178 : tensor<8x24x16xf32>) -> tensor<8x24x16xf32> loc("moe.experts"("bwd"))
    %180 = linalg.batch_matmul ins(%175, %177 : tensor<8x24x48xf32>, tensor<8x48x16xf32>) outs(%179 : tensor<8x24x16xf32>) -> tensor<8x24x16xf32> loc("moe.experts"("bwd"))
    %181 = tensor.expand_shape %180 [[0], [1, 2], [3]] output_shape [8, 8, 3, 16] : tensor<8x24x16xf32> into tensor<8x8x3x16xf32> loc("moe.experts"("bwd"))
    %182 = tensor.empty() : tensor<8x16x8x3xf32> loc("moe.experts"("bwd"))
    %183 = linalg.transpose ins(%99 : tensor<8x8x3x16xf32>) outs(%182 : tensor<8x16x8x3xf32>) permutation = [0, 3, 1, 2] loc("moe.experts"("bwd"))
    %184 = tensor.collapse_shape %183 [[0], [1], [2, 3]] : tensor<8x16x8x3xf32> into tensor<8x16x24xf32> loc("moe.experts"("bwd"))
    %185 = tensor.collapse_shape %174 [[0], [1, 2], [3]] : tensor<8x8x3x48xf32> into tensor<8x24x48xf32> loc("moe.experts"("bwd"))
    %186 = tensor.empty() : tensor<8x16x48xf32> loc("moe.experts"("bwd"))
    %187 = linalg.fill ins(%cst_0 : f32) outs(%186 : tensor<8x16x48xf32>) -> tensor<8x16x48xf32> loc("moe.experts"("bwd"))
    %188 = linalg.batch_matmul ins(%184, %185 : tensor<8x16x24xf32>, tensor<8x24x48xf32>) outs(%187 : tensor<8x16x48xf32>) -> tensor<8x16x48xf32> loc("moe.experts"("bwd"))
    %189 = tensor.empty() : tensor<8x8x3x16xf32> loc("moe.experts"("bwd"))
    %190 = linalg.transpose ins(%181 : tensor<8x8x3x16xf32>) outs(%189 : tensor<8x8x3x16xf32>) permutation = [1, 0, 2, 3] loc("moe.experts"("bwd"))
    %191 = tensor.collapse_shape %190 [[0], [1, 2], [3]] : tensor<8x8x3x16xf32> into tensor<8x24x16xf32> loc("moe.experts"("bwd"))
    %192 = tensor.empty() : tensor<8x16x8xf32> loc("moe.experts"("bwd"))
    %193 = linalg.transpose ins(%5 : tensor<8x8x16xf32>) outs(%192 : tensor<8x16x8xf32>) permutation = [0, 2, 1] loc("moe.experts"("bwd"))
    %194 = tensor.empty() : tensor<8x24x8xf32> loc("moe.experts"("bwd"))
    %195 = linalg.fill ins(%cst_0 : f32) outs(%194 : tensor<8x24x8xf32>) -> tensor<8x24x8xf32> loc("moe.experts"("bwd"))
    %196 = linalg.batch_matmul ins(%191, %193 : tensor<8x24x16xf32>, tensor<8x16x8xf32>) outs(%195 : tensor<8x24x8xf32>) -> tensor<8x24x8xf32> loc("moe.experts"("bwd"))
    %197 = tensor.expand_shape %196 [[0], [1, 2], [3]] output_shape [8, 8, 3, 8] : tensor<8x24x8xf32> into tensor<8x8x3x8xf32> loc("moe.experts"("bwd"))
    %198 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe.experts"("bwd"))
    %199 = linalg.transpose ins(%197 : tensor<8x8x3x8xf32>) outs(%198 : tensor<8x8x8x3xf32>) permutation = [0, 3, 1, 2] loc("moe.experts"("bwd"))
    %200 = tensor.collapse_shape %88 [[0], [1], [2, 3]] : tensor<8x8x8x3xf32> into tensor<8x8x24xf32> loc("moe.experts"("bwd"))
    %201 = tensor.empty() : tensor<8x8x3x16xf32> loc("moe.experts"("bwd"))
    %202 = linalg.transpose ins(%181 : tensor<8x8x3x16xf32>) outs(%201 : tensor<8x8x3x16xf32>) permutation = [1, 0, 2, 3] loc("moe.experts"("bwd"))
    %203 = tensor.collapse_shape %202 [[0], [1, 2], [3]] : tensor<8x8x3x16xf32> into tensor<8x24x16xf32> loc("moe.experts"("bwd"))
    %204 = tensor.empty() : tensor<8x8x16xf32> loc("moe.experts"("bwd"))
    %205 = linalg.fill ins(%cst_0 : f32) outs(%204 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32> loc("moe.experts"("bwd"))
    %206 = linalg.batch_matmul ins(%200, %203 : tensor<8x8x24xf32>, tensor<8x24x16xf32>) outs(%205 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32> loc("moe.experts"("bwd"))
    %207 = tensor.empty() : tensor<8x8x16xf32> loc("moe.experts"("bwd"))
    %208 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140, %206 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%207 : tensor<8x8x16xf32>) {
    ^bb0(%in208_0: f32, %in208_1: f32, %out208: f32):
      %r208 = arith.addf %in208_0, %in208_1 : f32 loc("moe.experts"("bwd"))
      linalg.yield %r208 : f32 loc("moe.experts"("bwd"))
    } -> tensor<8x8x16xf32> loc("moe.experts"("bwd"))
    %209 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %210 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%149, %88 : tensor<8x8x8x3xf32>, tensor<8x8x8x3xf32>) outs(%209 : tensor<8x8x8x3xf32>) {
    ^bb0(%in210_0: f32, %in210_1: f32, %out210: f32):
      %r210 = arith.mulf %in210_0, %in210_1 : f32 loc("moe"("bwd"))
      linalg.yield %r210 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %211 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %212 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%149, %28 : tensor<8x8x8x3xf32>, tensor<8x8x8xf32>) outs(%211 : tensor<8x8x8x3xf32>) {
    ^bb0(%in212_0: f32, %in212_1: f32, %out212: f32):
      %r212 = arith.mulf %in212_0, %in212_1 : f32 loc("moe"("bwd"))
      linalg.yield %r212 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %213 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %214 = linalg.fill ins(%cst_0 : f32) outs(%213 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %215 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%210 : tensor<8x8x8x3xf32>) outs(%214 : tensor<8x8x8xf32>) {
    ^bb0(%in215_0: f32, %out215: f32):
      %r215 = arith.addf %in215_0, %out215 : f32 loc("moe"("bwd"))
      linalg.yield %r215 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %216 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %217 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%199, %212 : tensor<8x8x8x3xf32>, tensor<8x8x8x3xf32>) outs(%216 : tensor<8x8x8x3xf32>) {
    ^bb0(%in217_0: f32, %in217_1: f32, %out217: f32):
      %r217 = arith.addf %in217_0, %in217_1 : f32 loc("moe"("bwd"))
      linalg.yield %r217 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %218 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %219 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%217, %84 : tensor<8x8x8x3xf32>, tensor<8x8x3xf32>) outs(%218 : tensor<8x8x8x3xf32>) {
    ^bb0(%in219_0: f32, %in219_1: f32, %out219: f32):
      %r219 = arith.mulf %in219_0, %in219_1 : f32 loc("moe"("bwd"))
      linalg.yield %r219 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %220 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %221 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%217, %40 : tensor<8x8x8x3xf32>, tensor<8x8x8xf32>) outs(%220 : tensor<8x8x8x3xf32>) {
    ^bb0(%in221_0: f32, %in221_1: f32, %out221: f32):
      %r221 = arith.mulf %in221_0, %in221_1 : f32 loc("moe"("bwd"))
      linalg.yield %r221 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %222 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %223 = linalg.fill ins(%cst_0 : f32) outs(%222 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %224 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%219 : tensor<8x8x8x3xf32>) outs(%223 : tensor<8x8x8xf32>) {
    ^bb0(%in224_0: f32, %out224: f32):
      %r224 = arith.addf %in224_0, %out224 : f32 loc("moe"("bwd"))
      linalg.yield %r224 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %225 = tensor.empty() : tensor<8x8x3xf32> loc("moe"("bwd"))
    %226 = linalg.fill ins(%cst_0 : f32) outs(%225 : tensor<8x8x3xf32>) -> tensor<8x8x3xf32> loc("moe"("bwd"))
    %227 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%221 : tensor<8x8x8x3xf32>) outs(%226 : tensor<8x8x3xf32>) {
    ^bb0(%in227_0: f32, %out227: f32):
      %r227 = arith.addf %in227_0, %out227 : f32 loc("moe"("bwd"))
      linalg.yield %r227 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x3xf32> loc("moe"("bwd"))
    %228 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %229 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%217, %61 : tensor<8x8x8x3xf32>, tensor<8x8x3xf32>) outs(%228 : tensor<8x8x8x3xf32>) {
    ^bb0(%in229_0: f32, %in229_1: f32, %out229: f32):
      %r229 = arith.mulf %in229_0, %in229_1 : f32 loc("moe"("bwd"))
      linalg.yield %r229 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %230 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %231 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%217, %33 : tensor<8x8x8x3xf32>, tensor<8x8x8xf32>) outs(%230 : tensor<8x8x8x3xf32>) {
    ^bb0(%in231_0: f32, %in231_1: f32, %out231: f32):
      %r231 = arith.mulf %in231_0, %in231_1 : f32 loc("moe"("bwd"))
      linalg.yield %r231 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %232 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %233 = linalg.fill ins(%cst_0 : f32) outs(%232 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %234 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%229 : tensor<8x8x8x3xf32>) outs(%233 : tensor<8x8x8xf32>) {
    ^bb0(%in234_0: f32, %out234: f32):
      %r234 = arith.addf %in234_0, %out234 : f32 loc("moe"("bwd"))
      linalg.yield %r234 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %235 = tensor.empty() : tensor<8x8x3xf32> loc("moe"("bwd"))
    %236 = linalg.fill ins(%cst_0 : f32) outs(%235 : tensor<8x8x3xf32>) -> tensor<8x8x3xf32> loc("moe"("bwd"))
    %237 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%231 : tensor<8x8x8x3xf32>) outs(%236 : tensor<8x8x3xf32>) {
    ^bb0(%in237_0: f32, %out237: f32):
      %r237 = arith.addf %in237_0, %out237 : f32 loc("moe"("bwd"))
      linalg.yield %r237 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x3xf32> loc("moe"("bwd"))
    %238 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %239 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%215, %26 : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%238 : tensor<8x8x8xf32>) {
    ^bb0(%in239_0: f32, %in239_1: f32, %out239: f32):
      %r239 = arith.mulf %in239_0, %in239_1 : f32 loc("moe"("bwd"))
      linalg.yield %r239 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %240 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %241 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%215, %17 : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%240 : tensor<8x8x8xf32>) {
    ^bb0(%in241_0: f32, %in241_1: f32, %out241: f32):
      %r241 = arith.mulf %in241_0, %in241_1 : f32 loc("moe"("bwd"))
      linalg.yield %r241 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %242 = tensor.empty() : tensor<8x8xf32> loc("moe"("bwd"))
    %243 = linalg.fill ins(%cst_0 : f32) outs(%242 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("bwd"))
    %244 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%241 : tensor<8x8x8xf32>) outs(%243 : tensor<8x8xf32>) {
    ^bb0(%in244_0: f32, %out244: f32):
      %r244 = arith.addf %in244_0, %out244 : f32 loc("moe"("bwd"))
      linalg.yield %r244 : f32 loc("moe"("bwd"))
    } -> tensor<8x8xf32> loc("moe"("bwd"))
    %245 = tensor.empty() : tensor<8x8xf32> loc("moe"("bwd"))
    %246 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%244, %26 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%245 : tensor<8x8xf32>) {
    ^bb0(%in246_0: f32, %in246_1: f32, %out246: f32):
      %r246 = arith.mulf %in246_0, %in246_1 : f32 loc("moe"("bwd"))
      linalg.yield %r246 : f32 loc("moe"("bwd"))
    } -> tensor<8x8xf32> loc("moe"("bwd"))
    %247 = tensor.empty() : tensor<8x8xf32> loc("moe"("bwd"))
    %248 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%246 : tensor<8x8xf32>) outs(%247 : tensor<8x8xf32>) {
    ^bb0(%in248_0: f32, %out248: f32):
      %r248 = arith.negf %in248_0 : f32 loc("moe"("bwd"))
      linalg.yield %r248 : f32 loc("moe"("bwd"))
    } -> tensor<8x8xf32> loc("moe"("bwd"))
    %249 = tensor.empty() : tensor<8x8xf32> loc("moe"("bwd"))
    %250 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%248, %20 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%249 : tensor<8x8xf32>) {
    ^bb0(%in250_0: f32, %in250_1: f32, %out250: f32):
      %r250 = arith.divf %in250_0, %in250_1 : f32 loc("moe"("bwd"))
      linalg.yield %r250 : f32 loc("moe"("bwd"))
    } -> tensor<8x8xf32> loc("moe"("bwd"))
    %251 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %252 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%250 : tensor<8x8xf32>) outs(%251 : tensor<8x8x8xf32>) {
    ^bb0(%in252_0: f32, %out252: f32):
      %r252 = arith.addf %in252_0, %cst_0 : f32 loc("moe"("bwd"))
      linalg.yield %r252 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %253 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %254 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%239, %252 : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%253 : tensor<8x8x8xf32>) {
    ^bb0(%in254_0: f32, %in254_1: f32, %out254: f32):
      %r254 = arith.addf %in254_0, %in254_1 : f32 loc("moe"("bwd"))
      linalg.yield %r254 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %255 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %256 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%254, %17 : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%255 : tensor<8x8x8xf32>) {
    ^bb0(%in256_0: f32, %in256_1: f32, %out256: f32):
      %r256 = arith.mulf %in256_0, %in256_1 : f32 loc("moe"("bwd"))
      linalg.yield %r256 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %257 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %258 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%256 : tensor<8x8x8xf32>) outs(%257 : tensor<8x8x8xf32>) {
    ^bb0(%in258_0: f32, %out258: f32):
      %r258 = arith.negf %in258_0 : f32 loc("moe"("bwd"))
      linalg.yield %r258 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %259 = tensor.empty() : tensor<8x8xf32> loc("moe"("bwd"))
    %260 = linalg.fill ins(%cst_0 : f32) outs(%259 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("bwd"))
    %261 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%258 : tensor<8x8x8xf32>) outs(%260 : tensor<8x8xf32>) {
    ^bb0(%in261_0: f32, %out261: f32):
      %r261 = arith.addf %in261_0, %out261 : f32 loc("moe"("bwd"))
      linalg.yield %r261 : f32 loc("moe"("bwd"))
    } -> tensor<8x8xf32> loc("moe"("bwd"))
    %262 = tensor.collapse_shape %256 [[0, 1], [2]] : tensor<8x8x8xf32> into tensor<64x8xf32> loc("moe"("bwd"))
    %263 = tensor.empty() : tensor<8x16xf32> loc("moe"("bwd"))
    %264 = linalg.transpose ins(%arg2 : tensor<16x8xf32>) outs(%263 : tensor<8x16xf32>) permutation = [1, 0] loc("moe"("bwd"))
    %265 = tensor.empty() : tensor<64x16xf32> loc("moe"("bwd"))
    %266 = linalg.fill ins(%cst_0 : f32) outs(%265 : tensor<64x16xf32>) -> tensor<64x16xf32> loc("moe"("bwd"))
    %267 = linalg.matmul ins(%262, %264 : tensor<64x8xf32>, tensor<8x16xf32>) outs(%266 : tensor<64x16xf32>) -> tensor<64x16xf32> loc("moe"("bwd"))
    %268 = tensor.expand_shape %267 [[0, 1], [2]] output_shape [8, 8, 16] : tensor<64x16xf32> into tensor<8x8x16xf32> loc("moe"("bwd"))
    %269 = tensor.empty() : tensor<16x8x8xf32> loc("moe"("bwd"))
    %270 = linalg.transpose ins(%5 : tensor<8x8x16xf32>) outs(%269 : tensor<16x8x8xf32>) permutation = [2, 0, 1] loc("moe"("bwd"))
    %271 = tensor.collapse_shape %270 [[0], [1, 2]] : tensor<16x8x8xf32> into tensor<16x64xf32> loc("moe"("bwd"))
    %272 = tensor.collapse_shape %256 [[0, 1], [2]] : tensor<8x8x8xf32> into tensor<64x8xf32> loc("moe"("bwd"))
    %273 = tensor.empty() : tensor<16x8xf32> loc("moe"("bwd"))
    %274 = linalg.fill ins(%cst_0 : f32) outs(%273 : tensor<16x8xf32>) -> tensor<16x8xf32> loc("moe"("bwd"))
    %275 = linalg.matmul ins(%271, %272 : tensor<16x64xf32>, tensor<64x8xf32>) outs(%274 : tensor<16x8xf32>) -> tensor<16x8xf32> loc("moe"("bwd"))
    %276 = tensor.empty() : tensor<8x8x16xf32> loc("moe"("bwd"))
    %277 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%208, %268 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%276 : tensor<8x8x16xf32>) {
    ^bb0(%in277_0: f32, %in277_1: f32, %out277: f32):
      %r277 = arith.addf %in277_0, %in277_1 : f32 loc("moe"("bwd"))
      linalg.yield %r277 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x16xf32> loc("moe"("bwd"))
    %278 = tensor.collapse_shape %277 [[0, 1], [2]] : tensor<8x8x16xf32> into tensor<64x16xf32> loc("first"("bwd"))
    %279 = tensor.empty() : tensor<16x16xf32> loc("first"("bwd"))
    %280 = linalg.transpose ins(%arg1 : tensor<16x16xf32>) outs(%279 : tensor<16x16xf32>) permutation = [1, 0] loc("first"("bwd"))
    %281 = tensor.empty() : tensor<64x16xf32> loc("first"("bwd"))
    %282 = linalg.fill ins(%cst_0 : f32) outs(%281 : tensor<64x16xf32>) -> tensor<64x16xf32> loc("first"("bwd"))
    %283 = linalg.matmul ins(%278, %280 : tensor<64x16xf32>, tensor<16x16xf32>) outs(%282 : tensor<64x16xf32>) -> tensor<64x16xf32> loc("first"("bwd"))
    %284 = tensor.expand_shape %283 [[0, 1], [2]] output_shape [8, 8, 16] : tensor<64x16xf32> into tensor<8x8x16xf32> loc("first"("bwd"))
    %285 = tensor.empty() : tensor<16x8x8xf32> loc("first"("bwd"))
    %286 = linalg.transpose ins(%arg0 : tensor<8x8x16xf32>) outs(%285 : tensor<16x8x8xf32>) permutation = [2, 0, 1] loc("first"("bwd"))
    %287 = tensor.collapse_shape %286 [[0], [1, 2]] : tensor<16x8x8xf32> into tensor<16x64xf32> loc("first"("bwd"))
    %288 = tensor.collapse_shape %277 [[0, 1], [2]] : tensor<8x8x16xf32> into tensor<64x16xf32> loc("first"("bwd"))
    %289 = tensor.empty() : tensor<16x16xf32> loc("first"("bwd"))
    %290 = linalg.fill ins(%cst_0 : f32) outs(%289 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("first"("bwd"))
    %291 = linalg.matmul ins(%287, %288 : tensor<16x64xf32>, tensor<64x16xf32>) outs(%290 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("first"("bwd"))
    return %129, %291, %275, %188, %172 : tensor<f32>, tensor<16x16xf32>, tensor<16x8xf32>, tensor<8x16x48xf32>, tensor<8x48x16xf32>
  }
}
