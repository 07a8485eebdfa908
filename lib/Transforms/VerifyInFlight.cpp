// SPDX-License-Identifier: Apache-2.0
//===- VerifyInFlight.cpp - what is between a start and its wait ----------===//
//
// One walk in program order with the list of what is in flight. On tensors the
// verifiers of the ops see to it that only a wait uses what is pending; on
// buffers every op in between is compared with the buffers in flight.
//
//===----------------------------------------------------------------------===//
#include "VerifyCollectives.h"
#include "mlir/Analysis/AliasAnalysis/LocalAliasAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace fsdp;

namespace {
/// Where a buffer lies: bytes of `base`, all of it where `end` is negative.
struct Extent {
  Value base;
  int64_t begin, end;
};

/// How an op uses a buffer.
struct Touch {
  Value buffer;
  bool writes;
};

/// A collective that is started and not waited for.
struct Flight {
  CollectiveOpInterface op;
  int64_t channel;
  SmallVector<Extent> sources, destinations;
};

class InFlight {
public:
  explicit InFlight(func::FuncOp function)
      : symbols(function->getParentOfType<ModuleOp>()) {}
  LogicalResult visit(Region &region);

private:
  LogicalResult checkPair(CollectiveOpInterface op);
  LogicalResult checkOrder(CollectiveOpInterface op);
  LogicalResult checkBuffers(Operation *op);
  bool shareTwoRanks(FlatSymbolRefAttr a, FlatSymbolRefAttr b);
  SmallVector<Touch> getTouched(Operation *op);
  ArrayRef<Touch> getTouchedArguments(func::FuncOp callee);
  bool overlap(const Extent &a, const Extent &b);

  SymbolTable symbols;
  LocalAliasAnalysis aliases;
  /// In program order.
  SmallVector<Flight> flying;
  DenseMap<std::pair<Attribute, Attribute>, bool> sharing;
  DenseMap<Operation *, SmallVector<Touch>> ofCallees;
};
} // namespace

LogicalResult fsdp::verifyInFlight(func::FuncOp function) {
  return InFlight(function).visit(function.getBody());
}

/// Looks through views, as far as they are static.
static Extent getExtent(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  int64_t width = llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  SmallVector<int64_t> strides;
  int64_t offset = 0, last = 0;
  bool isStatic = type.hasStaticShape() &&
                  succeeded(type.getStridesAndOffset(strides, offset)) &&
                  !llvm::is_contained(strides, ShapedType::kDynamic);
  if (isStatic)
    for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
      last += (size - 1) * stride;
  bool isEmpty = isStatic && llvm::is_contained(type.getShape(), 0);
  Extent extent{buffer, 0, isEmpty ? 0 : (last + 1) * width};
  while (auto view = extent.base.getDefiningOp<ViewLikeOpInterface>()) {
    if (auto bytes = dyn_cast<memref::ViewOp>(*view)) {
      APInt shift;
      if (matchPattern(bytes.getByteShift(), m_ConstantInt(&shift))) {
        extent.begin += shift.getSExtValue();
        extent.end += shift.getSExtValue();
      } else
        isStatic = false;
    } else if (auto part = dyn_cast<memref::SubViewOp>(*view)) {
      auto [from, fromOffset] = part.getSourceType().getStridesAndOffset();
      int64_t start = 0;
      for (auto [at, stride] : llvm::zip_equal(part.getStaticOffsets(), from)) {
        isStatic &=
            at != ShapedType::kDynamic && stride != ShapedType::kDynamic;
        start += at * stride;
      }
      if (isStatic) {
        extent.begin += start * width;
        extent.end += start * width;
      }
    } else if (!isa<memref::CastOp, memref::CollapseShapeOp,
                    memref::ExpandShapeOp>(*view))
      isStatic = false;
    extent.base = view.getViewSource();
  }
  if (!isStatic)
    extent.end = -1;
  return extent;
}

/// Where those of `values` that are buffers lie.
static SmallVector<Extent> getExtents(ValueRange values) {
  SmallVector<Extent> extents;
  for (Value value : values)
    if (isa<MemRefType>(value.getType()))
      extents.push_back(getExtent(value));
  return extents;
}

