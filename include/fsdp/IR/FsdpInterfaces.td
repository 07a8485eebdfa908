// SPDX-License-Identifier: Apache-2.0
#ifndef FSDP_INTERFACES_TD
#define FSDP_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Fsdp_CollectiveOpInterface : OpInterface<"CollectiveOpInterface"> {
  let cppNamespace = "::fsdp";
  let description = [{
    A collective, blocking or started: what it is, over which group, how much.
    Passes ask this interface and never switch on op names.
  }];
  let methods = [
    InterfaceMethod<"Which collective it is.",
      "::fsdp::CollectiveKind", "getKind", (ins), "", [{
        return ConcreteOp::collectiveKind;
      }]>,
    InterfaceMethod<"The process group it runs over.",
      "::mlir::FlatSymbolRefAttr", "getGroupRef", (ins), "", [{
        return $_op.getGroupAttr();
      }]>,
    InterfaceMethod<"The buffers this rank contributes, one per bucket entry.",
      "::mlir::ValueRange", "getSources", (ins), "", [{
        return $_op.getInputs();
      }]>,
    InterfaceMethod<"True where the op is blocking, false where it only starts.",
      "bool", "isBlocking", (ins), "", [{
        return ConcreteOp::isBlockingCollective;
      }]>,
    InterfaceMethod<"How the terms combine; nothing for a pure move.",
      "::std::optional<::fsdp::ReductionKind>", "getReductionKind", (ins), "", [{
        if constexpr (ConcreteOp::isReduction)
          return $_op.getReduction();
        return ::std::nullopt;
      }]>,
    InterfaceMethod<"The types of the buffers this rank gets, likewise.",
      "::mlir::TypeRange", "getDestinationTypes", (ins), "", [{
        if constexpr (ConcreteOp::isBlockingCollective)
          return $_op->getResultTypes();
        else
          return $_op.getOutputs().getTypes();
      }]>,
    InterfaceMethod<[{
        Bytes of the bucket, on the larger side: what comes out of a gather,
        what goes into a reduction.
      }], "int64_t", "getPayloadBytes", (ins), "", [{
        return ::std::max(
            ::fsdp::detail::payloadBytes($_op.getInputs().getTypes()),
            ::fsdp::detail::payloadBytes($_op.getDestinationTypes()));
      }]>,
    InterfaceMethod<[{
        Bytes that one rank sends over a ring of `size` ranks, rounded up, for
        a payload of s: all-gather, reduce-scatter and all-to-all (n-1)/n·s,
        all-reduce 2(n-1)/n·s, broadcast and permute s; nothing for one rank.
        The runtime counts the same from the buffers that it gets.
      }], "int64_t", "getWireBytes", (ins "int64_t":$size), "", [{
        return ::fsdp::detail::wireBytes(ConcreteOp::collectiveKind,
                                         $_op.getPayloadBytes(), size);
      }]>,
  ];
}

#endif // FSDP_INTERFACES_TD
