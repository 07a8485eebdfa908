// SPDX-License-Identifier: Apache-2.0
//===- axes_test.cpp - axes against enumerated sets of ranks --------------===//
//
// A plain program: for small worlds it makes many groups, keeps each also as
// the list of its classes, and compares what Axes.h computes in closed form
// with what follows from the lists alone. Prints "ok NAME" per case; exit
// status 1 if one failed.
//
//===----------------------------------------------------------------------===//
#include "fsdp/IR/Dialect.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <set>

using namespace mlir;
using namespace fsdp;

namespace {

using Ranks = std::vector<int64_t>;
/// Classes as lists of ranks, in any order of classes.
using Lists = std::vector<Ranks>;
/// A class without its order, and a group without the order of its classes.
using RankSet = std::set<int64_t>;
using Partition = std::set<RankSet>;

int failures = 0;

#define EXPECT(condition, ...)                                                 \
  do {                                                                         \
    if (!(condition) && ++failures <= 20)                                      \
      llvm::errs() << __FILE__ << ":" << __LINE__ << ": expected " #condition  \
                   << ": " << llvm::formatv(__VA_ARGS__) << "\n";              \
  } while (false)

/// A group in both forms. `cuts` are the ends of its digits, found by hand;
/// nothing for a list without digits.
struct Group {
  std::string name;
  Lists lists;
  ClassesAttr classes;
  std::optional<std::set<int64_t>> cuts;

  bool isSelf() const { return lists.front().size() == 1; }
  bool isPlainWorld() const {
    return lists.size() == 1 &&
           std::is_sorted(lists[0].begin(), lists[0].end());
  }
};

class Test {
public:
  Test() { context.loadDialect<FsdpDialect>(); }

  void members();
  void pairs();
  void equal();
  void spellings();
  void incompatible();
  void lists();
  void large();

private:
  Attribute toAttribute(const Lists &lists);
  ClassesAttr resolve(Attribute spelling, int64_t ranks);
  void addDigits(std::vector<Group> &groups, int64_t ranks);
  std::vector<Group> makeGroups(int64_t ranks);
  void checkPair(int64_t ranks, const Group &a, const Group &b);