/// The destinations of a start; its operands are the sources, then these.
static ValueRange getDestinations(CollectiveOpInterface op) {
  return op->getOperands().drop_front(op.getSources().size());
}

/// Walks a region in program order.
LogicalResult InFlight::visit(Region &region) {
  for (Operation &op : region.getOps()) {
    if (auto wait = dyn_cast<WaitOp>(op)) {
      Operation *started = wait.getToken().getDefiningOp();
      if (!started || !isa<CollectiveOpInterface>(started))
        return wait.emitOpError("expected the token of a start, but got one "
                                "that is passed on");
      llvm::erase_if(
          flying, [&](const Flight &flight) { return flight.op == started; });
      continue;
    }
    if (!flying.empty() && failed(checkBuffers(&op)))
      return failure();
    if (auto collective = dyn_cast<CollectiveOpInterface>(op)) {
      if (failed(checkOrder(collective)))
        return failure();
      if (!collective.isBlocking()) {
        if (failed(checkPair(collective)))
          return failure();
        flying.push_back({collective, getChannel(collective),
                          getExtents(collective.getSources()),
                          getExtents(getDestinations(collective))});
      }
    }
    for (Region &inner : op.getRegions())
      if (failed(visit(inner)))
        return failure();
  }
  return success();
}

/// A start has one wait, in its block, for all that is pending, on tensors
/// holding all sources.
LogicalResult InFlight::checkPair(CollectiveOpInterface op) {
  Value token = op->getResult(0);
  auto complain = [&](const Twine &expected, Operation *other,
                      const Twine &got) {
    InFlightDiagnostic diag = op->emitOpError("expected ")
                              << expected << ", but got " << got;
    if (other)
      diag.attachNote(other->getLoc()) << "here";
    return diag;
  };
  SmallVector<Operation *> users(token.getUsers());
  for (Operation *user : users)
    if (!isa<WaitOp>(user))
      return complain("only fsdp.wait to use a token", user,
                      "'" + user->getName().getStringRef() + "'");
  if (users.size() != 1)
    return complain("one fsdp.wait for a start",
                    users.empty() ? nullptr : users.front(),
                    Twine(users.size()));
  auto wait = cast<WaitOp>(users.front());
  if (wait->getBlock() != op->getBlock())
    return complain("the wait in the block of its start", wait,
                    "one that may run on another path or another number of "
                    "times");
  if (wait.getPending() != ValueRange(op->getResults().drop_front()))
    return complain("a wait for all pending values in their order", wait,
                    "one for others");
  // On buffers bufferization is over, which is all that this is for: it may
  // have given the start a contiguous copy.
  if (!wait.getPending().empty() && wait.getHolding() != op.getSources())
    return complain("a wait that holds the sources of its start", wait,
                    "one that holds others: they could be overwritten");
  return success();
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// What is in flight with `op` on another stream meets it in one rank at most.
LogicalResult InFlight::checkOrder(CollectiveOpInterface op) {
  int64_t channel = getChannel(op);
  for (const Flight &flight : llvm::reverse(flying)) {
    CollectiveOpInterface other = flight.op;
    if (flight.channel == channel ||
        !shareTwoRanks(op.getGroupRef(), other.getGroupRef()))
      continue;
    InFlightDiagnostic diag =
        op->emitOpError("expected channel ")
        << flight.channel << ", or a wait in front, since ranks of "
        << op.getGroupRef() << " meet again in " << other.getGroupRef()
        << ", which is in flight, but got channel " << channel;
    diag.attachNote(other->getLoc()) << "in flight from here";
    return diag;
  }
  return success();
}

/// True unless any two classes of the groups have at most one rank in common.
bool InFlight::shareTwoRanks(FlatSymbolRefAttr a, FlatSymbolRefAttr b) {
  auto [it, isNew] = sharing.try_emplace({a, b});
  if (!isNew)
    return it->second;
  ClassesAttr first = lookupClasses(symbols, a);
  ClassesAttr second = lookupClasses(symbols, b);
  bool &shares = it->second;
  shares = first.getSize() > 1 && second.getSize() > 1;
  FailureOr<Axes> axes = Axes::get(first.getRanks(), {first, second});
  if (shares && succeeded(axes)) {
    shares = axes->getSize(axes->getSet(first) & axes->getSet(second)) > 1;
  } else if (shares && (first.isExplicit() || second.isExplicit())) {
    // Lists are as long as the world anyway: count who is where.
    if (!first.isExplicit())
      std::swap(first, second);
    DenseSet<std::pair<int64_t, int64_t>> met;
    shares = false;
    for (auto [i, rank] : llvm::enumerate(first.getTable()))
      shares |= !met.insert({int64_t(i) / first.getSize(),
                             second.getClassOf(rank).front()})
                     .second;
  }
  return shares;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// `op` writes no source in flight, and neither reads nor writes a destination.
LogicalResult InFlight::checkBuffers(Operation *op) {
  for (Touch touch : getTouched(op)) {
    Extent extent = getExtent(touch.buffer);
    auto meets = [&](const Extent &other) { return overlap(extent, other); };
    for (const Flight &flight : flying) {
      StringRef what;
      if (llvm::any_of(flight.destinations, meets))
        what =
            touch.writes ? "write to a destination" : "read of a destination";
      else if (touch.writes && llvm::any_of(flight.sources, meets))
        what = "write to a source";
      else
        continue;
      InFlightDiagnostic diag = op->emitOpError("expected no ")
                                << what << " before the wait, but got one";
      diag.attachNote(flight.op->getLoc()) << "in flight from here";
      return diag;
    }
  }
  return success();
}

/// The buffers that `op` itself reads or writes, not those of its regions; all
/// of its operands where nothing is known of it.
SmallVector<Touch> InFlight::getTouched(Operation *op) {
  SmallVector<Touch> touched;
  auto add = [&](Value value, bool writes) {
    if (value && isa<MemRefType>(value.getType()))
      touched.push_back({value, writes});
  };
  if (auto call = dyn_cast<func::CallOp>(op)) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (callee && !callee.isExternal()) {
      for (Touch touch : getTouchedArguments(callee))
        add(call.getOperand(cast<BlockArgument>(touch.buffer).getArgNumber()),
            touch.writes);
      return touched;
    }
  }
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects)
      if (!isa<MemoryEffects::Allocate>(effect.getEffect()))
        add(effect.getValue(), !isa<MemoryEffects::Read>(effect.getEffect()));
    return touched;
  }
  if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
      !op->hasTrait<OpTrait::IsTerminator>())
    for (Value operand : op->getOperands())
      add(operand, /*writes=*/true);
  return touched;
}

