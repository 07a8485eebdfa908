//===- Runtime.cpp - The C ABI over a back end ----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Checks arguments, keeps each rank's tokens and sequence numbers, and counts
// traffic, so that back ends see valid collectives only. Contracts are in
// Runtime.h.
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"
#include "Parallel.h"
#include "fsdp/Runtime/Backend.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <sched.h>
#include <utility>

using namespace fsdp::rt;

/// Touched by the thread that runs this rank's step only.
struct FsdpRank {
  FsdpJob *job;
  int64_t id;
  int64_t nextToken = 0;
  /// Opened and not waited for, by token. Collectives keep their addresses.
  std::map<int64_t, Collective> tokens = {};
  /// By group and channel.
  std::map<std::pair<int64_t, int64_t>, int64_t> nextSequence = {};
  std::vector<FsdpTraffic> traffic = {};
  std::map<FsdpGemm, FsdpProduct, GemmOrder> products = {};
};

/// Fixed while it runs, except for what the back end guards.
struct FsdpJob {
  std::deque<Group> groups = {};
  std::vector<FsdpRank> ranks = {};
  bool hasRun = false;
  int64_t threads = 1;
  /// What fsdp_job_error has returned.
  std::string errorText = {};
  std::unique_ptr<Backend> backend = {};
};

/// Of a rank: OpenMP aborts if the system refuses one.
static constexpr int64_t maxThreads = 1024;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// Whether 0 <= value < end.
static bool isBelow(int64_t value, int64_t end) {
  return value >= 0 && value < end;
}

/// Makes `message` of `rank` the error of the job. Always returns -1.
static int64_t failRank(const FsdpRank *rank, const std::string &message) {
  rank->job->backend->fail("rank " + std::to_string(rank->id) + ": " + message);
  return -1;
}

/// As failRank, for the argument `name` outside of 0 .. end-1.
static int64_t failRange(const FsdpRank *rank, const std::string &where,
                         const char *name, int64_t end, int64_t got) {
  return failRank(rank, where + ": expected a " + name + " below " +
                            std::to_string(end) + ", but got " +
                            std::to_string(got));
}

/// The collective of a token that is started or not, as `call` needs it, or
/// null and an error.
static Collective *findToken(FsdpRank *rank, int64_t token, const char *call,
                             bool isStarted) {
  auto found = rank->tokens.find(token);
  if (found == rank->tokens.end()) {
    failRank(rank, std::string(call) + ": expected an open token, but got " +
                       std::to_string(token));
    return nullptr;
  }
  Collective &collective = found->second;
  if (collective.isStarted() != isStarted) {
    failRank(rank, std::string(call) + ": expected a token that is " +
                       (isStarted ? "started" : "not started") +
                       ", but got that of " +
                       describeBriefly(collective.kind, collective.location));
    return nullptr;
  }
  return &collective;
}

/// Drops all tokens of a failed job, once nobody uses this rank's buffers.
static void releaseTokens(FsdpRank *rank) {
  for (auto &[token, collective] : rank->tokens)
    if (collective.isStarted())
      rank->job->backend->wait(collective);
  rank->tokens.clear();
}

/// Adds `entry` to what the rank has sent.
static void countTraffic(FsdpRank *rank, const FsdpTraffic &entry) {
  for (FsdpTraffic &known : rank->traffic) {
    if (known.group != entry.group || known.kind != entry.kind ||
        known.dtype != entry.dtype)
      continue;
    known.calls += entry.calls;
    known.buffers += entry.buffers;
    known.payload_bytes += entry.payload_bytes;
    known.wire_bytes += entry.wire_bytes;
    return;
  }
  rank->traffic.push_back(entry);
}