  MLIRContext context;
};

Attribute Test::toAttribute(const Lists &lists) {
  Builder builder(&context);
  std::vector<Attribute> all;
  for (const Ranks &members : lists)
    all.push_back(builder.getI64ArrayAttr(members));
  return builder.getArrayAttr(all);
}

ClassesAttr Test::resolve(Attribute spelling, int64_t ranks) {
  std::string error;
  ClassesAttr classes =
      resolveGroup(spelling, WorldAttr::get(&context, ranks, ranks), error);
  EXPECT(classes, "{0}", error);
  return classes;
}

/// The classes of the iota form `[ranks / size, size] from [dims] T(perm)`.
Lists readIota(const Ranks &dims, const std::vector<int> &perm, int64_t ranks,
               int64_t size) {
  Ranks order;
  Ranks index(dims.size(), 0);
  for (int64_t n = 0; n < ranks; ++n) {
    int64_t rank = 0;
    for (size_t i = 0; i < dims.size(); ++i)
      rank = rank * dims[i] + index[i];
    order.push_back(rank);
    for (size_t i = dims.size(); i-- > 0;) {
      if (++index[perm[i]] < dims[perm[i]])
        break;
      index[perm[i]] = 0;
    }
  }
  Lists lists;
  for (int64_t n = 0; n < ranks; n += size)
    lists.emplace_back(order.begin() + n, order.begin() + n + size);
  return lists;
}

/// All iota forms of up to three dims whose size is a product of whole dims.
void Test::addDigits(std::vector<Group> &groups, int64_t ranks) {
  std::set<Lists> seen;
  for (int64_t a = 1; a <= ranks; ++a)
    for (int64_t b = 1; a * b <= ranks; ++b) {
      if (ranks % (a * b))
        continue;
      Ranks dims = {a, b, ranks / (a * b)};
      Ranks strides = {b * dims[2], dims[2], 1};
      std::vector<int> perm = {0, 1, 2};
      do {
        int64_t size = 1;
        std::set<int64_t> cuts;
        for (int count = 0; count <= 3; ++count) {
          if (count) {
            int dim = perm[3 - count];
            size *= dims[dim];
            if (dims[dim] > 1)
              cuts.insert({strides[dim], strides[dim] * dims[dim]});
          }
          Lists lists = readIota(dims, perm, ranks, size);
          // Cuts between neighbours that continue one another are no cuts.
          std::set<int64_t> ends = cuts;
          for (int i = 3 - count; i + 1 < 3; ++i)
            for (int j = i + 1; j < 3; ++j) {
              bool onlyOnesBetween = true;
              for (int k = i + 1; k < j; ++k)
                onlyOnesBetween &= dims[perm[k]] == 1;
              if (onlyOnesBetween && dims[perm[i]] > 1 && dims[perm[j]] > 1 &&
                  strides[perm[i]] == strides[perm[j]] * dims[perm[j]])
                ends.erase(strides[perm[i]]);
            }
          Lists sorted = lists;
          llvm::sort(sorted);
          if (!seen.insert(sorted).second)
            continue;
          groups.push_back(
              {llvm::formatv("[{0},{1},{2}] T({3},{4},{5}) / {6}", dims[0],
                             dims[1], dims[2], perm[0], perm[1], perm[2], size),
               lists, resolve(toAttribute(lists), ranks), ends});
        }
      } while (std::next_permutation(perm.begin(), perm.end()));
    }
}

/// Groups of digits, and lists without: rotated, reversed and mixed ones.
std::vector<Group> Test::makeGroups(int64_t ranks) {
  std::vector<Group> groups;
  addDigits(groups, ranks);
  auto addList = [&](const char *name, Lists lists) {
    Lists sorted = lists;
    llvm::sort(sorted);
    for (const Group &group : groups) {
      Lists other = group.lists;
      llvm::sort(other);
      if (other == sorted)
        return;
    }
    ClassesAttr classes = resolve(toAttribute(lists), ranks);
    EXPECT(classes.isExplicit(), "{0} of {1} is {2}", name, ranks, classes);
    groups.push_back({name, lists, classes, std::nullopt});
  };
  for (int64_t size = 2; size <= ranks; ++size) {
    if (ranks % size)
      continue;
    Lists rotated, reversed, mixed;
    for (int64_t first = 0; first < ranks; first += size) {
      Ranks a, b, c;
      for (int64_t i = 0; i < size; ++i) {
        a.push_back((first + i + 1) % ranks);
        b.push_back(first + size - 1 - i);
        c.push_back((first + i) * 5 % ranks);
      }
      rotated.push_back(a);
      reversed.push_back(b);
      mixed.push_back(c);
    }
    addList("rotated", rotated);
    addList("reversed", reversed);
    if (std::gcd<int64_t>(5, ranks) == 1)
      addList("mixed", mixed);
  }
  return groups;
}

Partition toPartition(const Lists &lists) {
  Partition partition;
  for (const Ranks &members : lists)
    partition.insert(RankSet(members.begin(), members.end()));
  return partition;
}

Lists toLists(ClassesAttr classes) {
  std::set<Ranks> lists;
  for (int64_t rank = 0; rank < classes.getRanks(); ++rank) {
    SmallVector<int64_t> members = classes.getClassOf(rank);
    lists.insert(Ranks(members.begin(), members.end()));
  }
  return Lists(lists.begin(), lists.end());
}

/// The finest partition coarser than both: who is reached by steps inside
/// classes of either.
Partition join(const Lists &a, const Lists &b, int64_t ranks) {
  Ranks leader(ranks);
  std::iota(leader.begin(), leader.end(), 0);
  auto find = [&](int64_t rank) {
    while (leader[rank] != rank)
      rank = leader[rank];
    return rank;
  };
  for (const Lists *lists : {&a, &b})
    for (const Ranks &members : *lists)
      for (int64_t rank : members)
        leader[find(rank)] = find(members.front());
  std::map<int64_t, RankSet> classes;
  for (int64_t rank = 0; rank < ranks; ++rank)
    classes[find(rank)].insert(rank);
  Partition partition;
  for (auto &entry : classes)
    partition.insert(entry.second);
  return partition;
}

/// The members of a class and the index in it, against the lists.
void Test::members() {
  for (int64_t ranks = 1; ranks <= 24; ++ranks)
    for (const Group &group : makeGroups(ranks)) {
      EXPECT(group.classes.getSize() == int64_t(group.lists[0].size()), "{0}",
             group.name);
      EXPECT(group.classes.getClasses() == int64_t(group.lists.size()), "{0}",
             group.name);
      EXPECT(group.classes.isExplicit() != group.cuts.has_value(),
             "{0} of {1}: {2}", group.name, ranks, group.classes);
      for (const Ranks &members : group.lists)
        for (auto [index, rank] : llvm::enumerate(members)) {
          EXPECT(ArrayRef<int64_t>(group.classes.getClassOf(rank)) ==
                     ArrayRef<int64_t>(members),
                 "class of {0} in {1}", rank, group.classes);
          EXPECT(group.classes.getIndexOf(rank) == int64_t(index),
                 "index of {0} in {1}", rank, group.classes);
        }
    }
}

/// True where every cut divides the next.
bool isChain(std::set<int64_t> cuts) {
  int64_t last = 1;
  for (int64_t cut : cuts) {
    if (cut % last)
      return false;
    last = cut;
  }
  return true;
}

/// True where `b` is listed and the classes of `a` are its ranks of equal
/// index, in the order of b's classes by their smallest rank.
bool isComplement(const Group &a, const Group &b) {
  if (b.cuts)
    return false;
  Lists sorted = b.lists;
  llvm::sort(sorted, [](const Ranks &x, const Ranks &y) {
    return *llvm::min_element(x) < *llvm::min_element(y);
  });
  std::set<std::vector<int64_t>> wanted, found;
  for (size_t index = 0; index < sorted[0].size(); ++index) {
    std::vector<int64_t> members;
    for (const Ranks &ranks : sorted)
      members.push_back(ranks[index]);
    wanted.insert(members);
  }
  for (const Ranks &members : a.lists)
    found.insert(std::vector<int64_t>(members.begin(), members.end()));
  return wanted == found;
}

void Test::checkPair(int64_t ranks, const Group &a, const Group &b) {
  std::pair<unsigned, unsigned> conflict;
  FailureOr<Axes> axes = Axes::get(ranks, {a.classes, b.classes}, &conflict);
  bool want;
  if (a.cuts && b.cuts) {
    std::set<int64_t> cuts = *a.cuts;
    cuts.insert(b.cuts->begin(), b.cuts->end());
    cuts.insert(ranks);
    want = isChain(cuts);
  } else {
    auto fits = [](const Group &g) { return g.isSelf() || g.isPlainWorld(); };
    want = a.classes == b.classes || fits(a) || fits(b) || isComplement(a, b) ||
           isComplement(b, a);
  }
  EXPECT(succeeded(axes) == want, "{0} with {1} of {2}", a.classes, b.classes,
         ranks);
  if (failed(axes)) {
    EXPECT(conflict == std::make_pair(0u, 1u), "{0} {1}", conflict.first,
           conflict.second);
    return;
  }
  if (!want)
    return;

  AxisSet setA = axes->getSet(a.classes), setB = axes->getSet(b.classes);
  for (const Group *group : {&a, &b}) {
    // Axes and back: nothing is lost, the order least of all.
    EXPECT(axes->getGroup(&context, axes->getAxes(group->classes)) ==
               group->classes,
           "{0} with {1}", a.classes, b.classes);
    EXPECT(axes->getSize(axes->getSet(group->classes)) ==
               group->classes.getSize(),
           "{0}", group->classes);
  }
  // Disjoint sets of axes are classes that meet in one rank, and span classes
  // of the product of the sizes.
  bool meetOnce = true;
  for (const Ranks &x : a.lists)
    for (const Ranks &y : b.lists) {
      RankSet members(x.begin(), x.end());
      meetOnce &= llvm::count_if(
                      y, [&](int64_t r) { return members.count(r) != 0; }) <= 1;
    }
  EXPECT(((setA & setB) == 0) == meetOnce, "{0} with {1}", a.classes,
         b.classes);
  ClassesAttr product = axes->getGroup(&context, setA | setB);
  EXPECT(toPartition(toLists(product)) == join(a.lists, b.lists, ranks),
         "product of {0} and {1}: {2}", a.classes, b.classes, product);
  // Subsets are classes inside classes.
  Partition partitionA = toPartition(a.lists);
  bool nested = llvm::all_of(partitionA, [&](const RankSet &members) {
    return llvm::any_of(b.lists, [&](const Ranks &other) {
      return llvm::all_of(members, [&](int64_t rank) {
        return llvm::is_contained(other, rank);
      });
    });
  });
  // An axis of extent 1, the number of the only class, does not count.
  EXPECT((axes->getSize(setA & ~setB) == 1) == nested, "{0} in {1}", a.classes,
         b.classes);
  // The complement meets every class once, and together they are the world.
  Lists rest = toLists(axes->getGroup(&context, axes->getWorld() & ~setA));
  EXPECT(join(a.lists, rest, ranks).size() == 1, "complement of {0}",
         a.classes);
  EXPECT(int64_t(rest.front().size()) == a.classes.getClasses(),
         "complement of {0}", a.classes);
}

/// All pairs of groups in worlds of many shapes.
void Test::pairs() {
  for (int64_t ranks : {1, 2, 3, 4, 6, 7, 8, 9, 12, 16, 18, 24}) {
    std::vector<Group> groups = makeGroups(ranks);
    for (const Group &a : groups)
      for (const Group &b : groups)
        checkPair(ranks, a, b);
  }
}

/// Equal groups are equal attributes, whatever spells them.
void Test::equal() {
  Builder builder(&context);
  auto spelled = [&](const char *text, int64_t ranks) {
    return resolve(builder.getStringAttr(text), ranks);
  };
  EXPECT(spelled("set16", 16) == spelled("world", 16), "set16");
  EXPECT(spelled("mod1", 16) == spelled("world", 16), "mod1");
  EXPECT(spelled("set1", 16) == spelled("self", 16), "set1");
  EXPECT(spelled("mod16", 16) == spelled("self", 16), "mod16");
  EXPECT(spelled("node", 6) == spelled("world", 6), "node of all");
  for (int64_t ranks = 1; ranks <= 24; ++ranks) {
    std::vector<Group> groups = makeGroups(ranks);
    std::set<const void *> distinct;
    for (const Group &group : groups) {
      EXPECT(distinct.insert(group.classes.getAsOpaquePointer()).second,
             "{0} of {1} is another group: {2}", group.name, ranks,
             group.classes);
      // The numbering of the classes does not count.
      Lists shuffled = group.lists;
      std::rotate(shuffled.begin(), shuffled.begin() + shuffled.size() / 2,
                  shuffled.end());
      EXPECT(resolve(toAttribute(shuffled), ranks) == group.classes, "{0}",
             group.classes);
    }
  }
}

/// Spellings as people know them, by their classes.
void Test::spellings() {
  struct Case {
    int64_t ranks, perNode;
    const char *text;
    Lists lists; ///< Empty where there is no such group.
  };
  const Case cases[] = {
      {16,
       8,
       "node",
       {{0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10, 11, 12, 13, 14, 15}}},
      {16,
       8,
       "local_rank_across_nodes",
       {{0, 8}, {1, 9}, {2, 10}, {3, 11}, {4, 12}, {5, 13}, {6, 14}, {7, 15}}},
      {16,
       8,
       "set4",
       {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}}},
      {16,
       8,
       "mod2",
       {{0, 2, 4, 6, 8, 10, 12, 14}, {1, 3, 5, 7, 9, 11, 13, 15}}},
      {16,
       8,
       "mod4",
       {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}}},
      {4, 4, "self", {{0}, {1}, {2}, {3}}},
      {4, 4, "world", {{0, 1, 2, 3}}},
      {6, 3, "set3", {{0, 1, 2}, {3, 4, 5}}},
      {6, 3, "node", {{0, 1, 2}, {3, 4, 5}}},
      {6, 3, "mod3", {{0, 3}, {1, 4}, {2, 5}}},
      {6, 3, "local_rank_across_nodes", {{0, 3}, {1, 4}, {2, 5}}},
      {6, 3, "set4", {}},
      {6, 3, "mod4", {}},
      {12, 8, "node", {}},
      {12, 8, "local_rank_across_nodes", {}},
      {1, 1, "world", {{0}}},
      {1, 8, "self", {{0}}},
  };
  for (const Case &c : cases) {
    std::string error;
    ClassesAttr group =
        resolveGroup(StringAttr::get(&context, c.text),
                     WorldAttr::get(&context, c.ranks, c.perNode), error);
    EXPECT(static_cast<bool>(group) == !c.lists.empty(), "{0} {1}", c.text,
           error);
    EXPECT(group ? toLists(group) == c.lists : !error.empty(), "{0} of {1}",
           c.text, c.ranks);
  }
  // What is neither a spelling, nor a list, nor resolved.
  std::string error;
  EXPECT(!resolveGroup(UnitAttr::get(&context), WorldAttr::get(&context, 4, 4),
                       error),
         "");
  EXPECT(error == "expected a process group to be a spelling, a list of "
                  "classes or #fsdp.classes",
         "{0}", error);
}

