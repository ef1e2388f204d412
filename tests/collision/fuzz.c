/* Random scenes of two and three shapes, or of two given ones, to be compiled with sanitizers: no crash, and contacts
   that are finite, no deeper than the shapes overlap, as deep as a slow search says, and with right-handed frames.

       cc -std=c99 -O1 -g1 -fsanitize=address,undefined -I runtime -I tests/collision tests/collision/fuzz.c -lm
       ./a.out CASES SEED [PAIR]

   PAIR is the digits of two types of geoms (shape.h), the lower first. Prints each broken rule, with the seed of its
   scene; exit code 1 if there is one. random_scenes.py runs it. */

#include <stdio.h>
#include <stdlib.h>
#include "collision/searches.h"
#include "slow.h"

enum { VERTICES = 20, SIDE = 7, FACES = 8 };

static uint64_t state;
static int cell[2 * CELLS]; /* of the mesh of a scene */
static int vertex_numbers[CELLS * (VERTICES + CELL_BLOCK)];
static double near_vertices[CELLS * 3 * (VERTICES + CELL_BLOCK)];
static int forced = -1; /* the two types of a scene, as 10 times one and the other; -1: any */

static double uniform(double low, double high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * (double)(state >> 11) / 9007199254740992.0;
}

static int below(int n) { return (int)uniform(0, n * .999999); }

/* Mostly moderate; sometimes zero, tiny, huge or no number. */
static double odd(double moderate)
{
    static const double extreme[] = {0, 1e-16, 1e-8, 1e4, 1e12, 1e200, INFINITY, -INFINITY, NAN};
    return below(60) ? moderate : extreme[below(9)];
}

