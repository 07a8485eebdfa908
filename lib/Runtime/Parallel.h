//===- Parallel.h - Threads inside of a rank --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#ifndef FSDP_LIB_RUNTIME_PARALLEL_H
#define FSDP_LIB_RUNTIME_PARALLEL_H

#include <cstdint>

namespace fsdp::rt {

/// Whether a rank can have several threads.
bool canUseThreads();

/// How many threads the loops and products of this thread use from now on.
void setThreads(int64_t threads);

/// Calls `body` for parts of 0 .. count-1 that together are all of it, on the
/// threads of the rank whose thread calls, and returns when all are done.
void runParallel(int64_t count,
                 void (*body)(void *context, int64_t begin, int64_t end),
                 void *context);

} // namespace fsdp::rt

#endif // FSDP_LIB_RUNTIME_PARALLEL_H
