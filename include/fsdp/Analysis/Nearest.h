//===- Nearest.h - "Did you mean" -------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// The nearest known name, for every error about an unknown one: plan keys,
// group spellings, patterns that match nothing.
//
//===----------------------------------------------------------------------===//

#ifndef FSDP_ANALYSIS_NEAREST_H
#define FSDP_ANALYSIS_NEAREST_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <limits>
#include <string>

namespace fsdp {

/// The name of least edit distance to `name` (the first of several); empty only
/// if nothing is known.
inline std::string nearest(llvm::StringRef name,
                           llvm::ArrayRef<llvm::StringRef> known) {
  llvm::StringRef best;
  unsigned least = std::numeric_limits<unsigned>::max();
  for (llvm::StringRef candidate : known) {
    unsigned distance = name.edit_distance(candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best.str();
}

/// "; did you mean 'best'?", or nothing if nothing is known.
inline std::string didYouMean(llvm::StringRef name,
                              llvm::ArrayRef<llvm::StringRef> known) {
  std::string best = nearest(name, known);
  return best.empty() ? best : "; did you mean '" + best + "'?";
}

} // namespace fsdp

#endif // FSDP_ANALYSIS_NEAREST_H