/* Returns whether it is a rotation. */
static int random_turn(double *m)
{
    double q[4], sum = 0;
    int kind = below(12);
    for (int i = 0; i < 4; i++) {
        q[i] = kind == 0 ? (double)below(3) - 1 : uniform(-1, 1);
        if (kind == 1 && below(2))
            q[i] *= 1e-9;
        sum += q[i] * q[i];
    }
    if (sum == 0)
        q[0] = sum = 1;
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(sum);
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double turned[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    memcpy(m, turned, sizeof turned);
    if (below(80))
        return 1;
    m[below(9)] = odd(NAN);
    return 0;
}

typedef struct {
    Collider geom[3];
    double xpos[9], xmat[27], field[4];
    float vert[3 * VERTICES], height[SIDE * SIDE];
    Vec corner[VERTICES];
    Hull hull[3];
    Grid grid[3];
    struct Field distance[3];
    struct Tree tree[3];
    int face[3 * FACES], side_start[FACES + 1], map_start[VERTICES + 1], map[3 * FACES], seeds[27];
    Vec side_normal[FACES];
    Sides sides;
    double box[18];
    int graph[2 + 2 * VERTICES + VERTICES * VERTICES], swept[3], n, tame;
} Scene;

/* All vertices are neighbours of each other: a graph on which a search ends wherever it begins. */
static void make_graph(int *graph, int count)
{
    int *starts = graph + 2, *rows = graph + 2 + count, *next = graph + 2 + 2 * count, at = 0;
    graph[0] = count;
    graph[1] = 0;
    for (int i = 0; i < count; i++) {
        starts[i] = at;
        rows[i] = i;
        for (int j = 0; j < count; j++)
            if (j != i)
                next[at++] = j;
        next[at++] = -1;
    }
}

/* Sides of a hull, some of which are none: its triangles, whatever they are. */
static void make_sides(Scene *s)
{
    int at = 0;
    for (int i = 0; i <= FACES; i++)
        s->side_start[i] = 3 * i;
    for (int i = 0; i < FACES; i++)
        s->side_normal[i] = unit(vec(uniform(-1, 1), below(2) ? 0 : uniform(-1, 1), below(2)));
    for (int vertex = 0; vertex < s->graph[0]; vertex++) {
        s->map_start[vertex] = at;
        for (int i = 0; i < 3 * FACES; i++)
            if (s->face[i] == vertex)
                s->map[at++] = i / 3;
    }
    s->map_start[s->graph[0]] = at;
    for (int i = 0; i < 27; i++)
        s->seeds[i] = below(s->graph[0]);
    Sides sides = {s->side_normal, s->side_start, s->face, s->map_start, s->map, below(10) ? FACES : 0};
    s->sides = sides;
}

/* Puts the mean of the vertices into the origin, which a search begins from. */
static void centre_hull(float *vert, int count)
{
    for (int k = 0; k < 3; k++) {
        double sum = 0;
        for (int i = 0; i < count; i++)
            sum += vert[3 * i + k];
        for (int i = 0; i < count; i++)
            vert[3 * i + k] -= (float)(sum / count);
    }
}

/* Half of the box around a shape, as small as it can be. */
static Vec half_of(const Scene *s, int i)
{
    const Collider *g = s->geom + i;
    const double *size = g->size;
    Vec most = vec(0, 0, 0);
    for (int k = 0; k < s->graph[0]; k++)
        most = vec(maximum(most.x, fabs(s->corner[k].x)), maximum(most.y, fabs(s->corner[k].y)), maximum(most.z, fabs(s->corner[k].z)));
    switch (g->type) {
    case SHAPE_SPHERE: return vec(size[0], size[0], size[0]);
    case SHAPE_CAPSULE: return vec(size[0], size[0], size[0] + size[1]);
    case SHAPE_CYLINDER: return vec(size[0], size[0], size[1]);
    case SHAPE_MESH: return most;
    case SHAPE_SDF: return vec(.4, .4, .4);
    default: return vec(size[0], size[1], size[2]);
    }
}

/* The box of a shape, a distance for those that are given by one, and a mesh of a few triangles in a tree of two
   leaves. */
static void make_field(Scene *s, int i)
{
    struct Field *f = s->distance + i;
    struct Tree tree = {s->vert, s->face, s->box, below(20) ? FACES : 0, 1};
    f->kind = below(20) ? 1 + below(DISTANCE_OWN - 1) : DISTANCE_NONE;
    for (int k = 0; k < FIELD_SIZES; k++)
        f->size[k] = s->tame ? uniform(.1, .4) : odd(uniform(.1, 2));
    f->size[2] = f->kind == DISTANCE_GEAR ? 5 + below(20) : f->size[2];
    measure_gear(f);
    f->axes.x.x = f->axes.y.y = f->axes.z.z = 1;
    f->half = half_of(s, i);
    s->tree[i] = tree;
}

static void make(Scene *s)
{
    memset(s, 0, sizeof *s);
    s->n = forced < 0 ? 2 + below(2) : 2;
    s->tame = below(2);
    double flat = below(6) ? 1 : 0;
    for (int i = 0; i < 3 * VERTICES; i++)
        s->vert[i] = (float)(i % 3 == 2 ? flat * uniform(-.3, .3) : uniform(-.3, .3));
    for (int i = 0; i < SIDE * SIDE; i++)
        s->height[i] = (float)uniform(0, 1);
    make_graph(s->graph, 1 + below(VERTICES));
    centre_hull(s->vert, s->graph[0]);
    for (int i = 0; i < s->graph[0]; i++)
        s->corner[i] = vec(s->vert[3 * i], s->vert[3 * i + 1], s->vert[3 * i + 2]);
    for (int i = 0; i < 3 * FACES; i++)
        s->face[i] = below(s->graph[0]);
    make_sides(s);
    for (int i = 0; i < 18; i++)
        s->box[i] = i % 6 < 3 ? -.3 : .3;
    for (int i = 0; i < 4; i++)
        s->field[i] = s->tame ? uniform(.1, 1) : odd(uniform(.1, 1));
    double scale = s->tame ? 1 : pow(10, below(9) - 4), near = below(8) ? 1 : 0;
    for (int i = 0; i < s->n; i++) {
        Collider *g = s->geom + i;
        static const int kinds[] = {SHAPE_PLANE, SHAPE_HFIELD, SHAPE_SPHERE, SHAPE_CAPSULE, SHAPE_ELLIPSOID, SHAPE_CYLINDER, SHAPE_BOX, SHAPE_MESH, SHAPE_SDF};
        g->type = forced < 0 ? kinds[below(9)] : i ? forced % 10 : forced / 10;
        g->body = g->weld = i + 1;
        g->contype = g->conaffinity = g->visible = 1;
        g->condim = 3;
        for (int k = 0; k < 3; k++) {
            g->size[k] = fabs(s->tame ? uniform(.05, .4) : odd(scale * uniform(.05, .4)));
            s->xpos[3 * i + k] = s->tame ? uniform(-.4, .4) : odd(near * scale * uniform(-.4, .4));
        }
        if (!random_turn(s->xmat + 9 * i))
            s->tame = 0;
        g->bound = 1e3 * scale;
        g->margin = below(3) ? 0 : scale * uniform(0, .2);
        g->gap = below(3) ? 0 : g->margin * uniform(0, 1);
        g->solmix = 1;
        if ((g->type == SHAPE_MESH || g->type == SHAPE_SDF) && below(20)) {
            Hull hull = {s->vert, below(3) ? s->graph : 0, s->corner, 0, 0, 0, 0, 1e-13, s->seeds, below(9) ? &s->sides : 0, s->graph[0]};
            if (hull.graph && below(2)) {
                find_cells(s->corner, s->graph[0], cell, near_vertices, vertex_numbers);
                hull.cell = cell;
                hull.near = near_vertices;
                hull.number = vertex_numbers;
            }
            s->hull[i] = hull;
        }
        make_field(s, i);
        if (g->type == SHAPE_HFIELD && below(20)) {
            Grid grid = {s->height, s->field, 1 + below(SIDE), 1 + below(SIDE)};
            s->grid[i] = grid;
        }
        s->swept[i] = i;
    }
}

/* A hull without a volume to speak of. */
static int is_flat(const Hull *h)
{
    double most = 0;
    Vec from = vertex_of(h, 0);
    for (int i = 1; i < h->count; i++)
        for (int j = 1; j < i; j++)
            for (int k = 1; k < j; k++) {
                Vec normal = cross(sub(vertex_of(h, i), from), sub(vertex_of(h, j), from));
                most = maximum(most, fabs(dot(normal, sub(vertex_of(h, k), from))));
            }
    return most < 1e-5;
}

/* Whether contacts are found of sides of meshes, which are not where the meshes have them. */
static int has_false_sides(const Collision *c) { return is_ccd(&c->search) && c->search.multi; }

static int check(const Collision *c, const Scene *s, const Contact *found, int n, unsigned long long seed)
{
    int broken = 0;
    double depth = NAN, margin = NAN;
#define RULE(what, holds)                                                                                    \
    if (!(holds)) {                                                                                          \
        printf("scene %llu: %s; types %d %d, dist %g, overlap %g, margin %g\n", seed, what, a->type, b->type, k->dist, depth, margin);             \
        broken = 1;                                                                                          \
    }
    for (const Contact *k = found; k < found + n; k++) {
        const Collider *a = c->geom + k->geom[0], *b = c->geom + k->geom[1];
        double sum = fabs(k->dist);
        for (int i = 0; i < 9; i++)
            sum += fabs(k->frame[i]) + fabs(k->pos[i % 3]);
        RULE("not finite", isfinite(sum))
        RULE("order of types", a->type <= b->type)
        Vec row[3];
        for (int i = 0; i < 3; i++)
            row[i] = vec(k->frame[3 * i], k->frame[3 * i + 1], k->frame[3 * i + 2]);
        RULE("normal", fabs(norm(row[0]) - 1) < 1e-9)
        RULE("tangent", fabs(norm(row[1]) - 1) < 1e-9)
        RULE("right-handed", norm(sub(cross(row[0], row[1]), row[2])) < 1e-9)
        if (!s->tame || has_false_sides(c) || a->type == SHAPE_HFIELD || b->type == SHAPE_SDF)
            continue;
        RULE("orthogonal", fabs(dot(row[0], row[1])) < 1e-9)
        Shape one = shape_of(c, k->geom[0], s->xpos, s->xmat),
              other = shape_of(c, k->geom[1], s->xpos, s->xmat);
        margin = maximum(a->margin, b->margin);
        RULE("farther than the margin", k->dist <= margin + 1e-5)
        /* The depth that the search finds is not along the normal that is corrected after it; of two boxes it
           is not always a distance of theirs, as in MuJoCo. */
        int corrected = NARROW[a->type][b->type] == convex_convex && a->type != SHAPE_BOX && a->type != SHAPE_MESH;
        int boxes = a->type == SHAPE_BOX && b->type == SHAPE_BOX;
        RULE("deeper than the overlap",
             corrected || boxes || k->dist >= -overlap(&one, &other, row[0]) - 1e-4)
    }
    return broken;
}

/* Whether the contacts of two shapes are those of their overlap, as a slow search finds it, and those with a shape of a
   plugin as deep as its distance says. */
static int check_depth(const Collision *c, const Scene *s, const Contact *found, int n, unsigned long long seed)
{
    enum { EVERY = 16, FEW = 8 };
    const int swap = c->geom[0].type > c->geom[1].type;
    const Collider *a = c->geom + swap, *b = c->geom + !swap;
    Shape one = shape_of(c, swap, s->xpos, s->xmat), other = shape_of(c, !swap, s->xpos, s->xmat);
    double margin = maximum(a->margin, b->margin), nearest = INFINITY, depth = NAN;
    const Contact *k = found;
    int broken = 0, convex_pair = NARROW[a->type][b->type] == convex_convex;
    for (int i = 0; i < n; i++)
        if (found[i].dist < nearest) {
            k = found + i;
            nearest = k->dist;
        }
    if (n && b->type == SHAPE_SDF && a->type != SHAPE_PLANE) {
        Vec at[2], pos[2], way = vec(k->frame[0], k->frame[1], k->frame[2]);
        Axes axes[2];
        double far[2];
        for (int i = 0; i < 2; i++) {
            const Shape *shape = i ? &other : &one;
            frame_of_distance(shape, pos + i, axes + i);
            at[i] = along(vec(k->pos[0], k->pos[1], k->pos[2]), k->dist / 2, way);
            far[i] = shape->type == SHAPE_MESH ? -INFINITY : shape_distance(shape, components(axes + i, sub(at[i], pos[i])));
        }
        RULE("not at its distance", fabs(maximum(far[0], far[1]) - k->dist) < 1e-6)
    }
    if (!NARROW[a->type][b->type] || a->type == SHAPE_HFIELD || b->type == SHAPE_SDF || is_empty(c, swap) || is_empty(c, !swap))
        return broken;
    int large = (a->type == SHAPE_MESH && one.hull->count > FEW) || (b->type == SHAPE_MESH && other.hull->count > FEW);
    if (seed % EVERY && (large || a->type == SHAPE_ELLIPSOID || a->type == SHAPE_CYLINDER || b->type == SHAPE_ELLIPSOID || b->type == SHAPE_CYLINDER))
        return 0;
    int exact;
    Vec normal = vec(k->frame[0], k->frame[1], k->frame[2]);
    depth = least_overlap(&one, &other, n ? &normal : 0, &exact);
    double tolerance = exact ? 1e-5 : 1e-4 + .06 * (fabs(depth) + margin); /* a polytope within smooth shapes is a bit flatter */
    Contact nothing = {0};
    if (!n) {
        k = &nothing;
        nearest = INFINITY;
    }
    /* In a flat difference a search finds no inside. As MuJoCo does, box and box count half of the distance of faces and
       leave out what is outside of one by 1 %, a capsule through a box touches at the edge that its axis is nearest to, if at
       all, and parallel capsules touch at their ends. */
    int flat = (a->type == SHAPE_MESH && is_flat(one.hull)) || (b->type == SHAPE_MESH && is_flat(other.hull));
    if (flat)
        return broken;
    int partial = b->type == SHAPE_BOX && (a->type == SHAPE_BOX || a->type == SHAPE_CAPSULE);
    int boxes = a->type == SHAPE_BOX && b->type == SHAPE_BOX, searched = convex_pair || a->type == SHAPE_PLANE;
    int formula = (a->type <= SHAPE_CAPSULE && b->type <= SHAPE_CAPSULE && (a->type == SHAPE_PLANE || n < 2)) || a->type == SHAPE_PLANE ||
                  (a->type == SHAPE_SPHERE && b->type == SHAPE_BOX);
    RULE("they are apart", !n || -depth <= (boxes ? 2 : 1) * margin + tolerance)
    RULE("they overlap", n || partial || depth <= tolerance - margin)
    RULE("less deep than the overlap", !n || !searched || nearest <= -depth + tolerance)
    RULE("not at the overlap",
         !n || !exact || !(formula || (convex_pair && c->search.native)) || fabs(nearest + depth) <= tolerance)
    return broken;
}

/* The search of several pairs at a time finds, bit by bit, what those of each pair by itself do. */
static int check_lanes(const Collision *c, const Scene *s, unsigned long long seed)
{
    const int swap = c->geom[0].type > c->geom[1].type;
    const Shape one = shape_of(c, swap, s->xpos, s->xmat), other = shape_of(c, !swap, s->xpos, s->xmat);
    const int count = 1 + (int)(seed % AT_ONCE), exchanged = seed / AT_ONCE % 2;
    int broken = 0;
    if (NARROW[one.type][other.type] != convex_convex || is_empty(c, swap) || is_empty(c, !swap))
        return 0;
    Shape turned[AT_ONCE];
    Convex a[AT_ONCE], b[AT_ONCE];
    Touch together[AT_ONCE], alone;
    for (int i = 0; i < count; i++) {
        const Axes turn = turn_about(unit(vec(1, i, -.3)), i % 2 ? 1 : -1);
        turned[i] = turned_about(&one, other.pos, &turn);
        turned[i].pos = along(turned[i].pos, .3 * i, sub(other.pos, one.pos));
        const int first = exchanged && i % 2;
        a[i] = convex(first ? &other : turned + i, .001 * i);
        b[i] = convex(first ? turned + i : &other, .001 * i);
    }
    unsigned remembered;
    const unsigned hits = penetrations(a, b, count, &c->search, together, &remembered);
    for (int i = 0; i < count; i++) {
        Convex own = convex(a[i].shape, .001 * i), its = convex(b[i].shape, .001 * i);
        const int hit = penetration(&own, &its, &c->search, &alone);
        if (hit == (int)(hits >> i & 1) && (!hit || !memcmp(&alone, together + i, sizeof alone)))
            continue;
        printf("scene %llu: searches in lanes differ from one; types %d %d\n", seed, one.type, other.type);
        broken = 1;
    }
    return broken;
}

/* Contacts are the same, bit by bit, if each pair is searched by itself. */
static int check_alone(const Collision *c, const Scene *s, const Contact *contacts, int n, unsigned long long seed)
{
    Collision alone = *c;
    alone.searched = 0;
    void *work = malloc(collision_work(c));
    Contact *own = calloc(n + 1, sizeof *own);
    int broken = collide(&alone, s->xpos, s->xmat, work, own, n, &(Signals){0}) != n;
    for (int i = 0; i < n && !broken; i++)
        broken = memcmp(&own[i].dist, &contacts[i].dist, sizeof(real) * 13) || memcmp(own[i].geom, contacts[i].geom, sizeof own[i].geom);
    if (broken)
        printf("scene %llu: contacts differ if each pair is searched by itself\n", seed);
    free(work);
    free(own);
    return broken;
}

int main(int argc, char **argv)
{
    long cases = argc > 1 ? atol(argv[1]) : 100000;
    unsigned long long first = argc > 2 ? strtoull(argv[2], 0, 10) : 1, contacts = 0;
    forced = argc > 3 ? atoi(argv[3]) : -1;
    int broken = 0;
    for (long i = 0; i < cases && broken < 20; i++) {
        Scene s;
        state = (first + i) * 2654435761u;
        uniform(0, 1);
        make(&s);
        Collision c = {0};
        c.enabled = c.filterparent = c.midphase = 1;
        c.ngeom = c.nswept = s.n;
        c.geom = s.geom;
        c.swept = c.group = s.swept;
        c.ngroup = s.n;
        c.hull = s.hull;
        c.grid = s.grid;
        c.field = s.distance;
        c.tree = s.tree;
        c.search.sdf_points = below(60);
        c.search.sdf_iterations = below(12);
        c.search.tolerance = 1e-6;
        c.search.iterations = 50;
        c.search.multi = below(2);
        c.search.native = below(2);
        c.search.newest = below(2);
        c.searched = needs_searches(&c);
        c.search_pairs = search_pairs;
        c.search_all = search_all;
        real points[6], far = geom_distance(&c, below(s.n), below(s.n), s.xpos, s.xmat, odd(.5), points);
        for (int k = 0; k < 6; k++)
            broken += far < 1e100 && !isfinite(points[k]);
        Vec from = vec(odd(uniform(-1, 1)), odd(uniform(-1, 1)), odd(1)), way = vec(uniform(-1, 1), odd(0), odd(-1));
        int geom;
        real hit = nearest_hit(&c, s.xpos, s.xmat, from, way, 0, 0, &geom);
        broken += geom < 0 ? hit != -1 : !(hit >= 0);
        int capacity = below(3) ? 3 * MAX_TOUCHES : below(4);
        void *work = malloc(collision_work(&c));
        Contact *found =
            malloc((capacity + 1) * sizeof *found); /* one more, since malloc(0) may give nothing */
        int n = collide(&c, s.xpos, s.xmat, work, found, capacity, &(Signals){0});
        broken += check(&c, &s, found, n < capacity ? n : capacity, first + i);
        if (c.searched && n <= capacity)
            broken += check_alone(&c, &s, found, n, first + i);
        if (s.n == 2 && s.tame && n <= capacity && !has_false_sides(&c))
            broken += check_depth(&c, &s, found, n, first + i) + check_lanes(&c, &s, first + i);
        contacts += n;
        free(work);
        free(found);
    }
    printf("%ld scenes, %llu contacts, %d broken\n", cases, contacts, broken);
    return broken != 0;
}
