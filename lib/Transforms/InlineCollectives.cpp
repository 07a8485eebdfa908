// SPDX-License-Identifier: Apache-2.0
//===- InlineCollectives.cpp - collectives of callees, for checking -------===//
//
// What the parts of fsdp-verify-collectives share: how a collective is
// described, and a copy of the module that has no calls around collectives.
//
//===----------------------------------------------------------------------===//
#include "VerifyCollectives.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fsdp;

int64_t fsdp::getChannel(CollectiveOpInterface op) {
  // Discardable attributes of a blocking op may have any name.
  return op.isBlocking() ? 0
                         : op->getAttrOfType<IntegerAttr>("channel").getInt();
}

std::string fsdp::describe(CollectiveOpInterface op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << stringifyEnum(op.getKind());
  if (std::optional<ReductionKind> reduction = op.getReductionKind())
    os << ' ' << stringifyEnum(*reduction);
  os << " of ";
  llvm::interleaveComma(op.getSources().getTypes(), os, [&](Type type) {
    auto shaped = cast<ShapedType>(type);
    os << RankedTensorType::get(shaped.getShape(), shaped.getElementType());
  });
  auto properties = cast<DictionaryAttr>(op->getPropertiesAsAttribute());
  for (StringRef name : {"dim", "split_dim", "concat_dim", "root", "shift"})
    if (auto value = properties.getAs<IntegerAttr>(name))
      os << ' ' << name << ' ' << value.getInt();
  os << " over " << op.getGroupRef();
  if (int64_t channel = getChannel(op))
    os << " on channel " << channel;
  return text;
}

SmallVector<Communication> fsdp::findCommunication(ModuleOp module) {
  SmallVector<Communication> found;
  for (auto function : module.getOps<func::FuncOp>())
    found.push_back(findCommunication(function));
  return found;
}

Communication fsdp::findCommunication(func::FuncOp function) {
  Communication found{function, {}, {}, false};
  Dialect *own = function->getContext()->getLoadedDialect<FsdpDialect>();
  function->walk([&](Operation *op) {
    if (auto call = dyn_cast<func::CallOp>(op))
      found.calls.push_back(call);
    // Asking every op for the interface would cost more than all else here.
    if (op->getDialect() != own)
      return;
    auto collective = dyn_cast<CollectiveOpInterface>(op);
    if (collective)
      found.collectives.push_back(collective);
    found.isAsync |=
        isa<WaitOp>(op) || (collective && !collective.isBlocking());
  });
  return found;
}

/// True where a collective stands in `function`.
static bool hasCollectives(func::FuncOp function) {
  return !findCommunication(function).collectives.empty();
}

/// Puts the body of `callee`, of one block, in place of `call`.
static void inlineCall(func::CallOp call, func::FuncOp callee) {
  OpBuilder builder(call);
  IRMapping mapping;
  mapping.map(callee.getArguments(), call.getOperands());
  for (Operation &op : callee.front().without_terminator())
    builder.clone(op, mapping)->walk([&](Operation *inner) {
      inner->setLoc(CallSiteLoc::get(inner->getLoc(), call.getLoc()));
    });
  for (auto [result, value] : llvm::zip_equal(
           call.getResults(), callee.front().getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
}

namespace {
/// Inlines calls of functions that have collectives or return what a condition
/// may be made of, callees first.
struct CollectiveInliner {
  explicit CollectiveInliner(ModuleOp module) : symbols(module) {}

  SymbolTable symbols;
  /// False while a function's calls are being inlined: a call of it is then
  /// recursive.
  DenseMap<Operation *, bool> done;
  SmallVector<func::CallOp> recursive;
  llvm::SetVector<Operation *> inlined;

  LogicalResult visit(func::FuncOp function) {
    if (!done.try_emplace(function, false).second)
      return success();
    SmallVector<func::CallOp> calls;
    function.walk([&](func::CallOp call) { calls.push_back(call); });
    for (func::CallOp call : calls) {
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee || callee.isExternal())
        continue;
      if (failed(visit(callee)))
        return failure();
      if (!done[callee]) {
        recursive.push_back(call);
        continue;
      }
      bool communicates = hasCollectives(callee);
      bool hasOneBlock = callee.getBody().hasOneBlock();
      if (!communicates && (!call.getNumResults() || !hasOneBlock))
        continue;
      if (!hasOneBlock)
        return call.emitOpError("expected one block in a called function with "
                                "collectives, but got ")
               << callee.getBody().getBlocks().size();
      inlineCall(call, callee);
      if (communicates)
        inlined.insert(callee);
    }
    done[function] = true;
    return success();
  }
};
} // namespace

FailureOr<OwningOpRef<ModuleOp>>
fsdp::inlineCollectives(ModuleOp module, ArrayRef<Communication> functions) {
  llvm::StringSet<> communicating;
  for (const Communication &found : functions)
    if (!found.collectives.empty())
      communicating.insert(func::FuncOp(found.function).getName());
  bool isNeeded = false;
  for (const Communication &found : functions)
    for (func::CallOp call : found.calls)
      isNeeded |= communicating.contains(call.getCallee()) ||
                  (!found.collectives.empty() && call.getNumResults());
  if (!isNeeded)
    return OwningOpRef<ModuleOp>();
  OwningOpRef<ModuleOp> copy(module.clone());
  CollectiveInliner inliner(*copy);
  for (auto function : copy->getOps<func::FuncOp>())
    if (failed(inliner.visit(function)))
      return failure();
  for (func::CallOp call : inliner.recursive)
    if (hasCollectives(inliner.symbols.lookup<func::FuncOp>(call.getCallee())))
      return call.emitOpError("expected no recursion around a collective, but "
                              "got a call of @")
             << call.getCallee();
  // What has callers is checked where it is called.
  for (Operation *callee : inliner.inlined)
    if (cast<func::FuncOp>(callee).isPrivate())
      callee->erase();
  return copy;
}
