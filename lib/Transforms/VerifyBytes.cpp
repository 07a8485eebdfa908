// SPDX-License-Identifier: Apache-2.0
//===- VerifyBytes.cpp - right gradients that cost more than they need ----===//
//
// An all-reduce of what is cut to a shard afterwards, and several all-reduces
// of what is added afterwards. Bytes are those that a rank sends on a ring.
//
//===----------------------------------------------------------------------===//
#include "VerifyGradients.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace fsdp;

namespace {
/// What becomes of a gradient that is all-reduced.
struct Fate {
  /// The all-reduces that it goes through, one after the other.
  SmallVector<AllReduceOp> sums;
  /// The slice or reduce-scatter behind them.
  Operation *cut = nullptr;
  /// The sum that it is added into, if any, in so many iterations.
  Value added;
  int64_t times = 1;
};

class Bytes {
public:
  Bytes(const Step &step, const RankStates &states)
      : module(step.getFunction()->getParentOfType<ModuleOp>()),
        states(states) {}
  void visit(ArrayRef<CollectiveOpInterface> collectives);

private:
  StringRef getParameter(AllReduceOp op) const;
  Fate follow(AllReduceOp op) const;
  bool accumulates(scf::ForOp loop, unsigned index) const;
  bool joins(Operation *op, Value value, AxisSet axes) const;
  void remarkCut(const Fate &fate);
  void remarkAdded(ArrayRef<AllReduceOp> sums, Value added, int64_t times);
  std::string name(AxisSet axes) const {
    return nameAxes(module, states, axes);
  }

  ModuleOp module;
  const RankStates &states;
};
} // namespace

void fsdp::remarkBytes(const Step &step, const RankStates &states,
                       ArrayRef<CollectiveOpInterface> collectives) {
  Bytes(step, states).visit(collectives);
}

void Bytes::visit(ArrayRef<CollectiveOpInterface> collectives) {
  /// By what all are added into, and over which group.
  llvm::MapVector<std::pair<Value, Attribute>,
                  std::pair<SmallVector<AllReduceOp>, int64_t>>
      added;
  DenseSet<Operation *> seen;
  for (CollectiveOpInterface op : collectives) {
    auto sum = dyn_cast<AllReduceOp>(*op);
    if (!sum || seen.contains(sum) || getParameter(sum).empty())
      continue;
    Fate fate = follow(sum);
    seen.insert(fate.sums.begin(), fate.sums.end());
    if (fate.cut)
      remarkCut(fate);
    if (!fate.added)
      continue;
    auto &[sums, times] = added[{fate.added, sum.getGroupAttr()}];
    sums.push_back(sum);
    times += fate.times;
  }
  for (auto &[key, found] : added)
    if (found.second > 1)
      remarkAdded(found.first, key.first, found.second);
}

/// The parameter whose gradient `op` sums; empty for anything else.
StringRef Bytes::getParameter(AllReduceOp op) const {
  const GradientSum *sum = states.getSum(states.get(op->getOperand(0)));
  if (op->getNumResults() != 1 || op.getReduction() != ReductionKind::Sum ||
      !states.has(op.getGroupAttr()) || !sum)
    return {};
  for (auto &[value, scale] : sum->terms)
    if (auto marker = value.getDefiningOp<LocalGradOp>())
      return marker.getParam();
  return {};
}

/// Follows a gradient through what is linear, as far as it is used once.
Fate Bytes::follow(AllReduceOp op) const {
  Fate fate;
  fate.sums = {op};
  AxisSet axes = states.getSet(op.getGroupAttr());
  for (Value value = op->getResult(0); value.hasOneUse();) {
    OpOperand &use = *value.use_begin();
    Operation *user = use.getOwner();
    if (auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
        loop && isa<scf::YieldOp>(user)) {
      if (!accumulates(loop, use.getOperandNumber()))
        break;
      value = fate.added = loop.getResult(use.getOperandNumber());
      fate.times *= loop.getStaticTripCount()->getSExtValue();
      continue;
    }
    if (isa<SliceOp, ReduceScatterOp>(user)) {
      fate.cut = user;
      break;
    }
    auto next = dyn_cast<AllReduceOp>(user);
    if (next && !fate.added && !getParameter(next).empty())
      fate.sums.push_back(next);
    else if (user->getNumResults() != 1 ||
             states.get(user->getResult(0)).sum < 0 ||
             isa<CollectiveOpInterface>(user))
      break;
    unsigned terms = llvm::count_if(user->getOperands(), [&](Value operand) {
      return states.get(operand).sum >= 0;
    });
    if (terms > 1 && !joins(user, value, axes))
      break;
    value = user->getResult(0);
    if (terms > 1)
      fate.added = value;
  }
  return fate;
}

