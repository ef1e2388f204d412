#ifndef POLYBODY_SENSING_H
#define POLYBODY_SENSING_H

/* Sensors of contacts and limits. */

#include "collision/shape.h"
#include "rows/matching.h"

/* The interval of a line that is inside a shape. */
typedef struct { real from, to; } Span;

static inline Span both(Span a, Span b)
{
    Span s = {maximum(a.from, b.from), minimum(a.to, b.to)};
    return s;
}

/* The interval in which a t^2 + 2 b t + c < 0. */
static Span between_roots(real a, real b, real c)
{
    const real root = b * b - a * c;
    Span s = {1, -1};
    if (a < LEAST) {
        s.from = -INFINITY;
        s.to = c < 0 ? INFINITY : -INFINITY;
    } else if (root >= LEAST) {
        s.from = (-b - sqrt(root)) / a;
        s.to = (-b + sqrt(root)) / a;
    }
    return s;
}

/* The interval in which x + t v is within -size .. size. */
static Span within(real x, real v, real size)
{
    Span s = {-INFINITY, INFINITY};
    if (fabs(v) < LEAST) {
        if (fabs(x) > size)
            s.to = -INFINITY;
        return s;
    }
    const real one = (-size - x) / v, other = (size - x) / v;
    s.from = minimum(one, other);
    s.to = maximum(one, other);
    return s;
}

static Span within_ball(Vec x, Vec v, real radius)
{
    return between_roots(dot(v, v), dot(v, x), dot(x, x) - radius * radius);
}

/* The interval in which the line x + t v, in the frame of a shape, is inside it. */
static Span inside(int type, const real *size, Vec x, Vec v)
{
    if (type == SHAPE_SPHERE)
        return within_ball(x, v, size[0]);
    if (type == SHAPE_ELLIPSOID)
        return within_ball(vec(x.x / size[0], x.y / size[1], x.z / size[2]), vec(v.x / size[0], v.y / size[1], v.z / size[2]), 1);
    if (type == SHAPE_BOX)
        return both(within(x.x, v.x, size[0]), both(within(x.y, v.y, size[1]), within(x.z, v.z, size[2])));
    const Vec flat = vec(x.x, x.y, 0), speed = vec(v.x, v.y, 0);
    Span s = both(within_ball(flat, speed, size[0]), within(x.z, v.z, size[1]));
    if (type == SHAPE_CAPSULE)
        for (int side = -1; side <= 1; side += 2) {
            const Span cap = within_ball(vec(x.x, x.y, x.z - side * size[1]), v, size[0]);
            if (cap.from <= cap.to) {
                const int empty = s.from > s.to;
                s.from = empty ? cap.from : minimum(s.from, cap.from);
                s.to = empty ? cap.to : maximum(s.to, cap.to);
            }
        }
    return s;
}

/* The body on one side of a contact; as of MuJoCo 3.2.7, that of a flex does not count. */
static int touching_body(const Constraints *c, const Contact *contact, int side)
{
    return FACT(c, release) == RELEASE_V4_0 ? body_in_contact(c, contact, side) : body_of_geom(c, contact, side);
}

/* The sum of the normal forces of contacts on a site's body for which the line from the contact along the
   force intersects the site's shape. */
static real touch_force(const Constraints *c, int site)
{
    const int body = c->m.site_bodyid[site];
    const real *m = c->d.site_xmat + 9 * site;
    const Vec centre = vec_at(c->d.site_xpos + 3 * site);
    real sum = 0;
    for (int k = 0; k < c->ncon; k++) {
        const Contact *contact = c->contacts + k;
        const int one = touching_body(c, contact, 0), other = touching_body(c, contact, 1);
        real wrench[6];
        if (contact->efc_address < 0 || (one != body && other != body))
            continue;
        contact_wrench(c, contact, wrench);
        if (!(wrench[0] > 0))
            continue;
        const Vec normal = scaled(other == body ? -1 : 1, vec_at(contact->frame)), arm = sub(vec_at(contact->pos), centre);
        const Vec x = along_columns(m, arm), v = along_columns(m, normal);
        const Span hit = inside(c->m.site_type[site], c->m.site_size + 3 * site, x, v);
        if (hit.from <= hit.to && hit.to >= 0)
            sum += wrench[0];
    }
    return sum;
}

/* Of the first row of a limit: the distance beyond the margin, the velocity or the force; 0 if the limit is
   inactive. */
