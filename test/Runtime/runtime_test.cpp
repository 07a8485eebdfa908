//===- runtime_test.cpp - Tests of the runtime through its C ABI ----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// A plain program: without arguments it runs all cases and prints "ok NAME" for
// each; with names it runs those. Exit status 1 if one failed. It uses
// Runtime.h only, so any back end that can make a job can be put behind it.
//
//===----------------------------------------------------------------------===//

#include "fsdp/Runtime/Runtime.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

using Classes = std::vector<std::vector<int64_t>>;
using Step = std::function<void(FsdpRank *)>;

std::atomic<bool> caseFailed{false};

/// Reports a condition that does not hold; the case goes on.
#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      caseFailed = true;                                                       \
      std::fprintf(stderr, "%s:%d: expected %s\n", __FILE__, __LINE__,         \
                   #condition);                                                \
    }                                                                          \
  } while (false)

/// A job of threads, and one step per call of `run`.
struct World {
  explicit World(int64_t ranks, double timeout = 60)
      : job(fsdp_job_create_threads(ranks, timeout)), size(ranks) {}
  World(const World &) = delete;
  ~World() { fsdp_job_destroy(job); }

  int64_t group(const char *name, const Classes &classes,
                int64_t channels = 1) {
    std::vector<int64_t> table;
    for (const auto &members : classes)
      table.insert(table.end(), members.begin(), members.end());
    return fsdp_job_add_group(job, name, static_cast<int64_t>(classes.size()),
                              static_cast<int64_t>(classes[0].size()), channels,
                              table.data());
  }

  bool run(const Step &step) {
    std::vector<void *> users(size, const_cast<Step *>(&step));
    auto call = [](FsdpRank *rank, void *user) {
      (*static_cast<const Step *>(user))(rank);
    };
    return fsdp_job_run(job, call, users.data()) == FSDP_OK;
  }

  /// Runs a step that must succeed.
  void pass(const Step &step) {
    bool isOk = run(step);
    if (!isOk)
      std::fprintf(stderr, "%s\n", fsdp_job_error(job));
    EXPECT(isOk);
  }

  /// Runs a step that must fail with an error that has all of `parts`.
  void failWith(const Step &step, const std::vector<std::string> &parts) {
    EXPECT(!run(step));
    hasError(parts);
  }

  void hasError(const std::vector<std::string> &parts) {
    std::string error = fsdp_job_error(job);
    for (const std::string &part : parts) {
      if (error.find(part) != std::string::npos)
        continue;
      caseFailed = true;
      std::fprintf(stderr, "expected \"%s\" in:\n%s\n", part.c_str(),
                   error.c_str());
    }
  }

  FsdpJob *job;
  int64_t size;
};

/// What a collective is, apart from its buffers.
struct Call {
  FsdpKind kind;
  int64_t group;
  FsdpDtype dtype = FSDP_I32;
  FsdpReduction reduction = FSDP_NONE;
  int64_t rootOrShift = 0;
  int64_t channel = 0;
  const char *location = "here";
};

int64_t open(FsdpRank *rank, const Call &call) {
  return fsdp_open(rank, call.kind, call.group, call.channel, call.dtype,
                   call.reduction, call.rootOrShift, call.location);
}

/// Opens a bucket of one buffer and starts it.
int64_t start(FsdpRank *rank, const Call &call, const void *source,
              void *destination, int64_t outer, int64_t inner) {
  int64_t token = open(rank, call);
  fsdp_add(rank, token, source, destination, outer, inner);
  fsdp_start(rank, token);
  return token;
}

/// One buffer, from begin to end.
void collective(FsdpRank *rank, const Call &call, const void *source,
                void *destination, int64_t outer, int64_t inner) {
  fsdp_wait(rank, start(rank, call, source, destination, outer, inner));
}

//===----------------------------------------------------------------------===//
// Values, against a reference that is written element by element
//===----------------------------------------------------------------------===//

struct Shape {
  int64_t outer, inner;
};

/// Element `k` of the source of buffer `b` on `rank`; different everywhere.
int32_t element(int64_t rank, int64_t b, int64_t k) {
  return static_cast<int32_t>((rank + 3) * (k + 7) * 31 % 1009 - b * 100);
}

/// Element (o, i, k) of the wanted destination of buffer `b` at `me` of
/// `members`, where i counts blocks.
int32_t wanted(const Call &call, const std::vector<int64_t> &members,
               int64_t me, int64_t b, Shape shape, int64_t o, int64_t i,
               int64_t k) {
  int64_t n = static_cast<int64_t>(members.size());
  int64_t flat = o * shape.inner + k, count = shape.outer * shape.inner;
  auto reduced = [&](int64_t at) {
    int32_t result = element(members[0], b, at);
    for (int64_t j = 1; j < n; ++j) {
      int32_t value = element(members[j], b, at);
      result = call.reduction == FSDP_SUM   ? result + value
               : call.reduction == FSDP_MAX ? std::max(result, value)
                                            : std::min(result, value);
    }
    return result;
  };
  switch (call.kind) {
  case FSDP_ALL_GATHER:
    return element(members[i], b, flat);
  case FSDP_REDUCE_SCATTER:
    return reduced((o * n + me) * shape.inner + k);
  case FSDP_ALL_REDUCE:
    return reduced(flat);
  case FSDP_ALL_TO_ALL:
    return element(members[i], b, me * count + flat);
  case FSDP_BROADCAST:
    return element(members[call.rootOrShift], b, flat);
  case FSDP_PERMUTE:
    return element(members[(((me - call.rootOrShift) % n) + n) % n], b, flat);
  }
  return 0;
}

/// Runs a bucket of i32 buffers over `classes` and compares every element.
void checkValues(const Classes &classes, Call call,
                 const std::vector<Shape> &shapes) {
  int64_t n = static_cast<int64_t>(classes[0].size());
  World world(static_cast<int64_t>(classes.size()) * n);
  call.group = world.group("g", classes);
  bool wideIn =
      call.kind == FSDP_REDUCE_SCATTER || call.kind == FSDP_ALL_TO_ALL;
  bool wideOut = call.kind == FSDP_ALL_GATHER || call.kind == FSDP_ALL_TO_ALL;
  world.pass([&](FsdpRank *rank) {
    int64_t id = fsdp_rank_id(rank), me = fsdp_rank_index(rank, call.group);
    const std::vector<int64_t> *members = nullptr;
    for (const auto &candidate : classes)
      if (std::find(candidate.begin(), candidate.end(), id) != candidate.end())
        members = &candidate;
    EXPECT((*members)[me] == id);

    std::vector<std::vector<int32_t>> sources, destinations;
    int64_t token = open(rank, call);
    for (size_t b = 0; b < shapes.size(); ++b) {
      int64_t count = shapes[b].outer * shapes[b].inner;
      sources.emplace_back(count * (wideIn ? n : 1));
      for (size_t k = 0; k < sources[b].size(); ++k)
        sources[b][k] = element(id, b, k);
      destinations.emplace_back(count * (wideOut ? n : 1), -12345);
      fsdp_add(rank, token, sources[b].data(), destinations[b].data(),
               shapes[b].outer, shapes[b].inner);
    }
    fsdp_start(rank, token);
    fsdp_wait(rank, token);
    for (auto &source : sources) // Allowed at once after the wait.
      std::fill(source.begin(), source.end(), -1);

    for (size_t b = 0; b < shapes.size(); ++b)
      for (int64_t o = 0; o < shapes[b].outer; ++o)
        for (int64_t i = 0; i < (wideOut ? n : 1); ++i)
          for (int64_t k = 0; k < shapes[b].inner; ++k) {
            int64_t inner = shapes[b].inner;
            int64_t at = call.kind == FSDP_ALL_GATHER
                             ? (o * n + i) * inner + k
                             : i * shapes[b].outer * inner + o * inner + k;
            EXPECT(destinations[b][at] ==
                   wanted(call, *members, me, b, shapes[b], o, i, k));
          }
  });
}

