// SPDX-License-Identifier: Apache-2.0
//===- Axes.cpp - groups as digits of the rank number ---------------------===//
//
// The arithmetic behind Axes.h: axes from cut points, canonical groups from
// digits, digits from lists.
//
//===----------------------------------------------------------------------===//
#include "fsdp/IR/Axes.h"
#include "fsdp/IR/Dialect.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace fsdp;

/// The digits of a group, major to minor.
static SmallVector<Axis> readDigits(ClassesAttr group) {
  SmallVector<Axis> digits;
  for (size_t i = 0; i < group.getDigits().size(); i += 2)
    digits.push_back({group.getDigits()[i], group.getDigits()[i + 1]});
  return digits;
}

SmallVector<Axis> fsdp::mergeDigits(ArrayRef<Axis> digits) {
  SmallVector<Axis> result;
  for (const Axis &digit : digits) {
    if (digit.extent == 1)
      continue;
    if (!result.empty() && result.back().stride == digit.stride * digit.extent)
      result.back() = {digit.stride, result.back().extent * digit.extent};
    else
      result.push_back(digit);
  }
  return result;
}

ClassesAttr fsdp::getClasses(MLIRContext *context, int64_t ranks,
                             ArrayRef<Axis> members) {
  SmallVector<int64_t> digits;
  int64_t size = 1;
  for (const Axis &digit : mergeDigits(members)) {
    digits.append({digit.stride, digit.extent});
    size *= digit.extent;
  }
  return ClassesAttr::get(context, ranks, size, digits, {});
}

/// The offsets from the first rank of a class to each of its ranks.
static SmallVector<int64_t> getOffsets(ArrayRef<Axis> digits) {
  SmallVector<int64_t> offsets = {0};
  for (const Axis &digit : digits) {
    SmallVector<int64_t> next;
    for (int64_t base : offsets)
      for (int64_t i = 0; i < digit.extent; ++i)
        next.push_back(base + i * digit.stride);
    offsets = std::move(next);
  }
  return offsets;
}

/// The digits that give `offsets`, found minor to major; nothing where the
/// offsets are not of that form.
static std::optional<SmallVector<Axis>> findDigits(ArrayRef<int64_t> offsets,
                                                   int64_t ranks) {
  SmallVector<Axis> digits;
  for (size_t done = 1; done < offsets.size();) {
    int64_t stride = offsets[done];
    size_t extent = 1;
    while (extent * done < offsets.size() &&
           offsets[extent * done] == int64_t(extent) * stride)
      ++extent;
    while (offsets.size() % (extent * done))
      --extent;
    if (extent < 2 || stride <= 0)
      return std::nullopt;
    digits.insert(digits.begin(), {stride, int64_t(extent)});
    done *= extent;
  }
  if (getOffsets(digits) != SmallVector<int64_t>(offsets))
    return std::nullopt;
  // The digits must be places of one mixed-radix number.
  SmallVector<Axis> sorted(digits);
  llvm::sort(sorted, [](Axis a, Axis b) { return a.stride < b.stride; });
  int64_t reached = 1;
  for (const Axis &digit : sorted) {
    if (digit.stride % reached)
      return std::nullopt;
    reached = digit.stride * digit.extent;
  }
  if (ranks % reached)
    return std::nullopt;
  return digits;
}

