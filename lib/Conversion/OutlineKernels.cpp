// SPDX-License-Identifier: Apache-2.0
//===- OutlineKernels.cpp - one function per distinct loop nest -----------===//
//
// An exported step has its layers unrolled: thousands of ops, of which a few
// dozen are distinct. LLVM is super-linear in the length of a function, so
// every op that computes becomes a call of a function of its own, and equal
// ops call one function.
//
//   linalg.add ins(%a, %b : memref<4xf32>, ...) outs(%c : memref<4xf32>)
//   linalg.add ins(%c, %b : memref<4xf32>, ...) outs(%d : memref<4xf32>)
// becomes
//   call @kernel_0(%a, %b, %c)
//   call @kernel_0(%c, %b, %d)
//   func.func private @kernel_0(%0: memref<4xf32> {llvm.noalias}, ...) {
//     linalg.add ins(%0, %1) outs(%2)
//
// Two arguments may alias only where they are views of one buffer; arguments
// and results of the step are distinct buffers by its calling convention.
//
//===----------------------------------------------------------------------===//
#include "fsdp/Conversion/Passes.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

namespace fsdp {
#define GEN_PASS_DEF_OUTLINEKERNELSPASS
#include "fsdp/Conversion/Passes.h.inc"
} // namespace fsdp

using namespace mlir;
using namespace fsdp;

namespace {
/// What a kernel takes from the function around it.
struct Captures {
  /// What is passed: buffers with a static layout, and scalars.
  SetVector<Value> arguments;
  /// What is cloned into the kernel, in order: constants, and views with a
  /// dynamic layout, which a bare pointer cannot carry.
  SetVector<Operation *> cloned;
};

struct OutlineKernelsPass
    : public fsdp::impl::OutlineKernelsPassBase<OutlineKernelsPass> {
  using OutlineKernelsPassBase::OutlineKernelsPassBase;

  void runOnOperation() override {
    kernels.clear();
    SymbolTable symbols(getOperation());
    SmallVector<Operation *> ops;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isExternal())
        continue;
      stridedCopiesToLinalg(function);
      describeBuffers(function);
      findKernels(function.getBody(), ops);
    }
    for (Operation *op : ops)
      outline(op, symbols);
  }

  void stridedCopiesToLinalg(func::FuncOp function);
  void describeBuffers(func::FuncOp function);
  void findKernels(Region &region, SmallVectorImpl<Operation *> &ops);
  void outline(Operation *op, SymbolTable &symbols);

  /// The kernels so far, by their printed form.
  llvm::StringMap<func::FuncOp> kernels;
};
} // namespace

/// A copy between layouts that are not contiguous is a loop nest; upstream
/// lowers it to a call of a library that we do not link.
void OutlineKernelsPass::stridedCopiesToLinalg(func::FuncOp function) {
  SmallVector<memref::CopyOp> copies;
  function.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    auto isContiguous = [](Value buffer) {
      auto type = dyn_cast<MemRefType>(buffer.getType());
      return type && memref::isStaticShapeAndContiguousRowMajor(type);
    };
    if (isContiguous(copy.getSource()) && isContiguous(copy.getTarget()))
      continue;
    OpBuilder builder(copy);
    linalg::CopyOp::create(builder, copy.getLoc(), copy.getSource(),
                           copy.getTarget());
    copy.erase();
  }
}

/// What a condition or a loop hands on may be one of several buffers with
/// layouts of their own. It becomes a view of a pointer and numbers, which a
/// kernel makes again.
void OutlineKernelsPass::describeBuffers(func::FuncOp function) {
  SmallVector<Value> buffers;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      if (auto type = dyn_cast<MemRefType>(value.getType());
          type && !LLVMTypeConverter::canConvertToBarePtr(type))
        buffers.push_back(value);
  };
  function.walk([&](Operation *op) {
    if (!isa<ViewLikeOpInterface>(op))
      add(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block.getArguments());
  });
  for (Value buffer : buffers) {
    OpBuilder builder(function.getContext());
    builder.setInsertionPointAfterValue(buffer);
    auto parts = memref::ExtractStridedMetadataOp::create(
        builder, buffer.getLoc(), buffer);
    auto view = memref::ReinterpretCastOp::create(
        builder, buffer.getLoc(), cast<MemRefType>(buffer.getType()),
        parts.getBaseBuffer(), parts.getConstifiedMixedOffset(),
        parts.getConstifiedMixedSizes(), parts.getConstifiedMixedStrides());
    buffer.replaceAllUsesExcept(view, parts);
  }
}

