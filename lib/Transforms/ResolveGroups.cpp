// SPDX-License-Identifier: Apache-2.0
//===- ResolveGroups.cpp - spellings and lists to classes -----------------===//
//
// From here on a group is digits of the rank number (Axes.h) and every pass
// can reason about it in closed form. Equal groups become one, so that they
// share a communicator and compare equal as symbols.
//
//   fsdp.process_group @node = "node"
// becomes, for 8 ranks in nodes of 4,
//   fsdp.process_group @node = #fsdp.classes<[2, 4] from [8]> spelled "node"
//
//===----------------------------------------------------------------------===//
#include "fsdp/Transforms/Passes.h"

namespace fsdp {
#define GEN_PASS_DEF_RESOLVEGROUPSPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct ResolveGroupsPass
    : public fsdp::impl::ResolveGroupsPassBase<ResolveGroupsPass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    WorldAttr world = getWorld(module);
    DenseMap<Attribute, ProcessGroupOp> byClasses;
    DenseMap<Attribute, FlatSymbolRefAttr> renamed;
    for (auto group :
         llvm::make_early_inc_range(module.getOps<ProcessGroupOp>())) {
      if (!world) {
        emitError(module.getLoc(), "expected '")
            << attr::world
            << "' on a module with process groups; set ranks "
               "in the plan or as an option";
        return signalPassFailure();
      }
      std::string error;
      ClassesAttr classes = resolveGroup(group.getValue(), world, error);
      if (!classes) {
        group.emitOpError(error);
        return signalPassFailure();
      }
      auto [it, isNew] = byClasses.try_emplace(classes, group);
      if (!isNew) {
        renamed[FlatSymbolRefAttr::get(group)] =
            FlatSymbolRefAttr::get(it->second);
        group.erase();
        continue;
      }
      if (group.getValue() != classes) {
        group.setSpellingAttr(group.getValue());
        group.setValueAttr(classes);
      }
    }
    if (!renamed.empty())
      rename(renamed);
  }

  void rename(const DenseMap<Attribute, FlatSymbolRefAttr> &renamed);
};
} // namespace

/// Replaces the symbols of groups that went into an equal one.
void ResolveGroupsPass::rename(
    const DenseMap<Attribute, FlatSymbolRefAttr> &renamed) {
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](FlatSymbolRefAttr symbol) -> std::optional<Attribute> {
        auto it = renamed.find(symbol);
        return it == renamed.end() ? std::optional<Attribute>()
                                   : std::optional<Attribute>(it->second);
      });
  replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/false);
}