/// The arguments that a call of `callee` reads or writes.
ArrayRef<Touch> InFlight::getTouchedArguments(func::FuncOp callee) {
  if (auto it = ofCallees.find(callee); it != ofCallees.end())
    return it->second;
  // Nothing yet: a recursive call adds nothing.
  ofCallees[callee];
  SmallVector<Touch> result;
  callee.getBody().walk([&](Operation *op) {
    for (Touch touch : getTouched(op))
      for (BlockArgument argument : callee.getArguments())
        if (isa<MemRefType>(argument.getType()) &&
            overlap(getExtent(argument), getExtent(touch.buffer)))
          result.push_back({argument, touch.writes});
  });
  return ofCallees[callee] = result;
}

/// What is no view of anything else; the same for two uses of one global.
static const void *getObject(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp())
               ? value.getAsOpaquePointer()
               : nullptr;
  if (auto global = value.getDefiningOp<memref::GetGlobalOp>())
    return global.getNameAttr().getAsOpaquePointer();
  return isa<memref::AllocOp, memref::AllocaOp>(value.getDefiningOp())
             ? value.getAsOpaquePointer()
             : nullptr;
}

/// True unless the buffers are known to be apart. Arguments are.
bool InFlight::overlap(const Extent &a, const Extent &b) {
  if (a.base == b.base)
    return a.end < 0 || b.end < 0 || (a.begin < b.end && b.begin < a.end);
  const void *first = getObject(a.base), *second = getObject(b.base);
  if (first && second)
    return first == second;
  return !aliases.alias(a.base, b.base).isNo();
}
