/* SPDX-License-Identifier: Apache-2.0 */
/* Two ranks add their numbers, from C. */
#include "fsdp/Runtime/Runtime.h"
#include <stdio.h>

static void step(FsdpRank *rank, void *user) {
  float *value = (float *)user, sum = 0;
  int64_t token = fsdp_open(rank, FSDP_ALL_REDUCE, 0, 0, FSDP_F32, FSDP_SUM, 0,
                            "consumer");
  fsdp_add(rank, token, value, &sum, 1, 1);
  fsdp_start(rank, token);
  fsdp_wait(rank, token);
  *value = sum;
}

int main(void) {
  int64_t table[] = {0, 1};
  float values[] = {2, 3};
  void *users[] = {&values[0], &values[1]};
  FsdpJob *job = fsdp_job_create_threads(2, 10);
  if (!job || fsdp_job_add_group(job, "world", 1, 2, 1, table) != 0 ||
      fsdp_job_run(job, step, users) != FSDP_OK)
    return 1;
  printf("sum %g %g\n", values[0], values[1]);
  fsdp_job_destroy(job);
  return 0;
}
