// SPDX-License-Identifier: Apache-2.0
//===- RankInterpreter.h - the transfer functions ---------------*- C++ -*-===//
//
// RankFamilies.cpp chooses the groups, RankStates.cpp says what a value is on
// an axis, RankInterpreter.cpp walks blocks, RankControlFlow.cpp loops
// and branches, RankElements.cpp does arithmetic, RankLinalg.cpp bodies,
// RankLoops.cpp the loop that is split, RankTensors.cpp what moves elements,
// RankCollectives.cpp what moves them between ranks, RankGradients.cpp sums of
// gradients, RankLinear.cpp what they go through, RankBuckets.cpp several in
// one tensor, RankGathers.cpp what becomes of what is gathered, RankUniform.cpp
// dims along which nothing changes.
//
//===----------------------------------------------------------------------===//
#ifndef FSDP_LIB_ANALYSIS_RANKINTERPRETER_H
#define FSDP_LIB_ANALYSIS_RANKINTERPRETER_H

#include "fsdp/Analysis/RankStates.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace fsdp {

/// A process group, or the same ranks in the order of their numbers, which is
/// all that counts where it only sums.
struct Member {
  ProcessGroupOp group;
  ClassesAttr classes;
  bool isOrdered;
  /// A family may be made of it and what is compatible.
  bool isSeed = true;
};

/// The process groups that are taken together: from the first that no earlier
/// family has, all that are compatible. In terms of a list the world has no
/// order, so that it is in a family without one as well.
llvm::SmallVector<Member> getFamily(mlir::ModuleOp module, int64_t ranks,
                                    unsigned family);

/// A scalar of a body on one axis.
struct Element {
  AxisState state;
  bool isZero = false;
};

/// The loop along which an op is split on one axis.
struct LoopSplit {
  int64_t loop = -1;
  int64_t inner = 0;
  unsigned order = 0;
  /// By how much the position in the whole grows with the rank's digit.
  int64_t stride = 0;
  /// Said of a dimension that only happens to have one row.
  bool isGuess = false;
};

/// Local rows that one step of the digit of `axis` is worth, in a dimension
/// that other axes may split as well.
int64_t getStride(const RankState &state, unsigned axis, const Axes &axes);

/// The same sum with all arithmetic part of the terms.
GradientSum fold(GradientSum sum);

/// The constant that `value` is, if it is one.
std::optional<int64_t> getInteger(mlir::Value value);

/// The reduction that `yielded` does with what the result holds so far, and the
/// value that comes in.
std::optional<std::pair<ReductionKind, mlir::Value>>
matchReduction(mlir::Value yielded, mlir::BlockArgument out);

/// By which constant `op`, of two operands, multiplies operand `at`.
std::optional<Rational> getFactor(mlir::Operation *op, unsigned at);

/// Where a bucket's pieces are once `op` has moved its first operand; nothing
/// where they are torn apart.
std::optional<Bucket> moveBucket(mlir::Operation *op, const Bucket &bucket);

/// The same in a result of `op`, computed element by element.
std::optional<Bucket> moveBucket(mlir::linalg::LinalgOp op, unsigned operand,
                                 unsigned result, const Bucket &bucket);

/// The same behind a collective, of its source `i`.
std::optional<Bucket> moveBucket(CollectiveOpInterface op, unsigned i,
                                 const Bucket &bucket);

/// What ranks have of a bucket of `shape` once they have cut, or joined, what
/// they have along `dim` into `rows` rows.
std::optional<Bucket> resizeBucket(Bucket bucket, llvm::ArrayRef<int64_t> shape,
                                   int64_t dim, int64_t rows);

class RankInterpreter : public RankStates {
public:
  mlir::LogicalResult init(mlir::func::FuncOp function, unsigned family);
  void visit(mlir::Block &block);
  bool repeats(mlir::Value value, int64_t dim) override {
    return getBroadcast(value) >> dim & 1;
  }

private:
  /// Sets what is known of a value, by copy: a new entry moves all others.
  void assign(mlir::Value value, RankState state) { states[value] = state; }
  void visit(mlir::Operation *op);
  bool visitOwn(mlir::Operation *op);
  void visitRankIndex(RankIndexOp op);
  void visitArguments();
  void visitFor(mlir::scf::ForOp loop);
  void visitIf(mlir::scf::IfOp branch);
  void visitWhile(mlir::scf::WhileOp loop);
  /// Any where an operand, also of a region's ops, is anything but equal.
  void visitUnknown(mlir::Operation *op);
  void visitRule(mlir::Operation *op);
  void setResults(mlir::Operation *op, RankState state);
  /// Finds those of the axes on which a result became unknown where chunks of
  /// one row made it so.
  void findInexact(mlir::Operation *op, AxisSet fresh);
  /// Says so of the results, also where the operands were.
  void setGuessed(mlir::Operation *op);
  /// The two in one: what a value is that may be either.
  RankState join(const RankState &a, const RankState &b) const;
  /// True for sums of the same, piece by piece.
  bool isSame(int32_t a, int32_t b) const;

  // RankElements.cpp
  Element evaluate(mlir::Operation *op, llvm::ArrayRef<Element> operands,
                   unsigned axis);
  Element evaluateExtract(mlir::tensor::ExtractOp op,
                          llvm::ArrayRef<Element> indices, unsigned axis);

  // RankLinalg.cpp
  void visitLinalg(mlir::linalg::LinalgOp op);
  void visitElementwise(mlir::Operation *op);
  /// Terms to which each rank adds its share of what is equal are terms.
  void addShares(mlir::Operation *op, RankState &result);
  llvm::SmallVector<Element> evaluateBody(mlir::linalg::LinalgOp op,
                                          unsigned axis, LoopSplit split);
  void setLinalg(mlir::linalg::LinalgOp op, unsigned axis,
                 llvm::MutableArrayRef<RankState> results);

