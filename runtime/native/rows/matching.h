#ifndef POLYBODY_MATCHING_H
#define POLYBODY_MATCHING_H

/* Contact sensors: which contacts match a sensor's objects, which of them are measured, and what is measured. The
   bits and numbers in sensor_intprm are MuJoCo's. */

#include "collision/shape.h"
#include "rows/wrenches.h"

enum { REDUCE_NONE, REDUCE_MINDIST, REDUCE_MAXFORCE, REDUCE_NETFORCE };
enum { CONTACT_QUANTITIES = 9, FOUND = 0, FORCE, TORQUE, DISTANCE, POSITION, NORMAL, TANGENT, LINEAR, ANGULAR };
static const int CONTACT_WIDTHS[CONTACT_QUANTITIES] = {1, 3, 3, 1, 3, 3, 3, 3, 3};

/* Components of a vector along the columns of a matrix in row-major order. */
static inline Vec along_columns(const real *m, Vec v)
{
    return along(along(scaled(v.x, vec_at(m)), v.y, vec_at(m + 3)), v.z, vec_at(m + 6));
}

/* Whether a point in the frame of a shape is inside it. */
static int is_inside(int type, const real *size, Vec x)
{
    const real z = type == SHAPE_CAPSULE ? x.z - minimum(maximum(x.z, -size[1]), size[1]) : x.z;
    switch (type) {
    case SHAPE_SPHERE:
    case SHAPE_CAPSULE: return x.x * x.x + x.y * x.y + z * z < size[0] * size[0];
    case SHAPE_ELLIPSOID: {
        const Vec y = vec(x.x / size[0], x.y / size[1], x.z / size[2]);
        return dot(y, y) < 1;
    }
    case SHAPE_CYLINDER: return fabs(x.z) < size[1] && x.x * x.x + x.y * x.y < size[0] * size[0];
    case SHAPE_BOX: return fabs(x.x) < size[0] && fabs(x.y) < size[1] && fabs(x.z) < size[2];
    default: return 0;
    }
}

/* The body on one side of a contact: of a geom, of a vertex, or of the first vertex of an element. */
static int body_in_contact(const Constraints *c, const Contact *contact, int side)
{
    const int body = body_of_side(c, contact, side), flex = contact->flex[side];
    if (body >= 0 || flex < 0 || contact->elem[side] < 0)
        return body;
    const int *corner = c->m.flex_elem + c->m.flex_elemdataadr[flex] + (long)contact->elem[side] * (c->m.flex_dim[flex] + 1);
    return c->m.flex_vertbodyid[c->m.flex_vertadr[flex] + corner[0]];
}

/* Whether one side of a contact is an object of a sensor; a site's volume has been examined before. */
static int is_of(const Constraints *c, int body, int geom, int type, int id)
{
    switch (type) {
    case OBJECT_GEOM: return geom == id;
    case OBJECT_BODY: return body == id;
    case OBJECT_XBODY:
        while (body > id)
            body = c->m.body_parentid[body];
        return body == id;
    default: return 1;
    }
}

/* 1 if a contact matches the objects of a sensor, -1 if it does with its sides swapped, else 0. */
static int matches(const Constraints *c, int z, const Contact *contact)
{
    const int type = c->m.sensor_objtype[z], id = c->m.sensor_objid[z];
    const int other_type = c->m.sensor_reftype[z], other_id = c->m.sensor_refid[z];
    const int one = type != OBJECT_UNKNOWN, other = other_type != OBJECT_UNKNOWN;
    int body[2], first[2], second[2];
    if ((one && id < 0) || (other && other_id < 0))
        return 0;
    if (type == OBJECT_SITE) {
        const Vec arm = sub(vec_at(contact->pos), vec_at(c->d.site_xpos + 3 * id));
        if (!is_inside(c->m.site_type[id], c->m.site_size + 3 * id, along_columns(c->d.site_xmat + 9 * id, arm)))
            return 0;
    }
    for (int side = 0; side < 2; side++) {
        body[side] = body_in_contact(c, contact, side);
        first[side] = is_of(c, body[side], contact->geom[side], type, id);
        second[side] = is_of(c, body[side], contact->geom[side], other_type, other_id);
    }
    if (!(first[0] || first[1]) || !(second[0] || second[1]))
        return 0;
    if (one && other) {
        if (first[0] && second[1])
            return 1;
        return first[1] && second[0] ? -1 : 0;
    }
    if (one)
        return first[0] ? 1 : -1;
    return !other || second[1] ? 1 : -1;
}

/* By what contacts are ordered: the least are measured. */
static real rank_of(const Constraints *c, const Contact *contact, int reduce)
{
    if (reduce == REDUCE_MINDIST)
        return contact->dist;
    real wrench[6], sum = 0;
    if (reduce != REDUCE_MAXFORCE)
        return 0;
    contact_wrench(c, contact, wrench);
    for (int k = 0; k < 3; k++)
        sum -= wrench[k] * wrench[k];
    return sum;
}

/* The matching contact of least rank, then least number, of those after another one; -1 if there is none. */
static int next_contact(const Constraints *c, int z, int reduce, int last)
{
    const real bound = last < 0 ? 0 : rank_of(c, c->contacts + last, reduce);
    int best = -1;
    real least = 0;
    for (int k = reduce == REDUCE_NONE ? last + 1 : 0; k < c->ncon; k++) {
        if (!matches(c, z, c->contacts + k))
            continue;
        const real rank = rank_of(c, c->contacts + k, reduce);
        if (last >= 0 && (rank < bound || (rank == bound && k <= last)))
            continue;
        if (best < 0 || rank < least) {
            best = k;
            least = rank;
            if (reduce == REDUCE_NONE)
                break;
        }
    }
    return best;
}