/// Whether a kernel can hold `op`: it computes on buffers, it is one loop
/// nest, and nothing in it belongs to the step as a whole.
static bool isKernel(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    if (!linalgOp.hasPureBufferSemantics())
      return false;
  } else if (!isa<scf::ForOp, scf::ParallelOp>(op) || op->getNumResults()) {
    return false;
  }
  return !op->walk([&](Operation *inner) {
              bool belongsToStep =
                  isa<func::CallOp, memref::AllocOp>(inner) ||
                  isa<FsdpDialect>(inner->getDialect()) ||
                  (inner != op && isa<linalg::LinalgOp>(inner));
              return belongsToStep ? WalkResult::interrupt()
                                   : WalkResult::advance();
            }).wasInterrupted();
}

/// Collects the outermost ops that can be kernels.
void OutlineKernelsPass::findKernels(Region &region,
                                     SmallVectorImpl<Operation *> &ops) {
  for (Operation &op : region.getOps()) {
    if (isKernel(&op)) {
      ops.push_back(&op);
      continue;
    }
    for (Region &inner : op.getRegions())
      findKernels(inner, ops);
  }
}

/// Adds `value`, or what it is made of, to what a kernel takes.
static void capture(Value value, Captures &captures) {
  Operation *def = value.getDefiningOp();
  auto type = dyn_cast<MemRefType>(value.getType());
  bool isConstant = def && def->hasTrait<OpTrait::ConstantLike>();
  bool isDynamicView = def && type && isa<ViewLikeOpInterface>(def) &&
                       !LLVMTypeConverter::canConvertToBarePtr(type);
  if (!isConstant && !isDynamicView) {
    captures.arguments.insert(value);
    return;
  }
  for (Value operand : def->getOperands())
    capture(operand, captures);
  captures.cloned.insert(def);
}

/// The buffer that `value` is a view of; null where it may be one of several.
static Value getRoot(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  if (auto argument = dyn_cast<BlockArgument>(value))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? value
                                                                 : Value();
  return isa<memref::AllocOp, memref::GetGlobalOp>(value.getDefiningOp())
             ? value
             : Value();
}

/// Marks the buffers whose root no other argument shares.
static void markNoAlias(func::FuncOp kernel, ValueRange arguments) {
  SmallVector<Value> roots;
  for (Value argument : arguments) {
    if (!isa<MemRefType>(argument.getType()))
      continue;
    roots.push_back(getRoot(argument));
    if (!roots.back())
      return;
  }
  for (auto [index, argument] : llvm::enumerate(arguments))
    if (isa<MemRefType>(argument.getType()) &&
        llvm::count(roots, getRoot(argument)) == 1)
      kernel.setArgAttr(index, LLVM::LLVMDialect::getNoAliasAttrName(),
                        UnitAttr::get(kernel.getContext()));
}

/// A function that runs `op`, not yet in the module.
static func::FuncOp makeKernel(Operation *op, const Captures &captures) {
  OpBuilder builder(op->getContext());
  ValueRange arguments = captures.arguments.getArrayRef();
  auto kernel =
      func::FuncOp::create(op->getLoc(), "kernel",
                           builder.getFunctionType(TypeRange(arguments), {}));
  kernel.setPrivate();
  SmallVector<Attribute> flags = {builder.getStringAttr("noinline"),
                                  builder.getStringAttr("nounwind"),
                                  // LLVM takes half of what there is.
                                  builder.getStrArrayAttr(
                                      {"prefer-vector-width", "512"})};
  kernel->setAttr("passthrough", builder.getArrayAttr(flags));
  markNoAlias(kernel, arguments);

  Block *body = kernel.addEntryBlock();
  builder.setInsertionPointToStart(body);
  IRMapping map;
  map.map(arguments, body->getArguments());
  for (Operation *cloned : captures.cloned)
    builder.clone(*cloned, map);
  Operation *inner = builder.clone(*op, map);
  inner->setDiscardableAttrs(builder.getDictionaryAttr({}));
  func::ReturnOp::create(builder, op->getLoc());
  return kernel;
}

/// Replaces `op` by a call of the kernel that prints like it.
void OutlineKernelsPass::outline(Operation *op, SymbolTable &symbols) {
  SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  Captures captures;
  for (Value value : used)
    capture(value, captures);

  func::FuncOp kernel = makeKernel(op, captures);
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  kernel.print(stream, OpPrintingFlags().useLocalScope().assumeVerified());
  auto [known, isNew] = kernels.try_emplace(printed, kernel);
  if (isNew) {
    kernel.setName("kernel_" + std::to_string(kernels.size() - 1));
    symbols.insert(kernel);
  } else {
    kernel.erase();
  }
  OpBuilder builder(op);
  func::CallOp::create(builder, op->getLoc(), known->second,
                       captures.arguments.getArrayRef());
  op->erase();
}
