// SPDX-License-Identifier: Apache-2.0
#ifndef FSDP_OPS_TD
#define FSDP_OPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "fsdp/IR/FsdpDialect.td"
include "fsdp/IR/FsdpAttributes.td"
include "fsdp/IR/FsdpTypes.td"
include "fsdp/IR/FsdpInterfaces.td"

class Fsdp_Op<string mnemonic, list<Trait> traits = []>
    : Op<Fsdp_Dialect, mnemonic, traits>;

def Fsdp_Buffer : AnyTypeOf<[AnyStaticShapeTensor, AnyStaticShapeMemRef],
                            "statically shaped tensor or memref">;

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

def Fsdp_ProcessGroupOp : Fsdp_Op<"process_group", [
    Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "names a process group";
  let description = [{
    Ordered classes of equal size that together are the world. The value is a
    spelling (`"node"`), a list of classes, or the resolved `#fsdp.classes`;
    a resolved group keeps its spelling as provenance.

    Stage: written by people and by `fsdp-read-plan`; resolved by
    `fsdp-resolve-groups`; removed by the lowering.

    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @node = "node"
      fsdp.process_group @experts = [[0, 4], [1, 5], [2, 6], [3, 7]]
      fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, AnyAttr:$value,
                       OptionalAttr<AnyAttr>:$spelling);
  let assemblyFormat = [{
    $sym_name `=` $value (`spelled` $spelling^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The resolved classes; null before `fsdp-resolve-groups`.
    ClassesAttr getClasses() {
      return ::llvm::dyn_cast<ClassesAttr>(getValue());
    }
  }];
}

def Fsdp_UnitOp : Fsdp_Op<"unit", [
    Symbol, HasParent<"::mlir::ModuleOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "parameters that are gathered and freed together";
  let description = [{
    `shard` splits the storage of the unit's parameters. `replicate` is a
    check: the group along which equal copies lie is derived, and where it is
    named it must be the derived one. `reshard_after_forward` is `true`,
    `false`, `"auto"` (true, but for the first two units that backward
    gathers), or the integer size of the group to reshard to.

    Stage: made by `fsdp-assign-units`; removed by the lowering.

    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @node = "node"
      fsdp.unit @h0 {shard = @node, reshard_after_forward = true,
                     param_dtype = bf16, reduce_dtype = f32}
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$shard,
                       OptionalAttr<FlatSymbolRefAttr>:$replicate,
                       AnyAttr:$reshard_after_forward,
                       OptionalAttr<TypeAttr>:$param_dtype,
                       OptionalAttr<TypeAttr>:$reduce_dtype,
                       OptionalAttr<TypeAttr>:$output_dtype,
                       OptionalAttr<F64Attr>:$gradient_divide_factor);
  let assemblyFormat = "$sym_name attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// False if parameters are never freed between forward and backward.
    bool reshards();
    /// The ranks of the group to reshard to, if it is said.
    std::optional<int64_t> getReshardSize();
  }];
}

//===----------------------------------------------------------------------===//
// Blocking collectives
//===----------------------------------------------------------------------===//

class Fsdp_CollectiveOp<string mnemonic, string kind, bit reduces,
                        list<Trait> traits = []>
    : Fsdp_Op<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<SymbolUserOpInterface>,
        MemoryEffects<[MemRead, MemWrite]>, SameVariadicOperandSize,
        Fsdp_CollectiveOpInterface])> {
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static constexpr CollectiveKind collectiveKind = CollectiveKind::}] # kind #
    [{;
    static constexpr bool isBlockingCollective = true;
    static constexpr bool isReduction = }] # reduces # [{;
  }];
  code commonDescription = [{

    Variadic: k operands are a bucket of k, sent as one. Not pure: equal
    collectives are not merged, since two gathers of one unit are kept apart on
    purpose.

    Stage: made from `fsdp.reshard` by `fsdp-lower-reshards`; made a start and
    a wait by `fsdp-make-async`.
  }];
}

