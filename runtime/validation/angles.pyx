# cython: language_level=3
"""Angles that seem to be in another unit than the format reads them in."""

from libc.math cimport M_PI, fabs, rint

cdef double CLOSE = 2e-3  # how near, in rad, a number comes to a part of a turn that was meant: 1.57, or 0.785
cdef double WHOLE = 1e-9
cdef double FARTHEST = 4 * M_PI  # two turns, as far as a joint's bounds go that mean angles
cdef double MOST_DEGREES = 720.0
cdef double STEP = 5.0  # degrees

MOST_RADIANS = FARTHEST


def like_radians(tuple values):
    """The first of some numbers of degrees that is a twelfth of half a turn in radians, or several, up to a whole
    turn; None: there is none.
    """
    cdef double value, size, parts
    for number in values:
        value = number
        size = fabs(value)
        if not size <= FARTHEST:
            continue
        parts = rint(size / (M_PI / 12))
        if 1 <= parts <= 24 and fabs(size - parts * M_PI / 12) < CLOSE:
            if abs(number - round(number, 1)) > WHOLE:
                return number
    return None


def like_degrees(tuple values):
    """The first of some numbers of radians that is more than two turns, and a multiple of five; None: there is
    none.
    """
    cdef double size
    for number in values:
        size = fabs(<double> number)
        if FARTHEST < size <= MOST_DEGREES and fabs(size / STEP - rint(size / STEP)) < WHOLE:
            return number
    return None
