//===- PlanReader.h - Typed reading of YAML ---------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// A thin layer over llvm::yaml::Stream. The stream can only be walked once and
// in order, so it is first copied to a tree with locations; by then its syntax
// is right, and every reader below works on any node in any order. A reader
// emits one error and fails, or succeeds.
//
//===----------------------------------------------------------------------===//

#ifndef FSDP_LIB_ANALYSIS_PLANREADER_H
#define FSDP_LIB_ANALYSIS_PLANREADER_H

#include "fsdp/Analysis/Plan.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>

namespace fsdp::yaml {

/// A YAML value, below the key (of its own, or of the list it is in) `key`.
struct Node {
  enum Kind { Empty, Scalar, List, Mapping } kind = Empty;
  std::string key, text;
  bool quoted = false;
  std::vector<Node> items;
  mlir::FileLineColLoc keyLoc, loc;

  /// Whether this is the word null, as YAML or Python spells it.
  bool isNull() const;
  /// Whether this is a plain scalar of digits, without a leading zero.
  bool isNatural() const;
};

/// Parses a plan of one document.
mlir::FailureOr<Node> parse(llvm::MemoryBufferRef buffer,
                            mlir::MLIRContext *ctx);

/// Starts "expected WHAT for 'KEY', but got ...".
mlir::InFlightDiagnostic expected(const Node &node, const llvm::Twine &what);

/// A key of a mapping, and how to read its value.
struct Key {
  llvm::StringRef name;
  std::function<llvm::LogicalResult(const Node &)> read;
  bool required = false;
};

/// Reads a mapping with these keys only, in the order in which they are there.
llvm::LogicalResult readMapping(const Node &node, llvm::ArrayRef<Key> keys);

/// The entry of `node` with this key, or null.
const Node *find(const Node &node, llvm::StringRef key);

/// Fails unless exactly one of two keys is in a mapping.
llvm::LogicalResult checkOneOf(const Node &node, llvm::StringRef a,
                               llvm::StringRef b);

/// Reads an integer from `least` (0 or 1) to 2^31 - 1.
mlir::FailureOr<Located<int64_t>> readInteger(const Node &node, int64_t least);
inline mlir::FailureOr<Located<int64_t>> readPositive(const Node &node) {
  return readInteger(node, /*least=*/1);
}

/// Reads a finite number that `accept` accepts; `what` says which those are.
mlir::FailureOr<Located<double>>
readNumber(const Node &node, llvm::StringRef what, bool (*accept)(double));

/// Reads a scalar that is not empty.
mlir::FailureOr<Located<std::string>> readString(const Node &node,
                                                 const llvm::Twine &what);

/// Reads true or false, or another YAML word for them.
mlir::FailureOr<Located<bool>> readBool(const Node &node,
                                        llvm::StringRef what = "true or false");

/// Reads a glob on paths; it may be empty (the root's path).
mlir::FailureOr<Located<PathGlob>> readGlob(const Node &node);

/// Reads one of `words`; returns its position.
mlir::FailureOr<size_t> readWord(const Node &node,
                                 llvm::ArrayRef<llvm::StringRef> words);

/// Reads one of `words`, which are spelled in the order of the enum.
template <typename EnumT>
mlir::FailureOr<Located<EnumT>>
readEnum(const Node &node, llvm::ArrayRef<llvm::StringRef> words) {
  mlir::FailureOr<size_t> index = readWord(node, words);
  if (failed(index))
    return mlir::failure();
  return Located<EnumT>{static_cast<EnumT>(*index), node.loc};
}

/// Reads each element of a list; a scalar is read as a list of one.
template <typename ReaderT>
auto readList(const Node &node, const llvm::Twine &what, ReaderT read)
    -> mlir::FailureOr<std::vector<std::decay_t<decltype(*read(node))>>> {
  if (node.kind != Node::Scalar && node.kind != Node::List)
    return expected(node, what);
  std::vector<std::decay_t<decltype(*read(node))>> list;
  for (const Node &item : node.kind == Node::List ? llvm::ArrayRef(node.items)
                                                  : llvm::ArrayRef(node)) {
    auto value = read(item);
    if (failed(value))
      return mlir::failure();
    list.push_back(std::move(*value));
  }
  return list;
}

/// Stores what was read, if anything was.
template <typename SlotT, typename T>
llvm::LogicalResult store(SlotT &slot, mlir::FailureOr<T> value) {
  if (failed(value))
    return mlir::failure();
  slot = std::move(*value);
  return mlir::success();
}

/// For a table of keys: reads a value into `slot`.
template <typename SlotT, typename ReaderT>
auto into(SlotT &slot, ReaderT read) {
  return [&slot, read](const Node &node) { return store(slot, read(node)); };
}

/// The same for an optional slot that another key may have set already.
template <typename T, typename ReaderT>
auto intoOnce(std::optional<T> &slot, ReaderT read) {
  return [&slot, read](const Node &node) -> llvm::LogicalResult {
    if (!slot)
      return store(slot, read(node));
    mlir::InFlightDiagnostic diag = mlir::emitError(node.keyLoc);
    diag << "'" << node.key << "' is already set";
    diag.attachNote(slot->loc) << "by this value";
    return diag;
  };
}

} // namespace fsdp::yaml

#endif // FSDP_LIB_ANALYSIS_PLANREADER_H
