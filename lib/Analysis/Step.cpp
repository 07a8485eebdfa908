// SPDX-License-Identifier: Apache-2.0
//===- Step.cpp - the step function and its roles -------------------------===//
#include "fsdp/Analysis/Step.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace fsdp;

/// True where an argument or result of `function` has an fsdp attribute.
static bool hasRoles(func::FuncOp function) {
  auto isRole = [](NamedAttribute attribute) {
    return attribute.getName().getValue().starts_with("fsdp.");
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (llvm::any_of(mlir::function_interface_impl::getArgAttrs(function, i),
                     isRole))
      return true;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (llvm::any_of(mlir::function_interface_impl::getResultAttrs(function, i),
                     isRole))
      return true;
  return false;
}

/// The step takes and returns static tensors; nothing has a role twice.
static LogicalResult checkBoundary(const Step &step) {
  func::FuncOp function = step.getFunction();
  auto error = [&]() { return mlir::emitError(function.getLoc()); };
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type);
        !tensor || !tensor.hasStaticShape())
      return error() << "expected a step of tensors of static shape, but got "
                     << type;
  llvm::StringSet<> seen;
  auto isNew = [&](StringRef role, StringRef name) {
    return seen.insert((role + ":" + name).str()).second;
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    for (StringRef role : {attr::param, attr::buffer, attr::state, attr::seed})
      if (function.getArgAttr(i, role) &&
          !isNew(role, step.getArgRole(i, role)))
        return error() << "expected one argument '" << role
                       << "' of each name, but got '"
                       << step.getArgRole(i, role) << "' twice";
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    for (StringRef role : {attr::loss, attr::grad, attr::updated,
                           attr::updatedState, attr::updatedSeed})
      if (function.getResultAttr(i, role) &&
          !isNew(role, step.getResultRole(i, role)))
        return error() << "expected one result '" << role
                       << "' of each name, but got '"
                       << step.getResultRole(i, role) << "' twice";
  return success();
}

/// Every result that is the gradient or the next value of an argument has one,
/// of its shape.
static LogicalResult checkResults(const Step &step) {
  func::FuncOp function = step.getFunction();
  auto error = [&]() { return mlir::emitError(function.getLoc()); };
  auto getShape = [](Type type) {
    return cast<RankedTensorType>(type).getShape();
  };
  llvm::StringMap<Type> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    for (auto [role, next] : {std::pair(attr::param, attr::grad),
                              {attr::param, attr::updated},
                              {attr::buffer, attr::updated},
                              {attr::state, attr::updatedState},
                              {attr::seed, attr::updatedSeed}})
      if (function.getArgAttr(i, role))
        arguments[(next + ":" + step.getArgRole(i, role)).str()] =
            function.getArgumentTypes()[i];
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    Type type = function.getResultTypes()[i];
    for (StringRef role : {attr::loss, attr::grad})
      if (function.getResultAttr(i, role) &&
          !isa<FloatType>(getElementTypeOrSelf(type)))
        return error() << "expected floating-point numbers in the result '"
                       << role << "', but got " << type;
    for (StringRef role :
         {attr::grad, attr::updated, attr::updatedState, attr::updatedSeed}) {
      if (!function.getResultAttr(i, role))
        continue;
      StringRef name = step.getResultRole(i, role);
      auto it = arguments.find((role + ":" + name).str());
      if (it == arguments.end())
        return error() << "expected an argument for the result '" << role
                       << "' to belong to, but got none of name '" << name
                       << "'";
      if (getShape(it->second) != getShape(type))
        return error() << "expected the result '" << role << "' of '" << name
                       << "' to have the shape of " << it->second
                       << ", but got " << type;
    }
  }
  return success();
}

/// True for a public function with a body and roles.
static bool isStep(func::FuncOp function) {
  return !function.isDeclaration() && function.isPublic() && hasRoles(function);
}

bool Step::exists(ModuleOp module) {
  return llvm::any_of(module.getOps<func::FuncOp>(), isStep);
}

