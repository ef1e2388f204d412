# cython: language_level=3, boundscheck=False, wraparound=False
"""Sizes and distances of the bodies of a Model, as compared by `units`."""

from libc.math cimport hypot, sqrt
from libc.stdint cimport int32_t

from typing import NamedTuple

from polybody.generated.model import ShapeType

from polybody.base.arrays cimport data_of, load_arrays

load_arrays()

cdef int PLANE = ShapeType.plane


class Sizes(NamedTuple):
    """For each body: mass, radius of gyration, reach and volume of its shapes; 0 if it has none."""

    mass: list
    spread: list
    reach: list
    volume: list


def sizes_of(model):
    """Sizes and masses of the bodies of a Model."""
    cdef dict columns = model._columns
    owners, kinds = columns["geom_bodyid"], columns["geom_type"]
    cdef const int32_t* owner = <const int32_t*> data_of(owners)
    cdef const int32_t* kind = <const int32_t*> data_of(kinds)
    cdef const double* pos = <const double*> data_of(columns["geom_pos"])
    cdef const double* ball = <const double*> data_of(columns["geom_rbound"])
    cdef const double* box = <const double*> data_of(columns["geom_aabb"])
    cdef const double* centre = <const double*> data_of(columns["body_ipos"])
    cdef const double* moment = <const double*> data_of(columns["body_inertia"])
    cdef list mass = columns["body_mass"].tolist()
    cdef list spread = [], reach = [0.0] * len(mass), volume = [0.0] * len(mass)
    cdef Py_ssize_t row, body
    cdef double own, far, filled
    for row in range(len(owners)):
        body = owner[row]
        if body and kind[row] != PLANE:
            far = _distance(pos + 3 * row, centre + 3 * body) + ball[row]
            filled = 8 * box[6 * row + 3] * box[6 * row + 4] * box[6 * row + 5]
            reach[body] = max(<double> reach[body], far)
            volume[body] = max(<double> volume[body], filled)
    for body in range(len(mass)):
        own = mass[body]
        far = moment[3 * body] + moment[3 * body + 1] + moment[3 * body + 2]
        spread.append(sqrt(far / (2 * own)) if own > 0 else 0.0)
    return Sizes(mass, spread, reach, volume)


def spreads(list spread, list reach, double usual):
    """By body with mass and shapes: how far its mass is spread, by what is usual for a body that reaches as far."""
    cdef dict found = {}
    cdef Py_ssize_t body
    cdef double own, far
    for body in range(len(spread)):
        own, far = spread[body], reach[body]
        if own > 0 and far > 0:
            found[body] = own / (usual * far)
    return found


def distances(model, list reach):
    """For each body with one joint, the distance of its frame from its parent's, relative to the reach of
    both bodies' shapes.
    """
    cdef dict columns = model._columns
    cdef const int32_t* parent = <const int32_t*> data_of(columns["body_parentid"])
    cdef const double* pos = <const double*> data_of(columns["body_pos"])
    cdef double[3] origin = [0.0, 0.0, 0.0]
    cdef double apart, both
    cdef Py_ssize_t body
    cdef list joints = [0] * len(reach)
    cdef dict found = {}
    for body in columns["jnt_bodyid"].tolist():
        joints[body] += 1
    for body in range(len(reach)):
        if parent[body] and joints[body] == 1 and reach[body] > 0 and reach[parent[body]] > 0:
            apart, both = _distance(pos + 3 * body, origin), reach[body] + reach[parent[body]]
            if apart > 0:
                found[body] = apart / both
    return found


cdef double _distance(const double* a, const double* b) noexcept:
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2])
