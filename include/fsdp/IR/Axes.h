// SPDX-License-Identifier: Apache-2.0
//===- Axes.h - groups as digits of the rank number -------------*- C++ -*-===//
//
// Why digits
// ----------
// A process group splits the W ranks into classes. Written as a list it costs
// O(W) and says nothing about how it relates to another group. Yet every group
// that people use is an ordering of *strided digits* of the rank number: with
// W = 8, `set4` is the digit of stride 1 and extent 4 (ranks that differ only
// there are together), `mod4` the digit of stride 4 and extent 2, `world` both.
//
// Take all groups that meet on one value. A digit of stride s and extent e has
// the cut points s and s*e. If all cut points, with 1 and W, form a chain in
// which each divides the next, then the rank number is a mixed-radix number
// whose places are the intervals between neighbours: the *axes*. A group is
// then an ordered set of axes, and
//
//   independent groups  = disjoint sets       product    = union
//   nested groups       = subset              complement = the rest of the axes
//
// all in closed form, at the same cost for 8 ranks and for 100,000. For
// example set2 and mod4 at W = 8 cut at 1, 2 and 4, 8: axes 4x2, 2x2, 1x2
// (stride x extent); set2 = {1x2}, mod4 = {4x2}, and 2x2 is in neither.
//
// If the cut points break the chain (set2 and set3 at W = 6: 2 does not divide
// 3) the groups are *incompatible*: no value can be placed on both. Both may
// exist and serve different units.
//
// Groups without digits
// ---------------------
// A list of classes that is no arrangement of digits still has two axes of its
// own: the index in the class and the number of the class. It is compatible
// with itself, with its complement (ranks of equal index), with `self`, and
// with the world taken as a whole (a sum over all ranks has no order), and with
// nothing else. A list of one class, the
// world in an order of its own, is such a group too.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_IR_AXES_H
#define FSDP_IR_AXES_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace fsdp {
class ClassesAttr;
class WorldAttr;

/// One digit of the rank number: (rank / stride) mod extent.
struct Axis {
  int64_t stride;
  int64_t extent;
  bool operator==(const Axis &other) const {
    return stride == other.stride && extent == other.extent;
  }
};

/// Axes as a set of positions in an `Axes`; there are never 64 of them, since
/// each at least doubles the number of ranks.
using AxisSet = uint64_t;

/// The axes that a set of groups induces, major (largest stride) to minor.
class Axes {
public:
  /// The axes of `groups` in a world of `ranks`. Where two groups are
  /// incompatible, fails and sets `conflict` (if given) to their positions.
  static mlir::FailureOr<Axes>
  get(int64_t ranks, llvm::ArrayRef<ClassesAttr> groups,
      std::pair<unsigned, unsigned> *conflict = nullptr);

  /// The axes of `group`, major to minor. The group is one of those that this
  /// was made from, or one made by `getGroup`.
  llvm::SmallVector<unsigned> getAxes(ClassesAttr group) const;
  /// The same as a set.
  AxisSet getSet(ClassesAttr group) const;
  /// All axes.
  AxisSet getWorld() const { return (AxisSet(1) << axes.size()) - 1; }
  /// How many ranks differ only on `set`.
  int64_t getSize(AxisSet set) const;
  /// The group whose classes run over `order`, major to minor.
  ClassesAttr getGroup(mlir::MLIRContext *context,
                       llvm::ArrayRef<unsigned> order) const;
  /// The same for a set, in the order of the rank number.
  ClassesAttr getGroup(mlir::MLIRContext *context, AxisSet set) const;

  llvm::ArrayRef<Axis> getAxes() const { return axes; }

private:
  void setTable(ClassesAttr group);

  int64_t ranks = 1;
  llvm::SmallVector<Axis> axes;
  /// The group without digits, where there is one: axis 0 is then the number
  /// of the class (of extent 1 where there is one class) and axis 1 the index
  /// in it.
  llvm::SmallVector<int64_t> table;
};

/// The same digits without those of extent 1, and neighbours that continue one
/// another as one digit.
llvm::SmallVector<Axis> mergeDigits(llvm::ArrayRef<Axis> digits);

/// Makes the group of digits `members` (major to minor) in canonical form.
ClassesAttr getClasses(mlir::MLIRContext *context, int64_t ranks,
                       llvm::ArrayRef<Axis> members);

/// The group of the `size` neighbours in each class of `group`: its minor
/// digits. Null where `size` does not cut its digits evenly.
ClassesAttr getMinorGroup(ClassesAttr group, int64_t size);

/// Makes the group of the listed classes, `size` ranks each, as digits where
/// it has that form.
ClassesAttr getClassesFromTable(mlir::MLIRContext *context, int64_t ranks,
                                int64_t size, llvm::ArrayRef<int64_t> table);

/// Resolves a spelling (a string attribute) or a list of classes (an array of
/// arrays of integers). On failure returns null and says why in `error`, which
/// names the rank or the nearest valid spelling.
ClassesAttr resolveGroup(mlir::Attribute spelling, WorldAttr world,
                         std::string &error);

} // namespace fsdp

#endif // FSDP_IR_AXES_H
