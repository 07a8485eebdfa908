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
    %cst_1 = arith.constant 1.00000000e+00 : f32
    %cst_2 = arith.constant -5.00000000e-01 : f32
    %cst_3 = arith.constant -1.00000000e+30 : f32
    %cst_4 = arith.constant 9.76562500e-04 : f32
    %1 = tensor.empty() : tensor<8x8x16xf32> loc("first"("fwd"))
    %2 = linalg.fill ins(%cst_0 : f32) outs(%1 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32> loc("first"("fwd"))
    %3 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : tensor<8x8x16xf32>, tensor<16x16xf32>) outs(%2 : tensor<8x8x16xf32>) {
    ^bb0(%in3_0: f32, %in3_1: f32, %out3: f32):
      %m3 = arith.mulf %in3_0, %in3_1 : f32 loc("first"("fwd"))
      %r3 = arith.addf %m3, %out3 : f32 loc("first"("fwd"))
      linalg.yield %r3 : f32 loc("first"("fwd"))
    } -> tensor<8x8x16xf32> loc("first"("fwd"))
    %4 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %5 = linalg.fill ins(%cst_0 : f32) outs(%4 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %6 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%3, %arg2 : tensor<8x8x16xf32>, tensor<16x8xf32>) outs(%5 : tensor<8x8x8xf32>) {
    ^bb0(%in6_0: f32, %in6_1: f32, %out6: f32):
      %m6 = arith.mulf %in6_0, %in6_1 : f32 loc("moe"("fwd"))
      %r6 = arith.addf %m6, %out6 : f32 loc("moe"("fwd"))
      linalg.yield %r6 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %7 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %8 = linalg.fill ins(%cst_3 : f32) outs(%7 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%6 : tensor<8x8x8xf32>) outs(%8 : tensor<8x8xf32>) {
    ^bb0(%in9_0: f32, %out9: f32):
      %r9 = arith.maximumf %in9_0, %out9 : f32 loc("moe"("fwd"))
      linalg.yield %r9 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %10 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %9 : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%10 : tensor<8x8x8xf32>) {
    ^bb0(%in11_0: f32, %in11_1: f32, %out11: f32):
      %r11 = arith.subf %in11_0, %in11_1 : f32 loc("moe"("fwd"))
      linalg.yield %r11 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %12 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %13 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11 : tensor<8x8x8xf32>) outs(%12 : tensor<8x8x8xf32>) {
    ^bb0(%in13_0: f32, %out13: f32):
      %r13 = math.exp %in13_0 : f32 loc("moe"("fwd"))
      linalg.yield %r13 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %14 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %15 = linalg.fill ins(%cst_0 : f32) outs(%14 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%13 : tensor<8x8x8xf32>) outs(%15 : tensor<8x8xf32>) {
    ^bb0(%in16_0: f32, %out16: f32):
      %r16 = arith.addf %in16_0, %out16 : f32 loc("moe"("fwd"))
      linalg.yield %r16 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %17 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<8x8xf32>) outs(%17 : tensor<8x8xf32>) {
    ^bb0(%in18_0: f32, %out18: f32):
      %r18 = math.log %in18_0 : f32 loc("moe"("fwd"))
      linalg.yield %r18 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %19 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<8x8xf32>) outs(%19 : tensor<8x8xf32>) {
    ^bb0(%in20_0: f32, %out20: f32):
      %r20 = arith.negf %in20_0 : f32 loc("moe"("fwd"))
      linalg.yield %r20 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %21 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %22 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%20 : tensor<8x8xf32>) outs(%21 : tensor<8x8xf32>) {
    ^bb0(%in22_0: f32, %out22: f32):
      %r22 = math.exp %in22_0 : f32 loc("moe"("fwd"))
      linalg.yield %r22 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %23 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%13, %22 : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%23 : tensor<8x8x8xf32>) {
    ^bb0(%in24_0: f32, %in24_1: f32, %out24: f32):
      %r24 = arith.mulf %in24_0, %in24_1 : f32 loc("moe"("fwd"))
      linalg.yield %r24 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %25 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %26 = linalg.fill ins(%cst_3 : f32) outs(%25 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %27 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%24 : tensor<8x8x8xf32>) outs(%26 : tensor<8x8xf32>) {
    ^bb0(%in27_0: f32, %out27: f32):
      %r27 = arith.maximumf %in27_0, %out27 : f32 loc("moe"("fwd"))
      linalg.yield %r27 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %28 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %29 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %27 : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%28 : tensor<8x8x8xf32>) {
    ^bb0(%in29_0: f32, %in29_1: f32, %out29: f32):
      %a29 = arith.cmpf oeq, %in29_0, %in29_1 : f32 loc("moe"("fwd"))
      %r29 = arith.uitofp %a29 : i1 to f32 loc("moe"("fwd"))
      linalg.yield %r29 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %30 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %31 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %29 : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%30 : tensor<8x8x8xf32>) {
    ^bb0(%in31_0: f32, %in31_1: f32, %out31: f32):
      %a31 = arith.subf %cst_1, %in31_1 : f32 loc("moe"("fwd"))
      %r31 = arith.mulf %in31_0, %a31 : f32 loc("moe"("fwd"))
      linalg.yield %r31 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %32 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %33 = linalg.fill ins(%cst_3 : f32) outs(%32 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %34 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%31 : tensor<8x8x8xf32>) outs(%33 : tensor<8x8xf32>) {
    ^bb0(%in34_0: f32, %out34: f32):
      %r34 = arith.maximumf %in34_0, %out34 : f32 loc("moe"("fwd"))
      linalg.yield %r34 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %35 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %36 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%31, %34 : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%35 : tensor<8x8x8xf32>) {
    ^bb0(%in36_0: f32, %in36_1: f32, %out36: f32):
      %a36 = arith.cmpf oeq, %in36_0, %in36_1 : f32 loc("moe"("fwd"))
      %r36 = arith.uitofp %a36 : i1 to f32 loc("moe"("fwd"))
      linalg.yield %r36 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %37 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %38 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} outs(%37 : tensor<8x8xf32>) {
    ^bb0(%out38: f32):
      %t38 = linalg.index 0 : index loc("moe"("fwd"))
      %s38 = linalg.index 1 : index loc("moe"("fwd"))
      %a38 = arith.cmpi ult, %s38, %t38 : index loc("moe"("fwd"))
      %r38 = arith.uitofp %a38 : i1 to f32 loc("moe"("fwd"))
      linalg.yield %r38 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %39 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %40 = linalg.fill ins(%cst_0 : f32) outs(%39 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %41 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%38, %29 : tensor<8x8xf32>, tensor<8x8x8xf32>) outs(%40 : tensor<8x8x8xf32>) {
    ^bb0(%in41_0: f32, %in41_1: f32, %out41: f32):
      %m41 = arith.mulf %in41_0, %in41_1 : f32 loc("moe"("fwd"))
      %r41 = arith.addf %m41, %out41 : f32 loc("moe"("fwd"))
      linalg.yield %r41 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %42 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %43 = linalg.fill ins(%cst_0 : f32) outs(%42 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %44 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%29 : tensor<8x8x8xf32>) outs(%43 : tensor<8x8xf32>) {
    ^bb0(%in44_0: f32, %out44: f32):
      %r44 = arith.addf %in44_0, %out44 : f32 loc("moe"("fwd"))
      linalg.yield %r44 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %45 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %46 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41, %29 : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%45 : tensor<8x8x8xf32>) {
    ^bb0(%in46_0: f32, %in46_1: f32, %out46: f32):
      %r46 = arith.mulf %in46_0, %in46_1 : f32 loc("moe"("fwd"))
      linalg.yield %r46 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %47 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %48 = linalg.fill ins(%cst_0 : f32) outs(%47 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %49 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%46 : tensor<8x8x8xf32>) outs(%48 : tensor<8x8xf32>) {
    ^bb0(%in49_0: f32, %out49: f32):
      %r49 = arith.addf %in49_0, %out49 : f32 loc("moe"("fwd"))
      linalg.yield %r49 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %50 = tensor.empty() : tensor<8x8x3xf32> loc("moe"("fwd"))
    %51 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%49 : tensor<8x8xf32>) outs(%50 : tensor<8x8x3xf32>) {
    ^bb0(%in51_0: f32, %out51: f32):
      %t51 = linalg.index 2 : index loc("moe"("fwd"))
      %i51 = arith.index_cast %t51 : index to i64 loc("moe"("fwd"))
      %f51 = arith.sitofp %i51 : i64 to f32 loc("moe"("fwd"))
      %a51 = arith.cmpf oeq, %in51_0, %f51 : f32 loc("moe"("fwd"))
      %r51 = arith.uitofp %a51 : i1 to f32 loc("moe"("fwd"))
      linalg.yield %r51 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x3xf32> loc("moe"("fwd"))
    %52 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %53 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%29, %51 : tensor<8x8x8xf32>, tensor<8x8x3xf32>) outs(%52 : tensor<8x8x8x3xf32>) {
    ^bb0(%in53_0: f32, %in53_1: f32, %out53: f32):
      %r53 = arith.mulf %in53_0, %in53_1 : f32 loc("moe"("fwd"))
      linalg.yield %r53 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %54 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %55 = linalg.fill ins(%cst_0 : f32) outs(%54 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %56 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%38, %36 : tensor<8x8xf32>, tensor<8x8x8xf32>) outs(%55 : tensor<8x8x8xf32>) {
    ^bb0(%in56_0: f32, %in56_1: f32, %out56: f32):
      %m56 = arith.mulf %in56_0, %in56_1 : f32 loc("moe"("fwd"))
      %r56 = arith.addf %m56, %out56 : f32 loc("moe"("fwd"))
      linalg.yield %r56 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %57 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %58 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%56, %44 : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%57 : tensor<8x8x8xf32>) {
    ^bb0(%in58_0: f32, %in58_1: f32, %out58: f32):
      %r58 = arith.addf %in58_0, %in58_1 : f32 loc("moe"("fwd"))
      linalg.yield %r58 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %59 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %60 = linalg.fill ins(%cst_0 : f32) outs(%59 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %61 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%36 : tensor<8x8x8xf32>) outs(%60 : tensor<8x8xf32>) {
    ^bb0(%in61_0: f32, %out61: f32):
      %r61 = arith.addf %in61_0, %out61 : f32 loc("moe"("fwd"))
      linalg.yield %r61 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %62 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("fwd"))
    %63 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%58, %36 : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%62 : tensor<8x8x8xf32>) {
    ^bb0(%in63_0: f32, %in63_1: f32, %out63: f32):
      %r63 = arith.mulf %in63_0, %in63_1 : f32 loc("moe"("fwd"))
      linalg.yield %r63 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8xf32> loc("moe"("fwd"))
    %64 = tensor.empty() : tensor<8x8xf32> loc("moe"("fwd"))
    %65 = linalg.fill ins(%cst_0 : f32) outs(%64 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("fwd"))
    %66 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%63 : tensor<8x8x8xf32>) outs(%65 : tensor<8x8xf32>) {
    ^bb0(%in66_0: f32, %out66: f32):
      %r66 = arith.addf %in66_0, %out66 : f32 loc("moe"("fwd"))
      linalg.yield %r66 : f32 loc("moe"("fwd"))
    } -> tensor<8x8xf32> loc("moe"("fwd"))
    %67 = tensor.empty() : tensor<8x8x3xf32> loc("moe"("fwd"))
    %68 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%66 : tensor<8x8xf32>) outs(%67 : tensor<8x8x3xf32>) {
    ^bb0(%in68_0: f32, %out68: f32):
      %t68 = linalg.index 2 : index loc("moe"("fwd"))
      %i68 = arith.index_cast %t68 : index to i64 loc("moe"("fwd"))
      %f68 = arith.sitofp %i68 : i64 to f32 loc("moe"("fwd"))
      %a68 = arith.cmpf oeq, %in68_0, %f68 : f32 loc("moe"("fwd"))
      %r68 = arith.uitofp %a68 : i1 to f32 loc("moe"("fwd"))
      linalg.yield %r68 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x3xf32> loc("moe"("fwd"))
    %69 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %70 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%36, %68 : tensor<8x8x8xf32>, tensor<8x8x3xf32>) outs(%69 : tensor<8x8x8x3xf32>) {
    ^bb0(%in70_0: f32, %in70_1: f32, %out70: f32):
      %r70 = arith.mulf %in70_0, %in70_1 : f32 loc("moe"("fwd"))
      linalg.yield %r70 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %71 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %72 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%53, %70 : tensor<8x8x8x3xf32>, tensor<8x8x8x3xf32>) outs(%71 : tensor<8x8x8x3xf32>) {
    ^bb0(%in72_0: f32, %in72_1: f32, %out72: f32):
      %r72 = arith.addf %in72_0, %in72_1 : f32 loc("moe"("fwd"))
      linalg.yield %r72 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %73 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %74 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%24, %72 : tensor<8x8x8xf32>, tensor<8x8x8x3xf32>) outs(%73 : tensor<8x8x8x3xf32>) {
    ^bb0(%in74_0: f32, %in74_1: f32, %out74: f32):
      %r74 = arith.mulf %in74_0, %in74_1 : f32 loc("moe"("fwd"))
      linalg.yield %r74 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("fwd"))
    %75 = tensor.empty() : tensor<8x8x3x16xf32> loc("moe.experts"("fwd"))
    %76 = linalg.fill ins(%cst_0 : f32) outs(%75 : tensor<8x8x3x16xf32>) -> tensor<8x8x3x16xf32> loc("moe.experts"("fwd"))
    %77 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d1, d4, d0, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%72, %3 : tensor<8x8x8x3xf32>, tensor<8x8x16xf32>) outs(%76 : tensor<8x8x3x16xf32>) {
    ^bb0(%in77_0: f32, %in77_1: f32, %out77: f32):
      %m77 = arith.mulf %in77_0, %in77_1 : f32 loc("moe.experts"("fwd"))
      %r77 = arith.addf %m77, %out77 : f32 loc("moe.experts"("fwd"))
      linalg.yield %r77 : f32 loc("moe.experts"("fwd"))
    } -> tensor<8x8x3x16xf32> loc("moe.experts"("fwd"))
    %78 = tensor.empty() : tensor<8x8x3x48xf32> loc("moe.experts"("fwd"))
    %79 = linalg.fill ins(%cst_0 : f32) outs(%78 : tensor<8x8x3x48xf32>) -> tensor<8x8x3x48xf32> loc("moe.experts"("fwd"))
    %80 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%77, %arg3 : tensor<8x8x3x16xf32>, tensor<8x16x48xf32>) outs(%79 : tensor<8x8x3x48xf32>) {
    ^bb0(%in80_0: f32, %in80_1: f32, %out80: f32):
      %m80 = arith.mulf %in80_0, %in80_1 : f32 loc("moe.experts"("fwd"))
      %r80 = arith.addf %m80, %out80 : f32 loc("moe.experts"("fwd"))
      linalg.yield %r80 : f32 loc("moe.experts"("fwd"))
    } -> tensor<8x8x3x48xf32> loc("moe.experts"("fwd"))
    %81 = tensor.empty() : tensor<8x8x3x48xf32> loc("moe.experts"("fwd"))
    %82 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%80 : tensor<8x8x3x48xf32>) outs(%81 : tensor<8x8x3x48xf32>) {
    ^bb0(%in82_0: f32, %out82: f32):
      %r82 = math.tanh %in82_0 : f32 loc("moe.experts"("fwd"))
      linalg.yield %r82 : f32 loc("moe.experts"("fwd"))
    } -> tensor<8x8x3x48xf32> loc("moe.experts"("fwd"))
    %83 = tensor.empty() : tensor<8x8x3x16xf32> loc("moe.experts"("fwd"))
    %84 = linalg.fill ins(%cst_0 : f32) outs(%83 : tensor<8x8x3x16xf32>) -> tensor<8x8x3x16xf32> loc("moe.experts"("fwd"))
    %85 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%82, %arg4 : tensor<8x8x3x48xf32>, tensor<8x48x16xf32>) outs(%84 : tensor<8x8x3x16xf32>) {
    ^bb0(%in85_0: f32, %in85_1: f32, %out85: f32):
      %m85 = arith.mulf %in85_0, %in85_1 : f32 loc("moe.experts"("fwd"))
      %r85 = arith.addf %m85, %out85 : f32 loc("moe.experts"("fwd"))
      linalg.yield %r85 : f32 loc("moe.experts"("fwd"))
    } -> tensor<8x8x3x16xf32> loc("moe.experts"("fwd"))
    %86 = tensor.empty() : tensor<8x8x16xf32> loc("moe"("fwd"))
    %87 = linalg.fill ins(%cst_0 : f32) outs(%86 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32> loc("moe"("fwd"))
    %88 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d0, d3, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%74, %85 : tensor<8x8x8x3xf32>, tensor<8x8x3x16xf32>) outs(%87 : tensor<8x8x16xf32>) {
    ^bb0(%in88_0: f32, %in88_1: f32, %out88: f32):
      %m88 = arith.mulf %in88_0, %in88_1 : f32 loc("moe"("fwd"))
      %r88 = arith.addf %m88, %out88 : f32 loc("moe"("fwd"))
      linalg.yield %r88 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x16xf32> loc("moe"("fwd"))
    %89 = tensor.empty() : tensor<8x8x16xf32> loc("moe"("fwd"))
    %90 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3, %88 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%89 : tensor<8x8x16xf32>) {
    ^bb0(%in90_0: f32, %in90_1: f32, %out90: f32):
      %r90 = arith.addf %in90_0, %in90_1 : f32 loc("moe"("fwd"))
      linalg.yield %r90 : f32 loc("moe"("fwd"))
    } -> tensor<8x8x16xf32> loc("moe"("fwd"))
    %91 = tensor.empty() : tensor<8x8x16xf32> loc("<root>"("fwd"))
    %92 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%90, %arg5 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%91 : tensor<8x8x16xf32>) {
    ^bb0(%in92_0: f32, %in92_1: f32, %out92: f32):
      %r92 = arith.subf %in92_0, %in92_1 : f32 loc("<root>"("fwd"))
      linalg.yield %r92 : f32 loc("<root>"("fwd"))
    } -> tensor<8x8x16xf32> loc("<root>"("fwd"))
    %93 = tensor.empty() : tensor<8x8x16xf32> loc("<root>"("fwd"))
    %94 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%92, %92 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%93 : tensor<8x8x16xf32>) {
    ^bb0(%in94_0: f32, %in94_1: f32, %out94: f32):
      %r94 = arith.mulf %in94_0, %in94_1 : f32 loc("<root>"("fwd"))
      linalg.yield %r94 : f32 loc("<root>"("fwd"))
    } -> tensor<8x8x16xf32> loc("<root>"("fwd"))
    %95 = tensor.empty() : tensor<f32> loc("<root>"("fwd"))
    %96 = linalg.fill ins(%cst_0 : f32) outs(%95 : tensor<f32>) -> tensor<f32> loc("<root>"("fwd"))
    %97 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2, d1)>, affine_map<(d0, d1, d2) -> ()>], iterator_types = ["reduction", "reduction", "reduction"]} ins(%94 : tensor<8x8x16xf32>) outs(%96 : tensor<f32>) {
    ^bb0(%in97_0: f32, %out97: f32):
      %r97 = arith.addf %in97_0, %out97 : f32 loc("<root>"("fwd"))
      linalg.yield %r97 : f32 loc("<root>"("fwd"))
    } -> tensor<f32> loc("<root>"("fwd"))
    %98 = tensor.empty() : tensor<f32> loc("<root>"("fwd"))
    %99 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%97 : tensor<f32>) outs(%98 : tensor<f32>) {
    ^bb0(%in99_0: f32, %out99: f32):
      %r99 = arith.mulf %in99_0, %cst_4 : f32 loc("<root>"("fwd"))
      linalg.yield %r99 : f32 loc("<root>"("fwd"))
    } -> tensor<f32> loc("<root>"("fwd"))
    %100 = arith.constant dense<1.0> : tensor<f32> loc("<root>"("bwd"))
    %101 = tensor.empty() : tensor<f32> loc("<root>"("bwd"))
    %102 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%100 : tensor<f32>) outs(%101 : tensor<f32>) {
    ^bb0(%in102_0: f32, %out102: f32):
      %r102 = arith.mulf %in102_0, %cst_4 : f32 loc("<root>"("bwd"))
      linalg.yield %r102 : f32 loc("<root>"("bwd"))
    } -> tensor<f32> loc("<root>"("bwd"))
    %103 = tensor.empty() : tensor<8x8x16xf32> loc("<root>"("bwd"))
    %104 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> ()>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%102 : tensor<f32>) outs(%103 : tensor<8x8x16xf32>) {
    ^bb0(%in104_0: f32, %out104: f32):
      %r104 = arith.addf %in104_0, %cst_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r104 : f32 loc("<root>"("bwd"))
    } -> tensor<8x8x16xf32> loc("<root>"("bwd"))
    %105 = tensor.empty() : tensor<8x8x16xf32> loc("<root>"("bwd"))
    %106 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%104, %92 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%105 : tensor<8x8x16xf32>) {
    ^bb0(%in106_0: f32, %in106_1: f32, %out106: f32):
      %r106 = arith.mulf %in106_0, %in106_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r106 : f32 loc("<root>"("bwd"))
    } -> tensor<8x8x16xf32> loc("<root>"("bwd"))
    %107 = tensor.empty() : tensor<8x8x16xf32> loc("<root>"("bwd"))
    %108 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%104, %92 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%107 : tensor<8x8x16xf32>) {
    ^bb0(%in108_0: f32, %in108_1: f32, %out108: f32):
      %r108 = arith.mulf %in108_0, %in108_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r108 : f32 loc("<root>"("bwd"))
    } -> tensor<8x8x16xf32> loc("<root>"("bwd"))
    %109 = tensor.empty() : tensor<8x8x16xf32> loc("<root>"("bwd"))
    %110 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%106, %108 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%109 : tensor<8x8x16xf32>) {
    ^bb0(%in110_0: f32, %in110_1: f32, %out110: f32):
      %r110 = arith.addf %in110_0, %in110_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r110 : f32 loc("<root>"("bwd"))
    } -> tensor<8x8x16xf32> loc("<root>"("bwd"))
    %111 = tensor.empty() : tensor<8x8x16xf32> loc("<root>"("bwd"))
    %112 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110 : tensor<8x8x16xf32>) outs(%111 : tensor<8x8x16xf32>) {
    ^bb0(%in112_0: f32, %out112: f32):
      %r112 = arith.negf %in112_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r112 : f32 loc("<root>"("bwd"))
    } -> tensor<8x8x16xf32> loc("<root>"("bwd"))
    %113 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %114 = linalg.fill ins(%cst_0 : f32) outs(%113 : tensor<8x8x8x3xf32>) -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %115 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d2, d0, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%110, %85 : tensor<8x8x16xf32>, tensor<8x8x3x16xf32>) outs(%114 : tensor<8x8x8x3xf32>) {
    ^bb0(%in115_0: f32, %in115_1: f32, %out115: f32):
      %m115 = arith.mulf %in115_0, %in115_1 : f32 loc("moe"("bwd"))
      %r115 = arith.addf %m115, %out115 : f32 loc("moe"("bwd"))
      linalg.yield %r115 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %116 = tensor.empty() : tensor<8x8x3x16xf32> loc("moe"("bwd"))
    %117 = linalg.fill ins(%cst_0 : f32) outs(%116 : tensor<8x8x3x16xf32>) -> tensor<8x8x3x16xf32> loc("moe"("bwd"))
    %118 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d1, d4, d0, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%74, %110 : tensor<8x8x8x3xf32>, tensor<8x8x16xf32>) outs(%117 : tensor<8x8x3x16xf32>) {
    ^bb0(%in118_0: f32, %in118_1: f32, %out118: f32):
      %m118 = arith.mulf %in118_0, %in118_1 : f32 loc("moe"("bwd"))
      %r118 = arith.addf %m118, %out118 : f32 loc("moe"("bwd"))
      linalg.yield %r118 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x3x16xf32> loc("moe"("bwd"))
    %119 = tensor.empty() : tensor<8x8x3x48xf32> loc("moe.experts"("bwd"))
    %120 = linalg.fill ins(%cst_0 : f32) outs(%119 : tensor<8x8x3x48xf32>) -> tensor<8x8x3x48xf32> loc("moe.experts"("bwd"))
    %121 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%118, %arg4 : tensor<8x8x3x16xf32>, tensor<8x48x16xf32>) outs(%120 : tensor<8x8x3x48xf32>) {
    ^bb0(%in121_0: f32, %in121_1: f32, %out121: f32):
      %m121 = arith.mulf %in121_0, %in121_1 : f32 loc("moe.experts"("bwd"))
      %r121 = arith.addf %m121, %out121 : f32 loc("moe.experts"("bwd"))
      linalg.yield %r121 : f32 loc("moe.experts"("bwd"))
    } -> tensor<8x8x3x48xf32> loc("moe.experts"("bwd"))
    %122 = tensor.empty() : tensor<8x48x16xf32> loc("moe.experts"("bwd"))
    %123 = linalg.fill ins(%cst_0 : f32) outs(%122 : tensor<8x48x16xf32>) -> tensor<8x48x16xf32> loc("moe.experts"("bwd"))
    %124 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%82, %118 : tensor<8x8x3x48xf32>, tensor<8x8x3x16xf32>) outs(%123 : tensor<8x48x16xf32>) {
    ^bb0(%in124_0: f32, %in124_1: f32, %out124: f32):
      %m124 = arith.mulf %in124_0, %in124_1 : f32 loc("moe.experts"("bwd"))
      %r124 = arith.addf %m124, %out124 : f32 loc("moe.experts"("bwd"))
      linalg.yield %r124 : f32 loc("moe.experts"("bwd"))
    } -> tensor<8x48x16xf32> loc("moe.experts"("bwd"))
    %125 = tensor.empty() : tensor<8x8x3x48xf32> loc("moe.experts"("bwd"))
    %126 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%121, %82 : tensor<8x8x3x48xf32>, tensor<8x8x3x48xf32>) outs(%125 : tensor<8x8x3x48xf32>) {
    ^bb0(%in126_0: f32, %in126_1: f32, %out126: f32):
      %a126 = arith.mulf %in126_1, %in126_1 : f32 loc("moe.experts"("bwd"))
      %b126 = arith.subf %cst_1, %a126 : f32 loc("moe.experts"("bwd"))
      %r126 = arith.mulf %in126_0, %b126 : f32 loc("moe.experts"("bwd"))
      linalg.yield %r126 : f32 loc("moe.experts"("bwd"))
    } -> tensor<8x8x3x48xf32> loc("moe.experts"("bwd"))
    %127 = tensor.empty() : tensor<8x8x3x16xf32> loc("moe.experts"("bwd"))
    %128 = linalg.fill ins(%cst_0 : f32) outs(%127 : tensor<8x8x3x16xf32>) -> tensor<8x8x3x16xf32> loc("moe.experts"("bwd"))
    %129 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%126, %arg3 : tensor<8x8x3x48xf32>, tensor<8x16x48xf32>) outs(%128 : tensor<8x8x3x16xf32>) {
    ^bb0(%in129_0: f32, %in129_1: f32, %out129: f32):
      %m129 = arith.mulf %in129_0, %in129_1 : f32 loc("moe.experts"("bwd"))
      %r129 = arith.addf %m129, %out129 : f32 loc("moe.experts"("bwd"))
      linalg.yield %r129 : f32 loc("moe.experts"("bwd"))
    } -> tensor<8x8x3x16xf32> loc("moe.experts"("bwd"))
    %130 = tensor.empty() : tensor<8x16x48xf32> loc("moe.experts"("bwd"))
    %131 = linalg.fill ins(%cst_0 : f32) outs(%130 : tensor<8x16x48xf32>) -> tensor<8x16x48xf32> loc("moe.experts"("bwd"))
    %132 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d4, d3, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%77, %126 : tensor<8x8x3x16xf32>, tensor<8x8x3x48xf32>) outs(%131 : tensor<8x16x48xf32>) {
    ^bb0(%in132_0: f32, %in132_1: f32, %out132: f32):
      %m132 = arith.mulf %in132_0, %in132_1 : f32 loc("moe.experts"("bwd"))
      %r132 = arith.addf %m132, %out132 : f32 loc("moe.experts"("bwd"))
      linalg.yield %r132 : f32 loc("moe.experts"("bwd"))
    } -> tensor<8x16x48xf32> loc("moe.experts"("bwd"))
    %133 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe.experts"("bwd"))
    %134 = linalg.fill ins(%cst_0 : f32) outs(%133 : tensor<8x8x8x3xf32>) -> tensor<8x8x8x3xf32> loc("moe.experts"("bwd"))
    %135 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d2, d0, d3, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]} ins(%129, %3 : tensor<8x8x3x16xf32>, tensor<8x8x16xf32>) outs(%134 : tensor<8x8x8x3xf32>) {
    ^bb0(%in135_0: f32, %in135_1: f32, %out135: f32):
      %m135 = arith.mulf %in135_0, %in135_1 : f32 loc("moe.experts"("bwd"))
      %r135 = arith.addf %m135, %out135 : f32 loc("moe.experts"("bwd"))
      linalg.yield %r135 : f32 loc("moe.experts"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe.experts"("bwd"))
    %136 = tensor.empty() : tensor<8x8x16xf32> loc("moe.experts"("bwd"))
    %137 = linalg.fill ins(%cst_0 : f32) outs(%136 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32> loc("moe.experts"("bwd"))
    %138 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d0, d3, d2)>, affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"]} ins(%72, %129 : tensor<8x8x8x3xf32>, tensor<8x8x3x16xf32>) outs(%137 : tensor<8x8x16xf32>) {
    ^bb0(%in138_0: f32, %in138_1: f32, %out138: f32):
      %m138 = arith.mulf %in138_0, %in138_1 : f32 loc("moe.experts"("bwd"))
      %r138 = arith.addf %m138, %out138 : f32 loc("moe.experts"("bwd"))
      linalg.yield %r138 : f32 loc("moe.experts"("bwd"))
    } -> tensor<8x8x16xf32> loc("moe.experts"("bwd"))
    %139 = tensor.empty() : tensor<8x8x16xf32> loc("moe.experts"("bwd"))
    %140 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%110, %138 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%139 : tensor<8x8x16xf32>) {
    ^bb0(%in140_0: f32, %in140_1: f32, %out140: f32):
      %r140 = arith.addf %in140_0, %in140_1 : f32 loc("moe.experts"("bwd"))
      linalg.yield %r140 : f32 loc("moe.experts"("bwd"))
    } -> tensor<8x8x16xf32> loc("moe.experts"("bwd"))
    %141 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %142 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%115, %72 : tensor<8x8x8x3xf32>, tensor<8x8x8x3xf32>) outs(%141 : tensor<8x8x8x3xf32>) {
    ^bb0(%in142_0: f32, %in142_1: f32, %out142: f32):
      %r142 = arith.mulf %in142_0, %in142_1 : f32 loc("moe"("bwd"))
      linalg.yield %r142 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %143 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %144 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%115, %24 : tensor<8x8x8x3xf32>, tensor<8x8x8xf32>) outs(%143 : tensor<8x8x8x3xf32>) {
    ^bb0(%in144_0: f32, %in144_1: f32, %out144: f32):
      %r144 = arith.mulf %in144_0, %in144_1 : f32 loc("moe"("bwd"))
      linalg.yield %r144 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %145 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %146 = linalg.fill ins(%cst_0 : f32) outs(%145 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %147 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%142 : tensor<8x8x8x3xf32>) outs(%146 : tensor<8x8x8xf32>) {
    ^bb0(%in147_0: f32, %out147: f32):
      %r147 = arith.addf %in147_0, %out147 : f32 loc("moe"("bwd"))
      linalg.yield %r147 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %148 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %149 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%135, %144 : tensor<8x8x8x3xf32>, tensor<8x8x8x3xf32>) outs(%148 : tensor<8x8x8x3xf32>) {
    ^bb0(%in149_0: f32, %in149_1: f32, %out149: f32):
      %r149 = arith.addf %in149_0, %in149_1 : f32 loc("moe"("bwd"))
      linalg.yield %r149 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %150 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %151 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%149, %68 : tensor<8x8x8x3xf32>, tensor<8x8x3xf32>) outs(%150 : tensor<8x8x8x3xf32>) {
    ^bb0(%in151_0: f32, %in151_1: f32, %out151: f32):
      %r151 = arith.mulf %in151_0, %in151_1 : f32 loc("moe"("bwd"))
      linalg.yield %r151 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %152 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %153 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%149, %36 : tensor<8x8x8x3xf32>, tensor<8x8x8xf32>) outs(%152 : tensor<8x8x8x3xf32>) {
    ^bb0(%in153_0: f32, %in153_1: f32, %out153: f32):
      %r153 = arith.mulf %in153_0, %in153_1 : f32 loc("moe"("bwd"))
      linalg.yield %r153 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %154 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %155 = linalg.fill ins(%cst_0 : f32) outs(%154 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %156 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%151 : tensor<8x8x8x3xf32>) outs(%155 : tensor<8x8x8xf32>) {
    ^bb0(%in156_0: f32, %out156: f32):
      %r156 = arith.addf %in156_0, %out156 : f32 loc("moe"("bwd"))
      linalg.yield %r156 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %157 = tensor.empty() : tensor<8x8x3xf32> loc("moe"("bwd"))
    %158 = linalg.fill ins(%cst_0 : f32) outs(%157 : tensor<8x8x3xf32>) -> tensor<8x8x3xf32> loc("moe"("bwd"))
    %159 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%153 : tensor<8x8x8x3xf32>) outs(%158 : tensor<8x8x3xf32>) {
    ^bb0(%in159_0: f32, %out159: f32):
      %r159 = arith.addf %in159_0, %out159 : f32 loc("moe"("bwd"))
      linalg.yield %r159 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x3xf32> loc("moe"("bwd"))
    %160 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %161 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%149, %51 : tensor<8x8x8x3xf32>, tensor<8x8x3xf32>) outs(%160 : tensor<8x8x8x3xf32>) {
    ^bb0(%in161_0: f32, %in161_1: f32, %out161: f32):
      %r161 = arith.mulf %in161_0, %in161_1 : f32 loc("moe"("bwd"))
      linalg.yield %r161 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %162 = tensor.empty() : tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %163 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%149, %29 : tensor<8x8x8x3xf32>, tensor<8x8x8xf32>) outs(%162 : tensor<8x8x8x3xf32>) {
    ^bb0(%in163_0: f32, %in163_1: f32, %out163: f32):
      %r163 = arith.mulf %in163_0, %in163_1 : f32 loc("moe"("bwd"))
      linalg.yield %r163 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8x3xf32> loc("moe"("bwd"))
    %164 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %165 = linalg.fill ins(%cst_0 : f32) outs(%164 : tensor<8x8x8xf32>) -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %166 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%161 : tensor<8x8x8x3xf32>) outs(%165 : tensor<8x8x8xf32>) {
    ^bb0(%in166_0: f32, %out166: f32):
      %r166 = arith.addf %in166_0, %out166 : f32 loc("moe"("bwd"))
      linalg.yield %r166 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %167 = tensor.empty() : tensor<8x8x3xf32> loc("moe"("bwd"))
    %168 = linalg.fill ins(%cst_0 : f32) outs(%167 : tensor<8x8x3xf32>) -> tensor<8x8x3xf32> loc("moe"("bwd"))
    %169 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3, d2)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%163 : tensor<8x8x8x3xf32>) outs(%168 : tensor<8x8x3xf32>) {
    ^bb0(%in169_0: f32, %out169: f32):
      %r169 = arith.addf %in169_0, %out169 : f32 loc("moe"("bwd"))
      linalg.yield %r169 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x3xf32> loc("moe"("bwd"))
    %170 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %171 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%147, %22 : tensor<8x8x8xf32>, tensor<8x8xf32>) outs(%170 : tensor<8x8x8xf32>) {
    ^bb0(%in171_0: f32, %in171_1: f32, %out171: f32):
      %r171 = arith.mulf %in171_0, %in171_1 : f32 loc("moe"("bwd"))
      linalg.yield %r171 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %172 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %173 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%147, %13 : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%172 : tensor<8x8x8xf32>) {
    ^bb0(%in173_0: f32, %in173_1: f32, %out173: f32):
      %r173 = arith.mulf %in173_0, %in173_1 : f32 loc("moe"("bwd"))
      linalg.yield %r173 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %174 = tensor.empty() : tensor<8x8xf32> loc("moe"("bwd"))
    %175 = linalg.fill ins(%cst_0 : f32) outs(%174 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("bwd"))
    %176 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%173 : tensor<8x8x8xf32>) outs(%175 : tensor<8x8xf32>) {
    ^bb0(%in176_0: f32, %out176: f32):
      %r176 = arith.addf %in176_0, %out176 : f32 loc("moe"("bwd"))
      linalg.yield %r176 : f32 loc("moe"("bwd"))
    } -> tensor<8x8xf32> loc("moe"("bwd"))
    %177 = tensor.empty() : tensor<8x8xf32> loc("moe"("bwd"))
    %178 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%176, %22 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%177 : tensor<8x8xf32>) {
    ^bb0(%in178_0: f32, %in178_1: f32, %out178: f32):
      %r178 = arith.mulf %in178_0, %in178_1 : f32 loc("moe"("bwd"))
      linalg.yield %r178 : f32 loc("moe"("bwd"))
    } -> tensor<8x8xf32> loc("moe"("bwd"))
    %179 = tensor.empty() : tensor<8x8xf32> loc("moe"("bwd"))
    %180 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%178 : tensor<8x8xf32>) outs(%179 : tensor<8x8xf32>) {
    ^bb0(%in180_0: f32, %out180: f32):
      %r180 = arith.negf %in180_0 : f32 loc("moe"("bwd"))
      linalg.yield %r180 : f32 loc("moe"("bwd"))
    } -> tensor<8x8xf32> loc("moe"("bwd"))
    %181 = tensor.empty() : tensor<8x8xf32> loc("moe"("bwd"))
    %182 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%180, %16 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%181 : tensor<8x8xf32>) {
    ^bb0(%in182_0: f32, %in182_1: f32, %out182: f32):
      %r182 = arith.divf %in182_0, %in182_1 : f32 loc("moe"("bwd"))
      linalg.yield %r182 : f32 loc("moe"("bwd"))
    } -> tensor<8x8xf32> loc("moe"("bwd"))
    %183 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %184 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%182 : tensor<8x8xf32>) outs(%183 : tensor<8x8x8xf32>) {
    ^bb0(%in184_0: f32, %out184: f32):
      %r184 = arith.addf %in184_0, %cst_0 : f32 loc("moe"("bwd"))
      linalg.yield %r184 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %185 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %186 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%171, %184 : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%185 : tensor<8x8x8xf32>) {
    ^bb0(%in186_0: f32, %in186_1: f32, %out186: f32):
      %r186 = arith.addf %in186_0, %in186_1 : f32 loc("moe"("bwd"))
      linalg.yield %r186 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %187 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %188 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%186, %13 : tensor<8x8x8xf32>, tensor<8x8x8xf32>) outs(%187 : tensor<8x8x8xf32>) {
    ^bb0(%in188_0: f32, %in188_1: f32, %out188: f32):
      %r188 = arith.mulf %in188_0, %in188_1 : f32 loc("moe"("bwd"))
      linalg.yield %r188 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %189 = tensor.empty() : tensor<8x8x8xf32> loc("moe"("bwd"))
    %190 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%188 : tensor<8x8x8xf32>) outs(%189 : tensor<8x8x8xf32>) {
    ^bb0(%in190_0: f32, %out190: f32):
      %r190 = arith.negf %in190_0 : f32 loc("moe"("bwd"))
      linalg.yield %r190 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x8xf32> loc("moe"("bwd"))
    %191 = tensor.empty() : tensor<8x8xf32> loc("moe"("bwd"))
    %192 = linalg.fill ins(%cst_0 : f32) outs(%191 : tensor<8x8xf32>) -> tensor<8x8xf32> loc("moe"("bwd"))
    %193 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%190 : tensor<8x8x8xf32>) outs(%192 : tensor<8x8xf32>) {
    ^bb0(%in193_0: f32, %out193: f32):
      %r193 = arith.addf %in193_0, %out193 : f32 loc("moe"("bwd"))
      linalg.yield %r193 : f32 loc("moe"("bwd"))
    } -> tensor<8x8xf32> loc("moe"("bwd"))
    %194 = tensor.empty() : tensor<8x8x16xf32> loc("moe"("bwd"))
    %195 = linalg.fill ins(%cst_0 : f32) outs(%194 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32> loc("moe"("bwd"))
    %196 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%188, %arg2 : tensor<8x8x8xf32>, tensor<16x8xf32>) outs(%195 : tensor<8x8x16xf32>) {
    ^bb0(%in196_0: f32, %in196_1: f32, %out196: f32):
      %m196 = arith.mulf %in196_0, %in196_1 : f32 loc("moe"("bwd"))
      %r196 = arith.addf %m196, %out196 : f32 loc("moe"("bwd"))
      linalg.yield %r196 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x16xf32> loc("moe"("bwd"))
    %197 = tensor.empty() : tensor<16x8xf32> loc("moe"("bwd"))
    %198 = linalg.fill ins(%cst_0 : f32) outs(%197 : tensor<16x8xf32>) -> tensor<16x8xf32> loc("moe"("bwd"))
    %199 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d3, d0)>, affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%3, %188 : tensor<8x8x16xf32>, tensor<8x8x8xf32>) outs(%198 : tensor<16x8xf32>) {
    ^bb0(%in199_0: f32, %in199_1: f32, %out199: f32):
      %m199 = arith.mulf %in199_0, %in199_1 : f32 loc("moe"("bwd"))
      %r199 = arith.addf %m199, %out199 : f32 loc("moe"("bwd"))
      linalg.yield %r199 : f32 loc("moe"("bwd"))
    } -> tensor<16x8xf32> loc("moe"("bwd"))
    %200 = tensor.empty() : tensor<8x8x16xf32> loc("moe"("bwd"))
    %201 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%140, %196 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%200 : tensor<8x8x16xf32>) {
    ^bb0(%in201_0: f32, %in201_1: f32, %out201: f32):
      %r201 = arith.addf %in201_0, %in201_1 : f32 loc("moe"("bwd"))
      linalg.yield %r201 : f32 loc("moe"("bwd"))
    } -> tensor<8x8x16xf32> loc("moe"("bwd"))
    %202 = tensor.empty() : tensor<8x8x16xf32> loc("first"("bwd"))
    %203 = linalg.fill ins(%cst_0 : f32) outs(%202 : tensor<8x8x16xf32>) -> tensor<8x8x16xf32> loc("first"("bwd"))
    %204 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%201, %arg1 : tensor<8x8x16xf32>, tensor<16x16xf32>) outs(%203 : tensor<8x8x16xf32>) {
    ^bb0(%in204_0: f32, %in204_1: f32, %out204: f32):
      %m204 = arith.mulf %in204_0, %in204_1 : f32 loc("first"("bwd"))
      %r204 = arith.addf %m204, %out204 : f32 loc("first"("bwd"))
      linalg.yield %r204 : f32 loc("first"("bwd"))
    } -> tensor<8x8x16xf32> loc("first"("bwd"))
    %205 = tensor.empty() : tensor<16x16xf32> loc("first"("bwd"))
    %206 = linalg.fill ins(%cst_0 : f32) outs(%205 : tensor<16x16xf32>) -> tensor<16x16xf32> loc("first"("bwd"))
    %207 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d2, d3, d0)>, affine_map<(d0, d1, d2, d3) -> (d2, d3, d1)>, affine_map<(d0, d1, d2, d3) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction", "reduction"]} ins(%arg0, %201 : tensor<8x8x16xf32>, tensor<8x8x16xf32>) outs(%206 : tensor<16x16xf32>) {
    ^bb0(%in207_0: f32, %in207_1: f32, %out207: f32):
      %m207 = arith.mulf %in207_0, %in207_1 : f32 loc("first"("bwd"))
      %r207 = arith.addf %m207, %out207 : f32 loc("first"("bwd"))
      linalg.yield %r207 : f32 loc("first"("bwd"))
    } -> tensor<16x16xf32> loc("first"("bwd"))
    return %99, %207, %199, %132, %124 : tensor<f32>, tensor<16x16xf32>, tensor<16x8xf32>, tensor<8x16x48xf32>, tensor<8x48x16xf32>
  }
}
