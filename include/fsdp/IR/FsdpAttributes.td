// SPDX-License-Identifier: Apache-2.0
#ifndef FSDP_ATTRIBUTES_TD
#define FSDP_ATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "fsdp/IR/FsdpDialect.td"

class Fsdp_Attr<string name, string mnemonic_, list<Trait> traits = []>
    : AttrDef<Fsdp_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

//===----------------------------------------------------------------------===//
// Enums
//===----------------------------------------------------------------------===//

def Fsdp_ReductionKind : I32EnumAttr<"ReductionKind",
    "how the terms of a partial value combine", [
      I32EnumAttrCase<"Sum", 1, "sum">, I32EnumAttrCase<"Max", 2, "max">,
      I32EnumAttrCase<"Min", 3, "min">]> {
  let cppNamespace = "::fsdp";
  let genSpecializedAttr = 0;
}
def Fsdp_ReductionKindAttr
    : EnumAttr<Fsdp_Dialect, Fsdp_ReductionKind, "reduction">;

// The numbers are those of `FsdpKind` in Runtime.h.
def Fsdp_CollectiveKind : I32EnumAttr<"CollectiveKind", "a collective", [
      I32EnumAttrCase<"AllGather", 0, "all_gather">,
      I32EnumAttrCase<"ReduceScatter", 1, "reduce_scatter">,
      I32EnumAttrCase<"AllReduce", 2, "all_reduce">,
      I32EnumAttrCase<"AllToAll", 3, "all_to_all">,
      I32EnumAttrCase<"Broadcast", 4, "broadcast">,
      I32EnumAttrCase<"Permute", 5, "permute">]> {
  let cppNamespace = "::fsdp";
  let genSpecializedAttr = 0;
}
def Fsdp_CollectiveKindAttr
    : EnumAttr<Fsdp_Dialect, Fsdp_CollectiveKind, "kind">;

//===----------------------------------------------------------------------===//
// World and groups
//===----------------------------------------------------------------------===//

