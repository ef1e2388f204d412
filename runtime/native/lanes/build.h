#ifndef POLYBODY_LANES_BUILD_H
#define POLYBODY_LANES_BUILD_H

/* The tables of a Model for lanes, and the memory of a block. */

#include <limits.h>
#include <stdlib.h>
#include "rows/rows.h"
#include "lanes/work.h"

enum { LANE_ALIGNMENT = 64 };

static Softness softness_of(const Constraints *c, const real *solref, const real *solimp, Reference usual)
{
    const Solimp bounded = solimp_of(solimp);
    return (Softness){bounded, stiffness(reference_of(c, solref, usual), bounded.high)};
}

static Surface surface_of(const Constraints *c, const Manner *m)
{
    Surface s;
    s.normal = s.tangent = softness_of(c, m->solref, m->solimp, USUAL);
    const Reference own = reference_of(c, m->solreffriction, NO_REFERENCE);
    if (own.first != 0 || own.second != 0)
        s.tangent = softness_of(c, m->solreffriction, m->solimp, NO_REFERENCE);
    s.margin = m->margin;
    s.includemargin = m->includemargin;
    memcpy(s.friction, m->friction, sizeof s.friction);
    s.mu = cone_friction(m->friction[0], c->m.opt_impratio[0]);
    s.dim = m->dim;
    return s;
}

/* The index of the path between two degrees of freedom, created on first use. With `all` it includes those
   that move both bodies. */
static int path_of(LaneWork *w, Path *paths, const int (*known)[3], int (*keys)[3], int one, int other, int all)
{
    for (int k = 0; k < w->npath; k++)
        if (known[k][0] == one && known[k][1] == other && known[k][2] == all)
            return k;
    const int *parent = w->c->m.dof_parentid;
    Path *p = paths + w->npath;
    int at[MAX_TILES];
    memset(p, 0, sizeof *p);
    for (int side = 0; side < 2; side++)
        for (int i = side ? other : one; i >= 0; i = parent[i])
            p->mask |= (uint64_t)1 << (w->place[i] / TILE);
    for (uint64_t left = p->mask; left; left &= left - 1) {
        at[__builtin_ctzll(left)] = p->tiles;
        p->tile[p->tiles++] = __builtin_ctzll(left);
    }
    for (int side = 0; side < 2; side++)
        for (int i = side ? other : one; i >= 0; i = parent[i])
            p->sides[TILE * at[w->place[i] / TILE] + w->place[i] % TILE] |= 1 << side;
    int kept = 0;
    for (int t = 0; t < p->tiles; t++) { /* omits what moves both, and tiles without other entries */
        unsigned char *s = p->sides + TILE * t;
        for (int a = 0; a < TILE && !all; a++)
            if (s[a] == 3)
                s[a] = 0;
        if (s[0] | s[1] | s[2]) {
            memmove(p->sides + TILE * kept, s, TILE);
            p->tile[kept++] = p->tile[t];
        } else {
            p->mask &= ~((uint64_t)1 << p->tile[t]);
        }
    }
    p->tiles = kept;
    keys[w->npath][0] = one;
    keys[w->npath][1] = other;
    keys[w->npath][2] = all;
    return w->npath++;
}

/* Sets the bodies of a constraint; returns whether it moves any. `apart`: it acts at different points of the
   two bodies. */
static int link_bodies(LaneWork *w, Path *paths, int (*keys)[3], int first, int second, int apart, Link *l)
{
    const ModelColumns *m = &w->c->m;
    const int one = m->body_lastdof[first], other = m->body_lastdof[second];
    l->flip = other < 0;
    l->node[0] = l->flip ? -1 : one;
    l->node[1] = l->flip ? one : other;
    l->root[0] = m->body_rootid[first];
    l->root[1] = m->body_rootid[l->flip ? first : second];
    l->lever = l->node[0] >= 0 && (apart || l->root[0] != l->root[1]);
    l->path = -1;
    l->body[0] = first;
    l->body[1] = second;
    l->weight = 2 * w->nweight++;
    if (l->node[1] < 0 || (one == other && !apart))
        return 0;
    if (l->node[0] >= 0)
        l->path = path_of(w, paths, (const int (*)[3])keys, keys, one, other, apart);
    return 1;
}

/* Assigns degrees of freedom to tiles of three; each chain begins a new tile. Returns the number of tiles, or
   0 if there are too many. */
