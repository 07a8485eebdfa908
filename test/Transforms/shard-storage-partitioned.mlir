// SPDX-License-Identifier: Apache-2.0
// The shard section on partitioned compute: what the model says of a parameter
// and of its gradient meets storage directly, and what is sent for storage runs
// over the unit's axes only.
// RUN: fsdp-opt %s --fsdp-combine-results --fsdp-shard-storage --fsdp-partition-updates --fsdp-reshard-after-forward --fsdp-lower-norm --fsdp-lower-reshards --fsdp-verify-stage=stage=sharded --split-input-file | FileCheck %s
// RUN: fsdp-opt %s --fsdp-combine-results --fsdp-shard-storage --fsdp-partition-updates --fsdp-reshard-after-forward --split-input-file | FileCheck %s --check-prefix=STORED

// tp = 2 by dp = 2, a batch per rank of dp: a weight split over tp by columns,
// one by rows, a replicated gain, and a weight in front of both whose gradient is
// a sum over tp (B3). The latter is summed over tp and dp, by one reshard (B7).
// Every leg is in the unit's dtypes.
#rows = affine_map<(i, j, k) -> (i, k)>
#cols = affine_map<(i, j, k) -> (j, k)>
#out = affine_map<(i, j, k) -> (i, j)>
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.unit @u {shard = @dp, reshard_after_forward = true, param_dtype = bf16, reduce_dtype = f32}
  // CHECK-LABEL: @step
  // CHECK-SAME: %[[UP:[a-z0-9]*]]: tensor<4x8xf32> {fsdp.global_shape = array<i64: 16, 8>, fsdp.param = "up", {{[^%]*}}fsdp.storage = #fsdp.sharding<[{@tp, @dp}, {}]>
  // CHECK-SAME: %[[DOWN:[a-z0-9]*]]: tensor<4x8xf32> {fsdp.global_shape = array<i64: 8, 16>, fsdp.param = "down", {{[^%]*}}fsdp.storage = #fsdp.sharding<[{@dp}, {@tp}]>
  // CHECK-SAME: %[[GAIN:[a-z0-9]*]]: tensor<4xf32> {fsdp.global_shape = array<i64: 8>, fsdp.param = "gain"
  // CHECK-SAME: %[[LN:[a-z0-9]*]]: tensor<4xf32> {fsdp.global_shape = array<i64: 8>, fsdp.param = "ln"
  // CHECK: linalg.generic {{.*}} ins(%[[LN]] : tensor<4xf32>)
  // CHECK: fsdp.all_gather %{{.*}} over @dp dim 0{{.*}} : (tensor<4xbf16>) -> tensor<8xbf16>
  // CHECK: linalg.generic {{.*}} ins(%[[UP]] : tensor<4x8xf32>)
  // CHECK: %[[UPF:.*]] = fsdp.all_gather %[[UPN:.*]] over @dp dim 0{{.*}} : (tensor<4x8xbf16>) -> tensor<8x8xbf16>
  // CHECK: linalg.generic {{.*}} ins(%[[UPF]] : tensor<8x8xbf16>)
  // CHECK: linalg.generic {{.*}} ins(%[[DOWN]] : tensor<4x8xf32>)
  // CHECK: fsdp.all_gather %[[DOWNN:.*]] over @dp dim 0{{.*}} : (tensor<4x8xbf16>) -> tensor<8x8xbf16>
  // The model's own.
  // CHECK: fsdp.all_reduce {{ ?}}sum %{{.*}} over @tp : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[GAIN]] : tensor<4xf32>)
  // CHECK: fsdp.all_gather %{{.*}} over @dp dim 0{{.*}} : (tensor<4xbf16>) -> tensor<8xbf16>
  // CHECK: %[[MB:.*]] = fsdp.local_grad %{{.*}} of "gain"
  // CHECK-NEXT: %[[RB:.*]] = fsdp.reduce_scatter {{ ?}}sum %[[MB]] over @dp dim 0 : (tensor<8xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[GB:.*]] = fsdp.scale %[[RB]] by 1 over 2
  // The two uses of `down` want one placement; backward, which begins with the
  // gain, gathers it again.
  // CHECK: fsdp.all_gather %[[DOWNN]] over @dp
  // CHECK: %[[MD:.*]] = fsdp.local_grad %{{.*}} of "down"
  // CHECK-NEXT: %[[RD:.*]] = fsdp.reduce_scatter {{ ?}}sum %[[MD]] over @dp dim 0 : (tensor<8x8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %[[GD:.*]] = fsdp.scale %[[RD]] by 1 over 2
  // CHECK: %[[MU:.*]] = fsdp.local_grad %{{.*}} of "up"
  // CHECK-NEXT: %[[RU:.*]] = fsdp.reduce_scatter {{ ?}}sum %[[MU]] over @dp dim 0 : (tensor<8x8xf32>) -> tensor<4x8xf32>
  // CHECK-NEXT: %[[GU:.*]] = fsdp.scale %[[RU]] by 1 over 2
  // CHECK: fsdp.all_gather %[[UPN]] over @dp
  // CHECK: %[[ML:.*]] = fsdp.local_grad %{{.*}} of "ln"
  // CHECK-NEXT: %[[SL:.*]] = fsdp.reduce_scatter {{ ?}}sum %[[ML]] over @dp dim 0 : (tensor<8xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[RL:.*]] = fsdp.all_reduce {{ ?}}sum %[[SL]] over @tp : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: %[[GL:.*]] = fsdp.scale %[[RL]] by 1 over 2
  // The norm: what is split over tp and dp is counted over both, the rest over dp.
  // CHECK: fsdp.all_reduce {{ ?}}sum %{{.*}} over @gradient : (tensor<f32>) -> tensor<f32>
  // CHECK: fsdp.all_reduce {{ ?}}sum %{{.*}} over @dp : (tensor<f32>) -> tensor<f32>
  // CHECK: math.sqrt
  // CHECK: %[[UP1:.*]] = arith.subf %[[UP]], %[[GU]] : tensor<4x8xf32>
  // CHECK: %[[LN1:.*]] = arith.subf %[[LN]], %[[GL]] : tensor<4xf32>
  // CHECK: fsdp.all_reduce {{ ?}}sum %{{.*}} over @dp : (tensor<f32>) -> tensor<f32>
  // CHECK: return %{{.*}}, %[[UP1]], %[[GD]], %[[GB]], %[[LN1]]
  // STORED-LABEL: @step
  // STORED: fsdp.reshard %{{.*}} of [8] from <[{}], partial = {@gradient}> to <[{@dp}]>
  // STORED: fsdp.global_norm {{.*}} {shardings = [#fsdp.sharding<[{@tp, @dp}, {}]>, #fsdp.sharding<[{@dp}, {@tp}]>, #fsdp.sharding<[{@dp}]>, #fsdp.sharding<[{@dp}]>]}
  func.func @step(%up: tensor<16x8xf32> {fsdp.param = "up", fsdp.unit = @u, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
                  %down: tensor<8x16xf32> {fsdp.param = "down", fsdp.unit = @u, fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
                  %gain: tensor<8xf32> {fsdp.param = "gain", fsdp.unit = @u, fsdp.sharding = #fsdp.sharding<[{}]>},
                  %ln: tensor<8xf32> {fsdp.param = "ln", fsdp.unit = @u, fsdp.sharding = #fsdp.sharding<[{}]>},
                  %x: tensor<4x8xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@dp}>},
                  %lr: tensor<f32> {fsdp.hyper = "lr", fsdp.sharding = #fsdp.sharding<[]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<16x8xf32> {fsdp.updated = "up", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
          tensor<8x16xf32> {fsdp.grad = "down", fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
          tensor<8xf32> {fsdp.grad = "gain", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<8xf32> {fsdp.updated = "ln", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<f32> {fsdp.output = "norm", fsdp.sharding = #fsdp.sharding<[]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %zero8 = arith.constant dense<0.0> : tensor<8xf32>
    %zero48 = arith.constant dense<0.0> : tensor<4x8xf32>
    %zero88 = arith.constant dense<0.0> : tensor<8x8xf32>
    %e48 = tensor.empty() : tensor<4x8xf32>
    %e8 = tensor.empty() : tensor<8xf32>
    // Forward: tanh((x * ln) up^T) down^T * gain, whose sum of squares is the loss.
    %lns = linalg.broadcast ins(%ln : tensor<8xf32>) outs(%e48 : tensor<4x8xf32>) dimensions = [0]
    %y0 = arith.mulf %x, %lns : tensor<4x8xf32>
    %upl = fsdp.reshard %up of [16, 8] from <[{}, {}]> to <[{@tp}, {}]> : tensor<16x8xf32> to tensor<8x8xf32>
    %y1 = linalg.generic {indexing_maps = [#rows, #cols, #out], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%y0, %upl : tensor<4x8xf32>, tensor<8x8xf32>) outs(%zero48 : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<4x8xf32>
    %y1t = math.tanh %y1 : tensor<4x8xf32>
    %downl = fsdp.reshard %down of [8, 16] from <[{}, {}]> to <[{}, {@tp}]> : tensor<8x16xf32> to tensor<8x8xf32>
    %y2 = linalg.generic {indexing_maps = [#rows, #cols, #out], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%y1t, %downl : tensor<4x8xf32>, tensor<8x8xf32>) outs(%zero48 : tensor<4x8xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %0 = arith.mulf %a, %b : f32
      %1 = arith.addf %o, %0 : f32
      linalg.yield %1 : f32
    } -> tensor<4x8xf32>
    %y2s = fsdp.reshard %y2 of [4, 8] from <[{}, {}], partial = {@tp}> to <[{}, {}]> : tensor<4x8xf32> to tensor<4x8xf32>
    %gains = linalg.broadcast ins(%gain : tensor<8xf32>) outs(%e48 : tensor<4x8xf32>) dimensions = [0]
    %y3 = arith.mulf %y2s, %gains : tensor<4x8xf32>
    %y4 = arith.mulf %y3, %y3 : tensor<4x8xf32>
    %l = linalg.reduce { arith.addf } ins(%y4 : tensor<4x8xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
    // Backward.
    %dy3 = arith.addf %y3, %y3 : tensor<4x8xf32>
    %dg = arith.mulf %dy3, %y2s : tensor<4x8xf32>
    %dgain = linalg.reduce { arith.addf } ins(%dg : tensor<4x8xf32>) outs(%zero8 : tensor<8xf32>) dimensions = [0]
    %mgain = fsdp.local_grad %dgain of "gain" : tensor<8xf32>
    %gaing = linalg.broadcast ins(%gain : tensor<8xf32>) outs(%e48 : tensor<4x8xf32>) dimensions = [0]
    %dy = arith.mulf %dy3, %gaing : tensor<4x8xf32>
    %downg = fsdp.reshard %down of [8, 16] from <[{}, {}]> to <[{}, {@tp}]> : tensor<8x16xf32> to tensor<8x8xf32>
    %d1 = linalg.matmul ins(%dy, %downg : tensor<4x8xf32>, tensor<8x8xf32>) outs(%zero48 : tensor<4x8xf32>) -> tensor<4x8xf32>
    %t84 = tensor.empty() : tensor<8x4xf32>
    %dyt = linalg.transpose ins(%dy : tensor<4x8xf32>) outs(%t84 : tensor<8x4xf32>) permutation = [1, 0]
    %ddown = linalg.matmul ins(%dyt, %y1t : tensor<8x4xf32>, tensor<4x8xf32>) outs(%zero88 : tensor<8x8xf32>) -> tensor<8x8xf32>
    %mdown = fsdp.local_grad %ddown of "down" : tensor<8x8xf32>
    %gdown = fsdp.reshard %mdown of [8, 16] from <[{}, {@tp}]> to <[{}, {}]> : tensor<8x8xf32> to tensor<8x16xf32>
    %d1t = linalg.transpose ins(%d1 : tensor<4x8xf32>) outs(%t84 : tensor<8x4xf32>) permutation = [1, 0]
    %dup = linalg.matmul ins(%d1t, %y0 : tensor<8x4xf32>, tensor<4x8xf32>) outs(%zero88 : tensor<8x8xf32>) -> tensor<8x8xf32>
    %mup = fsdp.local_grad %dup of "up" : tensor<8x8xf32>
    %gup = fsdp.reshard %mup of [16, 8] from <[{@tp}, {}]> to <[{}, {}]> : tensor<8x8xf32> to tensor<16x8xf32>
    %d0 = linalg.matmul ins(%d1, %upl : tensor<4x8xf32>, tensor<8x8xf32>) outs(%zero48 : tensor<4x8xf32>) -> tensor<4x8xf32>
    %d0x = arith.mulf %d0, %x : tensor<4x8xf32>
    %dln = linalg.reduce { arith.addf } ins(%d0x : tensor<4x8xf32>) outs(%zero8 : tensor<8xf32>) dimensions = [0]
    %mln = fsdp.local_grad %dln of "ln" : tensor<8xf32>
    %gln = fsdp.reshard %mln of [8] from <[{}], partial = {@tp}> to <[{}]> : tensor<8xf32> to tensor<8xf32>
    // Optimizer.
    %norm = fsdp.global_norm %gup, %gdown, %mgain, %gln {shardings = [#fsdp.sharding<[{@tp}, {}]>, #fsdp.sharding<[{}, {@tp}]>, #fsdp.sharding<[{}]>, #fsdp.sharding<[{}]>]}
        : (tensor<16x8xf32>, tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<f32>
    %up1 = arith.subf %up, %gup : tensor<16x8xf32>
    %ln1 = arith.subf %ln, %gln : tensor<8xf32>
    return %l, %up1, %gdown, %mgain, %ln1, %norm : tensor<f32>, tensor<16x8xf32>, tensor<8x16xf32>, tensor<8xf32>, tensor<8xf32>, tensor<f32>
  }
}

// -----

// HSDP over the complement of tp, with micro-batches: each is reduced to the
// shard, in the reduction's dtype; the sum over what holds copies of the shard,
// tp among them where the gradient is a sum over it, waits for the last one. The
// count of all ranks and micro-batches divides the loss and, on the shard, every
// gradient.
module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 8>, fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = mean>} {
  fsdp.process_group @tp = #fsdp.classes<[4, 2] from [8]>
  fsdp.process_group @shard = #fsdp.classes<[4, 2] from [2, 2, 2] T(0, 2, 1)>
  fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
  fsdp.process_group @dp = #fsdp.classes<[2, 4] from [4, 2] T(1, 0)>
  fsdp.unit @u {shard = @shard, replicate = @across, reshard_after_forward = true, reduce_dtype = f32}
  // CHECK-DAG: fsdp.process_group @[[COPIES:.*]] = #fsdp.classes<[2, 4] from [2, 2, 2] T(1, 0, 2)>
  // CHECK-LABEL: @micro_batches
  // CHECK: %[[LOOP:.*]]:4 = scf.for {{.*}} -> (tensor<f32>, tensor<2x4xf32>, tensor<2xf32>, tensor<2xi64>) {
  // CHECK: fsdp.all_gather %{{.*}} over @shard dim 0{{.*}} : (tensor<2x4xbf16>) -> tensor<4x4xbf16>
  // CHECK: fsdp.all_gather %{{.*}} over @shard dim 0{{.*}} : (tensor<2xbf16>) -> tensor<4xbf16>
  // CHECK: fsdp.local_grad %{{.*}} of "w"
  // CHECK: %[[W:.*]] = fsdp.reduce_scatter {{ ?}}sum %{{.*}} over @shard dim 0 : (tensor<4x4xf32>) -> tensor<2x4xf32>
  // CHECK: fsdp.local_grad %{{.*}} of "g"
  // CHECK: %[[G:.*]] = fsdp.reduce_scatter {{ ?}}sum %{{.*}} over @shard dim 0 : (tensor<4xf32>) -> tensor<2xf32>
  // CHECK-DAG: arith.addf %{{.*}}, %[[W]] : tensor<2x4xf32>
  // CHECK-DAG: arith.addf %{{.*}}, %[[G]] : tensor<2xf32>
  // CHECK: scf.yield
  // CHECK: %[[N:.*]] = linalg.generic {{.*}} ins(%[[LOOP]]#3 : tensor<2xi64>)
  // CHECK: %[[MEAN:.*]] = fsdp.scale %[[N]] by 1 over 2 : tensor<f32>
  // CHECK: %[[TOTAL:.*]] = fsdp.all_reduce {{ ?}}sum %[[MEAN]] over @dp : (tensor<f32>)
  // CHECK: %[[GS:.*]] = fsdp.all_reduce {{ ?}}sum %[[LOOP]]#2 over @[[COPIES]] : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[GS]], %[[TOTAL]] : tensor<2xf32>, tensor<f32>)
  // CHECK: arith.divf
  // CHECK: %[[WS:.*]] = fsdp.all_reduce {{ ?}}sum %[[LOOP]]#1 over @across : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[WS]], %[[TOTAL]] : tensor<2x4xf32>, tensor<f32>)
  // CHECK: arith.divf
  // CHECK: %[[L:.*]] = fsdp.scale %[[LOOP]]#0 by 1 over 2
  // CHECK: %[[LS:.*]] = fsdp.all_reduce {{ ?}}sum %[[L]] over @dp
  // CHECK: linalg.generic {{.*}} ins(%[[LS]], %[[TOTAL]] : tensor<f32>, tensor<f32>)
  // STORED-LABEL: @micro_batches
  // STORED: fsdp.reshard %{{.*}} of [8, 4] from <[{@tp}, {}], partial = {@dp}> to <[{@tp, @shard}, {}], partial = {@across}> : tensor<4x4xf32> to tensor<2x4xf32>
  // STORED: fsdp.reshard %{{.*}} of [4] from <[{}], partial = {@gradient}> to <[{@shard}], partial = {@replicas}> : tensor<4xf32> to tensor<2xf32>
  // STORED: scf.yield
  func.func @micro_batches(%w: tensor<8x4xbf16> {fsdp.param = "w", fsdp.unit = @u, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
                  %g: tensor<4xbf16> {fsdp.param = "g", fsdp.unit = @u, fsdp.sharding = #fsdp.sharding<[{}]>},
                  %x: tensor<2x4x4xbf16> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}, {}], varying = {@dp}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<sum = [@dp], divide_by = "tokens">, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<8x4xbf16> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
          tensor<4xbf16> {fsdp.grad = "g", fsdp.sharding = #fsdp.sharding<[{}]>},
          tensor<2xi64> {fsdp.output = "tokens", fsdp.sharding = #fsdp.sharding<[{}], varying = {@dp}>}) {
    %zf = arith.constant dense<0.0> : tensor<f32>
    %z4 = arith.constant dense<0.0> : tensor<4xbf16>
    %z84 = arith.constant dense<0.0> : tensor<8x4xbf16>
    %zn = arith.constant dense<0> : tensor<2xi64>
    %n = arith.constant dense<3> : tensor<1xi64>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %0:4 = scf.for %i = %c0 to %c2 step %c1 iter_args(%l = %zf, %aw = %z84, %ag = %z4, %an = %zn) -> (tensor<f32>, tensor<8x4xbf16>, tensor<4xbf16>, tensor<2xi64>) {
      %xi = tensor.extract_slice %x[%i, 0, 0] [1, 4, 4] [1, 1, 1] : tensor<2x4x4xbf16> to tensor<4x4xbf16>
      %wl = fsdp.reshard %w of [8, 4] from <[{}, {}]> to <[{@tp}, {}]> : tensor<8x4xbf16> to tensor<4x4xbf16>
      %y = arith.mulf %xi, %wl : tensor<4x4xbf16>
      %e44 = tensor.empty() : tensor<4x4xbf16>
      %gs = linalg.broadcast ins(%g : tensor<4xbf16>) outs(%e44 : tensor<4x4xbf16>) dimensions = [0]
      %yg = arith.mulf %y, %gs : tensor<4x4xbf16>
      %yf = arith.extf %yg : tensor<4x4xbf16> to tensor<4x4xf32>
      %lp = linalg.reduce { arith.addf } ins(%yf : tensor<4x4xf32>) outs(%zf : tensor<f32>) dimensions = [0, 1]
      %li = fsdp.reshard %lp of [] from <[], partial = {@tp}> to <[]> : tensor<f32> to tensor<f32>
      %dw = arith.mulf %xi, %gs : tensor<4x4xbf16>
      %mw = fsdp.local_grad %dw of "w" : tensor<4x4xbf16>
      %gw = fsdp.reshard %mw of [8, 4] from <[{@tp}, {}]> to <[{}, {}]> : tensor<4x4xbf16> to tensor<8x4xbf16>
      %dg = linalg.reduce { arith.addf } ins(%y : tensor<4x4xbf16>) outs(%z4 : tensor<4xbf16>) dimensions = [0]
      %mg = fsdp.local_grad %dg of "g" : tensor<4xbf16>
      %gg = fsdp.reshard %mg of [4] from <[{}], partial = {@tp}> to <[{}]> : tensor<4xbf16> to tensor<4xbf16>
      %l1 = arith.addf %l, %li : tensor<f32>
      %aw1 = arith.addf %aw, %gw : tensor<8x4xbf16>
      %ag1 = arith.addf %ag, %gg : tensor<4xbf16>
      %an1 = tensor.insert_slice %n into %an[%i] [1] [1] : tensor<1xi64> into tensor<2xi64>
      scf.yield %l1, %aw1, %ag1, %an1 : tensor<f32>, tensor<8x4xbf16>, tensor<4xbf16>, tensor<2xi64>
    }
    %ls = fsdp.scale %0#0 by 1 over 2 : tensor<f32>
    %ws = fsdp.scale %0#1 by 1 over 2 : tensor<8x4xbf16>
    %gs = fsdp.scale %0#2 by 1 over 2 : tensor<4xbf16>
    return %ls, %ws, %gs, %0#3 : tensor<f32>, tensor<8x4xbf16>, tensor<4xbf16>, tensor<2xi64>
  }
}

// -----

// A placement that the parameter's own does not name, of a global batch: there
// is nothing to scale. Compute that wants the shard as it is gets it (`a`).
// Where storage is whole (`b`), the gradient is gathered, and not everything that
// the optimizer makes of it. Where the unit's group splits compute as well (`c`),
// no part of it is kept behind forward.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @self = #fsdp.classes<[4, 1] from [4]>
  fsdp.process_group @world = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @tp_unit {shard = @tp, reshard_after_forward = true}
  fsdp.unit @self_unit {shard = @self, reshard_after_forward = 1 : i64}
  fsdp.unit @world_unit {shard = @world, reshard_after_forward = 2 : i64}
  // STORED-LABEL: @global
  // STORED-SAME: %[[A:[a-z0-9]*]]: tensor<4x4xf32> {fsdp.global_shape = array<i64: 8, 4>, fsdp.param = "a", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>, fsdp.storage = #fsdp.sharding<[{@tp}, {}]>
  // STORED-SAME: %[[B:[a-z0-9]*]]: tensor<8x4xf32> {{{[^%]*}}fsdp.param = "b"
  // STORED-SAME: %[[C:[a-z0-9]*]]: tensor<2x4xf32> {{{[^%]*}}fsdp.param = "c"
  // STORED-SAME: %[[M:[a-z0-9]*]]: tensor<8x4xf32>
  // STORED-SAME: %[[X:[a-z0-9]*]]: tensor<4x4xf32> {fsdp.global_shape = array<i64: 8, 4>, fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>, fsdp.storage = #fsdp.sharding<[{@tp}, {}]>}
  // STORED-SAME: tensor<4x4xf32> {fsdp.global_shape = array<i64: 8, 4>, fsdp.output = "y", {{[^%]*}}fsdp.storage = #fsdp.sharding<[{@tp}, {}]>}
  // STORED: arith.mulf %[[X]], %[[A]]
  // STORED: fsdp.reshard %[[C]] of [8, 4] from <[{@world}, {}]> to <[{@tp}, {}]>{{.*}} : tensor<2x4xf32> to tensor<4x4xf32>
  // STORED: fsdp.reshard %[[B]] of [8, 4] from <[{}, {}]> to <[{@tp}, {}]>{{.*}} : tensor<8x4xf32> to tensor<4x4xf32>
  // STORED: math.tanh
  // STORED-NEXT: fsdp.reshard %[[C]] of [8, 4] from <[{@world}, {}]> to <[{@tp}, {}]> {{.*}}fsdp.phase = "backward"}
  // STORED: %[[GA:.*]] = fsdp.local_grad %{{.*}} of "a"
  // STORED: %[[MB:.*]] = fsdp.local_grad %{{.*}} of "b"
  // STORED-NEXT: %[[GB:.*]] = fsdp.reshard %[[MB]] of [8, 4] from <[{@tp}, {}]> to <[{}, {}]>
  // STORED: %[[MC:.*]] = fsdp.local_grad %{{.*}} of "c"
  // STORED-NEXT: %[[GC:.*]] = fsdp.reshard %[[MC]] of [8, 4] from <[{@tp}, {}]> to <[{@world}, {}]>
  // STORED-NEXT: %[[M1:.*]] = arith.addf %[[M]], %[[GB]] : tensor<8x4xf32>
  // STORED-NEXT: %[[B1:.*]] = arith.subf %[[B]], %[[M1]] : tensor<8x4xf32>
  // STORED-NEXT: %[[C1:.*]] = arith.subf %[[C]], %[[GC]] : tensor<2x4xf32>
  // STORED-NEXT: return %{{.*}}, %[[GA]], %[[B1]], %[[M1]], %[[C1]], %{{.*}}
  // CHECK-LABEL: @global
  // CHECK-NOT: fsdp.scale
  // CHECK: return
  func.func @global(%a: tensor<8x4xf32> {fsdp.param = "a", fsdp.unit = @tp_unit, fsdp.sharding = #fsdp.sharding<[{}, {}]>},
                  %b: tensor<8x4xf32> {fsdp.param = "b", fsdp.unit = @self_unit, fsdp.sharding = #fsdp.sharding<[{}, {}]>},
                  %c: tensor<8x4xf32> {fsdp.param = "c", fsdp.unit = @world_unit, fsdp.sharding = #fsdp.sharding<[{}, {}]>},
                  %ms: tensor<8x4xf32> {fsdp.state = "m:b", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
                  %x: tensor<4x4xf32> {fsdp.input = "x", fsdp.global_shape = array<i64: 8, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = []>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<8x4xf32> {fsdp.grad = "a", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<8x4xf32> {fsdp.updated = "b", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<8x4xf32> {fsdp.updated_state = "m:b", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<8x4xf32> {fsdp.updated = "c", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<4x4xf32> {fsdp.output = "y", fsdp.global_shape = array<i64: 8, 4>, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>}) {
    %zero = arith.constant dense<0.0> : tensor<f32>
    %al = fsdp.reshard %a of [8, 4] from <[{}, {}]> to <[{@tp}, {}]> : tensor<8x4xf32> to tensor<4x4xf32>
    %bl = fsdp.reshard %b of [8, 4] from <[{}, {}]> to <[{@tp}, {}]> : tensor<8x4xf32> to tensor<4x4xf32>
    %cl = fsdp.reshard %c of [8, 4] from <[{}, {}]> to <[{@tp}, {}]> : tensor<8x4xf32> to tensor<4x4xf32>
    %y0 = arith.mulf %x, %al : tensor<4x4xf32>
    %y1 = arith.mulf %y0, %cl : tensor<4x4xf32>
    %y = arith.mulf %y1, %bl : tensor<4x4xf32>
    %lp = linalg.reduce { arith.addf } ins(%y : tensor<4x4xf32>) outs(%zero : tensor<f32>) dimensions = [0, 1]
    %l = fsdp.reshard %lp of [] from <[], partial = {@tp}> to <[]> : tensor<f32> to tensor<f32>
    %t = math.tanh %y0 : tensor<4x4xf32>
    %cl2 = fsdp.reshard %c of [8, 4] from <[{}, {}]> to <[{@tp}, {}]> : tensor<8x4xf32> to tensor<4x4xf32>
    %ga = arith.mulf %t, %cl2 : tensor<4x4xf32>
    %ma = fsdp.local_grad %ga of "a" : tensor<4x4xf32>
    %wa = fsdp.reshard %ma of [8, 4] from <[{@tp}, {}]> to <[{}, {}]> : tensor<4x4xf32> to tensor<8x4xf32>
    %gb = arith.mulf %t, %al : tensor<4x4xf32>
    %mb = fsdp.local_grad %gb of "b" : tensor<4x4xf32>
    %wb = fsdp.reshard %mb of [8, 4] from <[{@tp}, {}]> to <[{}, {}]> : tensor<4x4xf32> to tensor<8x4xf32>
    %gc = arith.mulf %gb, %bl : tensor<4x4xf32>
    %mc = fsdp.local_grad %gc of "c" : tensor<4x4xf32>
    %wc = fsdp.reshard %mc of [8, 4] from <[{@tp}, {}]> to <[{}, {}]> : tensor<4x4xf32> to tensor<8x4xf32>
    %m1 = arith.addf %ms, %wb : tensor<8x4xf32>
    %b1 = arith.subf %b, %m1 : tensor<8x4xf32>
    %c1 = arith.subf %c, %wc : tensor<8x4xf32>
    return %l, %wa, %b1, %m1, %c1, %y : tensor<f32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<4x4xf32>
  }
}

// -----

// Over a group of one rank nothing is gathered, and copies are summed all the
// same (B13): `w` over dp, along which it is equal, `b`, whose gradient is a sum
// over tp, over both at once. Uses that want one placement share a gather; those
// of another (`v`) have their own. A parameter that is never used sends nothing,
// and a frozen one is gathered only.
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @tp = #fsdp.classes<[2, 2] from [4]>
  fsdp.process_group @dp = #fsdp.classes<[2, 2] from [2, 2] T(1, 0)>
  fsdp.process_group @self = #fsdp.classes<[4, 1] from [4]>
  fsdp.process_group @all = #fsdp.classes<[1, 4] from [4]>
  fsdp.unit @alone {shard = @self, replicate = @dp, reshard_after_forward = 1 : i64}
  fsdp.unit @pair {shard = @dp, reshard_after_forward = false}
  // STORED-LABEL: @groups
  // STORED-SAME: %[[W:[a-z0-9]*]]: tensor<4x4xf32> {{{[^%]*}}fsdp.param = "w"
  // STORED-SAME: %[[B:[a-z0-9]*]]: tensor<8x4xf32> {{{[^%]*}}fsdp.param = "b"
  // STORED-SAME: %[[V:[a-z0-9]*]]: tensor<2x4xf32> {{{[^%]*}}fsdp.param = "v"
  // STORED-SAME: %[[F:[a-z0-9]*]]: tensor<2x4xf32> {{{[^%]*}}fsdp.param = "f"
  // STORED-SAME: %{{[a-z0-9]*}}: tensor<2x4xf32> {{{[^%]*}}fsdp.param = "u"
  // STORED: %[[VL:.*]] = fsdp.reshard %[[V]] of [8, 4] from <[{@tp, @dp}, {}]> to <[{@tp}, {}]>
  // STORED: %[[FL:.*]] = fsdp.reshard %[[F]] of [8, 4] from <[{@tp, @dp}, {}]> to <[{@tp}, {}]>
  // STORED: arith.mulf %[[FL]], %[[W]]
  // STORED: arith.mulf %{{.*}}, %[[VL]]
  // STORED: arith.mulf %{{.*}}, %[[VL]]
  // STORED: fsdp.reshard %{{.*}} from <[{@tp}, {}], partial = {@dp}> to <[{@tp}, {}]>
  // STORED: %[[VW:.*]] = fsdp.reshard %[[V]] of [8, 4] from <[{@tp, @dp}, {}]> to <[{}, {}]>
  // STORED: arith.mulf %[[VW]], %[[B]]
  // STORED: fsdp.reshard %{{.*}} from <[{}, {}], partial = {@all}> to <[{}, {}]>
  // STORED: arith.constant dense<0.000000e+00> : tensor<2x4xf32>
  // CHECK-LABEL: @groups
  // CHECK: fsdp.local_grad %{{.*}} of "w"
  // CHECK-NEXT: fsdp.all_reduce {{ ?}}sum %{{.*}} over @dp : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: fsdp.scale %{{.*}} by 1 over 2
  // CHECK: fsdp.local_grad %{{.*}} of "b"
  // CHECK-NEXT: fsdp.all_reduce {{ ?}}sum %{{.*}} over @all : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK-NEXT: fsdp.scale %{{.*}} by 1 over 2
  // The loss.
  // CHECK: fsdp.all_reduce
  // CHECK-NOT: fsdp.{{all_|reduce_s}}
  // CHECK: return
  func.func @groups(%w: tensor<8x4xf32> {fsdp.param = "w", fsdp.unit = @alone, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
                    %b: tensor<8x4xf32> {fsdp.param = "b", fsdp.unit = @alone, fsdp.sharding = #fsdp.sharding<[{}, {}]>},
                    %v: tensor<8x4xf32> {fsdp.param = "v", fsdp.unit = @pair, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>, fsdp.frozen},
                    %f: tensor<8x4xf32> {fsdp.param = "f", fsdp.unit = @pair, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>, fsdp.frozen},
                    %u: tensor<8x4xf32> {fsdp.param = "u", fsdp.unit = @pair, fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
                    %x: tensor<f32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[], varying = {@dp}>})
      -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@dp]>, fsdp.sharding = #fsdp.sharding<[]>},
          tensor<8x4xf32> {fsdp.grad = "w", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
          tensor<8x4xf32> {fsdp.grad = "b", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
          tensor<8x4xf32> {fsdp.grad = "u", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
          tensor<4x4xf32> {fsdp.output = "o", fsdp.sharding = #fsdp.sharding<[{}, {}], varying = {@tp, @dp}>}) {
    %zero = arith.constant dense<0.0> : tensor<4x4xf32>
    %wl = fsdp.reshard %w of [8, 4] from <[{}, {}]> to <[{@tp}, {}]> : tensor<8x4xf32> to tensor<4x4xf32>
    %v0 = fsdp.reshard %v of [8, 4] from <[{}, {}]> to <[{@tp}, {}]> : tensor<8x4xf32> to tensor<4x4xf32>
    %v1 = fsdp.reshard %v of [8, 4] from <[{}, {}]> to <[{@tp}, {}]> : tensor<8x4xf32> to tensor<4x4xf32>
    %v2 = fsdp.reshard %v of [8, 4] from <[{}, {}]> to <[{@tp}, {}]> : tensor<8x4xf32> to tensor<4x4xf32>
    %fl = fsdp.reshard %f of [8, 4] from <[{}, {}]> to <[{@tp}, {}]> : tensor<8x4xf32> to tensor<4x4xf32>
    %nothing = arith.negf %v2 : tensor<4x4xf32>
    %y0 = arith.mulf %fl, %wl : tensor<4x4xf32>
    %y1 = arith.mulf %y0, %v0 : tensor<4x4xf32>
    %y2 = arith.mulf %y1, %v1 : tensor<4x4xf32>
    %dw = arith.mulf %y2, %nothing : tensor<4x4xf32>
    %mw = fsdp.local_grad %dw of "w" : tensor<4x4xf32>
    %gw = fsdp.reshard %mw of [8, 4] from <[{@tp}, {}]> to <[{}, {}]> : tensor<4x4xf32> to tensor<8x4xf32>
    %db = arith.mulf %v, %b : tensor<8x4xf32>
    %mb = fsdp.local_grad %db of "b" : tensor<8x4xf32>
    %gb = fsdp.reshard %mb of [8, 4] from <[{}, {}], partial = {@tp}> to <[{}, {}]> : tensor<8x4xf32> to tensor<8x4xf32>
    %mu = fsdp.local_grad %zero of "u" : tensor<4x4xf32>
    %gu = fsdp.reshard %mu of [8, 4] from <[{@tp}, {}]> to <[{}, {}]> : tensor<4x4xf32> to tensor<8x4xf32>
    return %x, %gw, %gb, %gu, %y2 : tensor<f32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>, tensor<4x4xf32>
  }
}
