// SPDX-License-Identifier: Apache-2.0
//===- Varying.cpp - along which groups a value differs -------------------===//
#include "fsdp/Analysis/Varying.h"

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
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (uint64_t mask = getMask(step.getArgSharding(i).getVarying()))
      masks[function.getArgument(i)] = mask;
  llvm::StringMap<uint64_t> ofParameter;
  for (const Parameter &parameter : step.getParameters())
    ofParameter[parameter.name] =
        masks.lookup(function.getArgument(parameter.argument));

  for (Operation &op : function.front()) {
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
    if (mask)
      for (Value result : op.getResults())
        masks[result] = mask;
  }
}

SmallVector<FlatSymbolRefAttr> Varying::get(Value value) const {
  SmallVector<FlatSymbolRefAttr> result;
  uint64_t mask = masks.lookup(value);
  for (auto [i, group] : llvm::enumerate(groups))
    if (mask >> std::min<size_t>(i, 63) & 1)
      result.push_back(group);
  return result;
}
