//===- PathGlob.h - Globs on dotted paths -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Patterns on module and parameter paths such as "transformer.h.0.attn". They
// are written as llvm::GlobPattern's, but know that a path has components.
//
//===----------------------------------------------------------------------===//

#ifndef FSDP_ANALYSIS_PATHGLOB_H
#define FSDP_ANALYSIS_PATHGLOB_H

#include "mlir/Support/LLVM.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Regex.h"
#include <string>

namespace fsdp {

/// A compiled glob on dotted paths. It matches whole paths, case and all:
///
///   *        any characters of one component, perhaps none
///   ?        one character of a component
///   **.      at the start of a component: zero or more whole components, so
///            that "**.bias" matches "bias" and "h.0.bias", but not "h.mybias"
///   **       elsewhere: any characters, dots too; "h.**" is all below "h" and
///            not "h" itself, "**" is everything, the root "" too
///   [ab-d]   one character of the set; [!ab] or [^ab] one that is neither in
///            the set nor a dot
///   {a,b.c}  one of the globs; not nested
///   \x       x itself
class PathGlob {
public:
  /// Compiles `pattern`, or says what is wrong with it.
  static llvm::Expected<PathGlob> create(llvm::StringRef pattern);

  /// Whether the whole of `dottedPath` matches.
  bool match(llvm::StringRef dottedPath) const;

  /// The pattern as written.
  llvm::StringRef getPattern() const { return pattern; }

private:
  PathGlob(llvm::StringRef pattern, llvm::Regex regex)
      : pattern(pattern), regex(std::move(regex)) {}

  std::string pattern;
  llvm::Regex regex;
};

} // namespace fsdp

#endif // FSDP_ANALYSIS_PATHGLOB_H
