#ifndef POLYBODY_ROW_PARAMETERS_H
#define POLYBODY_ROW_PARAMETERS_H

/* Stiffness of rows: impedances, references and regularisation. */

#include "rows/memory.h"

typedef struct { real now, slope, most; } Impedance;

/* The impedance at a violation and its derivative; d(x) in MuJoCo's documentation. */
static Impedance impedance(const real *solimp, real violation)
{
    const real low = clamped(solimp[0], MIN_IMPEDANCE, MAX_IMPEDANCE);
    const real high = clamped(solimp[1], MIN_IMPEDANCE, MAX_IMPEDANCE);
    const real width = maximum(0, solimp[2]), power = maximum(1, solimp[4]);
    const real middle = clamped(solimp[3], MIN_IMPEDANCE, MAX_IMPEDANCE);
    Impedance found = {0.5 * (low + high), 0, high};
    if (low == high || width <= LEAST)
        return found;
    const real x = fabs(violation) / width, sign = violation < 0 ? -1 : 1;
    if (x >= 1 || x <= 0) {
        found.now = x >= 1 ? high : low;
        return found;
    }
    real y = x, slope = 1;
    if (power != 1) { /* two power curves that meet at the midpoint */
        const int near = x <= middle;
        const real part = near ? x : 1 - x, whole = near ? middle : 1 - middle;
        const real before = power == 2 ? part : pow(part, power - 1);
        const real scale = 1 / (power == 2 ? whole : pow(whole, power - 1));
        y = near ? scale * before * part : 1 - scale * before * part;
        slope = power * scale * before;
    }
    found.now = low + y * (high - low);
    found.slope = slope * sign * (high - low) / width;
    return found;
}

/* A solref after defaults: both positive (time constant, damping ratio) or neither (stiffness, damping). */
typedef struct { real first, second; } Reference;

static Reference reference(const Constraints *c, const real *given, real first, real second)
{
    Reference r = {given[0], given[1]};
    if ((r.first > 0) != (r.second > 0)) {
        r.first = first;
        r.second = second;
    }
    if (!(FACT(c, off) & DISABLE_REFSAFE) && r.first > 0)
        r.first = maximum(r.first, 2 * c->m.opt_timestep[0]);
    return r;
}

/* Stiffness and damping of a row. */
typedef struct { real K, B; } Stiffness;

static inline Stiffness stiffness(Reference r, real most)
{
    Stiffness s;
    if (r.first > 0)
        s.K = 1 / maximum(LEAST, most * most * r.first * r.first * r.second * r.second);
    else
        s.K = -r.first / maximum(LEAST, most * most);
    s.B = r.second > 0 ? 2 / maximum(LEAST, most * r.first) : -r.second / maximum(LEAST, most);
    return s;
}

/* Damping only, without stiffness. */
static inline Stiffness damping(Stiffness s)
{
    s.K = 0;
    return s;
}

static inline void set_row(const Constraints *c, int i, Stiffness s, Impedance d, real R)
{
    const Arena *a = &c->a;
    real *KBIP = a->row_KBIP + 4 * i;
    KBIP[0] = s.K;
    KBIP[1] = s.B;
    KBIP[2] = d.now;
    KBIP[3] = d.slope;
    a->row_R[i] = R;
    a->row_D[i] = 1 / R;
}

/* The regularisation of a single row. */
static inline real regularisation(const Constraints *c, int i, Impedance d)
{
    return maximum(LEAST, (1 - d.now) * c->a.row_diagonal[i] / d.now);
}

/* The rows of a contact with friction: the regularisation of the tangential rows follows from that of the
   first row and the friction. */
