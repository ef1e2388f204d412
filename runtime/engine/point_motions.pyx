# cython: language_level=3, boundscheck=False, wraparound=False
"""Jacobians and velocities of points of bodies, at the positions and velocities of one simulation.

Poses are computed in memory apart from the simulation's columns, and again only after its positions changed.
"""

from libc.string cimport memcmp, memcpy

from polybody.base.arrays cimport data_of, load_arrays, zeros_of
from polybody.generated.kernels.dynamics cimport c_jacobian
from polybody.generated.kernels.layout cimport Data, KernelData, Model

load_arrays()

cdef enum:
    BODY, COM, GEOM, SITE

KINDS = {"body": BODY, "com": COM, "geom": GEOM, "site": SITE}
"""The frames of which points are the origins."""


cdef struct Point:
    int body
    double[3] at


cdef KernelData placed(KernelData data):
    """Memory with the poses of bodies and the axes of degrees of freedom at the positions of a simulation."""
    cdef const Model *m = &data.model.c
    cdef Data *d = &data.c
    cdef KernelData found = data.placed
    cdef size_t number = sizeof(double), coordinates = m.nq * number, bodies = m.nmocap * number
    if found is None:
        found = data.placed = KernelData(data.model)
    elif (
        memcmp(found.c.qpos, d.qpos, coordinates) == 0
        and memcmp(found.c.mocap_pos, d.mocap_pos, 3 * bodies) == 0
        and memcmp(found.c.mocap_quat, d.mocap_quat, 4 * bodies) == 0
    ):
        return found
    memcpy(found.c.qpos, d.qpos, coordinates)
    memcpy(found.c.mocap_pos, d.mocap_pos, 3 * bodies)
    memcpy(found.c.mocap_quat, d.mocap_quat, 4 * bodies)
    with nogil:
        c_jacobian(m, &found.c)
    return found


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
    cdef KernelData at = placed(data)
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
    cdef KernelData at = placed(data)
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
    cdef KernelData at = placed(data)
    cdef Py_ssize_t[2] shape = [3, 3]
    found = zeros_of(2, shape)
    memcpy(<void *>data_of(found), at.c.xmat + body, 9 * sizeof(double))
    return found