ClassesAttr fsdp::getClassesFromTable(MLIRContext *context, int64_t ranks,
                                      int64_t size, ArrayRef<int64_t> table) {
  SmallVector<int64_t> offsets;
  for (int64_t rank : table.take_front(size))
    offsets.push_back(rank - table.front());
  if (auto digits = findDigits(offsets, ranks)) {
    bool same = true;
    for (size_t i = 0; i < table.size() && same; i += size)
      for (int64_t j = 0; j < size && same; ++j)
        same = table[i + j] == table[i] + offsets[j] &&
               (j || llvm::all_of(*digits, [&](const Axis &digit) {
                  return table[i] / digit.stride % digit.extent == 0;
                }));
    if (same)
      return ::getClasses(context, ranks, *digits);
  }
  // Canonical order of classes: by their smallest rank.
  SmallVector<ArrayRef<int64_t>> classes;
  for (size_t i = 0; i < table.size(); i += size)
    classes.push_back(table.slice(i, size));
  llvm::sort(classes, [](ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
    return *llvm::min_element(a) < *llvm::min_element(b);
  });
  SmallVector<int64_t> sorted;
  for (ArrayRef<int64_t> members : classes)
    sorted.append(members.begin(), members.end());
  return ClassesAttr::get(context, ranks, size, {}, sorted);
}

//===----------------------------------------------------------------------===//
// ClassesAttr: members
//===----------------------------------------------------------------------===//

SmallVector<int64_t> ClassesAttr::getClassOf(int64_t rank) const {
  if (isExplicit()) {
    size_t at = llvm::find(getTable(), rank) - getTable().begin();
    return SmallVector<int64_t>(
        getTable().slice(at - at % getSize(), getSize()));
  }
  SmallVector<Axis> digits = readDigits(*this);
  for (const Axis &digit : digits)
    rank -= rank / digit.stride % digit.extent * digit.stride;
  SmallVector<int64_t> members = getOffsets(digits);
  for (int64_t &member : members)
    member += rank;
  return members;
}

int64_t ClassesAttr::getIndexOf(int64_t rank) const {
  if (isExplicit())
    return (llvm::find(getTable(), rank) - getTable().begin()) % getSize();
  int64_t index = 0;
  for (const Axis &digit : readDigits(*this))
    index = index * digit.extent + rank / digit.stride % digit.extent;
  return index;
}

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

/// Cuts `cuts` (sorted, with 1 and W) at the ends of `digits`; false where a
/// chain of divisors is broken.
static bool addCuts(SmallVector<int64_t> &cuts, ArrayRef<Axis> digits) {
  SmallVector<int64_t> next(cuts);
  for (const Axis &digit : digits)
    next.append({digit.stride, digit.stride * digit.extent});
  llvm::sort(next);
  next.erase(std::unique(next.begin(), next.end()), next.end());
  for (size_t i = 0; i + 1 < next.size(); ++i)
    if (next[i + 1] % next[i])
      return false;
  cuts = std::move(next);
  return true;
}

/// True where `group` goes with any other: every rank alone, or all in the
/// order of their numbers.
static bool isTrivial(ClassesAttr group) {
  return group.getSize() == 1 ||
         (group.getClasses() == 1 && group.getDigits().size() == 2);
}

FailureOr<Axes> Axes::get(int64_t ranks, ArrayRef<ClassesAttr> groups,
                          std::pair<unsigned, unsigned> *conflict) {
  Axes result;
  result.ranks = ranks;
  for (auto [i, group] : llvm::enumerate(groups))
    if (group.getRanks() != ranks) {
      if (conflict)
        *conflict = {0, unsigned(i)};
      return failure();
    }
  auto isListed = [](ClassesAttr group) {
    return group.isExplicit() && !isTrivial(group);
  };
  auto listed = llvm::find_if(groups, isListed);
  if (listed != groups.end()) {
    unsigned other = 0;
    for (auto base = listed; base != groups.end();
         base = std::find_if(std::next(base), groups.end(), isListed)) {
      result.setTable(*base);
      ClassesAttr complement = result.getGroup(base->getContext(), AxisSet(1));
      auto odd = llvm::find_if(groups, [&](ClassesAttr group) {
        return group != *base && group != complement && !isTrivial(group);
      });
      if (odd == groups.end())
        return result;
      if (base == listed)
        other = odd - groups.begin();
    }
    if (conflict)
      *conflict = std::minmax<unsigned>(listed - groups.begin(), other);
    return failure();
  }

  SmallVector<int64_t> cuts = {1};
  if (ranks > 1)
    cuts.push_back(ranks);
  for (auto [i, group] : llvm::enumerate(groups)) {
    if (addCuts(cuts, readDigits(group)))
      continue;
    if (conflict) {
      unsigned first = 0;
      for (SmallVector<int64_t> pair; first < i; ++first) {
        pair = {1, ranks};
        if (!addCuts(pair, readDigits(groups[first])) ||
            !addCuts(pair, readDigits(group)))
          break;
      }
      *conflict = {first, unsigned(i)};
    }
    return failure();
  }
  for (size_t i = cuts.size() - 1; i > 0; --i)
    result.axes.push_back({cuts[i - 1], cuts[i] / cuts[i - 1]});
  return result;
}

