// SPDX-License-Identifier: Apache-2.0
//===- Products.h - how fast products are, and could be ---------*- C++ -*-===//
#ifndef FSDP_RUN_PRODUCTS_H
#define FSDP_RUN_PRODUCTS_H

#include "fsdp/Runtime/Runtime.h"

namespace fsdp::run {

/// Prints the share and the rate of the products that rank 0 has computed in
/// `totalSeconds`, and the rate at which the library computes each of them
/// alone, on `threads` threads.
void reportProducts(const FsdpJob *job, int64_t threads, double totalSeconds);

} // namespace fsdp::run

#endif // FSDP_RUN_PRODUCTS_H
