// SPDX-License-Identifier: Apache-2.0
//===- Bufferization.cpp - one-shot-bufferize for ops in flight -----------===//
//
// What one-shot-bufferize has to know about the ops that reach it.
//
//   %token, %pending = fsdp.start_all_gather ins(%x) outs(%d) ... -> tensor
//   %0 = fsdp.wait %token, %pending holding %x
// becomes
//   %token = fsdp.start_all_gather ins(%x_buffer) outs(%d_buffer) ...
//   fsdp.wait %token holding %x_buffer
//
// A wait reads what it holds and what is pending. Hence nothing can overwrite
// a source or a destination in flight: the write would come between a value
// and its read, and bufferization gives it a buffer of its own.
//
// Pending values alias their destinations but are not called equivalent:
// eliminate-empty-tensors walks up through equivalent values only, and would
// otherwise place a destination inside of a larger tensor, where it is not
// contiguous.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace fsdp;

/// The buffers of `values`; what is a buffer already stays.
static LogicalResult getBuffers(RewriterBase &rewriter, ValueRange values,
                                const BufferizationOptions &options,
                                BufferizationState &state,
                                SmallVectorImpl<Value> &buffers) {
  for (Value value : values) {
    if (!isa<TensorType>(value.getType())) {
      buffers.push_back(value);
      continue;
    }
    FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
    if (failed(buffer))
      return failure();
    buffers.push_back(*buffer);
  }
  return success();
}

/// A contiguous copy of `buffer`, or itself where it is contiguous.
static FailureOr<Value> makeContiguous(RewriterBase &rewriter, Location loc,
                                       Value buffer,
                                       const BufferizationOptions &options) {
  auto type = cast<MemRefType>(buffer.getType());
  if (memref::isStaticShapeAndContiguousRowMajor(type))
    return buffer;
  auto flat = MemRefType::get(type.getShape(), type.getElementType());
  FailureOr<Value> copy = options.createAlloc(rewriter, loc, flat, {});
  if (failed(copy) ||
      failed(options.createMemCpy(rewriter, loc, buffer, *copy)))
    return failure();
  return copy;
}

namespace {
template <typename StartOp>
struct StartModel
    : public BufferizableOpInterface::ExternalModel<StartModel<StartOp>,
                                                    StartOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<StartOp>(op).isDpsInit(&operand);
  }

  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &) const {
    return cast<StartOp>(op).isDpsInit(&operand);
  }

  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    auto start = cast<StartOp>(op);
    if (!start.isDpsInit(&operand))
      return {};
    unsigned index = operand.getOperandNumber() - start.getInputs().size();
    return {{start.getPending()[index], BufferRelation::Unknown}};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto start = cast<StartOp>(op);
    SmallVector<Value> sources, operands, destinations;
    if (failed(
            getBuffers(rewriter, start.getInputs(), options, state, sources)) ||
        failed(getBuffers(rewriter, start.getOutputs(), options, state,
                          destinations)))
      return failure();
    for (Value source : sources) {
      FailureOr<Value> contiguous =
          makeContiguous(rewriter, op->getLoc(), source, options);
      if (failed(contiguous))
        return failure();
      operands.push_back(*contiguous);
    }
    for (Value destination : destinations)
      if (!memref::isStaticShapeAndContiguousRowMajor(
              cast<MemRefType>(destination.getType())))
        return op->emitOpError("expected a contiguous destination, but got ")
               << destination.getType();
    operands.append(destinations);
    OperationState created(op->getLoc(), op->getName());
    created.addOperands(operands);
    created.addTypes(start.getToken().getType());
    created.addAttributes(op->getAttrs());
    SmallVector<Value> results = {rewriter.create(created)->getResult(0)};
    results.append(destinations);
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

struct WaitModel
    : public BufferizableOpInterface::ExternalModel<WaitModel, WaitOp> {
  bool bufferizesToMemoryRead(Operation *, OpOperand &,
                              const AnalysisState &) const {
    return true;
  }

  bool bufferizesToMemoryWrite(Operation *, OpOperand &,
                               const AnalysisState &) const {
    return false;
  }

  AliasingValueList getAliasingValues(Operation *op, OpOperand &operand,
                                      const AnalysisState &) const {
    auto wait = cast<WaitOp>(op);
    for (auto [pending, result] :
         llvm::zip_equal(wait.getPendingMutable(), wait.getResults()))
      if (&pending == &operand)
        return {{result, BufferRelation::Equivalent}};
    return {};
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto wait = cast<WaitOp>(op);
    SmallVector<Value> pending, holding;
    if (failed(
            getBuffers(rewriter, wait.getPending(), options, state, pending)) ||
        failed(
            getBuffers(rewriter, wait.getHolding(), options, state, holding)))
      return failure();
    WaitOp::create(rewriter, op->getLoc(), wait.getToken(), ValueRange(),
                   holding);
    replaceOpWithBufferizedValues(rewriter, op, pending);
    return success();
  }
};

struct ScatterModel
    : public DstBufferizableOpInterfaceExternalModel<ScatterModel, ScatterOp> {
  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto scatter = cast<ScatterOp>(op);
    SmallVector<Value> buffers;
    if (failed(
            getBuffers(rewriter, op->getOperands(), options, state, buffers)))
      return failure();
    auto created = ScatterOp::create(
        rewriter, op->getLoc(), Type(), buffers[0], buffers[1], buffers[2],
        scatter.getDimensionMapAttr(), scatter.getUniqueIndicesAttr());
    rewriter.inlineRegionBefore(scatter.getBody(), created.getBody(),
                                created.getBody().begin());
    replaceOpWithBufferizedValues(rewriter, op, buffers[2]);
    return success();
  }
};

struct ContractModel
    : public DstBufferizableOpInterfaceExternalModel<ContractModel,
                                                     ContractOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    auto contract = cast<ContractOp>(op);
    return !contract.isDpsInit(&operand) || contract.getAccumulate();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto contract = cast<ContractOp>(op);
    SmallVector<Value> buffers;
    if (failed(
            getBuffers(rewriter, op->getOperands(), options, state, buffers)))
      return failure();
    ContractOp::create(rewriter, op->getLoc(), Type(), buffers[0], buffers[1],
                       buffers[2], contract.getIndexingMapsAttr(),
                       contract.getAccumulateAttr());
    replaceOpWithBufferizedValues(rewriter, op, buffers[2]);
    return success();
  }
};
} // namespace

template <typename... StartOps> static void attachStarts(MLIRContext *context) {
  (StartOps::template attachInterface<StartModel<StartOps>>(*context), ...);
}

void fsdp::registerBufferizationModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, FsdpDialect *) {
    attachStarts<StartAllGatherOp, StartReduceScatterOp, StartAllReduceOp,
                 StartAllToAllOp, StartBroadcastOp, StartPermuteOp>(context);
    WaitOp::attachInterface<WaitModel>(*context);
    ScatterOp::attachInterface<ScatterModel>(*context);
    ContractOp::attachInterface<ContractModel>(*context);
  });
}
