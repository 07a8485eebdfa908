// SPDX-License-Identifier: Apache-2.0
//===- PartitionModel.cpp - forward and backward on local shapes ----------===//
//
// Rewrites the model by the placements that propagation decides: every op works
// on this rank's pieces, and an `fsdp.reshard` stands where a value is wanted
// in another placement than it comes in. What is below the markers stays whole.
//
//   %y = linalg.matmul ins(%x, %w) : tensor<8x4xf32>, tensor<4x6xf32>
//   %z = linalg.matmul ins(%y, %v) : tensor<8x6xf32>, tensor<6x4xf32>
// becomes, with %w split in its columns and %v in its rows over @tp,
//   %wl = fsdp.reshard %w from <[{}, {}]> to <[{}, {@tp}]>
//   %y = linalg.matmul ins(%x, %wl) : tensor<8x4xf32>, tensor<4x3xf32>
//   %vl = fsdp.reshard %v from <[{}, {}]> to <[{@tp}, {}]>
//   %p = linalg.matmul ins(%y, %vl) : tensor<8x3xf32>, tensor<3x4xf32>
//   %z = fsdp.reshard %p from <[{}, {}], partial = {@tp}> to <[{}, {}]>
//
//===----------------------------------------------------------------------===//
#include "LocalOps.h"
#include "Relocate.h"
#include "fsdp/Transforms/Builders.h"
#include "fsdp/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <map>

