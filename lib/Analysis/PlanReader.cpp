//===- PlanReader.cpp - Typed reading of YAML -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// See PlanReader.h. YAML is cut down to what a plan needs: mappings with scalar
// keys, lists and one-line scalars. Anchors, tags and block scalars are errors,
// and so is deep nesting, because LLVM's parser recurses.
//
//===----------------------------------------------------------------------===//

#include "PlanReader.h"
#include "fsdp/Analysis/Nearest.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"
#include <cmath>

using namespace mlir;
using namespace fsdp;
using namespace fsdp::yaml;

//===----------------------------------------------------------------------===//
// Tree
//===----------------------------------------------------------------------===//

namespace {
/// Copies the stream to a tree, with at most one error.
class TreeBuilder {
public:
  TreeBuilder(llvm::MemoryBufferRef buffer, MLIRContext *ctx)
      : ctx(ctx), buffer(buffer) {
    sourceMgr.setDiagHandler(reportSyntax, this);
  }

  FailureOr<Node> build();

private:
  LogicalResult checkBytes();
  LogicalResult read(llvm::yaml::Node *source, Node &node);
  LogicalResult readMapping(llvm::yaml::MappingNode *source, Node &node);
  LogicalResult readScalar(llvm::yaml::ScalarNode *source, Node &node);
  LogicalResult error(FileLineColLoc loc, const Twine &message);
  FileLineColLoc locate(const char *place);
  const char *getStart(llvm::yaml::Node *source);
  static void reportSyntax(const llvm::SMDiagnostic &diag, void *self);

  static constexpr unsigned maxDepth = 16;
  MLIRContext *ctx;
  llvm::MemoryBufferRef buffer;
  llvm::SourceMgr sourceMgr;
  std::optional<llvm::yaml::Stream> stream;
  unsigned depth = 0;
  bool failedBefore = false;
};
} // namespace

/// Turns an error of LLVM's parser, which has no other way out, into ours.
void TreeBuilder::reportSyntax(const llvm::SMDiagnostic &diag, void *self) {
  auto *builder = static_cast<TreeBuilder *>(self);
  auto loc =
      FileLineColLoc::get(builder->ctx, builder->buffer.getBufferIdentifier(),
                          diag.getLineNo(), diag.getColumnNo() + 1);
  (void)builder->error(loc, "invalid YAML: " + diag.getMessage());
}

LogicalResult TreeBuilder::error(FileLineColLoc loc, const Twine &message) {
  if (!std::exchange(failedBefore, true))
    emitError(loc) << message;
  return failure();
}

FileLineColLoc TreeBuilder::locate(const char *place) {
  auto [line, column] =
      sourceMgr.getLineAndColumn(llvm::SMLoc::getFromPointer(place));
  return FileLineColLoc::get(ctx, buffer.getBufferIdentifier(), line, column);
}

/// Where a node begins; to LLVM that may be after its bracket or star.
const char *TreeBuilder::getStart(llvm::yaml::Node *source) {
  if (auto *alias = dyn_cast<llvm::yaml::AliasNode>(source))
    return alias->getName().begin() - 1;
  const char *start = source->getSourceRange().Start.getPointer();
  bool isMapping = isa<llvm::yaml::MappingNode>(source);
  if (!isMapping && !isa<llvm::yaml::SequenceNode>(source))
    return start;
  StringRef before(buffer.getBufferStart(), start - buffer.getBufferStart());
  before = before.rtrim();
  return before.ends_with(isMapping ? "{" : "[") ? before.end() - 1 : start;
}

/// LLVM's scanner reads past bytes that are no text; find them first.
LogicalResult TreeBuilder::checkBytes() {
  StringRef text = buffer.getBuffer();
  size_t bad = 0;
  if (!llvm::json::isUTF8(text, &bad))
    return error(locate(text.data() + bad), "the plan is not UTF-8 text");
  bad = text.find_if([](char c) {
    return (c >= 0 && c < ' ' && c != '\t' && c != '\n' && c != '\r') ||
           c == '\x7f';
  });
  if (bad != StringRef::npos)
    return error(locate(text.data() + bad), "control character in the plan");
  for (bad = text.find('\t'); bad != StringRef::npos;
       bad = text.find('\t', bad + 1))
    if (StringRef before = text.take_front(bad).rtrim(' ');
        before.empty() || before.ends_with("\n"))
      return error(locate(text.data() + bad), "a tab cannot indent");
  return success();
}

