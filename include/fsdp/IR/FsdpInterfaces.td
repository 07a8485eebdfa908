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
    InterfaceMethod<[{
        Bytes of the buffers that this rank passes in, summed over the bucket.
      }], "int64_t", "getPayloadBytes", (ins), "", [{
        return ::fsdp::detail::payloadBytes($_op.getInputs().getTypes());
      }]>,
    InterfaceMethod<[{
        Bytes that one rank sends over a ring of `size` ranks, rounded up:
        all-gather (n-1)·s, reduce-scatter (n-1)/n·s, all-reduce 2(n-1)/n·s,
        all-to-all (n-1)/n·s, broadcast and permute s, for a payload of s.
      }], "int64_t", "getWireBytes", (ins "int64_t":$size), "", [{
        return ::fsdp::detail::wireBytes(
            ConcreteOp::collectiveKind,
            ::fsdp::detail::payloadBytes($_op.getInputs().getTypes()), size);
      }]>,
  ];
}

#endif // FSDP_INTERFACES_TD
