/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a compiled step on two ranks: w = 0 .. 5, x = 1 .. 6 on rank 0, twice that on rank 1. */
#include "step.h"

#include <stdio.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct Rank {
  void *arguments[COUNT(fsdp_step_arguments)];
  void *results[COUNT(fsdp_step_results)];
  void *arena;
};

static void *allocate(const FsdpPort *port) {
  int64_t elements = 1;
  for (int32_t i = 0; i < port->rank; ++i)
    elements *= port->shape[i];
  return calloc(elements, 8);
}

static void run(FsdpRank *rank, void *user) {
  struct Rank *mine = user;
  fsdp_entry_step(rank, mine->arguments, mine->results, mine->arena);
}

int main(void) {
  struct Rank ranks[2];
  void *users[2] = {&ranks[0], &ranks[1]};
  for (int r = 0; r < 2; ++r) {
    for (size_t i = 0; i < COUNT(fsdp_step_arguments); ++i)
      ranks[r].arguments[i] = allocate(&fsdp_step_arguments[i]);
    for (size_t i = 0; i < COUNT(fsdp_step_results); ++i)
      ranks[r].results[i] = fsdp_step_results[i].in_place < 0 ? allocate(&fsdp_step_results[i]) : NULL;
    ranks[r].arena = aligned_alloc(64, FSDP_STEP_ARENA_BYTES + 64);
    for (int i = 0; i < 3; ++i)
      ((float *)ranks[r].arguments[0])[i] = 3 * r + i;
    for (int i = 0; i < 6; ++i)
      ((float *)ranks[r].arguments[1])[i] = (r + 1) * (i + 1);
    *(float *)ranks[r].arguments[2] = 0.5f; /* The learning rate. */
  }
  FsdpJob *job = fsdp_job_create_threads(2, 60);
  for (int step = 0; step < 2; ++step) {
    if ((step == 0 && fsdp_step_add_groups(job) != FSDP_OK) || fsdp_job_run(job, run, users) != FSDP_OK) {
      puts(fsdp_job_error(job));
      return 1;
    }
    printf("loss %g\n", *(float *)ranks[0].results[0]);
  }
  for (int r = 0; r < 2; ++r)
    for (int i = 0; i < 3; ++i)
      printf("w %g\n", ((float *)ranks[r].arguments[0])[i]);
  fsdp_job_destroy(job);
  return 0;
}
