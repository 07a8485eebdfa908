//===- Gemm.cpp - Products of matrices by oneDNN --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// oneDNN's sgemm takes f32; bf16 takes a matmul primitive, which is made once
// per shape and thread. Loops around a product run here; those that sum are the
// inner ones.
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"
#include "Parallel.h"

#ifdef FSDP_HAS_ONEDNN
#include <algorithm>
#include <atomic>
#include <dnnl.hpp>
#include <map>
#include <vector>

using namespace fsdp::rt;

namespace {
/// One product; `sums` says that it adds to what is there.
using Product = void (*)(const FsdpGemm &gemm, const char *lhs, const char *rhs,
                         char *result, bool sums);
} // namespace

/// Fits the strides of a matrix to the library, which wants that of a single
/// row to cover it as well. Returns what is wrong with them, or "".
static std::string fitMatrix(const char *name, int64_t rows, int64_t columns,
                             int64_t &rowStride, int64_t &columnStride) {
  int64_t *outer = &rowStride, *unit = &columnStride;
  if (*unit != 1 || (*outer == 1 && rows > 1)) {
    std::swap(outer, unit);
    std::swap(rows, columns);
  }
  if (*unit != 1)
    return std::string("expected a stride of 1 in ") + name + ", but got " +
           std::to_string(rowStride) + " and " + std::to_string(columnStride);
  if (rows <= 1)
    *outer = std::max<int64_t>(columns, 1);
  if (*outer < columns)
    return std::string("expected rows of ") + name + " at least " +
           std::to_string(columns) + " elements apart, but got " +
           std::to_string(*outer);
  return "";
}

/// Orders the loops, those that sum last; a sum over nothing has no k. Returns
/// what is wrong with them, or "".
static std::string fitLoops(FsdpGemm &gemm) {
  if (gemm.loops < 0 || gemm.loops > FSDP_GEMM_LOOPS)
    return "expected 0 to " + std::to_string(FSDP_GEMM_LOOPS) +
           " loops, but got " + std::to_string(gemm.loops);
  FsdpGemm given = gemm;
  gemm.loops = 0;
  for (bool sums : {false, true})
    for (int64_t i = 0; i < given.loops; ++i) {
      int64_t size = given.size[i];
      if (size < 0)
        return "expected sizes of at least 0, but got loop " +
               std::to_string(i) + " of " + std::to_string(size);
      if (size == 1 || (given.result_stride[i] == 0) != sums)
        continue;
      if (size == 0 && sums)
        gemm.k = 0;
      gemm.size[gemm.loops] = size;
      gemm.lhs_stride[gemm.loops] = given.lhs_stride[i];
      gemm.rhs_stride[gemm.loops] = given.rhs_stride[i];
      gemm.result_stride[gemm.loops++] = given.result_stride[i];
    }
  if (gemm.k == 0) { // Operands may be null, and nothing moves in them.
    std::memset(gemm.lhs_stride, 0, sizeof(gemm.lhs_stride));
    std::memset(gemm.rhs_stride, 0, sizeof(gemm.rhs_stride));
    while (gemm.loops && gemm.result_stride[gemm.loops - 1] == 0)
      --gemm.loops;
  }
  return "";
}

/// Brings a product into the form that all below takes. Returns what is wrong
/// with it, or "".
static std::string fitProduct(FsdpGemm &gemm) {
  bool isF32 = gemm.dtype == FSDP_F32 && gemm.result_dtype == FSDP_F32;
  bool isBF16 = gemm.dtype == FSDP_BF16 && (gemm.result_dtype == FSDP_F32 ||
                                            gemm.result_dtype == FSDP_BF16);
  if (!isF32 && !isBF16)
    return "expected dtypes f32 to f32, bf16 to f32 or bf16 to bf16, but got " +
           std::to_string(gemm.dtype) + " to " +
           std::to_string(gemm.result_dtype);
  if (gemm.accumulate != 0 && gemm.accumulate != 1)
    return "expected accumulate to be 0 or 1, but got " +
           std::to_string(gemm.accumulate);
  if (gemm.m < 0 || gemm.n < 0 || gemm.k < 0)
    return "expected sizes of at least 0, but got m " + std::to_string(gemm.m) +
           ", n " + std::to_string(gemm.n) + ", k " + std::to_string(gemm.k);
  std::string error = fitLoops(gemm);
  int64_t unit = 1;
  if (error.empty())
    error = fitMatrix("lhs", gemm.m, gemm.k, gemm.lhs_m, gemm.lhs_k);
  if (error.empty())
    error = fitMatrix("rhs", gemm.k, gemm.n, gemm.rhs_k, gemm.rhs_n);
  if (error.empty())
    error = fitMatrix("the result", gemm.m, gemm.n, gemm.result_m, unit);
  return error;
}