FailureOr<Step> Step::get(ModuleOp module) {
  Step step;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isStep(function))
      continue;
    if (step.function) {
      InFlightDiagnostic diag = emitError(function.getLoc())
                                << "expected one step function, but got a "
                                   "second one with roles";
      diag.attachNote(step.function.getLoc()) << "the first is here";
      return diag;
    }
    step.function = function;
  }
  if (!step.function)
    return mlir::emitError(module.getLoc(),
                           "expected a public function with fsdp roles, but "
                           "got none");
  if (!step.function.getBody().hasOneBlock())
    return mlir::emitError(step.function.getLoc(),
                           "expected a step function of one block");

  func::FuncOp function = step.function;
  if (failed(checkBoundary(step)) || failed(checkResults(step)))
    return failure();
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    StringRef name = step.getArgRole(i, attr::param);
    if (name.empty())
      continue;
    step.byName.try_emplace(name, step.parameters.size());
    Parameter parameter;
    parameter.name = name;
    parameter.argument = i;
    step.parameters.push_back(parameter);
  }
  auto find = [&](StringRef name) -> Parameter * {
    auto it = step.byName.find(name);
    return it == step.byName.end() ? nullptr : &step.parameters[it->second];
  };
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (Parameter *p = find(getStateParam(step.getArgRole(i, attr::state))))
      p->states.push_back(i);
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    if (Parameter *p = find(step.getResultRole(i, attr::grad)))
      p->grad = i;
    if (Parameter *p = find(step.getResultRole(i, attr::updated)))
      p->updated = i;
    if (Parameter *p =
            find(getStateParam(step.getResultRole(i, attr::updatedState))))
      p->updatedStates.push_back(i);
  }
  WalkResult walked = function.walk([&](LocalGradOp marker) {
    Parameter *p = find(marker.getParam());
    if (!p) {
      marker.emitOpError("expected the name of a parameter, but got ")
          << marker.getParamAttr();
      return WalkResult::interrupt();
    }
    p->markers.push_back(marker);
    return WalkResult::advance();
  });
  if (walked.wasInterrupted())
    return failure();
  return step;
}

const Parameter *Step::lookup(StringRef name) const {
  auto it = byName.find(name);
  return it == byName.end() ? nullptr : &parameters[it->second];
}

StringRef Step::getArgRole(unsigned index, StringRef role) const {
  func::FuncOp f = function;
  auto value = f.getArgAttrOfType<StringAttr>(index, role);
  return value ? value.getValue() : StringRef();
}

StringRef Step::getResultRole(unsigned index, StringRef role) const {
  func::FuncOp f = function;
  auto value = f.getResultAttrOfType<StringAttr>(index, role);
  return value ? value.getValue() : StringRef();
}

int Step::findResult(StringRef role, StringRef name) const {
  func::FuncOp f = function;
  for (unsigned i = 0; i < f.getNumResults(); ++i)
    if (f.getResultAttr(i, role) &&
        (name.empty() || getResultRole(i, role) == name))
      return i;
  return -1;
}

int Step::findArg(StringRef role, StringRef name) const {
  func::FuncOp f = function;
  for (unsigned i = 0; i < f.getNumArguments(); ++i)
    if (f.getArgAttr(i, role) && (name.empty() || getArgRole(i, role) == name))
      return i;
  return -1;
}

/// What `attribute` says, or replicated for a value of type `type`.
static ShardingAttr orReplicated(ShardingAttr attribute, Type type) {
  if (attribute)
    return attribute;
  auto shaped = dyn_cast<ShapedType>(type);
  return ShardingAttr::getReplicated(type.getContext(),
                                     shaped ? shaped.getRank() : 0);
}

LossAttr Step::getLoss() const {
  int index = findResult(attr::loss);
  return index < 0 ? LossAttr()
                   : dyn_cast<LossAttr>(
                         getFunction().getResultAttr(index, attr::loss));
}

ShardingAttr Step::getArgSharding(unsigned index) const {
  func::FuncOp f = function;
  return orReplicated(f.getArgAttrOfType<ShardingAttr>(index, attr::sharding),
                      f.getArgumentTypes()[index]);
}

ShardingAttr Step::getResultSharding(unsigned index) const {
  func::FuncOp f = function;
  return orReplicated(
      f.getResultAttrOfType<ShardingAttr>(index, attr::sharding),
      f.getResultTypes()[index]);
}
