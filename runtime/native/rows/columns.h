#ifndef POLYBODY_COLUMNS_H
#define POLYBODY_COLUMNS_H

/* The data that constraint rows and their solvers read and write.

   The contract lists the columns of the Model and of a simulation, with their scalar types. The lists generate the
   structs and the tables of names from which solver.pyx sets the pointers. Arrays whose size depends on
   the state are listed here in the same way, with the count that determines their size. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include "contract/codes.h"
#include "contract/columns.h"
#include "collision/collision.h"

/* One entry per contact, row, entry of the sparse Jacobian, degree of freedom, and so on: see SIZES. */
#define ARENA_COLUMNS(INT, REAL, MASK) \
    INT(row_type, row, 1) INT(row_id, row, 1) INT(row_state, row, 1) INT(row_first, row, 1) INT(row_columns, row, 1) \
    INT(row_count, row, 1) INT(row_dim, row, 1) INT(row_servo, row, 1) INT(row_island, row, 1) INT(old_state, row, 1) \
    REAL(row_pos, row, 1) REAL(row_margin, row, 1) REAL(row_frictionloss, row, 1) REAL(row_diagonal, row, 1) \
    REAL(row_KBIP, row, 4) REAL(row_R, row, 1) REAL(row_D, row, 1) REAL(row_vel, row, 1) REAL(row_aref, row, 1) \
    REAL(row_force, row, 1) REAL(row_residual, row, 1) REAL(row_search, row, 1) REAL(row_b, row, 1) \
    REAL(row_added, row, 1) REAL(row_inverse, row, 1) \
    INT(cone_row, cone, 6) INT(cone_planes, cone, 1) REAL(cone_scale, cone, 6) REAL(cone_D, cone, 6) REAL(cone_weight, cone, 1) \
    REAL(cone_line, cone, 8) \
    MASK(row_mask, row, 1) MASK(wide_mask, row, 1) \
    REAL(jacobian, entry, 1) INT(column, index, 1) \
    REAL(hessian, hessian, 1) REAL(inertia, dense, 1) REAL(factor, hessian, 1) REAL(dual, dual, 1) \
    MASK(pattern, pattern, 1) MASK(tree, pattern, 1) \
    INT(path, dof, 1) INT(place, dof, 1) INT(start, dof, 1) INT(block_first, dof, 1) \
    INT(block_count, dof, 1) INT(above_first, dof, 1) INT(above_count, dof, 1) INT(block, hessian, 1) INT(above, hessian, 1) \
    INT(alone, dof, 1) REAL(sign, dof, 2) REAL(axes, dof, 9) REAL(velocity, dof, 1) REAL(free, dof, 1) REAL(smooth, dof, 1) \
    REAL(acc, dof, 1) REAL(force, dof, 1) REAL(step, dof, 1) REAL(gradient, dof, 1) REAL(old_gradient, dof, 1) REAL(direction, dof, 1) \
    REAL(old_direction, dof, 1) REAL(momentum, dof, 1) REAL(moved, dof, 1) REAL(pivot, dof, 1) \
    REAL(spare, dof, 1) REAL(whole, dof, 1) \
    INT(row_next, row, 1) INT(wide_row, row, 1) INT(narrow_row, row, 1) INT(known_count, row, 1) INT(known_column, index, 1) \
    INT(group, group, 1) INT(group_first, group, 1) INT(branches, group, 1) INT(order, group, 1) INT(mark, group, 1) \
    INT(degree, group, 1) INT(next, group, 1) INT(last, group, 1) INT(least, group, 1) INT(ranked, group, 1) \
    INT(in_first, group, 1) INT(in_count, group, 1) INT(in, listed, 1) INT(member, member, 1) \
    INT(clique_first, clique, 1) INT(clique_count, clique, 1) INT(clique_front, clique, 1) INT(seen, clique, 1) \
    INT(weight, clique, 1) \
    INT(front_first, group, 1) INT(front_clique, group, 1) INT(front_child, group, 1) INT(front_next, group, 1) \
    INT(front_left, group, 1) INT(post, group, 1) INT(sequence, group, 1) INT(begin, group, 1) INT(remains, group, 1) \
    INT(joined, group, 1) INT(front_of, group, 1) INT(children, group, 1) INT(pivots, group, 1) INT(width, group, 1) \
    INT(panel_first, group, 1) INT(front_dof, group, 1) INT(front_row, group, 1) INT(earliest, group, 1) \
    INT(dof_next, group, 1) INT(spot, group, 1) REAL(inverse, group, 1) INT(front_blocks, group, 1) INT(before, group, 1) \
    INT(M_place, matrix, 1) INT(wide_begin, group, 1) INT(wide_first, group, 1) INT(front_list, group, 1) REAL(wide, wide, 1) \
    MASK(closed, group, 1) MASK(tree_mask, group, 1) \
    REAL(panel, panel, 1) REAL(square, square, 1) REAL(stack, stack, 1) \
    INT(tree_joined, dof, 1) INT(tree_island, dof, 1) INT(island_iterations, dof, 1) REAL(island, dof, 24) \
    INT(active_dofs, dof, 2) INT(active_rows, row, 2) \
    INT(tree_root, dof, 1) INT(tree_row, dof, 1) INT(tree_range, dof, 2) REAL(solved, dof, 8) \
    INT(pack_first, row, 1) INT(pack_count, row, 1) INT(pack_column, pack, 1) REAL(pack, pack, 4) \
    INT(listed_pack, pack, 1) INT(listed_row, pack, 1) INT(listed_first, dof, 2) INT(listed_next, dof, 1) \
    INT(row_place, row, 1) INT(visited, row, 1) REAL(last_force, row, 1) REAL(reached, row, 1) REAL(last_residual, row, 1) INT(part_type, part, 1) INT(part_id, part, 1) INT(part_dim, part, 1) INT(part_state, part, 1) \
    REAL(part_residual, part, 1) REAL(part_search, part, 1) REAL(part_D, part, 1) REAL(part_R, part, 1) \
    REAL(part_frictionloss, part, 1) REAL(part_force, part, 1) \
    REAL(exact, exact, 1)

