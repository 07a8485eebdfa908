// SPDX-License-Identifier: Apache-2.0
//===- Attributes.cpp - parsing, printing, checking of attributes ---------===//
//
// The custom syntax of FsdpAttributes.td.
//
//===----------------------------------------------------------------------===//
#include "fsdp/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fsdp;

#include "fsdp/IR/FsdpEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "fsdp/IR/FsdpAttributes.cpp.inc"

void FsdpDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "fsdp/IR/FsdpAttributes.cpp.inc"
      >();
}

/// Ranks times bytes must not overflow anywhere.
static constexpr int64_t maxRanks = int64_t(1) << 31;

//===----------------------------------------------------------------------===//
// WorldAttr, AccumulateAttr
//===----------------------------------------------------------------------===//

LogicalResult WorldAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t ranks, int64_t ranksPerNode) {
  if (ranks < 1 || ranksPerNode < 1)
    return emitError() << "expected ranks and ranks_per_node to be positive, "
                          "but got "
                       << ranks << " and " << ranksPerNode;
  if (ranks > maxRanks)
    return emitError() << "expected at most " << maxRanks << " ranks, but got "
                       << ranks;
  return success();
}

LogicalResult
AccumulateAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       int64_t steps, bool mean) {
  if (steps < 1)
    return emitError() << "expected at least one micro-batch, but got "
                       << steps;
  return success();
}

/// Parses `key =`.
static ParseResult parseKey(AsmParser &parser, StringRef key) {
  return failure(parser.parseKeyword(key) || parser.parseEqual());
}

/// Parses one of two words into a flag: true for the first.
static ParseResult parseFlag(AsmParser &parser, StringRef yes, StringRef no,
                             bool &flag) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  flag = word == yes;
  if (!flag && word != no)
    return parser.emitError(loc, "expected '")
           << yes << "' or '" << no << "', but got '" << word << "'";
  return success();
}