const Classes strided = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
const Classes node = {{0, 1, 2, 3}, {4, 5, 6, 7}};
const Classes permuted = {{2, 0, 5}, {4, 1, 3}};
const Classes alone = {{0}, {1}, {2}};

/// All groups, with one buffer and with uneven buckets, empty buffers included.
void checkKind(const Call &call) {
  for (const Classes &classes : {strided, node, permuted, alone}) {
    checkValues(classes, call, {{3, 5}});
    checkValues(classes, call, {{1, 4}, {0, 3}, {7, 1}, {2, 0}, {1, 3001}});
    checkValues(classes, call, {{0, 0}});
    checkValues(classes, call, {});
  }
}

void allGather() { checkKind({FSDP_ALL_GATHER, 0}); }

void reduceScatter() {
  for (FsdpReduction reduction : {FSDP_SUM, FSDP_MAX, FSDP_MIN})
    checkKind({FSDP_REDUCE_SCATTER, 0, FSDP_I32, reduction});
}

void allReduce() {
  for (FsdpReduction reduction : {FSDP_SUM, FSDP_MAX, FSDP_MIN})
    checkKind({FSDP_ALL_REDUCE, 0, FSDP_I32, reduction});
}

void allToAll() { checkKind({FSDP_ALL_TO_ALL, 0}); }

void broadcast() {
  checkKind({FSDP_BROADCAST, 0});
  checkValues(permuted, {FSDP_BROADCAST, 0, FSDP_I32, FSDP_NONE, 2}, {{2, 3}});
  World world(2);
  int64_t group = world.group("g", {{1, 0}});
  world.pass([&](FsdpRank *rank) { // Only the root has a source.
    int32_t source = 7, destination = 0;
    collective(rank, {FSDP_BROADCAST, group},
               fsdp_rank_id(rank) == 1 ? &source : nullptr, &destination, 1, 1);
    EXPECT(destination == 7);
  });
}

void permute() {
  for (int64_t shift : {0, 1, -1, 2, 7, -8})
    checkKind({FSDP_PERMUTE, 0, FSDP_I32, FSDP_NONE, shift});
}

/// The source of an all-reduce may be its destination.
void allReduceInPlace() {
  World world(3);
  int64_t group = world.group("g", {{2, 0, 1}});
  world.pass([&](FsdpRank *rank) {
    std::vector<int64_t> data(10001);
    for (size_t k = 0; k < data.size(); ++k)
      data[k] = (fsdp_rank_id(rank) + 1) * static_cast<int64_t>(k);
    collective(rank, {FSDP_ALL_REDUCE, group, FSDP_I64, FSDP_SUM}, data.data(),
               data.data(), 1, static_cast<int64_t>(data.size()));
    for (size_t k = 0; k < data.size(); ++k)
      EXPECT(data[k] == 6 * static_cast<int64_t>(k));
  });
}

//===----------------------------------------------------------------------===//
// Dtypes
//===----------------------------------------------------------------------===//

/// All-reduces one value per rank and returns the result, which must be the
/// same bits on every rank.
template <typename T>
T reduceOne(FsdpDtype dtype, FsdpReduction reduction,
            const std::vector<T> &values) {
  World world(static_cast<int64_t>(values.size()));
  std::vector<int64_t> everyone;
  for (size_t i = 0; i < values.size(); ++i)
    everyone.push_back(static_cast<int64_t>(i));
  int64_t group = world.group("world", {everyone});
  std::vector<T> results(values.size());
  world.pass([&](FsdpRank *rank) {
    int64_t id = fsdp_rank_id(rank);
    collective(rank, {FSDP_ALL_REDUCE, group, dtype, reduction}, &values[id],
               &results[id], 1, 1);
  });
  for (const T &result : results)
    EXPECT(std::memcmp(&result, &results[0], sizeof(T)) == 0);
  return results[0];
}

/// The bits of an f16 sum.
uint16_t sumF16(const std::vector<uint16_t> &values) {
  return reduceOne(FSDP_F16, FSDP_SUM, values);
}

void dtypeF16() {
  EXPECT(sumF16({0x3c00, 0x4000, 0xc200}) == 0x0000); // 1 + 2 - 3.
  // Accumulates in f32 and rounds once: 2048 + 1 + 1 = 2050.
  EXPECT(sumF16({0x6800, 0x3c00, 0x3c00}) == 0x6801);
  // To nearest even: 2049 -> 2048, 2051 -> 2052.
  EXPECT(sumF16({0x6800, 0x3c00}) == 0x6800);
  EXPECT(sumF16({0x6800, 0x4200}) == 0x6802);
  EXPECT(sumF16({0x0001, 0x0001}) == 0x0002);         // Subnormal.
  EXPECT(sumF16({0x03ff, 0x0001}) == 0x0400);         // Smallest normal.
  EXPECT(sumF16({0x7bff, 0x4b80}) == 0x7bff);         // 65504 + 15.
  EXPECT(sumF16({0x7bff, 0x4c00}) == 0x7c00);         // 65504 + 16 = inf.
  EXPECT(sumF16({0x7bff, 0x7bff, 0xfbff}) == 0x7bff); // Never rounds to inf.
  EXPECT(sumF16({0x7c00, 0xfc00}) == 0x7e00 ||
         sumF16({0x7c00, 0xfc00}) == 0xfe00); // inf - inf = NaN.
  // Case V6: 8 ranks with 16000 overflow in f16, not in f32.
  EXPECT(sumF16(std::vector<uint16_t>(8, 0x73d0)) == 0x7c00);
  EXPECT(reduceOne(FSDP_F32, FSDP_SUM, std::vector<float>(8, 16000)) == 128000);
  // Every f16 but NaN survives load and store.
  World world(1);
  int64_t group = world.group("self", {{0}});
  world.pass([&](FsdpRank *rank) {
    std::vector<uint16_t> all(65536), out(65536);
    for (size_t k = 0; k < all.size(); ++k)
      all[k] = static_cast<uint16_t>(k);
    collective(rank, {FSDP_ALL_REDUCE, group, FSDP_F16, FSDP_SUM}, all.data(),
               out.data(), 1, 65536);
    for (size_t k = 0; k < all.size(); ++k)
      EXPECT((all[k] & 0x7fff) > 0x7c00 ? (out[k] & 0x7fff) > 0x7c00
                                        : out[k] == all[k]);
  });
}

void dtypeBF16() {
  auto sum = [](const std::vector<uint16_t> &values) {
    return reduceOne(FSDP_BF16, FSDP_SUM, values);
  };
  EXPECT(sum({0x3f80, 0x4000, 0xc040}) == 0x0000);   // 1 + 2 - 3.
  EXPECT(sum({0x4380, 0x3f80, 0x3f80}) == 0x4381);   // 256 + 1 + 1 = 258.
  EXPECT(sum({0x4380, 0x3f80}) == 0x4380);           // 257 -> 256.
  EXPECT(sum({0x4380, 0x4040}) == 0x4382);           // 259 -> 260.
  EXPECT(sum({0x7f7f, 0x7f7f}) == 0x7f80);           // inf.
  EXPECT((sum({0x7f81, 0x3f80}) & 0x7fff) > 0x7f80); // NaN.
  EXPECT(reduceOne<uint16_t>(FSDP_BF16, FSDP_MAX, {0xbf80, 0xc000}) == 0xbf80);
}

