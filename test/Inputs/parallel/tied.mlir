// SPDX-License-Identifier: Apache-2.0
// A feed-forward half block between an embedding and a head that share their weight. Made by steps.py.
module {
  func.func @step(%arg0: tensor<4x8xi64> {fsdp.batch_dim = 0 : i64, fsdp.input = "tokens"},
      %arg1: tensor<40x16xf32> {fsdp.param = "embed.weight"},
      %arg2: tensor<16xf32> {fsdp.param = "h.0.ln.weight"},
      %arg3: tensor<16xf32> {fsdp.param = "h.0.ln.bias"},
      %arg4: tensor<48x16xf32> {fsdp.param = "h.0.fc1.weight"},
      %arg5: tensor<48xf32> {fsdp.param = "h.0.fc1.bias"},
      %arg6: tensor<16x48xf32> {fsdp.param = "h.0.fc2.weight"},
      %arg7: tensor<16xf32> {fsdp.param = "h.0.fc2.bias"},
      %arg8: tensor<16xf32> {fsdp.param = "norm.weight"},
      %arg9: tensor<16xf32> {fsdp.param = "norm.bias"},
      %arg10: tensor<4x8xi64> {fsdp.batch_dim = 0 : i64, fsdp.input = "targets"})
      -> (tensor<f32> {fsdp.loss},
          tensor<40x16xf32> {fsdp.grad = "embed.weight"},
          tensor<16xf32> {fsdp.grad = "h.0.ln.weight"},
          tensor<16xf32> {fsdp.grad = "h.0.ln.bias"},
          tensor<48x16xf32> {fsdp.grad = "h.0.fc1.weight"},
          tensor<48xf32> {fsdp.grad = "h.0.fc1.bias"},
          tensor<16x48xf32> {fsdp.grad = "h.0.fc2.weight"},
          tensor<16xf32> {fsdp.grad = "h.0.fc2.bias"},
          tensor<16xf32> {fsdp.grad = "norm.weight"},
          tensor<16xf32> {fsdp.grad = "norm.bias"}) {
    %cst_0 = arith.constant 0.00000000e+00 : f32
    %cst_1 = arith.constant 1.00000000e+00 : f32
    %cst_2 = arith.constant -5.00000000e-01 : f32
    %cst_3 = arith.constant 6.25000000e-02 : f32
    %cst_4 = arith.constant 1.00000000e-05 : f32
    %cst_5 = arith.constant -1.00000000e+30 : f32
    %cst_6 = arith.constant 3.12500000e-02 : f32
    %1 = tensor.empty() : tensor<4x8x16xf32> loc("embed"("fwd"))
    %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<4x8xi64>) outs(%1 : tensor<4x8x16xf32>) {
    ^bb0(%in2_0: i64, %out2: f32):
      %i2 = arith.index_cast %in2_0 : i64 to index loc("embed"("fwd"))
      %j2 = linalg.index 2 : index loc("embed"("fwd"))
      %r2 = tensor.extract %arg1[%i2, %j2] : tensor<40x16xf32> loc("embed"("fwd"))
      linalg.yield %r2 : f32 loc("embed"("fwd"))
    } -> tensor<4x8x16xf32> loc("embed"("fwd"))
    %3 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %4 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %5 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<4x8x16xf32>) outs(%4 : tensor<4x8xf32>) {
    ^bb0(%in5_0: f32, %out5: f32):
      %r5 = arith.addf %in5_0, %out5 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r5 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %6 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %7 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<4x8xf32>) outs(%6 : tensor<4x8xf32>) {
    ^bb0(%in7_0: f32, %out7: f32):
      %r7 = arith.mulf %in7_0, %cst_3 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r7 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %8 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %7 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%8 : tensor<4x8x16xf32>) {
    ^bb0(%in9_0: f32, %in9_1: f32, %out9: f32):
      %r9 = arith.subf %in9_0, %in9_1 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r9 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %10 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %9 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%10 : tensor<4x8x16xf32>) {
    ^bb0(%in11_0: f32, %in11_1: f32, %out11: f32):
      %r11 = arith.mulf %in11_0, %in11_1 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r11 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %12 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %13 = linalg.fill ins(%cst_0 : f32) outs(%12 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %14 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<4x8x16xf32>) outs(%13 : tensor<4x8xf32>) {
    ^bb0(%in14_0: f32, %out14: f32):
      %r14 = arith.addf %in14_0, %out14 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r14 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %15 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %16 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%14 : tensor<4x8xf32>) outs(%15 : tensor<4x8xf32>) {
    ^bb0(%in16_0: f32, %out16: f32):
      %r16 = arith.mulf %in16_0, %cst_3 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r16 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %17 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%16 : tensor<4x8xf32>) outs(%17 : tensor<4x8xf32>) {
    ^bb0(%in18_0: f32, %out18: f32):
      %r18 = arith.addf %in18_0, %cst_4 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r18 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %19 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %20 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%18 : tensor<4x8xf32>) outs(%19 : tensor<4x8xf32>) {
    ^bb0(%in20_0: f32, %out20: f32):
      %r20 = math.rsqrt %in20_0 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r20 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("fwd"))
    %21 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %22 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9, %20 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%21 : tensor<4x8x16xf32>) {
    ^bb0(%in22_0: f32, %in22_1: f32, %out22: f32):
      %r22 = arith.mulf %in22_0, %in22_1 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r22 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %23 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22, %arg2 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%23 : tensor<4x8x16xf32>) {
    ^bb0(%in24_0: f32, %in24_1: f32, %out24: f32):
      %r24 = arith.mulf %in24_0, %in24_1 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r24 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %25 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%24, %arg3 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%25 : tensor<4x8x16xf32>) {
    ^bb0(%in26_0: f32, %in26_1: f32, %out26: f32):
      %r26 = arith.addf %in26_0, %in26_1 : f32 loc("h.0.ln"("fwd"))
      linalg.yield %r26 : f32 loc("h.0.ln"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("fwd"))
    %27 = tensor.collapse_shape %26 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.fc1"("fwd"))
    %28 = tensor.empty() : tensor<16x48xf32> loc("h.0.fc1"("fwd"))
    %29 = linalg.transpose ins(%arg4 : tensor<48x16xf32>) outs(%28 : tensor<16x48xf32>) permutation = [1, 0] loc("h.0.fc1"("fwd"))
    %30 = tensor.empty() : tensor<32x48xf32> loc("h.0.fc1"("fwd"))
    %31 = linalg.fill ins(%cst_0 : f32) outs(%30 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.0.fc1"("fwd"))
    %32 = linalg.matmul ins(%27, %29 : tensor<32x16xf32>, tensor<16x48xf32>) outs(%31 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.0.fc1"("fwd"))
    %33 = tensor.expand_shape %32 [[0, 1], [2]] output_shape [4, 8, 48] : tensor<32x48xf32> into tensor<4x8x48xf32> loc("h.0.fc1"("fwd"))
    %34 = tensor.empty() : tensor<4x8x48xf32> loc("h.0.fc1"("fwd"))
    %35 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%33, %arg5 : tensor<4x8x48xf32>, tensor<48xf32>) outs(%34 : tensor<4x8x48xf32>) {
    ^bb0(%in35_0: f32, %in35_1: f32, %out35: f32):
      %r35 = arith.addf %in35_0, %in35_1 : f32 loc("h.0.fc1"("fwd"))
      linalg.yield %r35 : f32 loc("h.0.fc1"("fwd"))
    } -> tensor<4x8x48xf32> loc("h.0.fc1"("fwd"))
    %36 = tensor.empty() : tensor<4x8x48xf32> loc("h.0"("fwd"))
    %37 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%35 : tensor<4x8x48xf32>) outs(%36 : tensor<4x8x48xf32>) {
    ^bb0(%in37_0: f32, %out37: f32):
      %r37 = math.tanh %in37_0 : f32 loc("h.0"("fwd"))
      linalg.yield %r37 : f32 loc("h.0"("fwd"))
    } -> tensor<4x8x48xf32> loc("h.0"("fwd"))
    %38 = tensor.collapse_shape %37 [[0, 1], [2]] : tensor<4x8x48xf32> into tensor<32x48xf32> loc("h.0.fc2"("fwd"))
    %39 = tensor.empty() : tensor<48x16xf32> loc("h.0.fc2"("fwd"))
    %40 = linalg.transpose ins(%arg6 : tensor<16x48xf32>) outs(%39 : tensor<48x16xf32>) permutation = [1, 0] loc("h.0.fc2"("fwd"))
    %41 = tensor.empty() : tensor<32x16xf32> loc("h.0.fc2"("fwd"))
    %42 = linalg.fill ins(%cst_0 : f32) outs(%41 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.fc2"("fwd"))
    %43 = linalg.matmul ins(%38, %40 : tensor<32x48xf32>, tensor<48x16xf32>) outs(%42 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.fc2"("fwd"))
    %44 = tensor.expand_shape %43 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.fc2"("fwd"))
    %45 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.fc2"("fwd"))
    %46 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44, %arg7 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%45 : tensor<4x8x16xf32>) {
    ^bb0(%in46_0: f32, %in46_1: f32, %out46: f32):
      %r46 = arith.addf %in46_0, %in46_1 : f32 loc("h.0.fc2"("fwd"))
      linalg.yield %r46 : f32 loc("h.0.fc2"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0.fc2"("fwd"))
    %47 = tensor.empty() : tensor<4x8x16xf32> loc("h.0"("fwd"))
    %48 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2, %46 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%47 : tensor<4x8x16xf32>) {
    ^bb0(%in48_0: f32, %in48_1: f32, %out48: f32):
      %r48 = arith.addf %in48_0, %in48_1 : f32 loc("h.0"("fwd"))
      linalg.yield %r48 : f32 loc("h.0"("fwd"))
    } -> tensor<4x8x16xf32> loc("h.0"("fwd"))
    %49 = tensor.empty() : tensor<4x8xf32> loc("norm"("fwd"))
    %50 = linalg.fill ins(%cst_0 : f32) outs(%49 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("norm"("fwd"))
    %51 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%48 : tensor<4x8x16xf32>) outs(%50 : tensor<4x8xf32>) {
    ^bb0(%in51_0: f32, %out51: f32):
      %r51 = arith.addf %in51_0, %out51 : f32 loc("norm"("fwd"))
      linalg.yield %r51 : f32 loc("norm"("fwd"))
    } -> tensor<4x8xf32> loc("norm"("fwd"))
    %52 = tensor.empty() : tensor<4x8xf32> loc("norm"("fwd"))
    %53 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%51 : tensor<4x8xf32>) outs(%52 : tensor<4x8xf32>) {
    ^bb0(%in53_0: f32, %out53: f32):
      %r53 = arith.mulf %in53_0, %cst_3 : f32 loc("norm"("fwd"))
      linalg.yield %r53 : f32 loc("norm"("fwd"))
    } -> tensor<4x8xf32> loc("norm"("fwd"))
    %54 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("fwd"))
    %55 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%48, %53 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%54 : tensor<4x8x16xf32>) {
    ^bb0(%in55_0: f32, %in55_1: f32, %out55: f32):
      %r55 = arith.subf %in55_0, %in55_1 : f32 loc("norm"("fwd"))
      linalg.yield %r55 : f32 loc("norm"("fwd"))
    } -> tensor<4x8x16xf32> loc("norm"("fwd"))
    %56 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("fwd"))
    %57 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55, %55 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%56 : tensor<4x8x16xf32>) {
    ^bb0(%in57_0: f32, %in57_1: f32, %out57: f32):
      %r57 = arith.mulf %in57_0, %in57_1 : f32 loc("norm"("fwd"))
      linalg.yield %r57 : f32 loc("norm"("fwd"))
    } -> tensor<4x8x16xf32> loc("norm"("fwd"))
    %58 = tensor.empty() : tensor<4x8xf32> loc("norm"("fwd"))
    %59 = linalg.fill ins(%cst_0 : f32) outs(%58 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("norm"("fwd"))
    %60 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%57 : tensor<4x8x16xf32>) outs(%59 : tensor<4x8xf32>) {
    ^bb0(%in60_0: f32, %out60: f32):
      %r60 = arith.addf %in60_0, %out60 : f32 loc("norm"("fwd"))
      linalg.yield %r60 : f32 loc("norm"("fwd"))
    } -> tensor<4x8xf32> loc("norm"("fwd"))
    %61 = tensor.empty() : tensor<4x8xf32> loc("norm"("fwd"))
    %62 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%60 : tensor<4x8xf32>) outs(%61 : tensor<4x8xf32>) {
    ^bb0(%in62_0: f32, %out62: f32):
      %r62 = arith.mulf %in62_0, %cst_3 : f32 loc("norm"("fwd"))
      linalg.yield %r62 : f32 loc("norm"("fwd"))
    } -> tensor<4x8xf32> loc("norm"("fwd"))
    %63 = tensor.empty() : tensor<4x8xf32> loc("norm"("fwd"))
    %64 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%62 : tensor<4x8xf32>) outs(%63 : tensor<4x8xf32>) {
    ^bb0(%in64_0: f32, %out64: f32):
      %r64 = arith.addf %in64_0, %cst_4 : f32 loc("norm"("fwd"))
      linalg.yield %r64 : f32 loc("norm"("fwd"))
    } -> tensor<4x8xf32> loc("norm"("fwd"))
    %65 = tensor.empty() : tensor<4x8xf32> loc("norm"("fwd"))
    %66 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%64 : tensor<4x8xf32>) outs(%65 : tensor<4x8xf32>) {
    ^bb0(%in66_0: f32, %out66: f32):
      %r66 = math.rsqrt %in66_0 : f32 loc("norm"("fwd"))
      linalg.yield %r66 : f32 loc("norm"("fwd"))
    } -> tensor<4x8xf32> loc("norm"("fwd"))
    %67 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("fwd"))
    %68 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%55, %66 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%67 : tensor<4x8x16xf32>) {
    ^bb0(%in68_0: f32, %in68_1: f32, %out68: f32):
      %r68 = arith.mulf %in68_0, %in68_1 : f32 loc("norm"("fwd"))
      linalg.yield %r68 : f32 loc("norm"("fwd"))
    } -> tensor<4x8x16xf32> loc("norm"("fwd"))
    %69 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("fwd"))
    %70 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%68, %arg8 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%69 : tensor<4x8x16xf32>) {
    ^bb0(%in70_0: f32, %in70_1: f32, %out70: f32):
      %r70 = arith.mulf %in70_0, %in70_1 : f32 loc("norm"("fwd"))
      linalg.yield %r70 : f32 loc("norm"("fwd"))
    } -> tensor<4x8x16xf32> loc("norm"("fwd"))
    %71 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("fwd"))
    %72 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%70, %arg9 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%71 : tensor<4x8x16xf32>) {
    ^bb0(%in72_0: f32, %in72_1: f32, %out72: f32):
      %r72 = arith.addf %in72_0, %in72_1 : f32 loc("norm"("fwd"))
      linalg.yield %r72 : f32 loc("norm"("fwd"))
    } -> tensor<4x8x16xf32> loc("norm"("fwd"))
    %73 = tensor.collapse_shape %72 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("head"("fwd"))
    %74 = tensor.empty() : tensor<16x40xf32> loc("head"("fwd"))
    %75 = linalg.transpose ins(%arg1 : tensor<40x16xf32>) outs(%74 : tensor<16x40xf32>) permutation = [1, 0] loc("head"("fwd"))
    %76 = tensor.empty() : tensor<32x40xf32> loc("head"("fwd"))
    %77 = linalg.fill ins(%cst_0 : f32) outs(%76 : tensor<32x40xf32>) -> tensor<32x40xf32> loc("head"("fwd"))
    %78 = linalg.matmul ins(%73, %75 : tensor<32x16xf32>, tensor<16x40xf32>) outs(%77 : tensor<32x40xf32>) -> tensor<32x40xf32> loc("head"("fwd"))
    %79 = tensor.expand_shape %78 [[0, 1], [2]] output_shape [4, 8, 40] : tensor<32x40xf32> into tensor<4x8x40xf32> loc("head"("fwd"))
    %80 = tensor.collapse_shape %79 [[0, 1], [2]] : tensor<4x8x40xf32> into tensor<32x40xf32> loc("head"("fwd"))
    %81 = tensor.collapse_shape %arg10 [[0, 1]] : tensor<4x8xi64> into tensor<32xi64> loc("<root>"("fwd"))
    %82 = tensor.empty() : tensor<32xf32> loc("<root>"("fwd"))
    %83 = linalg.fill ins(%cst_5 : f32) outs(%82 : tensor<32xf32>) -> tensor<32xf32> loc("<root>"("fwd"))
    %84 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%80 : tensor<32x40xf32>) outs(%83 : tensor<32xf32>) {
    ^bb0(%in84_0: f32, %out84: f32):
      %r84 = arith.maximumf %in84_0, %out84 : f32 loc("<root>"("fwd"))
      linalg.yield %r84 : f32 loc("<root>"("fwd"))
    } -> tensor<32xf32> loc("<root>"("fwd"))
    %85 = tensor.empty() : tensor<32x40xf32> loc("<root>"("fwd"))
    %86 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%80, %84 : tensor<32x40xf32>, tensor<32xf32>) outs(%85 : tensor<32x40xf32>) {
    ^bb0(%in86_0: f32, %in86_1: f32, %out86: f32):
      %r86 = arith.subf %in86_0, %in86_1 : f32 loc("<root>"("fwd"))
      linalg.yield %r86 : f32 loc("<root>"("fwd"))
    } -> tensor<32x40xf32> loc("<root>"("fwd"))
    %87 = tensor.empty() : tensor<32x40xf32> loc("<root>"("fwd"))
    %88 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%86 : tensor<32x40xf32>) outs(%87 : tensor<32x40xf32>) {
    ^bb0(%in88_0: f32, %out88: f32):
      %r88 = math.exp %in88_0 : f32 loc("<root>"("fwd"))
      linalg.yield %r88 : f32 loc("<root>"("fwd"))
    } -> tensor<32x40xf32> loc("<root>"("fwd"))
    %89 = tensor.empty() : tensor<32xf32> loc("<root>"("fwd"))
    %90 = linalg.fill ins(%cst_0 : f32) outs(%89 : tensor<32xf32>) -> tensor<32xf32> loc("<root>"("fwd"))
    %91 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%88 : tensor<32x40xf32>) outs(%90 : tensor<32xf32>) {
    ^bb0(%in91_0: f32, %out91: f32):
      %r91 = arith.addf %in91_0, %out91 : f32 loc("<root>"("fwd"))
      linalg.yield %r91 : f32 loc("<root>"("fwd"))
    } -> tensor<32xf32> loc("<root>"("fwd"))
    %92 = tensor.empty() : tensor<32xf32> loc("<root>"("fwd"))
    %93 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%91 : tensor<32xf32>) outs(%92 : tensor<32xf32>) {
    ^bb0(%in93_0: f32, %out93: f32):
      %r93 = math.log %in93_0 : f32 loc("<root>"("fwd"))
      linalg.yield %r93 : f32 loc("<root>"("fwd"))
    } -> tensor<32xf32> loc("<root>"("fwd"))
    %94 = tensor.empty() : tensor<32xf32> loc("<root>"("fwd"))
    %95 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%81 : tensor<32xi64>) outs(%94 : tensor<32xf32>) {
    ^bb0(%in95_0: i64, %out95: f32):
      %i95 = linalg.index 0 : index loc("<root>"("fwd"))
      %j95 = arith.index_cast %in95_0 : i64 to index loc("<root>"("fwd"))
      %r95 = tensor.extract %86[%i95, %j95] : tensor<32x40xf32> loc("<root>"("fwd"))
      linalg.yield %r95 : f32 loc("<root>"("fwd"))
    } -> tensor<32xf32> loc("<root>"("fwd"))
    %96 = tensor.empty() : tensor<32xf32> loc("<root>"("fwd"))
    %97 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%93, %95 : tensor<32xf32>, tensor<32xf32>) outs(%96 : tensor<32xf32>) {
    ^bb0(%in97_0: f32, %in97_1: f32, %out97: f32):
      %r97 = arith.subf %in97_0, %in97_1 : f32 loc("<root>"("fwd"))
      linalg.yield %r97 : f32 loc("<root>"("fwd"))
    } -> tensor<32xf32> loc("<root>"("fwd"))
    %98 = tensor.empty() : tensor<f32> loc("<root>"("fwd"))
    %99 = linalg.fill ins(%cst_0 : f32) outs(%98 : tensor<f32>) -> tensor<f32> loc("<root>"("fwd"))
    %100 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]} ins(%97 : tensor<32xf32>) outs(%99 : tensor<f32>) {
    ^bb0(%in100_0: f32, %out100: f32):
      %r100 = arith.addf %in100_0, %out100 : f32 loc("<root>"("fwd"))
      linalg.yield %r100 : f32 loc("<root>"("fwd"))
    } -> tensor<f32> loc("<root>"("fwd"))
    %101 = tensor.empty() : tensor<f32> loc("<root>"("fwd"))
    %102 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%100 : tensor<f32>) outs(%101 : tensor<f32>) {
    ^bb0(%in102_0: f32, %out102: f32):
      %r102 = arith.mulf %in102_0, %cst_6 : f32 loc("<root>"("fwd"))
      linalg.yield %r102 : f32 loc("<root>"("fwd"))
    } -> tensor<f32> loc("<root>"("fwd"))
    %103 = arith.constant dense<1.0> : tensor<f32> loc("<root>"("bwd"))
    %104 = tensor.empty() : tensor<f32> loc("<root>"("bwd"))
    %105 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%103 : tensor<f32>) outs(%104 : tensor<f32>) {
    ^bb0(%in105_0: f32, %out105: f32):
      %r105 = arith.mulf %in105_0, %cst_6 : f32 loc("<root>"("bwd"))
      linalg.yield %r105 : f32 loc("<root>"("bwd"))
    } -> tensor<f32> loc("<root>"("bwd"))
    %106 = tensor.empty() : tensor<32xf32> loc("<root>"("bwd"))
    %107 = linalg.generic {indexing_maps = [affine_map<(d0) -> ()>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%105 : tensor<f32>) outs(%106 : tensor<32xf32>) {
    ^bb0(%in107_0: f32, %out107: f32):
      %r107 = arith.addf %in107_0, %cst_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r107 : f32 loc("<root>"("bwd"))
    } -> tensor<32xf32> loc("<root>"("bwd"))
    %108 = tensor.empty() : tensor<32xf32> loc("<root>"("bwd"))
    %109 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%107 : tensor<32xf32>) outs(%108 : tensor<32xf32>) {
    ^bb0(%in109_0: f32, %out109: f32):
      %r109 = arith.negf %in109_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r109 : f32 loc("<root>"("bwd"))
    } -> tensor<32xf32> loc("<root>"("bwd"))
    %110 = tensor.empty() : tensor<32x40xf32> loc("<root>"("bwd"))
    %111 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%109, %81 : tensor<32xf32>, tensor<32xi64>) outs(%110 : tensor<32x40xf32>) {
    ^bb0(%in111_0: f32, %in111_1: i64, %out111: f32):
      %v111 = linalg.index 1 : index loc("<root>"("bwd"))
      %i111 = arith.index_cast %v111 : index to i64 loc("<root>"("bwd"))
      %a111 = arith.cmpi eq, %i111, %in111_1 : i64 loc("<root>"("bwd"))
      %r111 = arith.select %a111, %in111_0, %cst_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r111 : f32 loc("<root>"("bwd"))
    } -> tensor<32x40xf32> loc("<root>"("bwd"))
    %112 = tensor.empty() : tensor<32xf32> loc("<root>"("bwd"))
    %113 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%107, %91 : tensor<32xf32>, tensor<32xf32>) outs(%112 : tensor<32xf32>) {
    ^bb0(%in113_0: f32, %in113_1: f32, %out113: f32):
      %r113 = arith.divf %in113_0, %in113_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r113 : f32 loc("<root>"("bwd"))
    } -> tensor<32xf32> loc("<root>"("bwd"))
    %114 = tensor.empty() : tensor<32x40xf32> loc("<root>"("bwd"))
    %115 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%113 : tensor<32xf32>) outs(%114 : tensor<32x40xf32>) {
    ^bb0(%in115_0: f32, %out115: f32):
      %r115 = arith.addf %in115_0, %cst_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r115 : f32 loc("<root>"("bwd"))
    } -> tensor<32x40xf32> loc("<root>"("bwd"))
    %116 = tensor.empty() : tensor<32x40xf32> loc("<root>"("bwd"))
    %117 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%115, %88 : tensor<32x40xf32>, tensor<32x40xf32>) outs(%116 : tensor<32x40xf32>) {
    ^bb0(%in117_0: f32, %in117_1: f32, %out117: f32):
      %r117 = arith.mulf %in117_0, %in117_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r117 : f32 loc("<root>"("bwd"))
    } -> tensor<32x40xf32> loc("<root>"("bwd"))
    %118 = tensor.empty() : tensor<32x40xf32> loc("<root>"("bwd"))
    %119 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%111, %117 : tensor<32x40xf32>, tensor<32x40xf32>) outs(%118 : tensor<32x40xf32>) {
    ^bb0(%in119_0: f32, %in119_1: f32, %out119: f32):
      %r119 = arith.addf %in119_0, %in119_1 : f32 loc("<root>"("bwd"))
      linalg.yield %r119 : f32 loc("<root>"("bwd"))
    } -> tensor<32x40xf32> loc("<root>"("bwd"))
    %120 = tensor.empty() : tensor<32x40xf32> loc("<root>"("bwd"))
    %121 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%119 : tensor<32x40xf32>) outs(%120 : tensor<32x40xf32>) {
    ^bb0(%in121_0: f32, %out121: f32):
      %r121 = arith.negf %in121_0 : f32 loc("<root>"("bwd"))
      linalg.yield %r121 : f32 loc("<root>"("bwd"))
    } -> tensor<32x40xf32> loc("<root>"("bwd"))
    %122 = tensor.empty() : tensor<32xf32> loc("<root>"("bwd"))
    %123 = linalg.fill ins(%cst_0 : f32) outs(%122 : tensor<32xf32>) -> tensor<32xf32> loc("<root>"("bwd"))
    %124 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%121 : tensor<32x40xf32>) outs(%123 : tensor<32xf32>) {
    ^bb0(%in124_0: f32, %out124: f32):
      %r124 = arith.addf %in124_0, %out124 : f32 loc("<root>"("bwd"))
      linalg.yield %r124 : f32 loc("<root>"("bwd"))
    } -> tensor<32xf32> loc("<root>"("bwd"))
    %125 = tensor.expand_shape %119 [[0, 1], [2]] output_shape [4, 8, 40] : tensor<32x40xf32> into tensor<4x8x40xf32> loc("head"("bwd"))
    %126 = tensor.collapse_shape %125 [[0, 1], [2]] : tensor<4x8x40xf32> into tensor<32x40xf32> loc("head"("bwd"))
    %127 = tensor.empty() : tensor<32x16xf32> loc("head"("bwd"))
    %128 = linalg.fill ins(%cst_0 : f32) outs(%127 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("head"("bwd"))
    %129 = linalg.matmul ins(%126, %arg1 : tensor<32x40xf32>, tensor<40x16xf32>) outs(%128 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("head"("bwd"))
    %130 = tensor.expand_shape %129 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("head"("bwd"))
    %131 = tensor.empty() : tensor<16x4x8xf32> loc("head"("bwd"))
    %132 = linalg.transpose ins(%72 : tensor<4x8x16xf32>) outs(%131 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("head"("bwd"))
    %133 = tensor.collapse_shape %132 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("head"("bwd"))
    %134 = tensor.collapse_shape %125 [[0, 1], [2]] : tensor<4x8x40xf32> into tensor<32x40xf32> loc("head"("bwd"))
    %135 = tensor.empty() : tensor<16x40xf32> loc("head"("bwd"))
    %136 = linalg.fill ins(%cst_0 : f32) outs(%135 : tensor<16x40xf32>) -> tensor<16x40xf32> loc("head"("bwd"))
    %137 = linalg.matmul ins(%133, %134 : tensor<16x32xf32>, tensor<32x40xf32>) outs(%136 : tensor<16x40xf32>) -> tensor<16x40xf32> loc("head"("bwd"))
    %138 = tensor.empty() : tensor<40x16xf32> loc("head"("bwd"))
    %139 = linalg.transpose ins(%137 : tensor<16x40xf32>) outs(%138 : tensor<40x16xf32>) permutation = [1, 0] loc("head"("bwd"))
    %140 = tensor.empty() : tensor<16xf32> loc("norm"("bwd"))
    %141 = linalg.fill ins(%cst_0 : f32) outs(%140 : tensor<16xf32>) -> tensor<16xf32> loc("norm"("bwd"))
    %142 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%130 : tensor<4x8x16xf32>) outs(%141 : tensor<16xf32>) {
    ^bb0(%in142_0: f32, %out142: f32):
      %r142 = arith.addf %in142_0, %out142 : f32 loc("norm"("bwd"))
      linalg.yield %r142 : f32 loc("norm"("bwd"))
    } -> tensor<16xf32> loc("norm"("bwd"))
    %143 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %144 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%130, %arg8 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%143 : tensor<4x8x16xf32>) {
    ^bb0(%in144_0: f32, %in144_1: f32, %out144: f32):
      %r144 = arith.mulf %in144_0, %in144_1 : f32 loc("norm"("bwd"))
      linalg.yield %r144 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %145 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %146 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%130, %68 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%145 : tensor<4x8x16xf32>) {
    ^bb0(%in146_0: f32, %in146_1: f32, %out146: f32):
      %r146 = arith.mulf %in146_0, %in146_1 : f32 loc("norm"("bwd"))
      linalg.yield %r146 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %147 = tensor.empty() : tensor<16xf32> loc("norm"("bwd"))
    %148 = linalg.fill ins(%cst_0 : f32) outs(%147 : tensor<16xf32>) -> tensor<16xf32> loc("norm"("bwd"))
    %149 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%146 : tensor<4x8x16xf32>) outs(%148 : tensor<16xf32>) {
    ^bb0(%in149_0: f32, %out149: f32):
      %r149 = arith.addf %in149_0, %out149 : f32 loc("norm"("bwd"))
      linalg.yield %r149 : f32 loc("norm"("bwd"))
    } -> tensor<16xf32> loc("norm"("bwd"))
    %150 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %151 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%144, %66 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%150 : tensor<4x8x16xf32>) {
    ^bb0(%in151_0: f32, %in151_1: f32, %out151: f32):
      %r151 = arith.mulf %in151_0, %in151_1 : f32 loc("norm"("bwd"))
      linalg.yield %r151 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %152 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %153 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%144, %55 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%152 : tensor<4x8x16xf32>) {
    ^bb0(%in153_0: f32, %in153_1: f32, %out153: f32):
      %r153 = arith.mulf %in153_0, %in153_1 : f32 loc("norm"("bwd"))
      linalg.yield %r153 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %154 = tensor.empty() : tensor<4x8xf32> loc("norm"("bwd"))
    %155 = linalg.fill ins(%cst_0 : f32) outs(%154 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("norm"("bwd"))
    %156 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%153 : tensor<4x8x16xf32>) outs(%155 : tensor<4x8xf32>) {
    ^bb0(%in156_0: f32, %out156: f32):
      %r156 = arith.addf %in156_0, %out156 : f32 loc("norm"("bwd"))
      linalg.yield %r156 : f32 loc("norm"("bwd"))
    } -> tensor<4x8xf32> loc("norm"("bwd"))
    %157 = tensor.empty() : tensor<4x8xf32> loc("norm"("bwd"))
    %158 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%156, %66 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%157 : tensor<4x8xf32>) {
    ^bb0(%in158_0: f32, %in158_1: f32, %out158: f32):
      %a158 = arith.mulf %in158_1, %in158_1 : f32 loc("norm"("bwd"))
      %b158 = arith.mulf %a158, %in158_1 : f32 loc("norm"("bwd"))
      %c158 = arith.mulf %b158, %cst_2 : f32 loc("norm"("bwd"))
      %r158 = arith.mulf %c158, %in158_0 : f32 loc("norm"("bwd"))
      linalg.yield %r158 : f32 loc("norm"("bwd"))
    } -> tensor<4x8xf32> loc("norm"("bwd"))
    %159 = tensor.empty() : tensor<4x8xf32> loc("norm"("bwd"))
    %160 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%158 : tensor<4x8xf32>) outs(%159 : tensor<4x8xf32>) {
    ^bb0(%in160_0: f32, %out160: f32):
      %r160 = arith.mulf %in160_0, %cst_3 : f32 loc("norm"("bwd"))
      linalg.yield %r160 : f32 loc("norm"("bwd"))
    } -> tensor<4x8xf32> loc("norm"("bwd"))
    %161 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %162 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%160 : tensor<4x8xf32>) outs(%161 : tensor<4x8x16xf32>) {
    ^bb0(%in162_0: f32, %out162: f32):
      %r162 = arith.addf %in162_0, %cst_0 : f32 loc("norm"("bwd"))
      linalg.yield %r162 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %163 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %164 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%162, %55 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%163 : tensor<4x8x16xf32>) {
    ^bb0(%in164_0: f32, %in164_1: f32, %out164: f32):
      %r164 = arith.mulf %in164_0, %in164_1 : f32 loc("norm"("bwd"))
      linalg.yield %r164 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %165 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %166 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%162, %55 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%165 : tensor<4x8x16xf32>) {
    ^bb0(%in166_0: f32, %in166_1: f32, %out166: f32):
      %r166 = arith.mulf %in166_0, %in166_1 : f32 loc("norm"("bwd"))
      linalg.yield %r166 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %167 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %168 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%151, %164 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%167 : tensor<4x8x16xf32>) {
    ^bb0(%in168_0: f32, %in168_1: f32, %out168: f32):
      %r168 = arith.addf %in168_0, %in168_1 : f32 loc("norm"("bwd"))
      linalg.yield %r168 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %169 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %170 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%168, %166 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%169 : tensor<4x8x16xf32>) {
    ^bb0(%in170_0: f32, %in170_1: f32, %out170: f32):
      %r170 = arith.addf %in170_0, %in170_1 : f32 loc("norm"("bwd"))
      linalg.yield %r170 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %171 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %172 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%170 : tensor<4x8x16xf32>) outs(%171 : tensor<4x8x16xf32>) {
    ^bb0(%in172_0: f32, %out172: f32):
      %r172 = arith.negf %in172_0 : f32 loc("norm"("bwd"))
      linalg.yield %r172 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %173 = tensor.empty() : tensor<4x8xf32> loc("norm"("bwd"))
    %174 = linalg.fill ins(%cst_0 : f32) outs(%173 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("norm"("bwd"))
    %175 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%172 : tensor<4x8x16xf32>) outs(%174 : tensor<4x8xf32>) {
    ^bb0(%in175_0: f32, %out175: f32):
      %r175 = arith.addf %in175_0, %out175 : f32 loc("norm"("bwd"))
      linalg.yield %r175 : f32 loc("norm"("bwd"))
    } -> tensor<4x8xf32> loc("norm"("bwd"))
    %176 = tensor.empty() : tensor<4x8xf32> loc("norm"("bwd"))
    %177 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%175 : tensor<4x8xf32>) outs(%176 : tensor<4x8xf32>) {
    ^bb0(%in177_0: f32, %out177: f32):
      %r177 = arith.mulf %in177_0, %cst_3 : f32 loc("norm"("bwd"))
      linalg.yield %r177 : f32 loc("norm"("bwd"))
    } -> tensor<4x8xf32> loc("norm"("bwd"))
    %178 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %179 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%177 : tensor<4x8xf32>) outs(%178 : tensor<4x8x16xf32>) {
    ^bb0(%in179_0: f32, %out179: f32):
      %r179 = arith.addf %in179_0, %cst_0 : f32 loc("norm"("bwd"))
      linalg.yield %r179 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %180 = tensor.empty() : tensor<4x8x16xf32> loc("norm"("bwd"))
    %181 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%170, %179 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%180 : tensor<4x8x16xf32>) {
    ^bb0(%in181_0: f32, %in181_1: f32, %out181: f32):
      %r181 = arith.addf %in181_0, %in181_1 : f32 loc("norm"("bwd"))
      linalg.yield %r181 : f32 loc("norm"("bwd"))
    } -> tensor<4x8x16xf32> loc("norm"("bwd"))
    %182 = tensor.empty() : tensor<16xf32> loc("h.0.fc2"("bwd"))
    %183 = linalg.fill ins(%cst_0 : f32) outs(%182 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.fc2"("bwd"))
    %184 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%181 : tensor<4x8x16xf32>) outs(%183 : tensor<16xf32>) {
    ^bb0(%in184_0: f32, %out184: f32):
      %r184 = arith.addf %in184_0, %out184 : f32 loc("h.0.fc2"("bwd"))
      linalg.yield %r184 : f32 loc("h.0.fc2"("bwd"))
    } -> tensor<16xf32> loc("h.0.fc2"("bwd"))
    %185 = tensor.collapse_shape %181 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.fc2"("bwd"))
    %186 = tensor.empty() : tensor<32x48xf32> loc("h.0.fc2"("bwd"))
    %187 = linalg.fill ins(%cst_0 : f32) outs(%186 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.0.fc2"("bwd"))
    %188 = linalg.matmul ins(%185, %arg6 : tensor<32x16xf32>, tensor<16x48xf32>) outs(%187 : tensor<32x48xf32>) -> tensor<32x48xf32> loc("h.0.fc2"("bwd"))
    %189 = tensor.expand_shape %188 [[0, 1], [2]] output_shape [4, 8, 48] : tensor<32x48xf32> into tensor<4x8x48xf32> loc("h.0.fc2"("bwd"))
    %190 = tensor.empty() : tensor<48x4x8xf32> loc("h.0.fc2"("bwd"))
    %191 = linalg.transpose ins(%37 : tensor<4x8x48xf32>) outs(%190 : tensor<48x4x8xf32>) permutation = [2, 0, 1] loc("h.0.fc2"("bwd"))
    %192 = tensor.collapse_shape %191 [[0], [1, 2]] : tensor<48x4x8xf32> into tensor<48x32xf32> loc("h.0.fc2"("bwd"))
    %193 = tensor.collapse_shape %181 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("h.0.fc2"("bwd"))
    %194 = tensor.empty() : tensor<48x16xf32> loc("h.0.fc2"("bwd"))
    %195 = linalg.fill ins(%cst_0 : f32) outs(%194 : tensor<48x16xf32>) -> tensor<48x16xf32> loc("h.0.fc2"("bwd"))
    %196 = linalg.matmul ins(%192, %193 : tensor<48x32xf32>, tensor<32x16xf32>) outs(%195 : tensor<48x16xf32>) -> tensor<48x16xf32> loc("h.0.fc2"("bwd"))
    %197 = tensor.empty() : tensor<16x48xf32> loc("h.0.fc2"("bwd"))
    %198 = linalg.transpose ins(%196 : tensor<48x16xf32>) outs(%197 : tensor<16x48xf32>) permutation = [1, 0] loc("h.0.fc2"("bwd"))
    %199 = tensor.empty() : tensor<4x8x48xf32> loc("h.0"("bwd"))
    %200 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%189, %37 : tensor<4x8x48xf32>, tensor<4x8x48xf32>) outs(%199 : tensor<4x8x48xf32>) {
    ^bb0(%in200_0: f32, %in200_1: f32, %out200: f32):
      %a200 = arith.mulf %in200_1, %in200_1 : f32 loc("h.0"("bwd"))
      %b200 = arith.subf %cst_1, %a200 : f32 loc("h.0"("bwd"))
      %r200 = arith.mulf %in200_0, %b200 : f32 loc("h.0"("bwd"))
      linalg.yield %r200 : f32 loc("h.0"("bwd"))
    } -> tensor<4x8x48xf32> loc("h.0"("bwd"))
    %201 = tensor.empty() : tensor<48xf32> loc("h.0.fc1"("bwd"))
    %202 = linalg.fill ins(%cst_0 : f32) outs(%201 : tensor<48xf32>) -> tensor<48xf32> loc("h.0.fc1"("bwd"))
    %203 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%200 : tensor<4x8x48xf32>) outs(%202 : tensor<48xf32>) {
    ^bb0(%in203_0: f32, %out203: f32):
      %r203 = arith.addf %in203_0, %out203 : f32 loc("h.0.fc1"("bwd"))
      linalg.yield %r203 : f32 loc("h.0.fc1"("bwd"))
    } -> tensor<48xf32> loc("h.0.fc1"("bwd"))
    %204 = tensor.collapse_shape %200 [[0, 1], [2]] : tensor<4x8x48xf32> into tensor<32x48xf32> loc("h.0.fc1"("bwd"))
    %205 = tensor.empty() : tensor<32x16xf32> loc("h.0.fc1"("bwd"))
    %206 = linalg.fill ins(%cst_0 : f32) outs(%205 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.fc1"("bwd"))
    %207 = linalg.matmul ins(%204, %arg4 : tensor<32x48xf32>, tensor<48x16xf32>) outs(%206 : tensor<32x16xf32>) -> tensor<32x16xf32> loc("h.0.fc1"("bwd"))
    %208 = tensor.expand_shape %207 [[0, 1], [2]] output_shape [4, 8, 16] : tensor<32x16xf32> into tensor<4x8x16xf32> loc("h.0.fc1"("bwd"))
    %209 = tensor.empty() : tensor<16x4x8xf32> loc("h.0.fc1"("bwd"))
    %210 = linalg.transpose ins(%26 : tensor<4x8x16xf32>) outs(%209 : tensor<16x4x8xf32>) permutation = [2, 0, 1] loc("h.0.fc1"("bwd"))
    %211 = tensor.collapse_shape %210 [[0], [1, 2]] : tensor<16x4x8xf32> into tensor<16x32xf32> loc("h.0.fc1"("bwd"))
    %212 = tensor.collapse_shape %200 [[0, 1], [2]] : tensor<4x8x48xf32> into tensor<32x48xf32> loc("h.0.fc1"("bwd"))
    %213 = tensor.empty() : tensor<16x48xf32> loc("h.0.fc1"("bwd"))
    %214 = linalg.fill ins(%cst_0 : f32) outs(%213 : tensor<16x48xf32>) -> tensor<16x48xf32> loc("h.0.fc1"("bwd"))
    %215 = linalg.matmul ins(%211, %212 : tensor<16x32xf32>, tensor<32x48xf32>) outs(%214 : tensor<16x48xf32>) -> tensor<16x48xf32> loc("h.0.fc1"("bwd"))
    %216 = tensor.empty() : tensor<48x16xf32> loc("h.0.fc1"("bwd"))
    %217 = linalg.transpose ins(%215 : tensor<16x48xf32>) outs(%216 : tensor<48x16xf32>) permutation = [1, 0] loc("h.0.fc1"("bwd"))
    %218 = tensor.empty() : tensor<16xf32> loc("h.0.ln"("bwd"))
    %219 = linalg.fill ins(%cst_0 : f32) outs(%218 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.ln"("bwd"))
    %220 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%208 : tensor<4x8x16xf32>) outs(%219 : tensor<16xf32>) {
    ^bb0(%in220_0: f32, %out220: f32):
      %r220 = arith.addf %in220_0, %out220 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r220 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<16xf32> loc("h.0.ln"("bwd"))
    %221 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %222 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%208, %arg2 : tensor<4x8x16xf32>, tensor<16xf32>) outs(%221 : tensor<4x8x16xf32>) {
    ^bb0(%in222_0: f32, %in222_1: f32, %out222: f32):
      %r222 = arith.mulf %in222_0, %in222_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r222 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %223 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %224 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%208, %22 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%223 : tensor<4x8x16xf32>) {
    ^bb0(%in224_0: f32, %in224_1: f32, %out224: f32):
      %r224 = arith.mulf %in224_0, %in224_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r224 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %225 = tensor.empty() : tensor<16xf32> loc("h.0.ln"("bwd"))
    %226 = linalg.fill ins(%cst_0 : f32) outs(%225 : tensor<16xf32>) -> tensor<16xf32> loc("h.0.ln"("bwd"))
    %227 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d0)>], iterator_types = ["parallel", "reduction", "reduction"]} ins(%224 : tensor<4x8x16xf32>) outs(%226 : tensor<16xf32>) {
    ^bb0(%in227_0: f32, %out227: f32):
      %r227 = arith.addf %in227_0, %out227 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r227 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<16xf32> loc("h.0.ln"("bwd"))
    %228 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %229 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%222, %20 : tensor<4x8x16xf32>, tensor<4x8xf32>) outs(%228 : tensor<4x8x16xf32>) {
    ^bb0(%in229_0: f32, %in229_1: f32, %out229: f32):
      %r229 = arith.mulf %in229_0, %in229_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r229 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %230 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %231 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%222, %9 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%230 : tensor<4x8x16xf32>) {
    ^bb0(%in231_0: f32, %in231_1: f32, %out231: f32):
      %r231 = arith.mulf %in231_0, %in231_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r231 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %232 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %233 = linalg.fill ins(%cst_0 : f32) outs(%232 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %234 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%231 : tensor<4x8x16xf32>) outs(%233 : tensor<4x8xf32>) {
    ^bb0(%in234_0: f32, %out234: f32):
      %r234 = arith.addf %in234_0, %out234 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r234 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %235 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %236 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%234, %20 : tensor<4x8xf32>, tensor<4x8xf32>) outs(%235 : tensor<4x8xf32>) {
    ^bb0(%in236_0: f32, %in236_1: f32, %out236: f32):
      %a236 = arith.mulf %in236_1, %in236_1 : f32 loc("h.0.ln"("bwd"))
      %b236 = arith.mulf %a236, %in236_1 : f32 loc("h.0.ln"("bwd"))
      %c236 = arith.mulf %b236, %cst_2 : f32 loc("h.0.ln"("bwd"))
      %r236 = arith.mulf %c236, %in236_0 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r236 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %237 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %238 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%236 : tensor<4x8xf32>) outs(%237 : tensor<4x8xf32>) {
    ^bb0(%in238_0: f32, %out238: f32):
      %r238 = arith.mulf %in238_0, %cst_3 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r238 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %239 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %240 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%238 : tensor<4x8xf32>) outs(%239 : tensor<4x8x16xf32>) {
    ^bb0(%in240_0: f32, %out240: f32):
      %r240 = arith.addf %in240_0, %cst_0 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r240 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %241 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %242 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%240, %9 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%241 : tensor<4x8x16xf32>) {
    ^bb0(%in242_0: f32, %in242_1: f32, %out242: f32):
      %r242 = arith.mulf %in242_0, %in242_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r242 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %243 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %244 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%240, %9 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%243 : tensor<4x8x16xf32>) {
    ^bb0(%in244_0: f32, %in244_1: f32, %out244: f32):
      %r244 = arith.mulf %in244_0, %in244_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r244 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %245 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %246 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%229, %242 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%245 : tensor<4x8x16xf32>) {
    ^bb0(%in246_0: f32, %in246_1: f32, %out246: f32):
      %r246 = arith.addf %in246_0, %in246_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r246 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %247 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %248 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%246, %244 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%247 : tensor<4x8x16xf32>) {
    ^bb0(%in248_0: f32, %in248_1: f32, %out248: f32):
      %r248 = arith.addf %in248_0, %in248_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r248 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %249 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %250 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%248 : tensor<4x8x16xf32>) outs(%249 : tensor<4x8x16xf32>) {
    ^bb0(%in250_0: f32, %out250: f32):
      %r250 = arith.negf %in250_0 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r250 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %251 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %252 = linalg.fill ins(%cst_0 : f32) outs(%251 : tensor<4x8xf32>) -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %253 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%250 : tensor<4x8x16xf32>) outs(%252 : tensor<4x8xf32>) {
    ^bb0(%in253_0: f32, %out253: f32):
      %r253 = arith.addf %in253_0, %out253 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r253 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %254 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %255 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%181, %248 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%254 : tensor<4x8x16xf32>) {
    ^bb0(%in255_0: f32, %in255_1: f32, %out255: f32):
      %r255 = arith.addf %in255_0, %in255_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r255 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %256 = tensor.empty() : tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %257 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%253 : tensor<4x8xf32>) outs(%256 : tensor<4x8xf32>) {
    ^bb0(%in257_0: f32, %out257: f32):
      %r257 = arith.mulf %in257_0, %cst_3 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r257 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8xf32> loc("h.0.ln"("bwd"))
    %258 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %259 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%257 : tensor<4x8xf32>) outs(%258 : tensor<4x8x16xf32>) {
    ^bb0(%in259_0: f32, %out259: f32):
      %r259 = arith.addf %in259_0, %cst_0 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r259 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %260 = tensor.empty() : tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %261 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%255, %259 : tensor<4x8x16xf32>, tensor<4x8x16xf32>) outs(%260 : tensor<4x8x16xf32>) {
    ^bb0(%in261_0: f32, %in261_1: f32, %out261: f32):
      %r261 = arith.addf %in261_0, %in261_1 : f32 loc("h.0.ln"("bwd"))
      linalg.yield %r261 : f32 loc("h.0.ln"("bwd"))
    } -> tensor<4x8x16xf32> loc("h.0.ln"("bwd"))
    %262 = tensor.collapse_shape %261 [[0, 1], [2]] : tensor<4x8x16xf32> into tensor<32x16xf32> loc("embed"("bwd"))
    %263 = tensor.expand_shape %262 [[0], [1, 2]] output_shape [32, 1, 16] : tensor<32x16xf32> into tensor<32x1x16xf32> loc("embed"("bwd"))
    %264 = tensor.collapse_shape %arg0 [[0, 1]] : tensor<4x8xi64> into tensor<32xi64> loc("embed"("bwd"))
    %265 = tensor.expand_shape %264 [[0, 1]] output_shape [32, 1] : tensor<32xi64> into tensor<32x1xi64> loc("embed"("bwd"))
    %266 = tensor.empty() : tensor<40x16xf32> loc("embed"("bwd"))
    %267 = linalg.fill ins(%cst_0 : f32) outs(%266 : tensor<40x16xf32>) -> tensor<40x16xf32> loc("embed"("bwd"))
    %268 = "tm_tensor.scatter"(%263, %265, %267) <{dimension_map = array<i64: 0>, operandSegmentSizes = array<i32: 2, 1>, unique_indices = false}> ({
    ^bb0(%u268: f32, %v268: f32):
      %w268 = arith.addf %v268, %u268 : f32
      "tm_tensor.yield"(%w268) : (f32) -> ()
    }) : (tensor<32x1x16xf32>, tensor<32x1xi64>, tensor<40x16xf32>) -> tensor<40x16xf32> loc("embed"("bwd"))
    %269 = tensor.empty() : tensor<40x16xf32> loc("embed"("bwd"))
    %270 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%139, %268 : tensor<40x16xf32>, tensor<40x16xf32>) outs(%269 : tensor<40x16xf32>) {
    ^bb0(%in270_0: f32, %in270_1: f32, %out270: f32):
      %r270 = arith.addf %in270_0, %in270_1 : f32 loc("embed"("bwd"))
      linalg.yield %r270 : f32 loc("embed"("bwd"))
    } -> tensor<40x16xf32> loc("embed"("bwd"))
    return %102, %270, %227, %220, %217, %203, %198, %184, %149, %142 : tensor<f32>, tensor<40x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<48x16xf32>, tensor<48xf32>, tensor<16x48xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
  }
}
