// SPDX-License-Identifier: Apache-2.0
//===- LowerScatter.cpp - scatter on buffers to loops ---------------------===//
//
// One loop per dim of the updates, the outermost over n: updates are folded in
// order. What is not indexed starts at 0; dims of an update line up with the
// trailing dims of the destination.
//
//   fsdp.scatter ins(%u, %i : memref<4x8xf32>, memref<4x1xi64>)
//       outs(%d : memref<16x8xf32>) dims [0] {
//   ^bb0(%update: f32, %current: f32):
//     %sum = arith.addf %current, %update : f32
//     fsdp.yield %sum : f32
//   }
// becomes
//   scf.for %n = %c0 to %c4 step %c1 {
//     scf.for %w = %c0 to %c8 step %c1 {
//       %start = memref.load %i[%n, %c0]      (index_cast to %at)
//       %update = memref.load %u[%n, %w]
//       %current = memref.load %d[%at, %w]
//       %sum = arith.addf %current, %update : f32
//       memref.store %sum, %d[%at, %w]
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace fsdp {
#define GEN_PASS_DEF_LOWERSCATTERPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct LowerScatterPass
    : public fsdp::impl::LowerScatterPassBase<LowerScatterPass> {
  using LowerScatterPassBase::LowerScatterPassBase;

  void runOnOperation() override {
    SmallVector<ScatterOp> ops;
    getOperation().walk([&](ScatterOp op) { ops.push_back(op); });
    for (ScatterOp op : ops) {
      if (!isa<MemRefType>(op.getDestination().getType())) {
        op.emitOpError("expected buffers here: run one-shot-bufferize first");
        return signalPassFailure();
      }
      lower(op);
    }
  }

  void lower(ScatterOp op);
  void foldUpdate(OpBuilder &builder, ScatterOp op, ValueRange loops);
};
} // namespace

/// Builds the loops over the updates.
void LowerScatterPass::lower(ScatterOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  SmallVector<Value> lower, upper, step;
  for (int64_t extent :
       cast<MemRefType>(op.getUpdates().getType()).getShape()) {
    lower.push_back(zero);
    upper.push_back(arith::ConstantIndexOp::create(builder, loc, extent));
    step.push_back(one);
  }
  scf::buildLoopNest(builder, loc, lower, upper, step,
                     [&](OpBuilder &body, Location, ValueRange loops) {
                       foldUpdate(body, op, loops);
                     });
  op.erase();
}

/// Folds the update at `loops` into its place.
void LowerScatterPass::foldUpdate(OpBuilder &builder, ScatterOp op,
                                  ValueRange loops) {
  Location loc = op.getLoc();
  int64_t rank = cast<MemRefType>(op.getDestination().getType()).getRank();
  int64_t leading = rank - (loops.size() - 1);
  SmallVector<Value> position(rank);
  llvm::copy(loops.drop_front(), position.begin() + leading);
  for (auto [column, dim] : llvm::enumerate(op.getDimensionMap())) {
    Value j = arith::ConstantIndexOp::create(builder, loc, column);
    Value index = memref::LoadOp::create(builder, loc, op.getIndices(),
                                         ValueRange{loops.front(), j});
    Value start =
        arith::IndexCastOp::create(builder, loc, builder.getIndexType(), index);
    Value &at = position[dim];
    at =
        at ? arith::AddIOp::create(builder, loc, start, at).getResult() : start;
  }
  for (Value &at : position)
    if (!at)
      at = arith::ConstantIndexOp::create(builder, loc, 0);

  Block &body = op.getBody().front();
  IRMapping map;
  map.map(body.getArgument(0),
          memref::LoadOp::create(builder, loc, op.getUpdates(), loops));
  map.map(body.getArgument(1),
          memref::LoadOp::create(builder, loc, op.getDestination(), position));
  for (Operation &inner : body.without_terminator())
    builder.clone(inner, map);
  Value folded =
      map.lookupOrDefault(cast<YieldOp>(body.getTerminator()).getValue());
  memref::StoreOp::create(builder, loc, folded, op.getDestination(), position);
}
