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

/// The shape of a type, of rank 0 for what has none.
static ArrayRef<int64_t> getShapeOf(Type type) {
  auto shaped = dyn_cast<RankedTensorType>(type);
  return shaped ? shaped.getShape() : ArrayRef<int64_t>();
}

/// Every result is the next value, or the gradient, of an argument that there
/// is, and nothing has two.
static LogicalResult checkResults(const Step &step) {
  func::FuncOp function = step.getFunction();
  llvm::StringMap<Type> arguments;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    Type type = function.getArgumentTypes()[i];
    for (StringRef role : {attr::param, attr::buffer})
      if (StringRef name = step.getArgRole(i, role); !name.empty())
        arguments[(attr::updated + ":" + name).str()] = type;
    if (StringRef name = step.getArgRole(i, attr::param); !name.empty())
      arguments[(attr::grad + ":" + name).str()] = type;
    if (StringRef name = step.getArgRole(i, attr::state); !name.empty())
      arguments[(attr::updatedState + ":" + name).str()] = type;
    if (function.getArgAttr(i, attr::seed))
      arguments[(attr::updatedSeed + ":").str()] = type;
  }
  llvm::StringSet<> seen;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    for (StringRef role : {attr::loss, attr::grad, attr::updated,
                           attr::updatedState, attr::updatedSeed}) {
      if (!function.getResultAttr(i, role))
        continue;
      StringRef name = step.getResultRole(i, role);
      std::string key = (role + ":" + name).str();
      if (!seen.insert(key).second)
        return mlir::emitError(function.getLoc(), "expected one result '")
               << role << "' of each name, but got '" << name << "' twice";
      if (role == attr::loss)
        continue;
      auto it = arguments.find(key);
      if (it == arguments.end())
        return mlir::emitError(function.getLoc(), "expected an argument for the result '")
               << role << "' to belong to, but got none of name '" << name
               << "'";
      if (getShapeOf(it->second) != getShapeOf(function.getResultTypes()[i]))
        return mlir::emitError(function.getLoc(), "expected the result '")
               << role << "' of '" << name << "' to have the shape of "
               << it->second << ", but got " << function.getResultTypes()[i];
    }
  return success();
}

FailureOr<Step> Step::get(ModuleOp module) {
  Step step;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isDeclaration() || !function.isPublic() || !hasRoles(function))
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
    return mlir::emitError(module.getLoc(), "expected a public function with fsdp roles, but "
                            "got none");
  if (!step.function.getBody().hasOneBlock())
    return mlir::emitError(step.function.getLoc(), "expected a step function of one block");

  func::FuncOp function = step.function;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    StringRef name = step.getArgRole(i, attr::param);
    if (name.empty())
      continue;
    if (!step.byName.try_emplace(name, step.parameters.size()).second)
      return mlir::emitError(function.getLoc(), "expected each parameter once, but got '")
             << name << "' twice";
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
  if (failed(checkResults(step)))
    return failure();
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