static real of_limit(const Constraints *c, int type, int id, int what)
{
    for (int i = c->ne + c->nf; i < c->ne + c->nf + c->nl; i++)
        if (c->a.row_type[i] == type && c->a.row_id[i] == id && !(FACT(c, servos) && c->a.row_servo[i]))
            return what == 0 ? c->a.row_pos[i] - c->a.row_margin[i] : what == 1 ? c->a.row_vel[i] : c->a.row_force[i];
    return 0;
}

/* Edge of a cell of a touch grid, for x in -1 .. 1. The closer `gamma` is to 1, the more edges are
   concentrated at the centre. */
static real edge(real x, real view, real gamma)
{
    return view * (gamma * x * x * x * x * x + (1 - gamma) * x);
}

/* The index of the cell that contains an angle, of `count` cells in -view .. view, including the upper edge;
   -1: none. */
static int cell(real angle, int count, real view, real gamma)
{
    real x = -1;
    for (int k = 0; k <= count; k++) {
        if (angle <= edge(x, view, gamma))
            return k - 1;
        x += 2. / count;
    }
    return -1;
}

/* Forces and torques of contacts on a site's body, and on bodies welded to it, in the site's axes: z, x, y.
   Contacts in the same cell of a grid of directions are summed. The site looks along -z; columns are angles
   from there towards x, rows angles from the plane of x and z towards y. Contacts of flexes are omitted. */
static void feel_grid(const Constraints *c, int z)
{
    const real *grid = c->m.sensor_grid + 5 * z;
    const int columns = (int)grid[0], rows = (int)grid[1], count = c->m.sensor_gridnum[z];
    const int site = c->m.sensor_objid[z], body = c->m.body_weldid[c->m.site_bodyid[site]];
    const real *axes = c->d.site_xmat + 9 * site;
    real *sums = c->d.sensor_grids + c->m.sensor_adr[z];
    memset(sums, 0, sizeof(real) * count);
    for (int k = 0; k < c->ncon; k++) {
        const Contact *contact = c->contacts + k;
        if (contact->efc_address < 0 || contact->geom[0] < 0 || contact->geom[1] < 0)
            continue;
        const int one = c->m.body_weldid[c->m.geom_bodyid[contact->geom[0]]];
        const int other = c->m.body_weldid[c->m.geom_bodyid[contact->geom[1]]];
        if (one != body && other != body)
            continue;
        real wrench[6];
        contact_wrench(c, contact, wrench);
        const real sign = other == body ? 1 : -1;
        const Vec force = scaled(sign, along_columns(axes, along_rows(contact->frame, wrench)));
        const Vec torque = scaled(sign, along_columns(axes, along_rows(contact->frame, wrench + 3)));
        const Vec arm = along_columns(axes, sub(vec_at(contact->pos), vec_at(c->d.site_xpos + 3 * site)));
        const int column = cell(atan2(arm.x, -arm.z), columns, grid[2], grid[4]);
        const int row = cell(atan2(arm.y, sqrt(arm.x * arm.x + arm.z * arm.z)), rows, grid[3], grid[4]);
        if (column < 0 || row < 0)
            continue;
        const real found[6] = {force.z, force.x, force.y, torque.z, torque.x, torque.y};
        for (int n = 0, place = row * columns + column; place < count; n++, place += rows * columns)
            sums[place] += found[n];
    }
}

/* Computes sensor_constraint and sensor_grids of the sensors that depend on constraints. */
static void measure_rows(Constraints *c)
{
    for (int z = 0; z < FACT(c, nsensor); z++) {
        const int type = c->m.sensor_type[z], id = c->m.sensor_objid[z];
        if (type == SENSOR_CONTACT)
            measure_contacts(c, z);
        else if (c->m.sensor_gridnum[z] > 0)
            feel_grid(c, z);
        else if (type == SENSOR_TOUCH)
            c->d.sensor_constraint[z] = touch_force(c, id);
        else if (type >= SENSOR_JOINTLIMITPOS && type <= SENSOR_JOINTLIMITFRC)
            c->d.sensor_constraint[z] = of_limit(c, ROW_LIMIT_OF_JOINT, id, type - SENSOR_JOINTLIMITPOS);
        else if (type >= SENSOR_TENDONLIMITPOS && type <= SENSOR_TENDONLIMITFRC)
            c->d.sensor_constraint[z] = of_limit(c, ROW_LIMIT_OF_TENDON, id, type - SENSOR_TENDONLIMITPOS);
    }
}

#endif