def Fsdp_AllGatherOp : Fsdp_CollectiveOp<"all_gather", "AllGather", 0> {
  let summary = "concatenates the operands of a class along `dim`";
  let description = [{
    Every rank gets the concatenation, in the order of the class.
    }] # commonDescription # [{
    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @node = "node"
      func.func @f(%w: tensor<2x4xf32>) -> tensor<8x4xf32> {
        %0 = fsdp.all_gather %w over @node dim 0
            : (tensor<2x4xf32>) -> tensor<8x4xf32>
        return %0 : tensor<8x4xf32>
      }
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs,
                       FlatSymbolRefAttr:$group, I64Attr:$dim);
  let assemblyFormat = [{
    $inputs `over` $group `dim` $dim attr-dict `:`
    functional-type($inputs, $results)
  }];
}

def Fsdp_ReduceScatterOp
    : Fsdp_CollectiveOp<"reduce_scatter", "ReduceScatter", 1> {
  let summary = "combines the operands of a class; each rank keeps its block";
  let description = [{
    The block of index i along `dim` goes to the rank of index i.
    }] # commonDescription # [{
    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @node = "node"
      func.func @f(%g: tensor<8x4xf32>) -> tensor<2x4xf32> {
        %0 = fsdp.reduce_scatter sum %g over @node dim 0
            : (tensor<8x4xf32>) -> tensor<2x4xf32>
        return %0 : tensor<2x4xf32>
      }
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs,
                       FlatSymbolRefAttr:$group, I64Attr:$dim,
                       Fsdp_ReductionKindAttr:$reduction);
  let assemblyFormat = [{
    $reduction $inputs `over` $group `dim` $dim attr-dict `:`
    functional-type($inputs, $results)
  }];
}

def Fsdp_AllReduceOp : Fsdp_CollectiveOp<"all_reduce", "AllReduce", 1> {
  let summary = "combines the operands of a class on every rank";
  let description = commonDescription # [{
    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @node = "node"
      func.func @f(%g: tensor<4xf32>, %h: tensor<2xf32>)
          -> (tensor<4xf32>, tensor<2xf32>) {
        %0:2 = fsdp.all_reduce sum %g, %h over @node
            : (tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)
        return %0#0, %0#1 : tensor<4xf32>, tensor<2xf32>
      }
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs,
                       FlatSymbolRefAttr:$group,
                       Fsdp_ReductionKindAttr:$reduction);
  let assemblyFormat = [{
    $reduction $inputs `over` $group attr-dict `:`
    functional-type($inputs, $results)
  }];
}

def Fsdp_AllToAllOp : Fsdp_CollectiveOp<"all_to_all", "AllToAll", 0> {
  let summary = "splits along one dim, exchanges, concatenates along another";
  let description = [{
    Block i along `split_dim` goes to index i; what came from index j is block
    j along `concat_dim`.
    }] # commonDescription # [{
    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @node = "node"
      func.func @f(%x: tensor<8x3xf32>) -> tensor<2x12xf32> {
        %0 = fsdp.all_to_all %x over @node split 0 concat 1
            : (tensor<8x3xf32>) -> tensor<2x12xf32>
        return %0 : tensor<2x12xf32>
      }
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs,
                       FlatSymbolRefAttr:$group, I64Attr:$split_dim,
                       I64Attr:$concat_dim);
  let assemblyFormat = [{
    $inputs `over` $group `split` $split_dim `concat` $concat_dim attr-dict `:`
    functional-type($inputs, $results)
  }];
}

def Fsdp_BroadcastOp : Fsdp_CollectiveOp<"broadcast", "Broadcast", 0> {
  let summary = "gives every rank of a class the operand of index `root`";
  let description = commonDescription # [{
    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @node = "node"
      func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = fsdp.broadcast %x over @node root 0
            : (tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs,
                       FlatSymbolRefAttr:$group, I64Attr:$root);
  let assemblyFormat = [{
    $inputs `over` $group `root` $root attr-dict `:`
    functional-type($inputs, $results)
  }];
}

