// SPDX-License-Identifier: Apache-2.0
// A marker is put where autograd ends; the cases without an optimizer, with
// one that locations name, and with one that only states betray.
// RUN: fsdp-opt %s --fsdp-mark-gradients --split-input-file | FileCheck %s

// Gradient results: marked as they are returned, also where a parameter's
// gradient is another's. A parameter without one is frozen; a marker that is
// there stays the only one.
// CHECK-LABEL: @results
// CHECK-SAME: %[[W:[a-z0-9]*]]: tensor<4xf32> {fsdp.param = "w"}
// CHECK-SAME: {fsdp.param = "b"}
// CHECK-SAME: {fsdp.frozen, fsdp.param = "f"}
// CHECK-SAME: {fsdp.param = "m"}
// CHECK: %[[G:.*]] = arith.mulf
// CHECK: %[[MW:.*]] = fsdp.local_grad %[[G]] of "w"
// CHECK: %[[MM:.*]] = fsdp.local_grad %{{.*}} of "m"
// CHECK-NOT: of "m"
// CHECK: return %[[G]], %[[MW]], %[[MB:.*]], %[[MM]]
func.func @results(%w: tensor<4xf32> {fsdp.param = "w"},
                   %b: tensor<4xf32> {fsdp.param = "b"},
                   %f: tensor<4xf32> {fsdp.param = "f"},
                   %m: tensor<4xf32> {fsdp.param = "m"},
                   %x: tensor<4xf32> {fsdp.input = "x"})
    -> (tensor<4xf32> {fsdp.output = "g"}, tensor<4xf32> {fsdp.grad = "w"},
        tensor<4xf32> {fsdp.grad = "b"}, tensor<4xf32> {fsdp.grad = "m"}) {
  %g = arith.mulf %x, %f : tensor<4xf32>
  %gm = arith.mulf %x, %m : tensor<4xf32>
  %marked = fsdp.local_grad %gm of "m" : tensor<4xf32>
  return %g, %g, %g, %marked
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// SGD: no state, so locations say what the optimizer is. Backward's own use of
// the gradient (the next layer's) stays in front of the marker.
// CHECK-LABEL: @sgd
// CHECK: %[[G:.*]] = arith.mulf %{{.*}}, %{{.*}} : tensor<4xf32>
// CHECK: %[[M:.*]] = fsdp.local_grad %[[G]] of "w"
// CHECK: %[[GV:.*]] = arith.addf %[[G]],
// CHECK: %[[MV:.*]] = fsdp.local_grad %[[GV]] of "v"
// CHECK: %[[DW:.*]] = arith.mulf %[[M]],
// CHECK: arith.subf %{{.*}}, %[[DW]]
// CHECK: %[[DV:.*]] = arith.mulf %[[MV]],
// CHECK: arith.subf %{{.*}}, %[[DV]]
#opt = loc("opt")
#bwd = loc("bwd")
func.func @sgd(%w: tensor<4xf32> {fsdp.param = "w"},
               %v: tensor<4xf32> {fsdp.param = "v"},
               %lr: tensor<4xf32> {fsdp.hyper = "lr"},
               %x: tensor<4xf32> {fsdp.input = "x"})
    -> (tensor<4xf32> {fsdp.updated = "w"}, tensor<4xf32> {fsdp.updated = "v"}) {
  %g = arith.mulf %x, %w : tensor<4xf32> loc("l"(#bwd))
  %gv = arith.addf %g, %v : tensor<4xf32> loc("l"(#bwd))
  %dw = arith.mulf %g, %lr : tensor<4xf32> loc("l"(#opt))
  %w1 = arith.subf %w, %dw : tensor<4xf32> loc("l"(#opt))
  %dv = arith.mulf %gv, %lr : tensor<4xf32> loc("l"(#opt))
  %v1 = arith.subf %v, %dv : tensor<4xf32> loc("l"(#opt))
  return %w1, %v1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Adam without locations: the ops on states are the optimizer, and so are those
// that are not but that the gradient meets on its way to them, (1-b1)*g and g*g.
// CHECK-LABEL: @adam
// CHECK: linalg.reduce
// CHECK: %[[GW:.*]] = arith.mulf
// CHECK-NEXT: %[[MW:.*]] = fsdp.local_grad %[[GW]] of "w"
// CHECK-NEXT: %[[GB:.*]] = arith.addf %[[GW]]
// CHECK-NEXT: %[[MB:.*]] = fsdp.local_grad %[[GB]] of "b"
// CHECK-NEXT: arith.mulf %[[MW]], %cst
// CHECK: arith.mulf %[[MW]], %[[MW]]
// CHECK: arith.mulf %[[MB]], %cst
// CHECK: arith.mulf %[[MB]], %[[MB]]
// CHECK-NOT: fsdp.local_grad
func.func @adam(%w: tensor<4xf32> {fsdp.param = "w"},
                %b: tensor<4xf32> {fsdp.param = "b"},
                %mw: tensor<4xf32> {fsdp.state = "exp_avg:w"},
                %sw: tensor<4xf32> {fsdp.state = "exp_avg_sq:w"},
                %mb: tensor<4xf32> {fsdp.state = "exp_avg:b"},
                %sb: tensor<4xf32> {fsdp.state = "exp_avg_sq:b"},
                %x: tensor<4xf32> {fsdp.input = "x"})
    -> (tensor<f32> {fsdp.loss},
        tensor<4xf32> {fsdp.updated = "w"}, tensor<4xf32> {fsdp.updated = "b"},
        tensor<4xf32> {fsdp.updated_state = "exp_avg:w"},
        tensor<4xf32> {fsdp.updated_state = "exp_avg_sq:w"},
        tensor<4xf32> {fsdp.updated_state = "exp_avg:b"},
        tensor<4xf32> {fsdp.updated_state = "exp_avg_sq:b"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %b1 = arith.constant dense<0.9> : tensor<4xf32>
  %c1 = arith.constant dense<0.1> : tensor<4xf32>
  %b2 = arith.constant dense<0.99> : tensor<4xf32>
  %c2 = arith.constant dense<0.01> : tensor<4xf32>
  %y = arith.mulf %x, %w : tensor<4xf32>
  %z = arith.addf %y, %b : tensor<4xf32>
  %loss = linalg.reduce { arith.addf } ins(%z : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %gw = arith.mulf %x, %z : tensor<4xf32>
  %gb = arith.addf %gw, %x : tensor<4xf32>
  // The optimizer, of which nothing says so.
  %gwc = arith.mulf %gw, %c1 : tensor<4xf32>
  %mwb = arith.mulf %mw, %b1 : tensor<4xf32>
  %mw1 = arith.addf %mwb, %gwc : tensor<4xf32>
  %gw2 = arith.mulf %gw, %gw : tensor<4xf32>
  %gw2c = arith.mulf %gw2, %c2 : tensor<4xf32>
  %swb = arith.mulf %sw, %b2 : tensor<4xf32>
  %sw1 = arith.addf %swb, %gw2c : tensor<4xf32>
  %rw = math.rsqrt %sw1 : tensor<4xf32>
  %dw = arith.mulf %mw1, %rw : tensor<4xf32>
  %w1 = arith.subf %w, %dw : tensor<4xf32>
  %gbc = arith.mulf %gb, %c1 : tensor<4xf32>
  %mbb = arith.mulf %mb, %b1 : tensor<4xf32>
  %mb1 = arith.addf %mbb, %gbc : tensor<4xf32>
  %gb2 = arith.mulf %gb, %gb : tensor<4xf32>
  %gb2c = arith.mulf %gb2, %c2 : tensor<4xf32>
  %sbb = arith.mulf %sb, %b2 : tensor<4xf32>
  %sb1 = arith.addf %sbb, %gb2c : tensor<4xf32>
  %rb = math.rsqrt %sb1 : tensor<4xf32>
  %db = arith.mulf %mb1, %rb : tensor<4xf32>
  %b1n = arith.subf %b, %db : tensor<4xf32>
  return %loss, %w1, %b1n, %mw1, %sw1, %mb1, %sb1 : tensor<f32>, tensor<4xf32>,
      tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The same, clipped by the norm of both gradients, which comes before anything
// that a state meets: the marker goes above the norm and the clip.
// CHECK-LABEL: @clipped
// CHECK: %[[GW:.*]] = arith.mulf
// CHECK-NEXT: %[[MW:.*]] = fsdp.local_grad %[[GW]] of "w"
// CHECK-NEXT: %[[GB:.*]] = arith.addf %[[GW]]
// CHECK-NEXT: %[[MB:.*]] = fsdp.local_grad %[[GB]] of "b"
// CHECK-NEXT: arith.mulf %[[MW]], %[[MW]]
// CHECK-NEXT: arith.mulf %[[MB]], %[[MB]]
// CHECK: linalg.generic {{.*}} ins(%[[MW]], %{{.*}} : tensor<4xf32>, tensor<f32>)
// CHECK: linalg.generic {{.*}} ins(%[[MB]], %{{.*}} : tensor<4xf32>, tensor<f32>)
// CHECK-NOT: fsdp.local_grad
#id = affine_map<(i) -> (i)>
#scalar = affine_map<(i) -> ()>
func.func @clipped(%w: tensor<4xf32> {fsdp.param = "w"},
                   %b: tensor<4xf32> {fsdp.param = "b"},
                   %mw: tensor<4xf32> {fsdp.state = "momentum:w"},
                   %mb: tensor<4xf32> {fsdp.state = "momentum:b"},
                   %x: tensor<4xf32> {fsdp.input = "x"})
    -> (tensor<4xf32> {fsdp.updated = "w"}, tensor<4xf32> {fsdp.updated = "b"},
        tensor<4xf32> {fsdp.updated_state = "momentum:w"},
        tensor<4xf32> {fsdp.updated_state = "momentum:b"}) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %gw = arith.mulf %x, %w : tensor<4xf32>
  %gb = arith.addf %gw, %b : tensor<4xf32>
  %gw2 = arith.mulf %gw, %gw : tensor<4xf32>
  %gb2 = arith.mulf %gb, %gb : tensor<4xf32>
  %squares = arith.addf %gw2, %gb2 : tensor<4xf32>
  %sum = linalg.reduce { arith.addf } ins(%squares : tensor<4xf32>) outs(%zero : tensor<f32>) dimensions = [0]
  %clip = math.rsqrt %sum : tensor<f32>
  %init = tensor.empty() : tensor<4xf32>
  %gwc = linalg.generic {indexing_maps = [#id, #scalar, #id], iterator_types = ["parallel"]}
      ins(%gw, %clip : tensor<4xf32>, tensor<f32>) outs(%init : tensor<4xf32>) {
  ^bb0(%g: f32, %c: f32, %out: f32):
    %0 = arith.mulf %g, %c : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %gbc = linalg.generic {indexing_maps = [#id, #scalar, #id], iterator_types = ["parallel"]}
      ins(%gb, %clip : tensor<4xf32>, tensor<f32>) outs(%init : tensor<4xf32>) {
  ^bb0(%g: f32, %c: f32, %out: f32):
    %0 = arith.mulf %g, %c : f32
    linalg.yield %0 : f32
  } -> tensor<4xf32>
  %mw1 = arith.addf %mw, %gwc : tensor<4xf32>
  %w1 = arith.subf %w, %mw1 : tensor<4xf32>
  %mb1 = arith.addf %mb, %gbc : tensor<4xf32>
  %b1 = arith.subf %b, %mb1 : tensor<4xf32>
  return %w1, %b1, %mw1, %mb1
      : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// Two biases that are added have one gradient; each update gets its own marker
// of it. What no data reaches is frozen, however it is updated.
// CHECK-LABEL: @shared
// CHECK-SAME: {fsdp.frozen, fsdp.param = "f"}
// CHECK: %[[G:.*]] = arith.mulf
// CHECK-DAG: %[[MA:.*]] = fsdp.local_grad %[[G]] of "a"
// CHECK-DAG: %[[MB:.*]] = fsdp.local_grad %[[G]] of "b"
// CHECK: %[[A1:.*]] = arith.addf %{{.*}}, %[[MA]]
// CHECK: %[[B1:.*]] = arith.addf %{{.*}}, %[[MB]]
// CHECK: return %{{.*}}, %{{.*}}, %{{.*}}, %[[A1]], %[[B1]]
func.func @shared(%a: tensor<4xf32> {fsdp.param = "a"},
                  %b: tensor<4xf32> {fsdp.param = "b"},
                  %f: tensor<4xf32> {fsdp.param = "f"},
                  %ma: tensor<4xf32> {fsdp.state = "momentum:a"},
                  %mb: tensor<4xf32> {fsdp.state = "momentum:b"},
                  %x: tensor<4xf32> {fsdp.input = "x"})
    -> (tensor<4xf32> {fsdp.updated = "a"}, tensor<4xf32> {fsdp.updated = "b"},
        tensor<4xf32> {fsdp.updated = "f"},
        tensor<4xf32> {fsdp.updated_state = "momentum:a"},
        tensor<4xf32> {fsdp.updated_state = "momentum:b"}) {
  %half = arith.constant dense<0.5> : tensor<4xf32>
  %g = arith.mulf %x, %x : tensor<4xf32>
  %ma1 = arith.addf %ma, %g : tensor<4xf32>
  %a1 = arith.subf %a, %ma1 : tensor<4xf32>
  %mb1 = arith.addf %mb, %g : tensor<4xf32>
  %b1 = arith.subf %b, %mb1 : tensor<4xf32>
  %f1 = arith.mulf %f, %half : tensor<4xf32>
  return %a1, %b1, %f1, %ma1, %mb1 : tensor<4xf32>, tensor<4xf32>,
      tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
