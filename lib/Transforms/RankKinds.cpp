// SPDX-License-Identifier: Apache-2.0
//===- RankKinds.cpp - ranks that do the same at the same time ------------===//
//
// Swapping two values of a digit, between which no program ends, moves ranks to
// ranks of the same program and classes to classes. So one value stands for
// both: the world shrinks to the digits at which programs begin. Of the ranks
// that are left, those are of one kind that run one program and in every class
// meet the same kinds (the coarsest such partition, by refinement).
//
//===----------------------------------------------------------------------===//
#include "VerifyCollectives.h"
#include "llvm/ADT/SmallSet.h"

#include <map>
#include <set>

using namespace mlir;
using namespace fsdp;

/// Ranks of which every other one is an image.
static SmallVector<int64_t> shrinkWorld(ArrayRef<RankRange> programs,
                                        ArrayRef<ClassesAttr> groups) {
  int64_t world = programs.back().last + 1;
  FailureOr<Axes> axes = Axes::get(world, groups);
  if (failed(axes) || llvm::any_of(groups, [](ClassesAttr group) {
        return group.isExplicit();
      }))
    return llvm::to_vector(llvm::seq<int64_t>(world));
  SmallVector<int64_t> ranks = {0};
  for (Axis axis : axes->getAxes()) {
    std::set<int64_t> digits = {0};
    for (RankRange program : programs) {
      int64_t digit = program.first / axis.stride % axis.extent;
      bool isCut = program.first % axis.stride;
      if (digit || isCut)
        digits.insert(digit);
      if (isCut && digit + 1 < axis.extent)
        digits.insert(digit + 1);
    }
    SmallVector<int64_t> next;
    for (int64_t rank : ranks)
      for (int64_t digit : digits)
        next.push_back(rank + digit * axis.stride);
    ranks = std::move(next);
  }
  return ranks;
}

/// For each of `ranks` a number for its class.
static SmallVector<int64_t> getClassNumbers(ArrayRef<int64_t> ranks,
                                            ClassesAttr group) {
  if (group.isExplicit()) {
    // Then `ranks` is the world.
    SmallVector<int64_t> numbers(ranks.size());
    for (auto [i, rank] : llvm::enumerate(group.getTable()))
      numbers[rank] = i / group.getSize();
    return numbers;
  }
  return llvm::map_to_vector(ranks, [&](int64_t rank) {
    ArrayRef<int64_t> digits = group.getDigits();
    int64_t first = rank;
    for (size_t i = 0; i < digits.size(); i += 2)
      first -= rank / digits[i] % digits[i + 1] * digits[i];
    return first;
  });
}

SmallVector<RankKind> fsdp::findRankKinds(ArrayRef<RankRange> programs,
                                          ArrayRef<ClassesAttr> groups) {
  SmallVector<int64_t> ranks = shrinkWorld(programs, groups);
  auto classes = llvm::map_to_vector(
      groups, [&](ClassesAttr group) { return getClassNumbers(ranks, group); });
  SmallVector<unsigned> kinds;
  for (int64_t rank : ranks)
    kinds.push_back(llvm::count_if(
        programs.drop_front(), [&](RankRange p) { return p.first <= rank; }));
  SmallVector<unsigned> ofProgram(kinds);

  // A rank's kind, then for each group a number for the kinds of its class.
  std::map<SmallVector<unsigned>, unsigned> signatures;
  for (size_t before = 0;;) {
    SmallVector<SmallVector<unsigned>> next(ranks.size());
    for (size_t i = 0; i < ranks.size(); ++i)
      next[i].push_back(kinds[i]);
    for (ArrayRef<int64_t> numbers : classes) {
      DenseMap<int64_t, std::set<unsigned>> members;
      for (size_t i = 0; i < ranks.size(); ++i)
        members[numbers[i]].insert(kinds[i]);
      std::map<std::set<unsigned>, unsigned> sets;
      for (size_t i = 0; i < ranks.size(); ++i)
        next[i].push_back(
            sets.try_emplace(members[numbers[i]], sets.size()).first->second);
    }
    signatures.clear();
    for (size_t i = 0; i < ranks.size(); ++i)
      kinds[i] =
          signatures.try_emplace(next[i], signatures.size()).first->second;
    if (signatures.size() == before) {
      SmallVector<RankKind> result(before);
      for (size_t i = ranks.size(); i-- > 0;)
        result[kinds[i]] = {ranks[i], ofProgram[i],
                            SmallVector<unsigned>(llvm::drop_begin(next[i]))};
      return result;
    }
    before = signatures.size();
  }
}
