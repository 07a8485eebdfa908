// SPDX-License-Identifier: Apache-2.0
//===- VerifyGradients.h - what fsdp-verify-gradients shows -----*- C++ -*-===//
#ifndef FSDP_LIB_TRANSFORMS_VERIFYGRADIENTS_H
#define FSDP_LIB_TRANSFORMS_VERIFYGRADIENTS_H

#include "fsdp/Analysis/RankStates.h"
#include "fsdp/Analysis/Step.h"
#include "llvm/ADT/StringSet.h"

namespace fsdp {

/// What is shown of one parameter.
struct VerdictRow {
  std::string parameter, placement, reduced, scale, where;
};

struct Verdict {
  std::vector<VerdictRow> rows;
  /// The parameters of the rows: one family's terms are enough.
  llvm::StringSet<> shown;
  std::vector<std::string> assumptions;
  /// Aligned columns, then the assumptions.
  void print(llvm::raw_ostream &os) const;
  /// The same as JSON: `parameters` and `assumptions`.
  void writeJson(llvm::raw_ostream &os) const;
};

/// Names the process groups that together are `axes`: one of just these, or
/// the fewest that cover them, or how many ranks.
std::string nameAxes(mlir::ModuleOp module, const RankStates &states,
                     AxisSet axes);

/// The checks in terms of one family of process groups.
class GradientChecks {
public:
  /// Without a verdict nothing is written down.
  GradientChecks(const Step &step, RankStates &states, Verdict *verdict)
      : step(step), function(step.getFunction()), states(states),
        verdict(verdict), loss(step.getLoss()) {}

  // VerifyEvents.cpp
  mlir::LogicalResult checkStorage();
  mlir::LogicalResult checkCollectives();

  // VerifyUses.cpp
  mlir::LogicalResult checkUses();

  // VerifyResults.cpp
  mlir::LogicalResult checkResults();

  // VerifyVerdict.cpp
  void addAssumptions();

private:
  std::string explain(mlir::Value cause, AxisSet axes) const;
  /// Reports, once a parameter, what is wrong with its gradient where it is
  /// used.
  void check(const Parameter &parameter, mlir::Value value,
             const RankState &state, mlir::Location loc, bool isScaleFixed,
             AxisSet declared = 0);
  bool checkGradientPlaced(const Parameter &parameter, mlir::Value value,
                           mlir::Location loc);
  mlir::LogicalResult checkSum(const Parameter &parameter,
                               const GradientSum &sum, mlir::Location loc);
  mlir::LogicalResult checkTrips(const Parameter &parameter,
                                 LocalGradOp marker);
  bool isElsewhere(const Parameter &parameter);
  std::optional<Rational> getWanted(const Parameter &parameter);
  std::optional<Rational> computeWanted(mlir::FlatSymbolRefAttr unit);
  bool checkPlaced(unsigned index, llvm::StringRef what, llvm::StringRef name);
  mlir::LogicalResult checkLoss(unsigned index);
  bool isMadeOfSum(mlir::Value value) const;
  void checkBuffer(unsigned index);
  void checkParameter(unsigned index, const Parameter &parameter,
                      llvm::StringRef role);
  void addRow(const Parameter &parameter, const GradientSum *sum);
  std::string name(AxisSet axes) const {
    return nameAxes(step.getFunction()->getParentOfType<mlir::ModuleOp>(),
                    states, axes);
  }
  mlir::InFlightDiagnostic error(mlir::Location loc) {
    isValid = false;
    return mlir::emitError(loc);
  }

  const Step &step;
  mlir::func::FuncOp function;
  RankStates &states;
  Verdict *verdict;
  LossAttr loss;
  /// By units: what their gradients are scaled by.
  llvm::DenseMap<mlir::Attribute, std::optional<Rational>> ofUnits;
  llvm::StringSet<> reported;
  bool isValid = true;
};

/// A copy of the module in which each gradient that is a result and has no
/// marker is marked at the first op of synchronisation; null if there is none.
mlir::OwningOpRef<mlir::ModuleOp> markGradients(const Step &step);

/// Whether the model itself, above the markers, uses collectives for what they
/// are for. Reports what is wrong.
mlir::LogicalResult
verifyModelCollectives(const Step &step, const RankStates &states,
                       llvm::ArrayRef<CollectiveOpInterface> collectives);

/// Whether what forward and backward use of a split parameter is gathered;
/// where the shard is what they want, it is the parameter's placement in
/// compute.
mlir::LogicalResult verifyShards(const Step &step);

/// Whether gathers among `collectives` join the shards of parameters over the
/// groups that these are stored over. Reports what is wrong.
mlir::LogicalResult
verifyGathers(const Step &step,
              llvm::ArrayRef<CollectiveOpInterface> collectives);

/// Whether `collectives` run in the types that units ask for. Reports what is
/// wrong.
mlir::LogicalResult
verifyTypes(const Step &step, const RankStates &states,
            llvm::ArrayRef<CollectiveOpInterface> collectives);

/// Remarks on gradients that are right, of which more bytes are sent than need
/// be.
void remarkBytes(const Step &step, const RankStates &states,
                 llvm::ArrayRef<CollectiveOpInterface> collectives);

} // namespace fsdp

#endif // FSDP_LIB_TRANSFORMS_VERIFYGRADIENTS_H
