// SPDX-License-Identifier: Apache-2.0
//===- ReshardAfterForward.cpp - gather parameters again for backward -----===//
//
// With one gather per parameter the whole model stays in memory from forward
// to backward. Units with reshard_after_forward free it in between: backward
// gets a gather of its own. Forward often made something of the full parameter
// that backward uses too (a transpose, a cast): copies of it are made again
// behind the second gather, or the parameter would stay alive through them.
// The parameter that forward ends and backward begins with is not freed, nor,
// if their unit says auto, are those of the first two units that backward
// gathers.
//
//   %w = fsdp.reshard %s from <[{@n}, {}]> to <[{}, {}]>
//   %t = linalg.transpose %w                   // forward
//   %0 = linalg.matmul %x, %t
//   %1 = linalg.matmul %dy, %t                 // backward
// becomes
//   %w = fsdp.reshard %s ...
//   %t = linalg.transpose %w
//   %0 = linalg.matmul %x, %t
//   %w2 = fsdp.reshard %s ... {fsdp.phase = "backward"}
//   %t2 = linalg.transpose %w2
//   %1 = linalg.matmul %dy, %t2
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Phases.h"
#include "fsdp/Transforms/Builders.h"
#include "fsdp/Transforms/Passes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"

namespace fsdp {
#define GEN_PASS_DEF_RESHARDAFTERFORWARDPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
/// What backward needs of one gathered parameter.
struct Cone {
  /// The gather and the copy-like ops on it, in program order.
  SmallVector<Operation *> ops;
  SmallVector<OpOperand *> forwardUses, backwardUses;
  /// The last op that uses it in forward, the first in backward, or null.
  Operation *last = nullptr, *first = nullptr;
  /// An op that computes something of the parameter alone which backward uses.
  Operation *costly = nullptr;
};

struct ReshardAfterForwardPass
    : public fsdp::impl::ReshardAfterForwardPassBase<ReshardAfterForwardPass> {
  void runOnOperation() override {
    FailureOr<Step> step = Step::get(getOperation());
    if (failed(step))
      return signalPassFailure();
    Phases phases(*step);
    SymbolTable symbols(getOperation());
    func::FuncOp function = step->getFunction();
    SmallVector<Gather> gathers;
    function.walk([&](ReshardOp reshard) {
      BlockArgument argument = getStored(reshard);
      if (!argument || phases.get(reshard) != Phase::Forward)
        return;
      auto unit = function.getArgAttrOfType<FlatSymbolRefAttr>(
          argument.getArgNumber(), attr::unit);
      if (unit)
        gathers.push_back({reshard, symbols.lookup<UnitOp>(unit.getValue())});
    });
    SmallVector<Cone> cones;
    users.clear();
    nextUsers.clear();
    for (auto [reshard, unit] : gathers) {
      cones.push_back(collectCone(phases, reshard));
      noteUsers(cones.back(), reshard->getBlock());
    }
    findEarly(gathers, cones);
    for (auto [gather, cone] : llvm::zip_equal(gathers, cones)) {
      auto [reshard, unit] = gather;
      if (unit.reshards())
        regather(cone, reshard, unit);
    }
  }

  using Gather = std::pair<ReshardOp, UnitOp>;
  /// The ops that use parameters which backward uses too, and of some of them
  /// the next one.
  DenseSet<Operation *> users;
  DenseMap<Operation *, Operation *> nextUsers;
  /// The first two units of which backward gathers parameters.
  SmallVector<Operation *> early;

  static BlockArgument getStored(ReshardOp reshard);
  Cone collectCone(const Phases &phases, ReshardOp reshard);
  void noteUsers(const Cone &cone, Block *block);
  void findEarly(ArrayRef<Gather> gathers, ArrayRef<Cone> cones);
  bool isAdjacent(const Cone &cone);
  bool isKept(ReshardOp reshard, const Cone &cone, UnitOp unit);
  void regather(const Cone &cone, ReshardOp reshard, UnitOp unit);
  Value keepPart(ReshardOp reshard, UnitOp unit, const Cone &cone,
                 int64_t size);
};
} // namespace

/// The argument that a reshard gathers, before a cast to the unit's dtype; null
/// for one of anything else.
BlockArgument ReshardAfterForwardPass::getStored(ReshardOp reshard) {
  Value value = reshard.getInput();
  if (auto cast = value.getDefiningOp<linalg::GenericOp>();
      cast && cast.getNumDpsInputs() == 1)
    value = cast.getInputs()[0];
  auto argument = dyn_cast<BlockArgument>(value);
  bool isOfStep =
      argument && isa<func::FuncOp>(argument.getParentBlock()->getParentOp());
  return isOfStep ? argument : BlockArgument();
}

