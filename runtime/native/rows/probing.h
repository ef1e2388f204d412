#ifndef POLYBODY_PROBING_H
#define POLYBODY_PROBING_H

/* Sensors of geoms in space: lengths of rays, distances, nearest points. */

#include "rows/wrenches.h"

/* The geoms of a sensor's object: a geom, or all geoms of a body. */
static inline void geoms_of(const Constraints *c, int type, int id, int *first, int *end)
{
    *first = type == OBJECT_GEOM ? id : c->m.body_geomadr[id];
    *end = *first + (type == OBJECT_GEOM ? 1 : c->m.body_geomnum[id]);
}

/* The distance of the nearest pair of a sensor's geoms, at most the cutoff, and their nearest points, or
   zeros. */
static real nearest_pair(const Constraints *c, int sensor, real *points)
{
    int first, end, other, other_end;
    real cutoff = c->m.sensor_cutoff[sensor], dist = cutoff, between[6];
    memset(points, 0, 6 * sizeof *points);
    geoms_of(c, c->m.sensor_objtype[sensor], c->m.sensor_objid[sensor], &first, &end);
    for (; first < end; first++)
        for (geoms_of(c, c->m.sensor_reftype[sensor], c->m.sensor_refid[sensor], &other, &other_end); other < other_end; other++) {
            const real far = c->collision->calls->distance(c->collision, first, other, c->d.geom_xpos, c->d.geom_xmat, cutoff, between);
            if (far < dist) {
                dist = far;
                memcpy(points, between, sizeof between);
            }
        }
    return dist;
}

static int same_pair(const Constraints *c, int a, int b)
{
    return c->m.sensor_objtype[a] == c->m.sensor_objtype[b] && c->m.sensor_objid[a] == c->m.sensor_objid[b] &&
           c->m.sensor_reftype[a] == c->m.sensor_reftype[b] && c->m.sensor_refid[a] == c->m.sensor_refid[b] &&
           c->m.sensor_cutoff[a] == c->m.sensor_cutoff[b];
}

/* Quantities of a ray, in the order of their bits in sensor_intprm. */
enum { RAY_DIST = 1, RAY_DIR = 2, RAY_ORIGIN = 4, RAY_POINT = 8, RAY_NORMAL = 16, RAY_DEPTH = 32 };

static inline real *put_vector(real *to, Vec v, int there)
{
    for (int k = 0; k < 3; k++)
        *to++ = there ? part(v, k) : 0;
    return to;
}

/* Writes what a rangefinder measures of a ray; a cutoff limits the magnitude of all of it. The depth of a
   site's ray is its length. */
static void measure_ray(const Constraints *c, int sensor, real *out)
{
    const int site = c->m.sensor_objid[sensor], what = c->m.sensor_intprm[3 * sensor];
    const real *m = c->d.site_xmat + 9 * site;
    const Vec from = vec_at(c->d.site_xpos + 3 * site), direction = vec(m[2], m[5], m[8]);
    const real cutoff = c->m.sensor_cutoff[sensor];
    const Collision *own = c->collision;
    int geom = -1;
    const real far = own ? own->calls->hit(own, c->d.geom_xpos, c->d.geom_xmat, from, direction, 0, c->m.site_bodyid[site], &geom) : -1;
    const int hit = geom >= 0;
    real found[14], *to = found;
    if (what & RAY_DIST)
        *to++ = far;
    if (what & RAY_DIR)
        to = put_vector(to, direction, hit);
    if (what & RAY_ORIGIN)
        to = put_vector(to, from, 1);
    if (what & RAY_POINT)
        to = put_vector(to, along(from, far, direction), hit);
    if (what & RAY_NORMAL)
        to = put_vector(to, hit ? own->calls->normal(own, c->d.geom_xpos, c->d.geom_xmat, from, direction, geom, far) : vec(0, 0, 0), hit);
    if (what & RAY_DEPTH)
        *to++ = far;
    const int count = (int)(to - found);
    for (int k = 0; k < count && k < c->m.sensor_dim[sensor]; k++)
        out[k] = cutoff > 0 ? minimum(maximum(found[k], -cutoff), cutoff) : found[k];
}

static real length_of_ray(const Constraints *c, int sensor)
{
    const int site = c->m.sensor_objid[sensor];
    const real *m = c->d.site_xmat + 9 * site;
    const Vec from = vec_at(c->d.site_xpos + 3 * site), direction = vec(m[2], m[5], m[8]);
    const real cutoff = c->m.sensor_cutoff[sensor];
    int geom;
    const real far = c->collision->calls->hit(c->collision, c->d.geom_xpos, c->d.geom_xmat, from, direction, 0, c->m.site_bodyid[site], &geom);
    return cutoff > 0 ? minimum(far, cutoff) : far;
}

/* Computes sensor_geoms of the sensors that depend on poses of geoms. Consecutive sensors of the same pair
   share the search. */
static void measure_geoms(Constraints *c)
{
    real dist = 0, points[6] = {0};
    int last = -1;
    for (int z = 0; z < FACT(c, nsensor); z++) {
        const int type = c->m.sensor_type[z];
        real *out = c->d.sensor_geoms + c->m.sensor_adr[z];
        if (type == SENSOR_RANGEFINDER && c->m.sensor_intprm[3 * z])
            measure_ray(c, z, out);
        else if (type == SENSOR_RANGEFINDER)
            out[0] = c->collision ? length_of_ray(c, z) : -1;
        if (type < SENSOR_DISTANCE || type > SENSOR_FROMTO || !c->collision)
            continue;
        if (last < 0 || !same_pair(c, last, z))
            dist = nearest_pair(c, z, points);
        last = z;
        const real cutoff = c->m.sensor_cutoff[z];
        if (type == SENSOR_DISTANCE)
            out[0] = cutoff > 0 ? maximum(dist, -cutoff) : dist;
        else if (type == SENSOR_FROMTO)
            memcpy(out, points, sizeof points);
        else {
            const Vec direction = sub(vec_at(points + 3), vec_at(points));
            const real length = norm(direction);
            const Vec unit_direction = length > 0 ? scaled(1 / length, direction) : vec(0, 0, 0);
            for (int k = 0; k < 3; k++)
                out[k] = part(unit_direction, k);
        }
    }
}

#endif
