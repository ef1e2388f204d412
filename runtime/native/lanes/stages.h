/* The constraints of LANES states at once, as compiled by each of the source files in this folder. */

#include "target.h"
#if defined(__AVX512F__) && REGISTER_BYTES == 64 && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("prefer-vector-width=512") /* else some square roots are split */
#endif
#include "lanes/by_islands.h"

static vmask moving(const LaneWork *w)
{
    vmask moves = (vmask){0};
    for (int e = 0; e < LANES; e++)
        moves[e] = e < *w->states && !w->failed[e] ? -1 : 0;
    return moves;
}

static int find(LaneWork *w)
{
    const vmask moves = moving(w);
    w->nslot = 0;
    if (w->c->collision && w->c->collision->enabled && !(FACT(w->c, off) & DISABLE_CONTACT))
        find_slots(w, moves);
    return make_lane_rows(w, moves);
}

static void solve(LaneWork *w)
{
    const vreal *smooth = COLUMN(w, qacc_smooth), *D = (const vreal *)w->row_D, zero = vsplat(0);
    vreal *acc = (vreal *)w->d.qacc, *force = (vreal *)w->d.qfrc_constraint, *warm = (vreal *)w->d.qacc_warmstart;
    const vmask moves = moving(w);
    vmask has = (vmask){0};
    for (int i = 0; i < w->nrow; i++)
        has |= D[i] != zero;
    has &= moves;
    w->iterations = 0;
    if (vany(has) && w->c->release == RELEASE_V4_0)
        solve_by_islands(w, has);
    else if (vany(has))
        solve_newton(w, has);
    for (int i = 0; i < w->nv; i++) {
        acc[i] = vmasked(moves, vselect(has, acc[i], smooth[i]));
        force[i] = vmasked(moves & has, force[i]);
        warm[i] = acc[i];
    }
}