/* Facts of the Model that select code paths: sizes, options, and whether features are present. facts.py
   computes them. The loop kernels read them from the simulation; in a program for one Model they are
   constants. */
#define FACTS(FACT) \
    FACT(nv) FACT(nbody) FACT(njnt) FACT(ntendon) FACT(neq) FACT(nsensor) FACT(nactuator) FACT(nformula) FACT(nJformula) FACT(nconnection) FACT(release) \
    FACT(words) FACT(blocks) FACT(dense) FACT(sparse) FACT(off) FACT(cone) FACT(solver) FACT(noslip) FACT(frictional) \
    FACT(servos) FACT(prescribed) FACT(surfaces) FACT(adhesive) FACT(exact) FACT(limited) FACT(balls) FACT(touching) FACT(swept) FACT(flexes) FACT(multifrontal) FACT(by_islands)

#ifdef POLYBODY_PROGRAM
#define FACT(c, name) POLYBODY_##name
#else
#define FACT(c, name) ((c)->name)
#endif

#define HELD 1e30 /* inertia of degrees of freedom with prescribed motion */
#define FAR 1e9 /* N or N m: a servo motor's bound beyond this is treated as infinite */

#define SIZES(SIZE) SIZE(contact) SIZE(row) SIZE(entry) SIZE(index) SIZE(hessian) SIZE(dense) SIZE(dual) SIZE(pattern) SIZE(dof) SIZE(matrix) \
    SIZE(group) SIZE(clique) SIZE(member) SIZE(listed) SIZE(panel) SIZE(square) SIZE(stack) SIZE(wide) SIZE(part) SIZE(pack) SIZE(cone) SIZE(exact)

#define POINTER_TO_INT(name, ...) int *name;
#define POINTER_TO_REAL(name, ...) real *name;
#define POINTER_TO_MASK(name, ...) uint64_t *name;
#define CONSTANT_INT(name) const int *name;
#define CONSTANT_REAL(name) const real *name;
#define COUNT(name) long name;
#define INTEGER(name) int name;

typedef struct { MODEL_COLUMNS(CONSTANT_INT, CONSTANT_REAL) } ModelColumns;
typedef struct { DATA_COLUMNS(POINTER_TO_REAL) } DataColumns;
typedef struct { ARENA_COLUMNS(POINTER_TO_INT, POINTER_TO_REAL, POINTER_TO_MASK) } Arena;
typedef struct { SIZES(COUNT) } Sizes;

typedef struct { const char *name, *size; int width; char kind; } ColumnName;