/// True for ops that move or narrow elements of one tensor and cost next to
/// nothing against a gather.
static bool isCopyLike(Operation *op) {
  if (isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
          tensor::ExtractSliceOp, tensor::CastOp, linalg::TransposeOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 1 ||
      generic.getNumReductionLoops() || generic->getNumResults() != 1)
    return false;
  // Broadcasts of a bias are cheap to make and large to keep.
  return llvm::all_of(*generic.getBody(), [](Operation &inner) {
    return isa<arith::TruncFOp, arith::ExtFOp, linalg::YieldOp>(inner);
  });
}

/// Follows the parameter through copies, and sorts what uses them by phase.
Cone ReshardAfterForwardPass::collectCone(const Phases &phases,
                                          ReshardOp reshard) {
  Block *block = reshard->getBlock();
  Cone cone;
  cone.ops.push_back(reshard);
  for (size_t i = 0; i < cone.ops.size(); ++i)
    for (OpOperand &use : cone.ops[i]->getUses()) {
      Operation *user = block->findAncestorOpInBlock(*use.getOwner());
      if (phases.get(user) == Phase::Backward) {
        cone.backwardUses.push_back(&use);
        if (!cone.first || user->isBeforeInBlock(cone.first))
          cone.first = user;
        continue;
      }
      if (phases.get(user) != Phase::Forward)
        continue;
      bool isAlone = llvm::all_of(user->getOperands(), [&](Value operand) {
        Operation *def = operand.getDefiningOp();
        return def && (isFree(def) || llvm::is_contained(cone.ops, def));
      });
      if (isAlone && isCopyLike(user) && user == use.getOwner()) {
        if (!llvm::is_contained(cone.ops, user))
          cone.ops.push_back(user);
        continue;
      }
      cone.forwardUses.push_back(&use);
      if (!cone.last || cone.last->isBeforeInBlock(user))
        cone.last = user;
      if (isAlone && llvm::any_of(user->getUsers(), [&](Operation *next) {
            return phases.get(block->findAncestorOpInBlock(*next)) ==
                   Phase::Backward;
          }))
        cone.costly = user;
    }
  llvm::sort(cone.ops,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return cone;
}

/// Notes the ops that use a parameter, if backward is among them.
void ReshardAfterForwardPass::noteUsers(const Cone &cone, Block *block) {
  if (cone.backwardUses.empty())
    return;
  for (ArrayRef<OpOperand *> uses :
       {ArrayRef(cone.forwardUses), ArrayRef(cone.backwardUses)})
    for (OpOperand *use : uses)
      users.insert(block->findAncestorOpInBlock(*use->getOwner()));
}

/// Finds the first two units in the order in which backward needs them, without
/// those that are never freed.
void ReshardAfterForwardPass::findEarly(ArrayRef<Gather> gathers,
                                        ArrayRef<Cone> cones) {
  llvm::MapVector<Operation *, Operation *> firstUses;
  for (auto [gather, cone] : llvm::zip_equal(gathers, cones)) {
    UnitOp unit = gather.second;
    if (cone.backwardUses.empty() || !unit.reshards())
      continue;
    Operation *&first = firstUses[unit];
    if (!first || cone.first->isBeforeInBlock(first))
      first = cone.first;
  }
  for (early.clear(); early.size() < 2 && !firstUses.empty();) {
    auto unit = llvm::min_element(firstUses, [](auto &a, auto &b) {
      return a.second->isBeforeInBlock(b.second);
    });
    early.push_back(unit->first);
    firstUses.erase(unit);
  }
}

/// True where backward begins with the parameter that forward ended with: what
/// is freed in between must be there again before any other.
bool ReshardAfterForwardPass::isAdjacent(const Cone &cone) {
  // An output may be computed late.
  if (!cone.last || cone.first->isBeforeInBlock(cone.last))
    return true;
  // Every walk ends at the next parameter's use, so all together are linear.
  Operation *&next = nextUsers[cone.last];
  for (Operation *op = cone.last->getNextNode(); op && !next;
       op = op->getNextNode())
    if (users.contains(op))
      next = op;
  return next == cone.first;
}

/// True where a parameter is not freed after forward: it must be there again
/// before any other or, where its unit leaves that to us, gathers that run one
/// unit ahead would bring it back when backward begins.
bool ReshardAfterForwardPass::isKept(ReshardOp reshard, const Cone &cone,
                                     UnitOp unit) {
  const char *why = nullptr;
  if (isAdjacent(cone))
    why = "no other parameter is used between the last forward and the first "
          "backward use";
  else if (isa<StringAttr>(unit.getReshardAfterForward()) &&
           llvm::is_contained(early, unit))
    why = "its unit is of the first two that backward gathers";
  if (why)
    note(reshard.getLoc(), "elided",
         Twine(why) + "; the second gather is elided, " +
             Twine(fsdp::detail::payloadBytes(reshard.getType())) + " bytes");
  return why;
}

void ReshardAfterForwardPass::regather(const Cone &cone, ReshardOp reshard,
                                       UnitOp unit) {
  if (cone.costly) {
    auto type = cast<ShapedType>(cone.costly->getResult(0).getType());
    note(cone.costly->getLoc(), "kept",
         "'" + cone.costly->getName().getStringRef() +
             "' computes on a parameter alone and backward uses it; its " +
             Twine(fsdp::detail::payloadBytes(type)) + " bytes stay alive");
  }
  if (cone.backwardUses.empty() || isKept(reshard, cone, unit))
    return;
  IRMapping mapping;
  if (std::optional<int64_t> size = unit.getReshardSize()) {
    if (Value part = keepPart(reshard, unit, cone, *size)) {
      OpBuilder builder(cone.first);
      auto again = cast<ReshardOp>(part.getDefiningOp());
      mapping.map(reshard.getResult(),
                  ReshardOp::create(builder, reshard.getLoc(),
                                    reshard.getType(), part, reshard.getShape(),
                                    again.getTarget(), reshard.getTarget())
                      .getResult());
    }
  }
  OpBuilder builder(cone.first);
  for (Operation *op : cone.ops) {
    if (mapping.contains(op->getResult(0)))
      continue;
    Operation *clone = builder.clone(*op, mapping);
    // Equal gathers must not be merged.
    if (op == reshard)
      clone->setAttr(attr::phase, builder.getStringAttr("backward"));
  }
  for (OpOperand *use : cone.backwardUses)
    use->set(mapping.lookup(use->get()));
  for (Operation *op : llvm::reverse(cone.ops))
    if (isOpTriviallyDead(op))
      op->erase();
}

/// After the last forward use, keeps the part of the full parameter that a
/// group of `size` neighbours in the unit's group splits. Null where that is
/// the whole group again, or where the unit's group does not split storage or
/// splits compute as well.
Value ReshardAfterForwardPass::keepPart(ReshardOp reshard, UnitOp unit,
                                        const Cone &cone, int64_t size) {
  ClassesAttr classes = lookupClasses(reshard, unit.getShardAttr());
  if (size == classes.getSize() || reshard.getShape().empty() ||
      reshard.getSource().getDimGroups(0).empty() ||
      reshard.getSource().getDimGroups(0).back() != unit.getShardAttr())
    return Value();
  SmallVector<ClassesAttr> groups = {classes};
  for (FlatSymbolRefAttr group : reshard.getTarget().getGroups())
    groups.push_back(lookupClasses(reshard, group));
  FailureOr<Axes> axes = Axes::get(classes.getRanks(), groups);
  for (ClassesAttr group : ArrayRef(groups).drop_front())
    if (failed(axes) || (axes->getSet(group) & axes->getSet(classes)))
      return Value();
  // The unit's verifier has seen that the size cuts the group.
  FlatSymbolRefAttr part =
      getOrCreateGroup(getOperation(), getMinorGroup(classes, size), "reshard");

  SmallVector<Attribute> dims(reshard.getTarget().getDims().getValue());
  SmallVector<Attribute> first(reshard.getTarget().getDimGroups(0));
  first.push_back(part);
  dims[0] = ArrayAttr::get(&getContext(), first);
  ShardingAttr target =
      reshard.getTarget().withDims(ArrayAttr::get(&getContext(), dims));
  // What forward does not use is kept as a whole.
  OpBuilder builder(&getContext());
  builder.setInsertionPointAfter(cone.last);
  auto type = cast<RankedTensorType>(reshard.getType());
  return ReshardOp::create(builder, reshard.getLoc(),
                           getLocalType(reshard, reshard.getShape(),
                                        type.getElementType(), target),
                           reshard, reshard.getShape(), reshard.getTarget(),
                           target)
      .getResult();
}