/// What is wrong with a buffer, or "".
static std::string checkBuffer(const Collective &collective,
                               const Buffer &buffer) {
  if (buffer.outer < 0 || buffer.inner < 0)
    return "expected sizes of at least 0, but got outer " +
           std::to_string(buffer.outer) + ", inner " +
           std::to_string(buffer.inner);
  if (buffer.count() == 0)
    return "";
  bool isSourceRead = collective.kind != FSDP_BROADCAST ||
                      collective.rootOrShift == collective.index();
  if (!buffer.destination || (isSourceRead && !buffer.source))
    return "expected a source and a destination, but got null";
  if (!buffer.source || (collective.kind == FSDP_ALL_REDUCE &&
                         buffer.source == buffer.destination))
    return "";
  int64_t bytes = buffer.count() * sizeOf(collective.dtype);
  auto source = reinterpret_cast<uintptr_t>(buffer.source);
  auto destination = reinterpret_cast<uintptr_t>(buffer.destination);
  if (source < destination + bytes * destinationBlocks(collective) &&
      destination < source + bytes * sourceBlocks(collective))
    return "expected a source apart from the destination, but got an overlap";
  return "";
}

/// What is wrong with a new group, or "". Fills in `place`.
static std::string checkGroup(const FsdpJob &job, Group &group) {
  int64_t ranks = static_cast<int64_t>(job.ranks.size());
  if (job.hasRun)
    return "expected all groups before the first run, but got a new one";
  if (group.channels < 1)
    return "expected at least 1 channel, but got " +
           std::to_string(group.channels);
  group.place.assign(ranks, -1);
  for (int64_t i = 0; i < ranks; ++i) {
    int64_t rank = group.table[i];
    if (!isBelow(rank, ranks))
      return "expected ranks below " + std::to_string(ranks) + ", but got " +
             std::to_string(rank);
    if (group.place[rank] >= 0)
      return "expected every rank once, but got rank " + std::to_string(rank) +
             " twice";
    group.place[rank] = i;
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Called by compiled code
//===----------------------------------------------------------------------===//

int32_t fsdp_runtime_version(void) { return FSDP_RUNTIME_VERSION; }

int64_t fsdp_rank_index(FsdpRank *rank, int64_t group) {
  FsdpJob *job = rank->job;
  if (job->backend->failed())
    return 0;
  int64_t groups = static_cast<int64_t>(job->groups.size());
  if (!isBelow(group, groups)) {
    failRange(rank, "fsdp_rank_index", "group", groups, group);
    return 0;
  }
  return job->groups[group].indexOf(rank->id);
}

int64_t fsdp_open(FsdpRank *rank, int32_t kind, int64_t group, int64_t channel,
                  int32_t dtype, int32_t reduction, int64_t root_or_shift,
                  const char *location) {
  FsdpJob *job = rank->job;
  std::string where = location ? location : "unknown";
  if (!isBelow(kind, FSDP_PERMUTE + 1))
    return failRange(rank, "fsdp_open", "kind", FSDP_PERMUTE + 1, kind);
  auto kindName = static_cast<FsdpKind>(kind);
  std::string what = describeBriefly(kindName, where);
  if (job->backend->failed()) {
    job->backend->noteStopped(rank->id, what);
    return -1;
  }

  int64_t groups = static_cast<int64_t>(job->groups.size());
  if (!isBelow(group, groups))
    return failRange(rank, what, "group", groups, group);
  const Group &members = job->groups[group];
  if (!isBelow(channel, members.channels))
    return failRange(rank, what, "channel", members.channels, channel);
  if (!isBelow(dtype, FSDP_I64 + 1))
    return failRange(rank, what, "dtype", FSDP_I64 + 1, dtype);
  if (!isBelow(reduction, FSDP_MIN + 1))
    return failRange(rank, what, "reduction", FSDP_MIN + 1, reduction);
  bool reduces = kind == FSDP_REDUCE_SCATTER || kind == FSDP_ALL_REDUCE;
  if (reduces != (reduction != FSDP_NONE))
    return failRank(rank, what + ": expected " + (reduces ? "a" : "no") +
                              " reduction, but got " +
                              std::to_string(reduction));
  if (kind == FSDP_BROADCAST && !isBelow(root_or_shift, members.size))
    return failRange(rank, what, "root", members.size, root_or_shift);

  int64_t token = rank->nextToken++;
  rank->tokens.emplace(token, Collective{&members, rank->id, kindName, channel,
                                         static_cast<FsdpDtype>(dtype),
                                         static_cast<FsdpReduction>(reduction),
                                         root_or_shift, std::move(where)});
  return token;
}

void fsdp_add(FsdpRank *rank, int64_t token, const void *source,
              void *destination, int64_t outer, int64_t inner) {
  if (rank->job->backend->failed())
    return;
  Collective *collective = findToken(rank, token, "fsdp_add", false);
  if (!collective)
    return;
  Buffer buffer = {source, destination, outer, inner};
  std::string error = checkBuffer(*collective, buffer);
  if (error.empty())
    collective->buffers.push_back(buffer);
  else
    failRank(rank, describeBriefly(collective->kind, collective->location) +
                       ", buffer " +
                       std::to_string(collective->buffers.size()) + ": " +
                       error);
}

void fsdp_start(FsdpRank *rank, int64_t token) {
  if (rank->job->backend->failed())
    return;
  Collective *collective = findToken(rank, token, "fsdp_start", false);
  if (!collective)
    return;
  collective->sequence =
      rank->nextSequence[{collective->group->id, collective->channel}]++;
  rank->job->backend->start(*collective);
}

void fsdp_wait(FsdpRank *rank, int64_t token) {
  // Also after an error: others may still read this rank's buffers.
  Collective *collective = findToken(rank, token, "fsdp_wait", true);
  if (!collective)
    return;
  Backend &backend = *rank->job->backend;
  if (backend.wait(*collective))
    countTraffic(rank, trafficOf(*collective));
  else
    backend.noteStopped(
        rank->id, describeBriefly(collective->kind, collective->location));
  rank->tokens.erase(token);
}

int32_t fsdp_has_gemm(void) { return canUseThreads(); }

void fsdp_gemm(FsdpRank *rank, const FsdpGemm *gemm, const void *lhs,
               const void *rhs, void *result) {
  if (rank->job->backend->failed())
    return;
  auto start = std::chrono::steady_clock::now();
  std::string error = gemm ? multiply(*gemm, lhs, rhs, result)
                           : "expected a product, but got null";
  if (!error.empty()) {
    failRank(rank, "fsdp_gemm: " + error);
    return;
  }
  FsdpProduct &product = rank->products[*gemm];
  product.gemm = *gemm;
  ++product.calls;
  product.seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
}

void fsdp_parallel(FsdpRank *rank, int64_t count,
                   void (*body)(void *context, int64_t begin, int64_t end),
                   void *context) {
  if (rank->job->backend->failed())
    return;
  if (count < 0)
    failRank(rank, "fsdp_parallel: expected a count of at least 0, but got " +
                       std::to_string(count));
  else if (!body)
    failRank(rank, "fsdp_parallel: expected a body, but got null");
  else if (count > 0)
    runParallel(count, body, context);
}

//===----------------------------------------------------------------------===//
// Called by the host
//===----------------------------------------------------------------------===//

FsdpJob *fsdp_job_create_threads(int64_t ranks, double timeout_seconds) {
  if (ranks < 1 || !(timeout_seconds > 0))
    return nullptr;
  auto *job = new FsdpJob;
  for (int64_t id = 0; id < ranks; ++id)
    job->ranks.push_back({job, id});
  // Thirty years are for ever, and still fit the clock.
  job->backend = createThreadBackend(ranks, std::min(timeout_seconds, 1e9));
  return job;
}

void fsdp_job_destroy(FsdpJob *job) { delete job; }

int64_t fsdp_job_add_group(FsdpJob *job, const char *name, int64_t classes,
                           int64_t size, int64_t channels,
                           const int64_t *table) {
  if (job->backend->failed())
    return -1;
  int64_t ranks = static_cast<int64_t>(job->ranks.size());
  auto id = static_cast<int64_t>(job->groups.size());
  Group group = {id, name ? name : "unknown", classes, size, channels, {}, {}};
  std::string error;
  if (size < 1 || classes < 1 || ranks % size != 0 || classes != ranks / size) {
    error = "expected " + std::to_string(ranks) + " ranks, but got " +
            std::to_string(classes) + " classes of " + std::to_string(size);
  } else {
    group.table.assign(table, table + ranks);
    error = checkGroup(*job, group);
  }
  if (!error.empty()) {
    job->backend->fail("group @" + group.name + ": " + error);
    return -1;
  }
  job->groups.push_back(std::move(group));
  job->backend->addGroup(job->groups.back());
  return id;
}

int32_t fsdp_job_set_threads(FsdpJob *job, int64_t threads) {
  if (threads < 1)
    job->backend->fail("expected at least 1 thread for each rank, but got " +
                       std::to_string(threads));
  else if (threads > 1 && !canUseThreads())
    job->backend->fail("expected 1 thread for each rank without oneDNN, but "
                       "got " +
                       std::to_string(threads));
  else if (threads > maxThreads)
    job->backend->fail("expected at most " + std::to_string(maxThreads) +
                       " threads for each rank, but got " +
                       std::to_string(threads));
  else
    job->threads = threads;
  return job->backend->failed() ? FSDP_FAILED : FSDP_OK;
}

/// Gives the thread of `rank`, and those that it makes, cores that no other
/// rank has, if there are enough.
static void pin(const FsdpJob &job, int64_t rank) {
  cpu_set_t all, mine;
  int64_t needed = static_cast<int64_t>(job.ranks.size()) * job.threads;
  if (sched_getaffinity(0, sizeof(all), &all) != 0 || needed < 2 ||
      CPU_COUNT(&all) < needed)
    return;
  CPU_ZERO(&mine);
  int64_t position = 0;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &all) && position++ / job.threads == rank)
      CPU_SET(cpu, &mine);
  // What is slower for it is not wrong.
  (void)sched_setaffinity(0, sizeof(mine), &mine);
}

