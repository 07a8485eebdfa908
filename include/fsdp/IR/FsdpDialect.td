// SPDX-License-Identifier: Apache-2.0
#ifndef FSDP_DIALECT_TD
#define FSDP_DIALECT_TD

include "mlir/IR/OpBase.td"

def Fsdp_Dialect : Dialect {
  let name = "fsdp";
  let cppNamespace = "::fsdp";
  let summary = "training steps sharded over named process groups";
  let description = [{
    The dialect records which process groups exist, how each value is placed
    on them, and the collectives that keep those placements. It adds to
    `func`, `linalg`, `tensor` and `scf`; it has no compute ops of its own
    but a structured scatter-add and a global norm.

    Roles are attributes of the arguments and results of the step function:

    | attribute | on | value |
    |---|---|---|
    | `fsdp.param` | argument | the parameter's name in the framework; on a gather, whose shards it joins |
    | `fsdp.frozen` | parameter | unit: gets no gradient |
    | `fsdp.aliases` | parameter | other names of a tied parameter |
    | `fsdp.unit` | parameter | the unit that stores it |
    | `fsdp.buffer` | argument | name of a buffer |
    | `fsdp.input`, `fsdp.batch_dim` | argument | name; batch dimension |
    | `fsdp.state` | argument | `"exp_avg:h.0.weight"`, or a bare name |
    | `fsdp.hyper`, `fsdp.value` | argument | `"lr"`, `"step"`; the plan's value |
    | `fsdp.seed` | argument | unit: a random seed |
    | `fsdp.loss` | result | unit as exported, `#fsdp.loss` once annotated |
    | `fsdp.grad`, `fsdp.updated`, `fsdp.updated_state`, `fsdp.output` | result | name |
    | `fsdp.updated_seed` | result | unit: the seed for the next step |
    | `fsdp.global_shape` | both | the shape before sharding |
    | `fsdp.sharding` | both | compute placement, `#fsdp.sharding` |
    | `fsdp.storage` | both | storage placement, `#fsdp.sharding` |

    On ops of the model `fsdp.sharding` lists one placement per result (what
    propagation decides, or a user pins); where dimensions are split in blocks,
    `fsdp.blocks` beside it lists, per result, for each group that splits a
    dimension the number of equal blocks each of which is split over it. `[8]`
    beside `[{@tp} ]` of 32 rows over 2 ranks: of every 4 rows a rank has 2.

    Where ranks run different code, each function that is a program carries
    `fsdp.ranks = array<i64: first, last>`: the ranks that run it, both ends
    included. `fsdp-verify-collectives` checks such programs against each other.

    The module carries `fsdp.world`, `fsdp.stage` and, where a plan asks for
    them, `fsdp.accumulate` and `fsdp.buffers`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    void registerOps();
  }];
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

#endif // FSDP_DIALECT_TD
