# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Accelerations per force at a reference configuration, of one Model or of many of the same tree.

With M = L^T D L, from the last degree of freedom upwards, J M^-1 J^T is a sum of squares of the entries of
J L^-1: exact even if M is singular. L has the pattern of the sparse mass matrix.
"""

import numpy as np

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uintptr_t
from libc.string cimport memcpy, memset

from polybody.generated.kernels.dynamics cimport c_jacobian, c_mass_matrix, c_tendons, c_transmission
from polybody.generated.kernels.layout cimport Data, KernelData, Model

MIN_INERTIA = 1e-15
"""Inertia used for a degree of freedom of a singular mass matrix, kg m^2."""
cdef double LEAST = MIN_INERTIA
cdef object REAL = np.dtype(np.float64)


cdef double *reals(array) except? NULL:
    """The data of an array, valid as long as it is; a BufferError if they are not contiguous."""
    cdef Py_buffer buffer
    if array.dtype != REAL:
        raise TypeError("expected numbers of type float64")
    PyObject_GetBuffer(array, &buffer, PyBUF_SIMPLE)
    PyBuffer_Release(&buffer)
    return <double *>buffer.buf


cdef class Weights:
    """The kernels' memory at a reference, and the factors of the mass matrix there; used by one thread at a
    time.

    Args:
        columns: the Model's columns by name, or those of any Model of the same tree.
        data: memory of the kernels for such a Model.
    """

    cdef KernelData data
    cdef readonly int nbody, nv, nq, nout, ntendon, nmocap
    cdef int32_t[::1] last, above, depth, column, owner, wide, first, count, entry_column
    cdef int64_t[::1] row
    cdef double[::1] factor, pivot, work, moment

    def __init__(self, columns, KernelData data not None):
        self.data = data
        matrix = data.array("qM")
        self.last = _whole(columns["body_lastdof"])
        self.above, self.depth = _whole(columns["dof_parentid"]), _whole(columns["dof_depth"])
        self.owner = _whole(columns["dof_bodyid"])
        self.row = np.array(columns["M_rowadr"], np.int64)
        self.column = _whole(columns["M_colind"])
        dofs = np.bincount(columns["dof_jntid"], minlength=len(columns["jnt_type"]))
        self.wide = np.repeat(columns["jnt_dofadr"], dofs // 3 * (dofs > 1)).astype(np.int32)
        for k in range(1, len(self.wide)):  # a free joint's three translations, then its rotations
            if self.wide[k] == self.wide[k - 1]:
                self.wide[k] += 3
        self.first, self.count = _whole(columns["tendon_rowadr"]), _whole(columns["tendon_rownnz"])
        self.entry_column = _whole(columns["ten_J_colind"])
        self.nbody, self.nv, self.nq = len(self.last), len(self.above), len(columns["qpos0"])
        self.nout, self.ntendon = len(data.array("actuator_velocity")), len(self.first)
        self.nmocap = data.model.nmocap
        self.factor, self.pivot = np.zeros(len(matrix) + 1), np.zeros(self.nv + 1)
        self.work, self.moment = np.zeros(6 * self.nv + 1), np.zeros(self.nout * self.nv + 1)

    def shapes(self):
        """What :meth:`weigh` can write of each Model, by name, with its shape."""
        return {
            "xpos": (self.nbody, 3), "xquat": (self.nbody, 4), "xmat": (self.nbody, 9), "xipos": (self.nbody, 3),
            "dof_M0": (self.nv,),
            "body_invweight0": (self.nbody, 2), "dof_invweight0": (self.nv,),
            "tendon_length0": (self.ntendon,), "tendon_invweight0": (self.ntendon,),
            "actuator_acc0": (self.nout,), "resting": (self.ntendon,),
        }

    def weigh(
        self, const uintptr_t[::1] models, start, mocap_pos, mocap_quat, central, sliding, found, spring=None
    ):
        """The reference of each of some Models; without the GIL.

        Args:
            models: the addresses of the kernels' structs.
            start: qpos0 of each, (n, nq); mocap_pos and mocap_quat: the poses of mocap bodies, (n, nmocap * 3)
                and (n, nmocap * 4).
            central: bodies whose centre of mass counts as the origin of their frame, (nbody,) of uint8.
            sliding: bodies that only move along three axes, whose rows of M are diagonal, likewise.
            found: arrays (n, ...) to write, some of :meth:`shapes`.
            spring: qpos_spring of each, (n, nq): `resting` receives the lengths of tendons there.
        """
        cdef double *xpos = _place(found, "xpos")
        cdef double *xquat = _place(found, "xquat")
        cdef double *xmat = _place(found, "xmat")
        cdef double *xipos = _place(found, "xipos")
        cdef double *diagonal = _place(found, "dof_M0")
        cdef double *body = _place(found, "body_invweight0")
        cdef double *dof = _place(found, "dof_invweight0")
        cdef double *length = _place(found, "tendon_length0")
        cdef double *tendon = _place(found, "tendon_invweight0")
        cdef double *acceleration = _place(found, "actuator_acc0")
        cdef double *resting = _place(found, "resting")
        cdef double *qpos = reals(start)
        cdef double *at_rest = NULL if spring is None else reals(spring)
        cdef double *pos = reals(mocap_pos)
        cdef double *quat = reals(mocap_quat)
        cdef const unsigned char[::1] is_central = central, slides = sliding
        cdef Py_ssize_t k
        cdef const Model *m
        cdef Data *d = &self.data.c
        with nogil:
            for k in range(models.shape[0]):
                m = <const Model *>models[k]
                memcpy(d.mocap_pos, pos + 3 * self.nmocap * k, 24 * self.nmocap)
                memcpy(d.mocap_quat, quat + 4 * self.nmocap * k, 32 * self.nmocap)
                if resting != NULL and at_rest != NULL:
                    memcpy(d.qpos, at_rest + self.nq * k, 8 * self.nq)
                    c_tendons(m, d)
                    memcpy(resting + self.ntendon * k, d.ten_length, 8 * self.ntendon)
                memcpy(d.qpos, qpos + self.nq * k, 8 * self.nq)
                c_jacobian(m, d)
                c_mass_matrix(m, d)
                if xpos != NULL:
                    memcpy(xpos + 3 * self.nbody * k, d.xpos, 24 * self.nbody)
                if xquat != NULL:
                    memcpy(xquat + 4 * self.nbody * k, d.xquat, 32 * self.nbody)
                if xmat != NULL:
                    memcpy(xmat + 9 * self.nbody * k, d.xmat, 72 * self.nbody)
                if xipos != NULL:
                    self.centres(m, is_central, xipos + 3 * self.nbody * k)
                self.factorise()
                if diagonal != NULL:
                    self.of_diagonal(m, diagonal + self.nv * k)
                if dof != NULL and body != NULL and xipos != NULL:
                    self.of_dofs(m, slides, dof + self.nv * k)
                    self.of_bodies(m, slides, xipos + 3 * self.nbody * k, body + 2 * self.nbody * k)
                if length != NULL or tendon != NULL:
                    c_tendons(m, d)
                    if length != NULL:
                        memcpy(length + self.ntendon * k, d.ten_length, 8 * self.ntendon)
                    if tendon != NULL:
                        self.of_tendons(tendon + self.ntendon * k)
                if acceleration != NULL:
                    self.of_actuators(m, acceleration + self.nout * k)

    def of_rows(self, rows):
        """The diagonal of J M^-1 J^T for rows J, (n, nv), of the last Model."""
        cdef double *row
        cdef Py_ssize_t k
        cdef int i
        found = np.zeros(len(rows))
        cdef double[::1] weight = found
        made = rows.copy()
        row = reals(made)
        for k in range(weight.shape[0]):
            self.spread(row + k * self.nv)
            for i in range(self.nv):
                weight[k] += row[k * self.nv + i] * row[k * self.nv + i] / self.pivot[i]
        return found

    cdef void centres(self, const Model *m, const unsigned char[::1] central, double *xipos) noexcept nogil:
        """Positions of the centres of mass."""
        cdef const double *turn
        cdef const double *offset
        cdef const double *origin
        cdef int b, i
        for b in range(self.nbody):
            turn, offset = <const double *>self.data.c.xmat + 9 * b, <const double *>m.body_ipos + 3 * b
            origin = <const double *>self.data.c.xpos + 3 * b
            for i in range(3):
                xipos[3 * b + i] = origin[i]
                if not central[b]:
                    xipos[3 * b + i] += (
                        turn[3 * i] * offset[0] + turn[3 * i + 1] * offset[1] + turn[3 * i + 2] * offset[2]
                    )

    cdef void factorise(self) noexcept nogil:
        """L and D. Singular rows have MIN_INERTIA on D."""
        cdef double *left = &self.factor[0]
        cdef double pivot
        cdef int64_t start, other
        cdef int i, t, s
        memcpy(left, self.data.c.qM, 8 * (self.factor.shape[0] - 1))
        for i in range(self.nv - 1, -1, -1):
            start = self.row[i]
            pivot = left[start + self.depth[i]]
            if pivot < LEAST:
                pivot = LEAST
            self.pivot[i] = pivot
            for t in range(self.depth[i]):
                left[start + t] /= pivot
            for t in range(self.depth[i]):
                other = self.row[self.column[start + t]]
                for s in range(t + 1):
                    left[other + s] -= pivot * left[start + t] * left[start + s]

    cdef double weight(self, double *row, int last) noexcept nogil:
        """J M^-1 J^T of a row that only has entries from a degree of freedom upwards; the row becomes zero."""
        cdef double found = 0, entry
        cdef int i = last, t
        while i >= 0:
            entry = row[i]
            row[i] = 0
            for t in range(self.depth[i]):
                row[self.column[self.row[i] + t]] -= self.factor[self.row[i] + t] * entry
            found += entry * entry / self.pivot[i]
            i = self.above[i]
        return found

    cdef void of_diagonal(self, const Model *m, double *found) noexcept nogil:
        """The diagonal of M without the inertia of tendons."""
        cdef int i, t, e
        for i in range(self.nv):
            found[i] = (<double *>self.data.c.qM)[self.row[i] + self.depth[i]]
        for t in range(self.ntendon if m.opt_tendon_inertia[0] else 0):
            for e in range(self.first[t], self.first[t] + self.count[t]):
                found[self.entry_column[e]] -= self.data.c.ten_inertia[t] * self.data.c.ten_entry[e] ** 2

    cdef void of_dofs(self, const Model *m, const unsigned char[::1] sliding, double *found) noexcept nogil:
        cdef double *row = &self.work[0]
        cdef double mean
        cdef int i, k
        memset(row, 0, 8 * self.nv)
        for i in range(self.nv):
            row[i] = 1
            found[i] = self.weight(row, i)
            if sliding[self.owner[i]]:
                found[i] = 1 / m.body_mass[self.owner[i]]
        for k in range(<int>self.wide.shape[0]):  # those that translate, or rotate, have the same
            i = self.wide[k]
            mean = (found[i] + found[i + 1] + found[i + 2]) / 3
            found[i] = found[i + 1] = found[i + 2] = mean

    cdef void of_bodies(
        self, const Model *m, const unsigned char[::1] sliding, const double *xipos, double *found
    ) noexcept nogil:
        cdef double *rows = &self.work[0]
        cdef const double *axis
        cdef const double *anchor
        cdef double[3] arm
        cdef double[6] weight
        cdef int b, i, c
        memset(rows, 0, 48 * self.nv)
        for b in range(self.nbody):
            found[2 * b] = found[2 * b + 1] = 0
            if sliding[b]:
                found[2 * b] = 1 / m.body_mass[b]
            if sliding[b] or self.last[b] < 0:
                continue
            i = self.last[b]
            while i >= 0:
                axis, anchor = <const double *>self.data.c.dof_xaxis + 6 * i, <const double *>self.data.c.dof_xanchor + 3 * i
                for c in range(3):
                    arm[c] = xipos[3 * b + c] - anchor[c]
                rows[i] = axis[3] + (axis[1] * arm[2] - axis[2] * arm[1])
                rows[self.nv + i] = axis[4] + (axis[2] * arm[0] - axis[0] * arm[2])
                rows[2 * self.nv + i] = axis[5] + (axis[0] * arm[1] - axis[1] * arm[0])
                for c in range(3):
                    rows[(3 + c) * self.nv + i] = axis[c]
                i = self.above[i]
            for c in range(6):
                weight[c] = self.weight(rows + c * self.nv, self.last[b])
            found[2 * b] = (weight[0] + weight[1] + weight[2]) / 3
            found[2 * b + 1] = (weight[3] + weight[4] + weight[5]) / 3

    cdef void spread(self, double *row) noexcept nogil:
        """J L^-1 of any row."""
        cdef int i, t
        for i in range(self.nv - 1, -1, -1):
            if row[i] != 0:
                for t in range(self.depth[i]):
                    row[self.column[self.row[i] + t]] -= self.factor[self.row[i] + t] * row[i]

    cdef void of_tendons(self, double *found) noexcept nogil:
        cdef double *row = &self.work[0]
        cdef int t, e, i
        for t in range(self.ntendon):
            memset(row, 0, 8 * self.nv)
            for e in range(self.first[t], self.first[t] + self.count[t]):
                row[self.entry_column[e]] += self.data.c.ten_entry[e]
            self.spread(row)
            found[t] = 0
            for i in range(self.nv):
                found[t] += row[i] * row[i] / self.pivot[i]

    cdef void of_actuators(self, const Model *m, double *found) noexcept nogil:
        """Norms of the accelerations by unit forces along transmissions."""
        cdef Data *d = &self.data.c
        cdef double *row
        cdef int i, u, t
        memset(d.qvel, 0, 8 * self.nv)
        c_tendons(m, d)
        for i in range(self.nv):
            d.qvel[i] = 1
            c_transmission(m, d)
            d.qvel[i] = 0
            for u in range(self.nout):
                self.moment[u * self.nv + i] = d.actuator_velocity[u]
        for u in range(self.nout):
            row = &self.moment[u * self.nv]
            self.spread(row)
            found[u] = 0
            for i in range(self.nv):
                row[i] /= self.pivot[i]
                for t in range(self.depth[i]):
                    row[i] -= self.factor[self.row[i] + t] * row[self.column[self.row[i] + t]]
                found[u] += row[i] * row[i]
            found[u] = sqrt(found[u])


cdef int32_t[::1] _whole(column):
    return np.array(column, np.int32).reshape(-1)


cdef double *_place(found, name) except? NULL:
    return reals(found[name]) if name in found else NULL
