// SPDX-License-Identifier: Apache-2.0
//===- LegalizeForeign.cpp - turn exporters' own ops into ours ------------===//
//
// torch-mlir and IREE leave scatters and barriers in generic form. They become
// fsdp ops here, so that every later pass knows what it sees; anything else of
// an unregistered dialect is rejected by name.
//
//   %0 = "tm_tensor.scatter"(%u, %i, %d) <{dimension_map = array<i64: 0>, ...}>
//          ({ ^bb0(%a: f32, %b: f32): ... "tm_tensor.yield"(%s) })
// becomes
//   %0 = fsdp.scatter ins(%u, %i) outs(%d) dims [0] { ... fsdp.yield %s }
//
//===----------------------------------------------------------------------===//
#include "fsdp/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace fsdp {
#define GEN_PASS_DEF_LEGALIZEFOREIGNPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

static LogicalResult convertScatter(Operation *op);
static void convertBarrier(Operation *op);

namespace {
struct LegalizeForeignPass
    : public fsdp::impl::LegalizeForeignPassBase<LegalizeForeignPass> {
  void runOnOperation() override {
    SmallVector<Operation *> foreign;
    getOperation().walk([&](Operation *op) {
      if (isa<cf::AssertOp>(op) ||
          (!op->isRegistered() && !op->hasAttr(attr::rule)))
        foreign.push_back(op);
    });
    for (Operation *op : foreign) {
      StringRef dialect = op->getName().getDialectNamespace();
      StringRef name = op->getName().stripDialect();
      bool isExporter = dialect == "tm_tensor" || dialect == "iree_linalg_ext";
      if (isExporter && name == "yield")
        continue; // Goes with its scatter, which the walk meets later.
      if (isExporter && name == "scatter") {
        if (failed(convertScatter(op)))
          return signalPassFailure();
      } else if (op->getName().getStringRef() == "util.optimization_barrier") {
        convertBarrier(op);
      } else if (isa<cf::AssertOp>(op)) {
        op->erase();
      } else {
        op->emitError("expected an op that can be imported, but got '")
            << op->getName() << "'";
        return signalPassFailure();
      }
    }
  }
};
} // namespace

/// Rebuilds a foreign scatter, whose form the exporters share, as ours.
static LogicalResult convertScatter(Operation *op) {
  auto dims = op->getAttrOfType<DenseI64ArrayAttr>("dimension_map");
  auto unique = op->getAttrOfType<BoolAttr>("unique_indices");
  bool isTensors = op->getNumOperands() == 3 && op->getNumResults() == 1 &&
                   llvm::all_of(op->getOperandTypes(), [](Type type) {
                     auto tensor = dyn_cast<RankedTensorType>(type);
                     return tensor && tensor.hasStaticShape();
                   });
  if (!dims || !isTensors || op->getNumRegions() != 1 ||
      !op->getRegion(0).hasOneBlock() ||
      op->getRegion(0).front().getNumArguments() != 2 ||
      op->getRegion(0).front().empty() ||
      op->getRegion(0).front().back().getNumOperands() != 1 ||
      op->getResult(0).getType() != op->getOperand(2).getType())
    return op->emitError("expected a scatter of static tensors with "
                         "dimension_map and one body, but got '")
           << op->getName() << "' of another form";

  OpBuilder builder(op);
  Value indices = op->getOperand(1);
  auto type = cast<RankedTensorType>(indices.getType());
  if (type.getRank() == 1) // One index per update may come without its dim.
    indices = tensor::ExpandShapeOp::create(
        builder, op->getLoc(), type.clone({type.getDimSize(0), 1}), indices,
        SmallVector<ReassociationIndices>{{0, 1}});
  auto scatter = ScatterOp::create(
      builder, op->getLoc(), op->getResultTypes(), op->getOperand(0), indices,
      op->getOperand(2), dims, unique && unique.getValue());
  scatter.getBody().takeBody(op->getRegion(0));
  Operation *yield = scatter.getBody().front().getTerminator();
  builder.setInsertionPoint(yield);
  YieldOp::create(builder, yield->getLoc(), yield->getOperand(0));
  yield->erase();
  op->replaceAllUsesWith(scatter);
  op->erase();
  return scatter.verify();
}

/// Replaces a foreign barrier.
static void convertBarrier(Operation *op) {
  OpBuilder builder(op);
  op->replaceAllUsesWith(
      OptimizationBarrierOp::create(builder, op->getLoc(), op->getOperands()));
  op->erase();
}
