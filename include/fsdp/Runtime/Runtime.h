/*===- Runtime.h - C ABI of the fsdp runtime ----------------------*- C -*-===*\
|*
|* SPDX-License-Identifier: Apache-2.0
|*
|* The one interface between compiled training steps, the programs that run
|* them and the back ends that move the bytes. Code generation emits calls of
|* the first half; fsdp-run and Python call the second half. It is plain C, so
|* that compiled code, ctypes and C++ can all use it, and it includes no LLVM
|* header.
|*
|* Words. A *rank* is one of the ranks 0 .. ranks-1 of a *job*. A *group* is a
|* list of classes of equal size that together hold every rank once; a rank's
|* *index* is its position in its class. A *channel* is one communicator of a
|* group: collectives on one channel match in the order in which they are
|* started, channels are independent. A *bucket* is the list of buffers that
|* one collective sends together.
|*
|* Errors. The first error of a job is kept and is final: from then on every
|* call below that takes a FsdpRank returns at once and touches no buffer, so
|* that compiled code needs no checks and runs off its end (as with CUDA).
|* fsdp_job_run then returns FSDP_FAILED and fsdp_job_error tells the story.
|* All errors named below are of this kind.
|*
|* Threads. A FsdpRank belongs to the thread that runs its step; no other
|* thread may use it. A FsdpJob belongs to the host thread that made it.
|*
\*===----------------------------------------------------------------------===*/

#ifndef FSDP_RUNTIME_RUNTIME_H
#define FSDP_RUNTIME_RUNTIME_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a signature, an enumerator or a layout below changes. */
#define FSDP_RUNTIME_VERSION 2

typedef struct FsdpJob FsdpJob;   /* all ranks of one run */
typedef struct FsdpRank FsdpRank; /* one rank's view of its job */

typedef enum FsdpStatus { FSDP_OK = 0, FSDP_FAILED = 1 } FsdpStatus;

/* Layouts, in elements, row-major, for a buffer added with `outer` and `inner`
   and n = the size of the group:

     kind            source               destination
     all-gather      [outer][inner]       [outer][n][inner]   block of index i
                                                              at position i
     reduce-scatter  [outer][n][inner]    [outer][inner]      own block, reduced
     all-reduce      [outer * inner]      [outer * inner]
     all-to-all      [n][outer * inner]   [n][outer * inner]  block i goes to
                                          index i, block j came from index j
     broadcast       [outer * inner]      [outer * inner]     from index `root`;
                                          only the root's source is read, others
                                          may pass NULL
     permute         [outer * inner]      [outer * inner]     index i sends to
                                          (i + shift) mod n; shift may be < 0

   Source and destination of a buffer must not overlap, except that those of an
   all-reduce may be equal. */
typedef enum FsdpKind {
  FSDP_ALL_GATHER = 0,
  FSDP_REDUCE_SCATTER = 1,
  FSDP_ALL_REDUCE = 2,
  FSDP_ALL_TO_ALL = 3,
  FSDP_BROADCAST = 4,
  FSDP_PERMUTE = 5
} FsdpKind;

typedef enum FsdpDtype {
  FSDP_F16 = 0,
  FSDP_BF16 = 1,
  FSDP_F32 = 2,
  FSDP_F64 = 3,
  FSDP_I8 = 4, /* signed; also i1 stored as a byte */
  FSDP_I32 = 5,
  FSDP_I64 = 6
} FsdpDtype;

/* Reductions run in index order and are the same bits on every rank and in
   every run. f16 and bf16 accumulate in f32 and round once, to nearest even, at
   the end (a sum above the largest f16 is inf); f32 and f64 accumulate in
   themselves; integers wrap. The maximum or minimum of anything with NaN is
   NaN. */
typedef enum FsdpReduction {
  FSDP_NONE = 0,
  FSDP_SUM = 1,
  FSDP_MAX = 2,
  FSDP_MIN = 3
} FsdpReduction;

/* An argument or a result of a compiled step, as the headers that fsdp-opt
   writes list them. Shapes are those of one rank. */
typedef struct FsdpPort {
  const char *role; /* "param", "input", "state", ..., "loss", "grad", ... */
  const char *name;
  int32_t dtype; /* FsdpDtype */
  int32_t rank;  /* dims */
  int64_t shape[8];
  /* Of a result: the argument in whose place it is computed, whose buffer is
     written, and whose entry among the results is not read; else -1. */
  int64_t in_place;
} FsdpPort;

/*===----------------------------------------------------------------------===*\
|* Called by compiled code
\*===----------------------------------------------------------------------===*/

/* Returns FSDP_RUNTIME_VERSION of the library; compiled code compares it with
   the version that it was generated for. Any thread, any time. */
int32_t fsdp_runtime_version(void);