static inline void set_contact(const Constraints *c, int first, Stiffness normal, Impedance d)
{
    const Arena *a = &c->a;
    Contact *contact = c->contacts + a->row_id[first];
    const real *f = contact->friction, R = regularisation(c, first, d), ratio = c->m.opt_impratio[0];
    const real tangential = ratio == 1 ? R : R / maximum(LEAST, ratio);
    const int rows = a->row_dim[first];
    contact->mu = ratio == 1 ? f[0] : f[0] * sqrt(tangential / R);
    if (a->row_type[first] == ROW_CONTACT_PYRAMIDAL) {
        const real same = 2 * contact->mu * contact->mu * R, D = 1 / same;
        for (int i = first; i < first + rows; i++) {
            real *KBIP = a->row_KBIP + 4 * i;
            KBIP[0] = normal.K;
            KBIP[1] = normal.B;
            KBIP[2] = d.now;
            KBIP[3] = d.slope;
            a->row_R[i] = same;
            a->row_D[i] = D;
        }
        return;
    }
    const Reference own = reference(c, contact->solreffriction, 0, 0);
    const int other = own.first != 0 || own.second != 0;
    const Stiffness tangent = damping(other ? stiffness(own, d.most) : normal);
    set_row(c, first, normal, d, R);
    set_row(c, first + 1, tangent, d, tangential);
    for (int r = 2; r < rows; r++)
        set_row(c, first + r, tangent, d, tangential * f[0] * f[0] / (f[r - 1] * f[r - 1]));
}

/* The solref and solimp that apply to a row. */
static void parameters(const Constraints *c, int i, const real **solref, const real **solimp)
{
    const int id = c->a.row_id[i];
    const ModelColumns *m = &c->m;
    switch (c->a.row_type[i]) {
    case ROW_EQUALITY: *solref = m->eq_solref + 2 * id; *solimp = m->eq_solimp + 5 * id; break;
    case ROW_FRICTION_OF_DOF: *solref = m->dof_solref + 2 * id; *solimp = m->dof_solimp + 5 * id; break;
    case ROW_FRICTION_OF_TENDON: *solref = m->tendon_solref_fri + 2 * id; *solimp = m->tendon_solimp_fri + 5 * id; break;
    case ROW_LIMIT_OF_JOINT: *solref = m->jnt_solref + 2 * id; *solimp = m->jnt_solimp + 5 * id; break;
    case ROW_LIMIT_OF_TENDON: *solref = m->tendon_solref_lim + 2 * id; *solimp = m->tendon_solimp_lim + 5 * id; break;
    default: *solref = c->contacts[id].solref; *solimp = c->contacts[id].solimp;
    }
}

/* Cached result for the parameters of the previous row: most rows of a Model share them. */
typedef struct { real first, second, most; Stiffness stiffness; } Known;

static inline Stiffness known_stiffness(const Constraints *c, const real *solref, real most, Known *known)
{
    if (!(solref[0] == known->first && solref[1] == known->second && most == known->most)) {
        known->first = solref[0];
        known->second = solref[1];
        known->most = most;
        known->stiffness = stiffness(reference(c, solref, 0.02, 1), most);
    }
    return known->stiffness;
}

/* Sets KBIP, R and D of every row, and mu of contacts. The rows of one constraint share the violation: the
   norm over all rows of an equality, else that of the first row. */
static void set_parameters(Constraints *c)
{
    const Arena *a = &c->a;
    Known known = {NAN, NAN, NAN, {0, 0}};
    for (int first = 0; first < c->nefc; first += a->row_dim[first]) {
        const int type = a->row_type[first], rows = a->row_dim[first];
        const real *solref, *solimp;
        parameters(c, first, &solref, &solimp);
        real violation = a->row_pos[first] - a->row_margin[first];
        if (type == ROW_EQUALITY && rows > 1) {
            violation = 0;
            for (int r = 0; r < rows; r++)
                violation += a->row_pos[first + r] * a->row_pos[first + r];
            violation = sqrt(violation);
        }
        const Impedance d = impedance(solimp, violation);
        if (FACT(c, servos) && a->row_servo[first]) { /* maximum stiffness for the time step */
            const Reference servo = {0, -MAX_IMPEDANCE / c->m.opt_timestep[0]};
            const Impedance stiff = {MAX_IMPEDANCE, 0, MAX_IMPEDANCE};
            set_row(c, first, damping(stiffness(servo, MAX_IMPEDANCE)), stiff, regularisation(c, first, stiff));
            continue;
        }
        const Stiffness normal = known_stiffness(c, solref, d.most, &known);
        if (type == ROW_CONTACT_PYRAMIDAL || type == ROW_CONTACT_ELLIPTIC) {
            set_contact(c, first, normal, d);
            continue;
        }
        const int slips = type == ROW_FRICTION_OF_DOF || type == ROW_FRICTION_OF_TENDON;
        for (int i = first; i < first + rows; i++)
            set_row(c, i, slips ? damping(normal) : normal, d, regularisation(c, i, d));
    }
}

#endif
