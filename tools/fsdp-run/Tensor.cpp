//===- Tensor.cpp - Values of arguments and results on the host -----------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Element access with correct rounding for every type, and block copies for
// shards.
//
//===----------------------------------------------------------------------===//

#include "Tensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

using namespace llvm;

namespace fsdp::run {

namespace {
struct DtypeInfo {
  Dtype dtype;
  int64_t bytes;
  const char *mlirName, *fileName;
};
} // namespace

/// In the order of the enumeration.
static constexpr DtypeInfo dtypes[] = {
    {Dtype::F16, 2, "f16", "F16"}, {Dtype::BF16, 2, "bf16", "BF16"},
    {Dtype::F32, 4, "f32", "F32"}, {Dtype::F64, 8, "f64", "F64"},
    {Dtype::I1, 1, "i1", "BOOL"},  {Dtype::I8, 1, "i8", "I8"},
    {Dtype::I32, 4, "i32", "I32"}, {Dtype::I64, 8, "i64", "I64"}};

static const DtypeInfo &info(Dtype dtype) {
  return dtypes[static_cast<size_t>(dtype)];
}

int64_t byteSize(Dtype dtype) { return info(dtype).bytes; }

bool isFloat(Dtype dtype) { return dtype <= Dtype::F64; }

StringRef fileName(Dtype dtype) { return info(dtype).fileName; }

std::optional<Dtype> parseFileName(StringRef name) {
  for (const DtypeInfo &entry : dtypes)
    if (name == entry.fileName)
      return entry.dtype;
  return std::nullopt;
}

std::string describe(Dtype dtype, ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t size : shape)
    text += itostr(size) + "x";
  return text + info(dtype).mlirName;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The least exponent of a normal number of a 16-bit float with `mantissa`
/// bits: 10 for f16, 7 for bf16.
template <int mantissa>
static constexpr int minExponent = 2 - (1 << (14 - mantissa));

/// Rounds to a 16-bit float, to nearest, ties to even. With the value counted
/// in units of its last place, the code is that count plus the exponent above
/// it, for normal and subnormal numbers alike; a carry moves to the exponent.
template <int mantissa> static uint16_t encode(double value) {
  constexpr int infinity = 0x7fff >> mantissa << mantissa;
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value))
    return sign | infinity | 1 << (mantissa - 1);
  if (std::isinf(value))
    return sign | infinity;
  double size = std::fabs(value);
  int exponent = std::max(std::ilogb(size), minExponent<mantissa>);
  double code = std::nearbyint(std::ldexp(size, mantissa - exponent)) +
                std::ldexp(exponent - minExponent<mantissa>, mantissa);
  return sign | static_cast<uint16_t>(std::min<double>(code, infinity));
}

/// The value of a 16-bit float.
template <int mantissa> static double decode(uint16_t code) {
  int exponent = (code & 0x7fff) >> mantissa;
  int fraction = code & ((1 << mantissa) - 1);
  double size;
  if (exponent == 0x7fff >> mantissa)
    size = fraction ? std::numeric_limits<double>::quiet_NaN()
                    : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    size = std::ldexp(fraction, minExponent<mantissa> - mantissa);
  else
    size = std::ldexp(fraction | 1 << mantissa,
                      exponent - 1 + minExponent<mantissa> - mantissa);
  return code & 0x8000 ? -size : size;
}

