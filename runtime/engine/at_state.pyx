# cython: language_level=3, boundscheck=False, wraparound=False
"""Quantities at the positions and velocities of one simulation: Jacobians and velocities of points of bodies,
products with the mass matrix, energies.

They are computed in memory apart from the simulation's columns, and again only after its positions or velocities
changed.
"""

from libc.string cimport memcmp, memcpy

from polybody.base.arrays cimport data_of, dimensions_of, load_arrays, shape_of, zeros_of
from polybody.generated.kernels.dynamics cimport c_energy, c_factor, c_jacobian, c_mass_matrix, c_solve
from polybody.generated.kernels.layout cimport Data, KernelData, Model, require_free, take

load_arrays()

cdef enum:
    BODY, COM, GEOM, SITE

KINDS = {"body": BODY, "com": COM, "geom": GEOM, "site": SITE}
"""The frames of which points are the origins."""

cdef enum:  # what the memory has
    AXES = 1, MATRIX = 2, FACTORS = 4, ENERGY = 8


cdef struct Point:
    int body
    double[3] at


cdef KernelData having(KernelData data, int needed):
    """Memory with quantities at the positions (ENERGY: and velocities) of a simulation."""
    cdef const Model *m = &data.model.c
    cdef Data *d = &data.c
    cdef KernelData found = data.beside
    cdef size_t number = sizeof(double), coordinates = m.nq * number, bodies = m.nmocap * number
    require_free(data)
    if found is None:
        found = data.beside = KernelData(data.model)
    if (
        memcmp(found.c.qpos, d.qpos, coordinates) != 0
        or memcmp(found.c.mocap_pos, d.mocap_pos, 3 * bodies) != 0
        or memcmp(found.c.mocap_quat, d.mocap_quat, 4 * bodies) != 0
    ):
        found.has = 0
        memcpy(found.c.qpos, d.qpos, coordinates)
        memcpy(found.c.mocap_pos, d.mocap_pos, 3 * bodies)
        memcpy(found.c.mocap_quat, d.mocap_quat, 4 * bodies)
    if needed & ENERGY and (
        memcmp(found.c.qvel, d.qvel, m.nv * number) != 0
        or memcmp(found.c.plastic, d.plastic, m.nplastic * number) != 0
    ):
        found.has &= ~ENERGY
        memcpy(found.c.qvel, d.qvel, m.nv * number)
        memcpy(found.c.plastic, d.plastic, m.nplastic * number)
    if needed & ~found.has:
        compute(m, found, needed & ~found.has)
    return found


cdef int compute(const Model *m, KernelData found, int lacking) except -1:
    """Compute what is lacking, without the GIL."""
    if lacking & MATRIX:
        found.matrix()
    take(found)
    with nogil:
        if lacking & AXES:
            c_jacobian(m, &found.c)
        if lacking & MATRIX:
            c_mass_matrix(m, &found.c)
        if lacking & FACTORS:
            c_factor(m, &found.c)
        if lacking & ENERGY:
            c_energy(m, &found.c)
    found.has |= lacking
    found.busy = False
    return 0


cdef Point located(const Model *m, const Data *d, int kind, int row) noexcept nogil:
    """The origin of a frame in the world, and its body."""
    cdef Point found
    cdef const double *offset = NULL
    cdef const double *turn
    cdef int i
    found.body = row
    if kind == COM:
        offset = <const double *>(m.body_ipos + row)
    elif kind == GEOM:
        found.body, offset = m.geom_bodyid[row], <const double *>(m.geom_pos + row)
    elif kind == SITE:
        found.body, offset = m.site_bodyid[row], <const double *>(m.site_pos + row)
    memcpy(found.at, d.xpos + found.body, sizeof(found.at))
    if offset != NULL:
        turn = <const double *>(d.xmat + found.body)
        for i in range(3):
            found.at[i] += turn[3 * i] * offset[0] + turn[3 * i + 1] * offset[1] + turn[3 * i + 2] * offset[2]
    return found


cdef void motion_of(const Data *d, int dof, const double *at, double *found) noexcept nogil:
    """The angular velocity of a body and the velocity of its point at the unit rate of a degree of freedom."""
    cdef const double *axis = <const double *>(d.dof_xaxis + dof)
    cdef const double *anchor = <const double *>(d.dof_xanchor + dof)
    cdef double x = at[0] - anchor[0], y = at[1] - anchor[1], z = at[2] - anchor[2]
    found[0], found[1], found[2] = axis[0], axis[1], axis[2]
    found[3] = axis[3] + axis[1] * z - axis[2] * y
    found[4] = axis[4] + axis[2] * x - axis[0] * z
    found[5] = axis[5] + axis[0] * y - axis[1] * x


