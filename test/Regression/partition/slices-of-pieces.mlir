// SPDX-License-Identifier: Apache-2.0
// A slice shrinks with its source, whatever the loop around it made of that.
// RUN: split-file %s %t
// RUN: fsdp-run %t/prog.mlir --config=%t/plan.yaml --verify=f64 --quiet | FileCheck %s
// CHECK: verify: {{[0-9]+}} results of {{[0-9]+}} ranks, worst error

//--- prog.mlir
module {
  func.func @step(
      %w0: tensor<8xf32> {fsdp.param = "m0.w"},
      %w1: tensor<6x4xf32> {fsdp.param = "m1.w"},
      %x0: tensor<2x8xf32> {fsdp.input = "x0", fsdp.batch_dim = 0 : i64},
      %tokens: tensor<2xi64> {fsdp.input = "tokens", fsdp.batch_dim = 0 : i64},
      %b0: tensor<4xf32> {fsdp.buffer = "b"})
      -> (tensor<f32> {fsdp.loss},
          tensor<8xf32> {fsdp.grad = "m0.w"},
          tensor<6x4xf32> {fsdp.grad = "m1.w"},
          tensor<4xf32> {fsdp.updated = "b"},
          tensor<6xf32> {fsdp.output = "o0"},
          tensor<2x8xf32> {fsdp.output = "o1"},
          tensor<6x4xf32> {fsdp.output = "o2"}) {
    %transpose0_e = tensor.empty() : tensor<2x8xf32>
    %transpose0 = linalg.transpose ins(%x0 : tensor<2x8xf32>) outs(%transpose0_e : tensor<2x8xf32>) permutation = [0, 1]
    %slice1 = tensor.extract_slice %b0[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
    %scan4_z = arith.constant dense<0.0> : tensor<2x8xf32>
    %scan4_0 = arith.constant 0 : index
    %scan4_1 = arith.constant 1 : index
    %scan4_n = arith.constant 2 : index
    %scan4:2 = scf.for %i = %scan4_0 to %scan4_n step %scan4_1 iter_args(%x = %w0, %acc = %scan4_z) -> (tensor<8xf32>, tensor<2x8xf32>) {
      %s = tensor.extract_slice %transpose0[%i, 0] [1, 8] [1, 1] : tensor<2x8xf32> to tensor<8xf32>
      %next_e = tensor.empty() : tensor<8xf32>
      %next = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
          ins(%x, %s : tensor<8xf32>, tensor<8xf32>) outs(%next_e : tensor<8xf32>) {
      ^bb0(%a0: f32, %a1: f32, %o0: f32):
        %e0 = arith.constant 0.000000000e+00 : f32
        %ep1 = arith.cmpf ogt, %a0, %e0 : f32
        %e1 = arith.select %ep1, %a0, %e0 : f32
        %e2 = math.tanh %a1 : f32
        %e3 = math.exp %e2 : f32
        %e4 = arith.constant 1.000000000e+00 : f32
        %e5 = arith.addf %e3, %e4 : f32
        %e6 = arith.divf %e3, %e5 : f32
        %e7 = arith.maximumf %e6, %e1 : f32
        %z = math.tanh %e7 : f32
        linalg.yield %z : f32
      } -> tensor<8xf32>
      %rows = tensor.insert_slice %next into %acc[%i, 0] [1, 8] [1, 1] : tensor<8xf32> into tensor<2x8xf32>
      scf.yield %next, %rows : tensor<8xf32>, tensor<2x8xf32>
    }
    %insert5_z = arith.constant dense<0.0> : tensor<6xf32>
    %insert5 = tensor.insert_slice %slice1 into %insert5_z[1] [2] [1] : tensor<2xf32> into tensor<6xf32>
    %const7 = arith.constant dense<-5.095445851e-02> : tensor<6x8x6xf32>
    %contract8_f_c = arith.constant 0.000000000e+00 : f32
    %contract8_f_e = tensor.empty() : tensor<6xf32>
    %contract8_f = linalg.fill ins(%contract8_f_c : f32) outs(%contract8_f_e : tensor<6xf32>) -> tensor<6xf32>
    %contract8 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%insert5, %insert5 : tensor<6xf32>, tensor<6xf32>) outs(%contract8_f : tensor<6xf32>) {
    ^bb0(%a0: f32, %a1: f32, %o0: f32):
      %e0 = arith.mulf %a0, %a1 : f32
      %e1 = arith.addf %o0, %e0 : f32
      linalg.yield %e1 : f32
    } -> tensor<6xf32>
    %contract9_s = arith.constant 1.736111111e-03 : f32
    %contract9_f_c = arith.constant 0.000000000e+00 : f32
    %contract9_f_e = tensor.empty() : tensor<8xf32>
    %contract9_f = linalg.fill ins(%contract9_f_c : f32) outs(%contract9_f_e : tensor<8xf32>) -> tensor<8xf32>
    %contract9 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4) -> (d2, d3)>, affine_map<(d0, d1, d2, d3, d4) -> (d4, d0, d1)>, affine_map<(d0, d1, d2, d3, d4) -> (d3)>], iterator_types = ["reduction", "reduction", "reduction", "parallel", "reduction"]}
        ins(%scan4#1, %const7 : tensor<2x8xf32>, tensor<6x8x6xf32>) outs(%contract9_f : tensor<8xf32>) {
    ^bb0(%a0: f32, %a1: f32, %o0: f32):
      %e0 = arith.mulf %a0, %a1 : f32
      %e1 = arith.mulf %e0, %contract9_s : f32
      %e2 = arith.addf %o0, %e1 : f32
      linalg.yield %e2 : f32
    } -> tensor<8xf32>
    %contract10_s = arith.constant 3.125000000e-02 : f32
    %contract10_f_c = arith.constant 0.000000000e+00 : f32
    %contract10_f_e = tensor.empty() : tensor<6x4xf32>
    %contract10_f = linalg.fill ins(%contract10_f_c : f32) outs(%contract10_f_e : tensor<6x4xf32>) -> tensor<6x4xf32>
    %contract10 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d1)>, affine_map<(d0, d1, d2) -> (d0, d2)>], iterator_types = ["parallel", "reduction", "parallel"]}
        ins(%contract9 : tensor<8xf32>) outs(%contract10_f : tensor<6x4xf32>) {
    ^bb0(%a0: f32, %o0: f32):
      %e0 = arith.mulf %a0, %contract10_s : f32
      %e1 = arith.addf %o0, %e0 : f32
      linalg.yield %e1 : f32
    } -> tensor<6x4xf32>
    %contract11_s = arith.constant 4.166666667e-02 : f32
    %contract11_f_c = arith.constant 0.000000000e+00 : f32
    %contract11_f_e = tensor.empty() : tensor<4xf32>
    %contract11_f = linalg.fill ins(%contract11_f_c : f32) outs(%contract11_f_e : tensor<4xf32>) -> tensor<4xf32>
    %contract11 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
        ins(%contract10 : tensor<6x4xf32>) outs(%contract11_f : tensor<4xf32>) {
    ^bb0(%a0: f32, %o0: f32):
      %e0 = arith.mulf %a0, %contract11_s : f32
      %e1 = arith.addf %o0, %e0 : f32
      linalg.yield %e1 : f32
    } -> tensor<4xf32>
    %loss_s = arith.constant 6.250000000e-02 : f32
    %loss_z = arith.constant dense<0.0> : tensor<f32>
    %loss = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%scan4#1 : tensor<2x8xf32>) outs(%loss_z : tensor<f32>) {
    ^bb0(%a0: f32, %o0: f32):
      %t = arith.mulf %a0, %loss_s : f32
      %u = arith.addf %o0, %t : f32
      linalg.yield %u : f32
    } -> tensor<f32>
    return %loss, %contract9, %contract10, %contract11, %contract8, %transpose0, %contract10 : tensor<f32>, tensor<8xf32>, tensor<6x4xf32>, tensor<4xf32>, tensor<6xf32>, tensor<2x8xf32>, tensor<6x4xf32>
  }
}

//--- plan.yaml
world: {ranks: 2}
process_groups: {"sp": "set2"}
batch: {"global": ["sp"]}
buffers: "rank0"
shardings:
  - {"match": "m0.w", "dims": [["sp"]]}
  - {"match": "m1.w", "dims": [["sp"], []]}
units:
  - {"match": "m0", "process_group": "self"}
  - {"match": "m1", "process_group": "self"}