Attribute AccumulateAttr::parse(AsmParser &parser, Type) {
  int64_t steps;
  bool mean;
  if (parser.parseLess() || parseKey(parser, "steps") ||
      parser.parseInteger(steps) || parser.parseComma() ||
      parseKey(parser, "reduce") || parseFlag(parser, "mean", "sum", mean) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<AccumulateAttr>(parser.getContext(), steps, mean);
}

void AccumulateAttr::print(AsmPrinter &printer) const {
  printer << "<steps = " << getSteps()
          << ", reduce = " << (getMean() ? "mean" : "sum") << ">";
}

//===----------------------------------------------------------------------===//
// ClassesAttr
//===----------------------------------------------------------------------===//

/// Parses `[1, 2]`.
static ParseResult parseIntegers(AsmParser &parser,
                                 SmallVectorImpl<int64_t> &values,
                                 AsmParser::Delimiter delimiter) {
  return parser.parseCommaSeparatedList(
      delimiter, [&]() { return parser.parseInteger(values.emplace_back()); });
}

/// The rest of the iota form, after `[C, S]`: the members are the last S.
static Attribute parseIota(AsmParser &parser, SMLoc loc,
                           ArrayRef<int64_t> shape) {
  SmallVector<int64_t> dims, perm;
  if (parser.parseKeyword("from") ||
      parseIntegers(parser, dims, AsmParser::Delimiter::Square))
    return {};
  if (succeeded(parser.parseOptionalKeyword("T"))) {
    if (parseIntegers(parser, perm, AsmParser::Delimiter::Paren))
      return {};
  } else {
    perm = llvm::to_vector(llvm::seq<int64_t>(0, dims.size()));
  }
  if (parser.parseGreater())
    return {};

  int64_t ranks = 1;
  for (int64_t dim : dims) {
    if (dim < 1)
      return parser.emitError(loc, "expected positive dims, but got ") << dim,
             Attribute();
    if (llvm::MulOverflow(ranks, dim, ranks) || ranks > maxRanks)
      return parser.emitError(loc, "expected at most ") << maxRanks << " ranks",
             Attribute();
  }
  SmallVector<int64_t> sorted(perm);
  llvm::sort(sorted);
  if (sorted != llvm::to_vector(llvm::seq<int64_t>(0, dims.size())))
    return parser.emitError(loc, "expected a permutation of the dims in T"),
           Attribute();
  int64_t product;
  if (shape.size() != 2 || shape[0] < 1 || shape[1] < 1 ||
      llvm::MulOverflow(shape[0], shape[1], product) || product != ranks)
    return parser.emitError(loc, "expected [classes, size] with a product of ")
               << ranks,
           Attribute();

  SmallVector<int64_t> strides(dims.size(), 1);
  for (int i = int(dims.size()) - 2; i >= 0; --i)
    strides[i] = strides[i + 1] * dims[i + 1];
  // All dims as digits in the order of T; the members are cut off at the end.
  SmallVector<Axis> digits;
  for (int64_t dim : perm)
    digits.push_back({strides[dim], dims[dim]});
  digits = mergeDigits(digits);
  SmallVector<Axis> members;
  int64_t left = shape[1];
  for (const Axis &digit : llvm::reverse(digits)) {
    if (left == 1)
      break;
    int64_t extent = std::min(left, digit.extent);
    if (left % extent || digit.extent % extent)
      return parser.emitError(loc, "expected the size to cut the dims evenly"),
             Attribute();
    members.insert(members.begin(), {digit.stride, extent});
    left /= extent;
  }
  return getClasses(parser.getContext(), ranks, members);
}

Attribute ClassesAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<int64_t> table;
  int64_t size = -1;
  if (parser.parseLess())
    return {};
  // `[[0, 1], [2, 3]]` or `[C, S] from ...`.
  bool nested = false, flat = false;
  ParseResult parsed = parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        size_t before = table.size();
        int64_t value;
        OptionalParseResult integer = parser.parseOptionalInteger(value);
        if (integer.has_value()) {
          flat = true;
          table.push_back(value);
          return *integer;
        }
        nested = true;
        if (parseIntegers(parser, table, AsmParser::Delimiter::Square))
          return failure();
        if (size >= 0 && int64_t(table.size() - before) != size)
          return parser.emitError(loc, "expected classes of equal sizes");
        size = table.size() - before;
        return success();
      });
  if (parsed)
    return {};
  if (nested && flat)
    return parser.emitError(loc, "expected either [classes, size] or a list of "
                                 "classes"),
           Attribute();
  if (!nested)
    return parseIota(parser, loc, table);
  SmallVector<int64_t> sorted(table);
  llvm::sort(sorted);
  if (parser.parseGreater())
    return {};
  if (size < 1 ||
      sorted != llvm::to_vector(llvm::seq<int64_t>(0, table.size())))
    return parser.emitError(loc, "expected every rank in exactly one class"),
           Attribute();
  return getClassesFromTable(parser.getContext(), table.size(), size, table);
}