/* The velocity of the second side relative to the first at a contact, in its frame: linear, then angular. */
static void contact_velocity(Constraints *c, const Contact *contact, real *found)
{
    const Arena *a = &c->a;
    const int one = body_in_contact(c, contact, 0), other = body_in_contact(c, contact, 1);
    const int n = one < 0 || other < 0 ? 0 : find_path(c, one, other, 0);
    Vec line = vec(0, 0, 0), turn = line;
    for (int k = 0; k < n; k++) {
        const int dof = a->path[k];
        const real speed = (a->sign[2 * k + 1] - a->sign[2 * k]) * c->d.qvel[dof];
        line = along(line, speed, speed_of(c, dof, vec_at(contact->pos)));
        turn = along(turn, speed, axis_of(c, dof));
    }
    for (int k = 0; k < 3; k++) {
        found[k] = dot(vec_at(contact->frame + 3 * k), line);
        found[3 + k] = dot(vec_at(contact->frame + 3 * k), turn);
    }
}

/* Writes quantities of a contact. If sides are swapped, the frame is turned by half a turn about the second
   tangent, in which the opposite vectors have the same first two components. */
static void write_match(Constraints *c, const Contact *contact, int what, int swapped, int count, real *to)
{
    real wrench[6], velocity[6];
    const real sign = swapped ? -1 : 1;
    contact_wrench(c, contact, wrench);
    if (what >> LINEAR)
        contact_velocity(c, contact, velocity);
    const real number[CONTACT_QUANTITIES] = {[FOUND] = count, [DISTANCE] = contact->dist};
    const real *vector[CONTACT_QUANTITIES] = {
        [FORCE] = wrench, [TORQUE] = wrench + 3, [POSITION] = contact->pos, [NORMAL] = contact->frame,
        [TANGENT] = contact->frame + 3, [LINEAR] = velocity, [ANGULAR] = velocity + 3};
    for (int q = 0; q < CONTACT_QUANTITIES; q++) {
        if (!(what >> q & 1))
            continue;
        if (!vector[q]) {
            *to++ = number[q];
            continue;
        }
        for (int k = 0; k < 3; k++) {
            const int opposite = q == NORMAL || q == TANGENT || (k == 2 && q != POSITION);
            *to++ = opposite ? sign * vector[q][k] : vector[q][k];
        }
    }
}

/* Writes the sum of all matching contacts: force and torque in world axes about the mean of their positions
   weighted by forces. */
static void write_sum(const Constraints *c, int z, int what, int count, real *to)
{
    Vec centre = vec(0, 0, 0), force = centre, torque = centre;
    real total = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < c->ncon; k++) {
            const Contact *contact = c->contacts + k;
            const int match = matches(c, z, contact);
            real wrench[6];
            if (!match)
                continue;
            contact_wrench(c, contact, wrench);
            const Vec own = scaled(match, along_rows(contact->frame, wrench)), at = vec_at(contact->pos);
            if (!pass) {
                const real size = norm(vec_at(wrench));
                centre = along(centre, size, at);
                total += size;
                continue;
            }
            force = add(force, own);
            torque = add(torque, scaled(match, along_rows(contact->frame, wrench + 3)));
            torque = add(torque, cross(sub(at, centre), own));
        }
        if (!pass)
            centre = scaled(1 / maximum(total, LEAST), centre);
    }
    const Vec vector[CONTACT_QUANTITIES] = {
        [FORCE] = force, [TORQUE] = torque, [POSITION] = centre, [NORMAL] = vec(1, 0, 0), [TANGENT] = vec(0, 1, 0)};
    for (int q = 0; q < CONTACT_QUANTITIES; q++)
        for (int k = 0; k < CONTACT_WIDTHS[q] && what >> q & 1; k++)
            *to++ = q == FOUND ? count : q == DISTANCE ? 0 : part(vector[q], k);
}

/* Computes the values of a contact sensor, in sensor_grids. */
static void measure_contacts(Constraints *c, int z)
{
    const int *prm = c->m.sensor_intprm + 3 * z, what = prm[0], reduce = prm[1], dim = c->m.sensor_gridnum[z];
    real *to = c->d.sensor_grids + c->m.sensor_adr[z];
    int size = 0, count = 0, last = -1;
    memset(to, 0, sizeof(real) * dim);
    for (int q = 0; q < CONTACT_QUANTITIES; q++)
        size += (what >> q & 1) * CONTACT_WIDTHS[q];
    for (int k = 0; k < c->ncon; k++)
        count += matches(c, z, c->contacts + k) != 0;
    if (size == 0 || dim < size || count == 0)
        return;
    if (reduce == REDUCE_NETFORCE) {
        write_sum(c, z, what, count, to);
        return;
    }
    for (int slot = 0; slot < dim / size && slot < count; slot++, to += size) {
        last = next_contact(c, z, reduce, last);
        if (last < 0)
            return;
        write_match(c, c->contacts + last, what, matches(c, z, c->contacts + last) < 0, count, to);
    }
}

#endif
