/* Random scenes of two and three shapes, to be compiled with sanitizers: no crash, and contacts that are
   finite, no deeper than the shapes overlap, and with right-handed frames.

       cc -std=c99 -O1 -g -fsanitize=address,undefined -I runtime tests/collide/fuzz.c -lm && ./a.out CASES
   SEED

   Prints each broken rule, with the seed of its scene; exit code 1 if there is one. */

#include <stdio.h>
#include <stdlib.h>
#include "collision/collide.h"

enum { VERTICES = 20, SIDE = 7, FACES = 8 };

static uint64_t state;

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
    Hull hull[3];
    Grid grid[3];
    struct Field distance[3];
    struct Tree tree[3];
    int face[3 * FACES];
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

/* The box of a shape, a distance for those that are given by one, and a mesh of a few triangles in a tree of two
   leaves. */
static void make_field(Scene *s, int i)
{
    struct Field *f = s->distance + i;
    struct Tree tree = {s->vert, s->face, s->box, below(20) ? FACES : 0, 1};
    f->kind = below(20) ? 1 + below(OWN_FIELD - 1) : NO_FIELD;
    for (int k = 0; k < FIELD_SIZES; k++)
        f->size[k] = s->tame ? uniform(.1, .4) : odd(uniform(.1, 2));
    f->size[2] = f->kind == GEAR ? 5 + below(20) : f->size[2];
    measure_gear(f);
    f->axes.x.x = f->axes.y.y = f->axes.z.z = 1;
    f->half = vec(.4, .4, .4);
    s->tree[i] = tree;
}

static void make(Scene *s)
{
    memset(s, 0, sizeof *s);
    s->n = 2 + below(2);
    s->tame = below(2);
    double flat = below(6) ? 1 : 0;
    for (int i = 0; i < 3 * VERTICES; i++)
        s->vert[i] = (float)(i % 3 == 2 ? flat * uniform(-.3, .3) : uniform(-.3, .3));
    for (int i = 0; i < SIDE * SIDE; i++)
        s->height[i] = (float)uniform(0, 1);
    make_graph(s->graph, 1 + below(VERTICES));
    for (int i = 0; i < 3 * FACES; i++)
        s->face[i] = below(s->graph[0]);
    for (int i = 0; i < 18; i++)
        s->box[i] = i % 6 < 3 ? -.3 : .3;
    for (int i = 0; i < 4; i++)
        s->field[i] = s->tame ? uniform(.1, 1) : odd(uniform(.1, 1));
    double scale = s->tame ? 1 : pow(10, below(9) - 4), near = below(8) ? 1 : 0;
    for (int i = 0; i < s->n; i++) {
        Collider *g = s->geom + i;
        static const int kinds[] = {PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF};
        g->type = kinds[below(9)];
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
        if ((g->type == MESH || g->type == SDF) && below(20)) {
            Hull hull = {s->vert, below(2) ? s->graph : 0, s->graph[0]};
            s->hull[i] = hull;
        }
        make_field(s, i);
        if (g->type == HFIELD && below(20)) {
            Grid grid = {s->height, s->field, 1 + below(SIDE), 1 + below(SIDE)};
            s->grid[i] = grid;
        }
        s->swept[i] = i;
    }
}

/* How far two convex shapes overlap along a direction from the first to the second. */
static double overlap(const Shape *a, const Shape *b, Vec n)
{
    Convex one = convex(a, 0), other = convex(b, 0);
    double front = a->type == PLANE ? dot(a->pos, n) : dot(support(&one, n), n);
    return front - dot(support(&other, negated(n)), n);
}

static int check(const Collision *c, const Scene *s, const Contact *found, int n, unsigned long long seed)
{
    int broken = 0;
#define RULE(what, holds)                                                                                    \
    if (!(holds)) {                                                                                          \
        printf("scene %llu: %s; types %d %d, dist %g\n", seed, what, a->type, b->type, k->dist);             \
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
        if (!s->tame || a->type == HFIELD || b->type == SDF)
            continue;
        RULE("orthogonal", fabs(dot(row[0], row[1])) < 1e-9)
        Shape one = shape_of(c, k->geom[0], s->xpos, s->xmat),
              other = shape_of(c, k->geom[1], s->xpos, s->xmat);
        double margin = greatest(a->margin, b->margin);
        RULE("farther than the margin", k->dist <= margin + 1e-5)
        /* The depth that the search finds is not along the normal that is corrected after it; of two boxes it
           is not always a distance of theirs, as in MuJoCo. */
        int corrected = NARROW[a->type][b->type] == convex_convex && a->type != BOX && a->type != MESH;
        int boxes = a->type == BOX && b->type == BOX;
        RULE("deeper than the overlap",
             corrected || boxes || k->dist >= -overlap(&one, &other, row[0]) - 1e-4)
    }
    return broken;
}

int main(int argc, char **argv)
{
    long cases = argc > 1 ? atol(argv[1]) : 100000;
    unsigned long long first = argc > 2 ? strtoull(argv[2], 0, 10) : 1, contacts = 0;
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
        c.swept = s.swept;
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
        real points[6], far = geom_distance(&c, below(s.n), below(s.n), s.xpos, s.xmat, odd(.5), points);
        for (int k = 0; k < 6; k++)
            broken += far < 1e100 && !isfinite(points[k]);
        Vec from = vec(odd(uniform(-1, 1)), odd(uniform(-1, 1)), odd(1)), way = vec(uniform(-1, 1), odd(0), odd(-1));
        int geom;
        real hit = nearest_hit(&c, s.xpos, s.xmat, from, way, 0, 0, &geom);
        broken += geom < 0 ? hit != -1 : !(hit >= 0);
        int capacity = below(3) ? 3 * MOST_TOUCHES : below(4);
        void *work = malloc(collision_work(&c));
        Contact *found =
            malloc((capacity + 1) * sizeof *found); /* one more, since malloc(0) may give nothing */
        int n = collide(&c, s.xpos, s.xmat, work, found, capacity);
        broken += check(&c, &s, found, n < capacity ? n : capacity, first + i);
        contacts += n;
        free(work);
        free(found);
    }
    printf("%ld scenes, %llu contacts, %d broken\n", cases, contacts, broken);
    return broken != 0;
}