void ClassesAttr::print(AsmPrinter &printer) const {
  printer << "<";
  if (isExplicit()) {
    printer << "[";
    for (int64_t i = 0; i < getClasses(); ++i) {
      printer << (i ? ", [" : "[");
      llvm::interleaveComma(getTable().slice(i * getSize(), getSize()),
                            printer.getStream());
      printer << "]";
    }
    printer << "]>";
    return;
  }
  // Class digits by falling stride, then the members; neighbours merged.
  Axes axes = *Axes::get(getRanks(), {*this});
  AxisSet members = axes.getSet(*this);
  SmallVector<Axis> order;
  auto append = [&](Axis axis) {
    if (!order.empty() && order.back().stride == axis.stride * axis.extent)
      order.back() = {axis.stride, order.back().extent * axis.extent};
    else
      order.push_back(axis);
  };
  for (auto [i, axis] : llvm::enumerate(axes.getAxes()))
    if (!(members >> i & 1))
      append(axis);
  for (unsigned axis : axes.getAxes(*this))
    append(axes.getAxes()[axis]);
  SmallVector<unsigned> byStride =
      llvm::to_vector(llvm::seq<unsigned>(0, order.size()));
  llvm::sort(byStride, [&](unsigned a, unsigned b) {
    return order[a].stride > order[b].stride;
  });
  SmallVector<unsigned> position(order.size());
  for (auto [place, digit] : llvm::enumerate(byStride))
    position[digit] = place;

  printer << "[" << getClasses() << ", " << getSize() << "] from [";
  llvm::interleaveComma(byStride, printer.getStream(), [&](unsigned digit) {
    printer << order[digit].extent;
  });
  printer << (order.empty() ? "1]" : "]");
  if (!llvm::is_sorted(position)) {
    printer << " T(";
    llvm::interleaveComma(position, printer.getStream());
    printer << ")";
  }
  printer << ">";
}

//===----------------------------------------------------------------------===//
// ShardingAttr
//===----------------------------------------------------------------------===//

/// Parses a list of symbols, `{@a, @b}` or `[@a, @b]`.
static ParseResult parseGroups(AsmParser &parser,
                               AsmParser::Delimiter delimiter,
                               ArrayAttr &groups) {
  SmallVector<Attribute> symbols;
  ParseResult parsed = parser.parseCommaSeparatedList(delimiter, [&]() {
    FlatSymbolRefAttr symbol;
    ParseResult result = parser.parseAttribute(symbol);
    symbols.push_back(symbol);
    return result;
  });
  groups = ArrayAttr::get(parser.getContext(), symbols);
  return parsed;
}

/// Prints symbols between commas.
static void printGroups(AsmPrinter &printer, ArrayAttr groups) {
  llvm::interleaveComma(groups, printer.getStream(), [&](Attribute group) {
    printer.printAttribute(group);
  });
}

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  MLIRContext *context = parser.getContext();
  SmallVector<Attribute> dims;
  ArrayAttr partial = ArrayAttr::get(context, {}), varying = partial;
  ReductionKind reduction = ReductionKind::Sum;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
        ArrayAttr groups;
        ParseResult result =
            parseGroups(parser, AsmParser::Delimiter::Braces, groups);
        dims.push_back(groups);
        return result;
      }))
    return {};
  bool sawPartial = false, sawVarying = false;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef key;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return {};
    bool isPartial = key == "partial";
    bool &saw = isPartial ? sawPartial : sawVarying;
    if ((!isPartial && key != "varying") || saw)
      return parser.emitError(loc, "expected 'partial' or 'varying' once, but "
                                   "got '")
                 << key << "'",
             Attribute();
    saw = true;
    StringRef kind;
    if (isPartial &&
        succeeded(parser.parseOptionalKeyword(&kind, {"sum", "max", "min"})))
      reduction = *symbolizeReductionKind(kind);
    if (parseGroups(parser, AsmParser::Delimiter::Braces,
                    isPartial ? partial : varying))
      return {};
  }
  if (parser.parseGreater())
    return {};
  if (partial.empty()) // One form for what is not partial.
    reduction = ReductionKind::Sum;
  return get(context, ArrayAttr::get(context, dims), reduction, partial,
             varying);
}

void ShardingAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getDims(), printer.getStream(), [&](Attribute groups) {
    printer << "{";
    printGroups(printer, cast<ArrayAttr>(groups));
    printer << "}";
  });
  printer << "]";
  if (!getPartial().empty()) {
    printer << ", partial = ";
    if (getReduction() != ReductionKind::Sum)
      printer << stringifyReductionKind(getReduction()) << " ";
    printer << "{";
    printGroups(printer, getPartial());
    printer << "}";
  }
  if (!getVarying().empty()) {
    printer << ", varying = {";
    printGroups(printer, getVarying());
    printer << "}";
  }
  printer << ">";
}