int32_t fsdp_job_run(FsdpJob *job, void (*step)(FsdpRank *rank, void *user),
                     void *const *user_per_rank) {
  Backend &backend = *job->backend;
  if (backend.failed())
    return FSDP_FAILED;
  job->hasRun = true;
  backend.run([&](int64_t id) {
    FsdpRank *rank = &job->ranks[id];
    setThreads(job->threads);
    pin(*job, id);
    step(rank, user_per_rank ? user_per_rank[id] : nullptr);
    if (rank->tokens.empty())
      return;
    const Collective &first = rank->tokens.begin()->second;
    failRank(rank, "expected a wait for every collective, but got a return "
                   "before that for " +
                       describeBriefly(first.kind, first.location));
    releaseTokens(rank);
  });
  return backend.failed() ? FSDP_FAILED : FSDP_OK;
}

const char *fsdp_job_error(FsdpJob *job) {
  job->errorText = job->backend->error();
  return job->errorText.c_str();
}

int64_t fsdp_rank_id(const FsdpRank *rank) { return rank->id; }

void fsdp_rank_fail(FsdpRank *rank, const char *message) {
  failRank(rank, message ? message : "failed");
  releaseTokens(rank);
}

int64_t fsdp_rank_traffic_count(const FsdpJob *job, int64_t rank) {
  if (!isBelow(rank, static_cast<int64_t>(job->ranks.size())))
    return 0;
  return static_cast<int64_t>(job->ranks[rank].traffic.size());
}

int32_t fsdp_rank_traffic(const FsdpJob *job, int64_t rank, int64_t index,
                          FsdpTraffic *out) {
  if (!isBelow(index, fsdp_rank_traffic_count(job, rank)))
    return FSDP_FAILED;
  *out = job->ranks[rank].traffic[index];
  return FSDP_OK;
}

int64_t fsdp_rank_product_count(const FsdpJob *job, int64_t rank) {
  if (!isBelow(rank, static_cast<int64_t>(job->ranks.size())))
    return 0;
  return static_cast<int64_t>(job->ranks[rank].products.size());
}

int32_t fsdp_rank_product(const FsdpJob *job, int64_t rank, int64_t index,
                          FsdpProduct *out) {
  if (!isBelow(index, fsdp_rank_product_count(job, rank)))
    return FSDP_FAILED;
  *out = std::next(job->ranks[rank].products.begin(), index)->second;
  return FSDP_OK;
}

void fsdp_job_reset_products(FsdpJob *job) {
  for (FsdpRank &rank : job->ranks)
    rank.products.clear();
}

void fsdp_job_reset_traffic(FsdpJob *job) {
  for (FsdpRank &rank : job->ranks)
    rank.traffic.clear();
}
