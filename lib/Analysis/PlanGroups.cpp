//===- PlanGroups.cpp - Groups and the world of a plan --------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The keys `world`, `process_groups` and `mesh`, and groups wherever they
// stand.
//
//===----------------------------------------------------------------------===//

#include "PlanKeys.h"

using namespace mlir;
using namespace fsdp;
using namespace fsdp::yaml;

/// Reads one class of ranks.
static FailureOr<std::vector<int64_t>> readClass(const Node &node) {
  if (node.kind != Node::List || node.items.empty())
    return expected(node, "a list of ranks");
  return readList(node, "", [](const Node &item) -> FailureOr<int64_t> {
    FailureOr<Located<int64_t>> rank = readInteger(item, /*least=*/0);
    return failed(rank) ? FailureOr<int64_t>() : rank->value;
  });
}

FailureOr<GroupSpec> yaml::readGroup(const Node &node) {
  GroupSpec group;
  group.loc = node.loc;
  auto isScalar = [](const Node &i) { return i.kind == Node::Scalar; };
  LogicalResult result = success();
  if (node.kind != Node::List) {
    auto spelling = readString(node, "a process group");
    result = LogicalResult(spelling);
    if (succeeded(result))
      group.spelling = node.isNull() ? "world" : spelling->value;
  } else if (llvm::any_of(node.items, isScalar) || node.items.empty()) {
    result = store(group.classes.emplace_back(), readClass(node));
  } else {
    result = store(group.classes, readList(node, "", readClass));
  }
  return failed(result) ? FailureOr<GroupSpec>() : group;
}

FailureOr<std::vector<GroupSpec>> yaml::readGroups(const Node &node) {
  auto readName = [](const Node &item) -> FailureOr<GroupSpec> {
    if (item.kind != Node::List && !item.isNatural())
      return readGroup(item);
    return emitError(item.loc)
           << "expected the name of a process group for '" << item.key
           << "'; lists of ranks get a name in 'process_groups'";
  };
  return readList(node, "a list of process groups", readName);
}

FailureOr<PlanWorld> yaml::readWorld(const Node &node) {
  PlanWorld world;
  world.loc = node.loc;
  if (failed(readMapping(
          node, {{"ranks", into(world.ranks, readPositive), /*required=*/true},
                 {"ranks_per_node", into(world.ranksPerNode, readPositive)}})))
    return failure();
  return world;
}

FailureOr<std::vector<PlanGroup>> yaml::readProcessGroups(const Node &node) {
  if (node.kind != Node::Mapping)
    return expected(node, "a mapping of names to groups");
  std::vector<PlanGroup> groups;
  for (const Node &item : node.items) {
    PlanGroup &group = groups.emplace_back();
    group.name = {item.key, item.keyLoc};
    if (failed(store(group.spec, readGroup(item))))
      return failure();
  }
  return groups;
}

/// Reads sizes by name, as torchtitan has them: one may be -1, "the rest".
static FailureOr<std::vector<PlanGroup>> readView(const Node &node) {
  if (node.kind != Node::Mapping || node.items.empty())
    return expected(node, "a mapping of names to sizes");
  std::vector<int64_t> sizes;
  const Node *rest = nullptr;
  for (const Node &item : node.items) {
    if (item.kind == Node::Scalar && item.text == "-1") {
      if (rest)
        return emitError(item.loc)
               << "only one size can be -1, and '" << rest->key << "' is";
      rest = &item;
      sizes.push_back(-1);
      continue;
    }
    FailureOr<Located<int64_t>> size = readPositive(item);
    if (failed(size))
      return failure();
    sizes.push_back(size->value);
  }
  std::vector<PlanGroup> groups;
  for (auto [i, item] : llvm::enumerate(node.items))
    groups.push_back({{item.key, item.keyLoc},
                      {"", {}, item.loc, sizes, static_cast<unsigned>(i)}});
  return groups;
}

FailureOr<std::vector<PlanGroup>> yaml::readMesh(const Node &node) {
  if (node.kind != Node::List)
    return readView(node);
  auto views = readList(node, "", readView);
  if (failed(views))
    return failure();
  std::vector<PlanGroup> groups;
  for (std::vector<PlanGroup> &view : *views)
    llvm::append_range(groups, view);
  return groups;
}
