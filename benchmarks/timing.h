/* The median over blocks of the CPU time of one call, in microseconds; shared by all timing programs. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define STATES 64 /* every call takes the next of so many states, so that no branch is learnt by heart */
#define BLOCKS 15
#define BLOCK_SECONDS 0.004

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

#define TIME(name, call) TIME_OF(name, 1, call)

/* Of a call that does so many states at once: per state. */
#define TIME_OF(name, states, call)                                          \
  do {                                                                       \
    double blocks[BLOCKS];                                                   \
    int calls = 1;                                                           \
    for (;; calls *= 2) {                                                    \
      double start = cpu_seconds();                                          \
      for (int i = 0; i < calls; i++) { int s = i % STATES; call; }          \
      if (cpu_seconds() - start > BLOCK_SECONDS) break;                      \
    }                                                                        \
    for (int b = 0; b < BLOCKS; b++) {                                       \
      double start = cpu_seconds();                                          \
      for (int i = 0; i < calls; i++) { int s = i % STATES; call; }          \
      blocks[b] = (cpu_seconds() - start) / calls * 1e6;                     \
    }                                                                        \
    qsort(blocks, BLOCKS, sizeof *blocks, ascending);                        \
    printf("%s %.6f\n", name, blocks[BLOCKS / 2] / (states));                \
  } while (0)

/* The states' file: doubles, first all q, then all v, then all tau, each STATES rows. */
static double *read_doubles(const char *path, long count) {
  double *values = (double *)malloc(sizeof(double) * (size_t)count);
  FILE *file = fopen(path, "rb");
  if (!values || !file || fread(values, sizeof(double), (size_t)count, file) != (size_t)count) {
    fprintf(stderr, "%s: cannot read %ld numbers\n", path, count);
    exit(1);
  }
  fclose(file);
  return values;
}