def Fsdp_PermuteOp : Fsdp_CollectiveOp<"permute", "Permute", 0> {
  let summary = "sends from index i to index (i + shift) mod size";
  let description = commonDescription # [{
    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @node = "node"
      func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
        %0 = fsdp.permute %x over @node shift 1
            : (tensor<4xf32>) -> tensor<4xf32>
        return %0 : tensor<4xf32>
      }
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs,
                       FlatSymbolRefAttr:$group, I64Attr:$shift);
  let assemblyFormat = [{
    $inputs `over` $group `shift` $shift attr-dict `:`
    functional-type($inputs, $results)
  }];
}

//===----------------------------------------------------------------------===//
// Started collectives
//===----------------------------------------------------------------------===//

class Fsdp_StartOp<string mnemonic, string kind, bit reduces, dag attributes>
    : Fsdp_Op<mnemonic, [
        DeclareOpInterfaceMethods<SymbolUserOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        AttrSizedOperandSegments,
        Fsdp_CollectiveOpInterface]> {
  let description = [{
    Begins the collective of the same name from `ins` into `outs` on a channel
    and returns at once. On tensors each destination comes back as a pending
    value that only `fsdp.wait` may use; on buffers there is only the token.
    In destination style, so that bufferization cannot give the destination or
    the source away while they are in flight; without upstream's interface for
    it, which takes the first result, the token, for that of the first
    destination. The runtime moves whole blocks: source and destination hold
    the same elements as the blocking form, with the split dimension leading
    (see `fsdp-make-async`).

    Stage: made by `fsdp-make-async`; removed by `fsdp-convert-to-runtime`.

    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @node = "node"
      func.func @f(%x: tensor<2xf32>) -> tensor<8xf32> {
        %d = tensor.empty() : tensor<8xf32>
        %token, %pending = fsdp.start_all_gather ins(%x : tensor<2xf32>)
            outs(%d : tensor<8xf32>) {group = @node, dim = 0 : i64}
            -> tensor<8xf32>
        %full = fsdp.wait %token, %pending : tensor<8xf32>
            holding %x : tensor<2xf32>
        return %full : tensor<8xf32>
      }
    }
    ```
  }];
  let arguments = !con((ins Variadic<Fsdp_Buffer>:$inputs,
                            Variadic<Fsdp_Buffer>:$outputs,
                            FlatSymbolRefAttr:$group), attributes,
                       (ins DefaultValuedAttr<I64Attr, "0">:$channel));
  let results = (outs Fsdp_TokenType:$token,
                      Variadic<AnyStaticShapeTensor>:$pending);
  let assemblyFormat = [{
    `ins` `(` $inputs `:` type($inputs) `)`
    `outs` `(` $outputs `:` type($outputs) `)` attr-dict
    (`->` type($pending)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    static constexpr CollectiveKind collectiveKind = CollectiveKind::}] # kind #
    [{;
    static constexpr bool isBlockingCollective = false;
    static constexpr bool isReduction = }] # reduces # [{;
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getOutputsMutable();
    }
    /// True where `operand` is a destination.
    bool isDpsInit(::mlir::OpOperand *operand) {
      return operand->getOperandNumber() >= getInputs().size();
    }
  }];
}

def Fsdp_StartAllGatherOp : Fsdp_StartOp<"start_all_gather", "AllGather", 0,
    (ins I64Attr:$dim)> {
  let summary = "starts an all-gather";
}
def Fsdp_StartReduceScatterOp : Fsdp_StartOp<"start_reduce_scatter",
    "ReduceScatter", 1, (ins I64Attr:$dim, Fsdp_ReductionKindAttr:$reduction)> {
  let summary = "starts a reduce-scatter";
}
def Fsdp_StartAllReduceOp : Fsdp_StartOp<"start_all_reduce", "AllReduce", 1,
    (ins Fsdp_ReductionKindAttr:$reduction)> {
  let summary = "starts an all-reduce";
}
def Fsdp_StartAllToAllOp : Fsdp_StartOp<"start_all_to_all", "AllToAll", 0,
    (ins I64Attr:$split_dim, I64Attr:$concat_dim)> {
  let summary = "starts an all-to-all";
}
def Fsdp_StartBroadcastOp : Fsdp_StartOp<"start_broadcast", "Broadcast", 0,
    (ins I64Attr:$root)> {
  let summary = "starts a broadcast";
}
def Fsdp_StartPermuteOp : Fsdp_StartOp<"start_permute", "Permute", 0,
    (ins I64Attr:$shift)> {
  let summary = "starts a permute";
}

def Fsdp_WaitOp : Fsdp_Op<"wait", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    AttrSizedOperandSegments,
    RangedTypesMatchWith<"results have the types of the pending values",
                         "pending", "results", "$_self">]> {
  let summary = "blocks until a started collective's destinations are readable";
  let description = [{
    `holding` names the sources, which may be overwritten from here on: with
    them as operands no buffer in flight is reused. See the start ops for an
    example.

    Stage: made by `fsdp-make-async`; removed by `fsdp-convert-to-runtime`.

    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @node = "node"
      func.func @f(%x: memref<2xf32>, %d: memref<8xf32>) {
        %token = fsdp.start_all_gather ins(%x : memref<2xf32>)
            outs(%d : memref<8xf32>) {group = @node, dim = 0 : i64}
        fsdp.wait %token holding %x : memref<2xf32>
        return
      }
    }
    ```
  }];
  let arguments = (ins Fsdp_TokenType:$token,
                       Variadic<AnyStaticShapeTensor>:$pending,
                       Variadic<Fsdp_Buffer>:$holding);
  let results = (outs Variadic<AnyStaticShapeTensor>:$results);
  let assemblyFormat = [{
    $token (`,` $pending^ `:` type($pending))?
    (`holding` $holding^ `:` type($holding))? attr-dict
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$token,
    "::mlir::ValueRange":$pending, "::mlir::ValueRange":$holding), [{
      build($_builder, $_state, pending.getTypes(), token, pending, holding);
    }]>];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Local ops
