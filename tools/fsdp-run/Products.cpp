// SPDX-License-Identifier: Apache-2.0
//===- Products.cpp - how fast products are, and could be -----------------===//
#include "Products.h"
#include "Tensor.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace fsdp::run;

/// What one call of a product computes.
static double getFlops(const FsdpGemm &gemm) {
  double flops = 2.0 * gemm.m * gemm.n * gemm.k;
  for (int64_t i = 0; i < gemm.loops; ++i)
    flops *= gemm.size[i];
  return flops;
}

/// Elements from the first to the last one that `outer` x `inner` positions and
/// the loops around them touch.
static int64_t getSpan(const FsdpGemm &gemm, int64_t outer, int64_t outerStride,
                       int64_t inner, int64_t innerStride,
                       const int64_t *loopStrides) {
  int64_t last = (outer - 1) * outerStride + (inner - 1) * innerStride;
  for (int64_t i = 0; i < gemm.loops; ++i)
    last += (gemm.size[i] - 1) * loopStrides[i];
  return last + 1;
}

namespace {
/// A product on buffers of its own, to be called alone.
struct Alone {
  FsdpGemm gemm;
  std::vector<char, AlignedAllocator<char>> lhs, rhs, result;
};
} // namespace

/// Calls a product a few times; the fastest call counts.
static void callAlone(FsdpRank *rank, void *user) {
  auto &alone = *static_cast<Alone *>(user);
  for (int i = 0; i < 5; ++i)
    fsdp_gemm(rank, &alone.gemm, alone.lhs.data(), alone.rhs.data(),
              alone.result.data());
}

/// Seconds of one call of `gemm` with nothing else around it.
static double timeAlone(const FsdpGemm &gemm, int64_t threads) {
  constexpr int64_t width = 4;
  Alone alone = {gemm, {}, {}, {}};
  alone.lhs.resize(width * getSpan(gemm, gemm.m, gemm.lhs_m, gemm.k, gemm.lhs_k,
                                   gemm.lhs_stride));
  alone.rhs.resize(width * getSpan(gemm, gemm.k, gemm.rhs_k, gemm.n, gemm.rhs_n,
                                   gemm.rhs_stride));
  alone.result.resize(width * getSpan(gemm, gemm.m, gemm.result_m, gemm.n, 1,
                                      gemm.result_stride));
  FsdpJob *job = fsdp_job_create_threads(1, 1e6);
  fsdp_job_set_threads(job, threads);
  void *user = &alone;
  double best = 0;
  for (int i = 0; i < 5; ++i) {
    fsdp_job_reset_products(job);
    fsdp_job_run(job, callAlone, &user);
    FsdpProduct product;
    if (fsdp_rank_product(job, 0, 0, &product) != FSDP_OK)
      break;
    double seconds = product.seconds / product.calls;
    best = best == 0 ? seconds : std::min(best, seconds);
  }
  fsdp_job_destroy(job);
  return best;
}

void fsdp::run::reportProducts(const FsdpJob *job, int64_t threads,
                               double totalSeconds) {
  double flops = 0, seconds = 0, alone = 0;
  for (int64_t i = 0; i < fsdp_rank_product_count(job, 0); ++i) {
    FsdpProduct product;
    fsdp_rank_product(job, 0, i, &product);
    flops += getFlops(product.gemm) * product.calls;
    seconds += product.seconds;
    alone += timeAlone(product.gemm, threads) * product.calls;
  }
  if (flops == 0)
    return;
  outs() << "products: " << format("%.0f", 100 * seconds / totalSeconds)
         << " % of rank 0's steps, " << format("%.1f", flops / seconds * 1e-9)
         << " GFLOP/s; the same products alone: "
         << format("%.1f", flops / alone * 1e-9) << " GFLOP/s\n";
}
