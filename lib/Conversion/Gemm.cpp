// SPDX-License-Identifier: Apache-2.0
//===- Gemm.cpp - a contraction as the runtime takes it -------------------===//
//
// Dims that lie behind each other in all three buffers are one. Of m, n and k
// the fastest dim makes the matrices; all others are loops around them.
//
//===----------------------------------------------------------------------===//
#include "Gemm.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace fsdp;

namespace {
/// A dim: how long, and how far apart its positions are in A, B and C.
struct Dim {
  int64_t size = 1;
  std::array<int64_t, 3> strides = {0, 0, 0};

  int64_t getLargest() const {
    return std::max({strides[0], strides[1], strides[2]});
  }
  /// Whether `inner` counts the positions within one of this.
  bool isAround(const Dim &inner) const {
    for (unsigned i = 0; i < 3; ++i)
      if (strides[i] != inner.strides[i] * inner.size)
        return false;
    return true;
  }
};
} // namespace

/// The dims of the loop nest; none where a stride is not known.
static SmallVector<Dim> getDims(ContractOp op) {
  SmallVector<Dim> dims;
  for (int64_t size : op.getLoopRanges())
    dims.push_back({size, {0, 0, 0}});
  auto maps = op.getIndexingMaps().getAsValueRange<AffineMapAttr>();
  for (auto [index, map, operand] : llvm::enumerate(maps, op.getOperands())) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(cast<MemRefType>(operand.getType())
                   .getStridesAndOffset(strides, offset)) ||
        llvm::any_of(strides, ShapedType::isDynamic))
      return {};
    for (auto [expr, stride] : llvm::zip_equal(map.getResults(), strides))
      dims[cast<AffineDimExpr>(expr).getPosition()].strides[index] = stride;
  }
  return dims;
}

/// The dims that move just in the operands of `kind`, the slowest first, with
/// those that can be one joined.
static SmallVector<Dim> takeKind(ArrayRef<Dim> dims, ArrayRef<AffineMap> maps,
                                 std::array<bool, 3> kind) {
  SmallVector<Dim> taken;
  for (auto [position, dim] : llvm::enumerate(dims)) {
    bool isKind = true;
    for (unsigned i = 0; i < 3; ++i)
      isKind &= maps[i].isFunctionOfDim(position) == kind[i];
    if (isKind && dim.size != 1)
      taken.push_back(dim);
  }
  llvm::sort(taken, [](const Dim &a, const Dim &b) {
    return a.getLargest() > b.getLargest();
  });
  for (unsigned i = 0; i + 1 < taken.size();) {
    if (!taken[i].isAround(taken[i + 1])) {
      ++i;
      continue;
    }
    taken[i + 1].size *= taken[i].size;
    taken.erase(taken.begin() + i);
    i = 0;
  }
  return taken;
}

/// Takes the fastest dim; what is left goes around the product.
static Dim takeMatrix(SmallVectorImpl<Dim> &dims, SmallVectorImpl<Dim> &around) {
  Dim matrix;
  if (!dims.empty())
    matrix = dims.pop_back_val();
  around.append(dims);
  return matrix;
}

std::optional<Gemm> fsdp::getGemm(ContractOp op) {
  SmallVector<Dim> dims = getDims(op);
  if (dims.empty())
    return std::nullopt;
  SmallVector<AffineMap> maps(
      op.getIndexingMaps().getAsValueRange<AffineMapAttr>());
  SmallVector<Dim> around = takeKind(dims, maps, {true, true, true});
  SmallVector<Dim> rows = takeKind(dims, maps, {true, false, true});
  SmallVector<Dim> columns = takeKind(dims, maps, {false, true, true});
  SmallVector<Dim> inner = takeKind(dims, maps, {true, true, false});
  Dim m = takeMatrix(rows, around), n = takeMatrix(columns, around),
      k = takeMatrix(inner, around);
  if (around.size() > FSDP_GEMM_LOOPS)
    return std::nullopt;

  auto isUnit = [](const Dim &dim, unsigned operand) {
    return dim.size == 1 || dim.strides[operand] == 1;
  };
  unsigned a = 0, b = 1;
  bool isSwapped = !isUnit(n, 2);
  if (isSwapped) {
    std::swap(m, n);
    std::swap(a, b);
  }
  bool fits = isUnit(n, 2) && (isUnit(m, a) || isUnit(k, a)) &&
              (isUnit(k, b) || isUnit(n, b));
  if (!fits)
    return std::nullopt;

  auto getType = [&](unsigned operand) {
    return getElementTypeOrSelf(op->getOperand(operand).getType()).isBF16()
               ? FSDP_BF16
               : FSDP_F32;
  };
  FsdpGemm shape = {};
  shape.dtype = getType(0);
  shape.result_dtype = getType(2);
  shape.accumulate = op.getAccumulate();
  shape.m = m.size, shape.n = n.size, shape.k = k.size;
  // A leading dimension covers the other one, also where that has one row.
  auto setStrides = [&](const Dim &outer, const Dim &unit, unsigned operand,
                        int64_t &outerStride, int64_t &unitStride) {
    unitStride = 1;
    outerStride = outer.size == 1
                      ? std::max<int64_t>(unit.size, 1)
                      : outer.strides[operand];
  };
  if (isUnit(k, a))
    setStrides(m, k, a, shape.lhs_m, shape.lhs_k);
  else
    setStrides(k, m, a, shape.lhs_k, shape.lhs_m);
  if (isUnit(n, b))
    setStrides(k, n, b, shape.rhs_k, shape.rhs_n);
  else
    setStrides(n, k, b, shape.rhs_n, shape.rhs_k);
  int64_t one;
  setStrides(m, n, 2, shape.result_m, one);
  shape.loops = around.size();
  for (auto [i, dim] : llvm::enumerate(around)) {
    shape.size[i] = dim.size;
    shape.lhs_stride[i] = dim.strides[a];
    shape.rhs_stride[i] = dim.strides[b];
    shape.result_stride[i] = dim.strides[2];
  }
  return Gemm{shape, isSwapped};
}
