# cython: language_level=3
"""Angles that are probably in another unit than the format's."""

from libc.math cimport M_PI, fabs, rint

cdef double CLOSE = 2e-3  # tolerance in rad for common rounded values such as 1.57 or 0.785
cdef double WHOLE = 1e-9
cdef double FARTHEST = 4 * M_PI  # two turns: no larger bound of a joint is plausible in radians
cdef double MAX_DEGREES = 720.0
cdef double STEP = 5.0  # degrees

MAX_RADIANS = FARTHEST


def like_radians(tuple values):
    """The first of some values in degrees that is, to more than one decimal, a multiple of pi/12 up to 2 pi,
    and so is probably meant in radians; or None.
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
    """The first of some values in radians that exceeds two turns and is a multiple of five, and so is
    probably meant in degrees; or None.
    """
    cdef double size
    for number in values:
        size = fabs(<double> number)
        if FARTHEST < size <= MAX_DEGREES and fabs(size / STEP - rint(size / STEP)) < WHOLE:
            return number
    return None