void dtypeF32F64() {
  // Index order: (1e8 + 1) - 1e8 is 0 in f32, 1e8 - 1e8 + 1 is 1.
  EXPECT(reduceOne<float>(FSDP_F32, FSDP_SUM, {1e8f, 1, -1e8f}) == 0);
  EXPECT(reduceOne<float>(FSDP_F32, FSDP_SUM, {1e8f, -1e8f, 1}) == 1);
  EXPECT(reduceOne<double>(FSDP_F64, FSDP_SUM, {1e8, 1, -1e8}) == 1);
  float nan = std::numeric_limits<float>::quiet_NaN();
  for (FsdpReduction reduction : {FSDP_MAX, FSDP_MIN}) {
    EXPECT(std::isnan(reduceOne<float>(FSDP_F32, reduction, {1, nan, 2})));
    EXPECT(std::isnan(reduceOne<float>(FSDP_F32, reduction, {nan, 1, 2})));
  }
  EXPECT(reduceOne<double>(FSDP_F64, FSDP_MAX, {-3, -1, -2}) == -1);
  EXPECT(reduceOne<double>(FSDP_F64, FSDP_MIN, {-3, -1, -2}) == -3);
}

void dtypeIntegers() {
  EXPECT(reduceOne<int8_t>(FSDP_I8, FSDP_SUM, {100, 27, -3}) == 124);
  EXPECT(reduceOne<int8_t>(FSDP_I8, FSDP_SUM, {127, 1}) == -128); // Wraps.
  EXPECT(reduceOne<int8_t>(FSDP_I8, FSDP_MAX, {0, 1, 0}) == 1);   // "Any".
  EXPECT(reduceOne<int32_t>(FSDP_I32, FSDP_SUM, {INT32_MAX, 1}) == INT32_MIN);
  EXPECT(reduceOne<int64_t>(FSDP_I64, FSDP_SUM, {1ll << 53, 1, 1ll << 53}) ==
         (1ll << 54) + 1);
  EXPECT(reduceOne<int64_t>(FSDP_I64, FSDP_MIN, {5, -9, 3}) == -9);
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Two collectives in flight on two channels, started in opposite order.
void twoChannels() {
  World world(4);
  int64_t group = world.group("g", {{0, 2}, {1, 3}}, 2);
  world.pass([&](FsdpRank *rank) {
    int32_t source[2] = {static_cast<int32_t>(fsdp_rank_id(rank)), 10};
    int32_t gathered[2] = {}, sum = 0;
    Call gather = {FSDP_ALL_GATHER, group};
    Call reduce = {FSDP_ALL_REDUCE, group, FSDP_I32, FSDP_SUM, 0, 1};
    int64_t first, second;
    if (fsdp_rank_index(rank, group) == 0) {
      first = start(rank, gather, &source[0], gathered, 1, 1);
      second = start(rank, reduce, &source[1], &sum, 1, 1);
    } else {
      second = start(rank, reduce, &source[1], &sum, 1, 1);
      first = start(rank, gather, &source[0], gathered, 1, 1);
    }
    fsdp_wait(rank, second);
    fsdp_wait(rank, first);
    int32_t low = static_cast<int32_t>(fsdp_rank_id(rank)) % 2;
    EXPECT(gathered[0] == low && gathered[1] == low + 2 && sum == 20);
  });
}

/// Rank 0 finishes one collective before it starts the next; rank 1 starts
/// both and waits for the second first. Needs progress without rank 1's wait.
void anyWaitOrder() {
  World world(2, 20);
  int64_t group = world.group("g", {{0, 1}});
  world.pass([&](FsdpRank *rank) {
    int32_t source = static_cast<int32_t>(fsdp_rank_id(rank)) + 1, a = 0, b = 0;
    Call call = {FSDP_ALL_REDUCE, group, FSDP_I32, FSDP_SUM};
    int64_t first = start(rank, call, &source, &a, 1, 1);
    if (fsdp_rank_id(rank) == 0)
      fsdp_wait(rank, first);
    int64_t second = start(rank, call, &source, &b, 1, 1);
    fsdp_wait(rank, second);
    if (fsdp_rank_id(rank) == 1)
      fsdp_wait(rank, first);
    EXPECT(a == 3 && b == 3);
  });
}

/// A job runs step after step, on overlapping groups; ranks drift apart.
void manySteps() {
  World world(64);
  Classes rows(8), columns(8);
  for (int64_t rank = 0; rank < 64; ++rank) {
    rows[rank / 8].push_back(rank);
    columns[rank % 8].push_back(rank);
  }
  int64_t row = world.group("row", rows),
          column = world.group("column", columns);
  for (int64_t run = 0; run < 2; ++run)
    world.pass([&](FsdpRank *rank) {
      for (int64_t iteration = 0; iteration < 100; ++iteration) {
        int64_t value = fsdp_rank_id(rank) + iteration, full[8] = {}, sum = 0;
        collective(rank, {FSDP_ALL_GATHER, row, FSDP_I64}, &value, full, 1, 1);
        collective(rank, {FSDP_REDUCE_SCATTER, column, FSDP_I64, FSDP_SUM},
                   full, &sum, 1, 1);
        // Sum over the rows of what column `row of this rank` holds.
        EXPECT(sum == 224 + 8 * (fsdp_rank_id(rank) / 8 + iteration));
      }
    });
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

void mismatches() {
  struct Pair {
    Call left, right;
    int64_t leftOuter, rightOuter;
    std::vector<std::string> parts;
  };
  Call sum = {FSDP_ALL_REDUCE, 0, FSDP_I32, FSDP_SUM, 0, 0, "right"};
  Call gather = {FSDP_ALL_GATHER, 0, FSDP_I32, FSDP_NONE, 0, 0, "left"};
  Call max = sum, wide = gather, root = gather, otherRoot = gather;
  max.reduction = FSDP_MAX;
  wide.dtype = FSDP_F32;
  root.kind = otherRoot.kind = FSDP_BROADCAST;
  otherRoot.rootOrShift = 1;
  std::vector<Pair> pairs = {
      {gather,
       sum,
       1,
       1,
       {"all-gather", "all-reduce", "\"left\"", "\"right\""}},
      {sum, max, 1, 1, {"all-reduce by sum", "all-reduce by max"}},
      {gather, wide, 1, 1, {"all-gather of i32", "all-gather of f32"}},
      {root, otherRoot, 1, 1, {"broadcast from root 0", "from root 1"}},
      {gather, gather, 1, 2, {"outer 1, inner 1", "outer 2, inner 1"}},
      {gather, gather, 1, -1, {"of 1 buffers", "of 0 buffers"}}};
  for (const Pair &pair : pairs) {
    World world(4);
    world.group("dp", {{0, 2}, {1, 3}});
    std::vector<std::string> parts = pair.parts;
    parts.insert(parts.end(), {"group @dp, class 1, channel 0, sequence 0",
                               "rank 1", "rank 3", "expected", "but got"});
    world.failWith(
        [&](FsdpRank *rank) {
          if (fsdp_rank_id(rank) % 2 == 0)
            return;
          int32_t source[2] = {1, 2}, destination[4] = {};
          bool isLeft = fsdp_rank_id(rank) == 1;
          int64_t token = open(rank, isLeft ? pair.left : pair.right);
          int64_t outer = isLeft ? pair.leftOuter : pair.rightOuter;
          if (outer >= 0)
            fsdp_add(rank, token, source, destination, outer, 1);
          fsdp_start(rank, token);
          fsdp_wait(rank, token);
        },
        parts);
  }
}

/// Lets all ranks begin at once, so that short time-outs are not too short.
struct Gate {
  void pass(int64_t ranks) {
    for (++arrived; arrived < ranks;)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::atomic<int64_t> arrived{0};
};

/// Case E3: overlapping groups that two ranks use in opposite order.
void oppositeOrder() {
  World world(2, 0.3);
  int64_t a = world.group("a", {{0, 1}}), b = world.group("b", {{1, 0}});
  Gate gate;
  auto begin = std::chrono::steady_clock::now();
  world.failWith(
      [&](FsdpRank *rank) {
        gate.pass(2);
        int32_t source = 1, destination[2] = {};
        Call first = {FSDP_ALL_GATHER, a, FSDP_I32, FSDP_NONE, 0, 0, "h.0"};
        Call second = {FSDP_ALL_REDUCE, b, FSDP_I32, FSDP_SUM, 0, 0, "h.1"};
        if (fsdp_rank_id(rank) == 1)
          std::swap(first, second);
        collective(rank, first, &source, destination, 1, 1);
        collective(rank, second, &source, destination, 1, 1);
      },
      {"time-out after 0.3 s", "expected 2 ranks, but got 1", "missing rank",
       "waits in",
       "all-gather on group @a, class 0, channel 0, sequence 0, at "
       "\"h.0\"",
       "all-reduce on group @b, class 0, channel 0, sequence 0, at \"h.1\""});
  std::chrono::duration<double> taken =
      std::chrono::steady_clock::now() - begin;
  EXPECT(taken.count() >= 0.3 && taken.count() < 20);
}

/// Missing ranks that are not in another collective.
void timeoutNamesMissing() {
  World world(4, 0.3);
  int64_t group = world.group("g", {{3, 1, 0, 2}});
  std::atomic<bool> isOver{false};
  Gate gate;
  world.failWith(
      [&](FsdpRank *rank) {
        gate.pass(4);
        int64_t id = fsdp_rank_id(rank);
        int32_t source = 1, destination[4] = {};
        if (id == 1)
          return;
        while (id == 2 && !isOver)
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        collective(rank, {FSDP_ALL_GATHER, group}, &source, destination, 1, 1);
        isOver = true;
        EXPECT(destination[0] == 0);
      },
      {"all-gather on group @g", "but got 2", "missing rank 1 has finished",
       "missing rank 2 is computing",
       "stopped in all-gather at \"here\": rank 0, 2, 3"});
}

/// One rank fails; the others stop, touch nothing and run off their end.
void stickyFailure() {
  World world(4);
  int64_t group = world.group("g", {{0, 1, 2, 3}}, 2);
  std::atomic<int> ended{0};
  world.failWith(
      [&](FsdpRank *rank) {
        int32_t source = 5, sum = 0, never = -1, data[4] = {};
        Call call = {FSDP_ALL_REDUCE, group, FSDP_I32, FSDP_SUM};
        collective(rank, call, &source, &sum, 1, 1);
        EXPECT(sum == 20);
        call.channel = 1; // In flight while rank 2 fails.
        int64_t token =
            start(rank, {FSDP_ALL_GATHER, group}, &source, data, 1, 1);
        if (fsdp_rank_id(rank) == 2)
          fsdp_rank_fail(rank, "no more data");
        call.location = "after";
        collective(rank, call, &source, &never, 1, 1);
        fsdp_wait(rank, token);
        EXPECT(never == -1);
        EXPECT(fsdp_open(rank, FSDP_BROADCAST, 99, 99, 0, 0, 0, nullptr) == -1);
        EXPECT(fsdp_rank_index(rank, 99) == 0);
        fsdp_rank_fail(rank, "too late");
        ++ended;
      },
      {"rank 2: no more data\n", "note: stopped in all-"});
  EXPECT(ended == 4);
  EXPECT(!world.run([&](FsdpRank *) { ++ended; })); // A failed job stays so.
  EXPECT(ended == 4);
}

/// A rank fails and frees its buffers while others copy out of them: nobody may
/// use a buffer after its owner has gone. For the sanitizers to see.
void failureRace() {
  const int64_t count = 1 << 18;
  for (int64_t failing = 0; failing < 16; ++failing) {
    World world(4);
    int64_t group = world.group("g", {{0, 1, 2, 3}}, 2);
    Gate gate;
    world.failWith(
        [&](FsdpRank *rank) {
          std::vector<int32_t> source(count, 1), left(4 * count), right(count);
          gate.pass(4);
          int64_t first = start(rank, {FSDP_ALL_GATHER, group}, source.data(),
                                left.data(), 1, count);
          int64_t second =
              start(rank, {FSDP_ALL_REDUCE, group, FSDP_I32, FSDP_SUM, 0, 1},
                    source.data(), right.data(), 1, count);
          if (fsdp_rank_id(rank) == failing % 4) {
            std::this_thread::sleep_for(
                std::chrono::microseconds(failing * 50));
            fsdp_rank_fail(rank, "stop");
          } else {
            fsdp_wait(rank, second);
            fsdp_wait(rank, first);
          }
          std::fill(source.begin(), source.end(), 0);
        },
        {"stop"});
  }
}

/// Wrong arguments are errors with the rank, the op and the value.
void wrongArguments() {
  struct Wrong {
    std::function<void(FsdpRank *)> step;
    std::vector<std::string> parts;
  };
  static int32_t data[8] = {};
  Call gather = {FSDP_ALL_GATHER, 0};
  auto with = [](Call call, auto change) {
    change(call);
    return [call](FsdpRank *rank) { EXPECT(open(rank, call) == -1); };
  };
  std::vector<Wrong> wrongs = {
      {with(gather, [](Call &c) { c.kind = static_cast<FsdpKind>(6); }),
       {"expected a kind below 6, but got 6"}},
      {with(gather, [](Call &c) { c.group = 1; }),
       {"all-gather at \"here\": expected a group below 1, but got 1"}},
      {with(gather, [](Call &c) { c.channel = -1; }),
       {"expected a channel below 1, but got -1"}},
      {with(gather, [](Call &c) { c.dtype = static_cast<FsdpDtype>(7); }),
       {"expected a dtype below 7, but got 7"}},
      {with(gather, [](Call &c) { c.reduction = FSDP_SUM; }),
       {"expected no reduction, but got 1"}},
      {with(gather, [](Call &c) { c.kind = FSDP_ALL_REDUCE; }),
       {"expected a reduction, but got 0"}},
      {with({FSDP_BROADCAST, 0}, [](Call &c) { c.rootOrShift = 2; }),
       {"expected a root below 2, but got 2"}},
      {[](FsdpRank *rank) { EXPECT(fsdp_rank_index(rank, 7) == 0); },
       {"expected a group below 1, but got 7"}},
      {[](FsdpRank *rank) { fsdp_wait(rank, 3); },
       {"fsdp_wait: expected an open token, but got 3"}},
      {[=](FsdpRank *rank) { fsdp_wait(rank, open(rank, gather)); },
       {"fsdp_wait: expected a token that is started, but got that of "}},
      {[=](FsdpRank *rank) {
         fsdp_start(rank, start(rank, gather, data, data + 4, 1, 1));
       },
       {"fsdp_start: expected a token that is not started"}},
      {[=](FsdpRank *rank) { collective(rank, gather, data, data + 4, -1, 1); },
       {"buffer 0: expected sizes of at least 0, but got outer -1, inner 1"}},
      {[=](FsdpRank *rank) { collective(rank, gather, nullptr, data, 1, 1); },
       {"expected a source and a destination, but got null"}},
      {[=](FsdpRank *rank) { collective(rank, gather, data + 1, data, 1, 1); },
       {"expected a source apart from the destination"}},
      {[=](FsdpRank *rank) { start(rank, gather, data, data + 4, 1, 1); },
       {"expected a wait for every collective", "all-gather at \"here\""}},
      {[=](FsdpRank *rank) { open(rank, gather); },
       {"expected a wait for every collective"}}};
  for (const Wrong &wrong : wrongs) {
    World world(2, 0.5);
    world.group("g", {{0, 1}});
    std::vector<std::string> parts = wrong.parts;
    parts.push_back("rank 1: ");
    world.failWith(
        [&](FsdpRank *rank) {
          if (fsdp_rank_id(rank) == 1)
            wrong.step(rank);
        },
        parts);
  }
}

void wrongGroups() {
  struct Wrong {
    Classes classes;
    int64_t channels;
    const char *error;
  };
  for (const Wrong &wrong : std::vector<Wrong>{
           {{{0, 1}}, 1, "@g: expected 4 ranks, but got 1 classes of 2"},
           {{{0, 1}, {2, 4}}, 1, "@g: expected ranks below 4, but got 4"},
           {{{0, 1}, {2, 1}},
            1,
            "expected every rank once, but got rank 1 twi"},
           {{{0, 1, 2, 3}}, 0, "expected at least 1 channel, but got 0"}}) {
    World world(4);
    EXPECT(world.group("g", wrong.classes, wrong.channels) == -1);
    world.failWith([](FsdpRank *) { EXPECT(false); }, {wrong.error});
  }
  World late(2);
  EXPECT(late.group("g", {{0, 1}}) == 0);
  EXPECT(late.group("h", {{1, 0}}) == 1);
  late.pass([](FsdpRank *) {});
  EXPECT(std::string(fsdp_job_error(late.job)).empty());
  EXPECT(late.group("i", {{0}, {1}}) == -1);
  late.hasError({"expected all groups before the first run"});
  EXPECT(fsdp_job_create_threads(0, 1) == nullptr);
  EXPECT(fsdp_job_create_threads(1, 0) == nullptr);
  EXPECT(fsdp_job_create_threads(1, std::nan("")) == nullptr);
  fsdp_job_destroy(nullptr);
}

//===----------------------------------------------------------------------===//
// Traffic
//===----------------------------------------------------------------------===//

void traffic() {
  World world(6);
  int64_t group = world.group("g", permuted);
  int64_t self = world.group("self", {{0}, {1}, {2}, {3}, {4}, {5}});
  auto step = [&](FsdpRank *rank) {
    std::vector<double> in(100), out(100);
    for (int64_t g : {group, self}) {
      for (int kind = FSDP_ALL_GATHER; kind <= FSDP_PERMUTE; ++kind) {
        Call call = {static_cast<FsdpKind>(kind), g, FSDP_F64};
        if (kind == FSDP_REDUCE_SCATTER || kind == FSDP_ALL_REDUCE)
          call.reduction = FSDP_SUM;
        call.rootOrShift = kind == FSDP_PERMUTE ? 1 : 0;
        int64_t token = open(rank, call); // 10 elements of 8 bytes.
        fsdp_add(rank, token, in.data(), out.data(), 2, 3);
        fsdp_add(rank, token, in.data(), out.data() + 50, 1, 4);
        fsdp_start(rank, token);
        fsdp_wait(rank, token);
      }
    }
    // One byte: 2 * 2 / 3 rounds up to 2. And a shift that sends nothing.
    collective(rank, {FSDP_ALL_REDUCE, group, FSDP_I8, FSDP_SUM}, in.data(),
               out.data(), 1, 1);
    collective(rank, {FSDP_PERMUTE, group, FSDP_I8, FSDP_NONE, 3}, in.data(),
               out.data(), 1, 1);
  };
  // Payload and wire bytes by kind, for groups of 3 and of 1.
  const int64_t payload[2][6] = {{240, 240, 80, 240, 80, 80},
                                 {80, 80, 80, 80, 80, 80}};
  const int64_t wire[2][6] = {{160, 160, 107, 160, 80, 80}, {}};
  for (int64_t runs : {1, 2}) {
    for (int64_t run = 0; run < runs; ++run)
      world.pass(step);
    for (int64_t rank = 0; rank < 6; ++rank) {
      EXPECT(fsdp_rank_traffic_count(world.job, rank) == 14);
      FsdpTraffic entry = {};
      for (int64_t i = 0; i < 12; ++i) {
        EXPECT(fsdp_rank_traffic(world.job, rank, i, &entry) == FSDP_OK);
        EXPECT(entry.group == (i < 6 ? group : self));
        EXPECT(entry.kind == i % 6 && entry.dtype == FSDP_F64);
        EXPECT(entry.calls == runs && entry.buffers == 2 * runs);
        EXPECT(entry.payload_bytes == runs * payload[i / 6][i % 6]);
        EXPECT(entry.wire_bytes == runs * wire[i / 6][i % 6]);
      }
      fsdp_rank_traffic(world.job, rank, 12, &entry);
      EXPECT(entry.dtype == FSDP_I8 && entry.wire_bytes == 2 * runs);
      fsdp_rank_traffic(world.job, rank, 13, &entry);
      EXPECT(entry.payload_bytes == runs && entry.wire_bytes == 0);
      EXPECT(fsdp_rank_traffic(world.job, rank, 14, &entry) == FSDP_FAILED);
    }
    fsdp_job_reset_traffic(world.job);
    EXPECT(fsdp_rank_traffic_count(world.job, 0) == 0);
    EXPECT(fsdp_rank_traffic_count(world.job, 6) == 0);
  }
}

//===----------------------------------------------------------------------===//
// Products of matrices
//===----------------------------------------------------------------------===//

/// A product of dense matrices, each by rows or transposed.
FsdpGemm product(int64_t m, int64_t n, int64_t k, bool isLhsByRows = true,
                 bool isRhsByRows = true) {
  FsdpGemm gemm = {};
  gemm.dtype = gemm.result_dtype = FSDP_F32;
  gemm.m = m, gemm.n = n, gemm.k = k;
  gemm.lhs_m = isLhsByRows ? k : 1, gemm.lhs_k = isLhsByRows ? 1 : m;
  gemm.rhs_k = isRhsByRows ? n : 1, gemm.rhs_n = isRhsByRows ? 1 : k;
  gemm.result_m = n;
  return gemm;
}

/// A loop around a product, with a stride for each of lhs, rhs and result.
struct Loop {
  int64_t size, lhs, rhs, result;
};

/// `gemm` with loops around it, the outermost first.
FsdpGemm within(FsdpGemm gemm, const std::vector<Loop> &loops) {
  for (const Loop &loop : loops) {
    gemm.size[gemm.loops] = loop.size;
    gemm.lhs_stride[gemm.loops] = loop.lhs;
    gemm.rhs_stride[gemm.loops] = loop.rhs;
    gemm.result_stride[gemm.loops++] = loop.result;
  }
  return gemm;
}

/// `gemm` with other dtypes.
FsdpGemm typed(FsdpGemm gemm, FsdpDtype dtype, FsdpDtype result) {
  gemm.dtype = dtype, gemm.result_dtype = result;
  return gemm;
}

/// `gemm`, added to what is there.
FsdpGemm added(FsdpGemm gemm) {
  gemm.accumulate = 1;
  return gemm;
}

/// Numbers as they are stored: f32, or the upper half of it.
struct Numbers {
  Numbers(int64_t type, const std::vector<float> &values)
      : dtype(type), wide(values) {
    for (float value : values) {
      uint32_t bits;
      std::memcpy(&bits, &value, sizeof(bits));
      narrow.push_back(static_cast<uint16_t>(bits >> 16));
    }
  }
  void *data() {
    return dtype == FSDP_F32 ? static_cast<void *>(wide.data()) : narrow.data();
  }
  float operator[](int64_t i) const {
    if (dtype == FSDP_F32)
      return wide[i];
    uint32_t bits = static_cast<uint32_t>(narrow[i]) << 16;
    float value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  int64_t dtype;
  std::vector<float> wide;
  std::vector<uint16_t> narrow;
};

/// How many elements an operand has from its first to its last.
int64_t span(const FsdpGemm &gemm, int64_t rows, int64_t rowStride,
             int64_t columns, int64_t columnStride, const int64_t *strides) {
  int64_t last = (rows - 1) * rowStride + (columns - 1) * columnStride;
  for (int64_t i = 0; i < gemm.loops; ++i)
    last += (gemm.size[i] - 1) * strides[i];
  return std::max<int64_t>(last + 1, 1);
}

/// Calls `body` with where each operand begins, for all positions of the loops.
void forPositions(const FsdpGemm &gemm, int64_t loop, int64_t lhs, int64_t rhs,
                  int64_t result,
                  const std::function<void(int64_t, int64_t, int64_t)> &body) {
  if (loop == gemm.loops)
    return body(lhs, rhs, result);
  for (int64_t i = 0; i < gemm.size[loop]; ++i)
    forPositions(gemm, loop + 1, lhs + i * gemm.lhs_stride[loop],
                 rhs + i * gemm.rhs_stride[loop],
                 result + i * gemm.result_stride[loop], body);
}

/// What is wanted of a product: a plain loop over everything.
std::vector<float> multiplied(FsdpGemm gemm, const std::vector<float> &lhs,
                              const std::vector<float> &rhs,
                              std::vector<float> result) {
  auto forElements = [&](const FsdpGemm &shape, const auto &body) {
    forPositions(shape, 0, 0, 0, 0, [&](int64_t a, int64_t b, int64_t c) {
      for (int64_t i = 0; i < shape.m; ++i)
        for (int64_t j = 0; j < shape.n; ++j)
          body(a + i * shape.lhs_m, b + j * shape.rhs_n,
               result[c + i * shape.result_m + j]);
    });
  };
  FsdpGemm once = gemm; // A sum over nothing is 0.
  for (int64_t i = 0; i < gemm.loops; ++i)
    if (gemm.result_stride[i] == 0)
      once.size[i] = 1;
  if (!gemm.accumulate)
    forElements(once, [](int64_t, int64_t, float &at) { at = 0; });
  forElements(gemm, [&](int64_t a, int64_t b, float &at) {
    for (int64_t k = 0; k < gemm.k; ++k)
      at += lhs[a + k * gemm.lhs_k] * rhs[b + k * gemm.rhs_k];
  });
  return result;
}

/// Computes `gemm` on small integers, whose sums are exact, and compares the
/// whole buffer of the result: between its rows nothing may change.
void checkProduct(FsdpRank *rank, const FsdpGemm &gemm) {
  auto fill = [](int64_t count, int64_t factor, int64_t values) {
    std::vector<float> filled;
    for (int64_t i = 0; i < count; ++i)
      filled.push_back(static_cast<float>(i * factor % values - values / 2));
    return filled;
  };
  std::vector<float> lhs =
      fill(span(gemm, gemm.m, gemm.lhs_m, gemm.k, gemm.lhs_k, gemm.lhs_stride),
           3, 5);
  std::vector<float> rhs =
      fill(span(gemm, gemm.k, gemm.rhs_k, gemm.n, gemm.rhs_n, gemm.rhs_stride),
           4, 7);
  std::vector<float> result = fill(
      span(gemm, gemm.m, gemm.result_m, gemm.n, 1, gemm.result_stride), 7, 9);
  Numbers a(gemm.dtype, lhs), b(gemm.dtype, rhs), c(gemm.result_dtype, result);
  fsdp_gemm(rank, &gemm, gemm.k ? a.data() : nullptr,
            gemm.k ? b.data() : nullptr, c.data());
  std::vector<float> wants = multiplied(gemm, lhs, rhs, result);
  int64_t wrong = 0;
  for (size_t i = 0; i < wants.size(); ++i)
    wrong += c[static_cast<int64_t>(i)] != wants[i];
  if (wrong == 0)
    return;
  caseFailed = true;
  std::fprintf(
      stderr,
      "%lld of %zu elements are wrong: m %lld n %lld k %lld, lhs %lld "
      "%lld, rhs %lld %lld, %lld loops, accumulate %lld, dtypes %lld "
      "%lld\n",
      static_cast<long long>(wrong), wants.size(),
      static_cast<long long>(gemm.m), static_cast<long long>(gemm.n),
      static_cast<long long>(gemm.k), static_cast<long long>(gemm.lhs_m),
      static_cast<long long>(gemm.lhs_k), static_cast<long long>(gemm.rhs_k),
      static_cast<long long>(gemm.rhs_n), static_cast<long long>(gemm.loops),
      static_cast<long long>(gemm.accumulate),
      static_cast<long long>(gemm.dtype),
      static_cast<long long>(gemm.result_dtype));
}

/// Why no product of `dtype` can be computed here, or "".
std::string whyMissing(int64_t dtype) {
  if (!fsdp_has_gemm())
    return "expected a runtime with oneDNN, but it was built without";
  bool hasBF16 = !std::getenv("ONEDNN_MAX_CPU_ISA");
#ifdef __x86_64__
  hasBF16 = hasBF16 && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl") &&
            __builtin_cpu_supports("avx512dq");
#endif
  return dtype == FSDP_F32 || hasBF16
             ? ""
             : "expected a product of bf16 by oneDNN, but got: ";
}

/// Computes all of `products` on two ranks of one, two and three threads, or
/// just the first, where that must fail.
void checkProducts(const std::vector<FsdpGemm> &products) {
  std::string error = whyMissing(products[0].dtype);
  if (!error.empty()) {
    World world(2);
    return world.failWith(
        [&](FsdpRank *rank) {
          float number = 7;
          fsdp_gemm(rank, &products[0], &number, &number, &number);
          EXPECT(number == 7);
        },
        {": fsdp_gemm: ", error});
  }
  for (int64_t threads : {1, 2, 3}) {
    World world(2);
    EXPECT(fsdp_job_set_threads(world.job, threads) == FSDP_OK);
    world.pass([&](FsdpRank *rank) {
      for (const FsdpGemm &gemm : products)
        checkProduct(rank, gemm);
    });
  }
}

/// Every layout of `m` by `k` times `k` by `n`, dense and with gaps between
/// rows, with and without what is there.
std::vector<FsdpGemm> layouts(int64_t m, int64_t n, int64_t k) {
  std::vector<FsdpGemm> all;
  for (int layout = 0; layout < 4; ++layout)
    for (int64_t gap : {0, 3}) {
      FsdpGemm gemm = product(m, n, k, layout & 1, layout & 2);
      (layout & 1 ? gemm.lhs_m : gemm.lhs_k) += gap;
      (layout & 2 ? gemm.rhs_k : gemm.rhs_n) += gap;
      gemm.result_m += gap;
      all.push_back(gemm);
      all.push_back(added(gemm));
    }
  return all;
}

/// `products` as they are in bf16, with a result in f32 and in bf16.
std::vector<FsdpGemm> inBF16(const std::vector<FsdpGemm> &products) {
  std::vector<FsdpGemm> all;
  for (FsdpDtype result : {FSDP_F32, FSDP_BF16})
    for (const FsdpGemm &gemm : products)
      all.push_back(typed(gemm, FSDP_BF16, result));
  return all;
}

/// Products without loops, small and odd, empty ones included.
std::vector<FsdpGemm> plainProducts() {
  std::vector<FsdpGemm> all;
  for (const std::vector<int64_t> &size :
       std::vector<std::vector<int64_t>>{{1, 1, 1},
                                         {3, 5, 7},
                                         {17, 1, 33},
                                         {1, 19, 2},
                                         {1, 1, 21},
                                         {31, 33, 1},
                                         {64, 48, 40},
                                         {2, 3, 0},
                                         {0, 4, 3},
                                         {4, 0, 3}}) {
    std::vector<FsdpGemm> some = layouts(size[0], size[1], size[2]);
    all.insert(all.end(), some.begin(), some.end());
  }
  // Both strides of a row or of a column may be 1.
  FsdpGemm row = product(1, 5, 7), column = product(5, 1, 7, true, false);
  row.lhs_m = column.rhs_n = 1;
  all.push_back(row);
  all.push_back(column);
  return all;
}

/// Products with loops that move the result, sum, or do not move an operand.
std::vector<FsdpGemm> loopedProducts() {
  FsdpGemm gemm = product(3, 5, 4);
  std::vector<FsdpGemm> all;
  for (const std::vector<Loop> &loops : std::vector<std::vector<Loop>>{
           {{7, 12, 20, 15}},                 // a batch
           {{7, 12, 0, 15}},                  // one rhs
           {{3, 12, 20, 0}},                  // a sum
           {{5, 36, 60, 15}, {3, 12, 20, 0}}, // within a batch
           {{3, 12, 20, 0}, {5, 36, 60, 15}}, // around it
           {{2, 96, 0, 120}, {2, 0, 80, 60}, {2, 12, 20, 0}, {3, 24, 40, 15}},
           {{1, 12, 20, 15}},
           {{0, 12, 20, 15}},
           {{0, 12, 20, 0}}, // an empty sum
           {{4, 12, 20, 15}, {0, 12, 20, 0}}}) {
    all.push_back(within(gemm, loops));
    all.push_back(added(within(gemm, loops)));
  }
  all.push_back(within(product(3, 5, 0), {{4, 0, 0, 15}}));
  return all;
}

/// Products in f32.
void gemmF32() {
  checkProducts(plainProducts());
  checkProducts({product(200, 150, 300), product(150, 200, 300, false, false)});
}

/// Loops around products.
void gemmLoops() { checkProducts(loopedProducts()); }

/// Sums are formed in f32 and rounded once: those that bf16 would lose
/// one by one are there, however the sum is split.
void gemmBF16() {
  checkProducts(inBF16(plainProducts()));
  checkProducts(inBF16(loopedProducts()));
  checkProducts({typed(product(200, 150, 300), FSDP_BF16, FSDP_F32)});
  if (!whyMissing(FSDP_BF16).empty())
    return;
  FsdpGemm one = typed(product(1, 1, 3), FSDP_BF16, FSDP_BF16);
  FsdpGemm three =
      within(typed(product(1, 1, 1), FSDP_BF16, FSDP_BF16), {{3, 1, 1, 0}});
  struct Sum {
    std::vector<float> terms;
    float before, alone, added;
  };
  World world(1);
  world.pass([&](FsdpRank *rank) {
    for (const FsdpGemm &gemm : {one, three, added(one), added(three)})
      for (const Sum &sum : std::vector<Sum>{{{256, 1, 1}, 0, 258, 258},
                                             {{256, 1, 2}, 0, 260, 260},
                                             {{256, 1, 0}, 0, 256, 256},
                                             {{1, 1, 0}, 256, 2, 258}}) {
        Numbers lhs(FSDP_BF16, sum.terms), rhs(FSDP_BF16, {1, 1, 1}),
            result(FSDP_BF16, {sum.before});
        fsdp_gemm(rank, &gemm, lhs.data(), rhs.data(), result.data());
        EXPECT(result[0] == (gemm.accumulate ? sum.added : sum.alone));
      }
  });
}

/// Wrong products are errors with the rank and the value, and write nothing.
void gemmErrors() {
  struct Wrong {
    FsdpGemm gemm;
    const char *error;
  };
  auto with = [](auto change) {
    FsdpGemm gemm = product(3, 5, 7);
    change(gemm);
    return gemm;
  };
  std::vector<Wrong> wrongs = {
      {typed(product(3, 5, 7), FSDP_F32, FSDP_BF16),
       "expected dtypes f32 to f32, bf16 to f32 or bf16 to bf16, but got 2 to "
       "1"},
      {typed(product(3, 5, 7), FSDP_F64, FSDP_F64), "but got 3 to 3"},
      {typed(product(3, 5, 7), FSDP_BF16, FSDP_I8), "but got 1 to 4"},
      {with([](FsdpGemm &g) { g.accumulate = 2; }),
       "expected accumulate to be 0 or 1, but got 2"},
      {with([](FsdpGemm &g) { g.m = -1; }),
       "expected sizes of at least 0, but got m -1, n 5, k 7"},
      {with([](FsdpGemm &g) { g.n = -2; }), "but got m 3, n -2, k 7"},
      {with([](FsdpGemm &g) { g.k = -3; }), "but got m 3, n 5, k -3"},
      {with([](FsdpGemm &g) { g.loops = FSDP_GEMM_LOOPS + 1; }),
       "expected 0 to 4 loops, but got 5"},
      {with([](FsdpGemm &g) { g.loops = -1; }), "but got -1"},
      {within(product(3, 5, 7), {{2, 21, 35, 15}, {-1, 0, 0, 0}}),
       "expected sizes of at least 0, but got loop 1 of -1"},
      {with([](FsdpGemm &g) { g.lhs_k = 2; }),
       "expected a stride of 1 in lhs, but got 7 and 2"},
      {with([](FsdpGemm &g) { g.rhs_n = 0; }),
       "expected a stride of 1 in rhs, but got 5 and 0"},
      {with([](FsdpGemm &g) { g.lhs_m = 6; }),
       "expected rows of lhs at least 7 elements apart, but got 6"},
      {with([](FsdpGemm &g) { g.rhs_k = 1, g.rhs_n = 6; }),
       "expected rows of rhs at least 7 elements apart, but got 6"},
      {with([](FsdpGemm &g) { g.result_m = 4; }),
       "expected rows of the result at least 5 elements apart, but got 4"}};
  float lhs[42] = {1}, rhs[70] = {1}, result[30] = {7};
  auto check = [&](const FsdpGemm *gemm, const void *left, void *out,
                   const char *error) {
    World world(2);
    world.failWith(
        [&](FsdpRank *rank) {
          if (fsdp_rank_id(rank) == 1)
            fsdp_gemm(rank, gemm, left, rhs, out);
        },
        {"rank 1: fsdp_gemm: ",
         fsdp_has_gemm() || !gemm ? error : "expected a runtime with oneDNN"});
    EXPECT(result[0] == 7);
    EXPECT(fsdp_rank_product_count(world.job, 1) == 0);
  };
  for (const Wrong &wrong : wrongs)
    check(&wrong.gemm, lhs, result, wrong.error);
  FsdpGemm right = product(3, 5, 7);
  check(nullptr, lhs, result, "expected a product, but got null");
  check(&right, nullptr, result, "expected lhs, rhs and result, but got null");
  check(&right, lhs, nullptr, "expected lhs, rhs and result, but got null");
}

/// After an error nothing is computed.
void computeAfterError() {
  World world(1);
  world.failWith(
      [](FsdpRank *rank) {
        FsdpGemm gemm = product(1, 1, 1);
        float lhs = 2, rhs = 3, result = 7;
        fsdp_rank_fail(rank, "stop");
        fsdp_gemm(rank, &gemm, &lhs, &rhs, &result);
        fsdp_gemm(rank, nullptr, nullptr, nullptr, nullptr);
        EXPECT(result == 7);
        auto never = [](void *, int64_t, int64_t) { EXPECT(false); };
        fsdp_parallel(rank, 3, never, nullptr);
        fsdp_parallel(rank, -1, nullptr, nullptr);
      },
      {"rank 0: stop"});
}

/// What a rank has computed is counted by product, until it is dropped.
void products() {
  World world(2);
  FsdpGemm first = product(3, 5, 7), second = added(first);
  float lhs[21] = {}, rhs[35] = {};
  FsdpProduct entry = {};
  for (int64_t runs : {1, 2}) {
    bool isOk = world.run([&](FsdpRank *rank) {
      float result[15] = {};
      for (int64_t i = 0; i < 3 * runs; ++i)
        fsdp_gemm(rank, i % 3 == 0 ? &first : &second, lhs, rhs, result);
      if (fsdp_rank_id(rank) == 1)
        fsdp_gemm(rank, &first, lhs, rhs, result);
    });
    EXPECT(isOk == (fsdp_has_gemm() == 1));
    for (int64_t rank : {0, 1}) {
      EXPECT(fsdp_rank_product_count(world.job, rank) == 2 * fsdp_has_gemm());
      for (int64_t i = 0; i < 2 * fsdp_has_gemm(); ++i) {
        EXPECT(fsdp_rank_product(world.job, rank, i, &entry) == FSDP_OK);
        EXPECT(entry.gemm.m == 3 && entry.gemm.n == 5 && entry.gemm.k == 7);
        EXPECT(entry.calls == (entry.gemm.accumulate ? 2 * runs : runs + rank));
        EXPECT(entry.seconds >= 0 && entry.seconds < 60);
      }
      entry.calls = -1;
      for (int64_t i : {-1, 2})
        EXPECT(fsdp_rank_product(world.job, rank, i, &entry) == FSDP_FAILED);
      EXPECT(entry.calls == -1);
    }
    for (int64_t rank : {-1, 2}) {
      EXPECT(fsdp_rank_product_count(world.job, rank) == 0);
      EXPECT(fsdp_rank_product(world.job, rank, 0, &entry) == FSDP_FAILED);
    }
    fsdp_job_reset_products(world.job);
    EXPECT(fsdp_rank_product_count(world.job, 0) == 0);
  }
}

//===----------------------------------------------------------------------===//
// Threads of a rank
//===----------------------------------------------------------------------===//

/// What the ranges of a loop have been.
struct Ranges {
  std::mutex mutex;
  std::vector<int> covered;
  std::set<std::thread::id> threads;
  int64_t calls = 0;
};

/// Every index is in one range, whatever the number of threads; each has one.
void parallel() {
  auto body = [](void *context, int64_t begin, int64_t end) {
    auto &ranges = *static_cast<Ranges *>(context);
    EXPECT(0 <= begin && begin < end &&
           end <= static_cast<int64_t>(ranges.covered.size()));
    for (int64_t i = begin; i < end; ++i)
      ++ranges.covered[i];
    std::lock_guard<std::mutex> lock(ranges.mutex);
    ranges.threads.insert(std::this_thread::get_id());
    ++ranges.calls;
  };
  for (int64_t threads : {1, 2, 3, 8}) {
    if (threads > 1 && !fsdp_has_gemm())
      break;
    World world(2);
    EXPECT(fsdp_job_set_threads(world.job, threads) == FSDP_OK);
    world.pass([&](FsdpRank *rank) {
      for (int64_t count : {0, 1, 2, 3, 7, 8, 9, 1000}) {
        Ranges ranges;
        ranges.covered.assign(count, 0);
        fsdp_parallel(rank, count, body, &ranges);
        for (int covered : ranges.covered)
          EXPECT(covered == 1);
        EXPECT(ranges.calls == std::min(count, threads));
        EXPECT(static_cast<int64_t>(ranges.threads.size()) == ranges.calls);
      }
    });
  }
}

/// Wrong loops are errors with the rank and the value, and call nothing.
void parallelErrors() {
  using Body = void (*)(void *, int64_t, int64_t);
  Body never = [](void *, int64_t, int64_t) { EXPECT(false); };
  auto check = [](int64_t count, Body body, const char *error) {
    World world(2);
    world.failWith(
        [&](FsdpRank *rank) {
          if (fsdp_rank_id(rank) == 1)
            fsdp_parallel(rank, count, body, nullptr);
        },
        {"rank 1: fsdp_parallel: ", error});
  };
  check(-1, never, "expected a count of at least 0, but got -1");
  check(2, nullptr, "expected a body, but got null");
}

/// Numbers of threads that a rank can have, and that it cannot.
void setThreads() {
  struct Wrong {
    int64_t threads;
    const char *error;
  };
  const bool has = fsdp_has_gemm();
  for (const Wrong &wrong : std::vector<Wrong>{
           {0, "expected at least 1 thread for each rank, but got 0"},
           {-3, "expected at least 1 thread for each rank, but got -3"},
           {1025, has ? "expected at most 1024 threads for each rank, but got "
                        "1025"
                      : "expected 1 thread for each rank without oneDNN, but "
                        "got 1025"},
           {int64_t(1) << 40, "but got 1099511627776"}}) {
    World world(2);
    EXPECT(fsdp_job_set_threads(world.job, wrong.threads) == FSDP_FAILED);
    world.failWith([](FsdpRank *) { EXPECT(false); }, {wrong.error});
    EXPECT(fsdp_job_set_threads(world.job, 1) == FSDP_FAILED);
    world.hasError({wrong.error});
  }
  World world(2);
  for (int64_t threads : {1, 2, 1024, 1})
    if (threads == 1 || has) {
      EXPECT(fsdp_job_set_threads(world.job, threads) == FSDP_OK);
      world.pass([](FsdpRank *) {});
    }
}

void version() { EXPECT(fsdp_runtime_version() == FSDP_RUNTIME_VERSION); }

struct Case {
  const char *name;
  void (*run)();
};

const Case cases[] = {{"version", version},
                      {"all-gather", allGather},
                      {"reduce-scatter", reduceScatter},
                      {"all-reduce", allReduce},
                      {"all-reduce-in-place", allReduceInPlace},
                      {"all-to-all", allToAll},
                      {"broadcast", broadcast},
                      {"permute", permute},
                      {"dtype-f16", dtypeF16},
                      {"dtype-bf16", dtypeBF16},
                      {"dtype-f32-f64", dtypeF32F64},
                      {"dtype-integers", dtypeIntegers},
                      {"two-channels", twoChannels},
                      {"any-wait-order", anyWaitOrder},
                      {"many-steps", manySteps},
                      {"mismatches", mismatches},
                      {"opposite-order", oppositeOrder},
                      {"timeout-names-missing", timeoutNamesMissing},
                      {"sticky-failure", stickyFailure},
                      {"failure-race", failureRace},
                      {"wrong-arguments", wrongArguments},
                      {"wrong-groups", wrongGroups},
                      {"traffic", traffic},
                      {"gemm-f32", gemmF32},
                      {"gemm-loops", gemmLoops},
                      {"gemm-bf16", gemmBF16},
                      {"gemm-errors", gemmErrors},
                      {"compute-after-error", computeAfterError},
                      {"products", products},
                      {"parallel", parallel},
                      {"parallel-errors", parallelErrors},
                      {"set-threads", setThreads}};

} // namespace

int main(int argc, char **argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  bool allOk = true;
  size_t ran = 0;
  for (const Case &test : cases) {
    if (!names.empty() &&
        std::find(names.begin(), names.end(), test.name) == names.end())
      continue;
    ++ran;
    caseFailed = false;
    test.run();
    allOk = allOk && !caseFailed;
    std::printf("%s %s\n", caseFailed ? "FAILED" : "ok", test.name);
    std::fflush(stdout);
  }
  if (!names.empty() && ran != names.size()) {
    std::fprintf(stderr, "expected names of cases, but got another\n");
    return 1;
  }
  return allOk ? 0 : 1;
}
