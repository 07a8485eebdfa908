//===- Gemm.cpp - Products of matrices by oneDNN --------------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//
// oneDNN's sgemm takes f32; bf16 takes a matmul primitive, which is made once
// per shape and thread. Loops around a product run here.
//
//===----------------------------------------------------------------------===//

#include "Gemm.h"
#include "Parallel.h"

#ifdef FSDP_HAS_ONEDNN
#include <atomic>
#include <dnnl.hpp>
#include <map>

using namespace fsdp::rt;

namespace {
/// One product; `sums` says that it adds to what is there.
using Product = void (*)(const FsdpGemm &gemm, const char *lhs, const char *rhs,
                         char *result, bool sums);
} // namespace

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
  dnnl::error::wrap_c_api(status, "sgemm");
}

/// A matmul primitive for one product, kept per thread.
static dnnl::matmul &getMatmul(const FsdpGemm &gemm, const dnnl::engine &engine,
                               dnnl::memory::desc (&descs)[3], bool sums) {
  using dnnl::memory;
  auto getType = [](int64_t dtype) {
    return dtype == FSDP_BF16 ? memory::data_type::bf16 : memory::data_type::f32;
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
  dnnl::matmul::primitive_desc primitive(desc, attributes, engine);
  return known[sums].emplace(key, dnnl::matmul(primitive)).first->second;
}

/// bf16 operands; sums are formed in f32.
static void multiplyBF16(const FsdpGemm &gemm, const char *lhs, const char *rhs,
                         char *result, bool sums) {
  static dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  thread_local dnnl::stream stream(engine);
  dnnl::memory::desc descs[3];
  dnnl::matmul &matmul = getMatmul(gemm, engine, descs, sums);
  auto at = [&](int i, const char *data) {
    return dnnl::memory(descs[i], engine, const_cast<char *>(data));
  };
  matmul.execute(stream, {{DNNL_ARG_SRC, at(0, lhs)},
                          {DNNL_ARG_WEIGHTS, at(1, rhs)},
                          {DNNL_ARG_DST, at(2, result)}});
  stream.wait();
}

/// Runs loop `loop` and those inside of it.
static void runLoops(Product product, const FsdpGemm &gemm, int64_t loop,
                     const char *lhs, const char *rhs, char *result,
                     bool sums) {
  if (loop == gemm.loops)
    return product(gemm, lhs, rhs, result, sums);
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
      all.error = error.what();
  }
}

std::string fsdp::rt::multiply(const FsdpGemm &gemm, const void *lhs,
                               const void *rhs, void *result) {
  Positions all = {gemm.dtype == FSDP_F32 ? multiplyF32 : multiplyBF16,
                   gemm,
                   static_cast<const char *>(lhs),
                   static_cast<const char *>(rhs),
                   static_cast<char *>(result),
                   false,
                   {}};
  // Without a loop, the product itself is one position.
  if (gemm.loops == 0) {
    all.gemm.loops = 1;
    all.gemm.size[0] = 1;
  }
  // Many small products run side by side; large ones use all threads.
  if (gemm.loops > 0 && gemm.result_stride[0] != 0)
    runParallel(all.gemm.size[0], runPositions, &all);
  else
    runPositions(&all, 0, all.gemm.size[0]);
  return all.error;
}
#else
std::string fsdp::rt::multiply(const FsdpGemm &, const void *, const void *,
                               void *) {
  return "expected a runtime with oneDNN, but it was built without";
}
#endif
