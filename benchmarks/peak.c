/* What one core can do at most: fused multiply-adds, twelve of them under way, on one number or a register of them at a
 * time. Prints GFLOP/s; a fused multiply-add is two operations. */
#include "timing.h"

typedef double vector __attribute__((vector_size(BYTES)));
enum { CHAINS = 12, TURNS = 200000 };

#define EACH(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11)
#define BEGIN(k) x##k = b * (k + 1.0);
#define FMA(k) x##k = x##k * a + b;
#define KEEP(k) __asm__ volatile("" : "+x"(x##k)); /* one register a chain, nothing moved or merged */
#define SUM(k) sum += x##k;

#define FMAS(type)                                                                   \
  static double type##_fmas(void) {                                                  \
    volatile double tenth = 0.1, near_one = 0.999999;                                \
    type a = near_one - (type){0}, b = tenth - (type){0}, sum = {0};                 \
    type x0, x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11;                           \
    EACH(BEGIN)                                                                      \
    for (int i = 0; i < TURNS; i++) { EACH(FMA) EACH(KEEP) }                         \
    EACH(SUM)                                                                        \
    return *(double *)&sum;                                                          \
  }
FMAS(double)
FMAS(vector)

static volatile double sink;

static double rate(double (*work)(void), int lanes) {
  double best = 0;
  for (int b = 0; b < BLOCKS; b++) {
    double start = cpu_seconds();
    sink = work();
    double done = 2.0 * CHAINS * TURNS * lanes / (cpu_seconds() - start) * 1e-9;
    if (done > best) best = done;
  }
  return best;
}

int main(void) {
  printf("scalar %.6f\n", rate(double_fmas, 1));
  printf("vector %.6f\n", rate(vector_fmas, BYTES / 8));
  return 0;
}
