// SPDX-License-Identifier: Apache-2.0
// Which dims of an op split together, seen through the pass that runs the
// optimizer on shards: an op that splits works on tensor<2x...>, one that does
// not is named by a remark and keeps the whole tensors.
// RUN: fsdp-opt %s --fsdp-partition-updates --split-input-file | FileCheck %s
// RUN: fsdp-opt %s --fsdp-partition-updates --split-input-file --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not='remark:'

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#col = affine_map<(i, j) -> (j)>
module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @n = #fsdp.classes<[1, 4] from [4]>
  func.func @splits(%gw: tensor<8x4xf32> {fsdp.param = "w"}, %gx: tensor<8xf32> {fsdp.param = "x"},
                    %y: tensor<4xf32> {fsdp.hyper = "y"})
      -> (tensor<4x8xf32> {fsdp.output = "0"}, tensor<8x4xf32> {fsdp.output = "1"},
          tensor<4xf32> {fsdp.output = "2"}, tensor<8xf32> {fsdp.output = "3"},
          tensor<4xf32> {fsdp.output = "4"}, tensor<8x1xf32> {fsdp.output = "5"},
          tensor<8xf32> {fsdp.output = "6"}) {
    %mw = fsdp.local_grad %gw of "w" : tensor<8x4xf32>
    %mx = fsdp.local_grad %gx of "x" : tensor<8xf32>
    %ws = fsdp.reshard %mw of [8, 4] from <[{}, {} ], partial = {@n}> to <[{@n}, {} ]> : tensor<8x4xf32> to tensor<2x4xf32>
    %xs = fsdp.reshard %mx of [8] from <[{} ], partial = {@n}> to <[{@n} ]> : tensor<8xf32> to tensor<2xf32>
    %w = fsdp.reshard %ws of [8, 4] from <[{@n}, {} ]> to <[{}, {} ]> : tensor<2x4xf32> to tensor<8x4xf32>
    %x = fsdp.reshard %xs of [8] from <[{@n} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    // CHECK-LABEL: @splits
    // A transpose moves the split dim.
    // CHECK: %[[T:.*]] = linalg.transpose ins(%{{.*}} : tensor<2x4xf32>) outs(%{{.*}} : tensor<4x2xf32>)
    // CHECK: fsdp.reshard %[[T]] of [4, 8] from <[{}, {@n}]>
    %e = tensor.empty() : tensor<4x8xf32>
    %t = linalg.transpose ins(%w : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
    // Operands that lack the dim come whole, those that have it as shards.
    // CHECK: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<2x4xf32>, tensor<2xf32>, tensor<4xf32>)
    %e1 = tensor.empty() : tensor<8x4xf32>
    %b = linalg.generic {indexing_maps = [#id, #row, #col, #id], iterator_types = ["parallel", "parallel"]}
        ins(%w, %x, %y : tensor<8x4xf32>, tensor<8xf32>, tensor<4xf32>) outs(%e1 : tensor<8x4xf32>) {
    ^bb0(%p: f32, %q: f32, %r: f32, %out: f32):
      %0 = arith.addf %p, %q : f32
      %1 = arith.addf %0, %r : f32
      linalg.yield %1 : f32
    } -> tensor<8x4xf32>
    // A sum from zero may be done in parts, and so may a maximum from anything.
    // CHECK: linalg.reduce {{.*}} ins(%{{.*}} : tensor<2x4xf32>) outs(%{{.*}} : tensor<4xf32>) dimensions = [0]
    // CHECK: fsdp.reshard %{{.*}} from <[{}], partial = {@n}> to <[{}]>
    %zeros = arith.constant dense<0.0> : tensor<4xf32>
    %s = linalg.reduce { arith.addf } ins(%w : tensor<8x4xf32>) outs(%zeros : tensor<4xf32>) dimensions = [0]
    // Over the other dim the result is split.
    // CHECK: linalg.reduce {{.*}} outs(%{{.*}} : tensor<2xf32>) dimensions = [1]
    %zeros8 = arith.constant dense<0.0> : tensor<8xf32>
    %r = linalg.reduce { arith.mulf } ins(%w : tensor<8x4xf32>) outs(%zeros8 : tensor<8xf32>) dimensions = [1]
    // CHECK: linalg.reduce {{.*}} ins(%{{.*}} : tensor<2x4xf32>) outs(%{{.*}} : tensor<4xf32>) dimensions = [0]
    // CHECK: fsdp.reshard %{{.*}} from <[{}], partial = max {@n}> to <[{}]>
    %m = linalg.reduce { arith.maximumf } ins(%w : tensor<8x4xf32>) outs(%y : tensor<4xf32>) dimensions = [0]
    // Unit dims come and go.
    // CHECK: tensor.expand_shape %{{.*}} : tensor<2xf32> into tensor<2x1xf32>
    %u = tensor.expand_shape %x [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
    // CHECK: tensor.collapse_shape %{{.*}} : tensor<2x1xf32> into tensor<2xf32>
    %c = tensor.collapse_shape %u [[0, 1]] : tensor<8x1xf32> into tensor<8xf32>
    return %t, %b, %s, %r, %m, %u, %c : tensor<4x8xf32>, tensor<8x4xf32>, tensor<4xf32>,
        tensor<8xf32>, tensor<4xf32>, tensor<8x1xf32>, tensor<8xf32>
  }
}

// -----

module attributes {fsdp.world = #fsdp.world<ranks = 4, ranks_per_node = 4>} {
  fsdp.process_group @n = #fsdp.classes<[1, 4] from [4]>
  // CHECK-LABEL: @whole
  func.func @whole(%gw: tensor<8x4xf32> {fsdp.param = "w"}, %gx: tensor<8xf32> {fsdp.param = "x"},
                   %y: tensor<4xf32> {fsdp.hyper = "y"}, %k: tensor<3xf32> {fsdp.hyper = "k"})
      -> (tensor<4xf32> {fsdp.output = "0"}, tensor<4xf32> {fsdp.output = "1"},
          tensor<6xf32> {fsdp.output = "2"}, tensor<32xf32> {fsdp.output = "3"},
          tensor<2x4xf32> {fsdp.output = "4"}) {
    %mw = fsdp.local_grad %gw of "w" : tensor<8x4xf32>
    %mx = fsdp.local_grad %gx of "x" : tensor<8xf32>
    %ws = fsdp.reshard %mw of [8, 4] from <[{}, {} ], partial = {@n}> to <[{@n}, {} ]> : tensor<8x4xf32> to tensor<2x4xf32>
    %xs = fsdp.reshard %mx of [8] from <[{} ], partial = {@n}> to <[{@n} ]> : tensor<8xf32> to tensor<2xf32>
    %w = fsdp.reshard %ws of [8, 4] from <[{@n}, {} ]> to <[{}, {} ]> : tensor<2x4xf32> to tensor<8x4xf32>
    %x = fsdp.reshard %xs of [8] from <[{@n} ]> to <[{} ]> : tensor<2xf32> to tensor<8xf32>
    // A sum from a bias would count it once per rank.
    // CHECK: linalg.reduce {{.*}} ins(%{{.*}} : tensor<8x4xf32>)
    // REMARK: remark:{{.*}}'linalg.reduce' runs on whole tensors
    %s = linalg.reduce { arith.addf } ins(%w : tensor<8x4xf32>) outs(%y : tensor<4xf32>) dimensions = [0]
    // Partial products are none of ours.
    // CHECK: linalg.reduce {{.*}} ins(%{{.*}} : tensor<8x4xf32>)
    // REMARK: remark:{{.*}}'linalg.reduce' runs on whole tensors
    %ones = arith.constant dense<1.0> : tensor<4xf32>
    %p = linalg.reduce { arith.mulf } ins(%w : tensor<8x4xf32>) outs(%ones : tensor<4xf32>) dimensions = [0]
    // A window needs its neighbours' rows.
    // CHECK: linalg.conv_1d ins(%{{.*}} : tensor<8xf32>, tensor<3xf32>)
    // REMARK: remark:{{.*}}'linalg.conv_1d' runs on whole tensors
    %zeros = arith.constant dense<0.0> : tensor<6xf32>
    %c = linalg.conv_1d ins(%x, %k : tensor<8xf32>, tensor<3xf32>) outs(%zeros : tensor<6xf32>) -> tensor<6xf32>
    // Padding would end up between rows.
    // CHECK: tensor.collapse_shape %{{.*}} : tensor<8x4xf32> into tensor<32xf32>
    // REMARK: remark:{{.*}}'tensor.collapse_shape' runs on whole tensors
    %f = tensor.collapse_shape %w [[0, 1]] : tensor<8x4xf32> into tensor<32xf32>
    // CHECK: tensor.extract_slice %{{.*}} : tensor<8x4xf32> to tensor<2x4xf32>
    // REMARK: remark:{{.*}}'tensor.extract_slice' runs on whole tensors
    %o = tensor.extract_slice %w[1, 0] [2, 4] [1, 1] : tensor<8x4xf32> to tensor<2x4xf32>
    return %s, %p, %c, %f, %o : tensor<4xf32>, tensor<4xf32>, tensor<6xf32>, tensor<32xf32>, tensor<2x4xf32>
  }
}