/// A sum over nothing: zero, or what is there.
static void clear(const FsdpGemm &gemm, const char *, const char *,
                  char *result, bool sums) {
  int64_t width = gemm.result_dtype == FSDP_F32 ? 4 : 2;
  for (int64_t row = 0; row < gemm.m && !sums; ++row)
    std::memset(result + row * gemm.result_m * width, 0, gemm.n * width);
}

/// f32 throughout.
static void multiplyF32(const FsdpGemm &gemm, const char *lhs, const char *rhs,
                        char *result, bool sums) {
  bool lhsByRows = gemm.lhs_k == 1, rhsByRows = gemm.rhs_n == 1;
  dnnl_status_t status = dnnl_sgemm(
      lhsByRows ? 'N' : 'T', rhsByRows ? 'N' : 'T', gemm.m, gemm.n, gemm.k,
      1.0f, reinterpret_cast<const float *>(lhs),
      lhsByRows ? gemm.lhs_m : gemm.lhs_k, reinterpret_cast<const float *>(rhs),
      rhsByRows ? gemm.rhs_k : gemm.rhs_n, sums ? 1.0f : 0.0f,
      reinterpret_cast<float *>(result), gemm.result_m);
  dnnl::error::wrap_c_api(status, "could not execute sgemm");
}