#define NAME_OF_INT(name) {#name, "", 1, 'i'},
#define NAME_OF_REAL(name) {#name, "", 1, 'd'},
#define SIZED_INT(name, size, width) {#name, #size, width, 'i'},
#define SIZED_REAL(name, size, width) {#name, #size, width, 'd'},
#define SIZED_MASK(name, size, width) {#name, #size, width, 'm'},
#define NAME_OF_SIZE(name) {#name, "", 1, 'l'},
#define NAME_OF_FACT(name) {#name, "", 1, 'i'},

static const ColumnName model_columns[] = { MODEL_COLUMNS(NAME_OF_INT, NAME_OF_REAL) };
static const ColumnName data_columns[] = { DATA_COLUMNS(NAME_OF_REAL) };
static const ColumnName arena_columns[] = { ARENA_COLUMNS(SIZED_INT, SIZED_REAL, SIZED_MASK) };
static const ColumnName sizes[] = { SIZES(NAME_OF_SIZE) };
static const ColumnName fact_names[] = { FACTS(NAME_OF_FACT) };
enum {
    MODEL_COLUMN_COUNT = sizeof(model_columns) / sizeof(ColumnName),
    DATA_COLUMN_COUNT = sizeof(data_columns) / sizeof(ColumnName),
    ARENA_COLUMN_COUNT = sizeof(arena_columns) / sizeof(ColumnName),
    SIZE_COUNT = sizeof(sizes) / sizeof(ColumnName),
    FACT_COUNT = sizeof(fact_names) / sizeof(ColumnName)
};

/* Whether the Model is simulated as of MuJoCo 4.0. */
#define is_newest(c) (FACT(c, release) == RELEASE_V4_0)

/* Stages that belong to no step: once per simulation, and without memory for all rows. */
enum { BEGIN = SOLVER_STAGE_COUNT, FORGET };

/* The constraints of one simulation. Stages never allocate: if memory is insufficient, `need` is set to the
   required sizes. Indices are int: no array has more numbers than that reaches (solver.pyx), and a stage
   that needs more ends before it uses an index. */
typedef struct {
    ModelColumns m;
    DataColumns d;
    Arena a;
    Sizes have, need;
    const Collision *collision;
    void *collision_work;
    Contact *contacts;
    const unsigned char *eq_active;
    FACTS(INTEGER)
    int ncon, nefc, ne, nf, nl;
    int unlisted;              /* the lists of columns are out of date for the pattern */
    int scattered;             /* some row of the factor spans many blocks */
    int groups, cliques, fronts, ordered, lowest, joined_fronts; /* of the multifrontal method */
    int unspread;              /* wide rows have not been filled in for these columns */
    int narrow;                /* constraints whose rows are not in whole fronts */
    int known_rows;            /* number of rows for which the fronts were computed */
    long known_entries;        /* and the number of their columns */
    int coupled;               /* some row couples branches: the factor is not that of M */
    int islands;               /* number of groups of coupled trees, if solved separately */
    int cones;                 /* contacts, if friction cones are elliptic: see cones.h */
    int iterations;
    int failed;                /* memory was insufficient for the rows: accelerations are undefined */
    int stopped;               /* a signal ended the solve: accelerations are undefined */
    Signals signals;           /* once they have ended a search or a solve, no other one begins */
    void *owner;               /* the object that owns the memory */
} Constraints;

/* Whether a signal ends the solve. Iterations call it: each counts as many evaluations of all rows, since a line
   search may take that many. */
static inline int is_interrupted(Constraints *c)
{
    return c->stopped |= is_ended(&c->signals, 1e3 * (c->nefc + FACT(c, nv) + 1));
}

/* What one source file in single/ defines: a function that runs a stage, except that contacts are given, and
   returns 0 if memory is insufficient; force and torque of a contact; whether the processor has the registers that it needs. */
typedef struct {
    int (*run)(Constraints *c, int stage);
    void (*contact_wrench)(const Constraints *c, const Contact *contact, real *wrench);
    int (*usable)(void);
} SolverText;
extern const SolverText solver_r64, solver_r32, solver_r16;

/* The facts of a simulation, in the order of their list. */
static inline int *facts_of(Constraints *c) { return &c->nv; }

/* The data of one Model that constraints read. Simulations of Models of the same structure may share memory:
   before a step begins, the tables of its own Model are copied to it. */
typedef struct { ModelColumns m; const Collision *collision; int facts[FACT_COUNT]; } Tables;

static inline void take_tables(Constraints *c, const Tables *t)
{
    c->m = t->m;
    c->collision = t->collision;
    memcpy(facts_of(c), t->facts, sizeof t->facts);
}

#endif
