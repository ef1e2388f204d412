# cython: boundscheck=False, wraparound=False
"""The kernels in a C loop over many states, timed as the peers are."""

from libc.math cimport INFINITY
from libc.stdio cimport fflush, stdout
from libc.string cimport memcpy
from polybody.generated.kernels.dynamics cimport c_acceleration, c_inverse, c_mass_matrix, c_step
from polybody.generated.kernels.layout cimport Data, KernelData, KernelModel, Model

cdef extern from *:
    """
    #include "timing.h"

    static void time_call(const char *name, void (*call)(long)) { TIME(name, call(s)); }
    """
    enum: STATES
    void time_call(const char *name, void (*call)(long) noexcept nogil) nogil

cdef const Model *model
cdef Data *data
cdef const double *states
cdef long nq, nv


cdef void load(long s) noexcept nogil:
    cdef const double *qvel = states + STATES * nq
    memcpy(data.qpos, states + s * nq, nq * sizeof(double))
    memcpy(data.qvel, qvel + s * nv, nv * sizeof(double))
    memcpy(data.qfrc_applied, qvel + (STATES + s) * nv, nv * sizeof(double))


cdef void acceleration(long s) noexcept nogil:
    load(s)
    c_acceleration(model, data)


cdef void inverse(long s) noexcept nogil:
    """The states' forces serve as accelerations."""
    load(s)
    memcpy(data.qacc, data.qfrc_applied, nv * sizeof(double))
    c_inverse(model, data)


cdef void mass_matrix(long s) noexcept nogil:
    load(s)
    c_mass_matrix(model, data)


cdef void step(long s) noexcept nogil:
    load(s)
    c_step(model, data, 1, INFINITY)


def run(
    KernelModel kernel_model not None, KernelData kernel_data not None,
    const double[::1] numbers, double[:, ::1] qacc,
):
    """Fill ``qacc``, a row a state, then print the microseconds of every work."""
    global model, data, states, nq, nv
    model, data, states = &kernel_model.c, &kernel_data.c, &numbers[0]
    nq, nv = model.nq, model.nv
    if numbers.shape[0] != STATES * (nq + 2 * nv) or qacc.shape[0] != STATES or qacc.shape[1] != nv:
        raise ValueError("these are not the states of this model")
    kernel_data.array("qM")
    cdef long s
    with nogil:
        for s in range(STATES):
            acceleration(s)
            memcpy(&qacc[s, 0], data.qacc, nv * sizeof(double))
        time_call("forward dynamics", acceleration)
        time_call("inverse dynamics", inverse)
        time_call("mass matrix", mass_matrix)
        time_call("step", step)
        fflush(stdout)