  // RankLoops.cpp
  /// The loops that all operands may be split along, best first.
  llvm::SmallVector<LoopSplit> findSplits(llvm::ArrayRef<mlir::AffineMap> maps,
                                          mlir::ValueRange operands,
                                          unsigned axis, bool &isMixed);
  Element getElement(mlir::Value value, mlir::AffineMap map, unsigned axis,
                     LoopSplit split);

  // RankUniform.cpp
  /// Dims along which all elements are equal, as bits.
  uint32_t getUniform(mlir::Value value);
  /// The same without those of one row.
  uint32_t getBroadcast(mlir::Value value);
  uint32_t computeBroadcast(mlir::Value value);
  /// True for a sum along what is the same everywhere.
  bool sumsBroadcast(mlir::linalg::LinalgOp op);
  bool isAmbiguous(mlir::Value value, AxisSet axis);

  // RankTensors.cpp: false where the op is none of them.
  bool visitTensor(mlir::Operation *op);
  void visitReshape(mlir::Operation *op, mlir::Value source,
                    llvm::ArrayRef<mlir::ReassociationIndices> groups,
                    bool isExpand);
  void visitExtractSlice(mlir::tensor::ExtractSliceOp op);
  void visitInsertSlice(mlir::tensor::InsertSliceOp op);
  void visitConcat(mlir::tensor::ConcatOp op);
  void visitPad(mlir::tensor::PadOp op);
  void visitScatter(ScatterOp op);

  // RankCollectives.cpp
  void visitCollective(CollectiveOpInterface op);
  void visitSlice(SliceOp op);
  void visitReshard(ReshardOp op);
  void gather(RankState &state, int64_t &extent, mlir::Operation *op,
              unsigned operand, llvm::ArrayRef<unsigned> group, int64_t dim);
  void passUnfollowed(RankState &state, mlir::Operation *op, unsigned operand,
                      bool isReduction);
  void pass(RankState &state, CollectiveOpInterface collective,
            unsigned operand, llvm::ArrayRef<unsigned> group, bool isSum);
  void cut(RankState &state, int64_t &extent, mlir::Operation *op,
           unsigned operand, llvm::ArrayRef<unsigned> group, int64_t dim);
  void reduce(RankState &state, mlir::Operation *op, unsigned operand,
              llvm::ArrayRef<unsigned> group, ReductionKind kind);
  bool isOfBuffer(mlir::Value value) const;
  void report(RankEvent::Kind kind, mlir::Operation *op, unsigned operand,
              AxisSet axes);

  // RankBuckets.cpp
  /// Moves the pieces of a sum that is a bucket.
  void moveSum(RankState &state,
               llvm::function_ref<std::optional<Bucket>(const Bucket &)> move);
  void followConcat(mlir::tensor::ConcatOp op);
  void followInsert(mlir::tensor::InsertSliceOp op);

  // RankGathers.cpp
  bool sendsTerms(CollectiveOpInterface op, unsigned operand,
                  llvm::ArrayRef<unsigned> group);
  /// Where an operand is made of chunks of several values that are taken out of
  /// the joined `result` each as a whole, says so in `state`.
  void joinPieces(RankState &state, mlir::Operation *op, unsigned operand,
                  mlir::Value result, llvm::ArrayRef<unsigned> group,
                  int64_t dim);
  /// True where all that becomes of `result`, in which the ranks' terms follow
  /// each other every `rows` rows, is their sum.
  bool sumsTerms(mlir::Value result, int64_t dim, int64_t rows);
  bool areSummed(mlir::Value value, const Bucket &bucket);
  /// Records what uses chunks of a parameter that compute wants whole.
  void checkWhole(mlir::Value gathered);
  /// True where all that becomes of `value` is that it is divided by `count`.
  bool isDivided(mlir::Value value, int64_t count);

  // RankGradients.cpp
  AxisSet getLossAxes() const;
  void visitMarker(LocalGradOp op);
  void visitScale(ScaleOp op);
  /// The sum that `state` is, or a new one of which `value` is the only term.
  int32_t getOrCreateSum(const RankState &state, mlir::Value value);
  int32_t addSum(GradientSum sum);
  /// The sum that `change` makes of one, or of each in a bucket.
  int32_t changeSum(int32_t sum,
                    llvm::function_ref<GradientSum(GradientSum)> change);
  /// Adds sums, each with a factor; -1 where buckets do not match.
  int32_t addSums(llvm::ArrayRef<std::pair<int32_t, Rational>> terms);
  void followCopy(mlir::Operation *op, mlir::Value source);
  void recordUses(mlir::Operation *op,
                  llvm::ArrayRef<std::pair<unsigned, Rational>> scales = {});
  /// The axes along which the parameter that a value is (of) differs.
  AxisSet getVarying(const RankState &state) const;

  // RankLinear.cpp
  /// Follows sums through an op whose results are placed already.
  void followSums(mlir::Operation *op);

  mlir::func::FuncOp function;
  LossAttr loss;
  llvm::DenseMap<mlir::Value, uint32_t> uniform;
  /// Ops that add up what ranks sent each other.
  llvm::DenseSet<mlir::Operation *> localSums;
  /// Ops that divide by how often equal values were counted.
  llvm::DenseSet<mlir::Operation *> divided;
  /// Markers of what differs and should not, from where on it is taken as
  /// equal.
  llvm::DenseSet<mlir::Operation *> drifted;
  bool isPerRank = true;
  /// The axes on which the op that is visited was read in one of several ways.
  AxisSet guessed = 0;
};

} // namespace fsdp

#endif // FSDP_LIB_ANALYSIS_RANKINTERPRETER_H