/* Returns the index of this rank in its class of `group`. After an error, and
   for a group that does not exist (an error), returns 0, which every class has:
   what is computed from it stays inside its buffers. */
int64_t fsdp_rank_index(FsdpRank *rank, int64_t group);

/* Begins a bucket and returns its token (>= 0), or -1 after an error. `kind`,
   `dtype` and `reduction` are enumerators above; `reduction` is FSDP_NONE
   except for reduce-scatter and all-reduce, which need one. `root_or_shift` is
   the root's index for a broadcast, the shift for a permute, else 0. `location`
   says where the op stands in the model, for errors; it is copied and may be
   NULL. Nothing is sent and nothing is ordered yet.
   Errors: an argument out of range. */
int64_t fsdp_open(FsdpRank *rank, int32_t kind, int64_t group, int64_t channel,
                  int32_t dtype, int32_t reduction, int64_t root_or_shift,
                  const char *location);

/* Adds a buffer to a bucket that is open and not started. `outer` and `inner`
   are element counts >= 0, the same on every member; pointers are aligned to
   the element and may be NULL when there are no elements. A buffer without
   elements takes part like any other, and so does a bucket without buffers.
   Errors: a token that is not open, a negative count, NULL, an overlap. */
void fsdp_add(FsdpRank *rank, int64_t token, const void *source,
              void *destination, int64_t outer, int64_t inner);

/* Starts the collective and returns without waiting for other members. From
   here until fsdp_wait returns, sources must not be written and destinations
   neither read nor written by this rank. The n-th start of every member on a
   channel belong together, over all runs of the job.
   Errors: a token that is not open or is started; members that disagree on
   kind, dtype, reduction, root or shift, number of buffers, or sizes. */
void fsdp_start(FsdpRank *rank, int64_t token);

/* Blocks until this rank's destinations are readable and its sources may be
   overwritten, then releases the token. Started collectives may be waited for
   in any order, different on every rank; each progresses as soon as all members
   have started it. After an error it returns once nobody reads or writes this
   rank's buffers any more.
   Errors: a token that is not started; the time-out of the job passes before
   every member has started the collective. */
void fsdp_wait(FsdpRank *rank, int64_t token);

/* Loops around a product of matrices. */
#define FSDP_GEMM_LOOPS 4

/* C = A B, or C += A B, on matrices of m x k, k x n and m x n elements, once for
   each position of the loops around them. Strides are in elements. Of lhs_m and
   lhs_k one is 1, and of rhs_k and rhs_n; rows of the result are contiguous. A
   loop along which the result does not move sums: C is as without it at its
   first position, and added to at the others. */
typedef struct FsdpGemm {
  int64_t dtype, result_dtype; /* FSDP_F32; FSDP_BF16 with either result */
  int64_t accumulate;          /* 1 for C +=, 0 for C = */
  int64_t m, n, k;
  int64_t lhs_m, lhs_k, rhs_k, rhs_n, result_m;
  int64_t loops; /* how many of the entries below are used */
  int64_t size[FSDP_GEMM_LOOPS];
  int64_t lhs_stride[FSDP_GEMM_LOOPS];
  int64_t rhs_stride[FSDP_GEMM_LOOPS];
  int64_t result_stride[FSDP_GEMM_LOOPS];
} FsdpGemm;

/* Computes a product by the library that the runtime was built with, in f32.
   The result must not overlap the operands. What is prepared for a product is
   kept, by its value, for the next one that is the same.
   Errors: fields out of range; a null pointer to elements; the library's own;
   no library (fsdp_has_gemm). */
void fsdp_gemm(FsdpRank *rank, const FsdpGemm *gemm, const void *lhs,
               const void *rhs, void *result);

/* Calls body(context, begin, end) for ranges that together are 0 .. count-1,
   each once, on the threads of the rank, and returns when all are done.
   Errors: count < 0; no body. */
void fsdp_parallel(FsdpRank *rank, int64_t count,
                   void (*body)(void *context, int64_t begin, int64_t end),
                   void *context);

/* Returns 1 if the runtime was built with a library for fsdp_gemm, else 0. */
int32_t fsdp_has_gemm(void);

/*===----------------------------------------------------------------------===*\
|* Called by the host
\*===----------------------------------------------------------------------===*/

/* Makes a job whose ranks are threads of this process. `timeout_seconds` is how
   long a rank waits for other members of a collective to start it; it must be
   longer than the longest time between two collectives of a step. Returns NULL
   if ranks < 1 or timeout_seconds is not > 0. */
FsdpJob *fsdp_job_create_threads(int64_t ranks, double timeout_seconds);

/* Frees the job with all its ranks, or does nothing for NULL. Not while
   fsdp_job_run runs. */
void fsdp_job_destroy(FsdpJob *job);

