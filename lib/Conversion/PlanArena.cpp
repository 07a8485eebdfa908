// SPDX-License-Identifier: Apache-2.0
//===- PlanArena.cpp - one block of memory for a step ---------------------===//
//
// All shapes are static, so how long each buffer lives is known here, and so
// is where it can lie: a step allocates nothing while it runs, and its peak is
// a number that can be compared with what was predicted.
//
//   func.func @f(%x: memref<4xf32>) {
//     %a = memref.alloc() : memref<4xf32>
//     %b = memref.alloc() : memref<4xf32>
// becomes
//   func.func @f(%x: memref<4xf32>, %arena: memref<128xi8>)
//       attributes {fsdp.arena = 128 : i64} {
//     %a = memref.view %arena[%c0][] : memref<128xi8> to memref<4xf32>
//     %b = memref.view %arena[%c64][] : memref<128xi8> to memref<4xf32>
//
// A buffer lives from its first to its last use in program order; a use in a
// loop that the buffer is allocated outside of counts as the whole loop; a use
// by a collective lasts until its wait.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace fsdp {
#define GEN_PASS_DEF_PLANARENAPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

/// A cache line, and the widest vector.
static constexpr int64_t alignment = 64;

namespace {
/// Positions in program order, both included.
struct Interval {
  int64_t begin, end;
  bool overlaps(Interval other) const {
    return begin <= other.end && other.begin <= end;
  }
  void include(Interval other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
  }
};

struct Buffer {
  memref::AllocOp alloc;
  int64_t size;
  Interval live;
  int64_t offset = 0;
};

struct PlanArenaPass : public fsdp::impl::PlanArenaPassBase<PlanArenaPass> {
  using PlanArenaPassBase::PlanArenaPassBase;

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      numberOps(function);
      SmallVector<Buffer> buffers;
      if (failed(findBuffers(function, buffers)))
        return signalPassFailure();
      rewrite(function, buffers, place(buffers));
    }
  }

  void numberOps(func::FuncOp function);
  LogicalResult findBuffers(func::FuncOp function,
                            SmallVectorImpl<Buffer> &buffers);
  FailureOr<Interval> getLiveness(memref::AllocOp alloc);
  Interval getPosition(Operation *user, memref::AllocOp alloc);
  int64_t place(MutableArrayRef<Buffer> buffers);
  void rewrite(func::FuncOp function, ArrayRef<Buffer> buffers, int64_t size);

  /// Where each op begins and ends, its regions included.
  DenseMap<Operation *, Interval> positions;
};
} // namespace

/// Numbers the ops in program order.
void PlanArenaPass::numberOps(func::FuncOp function) {
  positions.clear();
  int64_t next = 0;
  function.walk([&](Operation *op, const WalkStage &stage) {
    if (stage.isBeforeAllRegions())
      positions[op].begin = next++;
    if (stage.isAfterAllRegions())
      positions[op].end = next++;
  });
}

