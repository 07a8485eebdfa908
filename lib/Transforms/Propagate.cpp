// SPDX-License-Identifier: Apache-2.0
//===- Propagate.cpp - write placements on every op -----------------------===//
//
//   %y = linalg.matmul ins(%x, %w) ...
// becomes, with %w split in its columns over @tp,
//   %y = linalg.matmul {fsdp.sharding = [#fsdp.sharding<[{}, {@tp}]>]} ...
//
//===----------------------------------------------------------------------===//
#include "fsdp/Analysis/Propagation.h"
#include "fsdp/Analysis/Varying.h"
#include "fsdp/Transforms/Passes.h"
#include "fsdp/Transforms/PlanSupport.h"

namespace fsdp {
#define GEN_PASS_DEF_PROPAGATEPASS
#include "fsdp/Transforms/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
struct PropagatePass : public fsdp::impl::PropagatePassBase<PropagatePass> {
  void runOnOperation() override {
    FailureOr<Step> step = Step::get(getOperation());
    if (failed(step))
      return signalPassFailure();
    auto propagation = Propagation::run(*step);
    if (failed(propagation))
      return signalPassFailure();
    if ((*propagation)->getActive())
      writePlacements(*step, **propagation);
    else
      writeVarying(*step);
  }

  void writePlacements(const Step &step, const Propagation &propagation);
  void writeVarying(const Step &step);
};
} // namespace

void PropagatePass::writePlacements(const Step &step,
                                    const Propagation &propagation) {
  step.getFunction().walk([&](Operation *op) {
    if (!propagation.isModel(op) || op->hasAttr(attr::sharding))
      return;
    SmallVector<Attribute> shardings, blocks;
    bool hasBlocks = false;
    for (Value result : op->getResults()) {
      int32_t id = propagation.lookup(result);
      if (id < 0 || propagation.getValue(id).isFree)
        return;
      const Propagation::Value &value = propagation.getValue(id);
      SmallVector<int64_t> counts;
      shardings.push_back(propagation.getSharding(
          value.placements, value.type.getRank(), getOperation(), &counts));
      blocks.push_back(DenseI64ArrayAttr::get(&getContext(), counts));
      hasBlocks |=
          llvm::any_of(counts, [](int64_t count) { return count > 1; });
    }
    if (shardings.empty())
      return;
    op->setAttr(attr::sharding, ArrayAttr::get(&getContext(), shardings));
    if (hasBlocks)
      op->setAttr(attr::blocks, ArrayAttr::get(&getContext(), blocks));
  });
}

/// Where nothing is split values are replicated or vary.
void PropagatePass::writeVarying(const Step &step) {
  Varying varying(step);
  auto isTensor = llvm::IsaPred<RankedTensorType>;
  for (Operation &op : step.getFunction().front().without_terminator()) {
    if (op.getNumResults() == 0 || !llvm::all_of(op.getResultTypes(), isTensor))
      continue;
    SmallVector<Attribute> shardings;
    for (Value result : op.getResults()) {
      int64_t rank = cast<RankedTensorType>(result.getType()).getRank();
      shardings.push_back(
          ShardingAttr::getReplicated(&getContext(), rank)
              .withVarying(joinVarying(getOperation(), varying.get(result))));
    }
    op.setAttr(attr::sharding, ArrayAttr::get(&getContext(), shardings));
  }
}