/* Adds a group and creates its communicators, one per channel, now, so that
   all ranks create all communicators in one order, those they use late
   included. `name` is for errors (without @); `table` holds classes * size
   ranks, class by class, each class in index order; both are copied. Returns
   the group's id, 0, 1, 2, ..., or -1.
   Errors: a rank that is missing, there twice or out of range; sizes whose
   product is not the number of ranks; channels < 1; a call after the first
   fsdp_job_run. */
int64_t fsdp_job_add_group(FsdpJob *job, const char *name, int64_t classes,
                           int64_t size, int64_t channels,
                           const int64_t *table);

/* Gives every rank `threads` threads for fsdp_gemm and fsdp_parallel; one each
   at first. Where the machine has a core for each of them, ranks are pinned to
   cores of their own. Not while fsdp_job_run runs.
   Errors: threads < 1 or > 1024; more than one without oneDNN
   (fsdp_has_gemm). */
int32_t fsdp_job_set_threads(FsdpJob *job, int64_t threads);

/* Calls step(rank, user_per_rank[id of rank]) for every rank of this process at
   the same time, on a thread each, and returns when all have returned: FSDP_OK,
   or FSDP_FAILED if the job has an error, old or new. `user_per_rank` may be
   NULL. `step` must not throw. A job may be run again and again; one with an
   error does not run.
   Errors: a step that returns before it has waited for all that it opened; a
   thread that cannot be started. */
int32_t fsdp_job_run(FsdpJob *job, void (*step)(FsdpRank *rank, void *user),
                     void *const *user_per_rank);

/* Returns the first error and, as notes, which ranks it stopped and where; ""
   if there is none. Valid until the next call with this job. Not while
   fsdp_job_run runs. */
const char *fsdp_job_error(FsdpJob *job);

/* Returns the number of this rank, also after an error. */
int64_t fsdp_rank_id(const FsdpRank *rank);

/* Reports this rank's own failure, from inside its step: the error of the job
   is "rank R: " and `message`, and all other ranks stop. Releases every token
   of the rank; when it returns, nobody uses its buffers any more. */
void fsdp_rank_fail(FsdpRank *rank, const char *message);

/* What one rank has sent on one group by one kind and dtype. Counted when
   fsdp_wait succeeds, from the buffers really passed, with n the size of the
   group and `count` = outer * inner summed over the bucket, in bytes:

     kind            payload_bytes  wire_bytes (0 if n = 1)
     all-gather      n * count      (n-1) * count
     reduce-scatter  n * count      (n-1) * count
     all-reduce      count          2 * (n-1) * count / n, rounded up per call
     all-to-all      n * count      (n-1) * count
     broadcast       count          count: what each link of the ring carries
                                    (the last rank's link is counted as well, so
                                    that all ranks report the same)
     permute         count          count, or 0 if shift mod n = 0 */
typedef struct FsdpTraffic {
  int64_t group; /* id of the group */
  int32_t kind;  /* FsdpKind */
  int32_t dtype; /* FsdpDtype */
  int64_t calls; /* collectives */
  int64_t buffers;
  int64_t payload_bytes; /* the larger side of the buffers */
  int64_t wire_bytes;    /* what the rank sends, by the ring algorithms */
} FsdpTraffic;

/* Returns how many entries `rank` has, in the order of first use, or 0 for a
   rank out of range. Not while fsdp_job_run runs. */
int64_t fsdp_rank_traffic_count(const FsdpJob *job, int64_t rank);

/* Copies entry `index` of `rank` to `out`. Returns FSDP_OK, or FSDP_FAILED,
   with `out` unchanged and no error in the job, if there is none. Not while
   fsdp_job_run runs. */
int32_t fsdp_rank_traffic(const FsdpJob *job, int64_t rank, int64_t index,
                          FsdpTraffic *out);

/* How often a rank has computed a product, and how long that took. */
typedef struct FsdpProduct {
  FsdpGemm gemm;
  int64_t calls;
  double seconds;
} FsdpProduct;

/* Returns how many different products `rank` has computed, or 0 for a rank out
   of range. Not while fsdp_job_run runs. */
int64_t fsdp_rank_product_count(const FsdpJob *job, int64_t rank);

/* Copies product `index` of `rank` to `out`, as fsdp_rank_traffic does. */
int32_t fsdp_rank_product(const FsdpJob *job, int64_t rank, int64_t index,
                          FsdpProduct *out);

/* Drops the products of all ranks. Not while fsdp_job_run runs. */
void fsdp_job_reset_products(FsdpJob *job);

/* Drops the entries of all ranks. Not while fsdp_job_run runs. */
void fsdp_job_reset_traffic(FsdpJob *job);

#ifdef __cplusplus
}
#endif

#endif /* FSDP_RUNTIME_RUNTIME_H */
