#ifndef POLYBODY_LANES_TREES_H
#define POLYBODY_LANES_TREES_H

/* Newton's method in all lanes as of MuJoCo 4.0; see by_islands.h. Which trees are in one island differs
   between lanes. So every tree has its own numbers, such as the length of its step. After each sum over rows or degrees of
   freedom, the trees of an island share the sum; from then on their numbers are the same. */

#include "lanes/newton.h"

enum { MAX_TREES = MAX_TILES };

/* The numbers of a tree. Sums come first: these are shared. */
typedef struct {
    vreal twice, slope, curvature;    /* of rows along the line */
    vreal start_slope, length2, gradient2, promised, inertia;
    Parabola line;
    vreal scale, tolerance, at, found, gained, cost, direction;
    vmask run, in, walks, count;
    Points near, far, candidate[3], here;
} LaneTree;

_Static_assert(sizeof(LaneTree) <= TREE_VECTORS * sizeof(vreal), "the vectors `trees` have too few numbers");

/* The place of a sum in a LaneTree. */
#define SUM(name) (offsetof(LaneTree, name) / sizeof(vreal))

INLINE LaneTree *trees_of(const LaneWork *w) { return (LaneTree *)w->trees; }

INLINE LaneTree *tree_of_dof(const LaneWork *w, int i) { return trees_of(w) + w->c->m.dof_treeid[i]; }

/* Shares n sums, from one on, between the trees of each island. */
INLINE void share(const LaneWork *w, int first, int n)
{
    const vmask *joined = (const vmask *)w->joined;
    for (int k = 0; k < w->njoined; k++) {
        vreal *to = (vreal *)(trees_of(w) + w->join[2 * k]) + first, *from = (vreal *)(trees_of(w) + w->join[2 * k + 1]) + first;
        for (int s = 0; s < n; s++)
            to[s] += vmasked(joined[k], from[s]);
    }
    for (int k = 0; k < w->njoined; k++) {
        vreal *from = (vreal *)(trees_of(w) + w->join[2 * k]) + first, *to = (vreal *)(trees_of(w) + w->join[2 * k + 1]) + first;
        for (int s = 0; s < n; s++)
            to[s] = vselect(joined[k], from[s], to[s]);
    }
}

INLINE void clear(const LaneWork *w, int first, int n)
{
    for (int t = 0; t < w->ntree; t++)
        memset((vreal *)(trees_of(w) + t) + first, 0, sizeof(vreal) * n);
}

/* --- islands ----------------------------------------------------------------------------------------------------------- */

static int first_of(int *joined, int tree)
{
    while (joined[tree] != tree)
        tree = joined[tree] = joined[joined[tree]];
    return tree;
}

/* Merges two trees, either of which may be -1, and marks them as parts of an island. */
static void join_trees(int *joined, unsigned char *touched, int one, int other)
{
    one = one < 0 ? other : one;
    other = other < 0 ? one : other;
    touched[one] = touched[other] = 1;
    one = first_of(joined, one);
    other = first_of(joined, other);
    joined[one > other ? one : other] = one < other ? one : other;
}

/* Merges the trees of a row with few entries in a lane: that of its first column, and those where it is not 0 at present. */
static void join_sparse(const LaneWork *w, int row, int lane, int *joined, unsigned char *touched)
{
    const Sparse *s = w->sparse + row;
    const vreal *J = (const vreal *)w->entry + s->entry;
    const int *tree = w->c->m.dof_treeid;
    join_trees(joined, touched, -1, tree[s->column[0]]);
    for (int k = 1; k < s->count; k++)
        if (J[k][lane] != 0 || w->c->sparse)
            join_trees(joined, touched, tree[s->column[0]], tree[s->column[k]]);
}

/* Notes that a tree is in the island of an earlier one in a lane. */
static void note_join(LaneWork *w, int first, int tree, int lane)
{
    vmask *masks = (vmask *)w->joined;
    int k = w->njoined - 1;
    while (k >= 0 && (w->join[2 * k] != first || w->join[2 * k + 1] != tree))
        k--;
    if (k < 0) {
        k = w->njoined++;
        w->join[2 * k] = first;
        w->join[2 * k + 1] = tree;
        masks[k] = (vmask){0};
    }
    masks[k][lane] = -1;
}