ShardingAttr ShardingAttr::getReplicated(MLIRContext *context, int64_t rank) {
  SmallVector<Attribute> dims(rank, ArrayAttr::get(context, {}));
  return get(ArrayAttr::get(context, dims));
}

ArrayRef<Attribute> ShardingAttr::getDimGroups(int64_t dim) const {
  return cast<ArrayAttr>(getDims()[dim]).getValue();
}

SmallVector<FlatSymbolRefAttr> ShardingAttr::getGroups() const {
  SmallVector<FlatSymbolRefAttr> groups;
  auto append = [&](ArrayAttr list) {
    llvm::append_range(groups, list.getAsRange<FlatSymbolRefAttr>());
  };
  for (Attribute dim : getDims())
    append(cast<ArrayAttr>(dim));
  append(getPartial());
  append(getVarying());
  return groups;
}

bool ShardingAttr::isReplicated() const { return getGroups().empty(); }

ShardingAttr ShardingAttr::withVarying(ArrayAttr groups) const {
  return get(getContext(), getDims(), getReduction(), getPartial(), groups);
}

ShardingAttr ShardingAttr::withDims(ArrayAttr dims) const {
  return get(getContext(), dims, getReduction(), getPartial(), getVarying());
}

//===----------------------------------------------------------------------===//
// LossAttr
//===----------------------------------------------------------------------===//

Attribute LossAttr::parse(AsmParser &parser, Type) {
  bool mean;
  ArrayAttr groups;
  StringAttr divideBy;
  if (parser.parseLess() || parseFlag(parser, "mean", "sum", mean) ||
      parser.parseEqual() ||
      parseGroups(parser, AsmParser::Delimiter::Square, groups))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parseKey(parser, "divide_by") || parser.parseAttribute(divideBy)))
    return {};
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), mean, groups, divideBy);
}

void LossAttr::print(AsmPrinter &printer) const {
  printer << "<" << (getMean() ? "mean" : "sum") << " = [";
  printGroups(printer, getGroups());
  printer << "]";
  if (getDivideBy())
    printer << ", divide_by = " << getDivideBy();
  printer << ">";
}

//===----------------------------------------------------------------------===//
// RuleAttr
//===----------------------------------------------------------------------===//

/// Parses `[b, s, h]`.
static ParseResult parseFactors(AsmParser &parser,
                                SmallVectorImpl<Attribute> &lists) {
  SmallVector<Attribute> names;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
        StringRef name;
        ParseResult result = parser.parseKeyword(&name);
        names.push_back(StringAttr::get(parser.getContext(), name));
        return result;
      }))
    return failure();
  lists.push_back(ArrayAttr::get(parser.getContext(), names));
  return success();
}

Attribute RuleAttr::parse(AsmParser &parser, Type) {
  SmallVector<Attribute> operands, results;
  auto parseOperand = [&]() { return parseFactors(parser, operands); };
  auto parseResult = [&]() { return parseFactors(parser, results); };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                     parseOperand) ||
      parser.parseArrow() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::None, parseResult) ||
      parser.parseGreater())
    return {};
  MLIRContext *context = parser.getContext();
  return get(context, ArrayAttr::get(context, operands),
             ArrayAttr::get(context, results));
}

void RuleAttr::print(AsmPrinter &printer) const {
  auto printList = [&](Attribute list) {
    printer << "[";
    llvm::interleaveComma(cast<ArrayAttr>(list).getAsRange<StringAttr>(),
                          printer.getStream(),
                          [&](StringAttr name) { printer << name.getValue(); });
    printer << "]";
  };
  printer << "<(";
  llvm::interleaveComma(getOperands(), printer.getStream(), printList);
  printer << ") -> ";
  llvm::interleaveComma(getResults(), printer.getStream(), printList);
  printer << ">";
}