namespace fsdp {
#define GEN_PASS_DEF_PARTITIONPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

/// True where this pass has been here.
static bool isPartitioned(const Step &step) {
  func::FuncOp function = step.getFunction();
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto shape =
            function.getArgAttrOfType<DenseI64ArrayAttr>(i, attr::globalShape))
      if (cast<ShapedType>(function.getArgumentTypes()[i]).getShape() !=
          shape.asArrayRef())
        return true;
  return function.walk([](ReshardOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {
class ModelPartition {
public:
  ModelPartition(const Step &step, const Propagation &propagation)
      : step(step), propagation(propagation),
        module(step.getFunction()->getParentOfType<ModuleOp>()),
        versions(propagation, module) {}
  void run();

private:
  void placeArguments();
  Value inOrder(BlockArgument argument, ShardingAttr said);
  void visit(Block &block);
  void visitFor(scf::ForOp loop);
  void visitWhile(scf::WhileOp loop);
  void visitIf(scf::IfOp branch);
  void visitWhole(Operation *op);
  void visitOp(const Propagation::Node &node);
  void visitMarker(const Propagation::Node &node);
  void finish(Operation *terminator);
  bool runsAsExported(const Propagation::Node &node);
  Value getOperand(const Propagation::Node &node, unsigned index,
                   OpBuilder &builder);
  LocalOp describe(const Propagation::Node &node);
  void setTied(ValueRange values);
  void handOn(MutableArrayRef<OpOperand> operands, ValueRange tied);

  const Step &step;
  const Propagation &propagation;
  ModuleOp module;
  Versions versions;
  SmallVector<Operation *> replaced;
};

struct PartitionPass : public fsdp::impl::PartitionPassBase<PartitionPass> {
  void runOnOperation() override {
    FailureOr<Step> step = Step::get(getOperation());
    if (failed(step))
      return signalPassFailure();
    if (isPartitioned(*step))
      return;
    auto propagation = Propagation::run(*step);
    if (failed(propagation))
      return signalPassFailure();
    if ((*propagation)->getActive())
      ModelPartition(*step, **propagation).run();
    // Decisions have been carried out.
    step->getFunction().walk([](Operation *op) {
      if (!isa<func::FuncOp>(op))
        for (StringRef name : {attr::sharding, attr::blocks})
          op->removeAttr(name);
    });
  }
};
} // namespace

void ModelPartition::run() {
  Block &block = step.getFunction().front();
  placeArguments();
  visit(block);
  finish(block.getTerminator());
  for (Operation *op : llvm::reverse(replaced))
    op->erase();
  step.getFunction().walk([](Block *inner) { eraseDeadOps(*inner); });
  step.getFunction().setFunctionType(
      FunctionType::get(module.getContext(), block.getArgumentTypes(),
                        block.getTerminator()->getOperandTypes()));
}

/// Parameters and states stay whole: how they are stored is decided later.
/// Other arguments come in pieces.
void ModelPartition::placeArguments() {
  func::FuncOp function = step.getFunction();
  for (BlockArgument argument : function.getArguments()) {
    int32_t id = propagation.lookup(argument);
    unsigned index = argument.getArgNumber();
    if (id < 0)
      continue;
    Placements placements = propagation.getExported(id);
    bool isStored = function.getArgAttr(index, attr::param) ||
                    function.getArgAttr(index, attr::state);
    if (!isStored && propagation.getValue(id).placements != placements) {
      auto type = cast<RankedTensorType>(argument.getType());
      placements = propagation.getValue(id).placements;
      function.setArgAttr(
          index, attr::globalShape,
          DenseI64ArrayAttr::get(module.getContext(), type.getShape()));
      argument.setType(versions.getType(id, placements));
      versions.setBase(id, inOrder(argument, step.getArgSharding(index)),
                       placements);
      continue;
    }
    versions.setBase(id, argument, placements);
  }
}

/// An argument that comes in pieces, with groups on one dimension in the order
/// of the axes, whatever order `said` has them in.
Value ModelPartition::inOrder(BlockArgument argument, ShardingAttr said) {
  int32_t id = propagation.lookup(argument);
  const Placements &placements = propagation.getValue(id).placements;
  RankedTensorType type = propagation.getValue(id).type;
  ShardingAttr canonical =
      propagation.getSharding(placements, type.getRank(), module);
  auto isInOrder = [&](int64_t dim) {
    return getDimAxes(propagation.getAxes(), module, said, dim) ==
           propagation.getSplits(placements, dim);
  };
  if (llvm::all_of(llvm::seq<int64_t>(0, type.getRank()), isInOrder))
    return argument;
  auto builder = OpBuilder::atBlockBegin(argument.getOwner());
  auto none = ArrayAttr::get(module.getContext(), {});
  return ReshardOp::create(builder, argument.getLoc(), argument.getType(),
                           argument, type.getShape(), said.withVarying(none),
                           canonical.withVarying(none));
}

void ModelPartition::visit(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    // There are none but those that this pass makes.
    if (op.hasTrait<OpTrait::IsTerminator>() || isa<ReshardOp>(op))
      continue;
    bool isModel = propagation.isModel(&op);
    if (auto loop = dyn_cast<scf::ForOp>(op); loop && isModel) {
      visitFor(loop);
    } else if (auto whileLoop = dyn_cast<scf::WhileOp>(op);
               whileLoop && isModel) {
      visitWhile(whileLoop);
    } else if (auto branch = dyn_cast<scf::IfOp>(op); branch && isModel) {
      visitIf(branch);
    } else if (const Propagation::Node *node = propagation.lookup(&op)) {
      if (isa<LocalGradOp>(op))
        visitMarker(*node);
      else
        visitOp(*node);
    } else {
      visitWhole(&op);
    }
  }
}

/// An op that works on what was exported, and what it yields is that.
void ModelPartition::visitWhole(Operation *op) {
  OpBuilder builder(op);
  op->walk([&](Operation *nested) {
    for (OpOperand &operand : nested->getOpOperands()) {
      int32_t id = propagation.lookup(operand.get());
      if (id >= 0 && versions.isKnown(id))
        operand.set(versions.get(builder, id, propagation.getExported(id)));
    }
  });
  for (Value result : op->getResults())
    if (int32_t id = propagation.lookup(result); id >= 0)
      versions.setBase(id, result, propagation.getExported(id));
}

/// True where nothing is another than in the exported program.
bool ModelPartition::runsAsExported(const Propagation::Node &node) {
  for (auto [i, id] : llvm::enumerate(node.operands))
    if (id >= 0 && versions.getType(id, propagation.getWanted(node, i)) !=
                       propagation.getValue(id).type)
      return false;
  return llvm::all_of(node.results, [&](int32_t id) {
    const Propagation::Value &value = propagation.getValue(id);
    return versions.getType(id, value.placements) == value.type;
  });
}

/// An operand as the op wants it.
Value ModelPartition::getOperand(const Propagation::Node &node, unsigned index,
                                 OpBuilder &builder) {
  int32_t id = node.operands[index];
  if (id < 0)
    return node.op->getOperand(index);
  return versions.get(builder, id, propagation.getWanted(node, index));
}

/// The splits of an op, in the words of groups.
LocalOp ModelPartition::describe(const Propagation::Node &node) {
  LocalOp local(node.op, *node.rule);
  local.cuts.resize(node.rule->factors.size());
  // By factor, its cuts in order of blocks.
  SmallVector<std::map<int64_t, SmallVector<unsigned>>> byBlocks(
      local.cuts.size());
  AxisSet stars = 0;
  for (unsigned axis = 0; axis < propagation.getNumAxes(); ++axis) {
    const Strategy &strategy = node.strategies[axis];
    if (strategy.kind == Strategy::Factor)
      byBlocks[strategy.factor][strategy.blocks].push_back(axis);
    if (strategy.kind != Strategy::Mapped && propagation.hasStar(node, axis)) {
      stars |= AxisSet(1) << axis;
      local.stars.push_back(propagation.getExtent(axis));
    }
  }
  for (auto [cuts, blocks] : llvm::zip_equal(local.cuts, byBlocks))
    for (auto &[count, axes] : blocks) {
      int64_t ranks = 1;
      for (unsigned axis : axes)
        ranks *= propagation.getExtent(axis);
      cuts.push_back({count, propagation.getGroups(axes, module), ranks});
    }
  auto collect = [&](int32_t id) {
    uint64_t set = 0, next = 0;
    for (unsigned axis = 0; axis < propagation.getNumAxes(); ++axis)
      if (stars >> axis & 1) {
        if (id >= 0 && propagation.getValue(id).stars >> axis & 1)
          set |= uint64_t(1) << next;
        ++next;
      }
    return set;
  };
  for (int32_t id : node.operands) {
    local.operandStars.push_back(collect(id));
    local.exported.push_back(id < 0 ? RankedTensorType()
                                    : propagation.getValue(id).type);
  }
  for (int32_t id : node.results) {
    local.resultStars.push_back(collect(id));
    local.types.push_back(
        versions.getType(id, propagation.getValue(id).placements));
  }
  return local;
}

void ModelPartition::visitOp(const Propagation::Node &node) {
  Operation *op = node.op;
  OpBuilder builder(op);
  SmallVector<Value> operands;
  for (unsigned i = 0; i < node.operands.size(); ++i)
    operands.push_back(getOperand(node, i, builder));
  SmallVector<Value> results;
  if (runsAsExported(node)) {
    unsigned own = op->getNumOperands();
    for (unsigned i = 0; i < own; ++i)
      op->setOperand(i, operands[i]);
    replaceCaptured(op, *node.rule, ArrayRef(operands).drop_front(own));
    results = SmallVector<Value>(op->getResults());
  } else {
    LocalOp local = describe(node);
    local.operands = operands;
    // A start of nothing is made in the shape that is wanted.
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    for (int64_t i = linalgOp ? linalgOp.getNumDpsInputs() : 0,
                 e = linalgOp ? op->getNumOperands() : 0;
         i < e; ++i) {
      int32_t id = node.operands[i];
      auto type =
          cast<RankedTensorType>(local.types[i - linalgOp.getNumDpsInputs()]);
      if (id >= 0 && propagation.getValue(id).isFree &&
          (propagation.getValue(id).isZero ||
           propagation.getValue(id).value.getDefiningOp<tensor::EmptyOp>()))
        if (Value made = versions.getFree(builder, id, type))
          local.operands[i] = made;
    }
    results = local.build(builder);
    replaced.push_back(op);
  }
  for (auto [id, result] : llvm::zip_equal(node.results, results))
    versions.setBase(id, result, propagation.getValue(id).placements);
}

/// The marker on local types, and behind it the whole gradient. On axes of the
/// loss along which the parameter is replicated it is a sum that the shard
/// section does.
void ModelPartition::visitMarker(const Propagation::Node &node) {
  auto marker = cast<LocalGradOp>(node.op);
  OpBuilder builder(marker);
  Location loc = marker.getLoc();
  Value value = getOperand(node, 0, builder);
  int32_t from = node.operands[0], to = node.results[0];
  Placements placements = propagation.getValue(to).placements;
  RankedTensorType local = versions.getType(to, placements);
  bool hasStar =
      cast<RankedTensorType>(value.getType()).getRank() > local.getRank();
  if (hasStar) {
    // The loss is the sum over ranks, so is its gradient.
    Value zero = createZero(builder, loc, local);
    auto count =
        cast<RankedTensorType>(value.getType()).getRank() - local.getRank();
    value = linalg::ReduceOp::create(
                builder, loc, value, zero,
                llvm::to_vector(llvm::seq<int64_t>(0, count)),
                [](OpBuilder &inner, Location at, ValueRange arguments) {
                  Value sum = arith::AddFOp::create(inner, at, arguments[0],
                                                    arguments[1]);
                  linalg::YieldOp::create(inner, at, sum);
                })
                .getResult(0);
  }
  AxisSet lossAxes = propagation.getLossAxes();
  int64_t copies = 1;
  for (unsigned axis = 0; axis < propagation.getNumAxes(); ++axis) {
    bool varies = propagation.getValue(from).stars >> axis & 1;
    bool isSum = placements[axis].kind == Placement::Partial;
    if (varies && isSum && node.own[axis] == Placement())
      placements[axis] = Placement();
    // Each rank of the loss has the same term.
    if (!varies && lossAxes >> axis & 1 &&
        node.own[axis].kind == Placement::Split && node.own[axis].dim >= 0)
      copies *= propagation.getExtent(axis);
  }
  if (copies > 1 && !isZero(value))
    value = ScaleOp::create(builder, loc, value, copies, 1);
  // The shard section knows dims and groups only.
  Placements plain = placements;
  for (auto [axis, placement] : llvm::enumerate(plain))
    if (placement.kind == Placement::Split && placement.blocks > 1)
      placement = node.own[axis];
  value = versions.relocate(builder, loc, value, to, placements, plain);
  placements = plain;
  Value result = LocalGradOp::create(builder, loc, value, marker.getParam());
  Placements whole = propagation.getExported(to);
  if (placements != whole)
    result = versions.relocate(builder, loc, result, to, placements, whole);
  marker.replaceAllUsesWith(result);
  replaced.push_back(marker);
}

/// Block arguments or results take the types of their placements.
void ModelPartition::setTied(ValueRange values) {
  for (Value value : values) {
    int32_t id = propagation.lookup(value);
    if (id < 0)
      continue;
    const Placements &placements = propagation.getValue(id).placements;
    value.setType(versions.getType(id, placements));
    versions.setBase(id, value, placements);
  }
}

/// Makes each operand what it becomes in `tied` is placed like.
void ModelPartition::handOn(MutableArrayRef<OpOperand> operands,
                            ValueRange tied) {
  for (auto [operand, value] : llvm::zip_equal(operands, tied)) {
    int32_t from = propagation.lookup(operand.get());
    int32_t to = propagation.lookup(value);
    if (from < 0 || !versions.isKnown(from))
      continue;
    Placements wanted = propagation.getExported(from);
    if (to >= 0)
      for (auto [axis, placement] :
           llvm::enumerate(propagation.getValue(to).placements))
        // What a loop starts from need not vary, though what it carries does.
        if (!placement.isSplit(Placement::star))
          wanted[axis] = placement;
    OpBuilder builder(operand.getOwner());
    operand.set(versions.get(builder, from, wanted));
  }
}

void ModelPartition::visitFor(scf::ForOp loop) {
  handOn(loop.getInitArgsMutable(), loop.getRegionIterArgs());
  setTied(loop.getRegionIterArgs());
  visit(*loop.getBody());
  handOn(loop.getBody()->getTerminator()->getOpOperands(),
         loop.getRegionIterArgs());
  setTied(loop.getResults());
}

void ModelPartition::visitWhile(scf::WhileOp loop) {
  handOn(loop.getInitsMutable(), loop.getBeforeArguments());
  setTied(loop.getBeforeArguments());
  visit(*loop.getBeforeBody());
  handOn(loop.getConditionOp().getArgsMutable(), loop.getAfterArguments());
  setTied(loop.getAfterArguments());
  visit(*loop.getAfterBody());
  handOn(loop.getYieldOp()->getOpOperands(), loop.getBeforeArguments());
  setTied(loop.getResults());
}

void ModelPartition::visitIf(scf::IfOp branch) {
  for (Region &region : branch->getRegions()) {
    if (region.empty())
      continue;
    visit(region.front());
    handOn(region.front().getTerminator()->getOpOperands(),
           branch.getResults());
  }
  setTied(branch.getResults());
}

/// Results as the boundary places them; outputs of a global batch stay in
/// pieces, summed.
void ModelPartition::finish(Operation *terminator) {
  func::FuncOp function = step.getFunction();
  OpBuilder builder(terminator);
  for (OpOperand &operand : terminator->getOpOperands()) {
    unsigned index = operand.getOperandNumber();
    int32_t id = propagation.lookup(operand.get());
    if (id < 0 || !versions.isKnown(id))
      continue;
    Placements wanted = propagation.getExported(id);
    if (function.getResultAttr(index, attr::output)) {
      Placements said =
          propagation.getPlacements(step.getResultSharding(index), function,
                                    propagation.getValue(id).stars);
      for (unsigned axis = 0; axis < wanted.size(); ++axis) {
        const Placement &own = propagation.getValue(id).placements[axis];
        if (said[axis].kind == Placement::Split)
          wanted[axis] = said[axis];
        else if (own.kind == Placement::Split && own.blocks == 1 &&
                 wanted[axis] == Placement())
          wanted[axis] = own;
      }
      RankedTensorType type = propagation.getValue(id).type;
      if (wanted != propagation.getExported(id)) {
        function.setResultAttr(
            index, attr::globalShape,
            DenseI64ArrayAttr::get(module.getContext(), type.getShape()));
        function.setResultAttr(
            index, attr::sharding,
            propagation.getSharding(wanted, type.getRank(), module)
                .withVarying(step.getResultSharding(index).getVarying()));
      }
    }
    operand.set(versions.get(builder, id, wanted));
  }
}
