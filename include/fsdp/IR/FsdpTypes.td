// SPDX-License-Identifier: Apache-2.0
#ifndef FSDP_TYPES_TD
#define FSDP_TYPES_TD

include "mlir/IR/AttrTypeBase.td"
include "fsdp/IR/FsdpDialect.td"

def Fsdp_TokenType : TypeDef<Fsdp_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "a collective in flight, from its start to its wait";
}

#endif // FSDP_TYPES_TD
