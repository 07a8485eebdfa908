//===- Backend.h - What moves the bytes behind the C ABI --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
// The interface that threads, MPI and NCCL implement. Runtime.cpp checks the
// arguments of the C ABI, keeps tokens and counts traffic; a back end only
// starts collectives, waits for them and stops everybody after an error. The
// facts about collectives that every back end needs are here as well.
//
//===----------------------------------------------------------------------===//

#ifndef FSDP_RUNTIME_BACKEND_H
#define FSDP_RUNTIME_BACKEND_H

#include "fsdp/Runtime/Runtime.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace fsdp::rt {

/// A process group, written out. Every rank is in `table` exactly once.
struct Group {
  int64_t id;
  std::string name;
  int64_t classes, size, channels;
  /// The ranks, class by class, each class in index order.
  std::vector<int64_t> table;
  /// Where each rank stands in `table`.
  std::vector<int64_t> place;

  int64_t classOf(int64_t rank) const { return place[rank] / size; }
  int64_t indexOf(int64_t rank) const { return place[rank] % size; }
  int64_t member(int64_t classNumber, int64_t index) const {
    return table[classNumber * size + index];
  }
};

/// One buffer of a bucket; see FsdpKind for the layouts.
struct Buffer {
  const void *source;
  void *destination;
  int64_t outer, inner;

  int64_t count() const { return outer * inner; }
};

/// One rank's part in a collective. It stays where it is from start to wait.
struct Collective {
  const Group *group;
  int64_t rank;
  FsdpKind kind;
  int64_t channel;
  FsdpDtype dtype;
  FsdpReduction reduction;
  int64_t rootOrShift;
  std::string location;
  std::vector<Buffer> buffers = {};
  /// Which start on this channel it is; -1 before.
  int64_t sequence = -1;

  bool isStarted() const { return sequence >= 0; }
  int64_t classNumber() const { return group->classOf(rank); }
  int64_t index() const { return group->indexOf(rank); }
};

/// Bytes of one element.
int64_t sizeOf(FsdpDtype dtype);

/// How many times outer * inner elements the source of a buffer holds.
int64_t sourceBlocks(const Collective &collective);

/// How many times outer * inner elements the destination of a buffer holds.
int64_t destinationBlocks(const Collective &collective);

/// What this part of a collective counts for; see FsdpTraffic.
FsdpTraffic trafficOf(const Collective &collective);

/// `all-gather`, and so on.
const char *nameOf(FsdpKind kind);

/// `all-gather at "h.0"`.
std::string describeBriefly(FsdpKind kind, const std::string &location);

/// `all-gather on group @dp, class 0, channel 0, sequence 3, at "h.0"`.
std::string describe(const Collective &collective);

/// The error for two members that do not fit together, or "" if they do.
std::string mismatch(const Collective &expected, const Collective &got);

/// Does part `item` of n of the collective that consists of `members` (by
/// index): all that index `item` receives, or for an all-reduce the item-th
/// part of every member. Items touch different memory; together they are all.
void computeItem(const std::vector<const Collective *> &members, int64_t item);

/// Moves the bytes of one job. Keeps its first error.
class Backend {
public:
  virtual ~Backend() = default;

  /// Creates the communicators of `group`, which outlives the back end.
  virtual void addGroup(const Group &group) = 0;

  /// Calls `body` for each rank of this process, all at the same time, and
  /// returns when all have returned.
  virtual void run(const std::function<void(int64_t rank)> &body) = 0;

  /// Starts `collective` and does not block.
  virtual void start(const Collective &collective) = 0;

  /// Blocks until `collective` is complete, then true; false after an error,
  /// once nobody uses this rank's buffers any more.
  virtual bool wait(const Collective &collective) = 0;

  /// Makes `message` the error of the job unless there is one, and stops all.
  void fail(const std::string &message);

  /// True after an error. Any thread.
  bool failed() const { return hasFailed; }

  /// Keeps that the error stopped `rank`, and where. The first place counts.
  void noteStopped(int64_t rank, const std::string &where);

  /// The first error and whom it stopped, or "".
  std::string error() const;

protected:
  /// As `fail`, with `mutex` held.
  void failLocked(const std::string &message);

  /// Makes every rank that blocks look at `failed()` again; `mutex` is held.
  virtual void interrupt() = 0;

  mutable std::mutex mutex;

private:
  std::atomic<bool> hasFailed{false};
  std::string firstError;
  std::map<int64_t, std::string> stopped;
};

/// The reference back end: ranks are threads and read each other's memory.
std::unique_ptr<Backend> createThreadBackend(int64_t ranks,
                                             double timeoutSeconds);

} // namespace fsdp::rt

#endif // FSDP_RUNTIME_BACKEND_H
