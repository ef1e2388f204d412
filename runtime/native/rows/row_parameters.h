#ifndef POLYBODY_ROW_PARAMETERS_H
#define POLYBODY_ROW_PARAMETERS_H

/* Stiffness of rows: impedances, references and regularisation. */

#include "formulas/single.h"
#include "rows/memory.h"

static inline Solimp solimp_of(const real *given) { return bounded_solimp(given[0], given[1], given[2], given[3], given[4]); }

/* A solref after defaults. */
static inline Reference reference_of(const Constraints *c, const real *given, Reference usual)
{
    const real least = FACT(c, off) & DISABLE_REFSAFE ? 0 : 2 * c->m.opt_timestep[0];
    return reference((Reference){given[0], given[1]}, usual, least);
}

static const Reference USUAL = {0.02, 1}, NO_REFERENCE = {0, 0};

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
static inline real softness(const Constraints *c, int i, Impedance d) { return regularisation(d.now, c->a.row_diagonal[i]); }

/* The rows of a contact with friction: the regularisation of the tangential rows follows from that of the
   first row and the friction. */
static inline void set_contact(const Constraints *c, int first, Stiffness normal, Impedance d, real high)
{
    const Arena *a = &c->a;
    Contact *contact = c->contacts + a->row_id[first];
    const real *f = contact->friction, R = softness(c, first, d), ratio = c->m.opt_impratio[0];
    const int rows = a->row_dim[first];
    contact->mu = cone_friction(f[0], ratio);
    if (a->row_type[first] == ROW_CONTACT_PYRAMIDAL) {
        const real same = pyramid_regularisation(R, contact->mu), D = 1 / same;
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
    const real tangential = tangential_regularisation(R, ratio);
    const Reference own = reference_of(c, contact->solreffriction, NO_REFERENCE);
    const int other = own.first != 0 || own.second != 0;
    const Stiffness tangent = damping(other ? stiffness(own, high) : normal);
    set_row(c, first, normal, d, R);
    set_row(c, first + 1, tangent, d, tangential);
    for (int r = 2; r < rows; r++)
        set_row(c, first + r, tangent, d, direction_regularisation(tangential, f[0], f[r - 1]));
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
        known->stiffness = stiffness(reference_of(c, solref, USUAL), most);
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
        const Solimp bounded = solimp_of(solimp);
        const Impedance d = impedance(bounded, violation);
        if (FACT(c, servos) && a->row_servo[first]) { /* maximum stiffness for the time step */
            const Stiffness held = {0, servo_damping(c->m.opt_timestep[0])};
            const Impedance stiff = {MAX_IMPEDANCE, 0};
            set_row(c, first, held, stiff, softness(c, first, stiff));
            continue;
        }
        const Stiffness normal = known_stiffness(c, solref, bounded.high, &known);
        if (type == ROW_CONTACT_PYRAMIDAL || type == ROW_CONTACT_ELLIPTIC) {
            set_contact(c, first, normal, d, bounded.high);
            continue;
        }
        const int slips = type == ROW_FRICTION_OF_DOF || type == ROW_FRICTION_OF_TENDON;
        for (int i = first; i < first + rows; i++)
            set_row(c, i, slips ? damping(normal) : normal, d, softness(c, i, d));
    }
}

#endif
