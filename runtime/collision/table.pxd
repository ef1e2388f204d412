"""The C data of collision detection, for callers within a step."""

from libc.stdint cimport uint64_t


from polybody.collision.flex_table cimport Flexes


cdef extern from "collision/contact.h" nogil:
    ctypedef struct Contact:
        double dist
        double[3] pos
        double[9] frame
        double includemargin
        double[5] friction
        double[2] solref
        double[2] solreffriction
        double[5] solimp
        double mu
        int dim
        int[2] geom
        int[2] flex
        int[2] elem
        int[2] vert
        int exclude
        int efc_address


cdef extern from "collision/collision.h" nogil:
    ctypedef struct Hull:
        const float *vert
        const int *graph
        int count

    ctypedef struct Grid:
        const float *height
        const double *size
        int rows, columns

    ctypedef struct Search:
        double tolerance
        int iterations, native, multi, sdf_points, sdf_iterations

    ctypedef struct Vec:
        double x, y, z

    ctypedef double (*OwnDistance)(void *context, Vec x, Vec *gradient) noexcept nogil

    ctypedef struct Field "struct Field":
        int kind
        OwnDistance own
        void *context

    ctypedef struct Signals:
        int ended

    ctypedef struct Tree "struct Tree":
        int count

    void measure_gear(Field *field)

    ctypedef struct Manner:
        int dim

    ctypedef struct Collider:
        int type

    ctypedef struct Candidate:
        int[2] geom
        int manner

    ctypedef struct Touch:
        double dist

    ctypedef struct Collision
    ctypedef struct Found:
        int count
    ctypedef void (*Searching)(
        const Collision *, const Candidate *const *, int, const double *, const double *, Found *
    ) noexcept nogil
    ctypedef struct Searches "struct Searches":
        int count
    ctypedef void (*SearchAll)(const Searches *, Found *) noexcept nogil
    ctypedef int (*General)(
        const Collision *, const Candidate *, const double *, const double *, double, Touch *
    ) noexcept nogil

    ctypedef struct Calls:
        pass

    ctypedef struct Collision:
        int enabled, ngeom, nlisted, nswept, ngroup, nexclude, npair, filterparent, midphase, override
        int friction_mixing
        double timestep
        const Collider *geom
        const Manner *manner
        const Candidate *listed
        const int *swept
        const int *group
        const Hull *hull
        const Grid *grid
        const Field *field
        const Tree *tree
        General general
        Searching search_pairs
        SearchAll search_all
        const Calls *calls
        int searched
        Search search
        const Flexes *flexes
        const uint64_t *exclude
        const uint64_t *paired
        Manner o_manner


cdef class CollisionTable:
    """The candidate pairs of a Model with their contact parameters. Immutable; shared by all simulations."""

    cdef Collision c
    cdef readonly size_t work_bytes  # size of the work memory of `collide`
    cdef readonly bint searched  # whether there are pairs for which searches take iterations
    cdef int most  # number of contacts for which `contacts` allocates memory
    cdef dict kept  # the arrays that `c` points into
    cdef object trees  # rows that `c.tree` points to
