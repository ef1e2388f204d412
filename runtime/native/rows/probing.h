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

/* A ray of a sensor on a body. In an image, depths are along `ahead`, from `eye`; else they are lengths. */
typedef struct { Vec from, direction, eye, ahead; int body, image; } Ray;

/* Writes what a rangefinder measures of a ray; a cutoff limits the magnitude of all of it. Returns the number
   of numbers, at most `most`. */
static int measure_ray(const Constraints *c, int sensor, const Ray *ray, int most, real *out)
{
    const int what = c->m.sensor_intprm[3 * sensor];
    const Vec from = ray->from, direction = ray->direction;
    const real cutoff = c->m.sensor_cutoff[sensor];
    const Collision *own = c->collision;
    int geom = -1;
    const real far = own ? own->calls->hit(own, c->d.geom_xpos, c->d.geom_xmat, from, direction, 0, ray->body, &geom) : -1;
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
        *to++ = hit && ray->image ? dot(sub(along(from, far, direction), ray->eye), ray->ahead) : far;
    const int count = to - found < most ? (int)(to - found) : most;
    for (int k = 0; k < count; k++)
        out[k] = cutoff > 0 ? minimum(maximum(found[k], -cutoff), cutoff) : found[k];
    return count;
}

/* The z axis of a site. */
static void measure_site(const Constraints *c, int sensor, real *out)
{
    const int site = c->m.sensor_objid[sensor];
    const real *m = c->d.site_xmat + 9 * site;
    const Vec from = vec_at(c->d.site_xpos + 3 * site), direction = vec(m[2], m[5], m[8]);
    const Ray ray = {from, direction, from, direction, c->m.site_bodyid[site], 0};
    measure_ray(c, sensor, &ray, c->m.sensor_dim[sensor], out);
}

/* The pixels of a camera, which looks against its z axis, by rows from the upper left one. */
static void measure_image(const Constraints *c, int sensor, real *out)
{
    const int camera = c->m.sensor_objid[sensor], width = c->m.cam_resolution[2 * camera];
    const real *m = c->d.cam_xmat + 9 * camera, *lens = c->m.cam_lens + 5 * camera;
    const Vec x = vec(m[0], m[3], m[6]), y = vec(m[1], m[4], m[7]), ahead = vec(-m[2], -m[5], -m[8]);
    const Vec eye = vec_at(c->d.cam_xpos + 3 * camera);
    Ray ray = {eye, ahead, eye, ahead, c->m.cam_bodyid[camera], 1};
    const int all = width > 0 && c->m.sensor_intprm[3 * sensor] ? c->m.sensor_dim[sensor] : 0;
    for (int pixel = 0, left = all; left > 0; pixel++) {
        const real right = (pixel % width + (real)0.5 - lens[2]) * lens[0];
        const real down = (pixel / width + (real)0.5 - lens[3]) * lens[1];
        const Vec aside = sub(scaled(right, x), scaled(down, y));
        if (lens[4] < 0) {
            const Vec to = add(aside, ahead);
            ray.direction = scaled(1 / norm(to), to);
        } else
            ray.from = along(eye, lens[4], aside);
        const int count = measure_ray(c, sensor, &ray, left, out);
        out += count;
        left -= count;
    }
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
        if (type == SENSOR_RANGEFINDER && c->m.sensor_objtype[z] == OBJECT_CAMERA)
            measure_image(c, z, out);
        else if (type == SENSOR_RANGEFINDER && c->m.sensor_intprm[3 * z])
            measure_site(c, z, out);
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
