"""A rough bound on moments of inertia, which most bodies satisfy."""

from libc.math cimport fabs


cdef inline bint surely_possible(double xx, double yy, double zz, double xy, double xz, double yz) noexcept:
    """Whether six numbers are a body's moments of inertia by a rough bound.

    By Gershgorin's circles the principal moments are between two bounds; of three, none is greater than the
    others together where none is greater than half their sum.
    """
    cdef double half = (xx + yy + zz) / 2
    xy, xz, yz = fabs(xy), fabs(xz), fabs(yz)
    return (xx - xy - xz >= 0 and yy - xy - yz >= 0 and zz - xz - yz >= 0
            and xx + xy + xz <= half and yy + xy + yz <= half and zz + xz + yz <= half)