/// True where iterations add up, from zero on, a known number of times.
bool Bytes::accumulates(scf::ForOp loop, unsigned index) const {
  const GradientSum *sum = states.getSum(states.get(loop.getResult(index)));
  return sum && sum->isAccumulated && !sum->isLast &&
         states.get(loop.getInitArgs()[index]).isZero &&
         loop.getStaticTripCount();
}

/// True where `op` adds `value` to what has been summed over `axes` as well, or
/// to what a loop has so far.
bool Bytes::joins(Operation *op, Value value, AxisSet axes) const {
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    const GradientSum *sum = states.getSum(states.get(operand));
    return !sum || operand == value || isa<BlockArgument>(operand) ||
           !(axes & ~sum->reduced);
  });
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

/// What a rank sends, and why: "40 bytes, 2(n-1)/n of 24 with n = 6". Adds it
/// to `total`.
static std::string explain(CollectiveKind kind, int64_t payload, int64_t size,
                           int64_t &total) {
  int64_t bytes = fsdp::detail::wireBytes(kind, payload, size);
  total += bytes;
  return std::to_string(bytes) + " bytes, " +
         (kind == CollectiveKind::AllReduce ? "2" : "") + "(n-1)/n of " +
         std::to_string(payload) + " with n = " + std::to_string(size);
}

void Bytes::remarkCut(const Fate &fate) {
  auto scatter = dyn_cast<ReduceScatterOp>(fate.cut);
  FlatSymbolRefAttr group =
      scatter ? scatter.getGroupAttr() : cast<SliceOp>(fate.cut).getGroupAttr();
  AxisSet all = 0, kept = states.getSet(group);
  auto getSize = [&](AxisSet axes) { return states.getAxes().getSize(axes); };
  std::string sent, groups;
  int64_t sentBytes = 0, neededBytes = 0;
  for (AllReduceOp sum : fate.sums) {
    AxisSet axes = states.getSet(sum.getGroupAttr());
    all |= axes;
    groups += (groups.empty() ? "" : " and ") + name(axes);
    sent += (sent.empty() ? "" : ", and ") + explain(CollectiveKind::AllReduce,
                                                     sum.getPayloadBytes(),
                                                     getSize(axes), sentBytes);
  }
  if (!states.has(group) || (!scatter && (kept & ~all)))
    return;
  AllReduceOp first = fate.sums.front();
  int64_t payload = first.getPayloadBytes();
  std::string needed = explain(CollectiveKind::ReduceScatter, payload,
                               getSize(kept), neededBytes);
  AxisSet rest = all & ~kept;
  std::string across =
      explain(CollectiveKind::AllReduce,
              fsdp::detail::payloadBytes(fate.cut->getResultTypes()),
              getSize(rest), neededBytes);
  if (scatter)
    sentBytes += scatter.getWireBytes(getSize(kept));
  if (sentBytes <= neededBytes)
    return;
  InFlightDiagnostic diag = emitRemark(first.getLoc())
                            << "bytes lost: the gradient of '"
                            << getParameter(first) << "' is all-reduced over "
                            << groups << " and then "
                            << (scatter ? "scattered" : "sliced") << " over "
                            << name(kept) << ": " << sent;
  if (!scatter)
    diag.attachNote(fate.cut->getLoc()) << "a reduce-scatter sends " << needed;
  if (rest)
    diag.attachNote(fate.cut->getLoc())
        << "an all-reduce over " << name(rest) << " behind it sends " << across;
}

void Bytes::remarkAdded(ArrayRef<AllReduceOp> sums, Value added,
                        int64_t times) {
  AllReduceOp first = sums.front();
  AxisSet axes = states.getSet(first.getGroupAttr());
  int64_t bytes = 0;
  std::string once = explain(CollectiveKind::AllReduce, first.getPayloadBytes(),
                             states.getAxes().getSize(axes), bytes);
  if (!bytes)
    return;
  InFlightDiagnostic diag =
      emitRemark(first.getLoc())
      << "bytes lost: the gradient of '" << getParameter(first)
      << "' is all-reduced over " << name(axes) << " " << times
      << " times and then added: " << times << " times " << once;
  diag.attachNote(added.getLoc())
      << "an all-reduce of what is added here sends 1/" << times << " of that";
}
