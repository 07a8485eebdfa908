// SPDX-License-Identifier: Apache-2.0
#ifndef FSDP_CONVERSION_PASSES_TD
#define FSDP_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

class Fsdp_Pass<string argument> : Pass<argument, "::mlir::ModuleOp">;

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
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def LowerLocalPass : Fsdp_Pass<"fsdp-lower-local"> {
  let summary = "lower the ops that send nothing";
  let description = [{
    `fsdp.slice` becomes a pad and an extract_slice at the rank's offset,
    `fsdp.scale` a linalg.generic, barriers and markers go away. Splat
    constants, fills and empties get one copy per user, so that bufferization
    need not copy what is shared.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
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

def OutlineKernelsPass : Fsdp_Pass<"fsdp-outline-kernels"> {
  let summary = "move each loop nest into a function, equal ones into one";
  let description = [{
    Machine code is made once per distinct kernel, so compile time stays flat
    in the depth of the model. Two ops share a kernel when they print alike.
  }];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def PlanArenaPass : Fsdp_Pass<"fsdp-plan-arena"> {
  let summary = "give all buffers of the step an offset in one arena";
  let description = [{
    Static liveness over the step's body; the largest buffers are placed first.
    The function gains a byte-buffer argument; its size is in `fsdp.arena`.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def ConvertToRuntimePass : Fsdp_Pass<"fsdp-convert-to-runtime"> {
  let summary = "turn started collectives into calls of the runtime";
  let description = [{
    Every start becomes `fsdp_open`, one `fsdp_add` per bucket entry and
    `fsdp_start`; every wait `fsdp_wait` (see Runtime.h). The function gains
    the rank's handle as its first argument. Process groups are numbered in the
    order in which they are declared.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // FSDP_CONVERSION_PASSES_TD