/// The processor, as oneDNN names it.
static const dnnl::engine &getEngine() {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

/// What this thread runs primitives on.
static dnnl::stream &getStream() {
  thread_local dnnl::stream stream(getEngine());
  return stream;
}

/// A matmul primitive for one product, kept per thread.
static dnnl::matmul &getMatmul(const FsdpGemm &gemm,
                               dnnl::memory::desc (&descs)[3], bool sums) {
  using dnnl::memory;
  auto getType = [](int64_t dtype) {
    return dtype == FSDP_BF16 ? memory::data_type::bf16
                              : memory::data_type::f32;
  };
  descs[0] = {{gemm.m, gemm.k}, getType(gemm.dtype), {gemm.lhs_m, gemm.lhs_k}};
  descs[1] = {{gemm.k, gemm.n}, getType(gemm.dtype), {gemm.rhs_k, gemm.rhs_n}};
  descs[2] = {{gemm.m, gemm.n}, getType(gemm.result_dtype), {gemm.result_m, 1}};
  thread_local std::map<FsdpGemm, dnnl::matmul, GemmOrder> known[2];
  FsdpGemm key = gemm;
  key.accumulate = key.loops = 0;
  auto found = known[sums].find(key);
  if (found != known[sums].end())
    return found->second;
  dnnl::primitive_attr attributes;
  if (sums) {
    dnnl::post_ops add;
    add.append_sum();
    attributes.set_post_ops(add);
  }
  dnnl::matmul::desc desc(descs[0], descs[1], descs[2]);
  dnnl::matmul::primitive_desc primitive(desc, attributes, getEngine());
  return known[sums].emplace(key, dnnl::matmul(primitive)).first->second;
}

/// bf16 operands; sums are formed in f32.
static void multiplyBF16(const FsdpGemm &gemm, const char *lhs, const char *rhs,
                         char *result, bool sums) {
  dnnl::memory::desc descs[3];
  dnnl::matmul &matmul = getMatmul(gemm, descs, sums);
  auto at = [&](int i, const char *data) {
    return dnnl::memory(descs[i], getEngine(), const_cast<char *>(data));
  };
  matmul.execute(getStream(), {{DNNL_ARG_SRC, at(0, lhs)},
                               {DNNL_ARG_WEIGHTS, at(1, rhs)},
                               {DNNL_ARG_DST, at(2, result)}});
  getStream().wait();
}

static void runLoops(Product product, const FsdpGemm &gemm, int64_t loop,
                     const char *lhs, const char *rhs, char *result, bool sums);

/// Runs loops that sum into a result in bf16: it is rounded once, behind them.
static void runWide(Product product, const FsdpGemm &gemm, int64_t loop,
                    const char *lhs, const char *rhs, char *result, bool sums) {
  using dnnl::memory;
  thread_local std::vector<float> values;
  values.resize(gemm.m * gemm.n);
  FsdpGemm wideGemm = gemm;
  wideGemm.result_dtype = FSDP_F32;
  wideGemm.result_m = gemm.n;
  memory::dims size = {gemm.m, gemm.n};
  memory narrow({size, memory::data_type::bf16, {gemm.result_m, 1}},
                getEngine(), result);
  memory wide({size, memory::data_type::f32, {gemm.n, 1}}, getEngine(),
              values.data());
  if (sums)
    dnnl::reorder(narrow, wide).execute(getStream(), narrow, wide);
  runLoops(product, wideGemm, loop, lhs, rhs,
           reinterpret_cast<char *>(values.data()), sums);
  dnnl::reorder(wide, narrow).execute(getStream(), wide, narrow);
  getStream().wait();
}

/// Runs loop `loop` and those inside of it.
static void runLoops(Product product, const FsdpGemm &gemm, int64_t loop,
                     const char *lhs, const char *rhs, char *result,
                     bool sums) {
  if (loop == gemm.loops)
    return product(gemm, lhs, rhs, result, sums);
  if (gemm.result_dtype == FSDP_BF16 && gemm.result_stride[loop] == 0)
    return runWide(product, gemm, loop, lhs, rhs, result, sums);
  int64_t width = gemm.dtype == FSDP_F32 ? 4 : 2;
  int64_t resultWidth = gemm.result_dtype == FSDP_F32 ? 4 : 2;
  for (int64_t i = 0; i < gemm.size[loop]; ++i)
    runLoops(product, gemm, loop + 1, lhs + i * gemm.lhs_stride[loop] * width,
             rhs + i * gemm.rhs_stride[loop] * width,
             result + i * gemm.result_stride[loop] * resultWidth,
             sums || (i > 0 && gemm.result_stride[loop] == 0));
}

namespace {
/// The positions of a product's first loop.
struct Positions {
  Product product;
  FsdpGemm gemm;
  const char *lhs, *rhs;
  char *result;
  std::atomic<bool> failed;
  std::string error;
};
} // namespace

/// Runs some positions of the first loop, which are independent.
static void runPositions(void *context, int64_t begin, int64_t end) {
  auto &all = *static_cast<Positions *>(context);
  FsdpGemm part = all.gemm;
  part.size[0] = end - begin;
  int64_t width = part.dtype == FSDP_F32 ? 4 : 2;
  int64_t resultWidth = part.result_dtype == FSDP_F32 ? 4 : 2;
  try {
    runLoops(all.product, part, 0, all.lhs + begin * part.lhs_stride[0] * width,
             all.rhs + begin * part.rhs_stride[0] * width,
             all.result + begin * part.result_stride[0] * resultWidth,
             part.accumulate);
  } catch (const dnnl::error &error) {
    if (!all.failed.exchange(true))
      all.error = std::string("expected a product of ") +
                  (part.dtype == FSDP_F32 ? "f32" : "bf16") +
                  " by oneDNN, but got: " + error.what();
  }
}

std::string fsdp::rt::multiply(const FsdpGemm &given, const void *lhs,
                               const void *rhs, void *result) {
  FsdpGemm gemm = given;
  std::string error = fitProduct(gemm);
  if (!error.empty())
    return error;
  bool hasElements = gemm.m > 0 && gemm.n > 0;
  for (int64_t i = 0; i < gemm.loops; ++i)
    hasElements &= gemm.size[i] > 0;
  if (!hasElements)
    return "";
  if (!result || (gemm.k > 0 && (!lhs || !rhs)))
    return "expected lhs, rhs and result, but got null";

  Positions all = {gemm.k == 0              ? clear
                   : gemm.dtype == FSDP_F32 ? multiplyF32
                                            : multiplyBF16,
                   gemm,
                   static_cast<const char *>(lhs),
                   static_cast<const char *>(rhs),
                   static_cast<char *>(result),
                   false,
                   {}};
  // Many small products run side by side; large ones use all threads.
  if (gemm.loops > 0 && gemm.result_stride[0] != 0)
    runParallel(gemm.size[0], runPositions, &all);
  else
    runPositions(&all, 0, gemm.loops ? gemm.size[0] : 1);
  return all.error;
}
#else
std::string fsdp::rt::multiply(const FsdpGemm &, const void *, const void *,
                               void *) {
  return "expected a runtime with oneDNN, but it was built without";
}
#endif
