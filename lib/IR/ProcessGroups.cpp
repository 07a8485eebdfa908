// SPDX-License-Identifier: Apache-2.0
//===- ProcessGroups.cpp - spellings and lists to classes -----------------===//
//
// Reads what people write for a process group. Strict words and digits: an
// error names the nearest valid spelling or the rank at fault.
//
//===----------------------------------------------------------------------===//
#include "fsdp/IR/Axes.h"
#include "fsdp/IR/Dialect.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fsdp;

/// The valid spelling that is closest to `text`.
static std::string getNearestSpelling(StringRef text) {
  std::string number;
  for (char c : text)
    if (llvm::isDigit(c))
      number += c;
    else if (!number.empty())
      break;
  number = StringRef(number).ltrim('0').str();
  if (number.empty() || number.size() > 9)
    number = "1";
  std::string best;
  unsigned bestDistance = ~0u;
  std::string lower = text.lower();
  for (const std::string &candidate :
       {std::string("world"), std::string("self"), std::string("node"),
        std::string("local_rank_across_nodes"), "set" + number,
        "mod" + number}) {
    unsigned distance = StringRef(lower).edit_distance(candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

/// Reads `K` of `setK` and `modK`: digits only, no sign, no leading zero.
static std::optional<int64_t> parseCount(StringRef text) {
  int64_t value;
  if (text.empty() || text.front() == '0' ||
      !llvm::all_of(text, [](char c) { return llvm::isDigit(c); }) ||
      text.getAsInteger(10, value))
    return std::nullopt;
  return value;
}

/// The digit of a spelling as (stride, extent); nothing, and `error`, where it
/// is none.
static std::optional<Axis> parseSpelling(StringRef text, WorldAttr world,
                                         std::string &error) {
  int64_t ranks = world.getRanks(), perNode = world.getRanksPerNode();
  bool isNode = text == "node", isAcross = text == "local_rank_across_nodes";
  if (text == "world")
    return Axis{1, ranks};
  if (text == "self")
    return Axis{1, 1};
  if (isNode || isAcross) {
    if (ranks % perNode) {
      error = llvm::formatv("expected ranks_per_node to divide ranks for "
                            "process group '{0}', but got {1} ranks in nodes "
                            "of {2}",
                            text, ranks, perNode);
      return std::nullopt;
    }
    return isNode ? Axis{1, perNode} : Axis{perNode, ranks / perNode};
  }
  bool isSet = text.starts_with("set");
  std::optional<int64_t> count;
  if (isSet || text.starts_with("mod"))
    count = parseCount(text.drop_front(3));
  if (!count) {
    error = llvm::formatv("expected a process group, but got '{0}'; did you "
                          "mean '{1}'?",
                          text, getNearestSpelling(text));
    return std::nullopt;
  }
  if (ranks % *count) {
    error = llvm::formatv(
        "expected {0} of process group '{1}' to divide the number of ranks, "
        "but got {2} ranks",
        isSet ? "the size" : "the number of classes", text, ranks);
    return std::nullopt;
  }
  return isSet ? Axis{1, *count} : Axis{*count, ranks / *count};
}

/// The number of a rank as it was written; nothing where it is no number or
/// needs more than 64 bits.
static std::optional<int64_t> readRank(Attribute attribute) {
  auto rank = dyn_cast<IntegerAttr>(attribute);
  if (!rank || isa<BoolAttr>(attribute))
    return std::nullopt;
  llvm::APInt value = rank.getValue();
  if (rank.getType().isUnsignedInteger())
    value = value.zext(value.getBitWidth() + 1);
  return value.trySExtValue();
}

/// Flattens a list of classes and checks that they are equal parts of the
/// world.
static LogicalResult readClasses(ArrayAttr list, int64_t ranks,
                                 SmallVector<int64_t> &table,
                                 std::string &error) {
  int64_t size = -1;
  llvm::DenseSet<int64_t> seen; // As large as the list, whatever the world is.
  for (Attribute entry : list) {
    auto members = dyn_cast<ArrayAttr>(entry);
    if (!members || members.empty()) {
      error = "expected a non-empty list of ranks for each class of a process "
              "group";
      return failure();
    }
    for (Attribute member : members) {
      std::optional<int64_t> rank = readRank(member);
      if (!rank) {
        error = "expected ranks in a class of a process group to be integers";
        return failure();
      }
      int64_t value = *rank;
      if (value < 0 || value >= ranks) {
        error = llvm::formatv("expected ranks of a process group to be in 0 to "
                              "{0}, but got rank {1}",
                              ranks - 1, value);
        return failure();
      }
      if (!seen.insert(value).second) {
        error = llvm::formatv(
            "expected each rank once in a process group, but got rank {0} "
            "twice",
            value);
        return failure();
      }
      table.push_back(value);
    }
    if (size >= 0 && int64_t(members.size()) != size) {
      error = llvm::formatv("expected classes of a process group to have equal "
                            "sizes, but got {0} ranks in the class of rank {1} "
                            "after classes of {2}",
                            members.size(),
                            table[table.size() - members.size()], size);
      return failure();
    }
    size = members.size();
  }
  if (int64_t(table.size()) == ranks)
    return success();
  // The first few of the ranks that are missing.
  constexpr size_t most = 4;
  SmallVector<std::string> missing;
  for (int64_t rank = 0; rank < ranks && missing.size() <= most; ++rank)
    if (!seen.contains(rank))
      missing.push_back(missing.size() < most ? std::to_string(rank) : "...");
  error = llvm::formatv("expected a process group to cover the world, but got "
                        "no class with rank {0}",
                        llvm::join(missing, ", "));
  return failure();
}

ClassesAttr fsdp::resolveGroup(Attribute spelling, WorldAttr world,
                               std::string &error) {
  MLIRContext *context = spelling.getContext();
  int64_t ranks = world.getRanks();
  if (auto text = dyn_cast<StringAttr>(spelling)) {
    auto digit = parseSpelling(text.getValue(), world, error);
    return digit ? getClasses(context, ranks, {*digit}) : ClassesAttr();
  }
  if (auto list = dyn_cast<ArrayAttr>(spelling)) {
    SmallVector<int64_t> table;
    if (failed(readClasses(list, ranks, table, error)))
      return {};
    return getClassesFromTable(context, ranks, cast<ArrayAttr>(list[0]).size(),
                               table);
  }
  if (auto classes = dyn_cast<ClassesAttr>(spelling)) {
    if (classes.getRanks() == ranks)
      return classes;
    error = llvm::formatv("expected a process group of {0} ranks, but got one "
                          "of {1}",
                          ranks, classes.getRanks());
    return {};
  }
  error = "expected a process group to be a spelling, a list of classes or "
          "#fsdp.classes";
  return {};
}
