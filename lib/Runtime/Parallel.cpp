//===- Parallel.cpp - Threads inside of a rank ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// There must be one OpenMP runtime in a process, and oneDNN brings it: loops
// are handed to the same threads that its products run on. What a compiler
// would make of `#pragma omp parallel` is written out, since another compiler's
// pragma brings its own runtime.
//
//===----------------------------------------------------------------------===//

#include "Parallel.h"

#include <algorithm>
#include <atomic>

#ifdef FSDP_HAS_ONEDNN
extern "C" {
void GOMP_parallel(void (*body)(void *), void *context, unsigned threads,
                   unsigned flags);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_in_parallel(void);
void omp_set_num_threads(int threads);
}

namespace {
/// A loop that all threads of a team run a part of. OpenMP orders what they do
/// before and after what its caller does; `begun` and `ended` say so to thread
/// sanitizers, which do not see into OpenMP.
struct Loop {
  int64_t count;
  void (*body)(void *context, int64_t begin, int64_t end);
  void *context;
  std::atomic<bool> begun{false};
  std::atomic<int64_t> ended{0};
};
} // namespace

/// This thread's part of a loop.
static void runPart(void *data) {
  Loop &loop = *static_cast<Loop *>(data);
  (void)loop.begun.load(std::memory_order_acquire);
  int64_t threads = omp_get_num_threads(), thread = omp_get_thread_num();
  int64_t begin = loop.count * thread / threads;
  int64_t end = loop.count * (thread + 1) / threads;
  if (begin < end)
    loop.body(loop.context, begin, end);
  loop.ended.fetch_add(1, std::memory_order_release);
}

bool fsdp::rt::canUseThreads() { return true; }

void fsdp::rt::setThreads(int64_t threads) {
  omp_set_num_threads(static_cast<int>(threads));
}

void fsdp::rt::runParallel(int64_t count,
                           void (*body)(void *context, int64_t begin,
                                        int64_t end),
                           void *context) {
  int64_t threads = std::min<int64_t>(count, omp_get_max_threads());
  if (threads <= 1 || omp_in_parallel())
    return body(context, 0, count);
  Loop loop{count, body, context};
  loop.begun.store(true, std::memory_order_release);
  GOMP_parallel(runPart, &loop, static_cast<unsigned>(threads), 0);
  (void)loop.ended.load(std::memory_order_acquire);
}
#else
bool fsdp::rt::canUseThreads() { return false; }

void fsdp::rt::setThreads(int64_t) {}

void fsdp::rt::runParallel(int64_t count,
                           void (*body)(void *context, int64_t begin,
                                        int64_t end),
                           void *context) {
  body(context, 0, count);
}
#endif