FailureOr<Node> TreeBuilder::build() {
  stream.emplace(buffer, sourceMgr, /*ShowColors=*/false);
  Node root;
  root.loc = root.keyLoc =
      FileLineColLoc::get(ctx, buffer.getBufferIdentifier(), 1, 1);
  if (failed(checkBytes()))
    return failure();
  llvm::yaml::document_iterator document = stream->begin();
  if (document == stream->end() || failed(read(document->getRoot(), root)))
    return failure();
  if (root.kind == Node::Empty)
    return error(root.loc, "the plan is empty; '{}' is the plan of defaults");
  if (++document != stream->end()) {
    llvm::yaml::Node *more = document->getRoot();
    if (more && !stream->failed())
      return error(locate(getStart(more)),
                   "expected the end of the plan, but more follows");
  }
  return failedBefore ? FailureOr<Node>() : std::move(root);
}

LogicalResult TreeBuilder::read(llvm::yaml::Node *source, Node &node) {
  if (!source || stream->failed())
    return failure();
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  // What is not there has no place of its own: it keeps its parent's.
  if (isa<llvm::yaml::NullNode>(source))
    return success();
  if (isa<llvm::yaml::BlockScalarNode>(source))
    return error(node.loc, "a plan has no block scalars");
  node.loc = locate(getStart(source));
  if (depth > maxDepth)
    return error(node.loc, "nested more than " + Twine(maxDepth) + " deep");
  if (!source->getAnchor().empty() || isa<llvm::yaml::AliasNode>(source))
    return error(node.loc, "a plan has no anchors and aliases");
  if (!source->getRawTag().empty())
    return error(node.loc, "a plan has no tags");
  if (auto *mapping = dyn_cast<llvm::yaml::MappingNode>(source))
    return readMapping(mapping, node);
  if (auto *scalar = dyn_cast<llvm::yaml::ScalarNode>(source))
    return readScalar(scalar, node);
  node.kind = Node::List;
  for (llvm::yaml::Node &element : *cast<llvm::yaml::SequenceNode>(source)) {
    Node &item = node.items.emplace_back();
    item.key = node.key;
    item.keyLoc = node.keyLoc;
    item.loc = node.loc;
    if (failed(read(&element, item)))
      return failure();
  }
  return failure(stream->failed());
}

LogicalResult TreeBuilder::readMapping(llvm::yaml::MappingNode *source,
                                       Node &node) {
  node.kind = Node::Mapping;
  llvm::StringMap<FileLineColLoc> seen;
  for (llvm::yaml::KeyValueNode &entry : *source) {
    Node key;
    key.loc = node.loc;
    if (failed(read(entry.getKey(), key)))
      return failure();
    if (key.kind != Node::Scalar || key.text.empty())
      return error(key.loc, "expected a word as key");
    auto [previous, isNew] = seen.try_emplace(key.text, key.loc);
    if (!isNew) {
      InFlightDiagnostic diag = emitError(key.loc);
      diag << "duplicate key '" << key.text << "'";
      diag.attachNote(previous->second) << "the first one is here";
      return diag;
    }
    Node &item = node.items.emplace_back();
    item.key = key.text;
    item.keyLoc = item.loc = key.loc;
    if (failed(read(entry.getValue(), item)))
      return failure();
  }
  return failure(stream->failed());
}

LogicalResult TreeBuilder::readScalar(llvm::yaml::ScalarNode *source,
                                      Node &node) {
  SmallString<32> storage;
  node.kind = Node::Scalar;
  node.text = source->getValue(storage).str();
  node.quoted = StringRef(source->getRawValue()).starts_with("'") ||
                StringRef(source->getRawValue()).starts_with("\"");
  return failure(stream->failed());
}

