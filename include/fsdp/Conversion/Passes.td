// SPDX-License-Identifier: Apache-2.0
#ifndef FSDP_CONVERSION_PASSES_TD
#define FSDP_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

class Fsdp_Pass<string argument> : Pass<argument, "::mlir::ModuleOp">;

//===----------------------------------------------------------------------===//
// On tensors
//===----------------------------------------------------------------------===//

def RecordBoundaryPass : Fsdp_Pass<"fsdp-record-boundary"> {
  let summary = "write down arguments, results and groups of the step";
  let description = [{
    Behind bufferization there are pointers only. `fsdp.arguments` and
    `fsdp.results` of every public function list roles, names and local types,
    `fsdp.groups` the resolved groups: what the C header of
    machine code says (`--emit`).
  }];
}

def MakeAsyncPass : Fsdp_Pass<"fsdp-make-async"> {
  let summary = "split blocking collectives into a start and a wait";
  let description = [{
    Gives every collective a destination. The wait directly follows the start;
    moving them apart is the scheduler's work.

    ```mlir
    %0 = fsdp.all_gather %w over @node dim 0
        : (tensor<2x4xf32>) -> tensor<8x4xf32>
    ```
    becomes
    ```mlir
    %d = tensor.empty() : tensor<8x4xf32>
    %token, %pending = fsdp.start_all_gather ins(%w : tensor<2x4xf32>)
        outs(%d : tensor<8x4xf32>) {group = @node, dim = 0 : i64}
        -> tensor<8x4xf32>
    %0 = fsdp.wait %token, %pending : tensor<8x4xf32>
        holding %w : tensor<2x4xf32>
    ```
    The runtime moves leading blocks in an all-to-all, so its source and its
    destination get the block index as a leading dimension of their own.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def LowerLocalPass : Fsdp_Pass<"fsdp-lower-local"> {
  let summary = "lower the ops that send nothing";
  let description = [{
    `fsdp.slice` becomes a pad (where it does not divide evenly) and an
    extract_slice at the rank's offset, `fsdp.scale` a linalg.generic; barriers
    and markers go away.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def FormContractionsPass : Fsdp_Pass<"fsdp-form-contractions"> {
  let summary = "make matrix products one op that a library computes";
  let description = [{
    Products of f32 or bf16 matrices, with batches or without, become
    `fsdp.contract`. Reshapes and transposes around a product are folded into
    its subscripts, so that operands are read where they lie, and an
    accumulator of zeros is not filled first.

    ```mlir
    %t = linalg.transpose ins(%b : tensor<5x8xf32>)
        outs(%e : tensor<8x5xf32>) permutation = [1, 0]
    %0 = linalg.matmul ins(%a, %t : tensor<4x8xf32>, tensor<8x5xf32>)
        outs(%zeros : tensor<4x5xf32>) -> tensor<4x5xf32>
    ```
    becomes
    ```mlir
    %0 = fsdp.contract ins(%a, %b : tensor<4x8xf32>, tensor<5x8xf32>)
        outs(%e : tensor<4x5xf32>)
        [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
         affine_map<(m, n, k) -> (m, n)>] -> tensor<4x5xf32>
    ```
  }];
  let dependentDialects = ["::fsdp::FsdpDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def NarrowIntermediatesPass : Fsdp_Pass<"fsdp-narrow-intermediates"> {
  let summary = "compute in f32 what exporters compute in f64 in between";
  let description = [{
    Tensors in f64 that begin as f32, or as constants, and end as f32, with
    nothing but float operations in between, become f32. Single numbers stay,
    and so does what reaches an argument, a result, a loop or a collective.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def FoldUnitDimsPass : Fsdp_Pass<"fsdp-fold-unit-dims"> {
  let summary = "drop loops of one round, and dims of one row with them";
  let description = [{
    Upstream's `linalg-fold-unit-extent-dims`, but for loops that an operand adds
    to others (`d0 * 2 + d1`): without the one the other would have to span all
    of the operand.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def FuseElementwisePass : Fsdp_Pass<"fsdp-fuse-elementwise"> {
  let summary = "merge elementwise ops into the ops that read them";
  let description = [{
    Reductions included, so that softmax, normalisations and losses are a few
    passes over memory. What several ops read is computed again in each where
    that costs less than memory.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def UpdateInPlacePass : Fsdp_Pass<"fsdp-update-in-place"> {
  let summary = "write updated values over the old ones";
  let description = [{
    Results with the role updated or updated_state are materialized in the
    argument of the same name. Bufferization keeps what is still read, or
    copies at the end.

    ```mlir
    return %new : tensor<4xf32>
    ```
    becomes
    ```mlir
    %0 = bufferization.materialize_in_destination %new in %w
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    return %0 : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def PrepareBufferizationPass : Fsdp_Pass<"fsdp-prepare-bufferization"> {
  let summary = "make bufferization copy nothing that need not be copied";
  let description = [{
    Splat constants become fills; fills and empties get one copy per use;
    arguments are marked as not writable, so that a call leaves its inputs as
    they were; a value that is returned twice is copied, so that each result
    has a buffer of its own; loops write what they carry into the buffer that
    came in, so that no buffer outlives an iteration. Roles and placements,
    which are facts about tensors, are dropped.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::linalg::LinalgDialect"];
}

//===----------------------------------------------------------------------===//
// On buffers
//===----------------------------------------------------------------------===//

def DropInPlaceResultsPass : Fsdp_Pass<"fsdp-drop-in-place-results"> {
  let summary = "do not return buffers that are arguments";
  let description = [{
    Behind bufferization: a result that is the buffer of an argument that was to
    be updated goes away; `in_place` of its entry in `fsdp.results` names the
    argument.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def LowerScatterPass : Fsdp_Pass<"fsdp-lower-scatter"> {
  let summary = "lower fsdp.scatter on buffers to loops";
  let description = [{
    Updates are folded in order, so that equal indices add up as the exporter
    says.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect"];
}

def LowerContractionsPass : Fsdp_Pass<"fsdp-lower-contractions"> {
  let summary = "turn products that the library does not take into loops";
  let description = [{
    On buffers, where strides are known: fsdp_gemm needs one dim of unit stride
    in every matrix (see Runtime.h).
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def OutlineKernelsPass : Fsdp_Pass<"fsdp-outline-kernels"> {
  let summary = "move each loop nest into a function, equal ones into one";
  let description = [{
    Machine code is made once per distinct kernel, so compile time stays flat
    in the depth of the model. Two ops share a kernel when they print alike.
    Buffers and scalars become arguments, constants are cloned. Loops that
    hold collectives, calls or several kernels stay; their bodies are searched.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def RelaxMathPass : Fsdp_Pass<"fsdp-relax-math"> {
  let summary = "allow what vector code needs";
  let description = [{
    Sums of reductions may be formed in any order; a product that is added may
    be rounded with the sum; exp, tanh, erf and log of f32 become polynomials;
    f64 is narrowed to a half by way of f32.
    NaN and infinity stay as IEEE says.

    ```mlir
    %1 = arith.addf %in, %out : f32
    ```
    becomes, where `%out` is the accumulator of a reduction,
    ```mlir
    %1 = arith.addf %in, %out fastmath<reassoc,contract> : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect"];
}

def OrderLoopsPass : Fsdp_Pass<"fsdp-order-loops"> {
  let summary = "move a unit-stride parallel loop innermost in contractions";
  let description = [{
    With the reduction innermost, a contraction is a chain of dependent
    additions. With a parallel loop innermost that every operand walks by unit
    stride or not at all, LLVM vectorizes it without reordering any sum. Ops
    without such a loop stay as they are.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def SplitKernelsPass : Fsdp_Pass<"fsdp-split-kernels"> {
  let summary = "let kernels take a range of one of their parallel loops";
  let description = [{
    Kernels of at least 32768 positions. The outermost parallel loop is split:
    of a sum over rows, that over columns, so that numbers do not depend on how
    many threads there are.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::memref::MemRefDialect"];
}

def CallInParallelPass : Fsdp_Pass<"fsdp-call-in-parallel"> {
  let summary = "run kernels on the threads of the rank";
  let description = [{
    A call of a kernel that takes a range becomes one of `fsdp_parallel` (see
    Runtime.h). In the LLVM dialect, where arguments are pointers and numbers.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def PlanArenaPass : Fsdp_Pass<"fsdp-plan-arena"> {
  let summary = "give all buffers of the step an offset in one arena";
  let description = [{
    Static liveness over the step's body; the largest buffers are placed first.
    Every public function gains a byte buffer as its last argument; its size is
    in `fsdp.arena`.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ConvertToRuntimePass : Fsdp_Pass<"fsdp-convert-to-runtime"> {
  let summary = "turn started collectives into calls of the runtime";
  let description = [{
    Every start becomes `fsdp_open`, one `fsdp_add` per bucket entry and
    `fsdp_start`; every wait `fsdp_wait` (see Runtime.h). Every public function
    gains the rank's handle as its first argument. Process groups are numbered
    in the order in which they are declared.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect"];
}

def MakeEntryPass : Fsdp_Pass<"fsdp-make-entry"> {
  let summary = "give public functions one calling convention";
  let description = [{
    Every public function `NAME` becomes `void fsdp_entry_NAME(FsdpRank *,
    void **args, void **results, void *arena)`, which loads the pointers to its
    buffers from the arrays. Its arena's size stays in `fsdp.arena`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // FSDP_CONVERSION_PASSES_TD
