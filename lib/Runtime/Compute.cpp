//===- Compute.cpp - Copies and reductions of collectives -----------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// What a collective does to memory, for back ends that can read the buffers of
// all members. The work is cut into one item per member, so that members can
// share it; reductions run in index order, whoever does the item.
//
//===----------------------------------------------------------------------===//

#include "fsdp/Runtime/Backend.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

using namespace fsdp::rt;

//===----------------------------------------------------------------------===//
// Half precision
//===----------------------------------------------------------------------===//

/// Reinterprets the bits of a value of the same size.
template <typename To, typename From> static To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

namespace {
/// A dtype that is its own accumulator. Integers are added as unsigned numbers,
/// which wrap.
template <typename T> struct Plain {
  using Storage = T;
  using Accumulator = T;
  static T load(T value) { return value; }
  static T store(T value) { return value; }
  static T add(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Unsigned>(a) +
                            static_cast<Unsigned>(b));
    } else {
      return a + b;
    }
  }
};

/// A dtype of 16 bits that accumulates in f32.
struct Half {
  using Storage = uint16_t;
  using Accumulator = float;
  static float add(float a, float b) { return a + b; }
};

/// IEEE half precision: 1 + 5 + 10 bits.
struct F16 : Half {
  static float load(uint16_t half) {
    uint32_t sign = (half & 0x8000u) << 16;
    uint32_t exponent = (half >> 10) & 0x1fu;
    uint32_t mantissa = half & 0x3ffu;
    if (exponent == 0) // Zero or subnormal: a multiple of 2^-24.
      return (sign ? -1.0f : 1.0f) * (static_cast<float>(mantissa) * 0x1p-24f);
    exponent = exponent == 31 ? 255 : exponent + 112;
    return bitCast<float>(sign | (exponent << 23) | (mantissa << 13));
  }

  static uint16_t store(float value) {
    uint32_t bits = bitCast<uint32_t>(value);
    uint32_t sign = (bits >> 16) & 0x8000u;
    bits &= 0x7fffffffu;
    uint32_t half;
    if (bits > 0x7f800000u) // NaN.
      half = 0x7e00u;
    else if (bits >= 0x477ff000u) // From 65520 on: infinity.
      half = 0x7c00u;
    else if (bits < 0x38800000u) // Below 2^-14: the adder of 0.5 rounds.
      half = bitCast<uint32_t>(bitCast<float>(bits) + 0.5f) - 0x3f000000u;
    else
      half = (bits - 0x38000000u + 0xfffu + ((bits >> 13) & 1u)) >> 13;
    return static_cast<uint16_t>(sign | half);
  }
};

/// The upper half of an f32.
struct BF16 : Half {
  static float load(uint16_t half) {
    return bitCast<float>(static_cast<uint32_t>(half) << 16);
  }

