//===- collectives.cpp - what collectives cost, beside memory -------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Ranks are threads, so a collective can be no faster than memory. For three
// kinds and sizes: milliseconds of one call (the minimum of many), the rate at
// which all ranks together must read and write for that, and the rate of a
// plain copy of the same size on as many threads.
//
//   fsdp-collectives [ranks]
//
//===----------------------------------------------------------------------===//

#include "fsdp/Runtime/Runtime.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

static constexpr int repetitions = 30;

namespace {
/// What one rank does: the same collective again and again.
struct Rank {
  int32_t kind;
  int64_t ranks, block; // floats of a shard
  std::vector<float> whole, shard;
  double best = 1e9;
};
} // namespace

/// The step of a rank: all repetitions, each timed.
static void run(FsdpRank *rank, void *user) {
  Rank &mine = *static_cast<Rank *>(user);
  bool reduces = mine.kind != FSDP_ALL_GATHER;
  for (int i = 0; i < repetitions; ++i) {
    auto start = Clock::now();
    int64_t token = fsdp_open(rank, mine.kind, 0, 0, FSDP_F32,
                              reduces ? FSDP_SUM : FSDP_NONE, 0, "benchmark");
    if (mine.kind == FSDP_ALL_GATHER)
      fsdp_add(rank, token, mine.shard.data(), mine.whole.data(), 1,
               mine.block);
    else if (mine.kind == FSDP_REDUCE_SCATTER)
      fsdp_add(rank, token, mine.whole.data(), mine.shard.data(), 1,
               mine.block);
    else
      fsdp_add(rank, token, mine.whole.data(), mine.whole.data(), 1,
               mine.block * mine.ranks);
    fsdp_start(rank, token);
    fsdp_wait(rank, token);
    mine.best = std::min(
        mine.best, std::chrono::duration<double>(Clock::now() - start).count());
  }
}

/// Bytes per second, read and written, of a copy on `threads` threads.
static double getCopyRate(int64_t threads, int64_t bytes) {
  std::vector<std::vector<char>> from(threads, std::vector<char>(bytes, 1)),
      to = from;
  double best = 1e9;
  for (int i = 0; i < repetitions; ++i) {
    auto start = Clock::now();
    std::vector<std::thread> running;
    for (int64_t t = 0; t < threads; ++t)
      running.emplace_back(
          [&, t] { std::memcpy(to[t].data(), from[t].data(), bytes); });
    for (std::thread &thread : running)
      thread.join();
    best = std::min(
        best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return 2.0 * bytes * threads / best;
}

/// Prints a line for each kind and size.
int main(int argc, char **argv) {
  int64_t ranks = argc > 1 ? std::atoll(argv[1]) : 4;
  if (ranks < 1) {
    std::fprintf(stderr, "expected at least 1 rank, but got %s\n", argv[1]);
    return 1;
  }
  const char *names[] = {"all-gather", "reduce-scatter", "all-reduce"};
  std::printf("%-16s %10s %10s %12s %14s\n", "kind", "MiB whole", "ms",
              "GB/s moved", "GB/s by copy");
  for (int64_t mebibytes : {1, 16, 64})
    for (int32_t kind :
         {FSDP_ALL_GATHER, FSDP_REDUCE_SCATTER, FSDP_ALL_REDUCE}) {
      int64_t block = (mebibytes << 20) / 4 / ranks;
      FsdpJob *job = fsdp_job_create_threads(ranks, 100);
      std::vector<int64_t> table;
      std::vector<Rank> all;
      std::vector<void *> users;
      for (int64_t r = 0; r < ranks; ++r) {
        table.push_back(r);
        all.push_back({kind, ranks, block, std::vector<float>(block * ranks, 1),
                       std::vector<float>(block, 1)});
      }
      for (Rank &rank : all)
        users.push_back(&rank);
      fsdp_job_add_group(job, "all", 1, ranks, 1, table.data());
      if (fsdp_job_run(job, run, users.data()) != FSDP_OK) {
        std::puts(fsdp_job_error(job));
        return 1;
      }
      fsdp_job_destroy(job);
      double best = 1e9;
      for (Rank &rank : all)
        best = std::min(best, rank.best);
      // Each rank reads and writes the whole, or reads the whole and writes its
      // part; an all-reduce reads once and writes once per rank.
      double whole = 4.0 * block * ranks;
      double moved = kind == FSDP_REDUCE_SCATTER ? whole * ranks + whole
                                                 : 2 * whole * ranks;
      std::printf("%-16s %10lld %10.3f %12.1f %14.1f\n", names[kind],
                  static_cast<long long>(mebibytes), best * 1e3,
                  moved / best * 1e-9,
                  getCopyRate(ranks, int64_t(whole)) * 1e-9);
    }
  return 0;
}