//===----------------------------------------------------------------------===//

def Fsdp_SliceOp : Fsdp_Op<"slice", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "keeps this rank's chunk of a replicated value; no traffic";
  let description = [{
    The chunk has ceil(dim / size) rows; rows past the end are zero.

    Stage: made by `fsdp-lower-reshards`; removed by `fsdp-lower-local`.

    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @node = "node"
      func.func @f(%w: tensor<5x3xf32>) -> tensor<2x3xf32> {
        %0 = fsdp.slice %w over @node dim 0 : tensor<5x3xf32> to tensor<2x3xf32>
        return %0 : tensor<2x3xf32>
      }
    }
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, FlatSymbolRefAttr:$group,
                       I64Attr:$dim);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `over` $group `dim` $dim attr-dict `:` type($input) `to`
    type($result)
  }];
  let hasVerifier = 1;
}

def Fsdp_RankIndexOp : Fsdp_Op<"rank_index", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the position of this rank in its class";
  let description = [{
    Stage: made by the passes that slice, mask or seed; removed by
    `fsdp-convert-to-runtime`.

    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @node = "node"
      func.func @f() -> index {
        %0 = fsdp.rank_index @node
        return %0 : index
      }
    }
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$group);
  let results = (outs Index:$result);
  let assemblyFormat = "$group attr-dict";
}