/// Groups that only look independent.
void Test::incompatible() {
  struct Case {
    int64_t ranks;
    Lists a, b;
  };
  for (const Case &c :
       {Case{6, {{0, 1}, {2, 3}, {4, 5}}, {{1, 2}, {3, 4}, {5, 0}}},
        Case{4, {{0, 1}, {2, 3}}, {{0, 2}, {3, 1}}},
        Case{6, {{0, 1}, {2, 3}, {4, 5}}, {{0, 1, 2}, {3, 4, 5}}},
        // The world in two orders.
        Case{4, {{1, 0, 2, 3}}, {{0, 1}, {2, 3}}},
        Case{4, {{1, 0, 2, 3}}, {{2, 0, 1, 3}}},
        Case{4, {{1, 0}, {2, 3}}, {{0, 2, 1, 3}}}}) {
    ClassesAttr a = resolve(toAttribute(c.a), c.ranks);
    ClassesAttr b = resolve(toAttribute(c.b), c.ranks);
    std::pair<unsigned, unsigned> conflict;
    EXPECT(failed(Axes::get(c.ranks, {a, b}, &conflict)), "{0} {1}", a, b);
    EXPECT(conflict == std::make_pair(0u, 1u), "{0} {1}", a, b);
    EXPECT(succeeded(Axes::get(c.ranks, {a})), "{0}", a);
    EXPECT(succeeded(Axes::get(c.ranks, {b})), "{0}", b);
  }
  // The conflict is named by position, past groups that fit.
  ClassesAttr world = resolve(Builder(&context).getStringAttr("world"), 6);
  ClassesAttr set2 = resolve(Builder(&context).getStringAttr("set2"), 6);
  ClassesAttr set3 = resolve(Builder(&context).getStringAttr("set3"), 6);
  std::pair<unsigned, unsigned> conflict;
  EXPECT(failed(Axes::get(6, {world, set2, world, set3}, &conflict)), "");
  EXPECT(conflict == std::make_pair(1u, 3u), "{0} {1}", conflict.first,
         conflict.second);
  // Groups of another world.
  EXPECT(failed(Axes::get(8, {world}, &conflict)), "");
}