/* Finds the islands of a lane. */
static void find_lane_islands(LaneWork *w, int lane)
{
    const vreal *D = (const vreal *)w->row_D;
    const int *tree = w->c->m.dof_treeid;
    int joined[MAX_TREES];
    unsigned char touched[MAX_TREES] = {0};
    for (int t = 0; t < w->ntree; t++)
        joined[t] = t;
    for (int i = 0; i < w->nsparse; i++)
        if (D[i][lane] != 0)
            join_sparse(w, i, lane, joined, touched);
    for (int k = 0; k < w->nslot; k++) {
        const Slot *s = w->slot + k;
        if (D[s->row][lane] != 0)
            join_trees(joined, touched, s->link->node[0] < 0 ? -1 : tree[s->link->node[0]], tree[s->link->node[1]]);
    }
    for (int t = 0; t < w->ntree; t++) {
        if (!touched[t])
            continue;
        trees_of(w)[t].run[lane] = -1;
        if (first_of(joined, t) != t)
            note_join(w, first_of(joined, t), t, lane);
    }
}

/* Finds the trees on which rows act in the lanes of a mask, their islands and the inertias of these; and the tree of each row.
   Without islands, all trees are in one. */
static void find_lane_trees(LaneWork *w, vmask has)
{
    const ModelColumns *m = &w->c->m;
    LaneTree *trees = trees_of(w);
    w->njoined = 0;
    for (int i = 0; i < w->nsparse; i++)
        w->row_tree[i] = m->dof_treeid[w->sparse[i].column[0]];
    for (int k = 0; k < w->nslot; k++)
        for (int r = 0; r < w->slot[k].rows; r++)
            w->row_tree[w->slot[k].row + r] = m->dof_treeid[w->slot[k].link->node[1]];
    for (int t = 0; t < w->ntree; t++) {
        trees[t].run = w->c->by_islands ? (vmask){0} : has;
        for (int e = 0; e < LANES; e++)
            if (t && !w->c->by_islands && has[e])
                note_join(w, 0, t, e);
    }
    for (int e = 0; e < LANES; e++)
        if (w->c->by_islands && has[e])
            find_lane_islands(w, e);
    clear(w, SUM(inertia), 1);
    for (int i = 0; i < w->nv; i++)
        tree_of_dof(w, i)->inertia += COLUMN(w, qM)[m->M_rowadr[i] + m->dof_depth[i]];
    share(w, SUM(inertia), 1);
    for (int t = 0; t < w->ntree; t++)
        trees[t].scale = 1 / trees[t].inertia;
}

/* --- line search --------------------------------------------------------------------------------------------------------- */

/* Where sums of rows go, while these have the same tree. */
typedef struct { LaneTree *tree; vreal at; LaneRise sum; } Sums;

INLINE void go_to(Sums *s, LaneTree *tree)
{
    if (s->tree == tree)
        return;
    if (s->tree) {
        s->tree->twice = s->sum.twice;
        s->tree->slope = s->sum.slope;
        s->tree->curvature = s->sum.curvature;
    }
    s->tree = tree;
    if (tree) {
        s->at = tree->at;
        s->sum = (LaneRise){tree->twice, tree->slope, tree->curvature};
    }
}

INLINE LaneRise side_from(vreal D, vreal x, vreal v, vreal at, const int relative)
{
    LaneRise r = side_along(D, x + at * v, v);
    if (relative)
        r.twice = side_change_in_lanes(D, x, at * v);
    return r;
}

/* An elliptic contact along the line. */
INLINE LaneRise ellipse_from(const vreal *f, int dim, const vreal *D, const vreal *x, const vreal *v, vreal at, const int relative)
{
    const vreal mu = f[0], zero = vsplat(0);
    vreal square = zero, product = zero, rates = zero, cost = zero, more = zero;
    LaneRise r = ellipse_along(f, dim, D, x, v, at);
    if (!relative)
        return r;
    for (int k = 0; k < dim; k++) {
        cost += D[k] * x[k] * x[k];
        more += D[k] * (at * v[k]) * (x[k] + x[k] + at * v[k]);
        if (k) {
            square += f[k] * x[k] * (f[k] * x[k]);
            product += f[k] * x[k] * (f[k] * v[k]);
            rates += f[k] * v[k] * (f[k] * v[k]);
        }
    }
    r.twice = slide_change_in_lanes(mu, cone_weight_in_lanes(D[0], mu), mu * x[0], at * (mu * v[0]), square,
                                    at * (product + product + at * rates), cost, more);
    return r;
}