def jacobian(KernelData data not None, int kind, int row, point=None):
    """The Jacobian of the origin of a frame, or of a point of its body, (3,) in the world: jacp, jacr, both
    (3, nv).
    """
    cdef const Model *m = &data.model.c
    cdef KernelData at = having(data, AXES)
    cdef Point where = located(m, &at.c, kind, row)
    cdef Py_ssize_t[2] shape = [3, m.nv]
    cdef double[6] motion
    cdef int nv = m.nv, dof = m.body_lastdof[where.body], i
    if point is not None:
        memcpy(where.at, data_of(point), sizeof(where.at))
    jacp, jacr = zeros_of(2, shape), zeros_of(2, shape)
    cdef double *linear = <double *>data_of(jacp)
    cdef double *angular = <double *>data_of(jacr)
    while dof >= 0:
        motion_of(&at.c, dof, where.at, motion)
        for i in range(3):
            angular[i * nv + dof], linear[i * nv + dof] = motion[i], motion[3 + i]
        dof = m.dof_parentid[dof]
    return jacp, jacr


def velocity(KernelData data not None, int kind, int row):
    """The angular velocity of a frame and the velocity of its origin, (6,), in world axes."""
    cdef const Model *m = &data.model.c
    cdef KernelData at = having(data, AXES)
    cdef Point where = located(m, &at.c, kind, row)
    cdef Py_ssize_t[1] shape = [6]
    cdef double[6] motion
    cdef int dof = m.body_lastdof[where.body], i
    found = zeros_of(1, shape)
    cdef double *sums = <double *>data_of(found)
    while dof >= 0:
        motion_of(&at.c, dof, where.at, motion)
        for i in range(6):
            sums[i] += motion[i] * data.c.qvel[dof]
        dof = m.dof_parentid[dof]
    return found


def axes(KernelData data not None, int body):
    """The orientation of a body, (3, 3)."""
    cdef KernelData at = having(data, AXES)
    cdef Py_ssize_t[2] shape = [3, 3]
    found = zeros_of(2, shape)
    memcpy(<void *>data_of(found), at.c.xmat + body, 9 * sizeof(double))
    return found


cdef int check_vectors(const Model *m, vectors) except -1:
    cdef int count = dimensions_of(vectors)
    cdef const Py_ssize_t *shape = shape_of(vectors)
    if count not in (1, 2) or shape[count - 1] != m.nv:
        raise ValueError(f"a vector of this Model must have the shape ({m.nv},), got {vectors.shape}")
    return 0


def multiply(KernelData data not None, vectors not None):
    """The mass matrix times a vector, (nv,), or times each row of (n, nv): contiguous float64."""
    cdef const Model *m = &data.model.c
    check_vectors(m, vectors)
    cdef int count = dimensions_of(vectors), i, j, nv = m.nv
    cdef const Py_ssize_t *shape = shape_of(vectors)
    cdef Py_ssize_t row, rows = shape[0] if count == 2 else 1
    cdef const double *entries = having(data, MATRIX).c.qM
    cdef const double *own
    cdef double sum
    products = zeros_of(count, shape)
    cdef const double *x = <const double *>data_of(vectors)
    cdef double *y = <double *>data_of(products)
    for row in range(rows):
        for i in range(nv):
            own = entries + m.M_rowadr[i]
            sum = own[m.dof_depth[i]] * x[i]
            j = m.dof_parentid[i]
            while j >= 0:
                sum += own[m.dof_depth[j]] * x[j]
                y[j] += own[m.dof_depth[j]] * x[i]
                j = m.dof_parentid[j]
            y[i] = sum
        x += nv
        y += nv
    return products


def solve(KernelData data not None, vectors not None):
    """The solutions of the mass matrix with armature and regularization for the same."""
    cdef const Model *m = &data.model.c
    check_vectors(m, vectors)
    cdef int count = dimensions_of(vectors), nv = m.nv
    cdef const Py_ssize_t *shape = shape_of(vectors)
    cdef Py_ssize_t row, rows = shape[0] if count == 2 else 1
    cdef Data *d = &having(data, MATRIX | FACTORS).c
    found = zeros_of(count, shape)
    cdef const double *x = <const double *>data_of(vectors)
    cdef double *y = <double *>data_of(found)
    for row in range(rows):
        memcpy(d.qfrc_applied, x + row * nv, nv * sizeof(double))
        c_solve(m, d)
        memcpy(y + row * nv, d.qacc, nv * sizeof(double))
    return found


def energy(KernelData data not None):
    """Potential and kinetic energy, also stored in the simulation's column."""
    data.c.energy[0] = having(data, ENERGY).c.energy[0]
    cdef const double *found = <const double *>data.c.energy
    return found[0], found[1]