static int place_tiles(LaneWork *w, int *place, int *dof_at)
{
    const int *parent = w->c->m.dof_parentid;
    int tile = -1, used = TILE;
    for (int i = 0; i < w->nv; i++) {
        if (used == TILE || parent[i] != i - 1) {
            if (++tile == MAX_TILES)
                return 0;
            used = 0;
            for (int a = 0; a < TILE; a++)
                dof_at[TILE * tile + a] = -1;
        }
        place[i] = TILE * tile + used++;
        place[w->nv + i] = i;
        dof_at[place[i]] = i;
    }
    return tile + 1;
}

static void place_roots(LaneWork *w, int *root, int *dof_root)
{
    const ModelColumns *m = &w->c->m;
    for (int i = 0; i < w->nv; i++)
        dof_root[i] = -1;
    for (int b = 1; b < w->c->nbody; b++) {
        int r = 0;
        if (m->body_lastdof[b] < 0)
            continue;
        while (r < w->nroot && root[r] != m->body_rootid[b])
            r++;
        if (r == w->nroot)
            root[w->nroot++] = m->body_rootid[b];
        for (int i = m->body_lastdof[b]; i >= 0 && dof_root[i] < 0; i = m->dof_parentid[i])
            dof_root[i] = r;
    }
}

static void *zeros(size_t count, size_t size) { return calloc(count + 1, size); }

/* Positions of the entries of M in the Hessian of Newton's method; NULL if out of memory. */
static int *places_of_mass(const LaneWork *w)
{
    const ModelColumns *m = &w->c->m;
    const int nv = w->nv, count = nv ? m->M_rowadr[nv - 1] + m->dof_depth[nv - 1] + 1 : 0;
    int *at = (int *)zeros(count, sizeof(int));
    for (int i = 0; at && i < nv; i++)
        for (int k = 0; k <= m->dof_depth[i]; k++)
            at[m->M_rowadr[i] + k] = entry_place(w->place[i], w->place[m->M_colind[m->M_rowadr[i] + k]]);
    return at;
}

static void free_lanes(LaneWork *w)
{
    free((void *)w->root);
    free((void *)w->dof_root);
    free((void *)w->place);
    free((void *)w->dof_at);
    free((void *)w->tree);
    free((void *)w->mass_at);
    free(w->needed);
    free(w->marked);
    free((void *)w->pair);
    free((void *)w->path);
    free((void *)w->surface);
    free((void *)w->link);
    free((void *)w->of_equality);
    free((void *)w->of_dof);
    free((void *)w->of_limit);
    free((void *)w->of_tendon);
    free((void *)w->of_tendon_limit);
    free(w->columns);
    free(w->slot);
    free(w->sparse);
    free(w->row_tree);
    free(w->join);
    free(w->vectors);
    memset(w, 0, sizeof *w);
}

static void put_number(void *vectors, int place, int lane, int lanes, int bytes, double number)
{
    const size_t at = (size_t)place * lanes + lane;
    if (bytes == 8)
        ((double *)vectors)[at] = number;
    else
        ((float *)vectors)[at] = (float)number;
}

/* The parameters of one lane's Model in which lanes may differ: frictions, and quantities derived from
   masses. */
static void fill_lane(LaneWork *w, const ModelColumns *m, const Collision *collision, int lane, int lanes, int bytes)
{
    const double *weight = m->body_invweight0;
    for (int k = 0; k < w->nmu; k++) {
        const int manner = w->own ? collision->listed[w->pair[k].candidate].manner : k;
        const double *friction = collision->manner[manner].friction;
        put_number(w->friction, FRICTIONS * k, lane, lanes, bytes, cone_friction(friction[0], m->opt_impratio[0]));
        for (int j = 1; j < FRICTIONS; j++)
            put_number(w->friction, FRICTIONS * k + j, lane, lanes, bytes, friction[j - 1]);
    }
    for (int k = 0; k < w->npair + w->c->neq; k++) {
        const Link *l = k < w->npair ? &w->pair[k].link : w->link + k - w->npair;
        for (int turning = 0; turning < 2 && l->weight >= 0; turning++)
            put_number(w->weight, l->weight + turning, lane, lanes, bytes,
                       weight[2 * l->body[0] + turning] + weight[2 * l->body[1] + turning]);
    }
    for (int i = 0; i < w->nv; i++)
        put_number(w->dof_weight, i, lane, lanes, bytes, m->dof_invweight0[i]);
    for (int t = 0; t < w->c->ntendon; t++)
        put_number(w->tendon_weight, t, lane, lanes, bytes, m->tendon_invweight0[t]);
    put_number(w->inertia, 0, lane, lanes, bytes, m->stat_meaninertia[0]);
}

/* The parameters of all lanes; padding lanes have those of the first one. */
static void fill_lanes(LaneWork *w, int lanes, int bytes)
{
    for (int lane = 0; lane < lanes; lane++) {
        const Tables *t = w->tables ? w->tables[lane < *w->states ? lane : 0] : NULL;
        fill_lane(w, t ? &t->m : &w->c->m, t ? t->collision : w->c->collision, lane, lanes, bytes);
    }
}

