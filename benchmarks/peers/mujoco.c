/* usage: mujoco MODEL.mjb STATES RESULT
 * Times MuJoCo's smooth dynamics and its step, constraints off, and writes the accelerations of all states. */
#include <mujoco/mujoco.h>
#include <string.h>

#include "timing.h"

static mjModel *m;
static mjData *d;
static const double *q, *v, *tau;

static void load(int s) {
  memcpy(d->qpos, q + s * m->nq, sizeof(double) * m->nq);
  memcpy(d->qvel, v + s * m->nv, sizeof(double) * m->nv);
  memcpy(d->qfrc_applied, tau + s * m->nv, sizeof(double) * m->nv);
}

static void mass_matrix(void) {
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_crb(m, d);
}

/* What mj_step does for accelerations when nothing touches, nothing is damped and nobody asks for sensors. */
static void smooth(void) {
  mass_matrix();
  mj_factorM(m, d);
  mj_comVel(m, d);
  mj_rne(m, d, 0, d->qfrc_bias);
  mju_sub(d->qfrc_smooth, d->qfrc_applied, d->qfrc_bias, m->nv);
  mj_solveM(m, d, d->qacc_smooth, d->qfrc_smooth, 1);
}

/* The states' forces serve as accelerations. */
static void inverse(int s) {
  memcpy(d->qacc, tau + s * m->nv, sizeof(double) * m->nv);
  mj_kinematics(m, d);
  mj_comPos(m, d);
  mj_comVel(m, d);
  mj_rne(m, d, 1, d->qfrc_inverse);
}

int main(int argc, char **argv) {
  if (argc != 4 || !(m = mj_loadModel(argv[1], NULL))) return 1;
  d = mj_makeData(m);
  q = read_doubles(argv[2], (long)STATES * (m->nq + 2 * m->nv));
  v = q + STATES * m->nq;
  tau = v + STATES * m->nv;

  FILE *result = fopen(argv[3], "wb");
  for (int s = 0; s < STATES; s++) {
    load(s);
    smooth();
    fwrite(d->qacc_smooth, sizeof(double), m->nv, result);
  }
  fclose(result);

  TIME("forward dynamics", load(s); smooth());
  TIME("inverse dynamics", load(s); inverse(s));
  TIME("mass matrix", load(s); mass_matrix());
  TIME("step", load(s); mj_step(m, d));
  return 0;
}