/// Collects the buffers with their sizes and lifetimes.
LogicalResult PlanArenaPass::findBuffers(func::FuncOp function,
                                         SmallVectorImpl<Buffer> &buffers) {
  DataLayout layout = DataLayout::closest(function);
  WalkResult walked = function.walk([&](memref::AllocOp alloc) {
    MemRefType type = alloc.getType();
    if (!type.hasStaticShape() || !type.getLayout().isIdentity()) {
      alloc.emitOpError("expected a static shape and a plain layout");
      return WalkResult::interrupt();
    }
    FailureOr<Interval> live = getLiveness(alloc);
    if (failed(live))
      return WalkResult::interrupt();
    int64_t bytes = type.getNumElements() *
                    layout.getTypeSize(type.getElementType()).getFixedValue();
    buffers.push_back({alloc, int64_t(llvm::alignTo(bytes, alignment)), *live});
    return WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// The values that may be the buffer `use` hands over.
static SmallVector<Value> getAliases(OpOperand &use) {
  Operation *user = use.getOwner();
  SmallVector<Value> aliases(user->getResults());
  if (auto loop = dyn_cast<LoopLikeOpInterface>(user))
    llvm::append_range(aliases, loop.getRegionIterArgs());
  // What a region yields is what its op returns.
  if (user->hasTrait<OpTrait::IsTerminator>())
    llvm::append_range(aliases, user->getParentOp()->getResults());
  llvm::erase_if(aliases,
                 [](Value value) { return !isa<MemRefType>(value.getType()); });
  return aliases;
}

/// From the first to the last use of a buffer or of a view of it.
FailureOr<Interval> PlanArenaPass::getLiveness(memref::AllocOp alloc) {
  std::optional<Interval> live;
  auto extend = [&](Operation *user) {
    Interval position = getPosition(user, alloc);
    if (live)
      live->include(position);
    else
      live = position;
  };
  SetVector<Value> aliases;
  aliases.insert(alloc.getResult());
  for (unsigned i = 0; i < aliases.size(); ++i)
    for (OpOperand &use : aliases[i].getUses()) {
      Operation *user = use.getOwner();
      if (isa<memref::DeallocOp>(user))
        continue;
      bool outlives = isa<func::ReturnOp>(user) ||
                      (user->hasTrait<OpTrait::IsTerminator>() &&
                       isa<LoopLikeOpInterface>(user->getParentOp()) &&
                       user->getParentOp()->isProperAncestor(alloc));
      if (outlives)
        return alloc
                   .emitOpError("expected a buffer that does not outlive its "
                                "function or iteration")
                   .attachNote(user->getLoc())
               << "leaves it here";
      extend(user);
      for (Value alias : getAliases(use))
        aliases.insert(alias);
      if (!isa<CollectiveOpInterface>(user))
        continue;
      for (Operation *wait : user->getResult(0).getUsers()) {
        if (!isa<WaitOp>(wait))
          return wait->emitOpError("expected only fsdp.wait to use a token");
        extend(wait);
      }
    }
  return live ? *live : positions.lookup(alloc);
}

/// Where `user` stands as `alloc` sees it: an outermost loop around the user
/// alone is one position.
Interval PlanArenaPass::getPosition(Operation *user, memref::AllocOp alloc) {
  Operation *position = user;
  for (Operation *parent = user->getParentOp(); !parent->isAncestor(alloc);
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      position = parent;
  return positions.lookup(position);
}

/// Gives every buffer the lowest offset that is free while it lives, the
/// largest first, and returns how much is needed. Buffers placed so far are
/// kept by offset, so that one pass over them finds the first gap.
int64_t PlanArenaPass::place(MutableArrayRef<Buffer> buffers) {
  SmallVector<Buffer *> order(llvm::make_pointer_range(buffers));
  llvm::sort(order, [](const Buffer *a, const Buffer *b) {
    return a->size != b->size ? a->size > b->size : a < b;
  });
  struct Placed {
    int64_t offset, end;
    Interval live;
  };
  std::vector<Placed> placed;
  placed.reserve(buffers.size());
  int64_t size = 0;
  for (Buffer *buffer : order) {
    int64_t offset = 0;
    for (const Placed &other : placed) {
      if (other.offset >= offset + buffer->size)
        break;
      if (other.live.overlaps(buffer->live))
        offset = std::max(offset, other.end);
    }
    buffer->offset = offset;
    size = std::max(size, offset + buffer->size);
    auto above =
        llvm::upper_bound(placed, offset, [](int64_t at, const Placed &p) {
          return at < p.offset;
        });
    placed.insert(above, {offset, offset + buffer->size, buffer->live});
  }
  return size;
}

/// Replaces allocations by views of a new last argument.
void PlanArenaPass::rewrite(func::FuncOp function, ArrayRef<Buffer> buffers,
                            int64_t size) {
  OpBuilder builder(function);
  auto type = MemRefType::get({size}, builder.getI8Type());
  unsigned index = function.getNumArguments();
  (void)function.insertArgument(index, type, {}, function.getLoc());
  function->setAttr(attr::arena, builder.getI64IntegerAttr(size));
  for (const Buffer &buffer : buffers) {
    memref::AllocOp alloc = buffer.alloc;
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
      if (isa<memref::DeallocOp>(user))
        user->erase();
    builder.setInsertionPoint(alloc);
    Value offset =
        arith::ConstantIndexOp::create(builder, alloc.getLoc(), buffer.offset);
    Value view = memref::ViewOp::create(
        builder, alloc.getLoc(), alloc.getType(), function.getArgument(index),
        offset, ValueRange());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }
}
