// SPDX-License-Identifier: Apache-2.0
//===- VerifyVerdict.cpp - what was shown, and what it assumes ------------===//
//
// The table of parameters, as text and as JSON.
//
//===----------------------------------------------------------------------===//
#include "VerifyGradients.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace fsdp;

std::string fsdp::nameAxes(ModuleOp module, const RankStates &states,
                           AxisSet axes) {
  for (auto group : module.getOps<ProcessGroupOp>()) {
    auto symbol = FlatSymbolRefAttr::get(group.getSymNameAttr());
    if (states.has(symbol) && states.getSet(symbol) == axes)
      return "@" + group.getSymName().str();
  }
  std::string names;
  AxisSet left = axes;
  for (auto group : module.getOps<ProcessGroupOp>()) {
    auto symbol = FlatSymbolRefAttr::get(group.getSymNameAttr());
    AxisSet set = states.has(symbol) ? states.getSet(symbol) : 0;
    if (!(set & left) || (set & ~axes))
      continue;
    names += (names.empty() ? "@" : ", @") + group.getSymName().str();
    left &= ~set;
  }
  if (!left)
    return names;
  return "a group of " + std::to_string(states.getAxes().getSize(axes)) +
         " ranks";
}

template <typename T> static std::string print(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// Where something stands in a file, else by which names.
static std::string printLoc(Location loc) {
  if (auto file = loc->findInstanceOf<FileLineColLoc>())
    return file.getFilename().str() + ":" + std::to_string(file.getLine());
  std::string text = print(loc);
  StringRef names = text;
  return names.consume_front("loc(") && names.consume_back(")") ? names.str()
                                                                : text;
}

void GradientChecks::addRow(const Parameter &parameter,
                            const GradientSum *sum) {
  if (!verdict || isElsewhere(parameter) ||
      !verdict->shown.insert(parameter.name).second)
    return;
  auto storage = function.getArgAttrOfType<ShardingAttr>(parameter.argument,
                                                         attr::storage);
  ShardingAttr placed =
      storage ? storage : step.getArgSharding(parameter.argument);
  VerdictRow row{parameter.name.str(), print(placed), "-", "-", "-"};
  if (sum) {
    row.reduced = sum->reduced ? name(sum->reduced) : "nothing";
    for (auto &[value, scale] : sum->terms)
      if (value.getDefiningOp<LocalGradOp>())
        row.scale = print(scale);
    if (sum->last)
      row.where = printLoc(sum->last->getLoc());
  }
  verdict->rows.push_back(row);
}

void GradientChecks::addAssumptions() {
  unsigned equal = 0, markers = 0, opaque = 0;
  for (BlockArgument argument : function.getArguments())
    equal += !states.getDiffering(argument);
  for (const Parameter &parameter : step.getParameters())
    markers += parameter.markers.size();
  function.walk([&](Operation *op) { opaque += op->hasAttr(attr::rule); });
  auto add = [&](unsigned count, StringRef text) {
    if (count)
      verdict->assumptions.push_back(std::to_string(count) + " " + text.str());
  };
  add(equal, "arguments that are replicated are equal on all ranks");
  add(markers, "marked gradients are the derivatives of the rank's loss");
  add(opaque, "opaque ops do what their rule says");
  if (AxisSet inexact = states.getInexact())
    verdict->assumptions.push_back(
        "nothing is wrong on " + name(inexact) +
        ", where chunks of one row can be read in more than one way");
}

void Verdict::print(raw_ostream &os) const {
  VerdictRow head{"parameter", "storage", "summed over", "scale", "where"};
  SmallVector<std::string VerdictRow::*> columns = {
      &VerdictRow::parameter, &VerdictRow::placement, &VerdictRow::reduced,
      &VerdictRow::scale, &VerdictRow::where};
  SmallVector<size_t> widths;
  for (auto column : columns) {
    size_t width = (head.*column).size();
    for (const VerdictRow &row : rows)
      width = std::max(width, (row.*column).size());
    widths.push_back(width + 2);
  }
  auto printRow = [&](const VerdictRow &row) {
    std::string line;
    for (auto [column, width] : llvm::zip_equal(columns, widths)) {
      line += row.*column;
      line.append(width - (row.*column).size(), ' ');
    }
    os << StringRef(line).rtrim() << "\n";
  };
  printRow(head);
  for (const VerdictRow &row : rows)
    printRow(row);
  os << "every gradient is summed once, with its scale, assuming that\n";
  for (const std::string &assumption : assumptions)
    os << "  " << assumption << "\n";
}

void Verdict::writeJson(raw_ostream &os) const {
  llvm::json::OStream json(os, 2);
  json.object([&] {
    json.attributeArray("parameters", [&] {
      for (const VerdictRow &row : rows)
        json.object([&] {
          json.attribute("parameter", row.parameter);
          json.attribute("storage", row.placement);
          json.attribute("summed_over", row.reduced);
          json.attribute("scale", row.scale);
          json.attribute("where", row.where);
        });
    });
    json.attributeArray("assumptions", [&] {
      for (const std::string &assumption : assumptions)
        json.value(assumption);
    });
  });
  os << "\n";
}