/* Cost and derivatives at `at` of each tree, to `here`; costs are relative to the start, or absolute. */
INLINE void evaluate_trees_as(const LaneWork *w, const int relative)
{
    const vreal *D = (const vreal *)w->row_D, *x = (const vreal *)w->row_residual, *v = (const vreal *)w->row_search;
    const int elliptic = w->c->m.opt_cone[0] == CONE_ELLIPTIC;
    LaneTree *trees = trees_of(w);
    Sums s = {NULL, {0}, {{0}, {0}, {0}}};
    clear(w, SUM(twice), 3);
    int i = w->nequality;
    for (; i < w->nfriction; i++) {
        go_to(&s, trees + w->row_tree[i]);
        const vreal edge = edge_of(w, i);
        LaneRise r = slip_along_in_lanes(D[i], edge, w->sparse[i].most, x[i] + s.at * v[i], v[i]);
        if (relative)
            r.twice = vmasked(D[i] != vsplat(0), slip_change_in_lanes(D[i], edge, w->sparse[i].most, x[i], s.at * v[i]));
        add_rise(&s.sum, r);
    }
    const int ends[2] = {w->nsparse, elliptic ? 0 : w->nrow};
    for (int part = 0; part < 2; part++) {
        for (; i < ends[part]; i++) {
            go_to(&s, trees + w->row_tree[i]);
            add_rise(&s.sum, side_from(D[i], x[i], v[i], s.at, relative));
        }
        i = w->nheld;
    }
    for (int k = 0; elliptic && k < w->nslot; k++) {
        const Slot *slot = w->slot + k;
        i = slot->row;
        if (slot->held)
            continue;
        go_to(&s, trees + w->row_tree[i]);
        add_rise(&s.sum, is_ellipse(w, slot) ? ellipse_from(friction_of(w, slot), slot->dim, D + i, x + i, v + i, s.at, relative)
                                             : side_from(D[i], x[i], v[i], s.at, relative));
    }
    go_to(&s, NULL);
    share(w, SUM(twice), 3);
    for (int t = 0; t < w->ntree; t++) {
        LaneTree *own = trees + t;
        const vreal *line = own->line.x, at = own->at, bend = own->curvature + 2 * line[2];
        own->here.at = at;
        own->here.cost = vsplat(.5) * own->twice + at * (at * line[2] + line[1]) + (relative ? vsplat(0) : line[0]);
        own->here.slope = own->slope + 2 * at * line[2] + line[1];
        own->here.curvature = vselect(bend > vsplat(0), bend, vsplat(1e-15));
    }
}

static __attribute__((noinline)) void evaluate_trees(const LaneWork *w) { evaluate_trees_as(w, 1); }

/* A result in the lanes of a mask, which are done. */
INLINE void settle(LaneTree *own, vmask done, const Points *at)
{
    own->found = vselect(done, at->at, own->found);
    own->gained = vselect(done, -at->cost, own->gained);
    own->in &= ~done;
}

INLINE vreal newton_at(const Points *p) { return p->at - p->slope / p->curvature; }

INLINE int any_in(const LaneWork *w)
{
    vmask any = (vmask){0};
    for (int t = 0; t < w->ntree; t++)
        any |= trees_of(w)[t].in;
    return vany(any);
}

/* Evaluates the Newton step from one end of the bracket in lanes where that has moved. */
static void follow(const LaneWork *w, const vmask *moved, int far)
{
    vmask any = (vmask){0};
    for (int t = 0; t < w->ntree; t++) {
        LaneTree *own = trees_of(w) + t;
        any |= moved[t];
        own->at = newton_at(far ? &own->far : &own->near);
    }
    if (!vany(any))
        return;
    evaluate_trees(w);
    for (int t = 0; t < w->ntree; t++) {
        LaneTree *own = trees_of(w) + t;
        take(moved[t], own->candidate + far, &own->here);
        own->count -= moved[t];
    }
}

/* Draws the ends of the bracket of a tree nearer, by the candidates; ends where one has converged, or where no end moves. */
static void draw_tree(LaneTree *own, vmask *near, vmask *far)
{
    Points best = own->candidate[0];
    vmask good = (vmask){0};
    for (int k = 0; k < 3; k++) {
        const Points *p = own->candidate + k;
        const vmask m = own->in & (vabs(p->slope) < own->tolerance) & (~good | (p->cost < best.cost));
        take(m, &best, p);
        good |= m;
    }
    settle(own, good, &best);
    *near = draw_near(own->in, &own->near, own->candidate);
    *far = draw_near(own->in, &own->far, own->candidate);
    settle(own, own->in & ~*near & ~*far, own->candidate + 2);
    *near &= own->in;
    *far &= own->in;
}