def Fsdp_ScaleOp : Fsdp_Op<"scale", [Pure, SameOperandsAndResultType]> {
  let summary = "multiplies by a rational number";
  let description = [{
    Rational, so that the verifier can say exactly by what a gradient was
    multiplied.

    Stage: made where a mean is taken; removed by `fsdp-lower-local`.

    ```mlir
    func.func @f(%g: tensor<4xf32>) -> tensor<4xf32> {
      %0 = fsdp.scale %g by 1 over 8 : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, I64Attr:$numerator,
                       I64Attr:$denominator);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `by` $numerator `over` $denominator attr-dict `:` type($input)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Fsdp_LocalGradOp : Fsdp_Op<"local_grad", [Pure, SameOperandsAndResultType]> {
  let summary = "marks where autograd ends and synchronisation begins";
  let description = [{
    The operand is the derivative of this rank's loss by the parameter as this
    rank used it. Per axis: where the parameter is replicated and the loss
    varies it is partial(sum); where the parameter varies or is sharded it is
    as the parameter; where both are replicated it is as found.

    Stage: made by `fsdp-mark-gradients`; removed by the lowering.

    ```mlir
    func.func @f(%g: tensor<4xf32>) -> tensor<4xf32> {
      %0 = fsdp.local_grad %g of "h.0.weight" : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, StrAttr:$param);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = "$input `of` $param attr-dict `:` type($input)";
}

def Fsdp_GlobalNormOp : Fsdp_Op<"global_norm", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the 2-norm of all gradients, each element counted once";
  let description = [{
    One sharding per operand says how it is placed: terms that are split or
    vary are summed over their groups, replicated ones are not. Kept whole
    until it is lowered, because a sum over mixed placements would count
    replicated terms once per rank.

    Stage: made by `fsdp-insert-optimizer`; removed by `fsdp-lower-norm`.

    ```mlir
    func.func @f(%g: tensor<4xf32>) -> tensor<f32> {
      %0 = fsdp.global_norm %g {shardings = [#fsdp.sharding<[{} ]>]}
          : (tensor<4xf32>) -> tensor<f32>
      return %0 : tensor<f32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyStaticShapeTensor>:$inputs,
                       ArrayAttr:$shardings);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $inputs attr-dict `:` functional-type($inputs, $result)
  }];
  let hasVerifier = 1;
}

def Fsdp_ReshardOp : Fsdp_Op<"reshard", [
    Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "changes a value's placement";
  let description = [{
    Same logical value, of shape `shape`, from one placement to another; the
    types are the local ones. Chunks are ceil(dim / size) long, padded with
    zeros.

    Stage: made by the passes that decide placements; made collectives by
    `fsdp-lower-reshards`.

    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @node = "node"
      func.func @f(%w: tensor<2x3xf32>) -> tensor<5x3xf32> {
        %0 = fsdp.reshard %w of [5, 3] from <[{@node}, {} ]> to <[{}, {} ]>
            : tensor<2x3xf32> to tensor<5x3xf32>
        return %0 : tensor<5x3xf32>
      }
    }
    ```
  }];
  let arguments = (ins AnyStaticShapeTensor:$input, DenseI64ArrayAttr:$shape,
                       Fsdp_ShardingAttr:$source, Fsdp_ShardingAttr:$target);
  let results = (outs AnyStaticShapeTensor:$result);
  let assemblyFormat = [{
    $input `of` $shape `from` $source `to` $target attr-dict `:` type($input)
    `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Fsdp_OptimizationBarrierOp : Fsdp_Op<"optimization_barrier", [
    Pure, RangedTypesMatchWith<"results have the types of the operands",
                               "inputs", "results", "$_self">]> {
  let summary = "the identity, that no rewrite looks through";
  let description = [{
    Exporters fence recomputation with it (activation checkpointing), so that
    it is not merged with what it repeats.

    Stage: made by `fsdp-legalize-foreign`; removed by `fsdp-lower-local`.

    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = fsdp.optimization_barrier %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
  let builders = [OpBuilder<(ins "::mlir::ValueRange":$inputs), [{
      build($_builder, $_state, inputs.getTypes(), inputs);
    }]>];
}

def Fsdp_ScatterOp : Fsdp_Op<"scatter", [
    DestinationStyleOpInterface, RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "structured scatter: folds updates into slices of a tensor";
  let description = [{
    `updates` is `[N, w...]`, `indices` `[N, k]`, the destination `[d...]`; the
    dims `w...` line up with the trailing dims of the destination. For n in
    order, the slice that starts at `indices[n, j]` in dim `dimension_map[j]`
    (0 elsewhere) becomes `region(update, current)`, element by element. The
    semantics are those of the exporters' `scatter`.

    Stage: made by `fsdp-legalize-foreign`; removed by `fsdp-lower-local`.

    ```mlir
    func.func @f(%u: tensor<4x1x8xf32>, %i: tensor<4x1xi64>,
                 %d: tensor<16x8xf32>) -> tensor<16x8xf32> {
      %0 = fsdp.scatter ins(%u, %i : tensor<4x1x8xf32>, tensor<4x1xi64>)
          outs(%d : tensor<16x8xf32>) dims [0] {
      ^bb0(%update: f32, %current: f32):
        %1 = arith.addf %current, %update : f32
        fsdp.yield %1 : f32
      } -> tensor<16x8xf32>
      return %0 : tensor<16x8xf32>
    }
    ```
  }];
  let arguments = (ins Fsdp_Buffer:$updates, Fsdp_Buffer:$indices,
                       Fsdp_Buffer:$destination,
                       DenseI64ArrayAttr:$dimension_map,
                       UnitAttr:$unique_indices);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Optional<AnyStaticShapeTensor>:$result);
  let assemblyFormat = [{
    `ins` `(` $updates `,` $indices `:` type($updates) `,` type($indices) `)`
    `outs` `(` $destination `:` type($destination) `)` `dims` $dimension_map
    (`unique` $unique_indices^)? attr-dict-with-keyword $body
    (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getDestinationMutable();
    }
  }];
}

def Fsdp_ContractOp : Fsdp_Op<"contract", [
    DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a product summed over dims, left to a library";
  let description = [{
    `C[c] += A[a] * B[b]`, or `C[c] = ...` unless it is to `accumulate`; the
    maps give the subscripts `a`, `b`, `c` as dims of one loop nest. Every dim
    is in all three (batch), in A and C (m), in B and C (n), or in A and B (k);
    each dim is at most once in a map. Sums are formed in f32 and rounded to C's
    type at the end.

    Stage: made by `fsdp-form-contractions`; removed by
    `fsdp-lower-contractions` and `fsdp-convert-to-runtime`.

    ```mlir
    func.func @f(%a: tensor<4x8xf32>, %b: tensor<5x8xf32>,
                 %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
      %0 = fsdp.contract ins(%a, %b : tensor<4x8xf32>, tensor<5x8xf32>)
          outs(%c : tensor<4x5xf32>)
          [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
           affine_map<(m, n, k) -> (m, n)>] -> tensor<4x5xf32>
      return %0 : tensor<4x5xf32>
    }
    ```
  }];
  let arguments = (ins Fsdp_Buffer:$lhs, Fsdp_Buffer:$rhs,
                       Fsdp_Buffer:$destination,
                       AffineMapArrayAttr:$indexing_maps,
                       UnitAttr:$accumulate);
  let results = (outs Optional<AnyStaticShapeTensor>:$result);
  let assemblyFormat = [{
    `ins` `(` $lhs `,` $rhs `:` type($lhs) `,` type($rhs) `)`
    `outs` `(` $destination `:` type($destination) `)`
    (`accumulate` $accumulate^)? $indexing_maps attr-dict (`->` type($result)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return getDestinationMutable();
    }
    /// The length of each dim of the loop nest.
    ::llvm::SmallVector<int64_t> getLoopRanges();
  }];
}

def Fsdp_YieldOp : Fsdp_Op<"yield", [
    Pure, Terminator, HasParent<"::fsdp::ScatterOp">]> {
  let summary = "ends the body of an `fsdp.scatter`";
  let description = [{
    See `fsdp.scatter`. Stage: as `fsdp.scatter`.
  }];
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

#endif // FSDP_OPS_TD
