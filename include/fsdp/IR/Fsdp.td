// SPDX-License-Identifier: Apache-2.0
// The root file of the dialect: what tablegen is run on.
#ifndef FSDP_TD
#define FSDP_TD

include "fsdp/IR/FsdpDialect.td"
include "fsdp/IR/FsdpAttributes.td"
include "fsdp/IR/FsdpTypes.td"
include "fsdp/IR/FsdpInterfaces.td"
include "fsdp/IR/FsdpOps.td"

#endif // FSDP_TD
