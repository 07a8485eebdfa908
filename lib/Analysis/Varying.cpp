// SPDX-License-Identifier: Apache-2.0
//===- Varying.cpp - along which groups a value differs -------------------===//
#include "fsdp/Analysis/Varying.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace fsdp;

/// The bits of `list`; a step names few distinct groups (at most 64 are told
/// apart, further ones share the last bit with what came there first).
uint64_t Varying::getMask(ArrayAttr list) {
  uint64_t mask = 0;
  for (auto group : list.getAsRange<FlatSymbolRefAttr>()) {
    auto it = llvm::find(groups, group);
    if (it == groups.end()) {
      groups.push_back(group);
      it = std::prev(groups.end());
    }
    mask |= uint64_t(1) << std::min<size_t>(it - groups.begin(), 63);
  }
  return mask;
}

Varying::Varying(const Step &step) {
  func::FuncOp function = step.getFunction();
  uint64_t ofInputs = 0;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (uint64_t mask = getMask(step.getArgSharding(i).getVarying())) {
      masks[function.getArgument(i)] = mask;
      if (function.getArgAttr(i, attr::input))
        ofInputs |= mask;
    }
  // Each rank draws random numbers of its own.
  if (int seed = step.findArg(attr::seed); seed >= 0)
    masks[function.getArgument(seed)] = ofInputs;
  for (const Parameter &parameter : step.getParameters())
    ofParameter[parameter.name] =
        masks.lookup(function.getArgument(parameter.argument));
  do
    visit(function.front());
  while (keepBuffers(step));
}

/// A buffer that ranks keep for themselves differs, from the second step on, as
/// its update does; true where a mask grew.
bool Varying::keepBuffers(const Step &step) {
  func::FuncOp function = step.getFunction();
  auto how = function->getParentOfType<ModuleOp>()->getAttrOfType<StringAttr>(
      attr::buffers);
  if (!how || how.getValue() != "local")
    return false;
  bool changed = false;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    StringRef name = step.getResultRole(i, attr::updated);
    int argument = name.empty() ? -1 : step.findArg(attr::buffer, name);
    if (argument < 0)
      continue;
    uint64_t update = masks.lookup(step.getTerminator()->getOperand(i));
    uint64_t &own = masks[function.getArgument(argument)];
    changed |= (own | update) != own;
    own |= update;
  }
  return changed;
}

/// One pass over a block; true where a mask grew.
bool Varying::visit(Block &block) {
  bool changed = false;
  auto add = [&](Value value, uint64_t mask) {
    uint64_t &own = masks[value];
    changed |= (own | mask) != own;
    own |= mask;
  };
  for (Operation &op : block) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      // What a loop carries has the masks of all iterations: to a fixed point.
      uint64_t bounds = masks.lookup(loop.getLowerBound()) |
                        masks.lookup(loop.getUpperBound()) |
                        masks.lookup(loop.getStep());
      add(loop.getInductionVar(), bounds);
      for (bool grows = true; grows;) {
        Operation *yield = loop.getBody()->getTerminator();
        for (auto [init, carried, yielded, result] :
             llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs(),
                             yield->getOperands(), loop.getResults())) {
          uint64_t mask = masks.lookup(init) | masks.lookup(yielded) | bounds;
          add(carried, mask);
          add(result, mask);
        }
        grows = visit(*loop.getBody());
        changed |= grows;
      }
      continue;
    }
    uint64_t mask = 0;
    if (auto marker = dyn_cast<LocalGradOp>(op)) {
      mask = ofParameter.lookup(marker.getParam());
    } else if (!isa<GlobalNormOp>(op)) {
      // Ops in regions may use values from outside.
      op.walk([&](Operation *nested) {
        for (Value operand : nested->getOperands())
          mask |= masks.lookup(operand);
      });
    }
    if (isa<scf::IfOp, scf::WhileOp>(op))
      // What flows through their regions is not told apart.
      for (Region &region : op.getRegions())
        for (Block &inner : region) {
          for (BlockArgument argument : inner.getArguments())
            add(argument, mask);
          changed |= visit(inner);
        }
    for (Value result : op.getResults())
      add(result, mask);
  }
  return changed;
}

SmallVector<FlatSymbolRefAttr> Varying::get(Value value) const {
  SmallVector<FlatSymbolRefAttr> result;
  uint64_t mask = masks.lookup(value);
  for (auto [i, group] : llvm::enumerate(groups))
    if (mask >> std::min<size_t>(i, 63) & 1)
      result.push_back(group);
  return result;
}