/* Allocates space for a number of slots; returns whether there was memory, and whether indices of 32 bits reach
   all of it. The contents of the vectors are lost. */
static int reserve_lanes(LaneWork *w, long slots, int lanes, int bytes)
{
    int dim = 1, tiles = 0;
    for (int k = 0; k < w->nsurface; k++)
        dim = w->surface[k].dim > dim ? w->surface[k].dim : dim;
    if (w->nlink)
        dim = 6;
    for (int k = 0; k < w->npath; k++)
        tiles = w->path[k].tiles > tiles ? w->path[k].tiles : tiles;
    const ModelColumns *m = &w->c->m;
    long sparse = w->c->neq + w->nv + 3 * w->c->ntendon + 2 * w->c->njnt, entries = w->nv + 3 * w->c->njnt;
    for (int t = 0; t < w->c->ntendon; t++)
        entries += 3 * (long)m->tendon_rownnz[t];
    for (int e = 0; e < w->c->neq; e++)
        entries += m->eq_type[e] == EQUALITY_TENDON ? 2 * (long)w->nv : 2;
    const long rows = sparse + slots * (dim == 1 ? 1 : 2 * (dim - 1)), curve = slots * dim * (dim + 1) / 2;
    const long wrench = slots * dim * 9, entry = entries + slots * dim * TILE * tiles, touch = slots * 11;
    if (slots > INT_MAX / 64 || rows > INT_MAX || wrench > INT_MAX || entry > INT_MAX || curve > INT_MAX || touch > INT_MAX)
        return 0;
    w->most_slots = (int)slots;
    w->most_sparse = (int)sparse;
    w->most_rows = (int)rows;
    w->most_wrench = (int)wrench;
    w->most_entry = (int)entry;
    w->most_curve = (int)curve;
    size_t total = 0;
    const size_t unit = (size_t)lanes * bytes;
    const int nv = w->nv, ntile = w->ntile, nstored = w->nstored, nroot = w->nroot, ntree = w->ntree;
    const int most_slots = w->most_slots, most_wrench = w->most_wrench, most_entry = w->most_entry;
    const int most_curve = w->most_curve, most_rows = w->most_rows, nmu = w->nmu, nweight = w->nweight;
    const int ntendon = w->c->ntendon;
#define VECTOR_SIZE(name, count) total += ((size_t)(count) + 1) * unit;
    LANE_VECTORS(VECTOR_SIZE)
    free(w->slot);
    free(w->sparse);
    free(w->vectors);
    free(w->row_tree);
    w->row_tree = (int *)zeros(rows, sizeof(int));
    w->slot = (Slot *)zeros(slots, sizeof(Slot));
    w->sparse = (Sparse *)zeros(sparse, sizeof(Sparse));
    w->vectors = zeros(total + LANE_ALIGNMENT, 1);
    if (!w->slot || !w->sparse || !w->row_tree || !w->vectors)
        return 0;
    char *next = (char *)w->vectors + (LANE_ALIGNMENT - (uintptr_t)w->vectors % LANE_ALIGNMENT);
#define VECTOR_PLACE(name, count) w->name = next; next += ((size_t)(count) + 1) * unit;
    LANE_VECTORS(VECTOR_PLACE)
    fill_lanes(w, lanes, bytes);
    return 1;
}

/* Builds the tables of the Model of `c`. Returns 0 if out of memory, or if there are more degrees of freedom
   than tiles can hold. */