def Fsdp_WorldAttr : Fsdp_Attr<"World", "world"> {
  let summary = "how many ranks there are, and how many make a node";
  let description = [{
    Sits on the module as `fsdp.world`. A node is `ranks_per_node` consecutive
    ranks; the spellings `node` and `local_rank_across_nodes` need it to divide
    `ranks`, other groups do not.

    ```mlir
    module attributes {fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {}
    ```
  }];
  let parameters = (ins "int64_t":$ranks, "int64_t":$ranks_per_node);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Fsdp_ClassesAttr : Fsdp_Attr<"Classes", "classes"> {
  let summary = "a resolved process group: equal classes that are the world";
  let description = [{
    `#fsdp.classes<[C, S] from [d0, d1, ...] T(p0, p1, ...)>` takes the ranks
    0 … W−1 in row-major order as an array of shape `[d0, d1, ...]`, transposes
    it by `T`, and reads C classes of S ranks, class by class. `T` is left out
    where it is the identity. The attribute is kept in one canonical form, so
    equal groups are equal attributes (the numbering of classes does not
    count, the order inside a class does). Cost and size are those of the
    digits, never of W.

    A group that has no such form is kept as its list of classes.

    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @across = #fsdp.classes<[4, 2] from [2, 4] T(1, 0)>
    }
    ```
  }];
  // digits: (stride, extent) pairs of the members, major to minor; table: the
  // ranks class by class, only where there are no such digits.
  let parameters = (ins "int64_t":$ranks, "int64_t":$size,
                        ArrayRefParameter<"int64_t">:$digits,
                        ArrayRefParameter<"int64_t">:$table);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// How many classes there are: ranks / size.
    int64_t getClasses() const { return getRanks() / getSize(); }
    /// True where the group has no digits and is kept as a list.
    bool isExplicit() const { return !getTable().empty(); }
    /// The ranks of the class that holds `rank`, in order. O(size).
    ::llvm::SmallVector<int64_t> getClassOf(int64_t rank) const;
    /// The position of `rank` in its class.
    int64_t getIndexOf(int64_t rank) const;
  }];
}

//===----------------------------------------------------------------------===//
// Placements
//===----------------------------------------------------------------------===//

def Fsdp_ShardingAttr : Fsdp_Attr<"Sharding", "sharding"> {
  let summary = "the placement of one value on every axis";
  let description = [{
    `#fsdp.sharding<[{@tp}, {@cp, @node} ], partial = {@dp}, varying = {@ep}>`:
    for each dimension the groups that split it, major to minor; the groups
    over which the value is a sum (or `max`, `min`) still to be done; the
    groups along which it differs. On every axis that is not named the value
    is replicated.

    Constraints, each checked where the attribute meets a value:
    the number of dimensions equals the value's rank; every group exists and is
    a process group; the groups are compatible; no axis is used twice.

    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @node = "node"
      func.func @f(%w: tensor<8x4xf32> {
          fsdp.param = "w", fsdp.sharding = #fsdp.sharding<[{}, {@node} ]>}) {
        return
      }
    }
    ```
  }];
  // dims: an array per dimension of symbols; partial, varying: symbols.
  let parameters = (ins "::mlir::ArrayAttr":$dims,
                        "::fsdp::ReductionKind":$reduction,
                        "::mlir::ArrayAttr":$partial,
                        "::mlir::ArrayAttr":$varying);
  let hasCustomAssemblyFormat = 1;
  let builders = [
    AttrBuilderWithInferredContext<(ins "::mlir::ArrayAttr":$dims), [{
      auto none = ::mlir::ArrayAttr::get(dims.getContext(), {});
      return $_get(dims.getContext(), dims, ReductionKind::Sum, none, none);
    }]>
  ];
  let extraClassDeclaration = [{
    /// The sharding of a value of `rank` dims that is equal on all ranks.
    static ShardingAttr getReplicated(::mlir::MLIRContext *context,
                                      int64_t rank);
    /// The groups that split dimension `dim`, major to minor.
    ::llvm::ArrayRef<::mlir::Attribute> getDimGroups(int64_t dim) const;
    /// Every group that is named, in order of appearance.
    ::llvm::SmallVector<::mlir::FlatSymbolRefAttr> getGroups() const;
    bool isReplicated() const;
    /// The same placement with other groups along which the value differs.
    ShardingAttr withVarying(::mlir::ArrayAttr groups) const;
    /// The same placement with other groups that split its dimensions.
    ShardingAttr withDims(::mlir::ArrayAttr dims) const;
  }];
}

def Fsdp_LossAttr : Fsdp_Attr<"Loss", "loss"> {
  let summary = "how the loss of each rank becomes the loss of the step";
  let description = [{
    `mean` or `sum` names the groups over whose axes the loss is combined; it
    varies along them and is replicated on all others; of a global batch it is
    replicated everywhere, and the list is empty. Every parameter's wanted
    gradient is the sum over these axes times 1/|axes| (`mean`) or 1 (`sum`),
    however the parameter is stored. `divide_by` names an output that is summed
    over the same axes and divides.

    ```mlir
    module attributes {
      fsdp.world = #fsdp.world<ranks = 8, ranks_per_node = 4>} {
      fsdp.process_group @world = "world"
      func.func @f(%x: tensor<f32> {fsdp.input = "x"})
          -> (tensor<f32> {fsdp.loss = #fsdp.loss<mean = [@world]>}) {
        return %x : tensor<f32>
      }
    }
    ```
  }];
  let parameters = (ins "bool":$mean, "::mlir::ArrayAttr":$groups,
                        OptionalParameter<"::mlir::StringAttr">:$divide_by);
  let hasCustomAssemblyFormat = 1;
}

def Fsdp_AccumulateAttr : Fsdp_Attr<"Accumulate", "accumulate"> {
  let summary = "how many micro-batches make a step, and how they combine";
  let description = [{
    On the module as `fsdp.accumulate`; `reduce` is `mean` or `sum`.

    ```mlir
    module attributes {
      fsdp.accumulate = #fsdp.accumulate<steps = 2, reduce = mean>} {}
    ```
  }];
  let parameters = (ins "int64_t":$steps, "bool":$mean);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Fsdp_RuleAttr : Fsdp_Attr<"Rule", "rule"> {
  let summary = "how the dims of an opaque op's operands and results relate";
  let description = [{
    Einsum-like: one list of factor names per operand and per result. An op
    that carries one as `fsdp.rule` can be partitioned along its factors.

    ```mlir
    func.func @f(%q: tensor<2x8xf32>) -> tensor<2x8xf32> {
      %0 = "test.opaque"(%q) {fsdp.rule = #fsdp.rule<([b, d]) -> [b, d]>}
          : (tensor<2x8xf32>) -> tensor<2x8xf32>
      return %0 : tensor<2x8xf32>
    }
    ```
  }];
  let parameters = (ins "::mlir::ArrayAttr":$operands,
                        "::mlir::ArrayAttr":$results);
  let hasCustomAssemblyFormat = 1;
}

#endif // FSDP_ATTRIBUTES_TD
