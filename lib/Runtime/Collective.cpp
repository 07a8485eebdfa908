//===- Collective.cpp - Facts about collectives, and the first error ------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// Sizes, traffic formulas and texts that do not depend on how bytes are moved,
// and the part of `Backend` that every back end shares: the sticky error.
//
//===----------------------------------------------------------------------===//

#include "fsdp/Runtime/Backend.h"

#include <algorithm>

using namespace fsdp::rt;

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

int64_t fsdp::rt::sizeOf(FsdpDtype dtype) {
  static const int64_t sizes[] = {2, 2, 4, 8, 1, 4, 8};
  return sizes[dtype];
}

int64_t fsdp::rt::sourceBlocks(const Collective &collective) {
  bool isWide = collective.kind == FSDP_REDUCE_SCATTER ||
                collective.kind == FSDP_ALL_TO_ALL;
  return isWide ? collective.group->size : 1;
}

int64_t fsdp::rt::destinationBlocks(const Collective &collective) {
  bool isWide =
      collective.kind == FSDP_ALL_GATHER || collective.kind == FSDP_ALL_TO_ALL;
  return isWide ? collective.group->size : 1;
}

/// Bytes that one rank sends for `bytes` = outer * inner over the bucket.
static int64_t wireBytes(const Collective &collective, int64_t bytes) {
  int64_t size = collective.group->size;
  if (size == 1)
    return 0;
  switch (collective.kind) {
  case FSDP_ALL_GATHER:
  case FSDP_REDUCE_SCATTER:
  case FSDP_ALL_TO_ALL:
    return (size - 1) * bytes;
  case FSDP_ALL_REDUCE:
    return (2 * (size - 1) * bytes + size - 1) / size;
  case FSDP_BROADCAST:
    return bytes;
  case FSDP_PERMUTE:
    return collective.rootOrShift % size == 0 ? 0 : bytes;
  }
  return 0;
}

FsdpTraffic fsdp::rt::trafficOf(const Collective &collective) {
  int64_t bytes = 0;
  for (const Buffer &buffer : collective.buffers)
    bytes += buffer.count() * sizeOf(collective.dtype);
  int64_t blocks =
      std::max(sourceBlocks(collective), destinationBlocks(collective));
  return {collective.group->id,
          collective.kind,
          collective.dtype,
          1,
          static_cast<int64_t>(collective.buffers.size()),
          blocks * bytes,
          wireBytes(collective, bytes)};
}

//===----------------------------------------------------------------------===//
// Texts
//===----------------------------------------------------------------------===//

const char *fsdp::rt::nameOf(FsdpKind kind) {
  static const char *const names[] = {"all-gather", "reduce-scatter",
                                      "all-reduce", "all-to-all",
                                      "broadcast",  "permute"};
  return names[kind];
}

/// `f32`, and so on.
static const char *nameOf(FsdpDtype dtype) {
  static const char *const names[] = {"f16", "bf16", "f32", "f64",
                                      "i8",  "i32",  "i64"};
  return names[dtype];
}

/// `sum`, and so on.
static const char *nameOf(FsdpReduction reduction) {
  static const char *const names[] = {"none", "sum", "max", "min"};
  return names[reduction];
}

std::string fsdp::rt::describeBriefly(FsdpKind kind,
                                      const std::string &location) {
  return std::string(nameOf(kind)) + " at \"" + location + '"';
}

/// `group @dp, class 0, channel 0, sequence 3`.
static std::string describeMeeting(const Collective &collective) {
  return "group @" + collective.group->name + ", class " +
         std::to_string(collective.classNumber()) + ", channel " +
         std::to_string(collective.channel) + ", sequence " +
         std::to_string(collective.sequence);
}

std::string fsdp::rt::describe(const Collective &collective) {
  return std::string(nameOf(collective.kind)) + " on " +
         describeMeeting(collective) + ", at \"" + collective.location + '"';
}

std::string fsdp::rt::mismatch(const Collective &expected,
                               const Collective &got) {
  auto report = [&](const std::string &wanted, const std::string &found) {
    return describeMeeting(got) + ": expected " + nameOf(expected.kind) +
           wanted + ", as on rank " + std::to_string(expected.rank) + " at \"" +
           expected.location + "\", but got " + nameOf(got.kind) + found +
           " on rank " + std::to_string(got.rank) + " at \"" + got.location +
           '"';
  };
  if (expected.kind != got.kind)
    return report("", "");
  if (expected.dtype != got.dtype)
    return report(std::string(" of ") + nameOf(expected.dtype),
                  std::string(" of ") + nameOf(got.dtype));
  if (expected.reduction != got.reduction)
    return report(std::string(" by ") + nameOf(expected.reduction),
                  std::string(" by ") + nameOf(got.reduction));
  if (expected.rootOrShift != got.rootOrShift) {
    const char *name = got.kind == FSDP_PERMUTE ? " by shift " : " from root ";
    return report(name + std::to_string(expected.rootOrShift),
                  name + std::to_string(got.rootOrShift));
  }
  if (expected.buffers.size() != got.buffers.size())
    return report(" of " + std::to_string(expected.buffers.size()) + " buffers",
                  " of " + std::to_string(got.buffers.size()) + " buffers");
  for (size_t i = 0; i < got.buffers.size(); ++i) {
    auto sizes = [&](const Buffer &buffer) {
      return " with buffer " + std::to_string(i) + " of outer " +
             std::to_string(buffer.outer) + ", inner " +
             std::to_string(buffer.inner);
    };
    std::string left = sizes(expected.buffers[i]);
    std::string right = sizes(got.buffers[i]);
    if (left != right)
      return report(left, right);
  }
  return "";
}

//===----------------------------------------------------------------------===//
// The first error
//===----------------------------------------------------------------------===//

void Backend::fail(const std::string &message) {
  std::lock_guard<std::mutex> lock(mutex);
  failLocked(message);
}

void Backend::failLocked(const std::string &message) {
  if (hasFailed)
    return;
  firstError = message;
  hasFailed = true;
  interrupt();
}

void Backend::noteStopped(int64_t rank, const std::string &where) {
  std::lock_guard<std::mutex> lock(mutex);
  stopped.emplace(rank, where);
}

std::string Backend::error() const {
  std::lock_guard<std::mutex> lock(mutex);
  // Ranks that stopped at the same place share a line.
  std::map<std::string, std::string> ranksByPlace;
  for (const auto &[rank, where] : stopped) {
    std::string &ranks = ranksByPlace[where];
    ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
  }
  std::string text = firstError;
  for (const auto &[where, ranks] : ranksByPlace)
    text += "\n  note: stopped in " + where + ": rank " + ranks;
  return text;
}
