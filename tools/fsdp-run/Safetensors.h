//===- Safetensors.h - Reading and writing safetensors files ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Inputs, expected results and checkpoints are safetensors files: eight bytes
// with the length of a JSON header, the header, the data. Files come from
// users, so that anything but a well-formed file is an error with one line,
// `FILE: expected ..., but got ...`, never a crash and never wrong values.
//
//===----------------------------------------------------------------------===//

#ifndef FSDP_RUN_SAFETENSORS_H
#define FSDP_RUN_SAFETENSORS_H

#include "Tensor.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <map>

namespace fsdp::run {

/// What a file holds, by name. `metadata` is the header's `__metadata__`.
struct Safetensors {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Reads a file.
llvm::Expected<Safetensors> readSafetensors(llvm::StringRef path);

/// Reads a file's contents; `path` is for messages only.
llvm::Expected<Safetensors> parseSafetensors(llvm::StringRef contents,
                                             llvm::StringRef path);

/// Writes a file: wide types first, then by name, so that data are aligned.
llvm::Error writeSafetensors(llvm::StringRef path, const Safetensors &file);

/// Parses JSON, and rejects what llvm::json lets pass: a name that an object
/// has twice, and nesting so deep that its recursion overflows the stack.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text,
                                            llvm::StringRef path);

/// The error `PATH: expected EXPECTED, but got GOT`.
llvm::Error invalid(llvm::StringRef path, const llvm::Twine &expected,
                    const llvm::Twine &got);

/// A JSON value for a message: shortened, "nothing" where there is none.
std::string show(const llvm::json::Value *value);

} // namespace fsdp::run

#endif // FSDP_RUN_SAFETENSORS_H
