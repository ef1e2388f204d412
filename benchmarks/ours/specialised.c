/* usage: specialised SMOOTH STEP STATES RESULT NQ NV
 * Times the kernels of programs made for one model (version 2 of their interface) and writes the accelerations of all
 * states. SMOOTH has acceleration, inverse and mass_matrix, STEP has step. A call takes `lanes` states; times are per
 * state. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>

#include "timing.h"

typedef struct {
  const char *name;
  void (*run)(void *const *column);
  int ncolumn;
  const char *const *column;
  const int *size;
} PbKernel;
typedef struct {
  int abi, lanes, bytes, nkernel;
  const char *key;
  const PbKernel *kernel;
} PbProgram;

enum { ABI = 4, COLUMNS = 64 };

static int nq, nv, lanes, columns;
static struct {
  const char *name;
  long size;
  double *memory;
} store[COLUMNS];
static double *pool[3]; /* qpos, qvel, qfrc_applied: [state][scalar][lane], lane l holding state + l */

static void fail(const char *what) {
  fprintf(stderr, "specialised: %s\n", what);
  exit(1);
}

static double *zeros(long count) {
  size_t bytes = (sizeof(double) * (size_t)count + 63) / 64 * 64;
  double *memory = aligned_alloc(64, bytes ? bytes : 64);
  if (!memory) fail("no memory");
  return memset(memory, 0, bytes);
}

/* The memory of a column, the same for all kernels. */
static double *column(const char *name, long size) {
  for (int k = 0; k < columns; k++)
    if (!strcmp(store[k].name, name)) {
      if (store[k].size != size) fail("kernels disagree on the size of a column");
      return store[k].memory;
    }
  if (columns == COLUMNS) fail("too many columns");
  store[columns].name = name;
  store[columns].size = size;
  store[columns].memory = zeros(size * lanes);
  return store[columns++].memory;
}

static const PbProgram *program(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fail(dlerror());
  const PbProgram *(*door)(void) = (const PbProgram *(*)(void))dlsym(library, "polybody_program");
  if (!door) fail("no polybody_program");
  const PbProgram *found = door();
  if (found->abi != ABI || found->bytes != sizeof(double)) fail("a program of another kind");
  return found;
}

typedef struct {
  void (*run)(void *const *);
  void *memory[COLUMNS];
} Bound;

static Bound bound(const PbProgram *of, const char *name) {
  Bound made = {0};
  for (int k = 0; k < of->nkernel; k++) {
    const PbKernel *kernel = &of->kernel[k];
    if (strcmp(kernel->name, name)) continue;
    if (kernel->ncolumn > COLUMNS) fail("too many columns");
    made.run = kernel->run;
    for (int c = 0; c < kernel->ncolumn; c++) made.memory[c] = column(kernel->column[c], kernel->size[c]);
  }
  return made;
}

static double *block(const double *states, int width) {
  double *made = zeros((long)STATES * width * lanes);
  for (int s = 0; s < STATES; s++)
    for (int i = 0; i < width; i++)
      for (int l = 0; l < lanes; l++)
        made[((long)s * width + i) * lanes + l] = states[(long)((s + l) % STATES) * width + i];
  return made;
}

static double *qpos, *qvel, *applied, *qacc;

static void load(int s) {
  memcpy(qpos, pool[0] + (long)s * nq * lanes, sizeof(double) * nq * lanes);
  memcpy(qvel, pool[1] + (long)s * nv * lanes, sizeof(double) * nv * lanes);
  memcpy(applied, pool[2] + (long)s * nv * lanes, sizeof(double) * nv * lanes);
}

static void load_inverse(int s) { /* the states' forces serve as accelerations */
  load(s);
  memcpy(qacc, pool[2] + (long)s * nv * lanes, sizeof(double) * nv * lanes);
}

#define CALL(bound_kernel) bound_kernel.run(bound_kernel.memory)

int main(int argc, char **argv) {
  if (argc != 7) fail("six arguments");
  const PbProgram *smooth = program(argv[1]), *stepper = program(argv[2]);
  nq = atoi(argv[5]);
  nv = atoi(argv[6]);
  lanes = smooth->lanes;
  if (stepper->lanes != lanes) fail("programs of different lanes");
  const double *states = read_doubles(argv[3], (long)STATES * (nq + 2 * nv));
  pool[0] = block(states, nq);
  pool[1] = block(states + (long)STATES * nq, nv);
  pool[2] = block(states + (long)STATES * (nq + nv), nv);
  qpos = column("qpos", nq), qvel = column("qvel", nv), applied = column("qfrc_applied", nv), qacc = column("qacc", nv);
  Bound acceleration = bound(smooth, "acceleration"), inverse = bound(smooth, "inverse");
  Bound mass_matrix = bound(smooth, "mass_matrix"), step = bound(stepper, "step");
  if (!acceleration.run || !step.run) fail("no kernel for accelerations or steps");

  FILE *result = fopen(argv[4], "wb");
  if (!result) fail("cannot write");
  for (int s = 0; s < STATES; s++) { /* every lane has its turn */
    int lane = s % lanes, from = (s - lane + STATES) % STATES;
    load(from);
    CALL(acceleration);
    for (int i = 0; i < nv; i++) fwrite(qacc + (long)i * lanes + lane, sizeof(double), 1, result);
  }
  fclose(result);

  TIME_OF("forward dynamics", lanes, load(s); CALL(acceleration));
  if (inverse.run) TIME_OF("inverse dynamics", lanes, load_inverse(s); CALL(inverse));
  if (mass_matrix.run) TIME_OF("mass matrix", lanes, load(s); CALL(mass_matrix));
  TIME_OF("step", lanes, load(s); CALL(step));
  return 0;
}
