// SPDX-License-Identifier: Apache-2.0
//===- NarrowIntermediates.cpp - f64 only where the model asks for it -----===//
//
// Exporters compute variances, and some scalars, in f64 inside of a step whose
// values are f32; the framework's own kernels do not. Tensors that begin as f32
// or as constants and end as f32, with nothing but float operations in between,
// are computed in f32.
//
//   %0 = linalg.generic (arith.extf f32 to f64)
//   %1 = linalg.generic (sum in f64)
//   %2 = linalg.generic (arith.truncf f64 to f32)
// becomes the same with f32 all through.
//
// Single numbers stay as they are, and so does what reaches an argument, a
// result, a loop or a collective in f64.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace fsdp {
#define GEN_PASS_DEF_NARROWINTERMEDIATESPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

static bool isWide(Value value) {
  return getElementTypeOrSelf(value.getType()).isF64();
}
static bool isWideTensor(Value value) {
  return isWide(value) && isa<TensorType>(value.getType());
}

namespace {
/// Tensors in f64, and which of them are computed from each other.
using Components = llvm::EquivalenceClasses<Value>;

struct NarrowIntermediatesPass
    : public fsdp::impl::NarrowIntermediatesPassBase<NarrowIntermediatesPass> {
  using NarrowIntermediatesPassBase::NarrowIntermediatesPassBase;

  void runOnOperation() override {
    Components components;
    llvm::SmallDenseSet<Value> kept;
    for (auto function : getOperation().getOps<func::FuncOp>())
      collect(function, components, kept);
    getOperation().walk([&](Operation *op) {
      auto isNarrow = [&](Value value) {
        return isWideTensor(value) &&
               !kept.contains(components.getLeaderValue(value));
      };
      if (llvm::any_of(op->getOperands(), isNarrow) ||
          llvm::any_of(op->getResults(), isNarrow))
        narrowed.push_back(op);
    });
    for (Operation *op : narrowed)
      narrow(op);
    narrowed.clear();
  }

  void collect(func::FuncOp function, Components &components,
               llvm::SmallDenseSet<Value> &kept);
  void narrow(Operation *op);

  SmallVector<Operation *> narrowed;
};
} // namespace

/// Whether all f64 that `op` computes with may be f32: it moves elements, or
/// its body is float arithmetic on what was f32.
static bool isNarrowable(Operation *op) {
  if (isa<tensor::TensorDialect>(op->getDialect()) && !op->getNumRegions())
    return true;
  if (isa<arith::ConstantOp>(op))
    return isa<DenseFPElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  if (!isa<linalg::LinalgOp>(op))
    return false;
  return !op->walk([&](Operation *inner) {
              if (inner == op || !llvm::any_of(inner->getResults(), isWide))
                return WalkResult::advance();
              bool converts = isa<CastOpInterface>(inner);
              if (converts ? isa<arith::ExtFOp>(inner) &&
                                 inner->getOperand(0).getType().isF32()
                           : isa<arith::ArithDialect, math::MathDialect>(
                                 inner->getDialect()))
                return WalkResult::advance();
              return WalkResult::interrupt();
            }).wasInterrupted();
}

/// Finds what is computed from what, and the components that stay: those that
/// something else reads or makes, and single numbers, which cost nothing.
void NarrowIntermediatesPass::collect(func::FuncOp function,
                                      Components &components,
                                      llvm::SmallDenseSet<Value> &kept) {
  SmallVector<Value> seeds;
  llvm::SmallDenseSet<Value> large;
  function.walk([&](Operation *op) {
    SmallVector<Value> values;
    llvm::copy_if(op->getOperands(), std::back_inserter(values), isWideTensor);
    llvm::copy_if(op->getResults(), std::back_inserter(values), isWideTensor);
    // A body may read elements of tensors that are no operands.
    SetVector<Value> captured;
    if (isa<linalg::LinalgOp>(op))
      getUsedValuesDefinedAbove(op->getRegions(), captured);
    llvm::copy_if(captured, std::back_inserter(values), isWideTensor);
    for (Region &region : op->getRegions())
      llvm::copy_if(region.getArguments(), std::back_inserter(seeds),
                    isWideTensor);
    for (Value value : values) {
      components.unionSets(values.front(), value);
      if (cast<TensorType>(value.getType()).getRank())
        large.insert(value);
    }
    if (!values.empty() && !isNarrowable(op))
      seeds.push_back(values.front());
  });
  llvm::SmallDenseSet<Value> worth;
  for (Value value : large)
    worth.insert(components.getLeaderValue(value));
  for (const auto &component : components)
    if (component->isLeader() && !worth.contains(component->getData()))
      kept.insert(component->getData());
  for (Value value : seeds)
    kept.insert(components.getOrInsertLeaderValue(value));
}

/// Makes every f64 value of `op` f32.
void NarrowIntermediatesPass::narrow(Operation *op) {
  Type f32 = Float32Type::get(&getContext());
  auto narrowType = [&](Value value) {
    auto shaped = dyn_cast<ShapedType>(value.getType());
    if (isWide(value))
      value.setType(shaped ? Type(shaped.clone(f32)) : f32);
  };
  auto narrowNumber = [&](APFloat value) {
    bool losesInfo;
    value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value;
  };
  OpBuilder builder(op);
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands()) {
      Value value = operand.get();
      if (!value.getType().isF64() ||
          op->isAncestor(value.getParentBlock()->getParentOp()))
        continue;
      auto constant = value.getDefiningOp<arith::ConstantFloatOp>();
      operand.set(
          constant
              ? arith::ConstantFloatOp::create(builder, op->getLoc(),
                                               cast<FloatType>(f32),
                                               narrowNumber(constant.value()))
                    .getResult()
              : arith::TruncFOp::create(builder, op->getLoc(), f32, value)
                    .getResult());
    }
    for (Region &region : inner->getRegions())
      llvm::for_each(region.getArguments(), narrowType);
    llvm::for_each(inner->getResults(), narrowType);
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      if (auto number = dyn_cast<FloatAttr>(constant.getValue());
          number && number.getType().isF64())
        constant.setValueAttr(
            FloatAttr::get(f32, narrowNumber(number.getValue())));
      else if (auto dense = dyn_cast<DenseFPElementsAttr>(constant.getValue());
               dense && dense.getElementType().isF64())
        constant.setValueAttr(dense.mapValues(f32, [&](const APFloat &value) {
          return narrowNumber(value).bitcastToAPInt();
        }));
    }
  });
  op->walk([](Operation *inner) {
    if (!isa<arith::ExtFOp, arith::TruncFOp>(inner) ||
        inner->getOperand(0).getType() != inner->getResult(0).getType())
      return;
    inner->getResult(0).replaceAllUsesWith(inner->getOperand(0));
    inner->erase();
  });
}