/// The two axes of a group without digits.
void Axes::setTable(ClassesAttr group) {
  axes = {{group.getSize(), group.getClasses()}, {1, group.getSize()}};
  table.assign(group.getTable().begin(), group.getTable().end());
}

ClassesAttr fsdp::getMinorGroup(ClassesAttr group, int64_t size) {
  SmallVector<Axis> minor, digits = readDigits(group);
  int64_t left = size;
  while (left > 1 && !digits.empty()) {
    Axis digit = digits.pop_back_val();
    int64_t extent = std::min(left, digit.extent);
    if (left % extent || digit.extent % extent)
      return {};
    minor.insert(minor.begin(), {digit.stride, extent});
    left /= extent;
  }
  return left == 1 ? getClasses(group.getContext(), group.getRanks(), minor)
                   : ClassesAttr();
}

SmallVector<unsigned> Axes::getAxes(ClassesAttr group) const {
  SmallVector<unsigned> order;
  if (group.getSize() == 1)
    return order;
  if (!table.empty()) {
    if (ArrayRef<int64_t>(table) == group.getTable())
      return {1};
    if (group.getClasses() == 1)
      return {0, 1};
    return {0};
  }
  for (const Axis &digit : readDigits(group))
    for (auto [i, axis] : llvm::enumerate(axes))
      if (axis.stride >= digit.stride &&
          axis.stride * axis.extent <= digit.stride * digit.extent)
        order.push_back(i);
  return order;
}

AxisSet Axes::getSet(ClassesAttr group) const {
  AxisSet set = 0;
  for (unsigned axis : getAxes(group))
    set |= AxisSet(1) << axis;
  return set;
}

int64_t Axes::getSize(AxisSet set) const {
  int64_t size = 1;
  for (auto [i, axis] : llvm::enumerate(axes))
    if (set >> i & 1)
      size *= axis.extent;
  return size;
}

ClassesAttr Axes::getGroup(MLIRContext *context,
                           ArrayRef<unsigned> order) const {
  SmallVector<Axis> digits;
  for (unsigned axis : order)
    digits.push_back(axes[axis]);
  if (table.empty() || digits.empty() || digits.size() == axes.size())
    return getClasses(context, ranks,
                      digits.size() == axes.size() && !table.empty()
                          ? ArrayRef<Axis>({1, ranks})
                          : ArrayRef<Axis>(digits));
  // The table read by index in the class, or by class.
  int64_t size = axes[1].extent, classes = axes[0].extent;
  if (order.front() == 1)
    return getClassesFromTable(context, ranks, size, table);
  SmallVector<int64_t> transposed;
  for (int64_t i = 0; i < size; ++i)
    for (int64_t j = 0; j < classes; ++j)
      transposed.push_back(table[j * size + i]);
  return getClassesFromTable(context, ranks, classes, transposed);
}

ClassesAttr Axes::getGroup(MLIRContext *context, AxisSet set) const {
  SmallVector<unsigned> order;
  for (unsigned i = 0; i < axes.size(); ++i)
    if (set >> i & 1)
      order.push_back(i);
  return getGroup(context, order);
}
