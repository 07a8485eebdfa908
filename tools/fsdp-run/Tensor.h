//===- Tensor.h - Values of arguments and results on the host ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A dense tensor that owns its bytes. fsdp-run fills arguments, cuts them into
// shards, puts shards together again and compares results with it. Elements
// are reached as double or int64_t, whatever their type: data preparation is
// not where a run spends its time, so one loop per task is enough.
//
//===----------------------------------------------------------------------===//

#ifndef FSDP_RUN_TENSOR_H
#define FSDP_RUN_TENSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <vector>

namespace fsdp::run {

enum class Dtype { F16, BF16, F32, F64, I1, I8, I32, I64 };

/// Bytes of one element; an I1 takes a whole byte, 0 or 1, as in a memref.
int64_t byteSize(Dtype dtype);

/// True for the four floating-point types.
bool isFloat(Dtype dtype);

/// The name of a type in a safetensors file, for example "BF16" or "BOOL".
llvm::StringRef fileName(Dtype dtype);

/// The type that a safetensors file calls `name`, if there is one here.
std::optional<Dtype> parseFileName(llvm::StringRef name);

/// A type and shape as MLIR spells them: "8x16xf32", "f32" for a scalar.
std::string describe(Dtype dtype, llvm::ArrayRef<int64_t> shape);

/// Allocates at 64-byte boundaries: a cache line, and the widest vector.
template <typename T> struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <typename U> AlignedAllocator(const AlignedAllocator<U> &) {}
  T *allocate(size_t n) {
    return static_cast<T *>(
        ::operator new(n * sizeof(T), std::align_val_t(64)));
  }
  void deallocate(T *p, size_t) { ::operator delete(p, std::align_val_t(64)); }
  bool operator==(const AlignedAllocator &) const { return true; }
  bool operator!=(const AlignedAllocator &) const { return false; }
};

/// Row-major, contiguous.
struct Tensor {
  Dtype dtype = Dtype::F32;
  llvm::SmallVector<int64_t> shape;
  std::vector<char, AlignedAllocator<char>> bytes;

  /// A scalar f32 zero.
  Tensor() : Tensor(Dtype::F32, {}) {}

  /// All zeros.
  Tensor(Dtype dtype, llvm::ArrayRef<int64_t> shape);

  int64_t numElements() const { return bytes.size() / byteSize(dtype); }

  /// The elements as `T`, which must be the C++ type that `dtype` stands for.
  template <typename T> T *data() {
    return reinterpret_cast<T *>(bytes.data());
  }
  template <typename T> const T *data() const {
    return reinterpret_cast<const T *>(bytes.data());
  }

  /// Element `i` in row-major order. `get` is exact but for integers beyond
  /// 2^53; `getInt` drops the fraction, saturates, and takes NaN as 0.
  double get(int64_t i) const;
  int64_t getInt(int64_t i) const;

  /// Writes element `i`. `set` rounds once to the nearest value, ties to even,
  /// and converts to integers as `getInt` does; `setInt` keeps the low bits of
  /// an integer, as arith.trunci does. Anything but 0 is true.
  void set(int64_t i, double value);
  void setInt(int64_t i, int64_t value);

  /// The same values in another type, each rounded once; NaN stays NaN.
  Tensor cast(Dtype to) const;

  /// Chunk `index` of `count` along `dim`: ceil(size / count) wide, the part
  /// beyond the end zero.
  Tensor slice(int64_t dim, int64_t index, int64_t count) const;

  /// The inverse of `slice`: writes a chunk into its place, drops the padding.
  void place(const Tensor &chunk, int64_t dim, int64_t index, int64_t count);

  /// Entry `index` of the leading dimension, without that dimension.
  Tensor row(int64_t index) const;

  /// The inverse of `row`: tensors of one type along a new leading dimension.
  static Tensor stack(llvm::ArrayRef<Tensor> rows);

  /// Adds `scale` * `other` (of the same shape): computed in double, rounded
  /// once to this tensor's type. Sum many terms in F64 and cast at the end.
  void accumulate(const Tensor &other, double scale = 1.0);
};

/// The largest finite magnitude.
double largest(const Tensor &tensor);

/// max|got - want| / max(max|want|, size, 1e-6) over finite elements. NaN in
/// both is equal, the same infinity in both too; otherwise NaN or infinity in
/// either, or different shapes, give infinity. `size` is for a part of a
/// tensor: the largest magnitude of the whole.
double error(const Tensor &got, const Tensor &want, double size = 0);

} // namespace fsdp::run

#endif // FSDP_RUN_TENSOR_H
