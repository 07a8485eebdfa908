// SPDX-License-Identifier: Apache-2.0
// How each kind of op is split, from what the boundary says, and what becomes of
// it on one rank. Outputs stay as they come, so they add nothing.
// RUN: fsdp-opt %s --allow-unregistered-dialect --fsdp-propagate --split-input-file | FileCheck %s
// RUN: fsdp-opt %s --allow-unregistered-dialect --fsdp-partition --split-input-file | FileCheck %s --check-prefix=LOCAL

// Products, by columns, rows, batch, and along the dimension that is summed. A
// sum that starts from something counts that once.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  // CHECK-LABEL: @products
  // LOCAL-LABEL: @products
  // Inputs come in pieces, parameters whole.
  // LOCAL-SAME: tensor<4x4xf32> {fsdp.global_shape = array<i64: 8, 4>, fsdp.input = "s", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>}
  // LOCAL-SAME: %[[UP:[a-z0-9]*]]: tensor<4x6xf32> {fsdp.param = "up"
  // LOCAL-SAME: tensor<8x4xf32> {fsdp.output = "0"}
  // LOCAL-SAME: tensor<4x6xf32> {fsdp.global_shape = array<i64: 8, 6>, fsdp.output = "1", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>}
  func.func @products(%x: tensor<8x4xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
                      %s: tensor<8x4xf32> {fsdp.input = "s", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
                      %b: tensor<2x3x4xf32> {fsdp.input = "b", fsdp.sharding = #fsdp.sharding<[{}, {}, {}]>},
                      %w: tensor<4x6xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
                      %up: tensor<4x6xf32> {fsdp.param = "up", fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
                      %down: tensor<6x4xf32> {fsdp.param = "down", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
                      %e: tensor<2x4x6xf32> {fsdp.param = "e", fsdp.sharding = #fsdp.sharding<[{@tp}, {}, {}]>})
      -> (tensor<8x4xf32> {fsdp.output = "0"}, tensor<8x6xf32> {fsdp.output = "1"},
          tensor<2x3x6xf32> {fsdp.output = "2"}, tensor<8x4xf32> {fsdp.output = "3"}) {
    %zero = arith.constant 0.0 : f32
    %e0 = tensor.empty() : tensor<8x6xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e0 : tensor<8x6xf32>) -> tensor<8x6xf32>
    %e1 = tensor.empty() : tensor<8x4xf32>
    %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x4xf32>) -> tensor<8x4xf32>
    %e2 = tensor.empty() : tensor<2x3x6xf32>
    %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
    // CHECK: linalg.matmul {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}]>]}
    // LOCAL: %[[U:.*]] = fsdp.reshard %[[UP]] of [4, 6] from <[{}, {}]> to <[{}, {@tp}]>
    // LOCAL: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<8x3xf32>)
    // LOCAL: linalg.matmul ins(%{{.*}}, %[[U]] : tensor<8x4xf32>, tensor<4x3xf32>) outs(%{{.*}} : tensor<8x3xf32>)
    %h = linalg.matmul ins(%x, %up : tensor<8x4xf32>, tensor<4x6xf32>) outs(%z : tensor<8x6xf32>) -> tensor<8x6xf32>
    // CHECK: linalg.matmul {fsdp.sharding = [#fsdp.sharding<[{}, {}], partial = {@tp}>]}
    // LOCAL: %[[Y:.*]] = linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<8x3xf32>, tensor<3x4xf32>) outs(%{{.*}} : tensor<8x4xf32>)
    %y = linalg.matmul ins(%h, %down : tensor<8x6xf32>, tensor<6x4xf32>) outs(%z1 : tensor<8x4xf32>) -> tensor<8x4xf32>
    // CHECK: linalg.matmul {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]}
    // LOCAL: linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4x6xf32>) outs(%{{.*}} : tensor<4x6xf32>)
    %r = linalg.matmul ins(%s, %w : tensor<8x4xf32>, tensor<4x6xf32>) outs(%z : tensor<8x6xf32>) -> tensor<8x6xf32>
    // CHECK: linalg.batch_matmul {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}, {}]>]}
    // LOCAL: linalg.batch_matmul ins(%{{.*}}, %{{.*}} : tensor<1x3x4xf32>, tensor<1x4x6xf32>)
    %p = linalg.batch_matmul ins(%b, %e : tensor<2x3x4xf32>, tensor<2x4x6xf32>) outs(%z2 : tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
    // CHECK: linalg.matmul {fsdp.sharding = [#fsdp.sharding<[{}, {}], partial = {@tp}>]}
    // LOCAL: %[[ONCE:.*]] = fsdp.reshard %{{.*}} of [8, 4] from <[{}, {}]> to <[{}, {}], partial = {@tp}>
    // LOCAL: linalg.matmul {{.*}} outs(%[[ONCE]] : tensor<8x4xf32>)
    %q = linalg.matmul ins(%h, %down : tensor<8x6xf32>, tensor<6x4xf32>) outs(%x : tensor<8x4xf32>) -> tensor<8x4xf32>
    // LOCAL: fsdp.reshard %[[Y]] of [8, 4] from <[{}, {}], partial = {@tp}> to <[{}, {}]>
    return %y, %r, %p, %q : tensor<8x4xf32>, tensor<8x6xf32>, tensor<2x3x6xf32>, tensor<8x4xf32>
  }
}

// -----

// Elementwise, by the indexing maps; what reads its own position counts from
// this rank's.
#id = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  // CHECK-LABEL: @elements
  // LOCAL-LABEL: @elements
  func.func @elements(%s: tensor<8x4xf32> {fsdp.input = "s", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
                      %c: tensor<4xf32> {fsdp.input = "c", fsdp.sharding = #fsdp.sharding<[{}]>})
      -> (tensor<8x4xf32> {fsdp.output = "0"}, tensor<8x4xf32> {fsdp.output = "1"}, tensor<8x4xf32> {fsdp.output = "2"}) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x4xf32>
    // CHECK: linalg.generic {{.*}} attrs = {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]}
    // LOCAL: linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<4x4xf32>, tensor<4xf32>) outs(%{{.*}} : tensor<4x4xf32>)
    %a = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]}
        ins(%s, %c : tensor<8x4xf32>, tensor<4xf32>) outs(%e : tensor<8x4xf32>) {
    ^bb0(%p: f32, %q: f32, %out: f32):
      %0 = arith.addf %p, %q : f32
      linalg.yield %0 : f32
    } -> tensor<8x4xf32>
    // CHECK: linalg.generic {{.*}} attrs = {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]}
    // LOCAL: %[[RANK:.*]] = fsdp.rank_index @tp
    // LOCAL: %[[FIRST:.*]] = arith.muli %[[RANK]], %c4
    // LOCAL: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x4xf32>)
    // LOCAL: %[[I:.*]] = linalg.index 0
    // LOCAL: %[[ROW:.*]] = arith.addi %[[I]], %[[FIRST]]
    // LOCAL: %[[J:.*]] = linalg.index 1
    // LOCAL: arith.cmpi ugt, %[[ROW]], %[[J]]
    %t = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
        ins(%a : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
    ^bb0(%p: f32, %out: f32):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %0 = arith.cmpi ugt, %i, %j : index
      %1 = arith.select %0, %p, %zero : f32
      linalg.yield %1 : f32
    } -> tensor<8x4xf32>
    // A constant is made in the shape that is wanted.
    // CHECK: arith.addf {{.*}} {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]}
    // LOCAL: %[[ONES:.*]] = arith.constant dense<1.000000e+00> : tensor<4x4xf32>
    // LOCAL: arith.addf %{{.*}}, %[[ONES]] : tensor<4x4xf32>
    %ones = arith.constant dense<1.0> : tensor<8x4xf32>
    %k = arith.addf %s, %ones : tensor<8x4xf32>
    return %a, %t, %k : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
  }
}

// -----

// Reductions leave sums, largest and smallest values of what ranks have; of
// others, and of those with several results, the operand is gathered.
#id = affine_map<(i, j) -> (i, j)>
#col = affine_map<(i, j) -> (j)>
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  // CHECK-LABEL: @reductions
  // LOCAL-LABEL: @reductions
  // LOCAL-SAME: (%[[S:[a-z0-9]*]]: tensor<4x4xf32>
  func.func @reductions(%s: tensor<8x4xf32> {fsdp.input = "s", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>})
      -> (tensor<4xf32> {fsdp.output = "0"}, tensor<4xf32> {fsdp.output = "1"}, tensor<4xf32> {fsdp.output = "2"},
          tensor<8xf32> {fsdp.output = "3"}, tensor<f32> {fsdp.output = "4"}, tensor<4xf32> {fsdp.output = "5"},
          tensor<4xf32> {fsdp.output = "6"}, tensor<4xi64> {fsdp.output = "7"}) {
    %z = arith.constant dense<0.0> : tensor<4xf32>
    %zs = arith.constant dense<0.0> : tensor<f32>
    %z8 = arith.constant dense<0.0> : tensor<8xf32>
    %low = arith.constant dense<-1.0e+30> : tensor<4xf32>
    %none = arith.constant dense<0> : tensor<4xi64>
    // CHECK: linalg.reduce { arith.addf } {{.*}} {fsdp.sharding = [#fsdp.sharding<[{}], partial = {@tp}>]}
    // LOCAL: %[[SUM:.*]] = linalg.reduce { arith.addf } ins(%[[S]] : tensor<4x4xf32>) outs(%{{.*}} : tensor<4xf32>)
    %sum = linalg.reduce { arith.addf } ins(%s : tensor<8x4xf32>) outs(%z : tensor<4xf32>) dimensions = [0]
    // CHECK: linalg.reduce { arith.maximumf } {{.*}} {fsdp.sharding = [#fsdp.sharding<[{}], partial = max {@tp}>]}
    // LOCAL: %[[MAX:.*]] = linalg.reduce { arith.maximumf } ins(%[[S]]
    %max = linalg.reduce { arith.maximumf } ins(%s : tensor<8x4xf32>) outs(%low : tensor<4xf32>) dimensions = [0]
    // CHECK: linalg.reduce { arith.minimumf } {{.*}} {fsdp.sharding = [#fsdp.sharding<[{}], partial = min {@tp}>]}
    %min = linalg.reduce { arith.minimumf } ins(%s : tensor<8x4xf32>) outs(%z : tensor<4xf32>) dimensions = [0]
    // CHECK: linalg.reduce { arith.mulf } {{.*}} {fsdp.sharding = [#fsdp.sharding<[{@tp}]>]}
    // LOCAL: linalg.reduce { arith.mulf } ins(%[[S]] : tensor<4x4xf32>) outs(%{{.*}} : tensor<4xf32>) dimensions = [1]
    %rows = linalg.reduce { arith.mulf } ins(%s : tensor<8x4xf32>) outs(%z8 : tensor<8xf32>) dimensions = [1]
    // CHECK: linalg.reduce { arith.addf } {{.*}} {fsdp.sharding = [#fsdp.sharding<[], partial = {@tp}>]}
    %all = linalg.reduce { arith.addf } ins(%s : tensor<8x4xf32>) outs(%zs : tensor<f32>) dimensions = [0, 1]
    // CHECK: linalg.reduce { arith.mulf } {{.*}} {fsdp.sharding = [#fsdp.sharding<[{}]>]}
    // LOCAL: linalg.reduce { arith.mulf } ins(%{{.*}} : tensor<8x4xf32>)
    %prod = linalg.reduce { arith.mulf } ins(%s : tensor<8x4xf32>) outs(%z : tensor<4xf32>) dimensions = [0]
    // CHECK: linalg.generic {{.*}} attrs = {fsdp.sharding = [#fsdp.sharding<[{}]>, #fsdp.sharding<[{}]>]}
    // LOCAL: linalg.generic {{.*}} ins(%{{.*}} : tensor<8x4xf32>)
    %best:2 = linalg.generic {indexing_maps = [#id, #col, #col], iterator_types = ["reduction", "parallel"]}
        ins(%s : tensor<8x4xf32>) outs(%low, %none : tensor<4xf32>, tensor<4xi64>) {
    ^bb0(%p: f32, %o: f32, %at: i64):
      %i = linalg.index 0 : index
      %0 = arith.index_cast %i : index to i64
      %1 = arith.maximumf %p, %o : f32
      %2 = arith.cmpf ogt, %p, %o : f32
      %3 = arith.select %2, %0, %at : i64
      linalg.yield %1, %3 : f32, i64
    } -> (tensor<4xf32>, tensor<4xi64>)
    // LOCAL: fsdp.reshard %[[SUM]] of [4] from <[{}], partial = {@tp}> to <[{}]>
    // LOCAL: fsdp.reshard %[[MAX]] of [4] from <[{}], partial = max {@tp}> to <[{}]>
    return %sum, %max, %min, %rows, %all, %prod, %best#0, %best#1 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>,
        tensor<8xf32>, tensor<f32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>
  }
}

// -----

// Reshapes, transposes, slices, concatenation, padding: a dimension that is
// taken whole stays split, one that is cut is gathered. A minor dimension that
// is merged stays split, in blocks.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  // CHECK-LABEL: @shapes
  // LOCAL-LABEL: @shapes
  // LOCAL-SAME: (%[[S:[a-z0-9]*]]: tensor<4x4xf32>
  // LOCAL-SAME: %[[T:[a-z0-9]*]]: tensor<8x2xf32>
  func.func @shapes(%s: tensor<8x4xf32> {fsdp.input = "s", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
                    %t: tensor<8x4xf32> {fsdp.input = "t", fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
                    %o: tensor<3x4xf32> {fsdp.input = "o", fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>})
      -> (tensor<32xf32> {fsdp.output = "0"}, tensor<4x8xf32> {fsdp.output = "1"}, tensor<2x4x4xf32> {fsdp.output = "2"},
          tensor<4x8xf32> {fsdp.output = "3"}, tensor<8x2xf32> {fsdp.output = "4"}, tensor<4x4xf32> {fsdp.output = "5"},
          tensor<8x4xf32> {fsdp.output = "6"}, tensor<11x4xf32> {fsdp.output = "7"}, tensor<8x6xf32> {fsdp.output = "8"},
          tensor<10x4xf32> {fsdp.output = "9"}, tensor<8x1x4xf32> {fsdp.output = "10"},
          tensor<8x1xf32> {fsdp.output = "11"}) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x8xf32>
    // CHECK: tensor.collapse_shape {{.*}} {fsdp.sharding = [#fsdp.sharding<[{@tp}]>]}
    // LOCAL: tensor.collapse_shape %[[S]] {{.*}} : tensor<4x4xf32> into tensor<16xf32>
    %major = tensor.collapse_shape %s [[0, 1]] : tensor<8x4xf32> into tensor<32xf32>
    // CHECK: tensor.collapse_shape {{.*}} {fsdp.blocks = [array<i64: 8>], fsdp.sharding = [#fsdp.sharding<[{@tp}]>]}
    // LOCAL: %[[FLAT:.*]] = tensor.collapse_shape %[[T]] {{.*}} : tensor<8x2xf32> into tensor<16xf32>
    // LOCAL: tensor.expand_shape %[[FLAT]] {{.*}} output_shape [8, 2] : tensor<16xf32> into tensor<8x2xf32>
    %minor = tensor.collapse_shape %t [[0, 1]] : tensor<8x4xf32> into tensor<32xf32>
    %again = tensor.expand_shape %minor [[0, 1]] output_shape [8, 4] : tensor<32xf32> into tensor<8x4xf32>
    // CHECK: linalg.transpose ins(%expanded {{.*}} {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]}
    %back = linalg.transpose ins(%again : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
    // CHECK: tensor.expand_shape {{.*}} {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}, {}]>]}
    // LOCAL: tensor.expand_shape %[[S]] {{.*}} output_shape [1, 4, 4] : tensor<4x4xf32> into tensor<1x4x4xf32>
    %expand = tensor.expand_shape %s [[0, 1], [2]] output_shape [2, 4, 4] : tensor<8x4xf32> into tensor<2x4x4xf32>
    // CHECK: linalg.transpose ins(%arg0 {{.*}} {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}]>]}
    // LOCAL: linalg.transpose ins(%[[S]] : tensor<4x4xf32>)
    %turn = linalg.transpose ins(%s : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
    // CHECK: tensor.extract_slice {{.*}} {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]}
    // LOCAL: tensor.extract_slice %[[S]][0, 1] [4, 2] [1, 1] : tensor<4x4xf32> to tensor<4x2xf32>
    %columns = tensor.extract_slice %s[0, 1] [8, 2] [1, 1] : tensor<8x4xf32> to tensor<8x2xf32>
    // CHECK: tensor.extract_slice {{.*}} {fsdp.sharding = [#fsdp.sharding<[{}, {}]>]}
    // LOCAL: %[[WHOLE:.*]] = fsdp.reshard %[[S]] of [8, 4] from <[{@tp}, {}]> to <[{}, {}]>
    // LOCAL: tensor.extract_slice %[[WHOLE]][2, 0] [4, 4] [1, 1]
    %rows = tensor.extract_slice %s[2, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
    // So is what is cut at places that are no ranks': a fused weight's q, k and v.
    // LOCAL: %[[COLUMNS:.*]] = fsdp.reshard %[[T]] of [8, 4] from <[{}, {@tp}]> to <[{}, {}]>
    // LOCAL: tensor.extract_slice %[[COLUMNS]][0, 1] [8, 1] [1, 1]
    %one = tensor.extract_slice %t[0, 1] [8, 1] [1, 1] : tensor<8x4xf32> to tensor<8x1xf32>
    // CHECK: tensor.insert_slice {{.*}} {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]}
    // LOCAL: tensor.insert_slice %{{.*}} into %[[S]][0, 2] [4, 2] [1, 1]
    %into = tensor.insert_slice %columns into %s[0, 2] [8, 2] [1, 1] : tensor<8x2xf32> into tensor<8x4xf32>
    // CHECK: tensor.concat {{.*}} {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}]>]}
    // LOCAL: tensor.concat dim(0) %[[T]], %{{.*}} : (tensor<8x2xf32>, tensor<3x2xf32>) -> tensor<11x2xf32>
    %long = tensor.concat dim(0) %t, %o : (tensor<8x4xf32>, tensor<3x4xf32>) -> tensor<11x4xf32>
    // CHECK: } {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]} : tensor<8x4xf32> to tensor<8x6xf32>
    // LOCAL: } : tensor<4x4xf32> to tensor<4x6xf32>
    %wide = tensor.pad %s low[0, 1] high[0, 1] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<8x4xf32> to tensor<8x6xf32>
    // CHECK: } {fsdp.sharding = [#fsdp.sharding<[{}, {}]>]} : tensor<8x4xf32> to tensor<10x4xf32>
    // LOCAL: tensor.pad %[[WHOLE]]
    %tall = tensor.pad %s low[1, 0] high[1, 0] {
    ^bb0(%i: index, %j: index):
      tensor.yield %zero : f32
    } : tensor<8x4xf32> to tensor<10x4xf32>
    // CHECK: tensor.expand_shape {{.*}} {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}, {}]>]} : tensor<8x4xf32> into tensor<8x1x4xf32>
    %unit = tensor.expand_shape %s [[0, 1], [2]] output_shape [8, 1, 4] : tensor<8x4xf32> into tensor<8x1x4xf32>
    return %major, %back, %expand, %turn, %columns, %rows, %into, %long, %wide, %tall, %unit, %one : tensor<32xf32>, tensor<4x8xf32>,
        tensor<2x4x4xf32>, tensor<4x8xf32>, tensor<8x2xf32>, tensor<4x4xf32>, tensor<8x4xf32>, tensor<11x4xf32>,
        tensor<8x6xf32>, tensor<10x4xf32>, tensor<8x1x4xf32>, tensor<8x1xf32>
  }
}

// -----

// Lookups in a table: of rows that others hold a rank reads zeros, and the sum
// is the row. Scatters, by rows that a rank holds, by updates, by columns.
#token = affine_map<(i, j) -> (i)>
#id = affine_map<(i, j) -> (i, j)>
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  // CHECK-LABEL: @lookups
  // LOCAL-LABEL: @lookups
  func.func @lookups(%rows: tensor<8x4xf32> {fsdp.param = "rows", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
                     %columns: tensor<8x4xf32> {fsdp.param = "columns", fsdp.sharding = #fsdp.sharding<[{}, {@tp}]>},
                     %w: tensor<8x4xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
                     %n: tensor<6xi64> {fsdp.input = "n", fsdp.sharding = #fsdp.sharding<[{}]>},
                     %m: tensor<6xi64> {fsdp.input = "m", fsdp.sharding = #fsdp.sharding<[{@tp}]>},
                     %g: tensor<6x1x4xf32> {fsdp.input = "g", fsdp.sharding = #fsdp.sharding<[{}, {}, {}]>},
                     %gm: tensor<6x1x4xf32> {fsdp.input = "gm", fsdp.sharding = #fsdp.sharding<[{@tp}, {}, {}]>},
                     %gd: tensor<6x1x4xf32> {fsdp.input = "gd", fsdp.sharding = #fsdp.sharding<[{}, {}, {@tp}]>},
                     %at: tensor<6x1xi64> {fsdp.input = "at", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
                     %atm: tensor<6x1xi64> {fsdp.input = "atm", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>})
      -> (tensor<6x4xf32> {fsdp.output = "0"}, tensor<6x4xf32> {fsdp.output = "1"}, tensor<6x4xf32> {fsdp.output = "2"},
          tensor<8x4xf32> {fsdp.output = "3"}, tensor<8x4xf32> {fsdp.output = "4"},
          tensor<8x4xf32> {fsdp.output = "5", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>}) {
    %e = tensor.empty() : tensor<6x4xf32>
    // CHECK: linalg.generic {{.*}} attrs = {fsdp.sharding = [#fsdp.sharding<[{}, {}], partial = {@tp}>]}
    // LOCAL: %[[MINE:.*]] = fsdp.reshard %arg0 of [8, 4] from <[{}, {}]> to <[{@tp}, {}]>
    // LOCAL: %[[RANK:.*]] = fsdp.rank_index @tp
    // LOCAL: %[[FIRST:.*]] = arith.muli %[[RANK]], %c4
    // LOCAL: %[[I:.*]] = arith.index_cast
    // LOCAL: %[[ROW:.*]] = arith.subi %[[I]], %[[FIRST]]
    // LOCAL: %[[IN:.*]] = arith.cmpi ult, %[[ROW]]
    // LOCAL: %[[READ:.*]] = arith.select %[[IN]], %[[ROW]], %{{.*}} : index
    // LOCAL: %[[V:.*]] = tensor.extract %[[MINE]][%[[READ]], %{{.*}}] : tensor<4x4xf32>
    // LOCAL: arith.select %[[IN]], %[[V]], %{{.*}} : f32
    %a = linalg.generic {indexing_maps = [#token, #id], iterator_types = ["parallel", "parallel"]}
        ins(%n : tensor<6xi64>) outs(%e : tensor<6x4xf32>) {
    ^bb0(%t: i64, %out: f32):
      %i = arith.index_cast %t : i64 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %rows[%i, %j] : tensor<8x4xf32>
      linalg.yield %v : f32
    } -> tensor<6x4xf32>
    // CHECK: linalg.generic {{.*}} attrs = {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}]>]}
    // LOCAL: linalg.generic {{.*}} outs(%{{.*}} : tensor<6x2xf32>)
    // LOCAL: tensor.extract %{{.*}} : tensor<8x2xf32>
    %b = linalg.generic {indexing_maps = [#token, #id], iterator_types = ["parallel", "parallel"]}
        ins(%n : tensor<6xi64>) outs(%e : tensor<6x4xf32>) {
    ^bb0(%t: i64, %out: f32):
      %i = arith.index_cast %t : i64 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %columns[%i, %j] : tensor<8x4xf32>
      linalg.yield %v : f32
    } -> tensor<6x4xf32>
    // CHECK: linalg.generic {{.*}} attrs = {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]}
    // LOCAL: linalg.generic {{.*}} ins(%{{.*}} : tensor<3xi64>) outs(%{{.*}} : tensor<3x4xf32>)
    %c = linalg.generic {indexing_maps = [#token, #id], iterator_types = ["parallel", "parallel"]}
        ins(%m : tensor<6xi64>) outs(%e : tensor<6x4xf32>) {
    ^bb0(%t: i64, %out: f32):
      %i = arith.index_cast %t : i64 to index
      %j = linalg.index 1 : index
      %v = tensor.extract %w[%i, %j] : tensor<8x4xf32>
      linalg.yield %v : f32
    } -> tensor<6x4xf32>
    %z = arith.constant dense<0.0> : tensor<8x4xf32>
    // CHECK: fsdp.scatter {{.*}} {fsdp.sharding = [#fsdp.sharding<[{}, {}], partial = {@tp}>]}
    // LOCAL: fsdp.scatter ins(%{{.*}}, %{{.*}} : tensor<3x1x4xf32>, tensor<3x1xi64>) outs(%{{.*}} : tensor<8x4xf32>)
    %x = fsdp.scatter ins(%gm, %atm : tensor<6x1x4xf32>, tensor<6x1xi64>) outs(%z : tensor<8x4xf32>) dims [0] {
    ^bb0(%u: f32, %o: f32):
      %0 = arith.addf %u, %o : f32
      fsdp.yield %0 : f32
    } -> tensor<8x4xf32>
    // CHECK: fsdp.scatter {{.*}} {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}]>]}
    // LOCAL: fsdp.scatter ins(%{{.*}}, %{{.*}} : tensor<6x1x2xf32>, tensor<6x1xi64>) outs(%{{.*}} : tensor<8x2xf32>)
    %y = fsdp.scatter ins(%gd, %at : tensor<6x1x4xf32>, tensor<6x1xi64>) outs(%z : tensor<8x4xf32>) dims [0] {
    ^bb0(%u: f32, %o: f32):
      %0 = arith.addf %u, %o : f32
      fsdp.yield %0 : f32
    } -> tensor<8x4xf32>
    // Updates of rows that others hold are zeros, for row 0.
    // CHECK: fsdp.scatter {{.*}} {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]}
    // LOCAL: linalg.generic {{.*}} outs(%{{.*}} : tensor<6x1x4xf32>)
    // LOCAL: arith.cmpi ult
    // LOCAL: arith.select %{{.*}} : f32
    // LOCAL: fsdp.scatter ins(%{{.*}}, %{{.*}} : tensor<6x1x4xf32>, tensor<6x1xi64>) outs(%[[MINE]] : tensor<4x4xf32>)
    %v = fsdp.scatter ins(%g, %at : tensor<6x1x4xf32>, tensor<6x1xi64>) outs(%rows : tensor<8x4xf32>) dims [0] {
    ^bb0(%u: f32, %o: f32):
      %0 = arith.addf %u, %o : f32
      fsdp.yield %0 : f32
    } -> tensor<8x4xf32>
    return %a, %b, %c, %x, %y, %v : tensor<6x4xf32>, tensor<6x4xf32>, tensor<6x4xf32>, tensor<8x4xf32>,
        tensor<8x4xf32>, tensor<8x4xf32>
  }
}

// -----

// Convolutions, by images and by channels; a window would need a halo.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  // CHECK-LABEL: @convolutions
  // LOCAL-LABEL: @convolutions
  func.func @convolutions(%x: tensor<2x4x6x6xf32> {fsdp.input = "x", fsdp.sharding = #fsdp.sharding<[{@tp}, {}, {}, {}]>},
                          %y: tensor<2x4x6x6xf32> {fsdp.input = "y", fsdp.sharding = #fsdp.sharding<[{}, {}, {}, {}]>},
                          %h: tensor<2x4x6x6xf32> {fsdp.input = "h", fsdp.sharding = #fsdp.sharding<[{}, {}, {@tp}, {}]>},
                          %w: tensor<8x4x3x3xf32> {fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}, {}, {}, {}]>},
                          %out: tensor<8x4x3x3xf32> {fsdp.param = "out", fsdp.sharding = #fsdp.sharding<[{@tp}, {}, {}, {}]>},
                          %in: tensor<8x4x3x3xf32> {fsdp.param = "in", fsdp.sharding = #fsdp.sharding<[{}, {@tp}, {}, {}]>})
      -> (tensor<2x8x4x4xf32> {fsdp.output = "0"}, tensor<2x8x4x4xf32> {fsdp.output = "1"},
          tensor<2x8x4x4xf32> {fsdp.output = "2"}, tensor<2x8x4x4xf32> {fsdp.output = "3"}) {
    %z = arith.constant dense<0.0> : tensor<2x8x4x4xf32>
    // CHECK: linalg.conv_2d_nchw_fchw {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}, {}, {}]>]}
    // LOCAL: linalg.conv_2d_nchw_fchw ins(%{{.*}}, %{{.*}} : tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>)
    %a = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%z : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
    // CHECK: linalg.conv_2d_nchw_fchw {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}, {}, {}]>]}
    // LOCAL: linalg.conv_2d_nchw_fchw ins(%{{.*}}, %{{.*}} : tensor<2x4x6x6xf32>, tensor<4x4x3x3xf32>)
    %b = linalg.conv_2d_nchw_fchw ins(%y, %out : tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%z : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
    // CHECK: linalg.conv_2d_nchw_fchw {fsdp.sharding = [#fsdp.sharding<[{}, {}, {}, {}], partial = {@tp}>]}
    // LOCAL: linalg.conv_2d_nchw_fchw ins(%{{.*}}, %{{.*}} : tensor<2x2x6x6xf32>, tensor<8x2x3x3xf32>)
    %c = linalg.conv_2d_nchw_fchw ins(%y, %in : tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%z : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
    // CHECK: linalg.conv_2d_nchw_fchw {fsdp.sharding = [#fsdp.sharding<[{}, {}, {}, {}]>]}
    // LOCAL: fsdp.reshard %{{.*}} of [2, 4, 6, 6] from <[{}, {}, {@tp}, {}]> to <[{}, {}, {}, {}]>
    %d = linalg.conv_2d_nchw_fchw ins(%h, %w : tensor<2x4x6x6xf32>, tensor<8x4x3x3xf32>) outs(%z : tensor<2x8x4x4xf32>) -> tensor<2x8x4x4xf32>
    return %a, %b, %c, %d : tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>, tensor<2x8x4x4xf32>
  }
}

// -----

// What a loop carries, or either branch yields, has one placement.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  // CHECK-LABEL: @control
  // LOCAL-LABEL: @control
  func.func @control(%s: tensor<8x4xf32> {fsdp.input = "s", fsdp.sharding = #fsdp.sharding<[{@tp}, {}]>},
                     %t: tensor<8x4xf32> {fsdp.input = "t", fsdp.sharding = #fsdp.sharding<[{}, {}]>},
                     %p: tensor<i1> {fsdp.input = "p", fsdp.sharding = #fsdp.sharding<[]>})
      -> (tensor<8x4xf32> {fsdp.output = "0"}, tensor<8x4xf32> {fsdp.output = "1"}, tensor<8x4xf32> {fsdp.output = "2"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    // CHECK: arith.addf {{.*}} {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]}
    // CHECK: } {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]}
    // LOCAL: scf.for {{.*}} -> (tensor<4x4xf32>)
    // LOCAL: arith.addf {{.*}} : tensor<4x4xf32>
    %for = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %s) -> (tensor<8x4xf32>) {
      %b = arith.addf %a, %t : tensor<8x4xf32>
      scf.yield %b : tensor<8x4xf32>
    }
    %q = tensor.extract %p[] : tensor<i1>
    // CHECK: arith.negf {{.*}} {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]}
    // LOCAL: scf.if {{.*}} -> (tensor<4x4xf32>)
    // LOCAL: } else {
    // LOCAL-NEXT: %[[PART:.*]] = fsdp.reshard %{{.*}} of [8, 4] from <[{}, {}]> to <[{@tp}, {}]>
    // LOCAL-NEXT: scf.yield %[[PART]] : tensor<4x4xf32>
    %if = scf.if %q -> (tensor<8x4xf32>) {
      %b = arith.negf %s : tensor<8x4xf32>
      scf.yield %b : tensor<8x4xf32>
    } else {
      scf.yield %t : tensor<8x4xf32>
    }
    // CHECK: arith.mulf {{.*}} {fsdp.sharding = [#fsdp.sharding<[{@tp}, {}]>]}
    // LOCAL: scf.while {{.*}} -> (index, tensor<4x4xf32>)
    // LOCAL: arith.mulf {{.*}} : tensor<4x4xf32>
    %while:2 = scf.while (%i = %c0, %a = %s) : (index, tensor<8x4xf32>) -> (index, tensor<8x4xf32>) {
      %less = arith.cmpi slt, %i, %c3 : index
      scf.condition(%less) %i, %a : index, tensor<8x4xf32>
    } do {
    ^bb0(%i: index, %a: tensor<8x4xf32>):
      %n = arith.addi %i, %c1 : index
      %b = arith.mulf %a, %a : tensor<8x4xf32>
      scf.yield %n, %b : index, tensor<8x4xf32>
    }
    return %for, %if, %while#1 : tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x4xf32>
  }
}

// -----

// An opaque op is split as its rule says. The second operand comes split along
// what the rule sums over, which nothing is said of; it is split as the first.
module attributes {fsdp.world = #fsdp.world<ranks = 2, ranks_per_node = 2>} {
  fsdp.process_group @tp = #fsdp.classes<[1, 2] from [2]>
  // CHECK-LABEL: @rules
  // LOCAL-LABEL: @rules
  func.func @rules(%q: tensor<2x8x4xf32> {fsdp.input = "q", fsdp.sharding = #fsdp.sharding<[{@tp}, {}, {}]>},
                   %k: tensor<2x8x4xf32> {fsdp.input = "k", fsdp.sharding = #fsdp.sharding<[{}, {@tp}, {}]>})
      -> (tensor<2x8x4xf32> {fsdp.output = "0"}) {
    // CHECK: vendor.attention{{.*}} fsdp.sharding = [#fsdp.sharding<[{@tp}, {}, {}]>]
    // LOCAL: %[[K:.*]] = fsdp.reshard %{{.*}} of [2, 8, 4] from <[{}, {@tp}, {}]> to <[{@tp}, {}, {}]>
    // LOCAL: "vendor.attention"(%{{.*}}, %[[K]]) {{.*}} : (tensor<1x8x4xf32>, tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
    %a = "vendor.attention"(%q, %k) {fsdp.rule = #fsdp.rule<([b, s, d], [b, t, d]) -> [b, s, d]>}
        : (tensor<2x8x4xf32>, tensor<2x8x4xf32>) -> tensor<2x8x4xf32>
    return %a : tensor<2x8x4xf32>
  }
}