FailureOr<Node> yaml::parse(llvm::MemoryBufferRef buffer, MLIRContext *ctx) {
  return TreeBuilder(buffer, ctx).build();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool Node::isNull() const {
  return kind == Scalar && !quoted &&
         llvm::is_contained({"null", "Null", "NULL", "~", "None"}, text);
}

bool Node::isNatural() const {
  return kind == Scalar && !quoted && !text.empty() &&
         llvm::all_of(text, llvm::isDigit) && (text[0] != '0' || text == "0");
}

InFlightDiagnostic yaml::expected(const Node &node, const Twine &what) {
  InFlightDiagnostic diag = emitError(node.loc) << "expected " << what;
  if (!node.key.empty())
    diag << " for '" << node.key << "'";
  diag << ", but got ";
  if (node.kind == Node::Scalar)
    diag << "'" << node.text << "'";
  else
    diag << (node.kind == Node::Empty ? "nothing"
             : node.items.empty()     ? "an empty "
                                      : "a ")
         << (node.kind == Node::List      ? "list"
             : node.kind == Node::Mapping ? "mapping"
                                          : "");
  return diag;
}

LogicalResult yaml::readMapping(const Node &node, ArrayRef<Key> keys) {
  if (node.kind != Node::Mapping)
    return expected(node, "a mapping");
  for (const Node &item : node.items) {
    const Key *key =
        llvm::find_if(keys, [&](const Key &k) { return k.name == item.key; });
    if (key == keys.end()) {
      SmallVector<StringRef> known;
      for (const Key &candidate : keys)
        known.push_back(candidate.name);
      return emitError(item.keyLoc)
             << "unknown key '" << item.key << "' in "
             << (node.key.empty() ? "the plan" : "'" + node.key + "'")
             << didYouMean(item.key, known);
    }
    if (failed(key->read(item)))
      return failure();
  }
  SmallVector<std::string> missing;
  for (const Key &key : keys)
    if (key.required && llvm::none_of(node.items, [&](const Node &item) {
          return item.key == key.name;
        }))
      missing.push_back(("'" + key.name + "'").str());
  if (missing.empty())
    return success();
  return emitError(node.loc) << "missing " << llvm::join(missing, ", ")
                             << " in '" << node.key << "'";
}

const Node *yaml::find(const Node &node, StringRef key) {
  auto it = llvm::find_if(node.items, [&](auto &i) { return i.key == key; });
  return it == node.items.end() ? nullptr : &*it;
}

LogicalResult yaml::checkOneOf(const Node &node, StringRef a, StringRef b) {
  const Node *first = find(node, a), *second = find(node, b);
  if (!first == !second)
    return emitError(node.loc) << (first ? "both '" : "missing '") << a
                               << (first ? "' and '" : "' or '") << b
                               << "' in '" << node.key << "'";
  return success();
}

FailureOr<Located<int64_t>> yaml::readInteger(const Node &node, int64_t least) {
  int32_t value = 0;
  bool fits = node.isNatural() && !StringRef(node.text).getAsInteger(10, value);
  if (node.isNatural() && !fits)
    return expected(node, "an integer below 2147483648");
  if (!fits || value < least)
    return expected(node, least == 0 ? "a non-negative integer"
                                     : "a positive integer");
  return Located<int64_t>{value, node.loc};
}

FailureOr<Located<double>> yaml::readNumber(const Node &node, StringRef what,
                                            bool (*accept)(double)) {
  double value = 0;
  StringRef text = node.text;
  // LLVM also reads words, hexadecimal digits and "1e".
  bool isNumber =
      node.kind == Node::Scalar && !node.quoted && !text.empty() &&
      text.find_first_not_of("0123456789+-.eE") == StringRef::npos &&
      llvm::isDigit(text.back()) && !text.getAsDouble(value) &&
      std::isfinite(value);
  if (!isNumber || !accept(value))
    return expected(node, what);
  return Located<double>{value, node.loc};
}

FailureOr<Located<std::string>> yaml::readString(const Node &node,
                                                 const Twine &what) {
  if (node.kind != Node::Scalar || node.text.empty())
    return expected(node, what);
  return Located<std::string>{node.text, node.loc};
}

FailureOr<Located<bool>> yaml::readBool(const Node &node, StringRef what) {
  if (node.kind == Node::Scalar && !node.quoted)
    if (std::optional<bool> value = llvm::yaml::parseBool(node.text))
      return Located<bool>{*value, node.loc};
  return expected(node, what);
}

FailureOr<Located<PathGlob>> yaml::readGlob(const Node &node) {
  if (node.kind != Node::Scalar)
    return expected(node, "a glob on paths");
  llvm::Expected<PathGlob> glob = PathGlob::create(node.text);
  if (!glob)
    return emitError(node.loc)
           << "'" << node.text
           << "' is no glob: " << llvm::toString(glob.takeError());
  return Located<PathGlob>{std::move(*glob), node.loc};
}

FailureOr<size_t> yaml::readWord(const Node &node, ArrayRef<StringRef> words) {
  if (node.kind == Node::Scalar)
    for (auto [index, word] : llvm::enumerate(words))
      if (node.text == word)
        return index;
  return expected(node, "one of '" + llvm::join(words, "', '") + "'");
}