  static uint16_t store(float value) {
    uint32_t bits = bitCast<uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) // NaN stays NaN.
      return static_cast<uint16_t>((bits >> 16) | 0x40u);
    return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

namespace {
/// `count` elements from `sourceOffset` in each source are reduced, and stored
/// from `destinationOffset` in each destination. Offsets are in elements.
struct Reduce {
  std::vector<const void *> sources;
  std::vector<void *> destinations;
  int64_t sourceOffset, destinationOffset, count;
};
} // namespace

/// Reduces by `combine`, a block at a time: all sources of a block are read
/// before a destination is written, so that they may be the same memory.
template <typename Dtype, typename Combine>
static void reduceBy(const Reduce &reduce, Combine combine) {
  using Storage = typename Dtype::Storage;
  constexpr int64_t blockSize = 1024;
  typename Dtype::Accumulator sums[blockSize];
  Storage results[blockSize];
  for (int64_t begin = 0; begin < reduce.count; begin += blockSize) {
    int64_t size = std::min(blockSize, reduce.count - begin);
    for (size_t i = 0; i < reduce.sources.size(); ++i) {
      const Storage *source = static_cast<const Storage *>(reduce.sources[i]) +
                              reduce.sourceOffset + begin;
      if (i == 0)
        for (int64_t k = 0; k < size; ++k)
          sums[k] = Dtype::load(source[k]);
      else
        for (int64_t k = 0; k < size; ++k)
          sums[k] = combine(sums[k], Dtype::load(source[k]));
    }
    for (int64_t k = 0; k < size; ++k)
      results[k] = Dtype::store(sums[k]);
    for (void *destination : reduce.destinations)
      std::memcpy(static_cast<Storage *>(destination) +
                      reduce.destinationOffset + begin,
                  results, size * sizeof(Storage));
  }
}

/// Chooses the operation. A NaN on either side of a maximum or minimum stays.
template <typename Dtype>
static void reduceAs(FsdpReduction reduction, const Reduce &reduce) {
  using T = typename Dtype::Accumulator;
  switch (reduction) {
  case FSDP_SUM:
    return reduceBy<Dtype>(reduce, [](T a, T b) { return Dtype::add(a, b); });
  case FSDP_MAX:
    return reduceBy<Dtype>(reduce,
                           [](T a, T b) { return a != a || a > b ? a : b; });
  case FSDP_MIN:
    return reduceBy<Dtype>(reduce,
                           [](T a, T b) { return a != a || a < b ? a : b; });
  case FSDP_NONE:
    return;
  }
}

/// Chooses the dtype.
static void reduceAny(FsdpDtype dtype, FsdpReduction reduction,
                      const Reduce &reduce) {
  switch (dtype) {
  case FSDP_F16:
    return reduceAs<F16>(reduction, reduce);
  case FSDP_BF16:
    return reduceAs<BF16>(reduction, reduce);
  case FSDP_F32:
    return reduceAs<Plain<float>>(reduction, reduce);
  case FSDP_F64:
    return reduceAs<Plain<double>>(reduction, reduce);
  case FSDP_I8:
    return reduceAs<Plain<int8_t>>(reduction, reduce);
  case FSDP_I32:
    return reduceAs<Plain<int32_t>>(reduction, reduce);
  case FSDP_I64:
    return reduceAs<Plain<int64_t>>(reduction, reduce);
  }
}

//===----------------------------------------------------------------------===//
// Collectives
//===----------------------------------------------------------------------===//

/// Does item `item` for the buffer at `position` of each member's bucket.
static void computeBuffer(const std::vector<const Collective *> &members,
                          int64_t item, size_t position) {
  const Collective &mine = *members[item];
  const Buffer &buffer = mine.buffers[position];
  int64_t size = mine.group->size, outer = buffer.outer, inner = buffer.inner;
  int64_t count = buffer.count();
  if (count == 0)
    return;

  int64_t width = sizeOf(mine.dtype);
  // Copies elements of `from`'s source to this item's destination.
  auto copy = [&](int64_t destinationOffset, int64_t from, int64_t sourceOffset,
                  int64_t elements) {
    const void *source = members[from]->buffers[position].source;
    std::memcpy(static_cast<char *>(buffer.destination) +
                    destinationOffset * width,
                static_cast<const char *>(source) + sourceOffset * width,
                elements * width);
  };

  switch (mine.kind) {
  case FSDP_ALL_GATHER:
    for (int64_t i = 0; i < size; ++i)
      for (int64_t o = 0; o < outer; ++o)
        copy((o * size + i) * inner, i, o * inner, inner);
    return;
  case FSDP_ALL_TO_ALL:
    for (int64_t i = 0; i < size; ++i)
      copy(i * count, i, item * count, count);
    return;
  case FSDP_BROADCAST:
    return copy(0, mine.rootOrShift, 0, count);
  case FSDP_PERMUTE: {
    int64_t shift = mine.rootOrShift % size; // In (-size, size).
    return copy(0, (item - shift + size) % size, 0, count);
  }
  case FSDP_REDUCE_SCATTER:
  case FSDP_ALL_REDUCE:
    break;
  }

  Reduce reduce = {};
  for (const Collective *member : members)
    reduce.sources.push_back(member->buffers[position].source);
  if (mine.kind == FSDP_ALL_REDUCE) {
    for (const Collective *member : members)
      reduce.destinations.push_back(member->buffers[position].destination);
    int64_t begin = count * item / size;
    reduce.sourceOffset = reduce.destinationOffset = begin;
    reduce.count = count * (item + 1) / size - begin;
    return reduceAny(mine.dtype, mine.reduction, reduce);
  }
  reduce.destinations.push_back(buffer.destination);
  reduce.count = inner;
  for (int64_t o = 0; o < outer; ++o) {
    reduce.sourceOffset = (o * size + item) * inner;
    reduce.destinationOffset = o * inner;
    reduceAny(mine.dtype, mine.reduction, reduce);
  }
}

void fsdp::rt::computeItem(const std::vector<const Collective *> &members,
                           int64_t item) {
  for (size_t i = 0; i < members[item]->buffers.size(); ++i)
    computeBuffer(members, item, i);
}