/// A list keeps the order inside its classes.
void Test::lists() {
  ClassesAttr group = resolve(toAttribute({{3, 0}, {1, 2}}), 4);
  EXPECT(group.isExplicit() && group.getIndexOf(3) == 0 &&
             group.getIndexOf(0) == 1,
         "{0}", group);
  EXPECT(resolve(toAttribute({{0, 3}, {1, 2}}), 4) != group, "order counts");
  FailureOr<Axes> axes = Axes::get(4, {group});
  EXPECT(succeeded(axes) &&
             axes->getGroup(&context, axes->getSet(group)) == group,
         "{0}", group);
}

/// The closed form costs the same for any number of ranks.
void Test::large() {
  auto begin = std::chrono::steady_clock::now();
  Builder builder(&context);
  for (int64_t ranks : {int64_t(100000), int64_t(1) << 31}) {
    SmallVector<ClassesAttr> groups;
    for (const char *text : {"world", "self", "set8", "mod16", "set2", "mod2"})
      groups.push_back(resolve(builder.getStringAttr(text), ranks));
    FailureOr<Axes> axes = Axes::get(ranks, groups);
    EXPECT(succeeded(axes), "{0}", ranks);
    if (failed(axes))
      return;
    for (ClassesAttr group : groups)
      EXPECT(axes->getGroup(&context, axes->getAxes(group)) == group, "{0}",
             group);
    EXPECT(axes->getSize(axes->getWorld()) == ranks, "{0}", ranks);
    EXPECT(groups[2].getClassOf(ranks - 1).front() == ranks - 8, "{0}", ranks);
    EXPECT(groups[3].getIndexOf(ranks - 1) == ranks / 16 - 1, "{0}", ranks);
  }
  auto spent = std::chrono::steady_clock::now() - begin;
  EXPECT(spent < std::chrono::seconds(1), "{0} ms",
         std::chrono::duration_cast<std::chrono::milliseconds>(spent).count());
}

} // namespace

int main() {
  Test test;
  auto run = [&](const char *name, void (Test::*body)()) {
    int before = failures;
    (test.*body)();
    llvm::outs() << (failures == before ? "ok " : "failed ") << name << "\n";
    llvm::outs().flush();
  };
  run("members", &Test::members);
  run("pairs", &Test::pairs);
  run("equal", &Test::equal);
  run("spellings", &Test::spellings);
  run("incompatible", &Test::incompatible);
  run("lists", &Test::lists);
  run("large", &Test::large);
  return failures != 0;
}
