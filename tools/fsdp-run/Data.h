//===- Data.h - Where arguments get their values ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//
//
// Arguments get their values from a safetensors file, from the portable fill
// in a JSON sidecar, or from a generator. All three give the same values on
// every machine. For a run on W ranks each place along the groups along which
// an input varies then gets a batch of its own: with equal batches a gradient
// that was never reduced would look right. Of a global batch each rank gets its
// part.
//
//===----------------------------------------------------------------------===//

#ifndef FSDP_RUN_DATA_H
#define FSDP_RUN_DATA_H

#include "Tensor.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace fsdp::run {

/// What an argument of the step is, as the module declares it.
struct Argument {
  /// The attribute without "fsdp.": param, frozen, buffer, input, state, hyper
  /// or seed.
  std::string role;
  /// The attribute's value, for example "tokens" or "exp_avg:h.0.w".
  std::string name;
  Dtype dtype = Dtype::F32;
  llvm::SmallVector<int64_t> shape;
  /// Generated integers are in [0, bound).
  int64_t bound = 2;
};

/// The values of a step's arguments, and what its results should be.
struct Data {
  /// The file the values are from; empty if they are generated.
  std::string path;
  /// In argument order. An argument of shape [...] may be [W, ...] here: one
  /// value per rank.
  std::vector<Tensor> arguments;
  /// The results that a safetensors file expects, in order.
  std::vector<Tensor> results;
  /// The numbers that a sidecar expects: "loss", "grad_norms" (one per
  /// parameter), ...; a single number is a list of one.
  llvm::StringMap<std::vector<double>> expected;
};

/// Finds values for a module: in `dataPath` (.safetensors or .json) if it is
/// not empty, else beside the module in NAME.safetensors, else in NAME.json if
/// that has a `fill`, else generated. A file may leave out states, hypers and
/// seeds, which a plan adds: these are generated. Shapes are checked; in a
/// safetensors file one more leading dimension of size `ranks` is accepted.
llvm::Expected<Data> loadData(llvm::StringRef modulePath,
                              llvm::StringRef dataPath,
                              llvm::ArrayRef<Argument> arguments, int64_t ranks,
                              uint64_t seed);

/// A value for argument number `index`. With u in [-1, 1) by a hash of seed,
/// index and element: u for float inputs; u / sqrt(last size) for parameters
/// and buffers of rank 2 or more, 1 + 0.1 u below; zeros for states; 1e-3 for
/// hypers; the seed for seeds; integers in [0, bound).
Tensor generate(const Argument &argument, uint64_t index, uint64_t seed);

/// The fill of sidecars: for `mod` = 0, u * scale + bias with u in [-0.5, 0.5)
/// by a hash of `k` and the element; else integers in [0, mod).
Tensor portableFill(const Argument &argument, uint64_t k, double scale,
                    double bias, uint64_t mod);

/// Batch `index` of those that differ from rank to rank, at one step: integers
/// are the base's own, in another order, so that they stay valid; floats are
/// permuted along the batch and moved by at most a tenth of the largest. The
/// order depends on index, step and count alone, so that labels [B] follow
/// their samples [B, ...]. No (index, step) keeps the base's order, (0, 0)
/// included. An input without batch dimension (`batchDim` < 0) is the same
/// everywhere.
Tensor perRank(const Tensor &base, int64_t index, int64_t step,
               int64_t batchDim);

/// The value of a varying parameter at `index` of its group: the base for 0,
/// else each element scaled by 0.75 to 1.25 and moved by up to a tenth of the
/// largest. Values that are nowhere negative stay so; integers stay as is.
Tensor perVaryingIndex(const Tensor &base, int64_t index);

/// The value of `argument` on `rank`, which is that rank's row of a value with
/// one entry per rank, else the value.
Tensor onRank(const Tensor &value, const Argument &argument, int64_t rank);

} // namespace fsdp::run

#endif // FSDP_RUN_DATA_H
