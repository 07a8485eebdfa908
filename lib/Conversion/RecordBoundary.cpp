// SPDX-License-Identifier: Apache-2.0
//===- RecordBoundary.cpp - what callers of machine code must know --------===//
//
// Behind bufferization a step has pointers only. What they point to, and the
// groups that its collectives use, is written down before.
//
//   fsdp.process_group @node = "node"
//   func.func @step(%w: tensor<4xf32> {fsdp.param = "w"}) -> ...
// becomes
//   func.func @step(...) attributes {
//       fsdp.arguments = [{role = "param", name = "w", type = tensor<4xf32>}],
//       fsdp.groups = [{name = "node", classes = #fsdp.classes<...>}], ...}
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"

namespace fsdp {
#define GEN_PASS_DEF_RECORDBOUNDARYPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct RecordBoundaryPass
    : public fsdp::impl::RecordBoundaryPassBase<RecordBoundaryPass> {
  using RecordBoundaryPassBase::RecordBoundaryPassBase;

  void runOnOperation() override {
    Builder builder(&getContext());
    SmallVector<Attribute> groups;
    for (auto group : getOperation().getOps<ProcessGroupOp>())
      if (ClassesAttr classes = group.getClasses())
        groups.push_back(builder.getDictionaryAttr(
            {builder.getNamedAttr("name", group.getSymNameAttr()),
             builder.getNamedAttr("classes", classes)}));
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      record(function);
      function->setAttr(attr::groups, builder.getArrayAttr(groups));
    }
  }

  static void record(func::FuncOp function);
};
} // namespace

/// Role, name and type of an argument or a result.
static Attribute describe(Type type, DictionaryAttr attributes) {
  Builder builder(type.getContext());
  StringAttr role = builder.getStringAttr(""), name = role;
  for (StringRef known :
       {attr::param, attr::buffer, attr::input, attr::state, attr::hyper,
        attr::seed, attr::loss, attr::grad, attr::updated, attr::updatedState,
        attr::updatedSeed, attr::output})
    if (Attribute value = attributes ? attributes.get(known) : Attribute()) {
      role =
          builder.getStringAttr(known.drop_front(StringRef("fsdp.").size()));
      if (auto text = dyn_cast<StringAttr>(value))
        name = text;
    }
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("role", role), builder.getNamedAttr("name", name),
       builder.getNamedAttr("type", TypeAttr::get(type))});
}

/// Writes down arguments and results.
void RecordBoundaryPass::record(func::FuncOp function) {
  Builder builder(function.getContext());
  SmallVector<Attribute> arguments, results;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    arguments.push_back(describe(type, function.getArgAttrDict(i)));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    results.push_back(describe(type, function.getResultAttrDict(i)));
  function->setAttr(attr::arguments, builder.getArrayAttr(arguments));
  function->setAttr(attr::results, builder.getArrayAttr(results));
}
