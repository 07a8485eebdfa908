// SPDX-License-Identifier: Apache-2.0
//===- RankFamilies.cpp - process groups that are taken together ----------===//
//
// Groups that are compatible have common axes, in whose terms values are
// placed. What is in terms of others is trusted, and checked in theirs. A sum
// is the same in any order of its ranks, so that a list whose ranks are in
// another order still sums in terms of the sorted one.
//
//===----------------------------------------------------------------------===//
#include "RankInterpreter.h"

using namespace mlir;
using namespace fsdp;

/// The same ranks, each class in the order of their numbers.
static ClassesAttr getSorted(ClassesAttr classes) {
  SmallVector<int64_t> table(classes.getTable());
  for (size_t i = 0; i < table.size(); i += classes.getSize())
    std::sort(table.begin() + i, table.begin() + i + classes.getSize());
  return classes.isExplicit()
             ? getClassesFromTable(classes.getContext(), classes.getRanks(),
                                   classes.getSize(), table)
             : classes;
}

/// All groups of the module; of a list that is in another order also the
/// sorted one.
static SmallVector<Member> getMembers(ModuleOp module) {
  SmallVector<Member> members;
  for (auto group : module.getOps<ProcessGroupOp>()) {
    ClassesAttr classes = group.getClasses();
    if (!classes)
      continue;
    ClassesAttr sorted = getSorted(classes);
    auto uses = sorted == classes ? std::nullopt
                                  : SymbolTable::getSymbolUses(group, module);
    bool onlySums = uses && llvm::all_of(*uses, [](SymbolTable::SymbolUse use) {
                      return isa<AllReduceOp>(use.getUser());
                    });
    if (sorted != classes)
      members.push_back({group, sorted, false, onlySums});
    members.push_back({group, classes, true, !onlySums});
  }
  return members;
}

SmallVector<Member> fsdp::getFamily(ModuleOp module, int64_t ranks,
                                    unsigned family) {
  SmallVector<Member> all = getMembers(module);
  auto isWorld = [](ClassesAttr classes) {
    return !classes.isExplicit() && classes.getClasses() == 1;
  };
  SmallVector<bool> done;
  for (const Member &member : all)
    done.push_back(!member.isSeed);
  for (;; --family) {
    auto first = llvm::find(done, false);
    if (first == done.end())
      return {};
    *first = true;
    const Member &seed = all[first - done.begin()];
    SmallVector<Member> members = {seed};
    SmallVector<ClassesAttr> classes = {seed.classes};
    // The ranks of a list, and those with the same place in it, in any order.
    SmallVector<ClassesAttr, 2> orders;
    FailureOr<Axes> own = Axes::get(ranks, classes);
    if (seed.classes.isExplicit() && succeeded(own))
      orders = {seed.classes, own->getGroup(module.getContext(), AxisSet(1))};
    for (auto [other, isDone] : llvm::zip_equal(all, done)) {
      if (&other == &seed)
        continue;
      for (ClassesAttr order : orders)
        if (order != other.classes && getSorted(order) == other.classes)
          members.push_back({other.group, order, false});
      classes.push_back(other.classes);
      bool isList = llvm::any_of(
          classes, [](ClassesAttr one) { return one.isExplicit(); });
      if (failed(Axes::get(ranks, classes)) ||
          (isList && seed.isOrdered && isWorld(seed.classes))) {
        classes.pop_back();
        continue;
      }
      members.push_back(other);
      members.back().isOrdered &= !isList || !isWorld(other.classes);
      isDone |= members.back().isOrdered == other.isOrdered;
    }
    if (!family)
      return members;
  }
}