/// Drops the fraction and saturates; NaN is 0.
template <typename T> static T toInteger(double value) {
  constexpr double low = std::numeric_limits<T>::min();
  if (std::isnan(value))
    return 0;
  if (value < low)
    return std::numeric_limits<T>::min();
  if (value >= -low)
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

double Tensor::get(int64_t i) const {
  switch (dtype) {
  case Dtype::F16:
    return decode<10>(data<uint16_t>()[i]);
  case Dtype::BF16:
    return decode<7>(data<uint16_t>()[i]);
  case Dtype::F32:
    return data<float>()[i];
  case Dtype::F64:
    return data<double>()[i];
  default:
    return static_cast<double>(getInt(i));
  }
}

int64_t Tensor::getInt(int64_t i) const {
  switch (dtype) {
  case Dtype::I1:
    return bytes[i] != 0;
  case Dtype::I8:
    return data<int8_t>()[i];
  case Dtype::I32:
    return data<int32_t>()[i];
  case Dtype::I64:
    return data<int64_t>()[i];
  default:
    return toInteger<int64_t>(get(i));
  }
}

void Tensor::set(int64_t i, double value) {
  switch (dtype) {
  case Dtype::F16:
    data<uint16_t>()[i] = encode<10>(value);
    return;
  case Dtype::BF16:
    data<uint16_t>()[i] = encode<7>(value);
    return;
  case Dtype::F32:
    data<float>()[i] = static_cast<float>(value);
    return;
  case Dtype::F64:
    data<double>()[i] = value;
    return;
  case Dtype::I1:
    bytes[i] = value != 0 ? 1 : 0;
    return;
  case Dtype::I8:
    data<int8_t>()[i] = toInteger<int8_t>(value);
    return;
  case Dtype::I32:
    data<int32_t>()[i] = toInteger<int32_t>(value);
    return;
  case Dtype::I64:
    data<int64_t>()[i] = toInteger<int64_t>(value);
    return;
  }
  llvm_unreachable("all types are handled");
}

void Tensor::setInt(int64_t i, int64_t value) {
  switch (dtype) {
  case Dtype::F32: // not by way of double, which would round twice
    data<float>()[i] = static_cast<float>(value);
    return;
  case Dtype::I8:
    data<int8_t>()[i] = static_cast<int8_t>(value);
    return;
  case Dtype::I32:
    data<int32_t>()[i] = static_cast<int32_t>(value);
    return;
  case Dtype::I64:
    data<int64_t>()[i] = value;
    return;
  default:
    set(i, static_cast<double>(value));
  }
}

Tensor::Tensor(Dtype dtype, ArrayRef<int64_t> shape)
    : dtype(dtype), shape(shape) {
  int64_t size = byteSize(dtype);
  for (int64_t extent : shape)
    size *= extent;
  bytes.resize(size);
}

Tensor Tensor::cast(Dtype to) const {
  Tensor result(to, shape);
  for (int64_t i = 0, e = numElements(); i < e; ++i) {
    if (isFloat(dtype))
      result.set(i, get(i));
    else
      result.setInt(i, getInt(i));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Shards
//===----------------------------------------------------------------------===//

namespace {
/// Where a chunk lies: `blocks` runs of bytes, `fullStride` apart in the whole
/// tensor from `offset` on and `chunkStride` apart in the chunk, of which
/// `length` bytes are not padding.
struct ChunkLayout {
  int64_t blocks = 1, offset, fullStride, chunkStride, length, chunkSize;

  ChunkLayout(const Tensor &full, int64_t dim, int64_t index, int64_t count) {
    assert(dim >= 0 && dim < int64_t(full.shape.size()) && index >= 0 &&
           index < count && "expected a chunk of the tensor");
    int64_t size = full.shape[dim], inner = byteSize(full.dtype);
    for (int64_t extent : ArrayRef(full.shape).take_front(dim))
      blocks *= extent;
    for (int64_t extent : ArrayRef(full.shape).drop_front(dim + 1))
      inner *= extent;
    chunkSize = (size + count - 1) / count;
    int64_t start = std::min(index * chunkSize, size);
    offset = start * inner;
    fullStride = size * inner;
    chunkStride = chunkSize * inner;
    length = std::min(chunkSize, size - start) * inner;
    if (length == 0)
      blocks = 0;
  }
};
} // namespace

Tensor Tensor::slice(int64_t dim, int64_t index, int64_t count) const {
  ChunkLayout layout(*this, dim, index, count);
  SmallVector<int64_t> chunkShape(shape);
  chunkShape[dim] = layout.chunkSize;
  Tensor chunk(dtype, chunkShape);
  for (int64_t i = 0; i < layout.blocks; ++i)
    std::memcpy(chunk.bytes.data() + i * layout.chunkStride,
                bytes.data() + layout.offset + i * layout.fullStride,
                layout.length);
  return chunk;
}

void Tensor::place(const Tensor &chunk, int64_t dim, int64_t index,
                   int64_t count) {
  ChunkLayout layout(*this, dim, index, count);
  assert(chunk.dtype == dtype && chunk.shape[dim] == layout.chunkSize &&
         "expected a chunk that slice made");
  for (int64_t i = 0; i < layout.blocks; ++i)
    std::memcpy(bytes.data() + layout.offset + i * layout.fullStride,
                chunk.bytes.data() + i * layout.chunkStride, layout.length);
}

Tensor Tensor::row(int64_t index) const {
  Tensor result = slice(0, index, shape[0]);
  result.shape.erase(result.shape.begin());
  return result;
}

Tensor Tensor::stack(ArrayRef<Tensor> rows) {
  SmallVector<int64_t> shape(rows[0].shape);
  shape.insert(shape.begin(), rows.size());
  Tensor result(rows[0].dtype, shape);
  for (auto [i, row] : enumerate(rows))
    copy(row.bytes, result.bytes.begin() + i * row.bytes.size());
  return result;
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

void Tensor::accumulate(const Tensor &other, double scale) {
  assert(other.shape == shape && "expected equal shapes");
  for (int64_t i = 0, e = numElements(); i < e; ++i)
    set(i, get(i) + scale * other.get(i));
}

double largest(const Tensor &tensor) {
  double result = 0;
  for (int64_t i = 0, e = tensor.numElements(); i < e; ++i)
    if (double size = std::fabs(tensor.get(i)); std::isfinite(size))
      result = std::max(result, size);
  return result;
}

double error(const Tensor &got, const Tensor &want, double size) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (got.shape != want.shape)
    return infinity;
  double difference = 0, magnitude = std::max(size, 1e-6);
  for (int64_t i = 0, e = want.numElements(); i < e; ++i) {
    double a = got.get(i), b = want.get(i);
    if (std::isfinite(a) && std::isfinite(b)) {
      difference = std::max(difference, std::fabs(a - b));
      magnitude = std::max(magnitude, std::fabs(b));
    } else if (a != b && !(std::isnan(a) && std::isnan(b))) {
      return infinity;
    }
  }
  return difference / magnitude;
}

} // namespace fsdp::run
