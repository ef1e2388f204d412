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
        if (type == SENSOR_RANGEFINDER)
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