static int build_lanes(LaneWork *w, const Constraints *c)
{
    const ModelColumns *m = &c->m;
    const Collision *collision = c->collision;
    const int pairs = collision ? collision->nlisted : 0, links = c->neq;
    w->c = c;
    w->touches = collision ? collision->calls->touches : NULL;
    w->nv = c->nv;
    for (int i = 0; i < c->nv; i++)
        w->ntree = m->dof_treeid[i] >= w->ntree ? m->dof_treeid[i] + 1 : w->ntree;
    w->join = (int *)zeros((size_t)w->ntree * w->ntree, sizeof(int));
    int *place = (int *)zeros(2 * c->nv, sizeof(int)), *dof_at = (int *)zeros(TILE * MAX_TILES, sizeof(int));
    w->needed = (int *)zeros(c->nv, sizeof(int));
    w->marked = (unsigned char *)zeros(c->nv, 1);
    int *root = (int *)zeros(c->nv, sizeof(int)), *dof_root = (int *)zeros(c->nv, sizeof(int));
    uint64_t *tree = (uint64_t *)zeros(MAX_TILES, sizeof(uint64_t));
    Pair *pair = (Pair *)zeros(pairs, sizeof(Pair));
    Path *path = (Path *)zeros(pairs + links, sizeof(Path));
    int(*keys)[3] = (int(*)[3])zeros(pairs + links, sizeof *keys);
    Link *link = (Link *)zeros(links, sizeof(Link));
    w->place = place, w->dof_at = dof_at, w->root = root, w->dof_root = dof_root, w->tree = tree;
    w->pair = pair, w->path = path, w->link = link;
    w->columns = (int *)zeros(links * 2 * (size_t)(c->nv + 1), sizeof(int));
    Softness *of_equality = (Softness *)zeros(links, sizeof(Softness)), *of_dof = (Softness *)zeros(c->nv, sizeof(Softness));
    Softness *of_limit = (Softness *)zeros(c->njnt, sizeof(Softness)), *of_tendon = (Softness *)zeros(c->ntendon, sizeof(Softness));
    Softness *of_tendon_limit = (Softness *)zeros(c->ntendon, sizeof(Softness));
    w->of_equality = of_equality, w->of_dof = of_dof, w->of_limit = of_limit, w->of_tendon = of_tendon;
    w->of_tendon_limit = of_tendon_limit;
    int manners = 0, fine = w->join && w->needed && w->marked && keys && place && dof_at && root && dof_root && tree && pair && path && link && w->columns && of_equality &&
                             of_dof && of_limit && of_tendon && of_tendon_limit;
    for (int k = 0; k < pairs; k++)
        manners = collision->listed[k].manner >= manners ? collision->listed[k].manner + 1 : manners;
    Surface *surface = (Surface *)zeros(manners, sizeof(Surface));
    w->surface = surface;
    w->nsurface = manners;
    if (!fine || !surface || !(w->ntile = place_tiles(w, place, dof_at))) {
        free(keys);
        return 0;
    }
    w->nstored = w->ntile * (w->ntile + 1) / 2;
    place_roots(w, root, dof_root);
    if (!(w->mass_at = places_of_mass(w))) {
        free(keys);
        return 0;
    }
    for (int i = 0; i < c->nv; i++)
        for (int j = i; j >= 0; j = m->dof_parentid[j])
            tree[place[i] / TILE] |= (uint64_t)1 << (place[j] / TILE);
    for (int k = 0; k < manners; k++)
        surface[k] = surface_of(c, collision->manner + k);
    for (int k = 0; k < pairs; k++) {
        const Candidate *from = collision->listed + k;
        const Collider *a = collision->geom + from->geom[0], *b = collision->geom + from->geom[1];
        Pair *p = pair + w->npair;
        if (!link_bodies(w, path, keys, a->body, b->body, 0, &p->link))
            continue;
        p->reach = from->reach;
        p->reach2 = from->reach * from->reach;
        p->geom[0] = from->geom[0];
        p->geom[1] = from->geom[1];
        p->kind = a->type * SHAPE_COUNT + b->type;
        p->plane = from->plane;
        p->surface = from->manner;
        p->candidate = k;
        w->npair++;
    }
    w->nmu = w->own ? w->npair : manners;
    for (int e = 0; e < links; e++) {
        of_equality[e] = softness_of(c, m->eq_solref + 2 * e, m->eq_solimp + 5 * e, USUAL);
        link[e].node[1] = link[e].weight = -1;
        if (m->eq_type[e] != EQUALITY_CONNECT && m->eq_type[e] != EQUALITY_WELD)
            continue;
        int body[2];
        for (int side = 0; side < 2; side++) {
            const int object = side ? m->eq_obj2id[e] : m->eq_obj1id[e];
            body[side] = m->eq_objtype[e] == OBJECT_SITE ? m->site_bodyid[object] : object;
        }
        w->nlink += link_bodies(w, path, keys, body[1], body[0], 1, link + e);
    }
    free(keys);
    for (int i = 0; i < c->nv; i++)
        of_dof[i] = softness_of(c, m->dof_solref + 2 * i, m->dof_solimp + 5 * i, USUAL);
    for (int j = 0; j < c->njnt; j++)
        of_limit[j] = softness_of(c, m->jnt_solref + 2 * j, m->jnt_solimp + 5 * j, USUAL);
    for (int t = 0; t < c->ntendon; t++) {
        of_tendon[t] = softness_of(c, m->tendon_solref_fri + 2 * t, m->tendon_solimp_fri + 5 * t, USUAL);
        of_tendon_limit[t] = softness_of(c, m->tendon_solref_lim + 2 * t, m->tendon_solimp_lim + 5 * t, USUAL);
    }
    return 1;
}

#endif