/* Shrinks the brackets. */
static void shrink_trees(const LaneWork *w)
{
    const vmask most = (vmask){0} + (LANE_INT)w->c->m.opt_ls_iterations[0];
    const Points none = {vsplat(0), vsplat(0), vsplat(0), vsplat(0)};
    vmask near[MAX_TREES], far[MAX_TREES];
    for (int t = 0; t < w->ntree; t++) {
        LaneTree *own = trees_of(w) + t;
        own->candidate[0] = own->candidate[1] = own->candidate[2] = own->near;
        near[t] = own->in;
    }
    follow(w, near, 0);
    for (;;) {
        for (int t = 0; t < w->ntree; t++) {
            LaneTree *own = trees_of(w) + t;
            const vmask over = own->in & (own->count >= most);
            const vmask one = over & (own->near.cost <= own->far.cost) & (own->near.cost < vsplat(0));
            const vmask other = over & ~one & (own->far.cost <= own->near.cost) & (own->far.cost < vsplat(0));
            settle(own, one, &own->near);
            settle(own, other, &own->far);
            settle(own, over & ~one & ~other, &none);
            own->at = vsplat(.5) * (own->near.at + own->far.at);
        }
        if (!any_in(w))
            return;
        evaluate_trees(w);
        for (int t = 0; t < w->ntree; t++) {
            LaneTree *own = trees_of(w) + t;
            take(own->in, own->candidate + 2, &own->here);
            own->count -= own->in;
            draw_tree(own, near + t, far + t);
        }
        follow(w, near, 0);
        follow(w, far, 1);
    }
}

/* The first points of the line: the full step, which is the Newton point; in single precision it is not exact. */
static void begin_lines(const LaneWork *w)
{
    const ModelColumns *m = &w->c->m;
    for (int t = 0; t < w->ntree; t++) {
        LaneTree *own = trees_of(w) + t;
        const vreal length = vsqrt(own->length2);
        own->in = own->run & (length >= vsplat(1e-15));
        own->found = own->gained = own->at = vsplat(0);
        own->count = (vmask){0} - own->in - own->in;
        own->tolerance = vsplat(m->opt_tolerance[0] * m->opt_ls_tolerance[0]) * own->inertia * length;
        own->far = (Points){vsplat(0), vsplat(0), own->start_slope, -own->start_slope};
    }
    if (IS_SINGLE)
        evaluate_trees(w);
    for (int t = 0; t < w->ntree; t++) {
        LaneTree *own = trees_of(w) + t;
        own->at = vsplat(1);
        if (!IS_SINGLE)
            continue;
        own->far = own->here;
        own->tolerance = vmax(own->tolerance, vsplat(SINGLE_SLOPE) * vabs(own->here.slope));
        own->at = newton_at(&own->here);
    }
    evaluate_trees(w);
}

/* Step lengths of all trees along the Newton direction, and the decreases of their costs. */
static void search_trees(const LaneWork *w)
{
    const vmask most = (vmask){0} + (LANE_INT)w->c->m.opt_ls_iterations[0];
    const vreal zero = vsplat(0);
    begin_lines(w);
    for (int t = 0; t < w->ntree; t++) {
        LaneTree *own = trees_of(w) + t;
        own->near = own->here;
        settle(own, own->in & (vabs(own->near.slope) < own->tolerance) & ((own->near.at == zero) | (own->near.cost < zero)), &own->near);
        own->direction = vselect(own->near.slope < zero, vsplat(1), vsplat(-1));
        own->walks = own->in;
    }
    while (any_in(w)) {
        vmask any = (vmask){0};
        for (int t = 0; t < w->ntree; t++) {
            LaneTree *own = trees_of(w) + t;
            own->walks &= own->in & (own->near.slope * own->direction <= -own->tolerance) & (own->count < most);
            any |= own->walks;
            take(own->walks, &own->far, &own->near);
            own->at = newton_at(&own->near);
        }
        if (!vany(any))
            break;
        evaluate_trees(w);
        for (int t = 0; t < w->ntree; t++) {
            LaneTree *own = trees_of(w) + t;
            take(own->walks, &own->near, &own->here);
            own->count -= own->walks;
            settle(own, own->walks & (vabs(own->near.slope) < own->tolerance) & (own->near.cost < zero), &own->near);
        }
    }
    for (int t = 0; t < w->ntree; t++) {
        LaneTree *own = trees_of(w) + t;
        settle(own, own->in & (own->count >= most), &own->near);
    }
    if (any_in(w))
        shrink_trees(w);
}

#endif
